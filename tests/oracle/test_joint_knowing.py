"""What `joint` tells of single versions, possible and open, beside the enumeration of all worlds."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.joint import deciding, settling
from attacks.joint.answers import Answers
from audit.adversary.build_evidence import build_evidence
from audit.io.series import open_series
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.running import written
from tests.helpers.tiny import read
from tests.oracle.asking import forced
from tests.oracle.larger import drawn_at_random
from tests.oracle.per_person import known_values
from tests.oracle.worlds import worlds

EXAMPLES = Path(__file__).parent.parent / "examples"
ADVERSARIES = ["linked", "register"]
FEW = settings(max_examples=some(6))


def told(series, adversary, budget):
    """Possible and open values of every version that is not known beforehand, with those that enumeration has."""
    every = worlds(series, adversary)
    with written(series) as folder:
        opened = open_series(folder)
        (evidence,) = build_evidence(opened, adversary)
        decision = deciding.decide(evidence, budget).last
        knowing = Answers(decision, evidence)
        for person in series.people(adversary):
            code = opened.people.find(person)
            for release in range(len(series.releases)):
                answers = knowing.possible(code, release), knowing.open(code, release)
                assert all(list(answer) == sorted(set(answer)) for answer in answers)
                left, undecided = ({evidence.values[value] for value in answer} for answer in answers)
                if release not in series.presence(person, adversary):
                    assert (left, undecided) == (set(), set())
                elif person not in known_values(series, release, adversary):
                    yield left, undecided, every.possible(person, release)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(data=st.data())
def test_what_is_told_is_what_some_world_has(adversary, kind, data):
    series = data.draw(crowds(adversary, kind))
    for left, undecided, wanted in told(series, adversary, Budget()):
        assert (left, undecided) == (wanted, set())


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(data=st.data())
def test_what_is_not_found_out_is_open(adversary, kind, data):
    series = data.draw(crowds(adversary, kind))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "STEPS", 0)
        for left, undecided, wanted in told(series, adversary, Budget(0.0)):
            # What is shown is possible, what is ruled out is not, and one value that is left is no question.
            assert left - undecided <= wanted <= left
            assert undecided <= left
            assert undecided == set() or len(left) > 1


def test_without_time_something_is_open():
    series = read(EXAMPLES / "joint-breaks-2-distinct")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "STEPS", 0)
        answers = list(told(series, "linked", Budget(0.0)))
    assert any(undecided for _, undecided, _ in answers)
    assert all(left - undecided <= wanted <= left for left, undecided, wanted in answers)


@pytest.mark.parametrize("way", ["counted", "walked"])
def test_worlds_give_each_group_what_it_published(way):
    series = drawn_at_random(5, people=60, releases=2, values=6, size=6, distinct=False, table="constant")
    with written(series) as folder, pytest.MonkeyPatch.context() as patch:
        forced(patch, way)
        opened = open_series(folder)
        (evidence,) = build_evidence(opened, "linked")
        decision = deciding.decide(evidence, Budget()).last
        versions, kind = decision.network.versions, decision.network.kind
        seen = set()
        for number in range(len(decision.worlds) + 1):
            world = decision.worlds.at(number)
            for release, rows in enumerate(series.releases):
                there = versions.release == release
                codes = kind[world[versions.variable[there]]].tolist()
                has = {
                    opened.people.name(who): evidence.values[code]
                    for who, code in zip(versions.person[there].tolist(), codes, strict=True)
                }
                published = Counter((row.group, row.value) for row in rows)
                taken = Counter((row.group, has[row.individual]) for row in rows if row.individual is not None)
                assert taken <= published
                seen |= {(row.individual, has[row.individual]) for row in rows if row.individual is not None}
    assert len(seen) > 60  # some have several values
