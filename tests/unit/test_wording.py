"""Wording: how a report tells estimates."""

from dataclasses import replace

from attacks.registry import find
from audit.reading.series import open_series
from audit.running import Options, run_audit
from reports.wording import notes
from tests.cli.forms import EXAMPLES

SHARES = {"value": 0.4142, "low": 0.3799, "high": 0.4401}
ESTIMATED = {
    "versions": 1_200,
    "stuck": 34,
    "max_risk": {"value": 0.99999, "low": 0.91, "high": 1.0},
    "mean_risk": SHARES,
    "r_hat": 1.0123,
    "chains": 4,
    "sweeps": 200,
}


def test_estimates_are_told_as_such():
    report = run_audit(open_series(EXAMPLES / "hospital-2-invariant"), [find("joint")], Options())
    [attack] = report.attacks
    assert not [note for note in notes(report) if "estimate" in note]
    estimated = replace(attack, measures={**attack.measures, "estimated": ESTIMATED})
    assert (
        "joint estimates for 1,200 versions whose worlds are too many to count: highest risk 0.999 (0.910 to 1), "
        "mean risk 0.414 (0.380 to 0.440), 34 others may have any; not proved, R-hat 1.01."
    ) in list(notes(replace(report, attacks=(estimated,))))
