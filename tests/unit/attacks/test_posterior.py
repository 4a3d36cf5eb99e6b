"""Products of counts beside exact fractions."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks import posterior
from attacks.candidates import Candidates
from attacks.posterior import CandidateRisks
from audit.model.evidence import CandidatePools, Evidence, ValueCounts
from audit.runtime.budget import Budget

VALUES, PEOPLE = 6, 5


@dataclass
@dataclass
class Asked:
    values: list[int] | None

    def of_people(self):
        return None if self.values is None else np.array(self.values, dtype=np.int32)


@st.composite
def histories(draw, counts, most_releases=4):
    """Draw the counts of each value in each present person's pool, release by release."""
    found = []
    for _ in range(draw(st.integers(1, most_releases))):
        width = draw(st.integers(VALUES - 1, VALUES))
        present = draw(st.lists(st.integers(0, PEOPLE - 1), min_size=1, unique=True))
        table = np.zeros((len(present), width), dtype=np.int64)
        for pool in range(len(present)):
            for value in draw(st.sets(st.integers(0, width - 1), min_size=3)):
                table[pool, value] = draw(counts)
        found.append((present, table))
    return found


def pools_of(history, *, tables):
    made = []
    for present, table in history:
        n, width = table.shape
        small = table.astype(np.uint16) if table.max() < 1 << 16 else table
        contents = small if tables else ValueCounts.of(table)
        people = np.array(present, dtype=np.int32)
        pool = np.arange(n, dtype=np.int32)
        made.append(CandidatePools(people, pool, n, contents, None, None, PEOPLE, width))
    return made


def exact(history, person, asked):
    """Return one person's risk: None where there is no candidate, or the value asked for is none."""
    products = [Fraction(1)] * VALUES
    for present, table in history:
        if person in present:
            row = [int(count) for count in table[present.index(person)]] + [0] * VALUES
            products = [before * count for before, count in zip(products, row, strict=False)]
    wanted = max(products) if asked < 0 else products[asked]
    return wanted / sum(products) if wanted else None


def check(history, asked, *, tables):
    made = pools_of(history, tables=tables)
    state = Candidates(PEOPLE, VALUES)
    for release, pools in enumerate(made):
        state.fold(pools, release)
    values = [str(value) for value in range(VALUES)]
    tags = tuple(str(release) for release in range(len(made)))
    evidence = Evidence("linked", "Value", tags, None, 0, 0, None, values, pooled=tuple(made))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posterior, "_MOST_SLOTS", 13)
        risks = CandidateRisks(evidence, state).risks(Asked(asked), Budget())
    seen = sorted({person for present, _ in history for person in present})
    assert risks.person.tolist() == seen
    for person, risk in zip(seen, risks.risk.tolist(), strict=True):
        expected = exact(history, person, -1 if asked is None else asked[person])
        if expected is None:
            assert np.isnan(risk)
        else:
            assert risk == pytest.approx(float(expected), rel=1e-12, abs=1e-300)
            assert (risk == 1.0) == (expected == 1)


@pytest.mark.parametrize("tables", [False, True])
@given(history=histories(st.sampled_from([10**12, 3 * 10**12, 7 * 10**12]), 40))
def test_products_beyond_the_range_of_floating_point(tables, history):
    check(history, None, tables=tables)


def test_a_chance_too_small_for_the_other_value_to_show_is_no_certainty():
    table = np.array([[10**15, 1, 0, 0, 0, 0]])
    check([([0], table)] * 3, None, tables=True)
