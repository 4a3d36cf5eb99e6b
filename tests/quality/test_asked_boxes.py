"""What is asked of count tables does not depend on how finely categories are written."""

import json
import random
from dataclasses import replace

import pytest

from tests.helpers.amount import some
from tests.helpers.running import run_main
from tests.oracle.count_tables import Oracle
from tests.oracle.drawn_tables import drawn_tables
from tests.oracle.test_count_tables import box_of


def split(series, rng):
    """The same series, its categories written more finely: some atoms are two or three, which no label tells apart."""
    finer = {}
    for name, labels in series.categories.items():
        parts = {
            atom: tuple(f"{atom}{letter}" for letter in "xyz"[: rng.randint(1, 3)])
            for atom in dict.fromkeys(atom for atoms in labels.values() for atom in atoms)
        }
        finer[name] = {label: tuple(p for atom in atoms for p in parts[atom]) for label, atoms in labels.items()}
    return replace(series, categories=finer)


def boxes(series, folder):
    """What is found, each box as the places of its atoms among those of the coarser categories."""
    code, out, _ = run_main(str(series.write(folder)), "--format", "json", "--findings", "all")
    if code == 2:
        return code, None, None
    [attack] = json.loads(out)["attacks"]
    oracle = Oracle(series)
    coarse = [{atom: atom.rstrip("xyz") for atom in atoms} for atoms in oracle.atoms]
    told = {
        (
            each["kind"],
            each["release"],
            each.get("since"),
            frozenset(
                tuple(names.get(atom, atom) for names, atom in zip(coarse, one, strict=True))
                for one in box_of(oracle, each["cell"])
            ),
            each["lower"],
            each["upper"],
        )
        for each in attack["findings"]
    }
    return code, attack["measures"] | {"seconds": None}, told


@pytest.mark.parametrize("seed", range(some(12)))
def test_splitting_atoms_that_no_label_tells_apart_changes_nothing(seed, tmp_path):
    rng = random.Random(seed)  # noqa: S311 - nothing secret
    series = next(one for one in iter(lambda: drawn_tables(rng), None) if one.categories)
    assert boxes(split(series, rng), tmp_path / "finer") == boxes(series, tmp_path / "coarse")
