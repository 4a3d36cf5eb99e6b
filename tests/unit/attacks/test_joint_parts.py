"""The stages of `joint` as they are measured, and the same question asked of anonypyx."""

import csv
from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from anonymizers.l_diversity import LDiversityAnonymizer
from audit.adversary.build_evidence import build_evidence
from audit.io.microdata import open_microdata
from audit.io.series import open_series
from audit.principles.registry import find
from audit.publishing.publish import PublishOptions, publish
from benchmarks.speed.joint_parts import Whole, build
from benchmarks.speed.registering import register
from tests.helpers.microdata import write_microdata
from tests.helpers.tiny import Registered, read
from tests.oracle.worlds import worlds

HEAD = ("Name", "Age", "Education", "Occupation")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Three 2-diverse releases of a few people, and the same with a register."""
    folder, rng = tmp_path_factory.mktemp("crowd"), np.random.default_rng(2)
    people = [(f"p{number}", *rng.integers(0, 9, 2).tolist(), f"v{number % 4}") for number in range(10)]
    snapshots = {str(tag + 1): [people[place] for place in range(10) if place % 4 != tag] for tag in range(3)}
    write_microdata(folder / "micro", snapshots, head=HEAD, domains="Age = [0, 9]\nEducation = [0, 9]")
    source, promise = open_microdata(folder / "micro"), find("l-diversity", {"l": 2})
    publish(source, folder / "series", LDiversityAnonymizer(2), promise, PublishOptions(seed=1))
    register(folder / "micro", folder / "series", folder / "registered")
    return folder


def test_each_stage_finds_at_least_what_the_one_before_finds(published):
    found = build("joint", "3-60", published / "series")()
    fallen = found["fallen"]
    assert 0 <= fallen["alone"] <= fallen["narrowed"] <= fallen["whole"] <= found["people"] == 10
    assert fallen["whole"] > 0
    assert found["contradictions"] == found["handed"]["open"] == found["withheld"]["open"] == 0
    counts = ("certain", "eliminated", "feasible")
    assert [found["handed"][name] for name in counts] == [found["withheld"][name] for name in counts]
    shorter = build("joint", "1-60", published / "series")()
    assert shorter["versions"] < found["versions"]


def test_different_answers_are_noticed(published):
    (evidence,) = build_evidence(open_series(published / "series"))
    whole = Whole.of(evidence, 60.0)
    assert whole.contradictions(whole) == 0
    less = copy(whole.decision)
    less._propagation = copy(less._propagation)
    less._propagation.alive = less.alive.copy()
    less.alive[np.flatnonzero(less.alive)[0]] = False
    assert whole.contradictions(replace(whole, decision=less)) == 1


def test_the_crowd_is_what_enumeration_says(published):
    tiny = read(published / "series")
    with (published / "registered" / "register.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    where = [
        Registered(each["individual"], int(each["release"]) - 1, (each["Age"], each["Education"])) for each in lines
    ]
    tiny = replace(tiny, register=where)
    everything = worlds(tiny, "register")
    wanted = {
        who: sorted(everything.possible(who, tiny.presence(who, "register")[0])) for who in tiny.people("register")
    }
    assert build("crowd", "joint", published / "registered")()["possible"] == wanted
    assert len({tuple(values) for values in wanted.values()}) > 2


def test_anonypyx_says_the_same(published):
    pytest.importorskip("anonypyx")
    ours, theirs = (build("crowd", tool, published / "registered")()["possible"] for tool in ("joint", "anonypyx"))
    assert ours == theirs
