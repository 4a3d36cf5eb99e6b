"""The inference table's kernel, on evidence made by hand, and certificates that do not hold."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

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


# -- certificates -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    """The findings of the paper's cases, and what they are checked against."""
    (evidence,) = build_evidence(open_series(EXAMPLES / "cases-independent"), records=True)
    claims = InferenceTableAttack(2).run(evidence, Budget()).claims
    findings = {evidence.held.names.name(one.record): one for one in claims.certify(np.arange(len(claims)))}
    return evidence, findings


def test_findings_hold(found):
    evidence, findings = found
    Recounter(evidence, 2).check(list(findings.values()))
    Recounter(evidence, 2).check([])
    for finding in findings.values():
        Recounter(evidence, 2).check([finding])


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
    evidence, findings = found
    with pytest.raises(BrokenCertificateError):
        Recounter(evidence, 2).check([tamper(findings["2"], findings["1"])])


def test_a_class_that_is_large_enough_is_no_finding(found):
    evidence, findings = found
    with pytest.raises(BrokenCertificateError):
        Recounter(evidence, 1).check([findings["2"]])


def test_counterfeits_are_left_out_when_classes_are_counted_again():
    rows = [RecordRow("a", "2", "*", "1"), RecordRow("b", "2", "*", "1", real=False)]
    with on_disk(RecordSeries([rows], keyed=True)) as folder:
        (evidence,) = build_evidence(open_series(folder), "linked", records=True)
        claims = InferenceTableAttack(2).run(evidence, Budget()).claims
        [finding] = claims.certify(np.arange(1))
        Recounter(evidence, 2).check([finding])
        fake = replace(finding, record=1 - finding.record)
        with pytest.raises(BrokenCertificateError):
            Recounter(evidence, 2).check([fake])


def test_many_findings_are_checked_by_following_everybody():
    rows = [RecordRow(str(number), "*", f"t{number}", "1") for number in range(150)]
    assert len(inferred(RecordSeries([rows]), 2).findings("inference-table")) == 150
