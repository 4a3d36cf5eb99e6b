"""Changing values: random histories of people, and the definitions of m-Distinct by sets and loops."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from audit.model.anonymizer import COUNTERFEIT, Draft, PublicationHistory, PublishedRelease, Scale, Snapshot
from audit.model.evidence import UpdateSets
from tests.helpers.microdata import write_microdata

Row = tuple[int, int, tuple[int, ...]]
PLACES = 6
"""Each quasi-identifier has so many values."""


# -- update sets --------------------------------------------------------------------------------------------------


def sets_of(pairs: str, values: int) -> UpdateSets:
    """Update sets from pairs such as "01 12" besides each value itself; they need not be closed."""
    may = np.eye(values, dtype=np.bool_)
    for first, last in pairs.split():
        may[int(first), int(last)] = True
    return UpdateSets(may)


def random_sets(rng: np.random.Generator, values: int) -> UpdateSets:
    """Closed update sets: none changes, blocks within which all may change, or chains and trees of any kind."""
    style = rng.random()
    if style < 0.1:
        return UpdateSets.unchanging(values)
    if style < 0.4:
        block = rng.integers(0, 4, values)
        return UpdateSets(block[:, np.newaxis] == block)
    return UpdateSets(rng.random((values, values)) < rng.uniform(0.03, 0.25)).closed()


# -- histories ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class History:
    """Snapshots of people who come, go, return and change.

    Attributes:
        updates: what may become of each value.
        attributes: how many quasi-identifiers there are.
        rows: (person, value, place in each quasi-identifier), snapshot by snapshot.
    """

    updates: UpdateSets
    attributes: int
    rows: tuple[tuple[Row, ...], ...]

    def snapshots(self) -> list[Snapshot]:
        """What an anonymizer is given."""
        return [snapshot(rows, self.updates, attributes=self.attributes) for rows in self.rows]

    def write(self, folder: Path, upto: int | None = None) -> Path:
        """Microdata of the first snapshots, or of all."""
        names = [f"Q{column}" for column in range(self.attributes)]
        told = {
            str(number): [(f"p{person}", *point, f"v{value}") for person, value, point in rows]
            for number, rows in enumerate(self.rows[:upto], 1)
        }
        domains = "\n".join(f"{name} = [0, {PLACES - 1}]" for name in names)
        head = ("Name", *names, "Value")
        write_microdata(folder, told, head=head, domains=domains, more='\n[updates]\ntransitions = "updates.csv"\n')
        pairs = [f"v{first},v{last}" for first, last in np.argwhere(self.updates.may).tolist()]
        (folder / "updates.csv").write_text("\n".join(["from,to", *pairs]) + "\n", encoding="utf-8")
        return folder


def snapshot(rows: Sequence[Row], updates: UpdateSets | None, values: int = 0, attributes: int = 1) -> Snapshot:
    """A snapshot; where values never change, how many there are has to be told."""
    return Snapshot(
        "1",
        np.array([person for person, *_ in rows], dtype=np.int32),
        np.array([value for _, value, _ in rows], dtype=np.int32),
        np.array([point for *_, point in rows], dtype=np.int32).reshape(len(rows), attributes),
        tuple(Scale(f"Q{column}", np.linspace(0, 1, PLACES)) for column in range(attributes)),
        [f"v{code}" for code in range(len(updates) if updates is not None else values)],
        updates,
    )


def random_history(seed: int, people: int = 20) -> History:
    """A few snapshots of some people; values are skewed in half of the histories."""
    rng = np.random.default_rng(seed)
    values, attributes = int(rng.integers(3, 8)), int(rng.integers(0, 3))
    updates = random_sets(rng, values)
    people = int(rng.integers(4, people, endpoint=True))
    value = rng.integers(0, values, people)
    value[rng.random(people) < rng.choice([0, 0.5])] = 0
    snapshots = []
    for _ in range(rng.integers(2, 6)):
        present = np.flatnonzero(rng.random(people) < rng.uniform(0.2, 1))
        for person in np.flatnonzero(rng.random(people) < 0.4).tolist():  # the absent may change as well
            value[person] = rng.choice(np.flatnonzero(updates.may[value[person]]))
        point = rng.integers(0, PLACES, (people, attributes)).tolist()
        present = present if len(present) else np.arange(1)
        snapshots.append(tuple((person, int(value[person]), tuple(point[person])) for person in present.tolist()))
    return History(updates, attributes, tuple(snapshots))


# -- what was published -------------------------------------------------------------------------------------------

Groups = list[list[tuple[int | None, int]]]


def groups_of(seen: Snapshot, draft: Draft) -> Groups:
    """Each group as its (person or None, value) pairs."""
    groups: Groups = [[] for _ in range(int(draft.group.max(initial=-1)) + 1)]
    for row, group, value in zip(draft.row.tolist(), draft.group.tolist(), draft.value.tolist(), strict=True):
        groups[group].append((None if row == COUNTERFEIT else int(seen.person[row]), value))
    return groups


def past(groups: Groups) -> PublishedRelease:
    """Return groups of (person or None, value) pairs as a published release."""
    rows = [(number, person, value) for number, group in enumerate(groups) for person, value in group]
    group = np.array([number for number, *_ in rows], dtype=np.int32)
    person = np.array([-1 if person is None else person for _, person, _ in rows], dtype=np.int32)
    value = np.array([value for *_, value in rows], dtype=np.int32)
    return PublishedRelease("0", person, group, group, value, None, np.where(person < 0, -1, value).astype(np.int32))


def so_far(*releases: Groups) -> PublicationHistory:
    """What was published so far."""
    found = PublicationHistory()
    for groups in releases:
        found.add(past(groups))
    return found


# -- the definitions ----------------------------------------------------------------------------------------------


def is_legal(now: Sequence[int], before: Sequence[int], updates: UpdateSets) -> bool:
    """Definition 14: values that are a legal update instance of the signature of a group that had others before."""
    signature = [set(np.flatnonzero(updates.may[value]).tolist()) for value in before]
    return (
        len(set(now)) == len(signature)
        and all(any(value in each for each in signature) for value in now)
        and all(any(value in each for value in now) for each in signature)
    )


def is_apart(values: Sequence[int], updates: UpdateSets) -> bool:
    """Section IV-B: no two rows of a group can ever have the same value."""
    reached = [value for each in values for value in np.flatnonzero(updates.may[each]).tolist()]
    return len(reached) == len(set(reached))


def possible(versions: Sequence[Sequence[int]], updates: UpdateSets) -> list[set[int]]:
    """Section III-A: the values that are left of a person's groups when none without a way in or out is left."""
    left = [set(values) for values in versions]
    while True:
        before = [set(values) for values in left]
        for number in range(len(left)):
            if number:
                left[number] = {b for b in left[number] if any(updates.may[a, b] for a in left[number - 1])}
            if number + 1 < len(left):
                left[number] = {a for a in left[number] if any(updates.may[a, b] for b in left[number + 1])}
        if left == before:
            return left


