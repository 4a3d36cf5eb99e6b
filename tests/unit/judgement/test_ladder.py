"""The ladder: how many people fall at each rung and at none below it, in reports, in JSON and in words."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.registry import all_attacks
from audit.findings.disclosure import Disclosures
from audit.findings.equivalence import Equivalences, Pinned
from audit.findings.narrowed import NarrowedRecords
from audit.io.series import open_series
from audit.judgement.ladder import ladder
from audit.model.outcome import Outcome
from audit.model.scored import Result, Scored
from audit.pipeline.audit_run import AuditOptions, run_audit
from reports.formats import Text
from tests.helpers.running import run_audit as audited
from tests.helpers.running import run_main

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Named:
    name: str


def nothing(places):
    return []


def disclosures(people):
    person = np.array(people, dtype=np.int32)
    return Disclosures(person, person * 0, person * 0, nothing)


def equivalences(pinned, *, told=True):
    """Claims with an equivalence of two people each, and pinned values; `told` whether a column says whose."""
    person = np.array([-1, *pinned, -1], dtype=np.int32)
    e = np.where(person < 0, 1, 0).astype(np.int32)

    def sides(places):
        return [Pinned(int(person[place]), 0, 0, 1.0) for place in places]

    return Equivalences(e, e, e, 1, False, {}, sides, nothing, person if told else None)


def judged(name, claims, sensitive=None, **options):
    return Result(Named(name), sensitive, None, Scored(Outcome(name, "complete", claims=claims), None, 0.25), **options)


def counts(entries):
    return [(rung.attack, rung.people, rung.beyond, rung.so_far) for rung in ladder(entries)]


# -- counting ---------------------------------------------------------------------------------------------


def test_who_falls_again_is_not_counted_again():
    entries = [
        judged("intersection", disclosures([3, 1])),
        judged("update-graph", disclosures([1, 1, 3, 3, 3])),
        judged("equivalence", equivalences([7, 3])),
        judged("joint", disclosures([9, 1, 1, 3, 7, 0])),
    ]
    assert counts(entries) == [
        ("intersection", 2, 2, 2),
        ("update-graph", 2, 0, 2),
        ("equivalence", 2, 1, 3),
        ("joint", 5, 2, 5),
    ]
    assert {rung.seconds for rung in ladder(entries)} == {0.25}


def test_a_rung_need_not_find_all_that_those_below_it_do():
    entries = [
        judged("intersection", disclosures([5, 2])),
        judged("equivalence", equivalences([])),
        judged("joint", disclosures([2])),
    ]
    assert counts(entries) == [("intersection", 2, 2, 2), ("equivalence", 0, 0, 2), ("joint", 1, 0, 2)]


@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 8))), max_size=5))
def test_counts_are_those_of_sets(rungs):
    entries = [
        judged(str(place), equivalences(people) if pins else disclosures(people))
        for place, (pins, people) in enumerate(rungs)
    ]
    wanted, so_far = [], set()
    for place, (_, people) in enumerate(rungs):
        beyond = set(people) - so_far
        so_far |= beyond
        wanted.append((str(place), len(set(people)), len(beyond), len(so_far)))
    assert counts(entries) == wanted


def test_only_pins_that_no_column_tells_are_asked_for():
    """To build a finding for each of 280,000 claims would take seconds."""
    assert counts([judged("equivalence", equivalences([4, 4, 2], told=False))]) == [("equivalence", 2, 2, 2)]
    claims = replace(equivalences([4, 4, 2]), sides=lambda _: pytest.fail("asked for"))
    assert counts([judged("equivalence", claims)]) == [("equivalence", 2, 2, 2)]


def test_claims_about_one_person_keep_their_columns():
    claims = equivalences([4, 2, 4]).about(4)
    assert claims.e.tolist() == [0, 0]
    assert claims.person.tolist() == [4, 4]


def test_each_sensitive_attribute_has_its_ladder():
    entries = [
        judged("intersection", disclosures([1]), "Disease"),
        judged("joint", disclosures([1, 2]), "Disease"),
        judged("intersection", disclosures([2]), "Income"),
        judged("joint", disclosures([1, 2, 3]), "Income"),
    ]
    assert [(rung.sensitive, rung.beyond, rung.so_far) for rung in ladder(entries)] == [
        ("Disease", 1, 1),
        ("Disease", 1, 2),
        ("Income", 1, 1),
        ("Income", 2, 3),
    ]


def test_what_says_nothing_of_values_is_no_rung():
    none = np.zeros(0, dtype=np.int32)
    entries = [
        judged("intersection", None),
        judged("update-graph", disclosures([1])),
        judged("inference-table", NarrowedRecords(2, none, none, none, none, nothing)),
    ]
    assert counts(entries) == [("update-graph", 1, 1, 1)]


def test_to_accept_that_somebody_falls_changes_no_rung():
    entries = [
        judged("intersection", disclosures([1, 2]), waived=np.array([0])),
        judged("joint", disclosures([1, 2, 3])),
    ]
    assert counts(entries) == [("intersection", 2, 2, 2), ("joint", 3, 1, 3)]


# -- reports ----------------------------------------------------------------------------------------------


def test_hospital_in_json():
    """Intersection finds Bob and David, linear combinations pin nobody, and all together Alice and Andy too."""
    _, result, _ = audited(EXAMPLES / "hospital-l-diverse")
    told = [(rung["attack"], rung["people"], rung["beyond"], rung["so_far"]) for rung in result["ladder"]]
    assert told == [("intersection", 2, 2, 2), ("update-graph", 2, 0, 2), ("equivalence", 0, 0, 2), ("joint", 4, 2, 4)]
    seconds = {entry["attack"]: entry["seconds"] for entry in result["attacks"]}
    assert all(rung["seconds"] == seconds[rung["attack"]] for rung in result["ladder"])
    assert not any("sensitive" in rung for rung in result["ladder"])


def test_pins_in_json():
    """Whose value a linear combination fixes falls at that rung."""
    _, result, _ = audited(EXAMPLES / "fractional-weights", "--attack", "equivalence", "--findings", "all")
    pins = {one["individual"] for one in result["attacks"][0]["findings"] if one["kind"] == "disclosure"}
    assert [rung["people"] for rung in result["ladder"]] == [len(pins)] == [4]


def test_a_ladder_without_people():
    _, result, _ = audited(EXAMPLES / "cases-independent")
    assert result["ladder"] == []
    _, out, _ = run_main(str(EXAMPLES / "cases-independent"))
    assert "people\n" not in out
    assert "New people" not in out


@pytest.mark.parametrize("width", [80, 100])
def test_hospital_in_words(width):
    report = run_audit(open_series(EXAMPLES / "hospital-l-diverse"), all_attacks(), AuditOptions())
    out = Text(width=width).render(report)
    table = out[out.index("attack  ") : out.index("  New people")]
    rows = {line.split()[0]: " ".join(line.split()) for line in table.splitlines()}
    assert rows["attack"] == "attack status finds people far risk risk time"
    assert rows["intersection"].startswith("intersection complete 2 of 16 people 2 2 1 ")
    assert rows["update-graph"].startswith("update-graph complete 4 of 22 versions 0 2 1 ")
    assert re.match(r"equivalence complete 13 of 16 people .*0 2 \d", rows["equivalence"])
    assert rows["joint"].startswith("joint complete 6 of 22 versions 2 4 1 ")
    assert rows["inference-table"] == "inference-table skipped does not apply"
    assert max(map(len, table.splitlines())) <= width


def test_one_rung_is_no_ladder():
    _, out, _ = run_main(str(EXAMPLES / "hospital-l-diverse"), "--attack", "intersection")
    assert "New people" not in out
    head, row = out[out.index("attack  ") :].splitlines()[:2]
    assert re.split(r" {2,}", head) == ["attack", "status", "finds", "risk", "risk", "time"]
    assert re.split(r" {2,}", row)[:-1] == ["intersection", "complete", "2 of 16 people", "1", "0.545"]


def test_no_figure_is_cut_off_in_a_narrow_terminal():
    report = run_audit(open_series(EXAMPLES / "hospital-l-diverse"), all_attacks(), AuditOptions())
    lines = Text(width=60).render(report).splitlines()
    rows = [line for line in lines if re.match(r"(intersection|update-graph|equivalence|joint) ", line)][:4]
    assert [re.findall(r" (\d+) +2(?: +1 0\.545)? *$", row) for row in rows[:3]] == [["2"], ["0"], ["0"]]
    assert re.search(r" 2 +4 +1 +0\.591$", rows[3])
