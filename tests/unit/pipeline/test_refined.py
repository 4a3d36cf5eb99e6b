"""What an attack finds beside another one takes what it left of its time, and can be interrupted like the attack."""

import pytest

from attacks.equivalence.attack import EquivalenceAttack
from attacks.joint.attack import JointAttack
from audit.io.series import open_series
from audit.pipeline.audit_run import AuditOptions, run_audit
from tests.cli.forms import EXAMPLES

HOSPITAL = EXAMPLES / "hospital-l-diverse"


def audited(**options):
    return run_audit(
        open_series(HOSPITAL), [EquivalenceAttack(), JointAttack()], AuditOptions(explicit=True, **options)
    )


@pytest.mark.parametrize("limit", [60.0, None])
def test_it_takes_what_is_left_of_the_time(monkeypatch, limit):
    budgets = []

    def refined(attack, evidence, outcome, beside, budget, /):
        budgets.append(budget)
        return outcome

    monkeypatch.setattr(EquivalenceAttack, "refined", refined)
    report = audited(time_limit=limit)
    [budget] = budgets
    took = next(each.seconds for each in report.attacks if each.attack == "equivalence")
    assert (budget.seconds is None) if limit is None else (limit - took <= budget.seconds < limit)


@pytest.mark.parametrize("keeps", [True, False])
def test_an_interrupt_there_keeps_what_is_finished(monkeypatch, keeps):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(EquivalenceAttack, "refined", interrupted)
    if not keeps:
        with pytest.raises(KeyboardInterrupt):
            audited()
        return
    report = audited(keeps_finished=True)
    assert report.exit_code == 130
    assert {each.attack: each.status for each in report.attacks} == {"equivalence": "incomplete", "joint": "complete"}
    assert all(each.findings for each in report.attacks)
