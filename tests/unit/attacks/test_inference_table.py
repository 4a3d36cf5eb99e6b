"""The inference table's kernel, on evidence made by hand, and certificates that do not hold."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.descriptions import equal_rows
from attacks.inference_table import InferenceTableAttack
from audit.adversary.build_evidence import build_evidence
from audit.io.series import open_series
from audit.model.errors import InputError, Problem
from audit.model.evidence import Evidence, Records
from audit.runtime.budget import Budget
from audit.verification.disclosure import BrokenCertificateError
from audit.verification.record import Recounter
from tests.helpers.records import RecordRow, RecordSeries, inferred, on_disk
from tests.oracle.test_examples import EXAMPLES


@dataclass
class Sets:
    """Rows whose cells are sets of letters: (record, cells..., whether real)."""

    releases: list
    attributes: tuple = ("one", "two")

    def __post_init__(self):
        self.cells, self.asked = [], []

    def number(self, letters):
        if letters not in self.cells:
            self.cells.append(letters)
        return self.cells.index(letters)

    def rows(self, release):
        rows = self.releases[release]
        cells = [[self.number(frozenset(row[1 + at])) for row in rows] for at in range(len(self.attributes))]
        real = np.array([len(row) <= 1 + len(self.attributes) for row in rows])
        columns = tuple(np.array(column, dtype=np.int32) for column in cells)
        size = max((row[0] for rows in self.releases[: release + 1] for row in rows), default=-1) + 1
        return Records(np.array([row[0] for row in rows], dtype=np.int32), columns, real, size)

    def shared(self, attribute, left, right):
        self.asked.append(list(zip(left.tolist(), right.tolist(), strict=True)))
        both = [self.cells[one] & self.cells[other] for one, other in zip(left, right, strict=True)]
        return np.array([self.number(one) if one else -1 for one in both], dtype=np.int32)

    def groups(self, release, rows):
        return [f"{release}/{row}" for row in rows]

    def contradiction(self, release, row, attribute):
        return InputError([Problem(f"{release}", "nothing in common", "mend it", row, self.attributes[attribute])])


def run(*releases, k=2, budget=None, attributes=("one", "two")):
    source = Sets(list(releases), attributes)
    tags = tuple(map(str, range(len(releases))))
    evidence = Evidence("pseudonym", "Value", tags, None, 0, 0, None, [], source)
    return source, InferenceTableAttack(k).run(evidence, budget or Budget())


def test_an_absence_says_nothing():
    _, outcome = run(
        [(0, "ab", "x"), (1, "ab", "x")],
        [(5, "c", "x"), (6, "c", "x")],
        [(0, "bc", "x"), (1, "bc", "x")],
    )
    assert outcome.measures["timeline"] == [0, 0, 0]
    assert outcome.measures["records"] == 4
    assert len(outcome.claims) == 0


def test_who_stays_away_is_left_alone_by_the_others():
    _, outcome = run([(0, "ab", "x"), (1, "ab", "x")], [(1, "b", "x"), (2, "b", "x")])
    assert outcome.measures["timeline"] == [0, 1]
    [finding] = outcome.claims.certify(np.arange(1))
    assert (finding.record, finding.release, finding.class_size, finding.cause) == (0, 1, 1, "group change")
    assert [(step.release, step.group, step.size) for step in finding.certificate] == [(0, "0/0", 2)]


def test_newcomers_make_a_class_larger_and_a_finding_stays():
    _, outcome = run([(0, "a", "x")], [(1, "a", "x")], k=2)
    assert outcome.measures == {
        "k": 2,
        "records": 2,
        "unsafe": 0,
        "once_unsafe": 1,
        "smallest_class": 2,
        "timeline": [1, 0],
    }
    [finding] = outcome.claims.certify(np.arange(1))
    assert (finding.release, finding.cause, finding.risk) == (0, "small group", 1.0)


def test_the_smallest_class_of_a_record_may_come_later():
    _, outcome = run([(0, "ab", "x"), (1, "ab", "x")], [(0, "a", "x"), (1, "b", "x")], k=3)
    assert outcome.claims.class_size.tolist() == [2, 2]
    assert outcome.claims.smallest.tolist() == [1, 1]


def test_counterfeits_hide_nobody_and_are_nobody():
    _, outcome = run([(0, "a", "x"), (1, "a", "x", "fake"), (2, "b", "x", "fake")])
    assert outcome.measures["records"] == 1
    assert outcome.measures["smallest_class"] == 1
    assert outcome.claims.record.tolist() == [0]
    [finding] = outcome.claims.certify(np.arange(1))
    assert finding.certificate[0].size == 1


def test_counterfeits_do_not_matter_to_how_it_came_about():
    _, outcome = run(
        [(0, "ab", "x"), (1, "ab", "x"), (2, "c", "x", "fake")],
        [(0, "bc", "x"), (2, "bc", "x", "fake"), (3, "bc", "x")],
    )
    causes = {finding.record: finding.cause for finding in outcome.claims.certify(np.arange(3))}
    assert causes == {0: "subgroup expanding", 1: "group change", 3: "widow"}


def test_a_series_of_counterfeits_has_no_classes():
    _, outcome = run([(0, "a", "x", "fake")])
    assert (outcome.measures["smallest_class"], outcome.measures["timeline"]) == (None, [0])


def test_each_distinct_pair_is_asked_for_once():
    rows = [(record, "ab" if record % 2 else "abc", "xy") for record in range(40)]
    source, _ = run(rows, [(record, "bc", "xy") for record in range(40)])
    [pairs] = filter(None, source.asked)
    assert len(pairs) == len(set(pairs)) == 2


def test_cells_with_nothing_in_common():
    with pytest.raises(InputError) as error:
        run([(4, "a", "x"), (7, "a", "x")], [(9, "a", "y"), (7, "a", "y")])
    [problem] = error.value.problems
    assert (problem.file, problem.line, problem.column) == ("1", 1, "two")


def test_without_records_or_quasi_identifiers_it_does_not_apply():
    nothing = Evidence("linked", "Value", ("1",), None, 0, 0, None, [])
    assert InferenceTableAttack().run(nothing, Budget()).reason.startswith("it needs [columns] record")
    _, outcome = run([(0,)], attributes=())
    assert (outcome.status, outcome.reason) == ("skipped", "it needs quasi-identifiers, and the series has none")


def test_a_limit_that_is_reached_leaves_the_last_table_open():
    class Spent(Budget):
        def exhausted(self):
            self.asked = getattr(self, "asked", 0) + 1
            return self.asked > 1

    _, outcome = run([(0, "a", "x")], [(1, "a", "x")], budget=Spent(3))
    assert (outcome.status, outcome.reason) == ("incomplete", "the time limit of 3 s was reached after 1 of 2 releases")
    assert outcome.measures == {
        "k": 2,
        "records": 1,
        "unsafe": None,
        "once_unsafe": 1,
        "smallest_class": None,
        "timeline": [1],
    }
    assert outcome.claims.record.tolist() == [0]


def test_progress_is_told():
    told = []
    run([(0, "a", "x")], [(0, "a", "x")], budget=Budget(None, lambda done, total: told.append((done, total))))
    assert told == [(1, 2), (2, 2)]


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 5, 2**31 - 1]), st.integers(0, 2)), min_size=1))
def test_equal_rows(rows):
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    first, place = equal_rows(columns)
    assert [rows[first[at]] for at in place] == rows
    assert len(first) == len(set(rows))


# -- certificates -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    """The findings of the paper's cases, and what they are checked against."""
    (evidence,) = build_evidence(open_series(EXAMPLES / "cases-independent"), records=True)
    claims = InferenceTableAttack(2).run(evidence, Budget()).claims
    findings = {evidence.records.name(one.record): one for one in claims.certify(np.arange(len(claims)))}
    return evidence.records, findings


