"""Attacks are handed evidence without a way to the truth, and a world to start from changes nothing."""

import types
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.joint.attack import JointAttack
from attacks.registry import all_attacks
from audit.adversary.held_series import HeldSeries
from audit.adversary.view import Key, View, build_evidence, handed
from audit.io.background_knowledge import Register
from audit.io.releases import IdentifierEncoder, KeyedRelease
from audit.io.series import Series, open_series
from audit.io.tables import Table
from audit.judgement.scoring import attacked
from audit.model.arrays import UNKNOWN
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.running import written
from tests.helpers.strategies import VALUES
from tests.helpers.tiny import Row, TinySeries
from tests.mutants.mutant import kills

ADVERSARIES = ["linked", "register"]
ALL = [*ADVERSARIES, "published", "pseudonym", "possible"]
REGISTERS = ["register", "possible"]
SECRET = (Series, Key, View, HeldSeries, KeyedRelease, IdentifierEncoder, Path, Register, Table)


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


class Outsider:
    """An attack of another package, which asks for what ours ask for."""

    asks_worlds = True


class Watching:
    """Keeps what an attack is handed."""

    def __init__(self, attack, given):
        self.attack, self.given = attack, given

    def __getattr__(self, name):
        return getattr(self.attack, name)

    def run(self, seen, budget):
        self.given.append(seen)
        return self.attack.run(seen, budget)


def number_rows(folder, tiny=None):
    """Publish a record id beside each row: of people the same in all releases, where a series is given."""
    for path in (folder / "releases").iterdir():
        head, *rows = path.read_text().splitlines()
        names = [None] * len(rows) if tiny is None else [row.individual for row in tiny.releases[int(path.stem) - 1]]
        ids = [name[1:] if name else str(100 + at) for at, name in enumerate(names)]
        numbered = [f"{row},r{each}" for row, each in zip(rows, ids, strict=True)]
        path.write_text("\n".join([f"{head},Record", *numbered]) + "\n")
    manifest = (folder / "series.toml").read_text()
    (folder / "series.toml").write_text(manifest.replace("[columns]", '[columns]\nrecord = "Record"', 1))


def leave_open_who_is_there(folder):
    """Let the register list people who may be in the data."""
    manifest = folder / "series.toml"
    manifest.write_text(manifest.read_text().replace("[adversary]", '[adversary]\npresence = "possible"', 1))


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
    tiny = data.draw(crowds("register" if adversary in REGISTERS else "linked", "constant"))
    tiny, given = named_apart(tiny), []
    tiny = replace(tiny, keyed=True, known=() if adversary == "possible" else tiny.known)
    with written(tiny) as folder:
        if adversary == "pseudonym":
            number_rows(folder)
        if adversary == "possible":
            leave_open_who_is_there(folder)
        (evidence,) = build_evidence(open_series(folder), adversary, records=adversary == "pseudonym")
        attacked(Watching(attack, given), evidence, evidence.key, Budget())
    people = {row.individual for rows in tiny.releases for row in rows if row.individual is not None}
    key = [each.person for each in evidence.held.keyed if each.person is not None]
    assert given
    for seen in given:
        for each in reached(seen):
            assert not isinstance(each, SECRET)
            assert not isinstance(each, str) or not (each in people or "secret-" in each)
            if not evidence.adversary.knows_groups and isinstance(each, np.ndarray):
                assert not any(np.shares_memory(each, person) for person in key)


def first_difference(one, other, seen=None):
    """What differs between all that can be reached from one thing and from another, step by step; None for nothing."""
    seen = {} if seen is None else seen
    left = [(one, other, "evidence")]
    while left:
        a, b, where = left.pop()
        if (id(a), id(b)) in seen:
            continue
        seen[id(a), id(b)] = a, b  # kept, so that no other thing takes its place
        if type(a) is not type(b):
            return where, a, b
        if isinstance(a, np.ndarray):
            if a.dtype != b.dtype or not np.array_equal(a, b):
                return where, a, b
            continue
        if isinstance(a, (str, bytes, int, float, type(None))):
            if a != b:
                return where, a, b
            continue
        parts = list(inside(a)), list(inside(b))
        if len(parts[0]) != len(parts[1]):
            return where, a, b
        left += [(x, y, f"{where} > {type(a).__name__}") for x, y in zip(*parts, strict=True)]
    return None


def exchanged(draw, tiny):
    """The same releases, whose rows of one class are each other's people's: true values go round in a class."""
    releases = []
    for rows in tiny.releases:
        people = {}
        for row in rows:
            people.setdefault(row.row_class, []).append(row.individual)
        after = {each: iter(draw(st.permutations(some))) for each, some in people.items()}
        releases.append([replace(row, individual=next(after[row.row_class])) for row in rows])
    return replace(tiny, releases=releases)


