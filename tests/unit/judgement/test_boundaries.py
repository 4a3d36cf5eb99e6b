"""Where a verdict turns: the last day of a waiver, a class that shrinks, somebody with no history at all."""

import datetime

import numpy as np
import pytest

from attacks.intersection import IntersectionAttack
from attacks.update_graph import UpdateGraphAttack
from audit.io.manifest import Waiver
from audit.io.series import open_series
from audit.judgement.waivers import NamedFindings, WaiverBook
from audit.model.audit_options import AuditOptions
from audit.model.report import CountSize
from audit.pipeline.audit_run import run_audit
from tests.helpers.running import audit_folder, run_main, written
from tests.helpers.tiny import Row, TinySeries

DAY = datetime.date(2030, 2, 28)
BEFORE, AFTER = DAY - datetime.timedelta(days=1), DAY + datetime.timedelta(days=1)
DAYS = pytest.mark.parametrize(
    ("today", "state"), [(BEFORE, "applied"), (DAY, "applied"), (AFTER, "expired")], ids=["before", "on it", "after"]
)


@DAYS
def test_a_waiver_holds_until_its_last_day_is_over(today, state):
    """Ann has a: both her values are certain, the finding is waived until a day, and Bob's is not asked for."""
    series = TinySeries([[Row("Ann", "1", "a"), Row("Bob", "2", "a"), Row("Cyd", "2", "b")]])
    with written(series) as folder:
        (folder / "private").mkdir(exist_ok=True)
        assert run_main("waive", str(folder), "Ann", "--reason", "asked", "--until", "2999-01-01")[0] == 0
        manifest = folder / "series.toml"
        manifest.write_text(manifest.read_text().replace("2999-01-01", DAY.isoformat()))
        report = run_audit(open_series(folder), [IntersectionAttack()], AuditOptions(explicit=True, today=today))
    assert [each.state for each in report.policy.waived] == [state]
    [clause] = [each for each in report.policy.clauses if each.clause == "max_risk"]
    assert clause.state == ("holds" if state == "applied" else "violated")


@DAYS
def test_so_does_a_waiver_of_what_counts_tell(today, state):
    size = CountSize("narrowed", 1, 4)
    book = WaiverBook([Waiver("count-1", "asked", DAY, sizes={"count-1": size})], today)
    covered, unsized = book.judge(NamedFindings(["count-1"], [size], [frozenset({"min_width"})]), np.array([False]))
    assert (covered.tolist(), unsized.tolist()) == ([state == "applied"], [False])
    assert [each.state for each in book.outcomes(reveal=True)] == [state]


def pair(*groups):
    """An Anatomy pair of a release: who is in a group of which values."""
    return [Row(who, str(number), value) for number, group in enumerate(groups, 1) for who, value in group]


def test_somebody_with_no_history_is_not_somebody_found_out():
    """Ann is in a group of a, then in one of b, though no value changes: nothing is known of her, least of all b."""
    both = TinySeries(
        [pair([("Ann", "a"), ("Bob", "a")], [("Cyd", "c")]), pair([("Ann", "b"), ("Bob", "b")], [("Cyd", "c")])],
        anatomy=True,
    )
    with written(both) as folder:
        audited = audit_folder(folder, ["intersection", "update-graph"])
    measures = audited.measures("update-graph")
    assert (measures["infeasible"], measures["disclosed"], measures["versions"]) == (4, 2, 6)
    assert {each["individual"] for each in audited.findings("update-graph")} == {"Cyd"}
    assert audited.measures("intersection")["candidate_sizes"] == {"0": 2, "1": 1}
    assert audited.code == 1
    assert audited.result["contradictions"] == {"changed": 0, "infeasible": 2}
    # Without Cyd nobody is found out; what contradicts itself does not hold all the same.
    alone = TinySeries([pair([("Ann", "a"), ("Bob", "a")]), pair([("Ann", "b"), ("Bob", "b")])], anatomy=True)
    with written(alone) as folder:
        audited = audit_folder(folder, ["intersection", "update-graph"])
        assert not audited.findings("intersection") + audited.findings("update-graph")
        assert audited.code == 3
        assert not audited.result["policy"]["passed"]
        report = run_audit(open_series(folder), [UpdateGraphAttack()], AuditOptions(explicit=True))
    assert report.contradictions.infeasible == 2
