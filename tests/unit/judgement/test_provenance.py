"""Which claims say nothing new."""

import numpy as np

from audit.adversary.build_evidence import build_evidence
from audit.findings.equivalence import Equivalence, Equivalences
from audit.io.series import open_series
from audit.judgement.provenance import known_before
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.selection import ReportNames, Selection
from tests.cli.forms import EXAMPLES


def selection(evidence, namer, pairs):
    sides = [Equivalence(1, {left: 1}, {right: 1}) for left, right in pairs]
    ones = np.ones(len(pairs), dtype=np.int32)

    def said(places):
        return [sides[place] for place in places]

    claims = Equivalences(ones, 0 * ones, 0 * ones, 1, False, {}, said, said)
    return Selection("equivalence", claims, ReportNames(evidence, namer))


def test_another_chain_through_the_same_people_says_nothing_new():
    series = open_series(EXAMPLES / "clinic-merged")
    [evidence] = build_evidence(series, "linked")
    for release in range(3):
        evidence.source.members(release)
    namer = Pseudonymizer(series, reveal=True)
    before = selection(evidence, namer, [(0, 1), (1, 2), (4, 5)])
    after = selection(evidence, namer, [(0, 2), (2, 3), (1, 0), (3, 4), (5, 4)])
    # 0 and 2 are equal by way of 1; 3 is new, and joins both classes.
    assert known_before(before, after).tolist() == [0, 2, 4]
    assert known_before(None, after).tolist() == []