def exchanged_throughout(draw, tiny):
    """The same with record ids: people who are in the same classes throughout have each other's records."""
    people = {}
    for name in {row.individual for rows in tiny.releases for row in rows} - {None}:
        rows = [tiny.row(name, at) for at in range(len(tiny.releases))]
        people.setdefault((name[0], *(row and row.row_class for row in rows)), []).append(name)
    after = {None: None}
    for alike in people.values():
        after |= zip(sorted(alike), draw(st.permutations(sorted(alike))), strict=True)
    return replace(
        tiny, releases=[[replace(row, individual=after[row.individual]) for row in rows] for rows in tiny.releases]
    )


def make_strangers(folder):
    """Leave the rows of nobody out of the keys: they are then of people who are not named."""
    for path in (folder / "private").iterdir():
        lines = path.read_text().splitlines()
        path.write_text("\n".join(line for line in lines if not line.endswith(",")) + "\n")


@kills(
    "audit.io.releases.TextIndex.add", "np.argsort(hashes(texts.slice(known, upto - known)))", "np.arange(upto - known)"
)
@kills(
    "audit.adversary.held_series.PlacedPeople.of", "np.sort(row_class[keyed.person < 0])", "row_class[keyed.person < 0]"
)
@pytest.mark.parametrize("adversary", ALL)
@settings(max_examples=some(40))
@given(data=st.data())
def test_whose_row_of_a_class_is_whose_changes_nothing_that_an_attack_reaches(adversary, data):
    """An adversary who knows the class of a person knows no row of it: no two aligned columns may reveal the value."""
    tiny = data.draw(crowds("register" if adversary in REGISTERS else "linked", "constant"))
    changes = data.draw(st.none() | st.just(dict.fromkeys(product(VALUES, VALUES))))
    mixed = [data.draw(st.permutations(rows)) for rows in tiny.releases]
    numbered = adversary == "pseudonym" or data.draw(st.booleans())
    anatomy = not numbered and data.draw(st.booleans())
    tiny = replace(tiny, releases=mixed, transitions=changes, known=(), keyed=True, anatomy=anatomy)
    where = data.draw(st.sampled_from(["column", "files", "strangers"]))
    reached_by = []
    for each in (tiny, (exchanged_throughout if numbered else exchanged)(data.draw, tiny)):
        with written(each, key="column" if where == "column" else "files") as folder:
            if where == "strangers":
                make_strangers(folder)
            if numbered:
                number_rows(folder, tiny)
            if adversary == "possible":
                leave_open_who_is_there(folder)
            views = build_evidence(open_series(folder), adversary, records=numbered, follow=numbered)
            reached_by.append([handed(view, attack) for view in views for attack in (None, Outsider())])
    assert first_difference(*reached_by) is None


@kills(
    "audit.adversary.held_series.HeldSeries._records_of_strangers",
    "np.isin(kind[record], kind[foreign])",
    "foreign[record]",
)
@pytest.mark.parametrize("moves", [False, True])
def test_of_records_in_one_class_throughout_none_is_known_to_be_a_stranger_s(tmp_path, moves):
    """The first record is a person's, the second a stranger's, or the other way round."""
    found = []
    for at, (one, other) in enumerate([("Ann", None), (None, "Ann")]):
        second = [Row(one, "1", "flu"), Row(other, "2" if moves else "1", "gout"), Row("Bob", "2", "flu")]
        releases = [[Row(one, "1", "flu"), Row(other, "1", "gout"), Row("Bob", "2", "flu")], second]
        folder = TinySeries(releases).write(tmp_path / str(at), key="files")
        make_strangers(folder)
        number_rows(folder)
        (evidence,) = build_evidence(open_series(folder), "linked", records=True)
        found.append([evidence.records.rows(release).judged.tolist() for release in range(2)])
    same = [True, True, False]
    assert found == [[same, [False, True, False]], [same, [True, False, False]]] if moves else [[same, same]] * 2


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


@kills("audit.adversary.view.handed", "is_own(attack) and ", "")
def test_a_world_is_handed_to_own_attacks_alone_that_ask_for_worlds(tmp_path):
    TinySeries([[Row("Ann", "1", "flu"), Row("Bob", "1", "gout")]]).write(tmp_path)
    (evidence,) = build_evidence(open_series(tmp_path))
    assert [world.tolist() for world in handed(evidence, JointAttack()).world] == [[0, 1]]
    assert UNKNOWN not in handed(evidence, JointAttack()).world[0]
    assert handed(evidence).world == handed(evidence, all_attacks()[0]).world == ()
    assert handed(evidence, Outsider()).world == ()  # it could read the true values there


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
    assert [each.member is not None for each in rows] == [named] * len(rows)