def test_findings_hold(found):
    records, findings = found
    Recounter(records, 2).check(list(findings.values()))
    Recounter(records, 2).check([])
    for finding in findings.values():
        Recounter(records, 2).check([finding])


def changed(finding, place, **fields):
    steps = list(finding.certificate)
    steps[place] = replace(steps[place], **fields)
    return replace(finding, certificate=tuple(steps))


TAMPERED = {
    "another class": lambda one, other: replace(one, class_size=2),
    "another description": lambda one, other: replace(one, description=other.description),
    "another cause": lambda one, other: replace(one, cause="widow"),
    "another record": lambda one, other: replace(one, record=other.record),
    "another release": lambda one, other: replace(one, release=0, certificate=one.certificate[:1]),
    "a step less": lambda one, other: replace(one, certificate=one.certificate[1:]),
    "a step twice": lambda one, other: replace(one, certificate=(*one.certificate, one.certificate[1])),
    "another group": lambda one, other: changed(one, 0, group="9"),
    "another size": lambda one, other: changed(one, 1, size=1),
    "other cells": lambda one, other: changed(one, 1, cells=one.certificate[0].cells),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED)
def test_findings_that_were_tampered_with_do_not(tamper, found):
    records, findings = found
    with pytest.raises(BrokenCertificateError):
        Recounter(records, 2).check([tamper(findings["2"], findings["1"])])


def test_a_class_that_is_large_enough_is_no_finding(found):
    records, findings = found
    with pytest.raises(BrokenCertificateError):
        Recounter(records, 1).check([findings["2"]])


def test_only_records_that_matter_are_followed(found):
    records, findings = found
    recounter = Recounter(records, 2)
    recounter.check([findings["5"]])
    names = {records.name(record) for record in recounter.table}
    assert names == {"2", "5"}


def test_counterfeits_are_left_out_when_classes_are_counted_again():
    rows = [RecordRow("a", "2", "*", "1"), RecordRow("b", "2", "*", "1", real=False)]
    with on_disk(RecordSeries([rows], keyed=True)) as folder:
        (evidence,) = build_evidence(open_series(folder), "linked", records=True)
        claims = InferenceTableAttack(2).run(evidence, Budget()).claims
        [finding] = claims.certify(np.arange(1))
        Recounter(evidence.records, 2).check([finding])
        fake = replace(finding, record=1 - finding.record)
        with pytest.raises(BrokenCertificateError):
            Recounter(evidence.records, 2).check([fake])


def test_many_findings_are_checked_by_following_everybody():
    rows = [RecordRow(str(number), "*", f"t{number}", "1") for number in range(150)]
    assert len(inferred(RecordSeries([rows]), 2).findings("inference-table")) == 150
