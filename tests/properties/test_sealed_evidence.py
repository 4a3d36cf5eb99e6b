"""Attacks are handed evidence without a way to the truth, and a world to start from changes nothing."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.registry import all_attacks
from audit.adversary.build_evidence import build_evidence
from audit.adversary.view import handed
from audit.io.series import open_series
from audit.judgement.scoring import attacked
from audit.model.evidence import PoolSource, PublishedSource, RecordSource
from audit.pipeline.audit_run import AuditOptions, run_audit
from audit.runtime.budget import Budget
from reports.json_values import json_object
from tests.helpers.amount import some
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.running import written
from tests.helpers.tiny import Row, TinySeries

ADVERSARIES = ["linked", "register"]


def allowed(protocol):
    return {name for name in vars(protocol) if not name.startswith("_")}


@pytest.mark.parametrize("attack", all_attacks(), ids=lambda attack: attack.name)
@pytest.mark.parametrize("adversary", ADVERSARIES)
@settings(max_examples=some(5))
@given(data=st.data())
def test_attacks_are_handed_nothing_else(adversary, attack, data):
    tiny = data.draw(crowds(adversary, "constant"))
    with written(tiny) as folder:
        (evidence,) = build_evidence(open_series(folder), adversary)
        given = []

        class Watching:
            def __getattr__(self, what):
                return getattr(attack, what)

            def run(self, seen, budget):
                given.append(seen)
                return attack.run(seen, budget)

        attacked(Watching(), evidence, evidence.key, Budget())
    assert given
    for seen in given:
        for source, protocol in (
            (seen.source, PoolSource),
            (seen.records, RecordSource),
            (seen.published, PublishedSource),
        ):
            known = set() if source is None else {each for each in dir(source) if not each.startswith("_")}
            assert known - {"kept"} <= allowed(protocol)
        assert "key" not in vars(seen)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adversary", ADVERSARIES)
@settings(max_examples=some(15))
@given(data=st.data())
def test_a_world_to_start_from_changes_no_verdict(adversary, kind, data):
    tiny = data.draw(crowds(adversary, kind))
    attacks = all_attacks()
    with written(tiny) as folder:
        (folder / "private").mkdir()
        options = AuditOptions(adversary, reveal=True, stable_ids=True)
        warm, cold = (
            json_object(run_audit(open_series(folder), attacks, replace(options, warm_start=hint)))
            for hint in (True, False)
        )
    for told in (warm, cold):
        for entry in told["attacks"]:
            entry["seconds"] = 0
        for rung in told["ladder"]:
            rung["seconds"] = 0
    assert json.dumps(warm, default=str) == json.dumps(cold, default=str)


def test_a_world_is_withheld_where_it_is_not_wanted(tmp_path):
    TinySeries([[Row("Ann", "1", "flu"), Row("Bob", "1", "gout")]]).write(tmp_path)
    (evidence,) = build_evidence(open_series(tmp_path))
    assert handed(evidence).warm_start(0).tolist() == [0, 1]
    assert handed(replace(evidence, warm_start=None)).warm_start is None


@pytest.mark.parametrize(("adversary", "named"), [("linked", True), ("register", False)])
@settings(max_examples=some(15))
@given(data=st.data())
def test_published_rows_name_people_to_those_who_know_them_alone(adversary, named, data):
    """A key is in the series for scoring; an attack of another package may read all that it is handed."""
    tiny = replace(data.draw(crowds(adversary, "constant")), keyed=True)
    with written(tiny) as folder:
        (evidence,) = build_evidence(open_series(folder), adversary)
        seen = handed(evidence)
        rows = [seen.rows_of.rows(release) for release in range(len(seen.tags))]
    assert [each.person is not None for each in rows] == [named] * len(rows)