def check_distinct(releases: Sequence[Groups], updates: UpdateSets, m: int, *, apart: bool) -> None:
    """Check releases by Definition 15, and with `apart` by Section IV-B, and prune every person's graph."""
    versions: dict[int, list[list[int]]] = {}
    for groups in releases:
        for group in groups:
            values = [value for _, value in group]
            assert len(values) == len(set(values)) >= m
            for person in {person for person, _ in group if person is not None}:
                before = versions.setdefault(person, [])
                assert not before or is_legal(values, before[-1], updates), (person, before, values)
                assert before or not apart or is_apart(values, updates), (person, values)
                before.append(values)
    for person, groups in versions.items():
        left = possible(groups, updates)
        assert [set(values) for values in groups] == left, person
        assert min(map(len, left)) >= m


def check_told(seen: Snapshot, draft: Draft) -> None:
    """Everybody is in one group, with the person's value; every group has somebody, within its bounds and no more."""
    groups, true = groups_of(seen, draft), dict(zip(seen.person.tolist(), seen.value.tolist(), strict=True))
    people = [(person, value) for group in groups for person, value in group if person is not None]
    assert sorted(people) == sorted(true.items())
    for number, group in enumerate(groups):
        assert any(person is not None for person, _ in group)
        point = seen.point[draft.row[(draft.group == number) & (draft.row != COUNTERFEIT)]]
        assert draft.cells.low[number].tolist() == point.min(axis=0).tolist()
        assert draft.cells.high[number].tolist() == point.max(axis=0).tolist()
