"""The search for integer vectors against enumeration: tiny series of every kind and the worked examples."""

import json
from pathlib import Path

import numpy as np
import pytest

from attacks.matrix import Matrix
from audit.adversary.build_evidence import build_evidence
from audit.io.series import open_series
from tests.helpers.amount import some
from tests.helpers.equivalences import agrees, brute_force, is_equivalence, searched, tiny_series

EXAMPLES = Path(__file__).parent.parent / "examples"
MAX_E = 4
ENUMERATED = 6
EACH = 25


@pytest.mark.parametrize("first", range(0, some(500), EACH))
def test_tiny_series(first):
    for seed in range(first, first + EACH):
        matrix, truth = tiny_series(np.random.default_rng(seed))
        wanted = brute_force(matrix, 2 * ENUMERATED)
        found = searched(matrix, MAX_E)
        assert found.complete, seed
        assert found.lower == found.upper, seed
        shown = wanted[matrix.individual & (wanted > 0)]
        if len(shown):
            assert found.lower == shown.min(), seed
        else:
            assert found.lower is None or found.lower > ENUMERATED, seed
        assert found.least.tolist() == np.where(wanted <= MAX_E, wanted, 0).tolist(), seed
        check_witnesses(matrix, truth, found)


def check_witnesses(matrix, truth, found):
    for vector in found.witnesses:
        assert is_equivalence(matrix, vector)
        assert agrees(vector, truth)
    shown = np.zeros(matrix.columns, dtype=int)
    for vector in sorted(found.witnesses, key=lambda vector: -vector.e):
        shown[vector.columns] = vector.e
    settled = found.least > 0
    assert shown[settled].tolist() == found.least[settled].tolist()
    of_people = (vector.e for vector in found.witnesses if matrix.individual[vector.columns].any())
    assert min(of_people, default=None) == found.upper


def examples():
    found = {path.parent.name: json.loads(path.read_text("utf-8")) for path in EXAMPLES.glob("*/expected.json")}
    found = {name: expected["equivalence"] for name, expected in found.items() if "equivalence" in expected}
    assert len(found) >= 6
    return sorted(found.items())


@pytest.mark.parametrize(("name", "expected"), examples())
def test_examples(name, expected):
    series = open_series(EXAMPLES / name)
    matrix = Matrix.of(build_evidence(series)[0])
    found = searched(matrix, ENUMERATED)
    assert found.lower == found.upper == expected["min_e"]
    assert found.complete
    assert all(is_equivalence(matrix, vector) for vector in found.witnesses)
    columns = matrix.columns - matrix.nameless
    least = {series.people.name(code): int(found.least[code]) for code in range(columns)}
    unnamed = [name for name in expected["per_individual"] if name not in least]
    nameless = dict(zip(unnamed, found.least[columns:].tolist(), strict=True))
    assert {who: e or None for who, e in (least | nameless).items()} == expected["per_individual"]
