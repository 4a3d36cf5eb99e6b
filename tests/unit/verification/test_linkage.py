"""Linkages checked again: what the attack claims of random series holds, and what is changed in it does not."""

from types import SimpleNamespace

import numpy as np
import pytest

from attacks.correspondence.attack import CorrespondenceAttack
from audit.findings.rows import Filling, Linkage, RowKind
from audit.judgement.check_linkage import LinkageChecker
from audit.judgement.field_types import BrokenCertificateError
from audit.model.adversary import PUBLISHED
from audit.model.evidence import PublishedRows
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.mutants.mutant import kills
from tests.oracle.correspondence import CellTable, Growing, growing, truth

EACH = 50


class Source:
    """The rows of a tiny series, as the attack and the checker are given them."""

    def __init__(self, series):
        self.series, self.table = series, CellTable(series.domain)
        self.attributes = tuple(f"a{number}" for number in range(len(series.domain)))
        self.shared, self.atoms = self.table.shared, self.table.atoms

    def rows(self, release):
        rows = self.table.rows(self.series.releases[release])
        return PublishedRows(rows.cells, rows.value, np.arange(len(rows.value), dtype=np.int32), None, 0)

    def group_names(self, release, groups):
        return [f"{release}.{group}" for group in groups.tolist()]

    def text(self, attribute, cell):
        return str(self.table.cells[attribute][cell])


def evidence_of(series):
    weight = SimpleNamespace(weight=series.allowed.astype(float))
    tags = tuple(map(str, range(len(series.releases))))
    values = [f"v{code}" for code in range(len(series.allowed))]
    source = Source(series)
    what = {"tags": tags, "values": values, "transitions": weight, "rows_of": source, "records": None}
    return SimpleNamespace(kind="published", adversary=PUBLISHED, growing=True, **what)


def claims_of(seed, k=3):
    series = growing(np.random.default_rng(seed))
    evidence = evidence_of(series)
    outcome = CorrespondenceAttack(k).run(evidence, Budget())
    return series, evidence, outcome, outcome.claims.certify(np.arange(len(outcome.claims)))


@pytest.mark.parametrize("first", range(0, some(1_000), EACH))
def test_what_is_claimed_holds_and_is_true(first):
    proved = 0
    for seed in range(first, first + EACH):
        series, evidence, outcome, findings = claims_of(seed)
        assert outcome.status == "complete", seed
        told, checker = truth(series), LinkageChecker(evidence)
        for finding in findings:
            proved += checker.checked(finding).evidence == "proof"
            table = evidence.rows_of.table
            point = tuple(next(iter(table.cells[at][cell])) for at, cell in finding.point.items())
            rows = told.left[point, finding.first, finding.release]
            assert 0 < len(rows) <= finding.rows, seed
            values = {series.releases[finding.release][row][1] for row in rows}
            assert finding.value is None or values == {finding.value}, seed
            assert finding.rows < 3 or finding.value is not None
    assert proved > EACH // 2


@kills(
    "audit.judgement.check_linkage.LinkageChecker._fill",
    "sum(here[kind] for kind in filling.kinds) != sum(following[kind] for kind in filling.fill)",
    "False",
)
def test_as_many_rows_are_filled_as_fill_them():
    """One row of a, then two: a newcomer may be either. To say that the one fills both would leave b alone."""
    zero, one, both = frozenset([0]), frozenset([1]), frozenset([0, 1])
    releases = [[((both,), 0)], [((zero,), 0), ((zero,), 1), ((one,), 0)]]
    evidence = evidence_of(Growing(releases, np.eye(2, dtype=np.bool_), [[0, 1]]))
    checker, number = LinkageChecker(evidence), evidence.rows_of.table.add
    first, a, b, other = (RowKind((number(0, cells[0]),), value) for release in releases for cells, value in release)
    point = {0: number(0, zero)}
    checker.checked(Linkage(point, 1, 1, 2, ("1.0", "1.1"), None, 0.5, ()))
    filled = Filling(0, 1, frozenset([first]), frozenset([a, other]))
    with pytest.raises(BrokenCertificateError, match="not as many rows"):
        checker.checked(Linkage(point, 1, 1, 1, ("1.1",), b.value, 1.0, (filled,)))
