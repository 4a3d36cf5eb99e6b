"""Attacks are handed evidence without a way to the truth, and a world to start from changes nothing."""

import types
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.joint.attack import JointAttack
from attacks.registry import all_attacks
from audit.adversary.build_evidence import build_evidence
from audit.adversary.held_series import HeldSeries
from audit.adversary.view import Key, View, handed
from audit.io.encoding import IdentifierEncoder
from audit.io.releases import KeyedRelease
from audit.io.series import Series, open_series
from audit.judgement.scoring import attacked
from audit.model.arrays import UNKNOWN
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.running import written
from tests.helpers.tiny import Row, TinySeries

ADVERSARIES = ["linked", "register"]
ALL = [*ADVERSARIES, "published", "pseudonym"]
SECRET = (Series, Key, View, HeldSeries, KeyedRelease, IdentifierEncoder, Path)


def inside(thing):
    """What can be reached from a thing in one step: attributes, items, what closures and bound methods hold."""
    if isinstance(thing, (str, bytes, int, float, np.ndarray, type, types.ModuleType)):
        return
    if isinstance(thing, Mapping):
        yield from thing.items()
    elif isinstance(thing, (list, tuple, set, frozenset, deque)):
        yield from thing
    if isinstance(thing, types.MethodType):
        yield from (thing.__self__, thing.__func__)
    if isinstance(thing, types.FunctionType):
        yield from (cell.cell_contents for cell in thing.__closure__ or ())
        yield from (*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values())
    yield from (getattr(thing, name) for name in ("func", "args", "keywords") if type(thing).__name__ == "partial")
    for kind in type(thing).__mro__:
        yield from (getattr(thing, name) for name in getattr(kind, "__slots__", ()) if hasattr(thing, name))
    yield from getattr(thing, "__dict__", {}).values()


def reached(thing):
    """All that can be reached from a thing."""
    found, left = {}, [thing]
    while left:
        each = left.pop()
        if id(each) not in found:
            found[id(each)] = each
            left += inside(each)
    return found.values()


class Watching:
    """Keeps what an attack is handed."""

    def __init__(self, attack, given):
        self.attack, self.given = attack, given

    def __getattr__(self, name):
        return getattr(self.attack, name)

    def run(self, seen, budget):
        self.given.append(seen)
        return self.attack.run(seen, budget)


def number_rows(folder):
    """Publish a record id beside each row."""
    for path in (folder / "releases").iterdir():
        head, *rows = path.read_text().splitlines()
        path.write_text("\n".join([f"{head},Record", *(f"{row},r{at}" for at, row in enumerate(rows))]) + "\n")
    manifest = (folder / "series.toml").read_text()
    (folder / "series.toml").write_text(manifest.replace("[columns]", '[columns]\nrecord = "Record"', 1))


def named_apart(tiny):
    """Give people identifiers that no cell holds."""

    def renamed(each):
        real = each.individual is not None and not each.individual.startswith("~")
        return replace(each, individual=f"secret-{each.individual}") if real else each

    return replace(
        tiny,
        releases=[[renamed(row) for row in rows] for rows in tiny.releases],
        known=[renamed(each) for each in tiny.known],
        register=tiny.register and [renamed(each) for each in tiny.register],
    )


@pytest.mark.parametrize("attack", all_attacks(), ids=lambda attack: attack.name)
@pytest.mark.parametrize("adversary", ALL)
@settings(max_examples=some(4))
@given(data=st.data())
def test_no_attack_reaches_the_key(adversary, attack, data):
    """Nor the series, a path or the identifier of a person, by whatever it is handed."""
    tiny = data.draw(crowds("register" if adversary == "register" else "linked", "constant"))
    tiny, given = replace(named_apart(tiny), keyed=True), []
    with written(tiny) as folder:
        if adversary == "pseudonym":
            number_rows(folder)
        (evidence,) = build_evidence(open_series(folder), adversary, records=adversary == "pseudonym")
        attacked(Watching(attack, given), evidence, evidence.key, Budget())
    people = {row.individual for rows in tiny.releases for row in rows if row.individual is not None}
    key = [each.person for each in evidence.held.keyed if each.person is not None]
    assert given
    for seen in given:
        for each in reached(seen):
            assert not isinstance(each, SECRET)
            assert not isinstance(each, str) or each not in people
            if not evidence.adversary.knows_groups and isinstance(each, np.ndarray):
                assert not any(np.shares_memory(each, person) for person in key)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adversary", ADVERSARIES)
@settings(max_examples=some(15))
@given(data=st.data())
def test_a_world_to_start_from_changes_no_verdict(adversary, kind, data):
    tiny = data.draw(crowds(adversary, kind))
    with written(tiny) as folder:
        (evidence,) = build_evidence(open_series(folder), adversary)
    warm = handed(evidence, JointAttack())
    one, other = (JointAttack().run(each, Budget()) for each in (warm, replace(warm, world=())))
    assert (one.status, one.measures) == (other.status, other.measures)
    for name in ("person", "release", "value"):
        assert np.array_equal(getattr(one.claims, name), getattr(other.claims, name))


def test_a_world_is_handed_to_those_alone_who_ask_for_worlds(tmp_path):
    TinySeries([[Row("Ann", "1", "flu"), Row("Bob", "1", "gout")]]).write(tmp_path)
    (evidence,) = build_evidence(open_series(tmp_path))
    assert [world.tolist() for world in handed(evidence, JointAttack()).world] == [[0, 1]]
    assert UNKNOWN not in handed(evidence, JointAttack()).world[0]
    assert handed(evidence).world == handed(evidence, all_attacks()[0]).world == ()


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
