"""The inference table's kernel, on evidence made by hand, and certificates that do not hold."""

from dataclasses import replace

import numpy as np
import pytest

from attacks.inference_table import InferenceTableAttack
from audit.adversary.view import build_evidence
from audit.io.series import open_series
from audit.judgement.check_record import Recounter
from audit.judgement.field_types import BrokenCertificateError
from audit.runtime.budget import Budget
from tests.helpers.records import RecordRow, RecordSeries, inferred, on_disk
from tests.mutants.mutant import kills
from tests.oracle.test_against_per_person import EXAMPLES

# -- certificates -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    """The findings of the paper's cases, and what they are checked against."""
    (evidence,) = build_evidence(open_series(EXAMPLES / "cases-independent"), records=True)
    claims = InferenceTableAttack(2).run(evidence, Budget()).claims
    findings = {evidence.held.names.name(one.record): one for one in claims.certify(np.arange(len(claims)))}
    return evidence, findings


def test_a_limit_that_is_reached_leaves_the_last_table_open(found):
    class Spent(Budget):
        asked = 0

        def exhausted(self):
            self.asked += 1
            return self.asked > 1

    outcome = InferenceTableAttack(2).run(found[0], Spent(3))
    assert (outcome.status, outcome.reason) == ("incomplete", "the time limit of 3 s was reached after 1 of 2 releases")
    assert [outcome.measures[name] for name in ("unsafe", "smallest_class", "timeline")] == [None, None, [0]]


@pytest.mark.parametrize(
    "changed",
    [
        lambda one: replace(one, cause="widow"),
        lambda one: replace(one, release=0, certificate=one.certificate[:1]),
    ],
    ids=["another cause", "another release, and the steps up to it"],
)
def test_a_finding_that_was_changed_as_a_whole_does_not_hold(changed, found):
    """Each field by itself is spoiled in tests/unit/verification/test_spoiled.py."""
    evidence, findings = found
    Recounter(evidence, 2).check(list(findings.values()))
    with pytest.raises(BrokenCertificateError):
        Recounter(evidence, 2).check([changed(findings["2"])])


@kills("audit.judgement.check_record.Recounter._check_class", "< self._k", "<= self._k")
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
