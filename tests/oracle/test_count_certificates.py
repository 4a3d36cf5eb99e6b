"""Every certificate of larger simulated series holds, and a certificate that claims too much does not."""

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from anonymizers.count_tables import COUNT_METHODS
from attacks.differencing.attack import Differencing
from audit.count_tables.build_evidence import build_evidence
from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.read_counts import read_counts
from audit.judgement.check_count_bounds import is_proved, value_of
from audit.model.count_tables import WeightedSum
from audit.runtime.budget import Budget
from audit.simulating.count_tables import TablePlan, series_files
from tests.helpers.amount import some

MOST = some(400)


def claims(folder, method, *, growing, areas=8, ages=4, releases=4):
    """The evidence and the bounds of findings of a simulated series: of all, or of as many drawn at random."""
    plan = TablePlan(releases, areas, ages, growing=growing)
    for name, text in series_files(plan, COUNT_METHODS[method].publish, COUNT_METHODS[method].rules):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    manifest = read_table_manifest(folder)
    for tables in (part.tables for part in build_evidence(read_counts(manifest), manifest.limits({})).parts):
        outcome = Differencing().run(tables, Budget())
        found = np.flatnonzero(outcome.verdict > 0)
        for question in np.random.default_rng(0).permutation(found)[:MOST].tolist():
            for bound in outcome.bounds(question):
                yield tables, bound


@pytest.mark.parametrize("method", ["threshold", "secondary", "rounding"])
@pytest.mark.parametrize("growing", [False, True])
def test_every_certificate_holds_and_no_better_one(method, growing, tmp_path):
    found = list(claims(tmp_path, method, growing=growing, areas=6, releases=3))
    assert found
    for tables, bound in found:
        assert is_proved(tables, bound)
        better = replace(bound, value=bound.value - 1 if bound.is_upper else bound.value + 1)
        assert not is_proved(tables, better)


def test_proofs_do_not_lean_on_bounds_that_only_other_proofs_have(tmp_path):
    """In this series linear programmes find bounds of several counts that hang together."""
    for tables, bound in claims(tmp_path, "threshold", growing=False, areas=19, ages=6, releases=12):
        assert is_proved(tables, bound)


def test_a_certificate_with_another_weight_does_not_hold(tmp_path):
    """Weights that add up to more than is true cannot cover the box; those that add up to the same may."""
    checked = 0
    for tables, bound in claims(tmp_path, "threshold", growing=True):
        proof = bound.proof
        if isinstance(proof, WeightedSum) and len(proof.terms) > 1:
            first, *rest = proof.terms
            wrong = replace(first, weight=first.weight + (Fraction(-2) if first.weight > 0 else Fraction(2)))
            value = value_of(tables, (wrong, *rest), (), is_upper=bound.is_upper)
            if value is None or (value >= bound.value if bound.is_upper else value <= bound.value):
                continue
            claim = floor(value) if bound.is_upper else ceil(value)
            assert not is_proved(tables, replace(bound, value=claim, proof=WeightedSum((wrong, *rest))))
            checked += 1
    assert checked > 10
