"""Sentences of a report, for results that no small series has."""

import pytest

from audit.model.measures import Measures, RiskMeasures
from audit.model.report import AttackReport
from reports.sentences import result_text


@pytest.mark.parametrize(("status", "said"), [("complete", "nobody"), ("incomplete", "no one so far")])
def test_that_nobody_is_found_is_final_only_if_the_attack_is(status, said):
    """Of people who may be in the data, an attack that was cut off has not judged all."""
    attack = AttackReport(
        "intersection", None, status, None, 0.0, Measures(), RiskMeasures(), (), 0, people=0, people_at_once=0
    )
    assert result_text(attack) == said
