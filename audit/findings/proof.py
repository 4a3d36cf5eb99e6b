"""Proofs: why an assumption about people is impossible, as codes, as names and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic

from audit.findings.wording import ROWS, shown_value
from audit.model.finding import BY_CHECK, COSTS, MEMBER, MEMBERS, RELEASE, SPENT, VALUE, C, Place
from audit.model.json_types import UNWRITTEN, Counted, Omittable, WrittenAs
from audit.model.measures import PEOPLE
from audit.runtime.phrases import Noun, figure, joined, printable, say, say_count

_LINES = 12
_NAMES = 12
POINTS = Noun("{count} [point|points]")


@dataclass(frozen=True)
class RowPoints(Generic[C]):
    """The rows of a group of a release with a value.

    Attributes:
        release: the release.
        group: the group.
        value: the value.
        points: how many points each row costs.
        rows: how many rows there are.
    """

    release: Annotated[C, RELEASE]
    group: str
    value: Annotated[C, VALUE]
    points: Counted
    rows: Annotated[Counted, BY_CHECK] = 0


@dataclass(frozen=True)
class Spending(Generic[C]):
    """A person, and the least number of points that the person spends.

    Attributes:
        individual: the person; a pseudonym unless revealed.
        least: the least number of points, over all values.
        by_value: the points for each possible value, if values never change.
    """

    individual: Annotated[C, MEMBER, WrittenAs("person")]
    least: int
    by_value: Annotated[tuple[tuple[C, int], ...], COSTS, UNWRITTEN] = ()


@dataclass(frozen=True)
class Proof(Generic[C]):
    """Why an assumption about people is impossible, in steps that a reader can count.

    Rows of some groups have a price in points, and some people, whatever their values, spend more points than all of
    these rows cost together. Without such rows, the only person mentioned has no value left, or people's own groups
    suffice.

    Attributes:
        points: the rows that cost points; empty if a person has no value left.
        people: the people who spend them, including counterfeits with an identity; ascending codes.
        total: the points of all these rows.
        spent: the least that each person spends.
        nobody: the person without a possible value.
    """

    points: tuple[RowPoints[C], ...]
    people: Annotated[tuple[C, ...], MEMBERS, UNWRITTEN]
    total: Annotated[int, BY_CHECK] = 0
    spent: Annotated[tuple[Spending[C], ...], SPENT, BY_CHECK] = ()
    nobody: Annotated[Omittable[C], MEMBER, BY_CHECK] = None

    def places(self) -> Iterator[Place[C]]:
        """Yield the groups in the proof."""
        for row in self.points:
            yield row.release, row.group

    def releases(self) -> Iterator[C]:
        """Yield the releases in the proof."""
        yield from (row.release for row in self.points)


def in_short(proof: Proof[str], individual: str, value: str) -> list[str]:
    """Return why a person has a value, in at most twelve lines."""
    lines = list(_lines(proof, individual, value, full=False))
    if len(lines) <= _LINES:
        return lines
    more = say("and so on, {count} more lines: `audit explain` shows them all", count=len(lines) - _LINES + 1)
    return [*lines[: _LINES - 1], more]


def in_full(proof: Proof[str], individual: str, value: str) -> list[str]:
    """Return every step of a proof that a person has a value, with the points of all choices."""
    return list(_lines(proof, individual, value, full=True))


def _lines(proof: Proof[str], individual: str, value: str, *, full: bool) -> Iterator[str]:
    if proof.nobody is not None:
        yield say("No value is left for {who}, which is impossible.", who=printable(proof.nobody))
    if proof.points:
        yield from (_counted if _plain(proof) else _weighed)(proof, individual, value, full=full)
        if full:
            yield from _choices(proof.spent, individual, value)


def _plain(proof: Proof[str]) -> bool:
    """Return whether each person needs one of some rows, so that counting rows and people is a proof."""
    return all(row.points == 1 for row in proof.points) and all(each.least == 1 for each in proof.spent)


def _counted(proof: Proof[str], individual: str, value: str, *, full: bool) -> Iterator[str]:
    """Yield a proof that counts rows and people."""
    for row in proof.points:
        yield say("{rows} with {value}.", rows=_rows_there(row), value=shown_value(row.value))
    others = [each.individual for each in proof.spent if each.individual != individual]
    if others:
        who = listed(others, full=full)
        if len(_groups(proof.points)) == 1:
            yield say("{people} can have nothing else.", people=who)
        else:
            yield say("{people} must have one of these.", people=who)
    yield say(
        "Without {value}, {who} would need such a row, too: {people} for {rows}, which is impossible.",
        value=shown_value(value),
        who=printable(individual),
        people=PEOPLE.counted(len(proof.spent)),
        rows=ROWS.counted(proof.total),
    )


def _weighed(proof: Proof[str], individual: str, value: str, *, full: bool) -> Iterator[str]:
    """Yield a proof in which rows cost points."""
    yield say("Give these rows a price in points, {total} in all:", total=proof.total)
    for row in proof.points:
        about = {"rows": _rows_there(row), "value": shown_value(row.value), "points": POINTS.counted(row.points)}
        if row.rows == 1:
            yield f"  {say('{rows} with {value}, {points}', **about)}"
        else:
            yield f"  {say('{rows} with {value}, {points} each', **about)}"
    spent = sum(each.least for each in proof.spent)
    own = sum(each.least for each in proof.spent if each.individual == individual)
    others = [each for each in proof.spent if each.individual != individual]
    if others:
        yield say_count(
            "Whatever [the value, this person spends|their values, these {count} people spend] at least {points}: "
            "{who}.",
            len(others),
            points=POINTS.counted(spent - own),
            who=listed([f"{each.individual} ({figure(each.least)})" for each in others], full=full),
        )
    yield say(
        "Without {value}, {who} would spend at least {points} more: {spent} of {total}, which is impossible.",
        value=shown_value(value),
        who=printable(individual),
        points=POINTS.counted(own),
        spent=spent,
        total=proof.total,
    )


def _choices(spent: Sequence[Spending[str]], individual: str, value: str) -> Iterator[str]:
    """Yield the points of the values that people's own groups leave possible."""
    for each in spent:
        if each.by_value:
            who = printable(each.individual, 200)
            values = listed([f"{name} ({POINTS.counted(cost)})" for name, cost in each.by_value])
            if each.individual == individual:
                without = shown_value(value)
                yield f"  {say('{who}, without {value}, may have {values}', who=who, value=without, values=values)}"
            else:
                yield f"  {say('{who} may have {values}', who=who, values=values)}"


def _rows_there(row: RowPoints[str]) -> str:
    """Return the number of rows of a group."""
    return say(
        "release {release}, group {group}: {rows}",
        release=printable(row.release),
        group=printable(row.group),
        rows=ROWS.counted(row.rows),
    )


def _groups(points: Sequence[RowPoints[str]]) -> set[tuple[str, str]]:
    return {(row.release, row.group) for row in points}


def either(values: Sequence[str]) -> str:
    """Return a text for values one of which a person has.

    >>> either(["flu"]), either(["cold", "flu", "gout"])
    ('flu', 'cold, flu or gout')
    """
    texts = [shown_value(value).strip() for value in values]
    if not texts:
        return say("nothing: the assumptions do not hold")
    if len(texts) == 1:
        return texts[0]
    return say("{items} or {last}", items=", ".join(texts[:-1]), last=texts[-1])


def listed(texts: Sequence[str], *, full: bool = True) -> str:
    """Return a text that lists texts, all in full, otherwise the first twelve.

    >>> listed(["a", "b", "c"], full=False)
    'a, b and c'
    """
    return joined([printable(text).strip() for text in texts], most=len(texts) if full else _NAMES)
