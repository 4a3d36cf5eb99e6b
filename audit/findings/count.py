"""Counts that published tables disclose: the bounds of each, the sums that show them, and both in words."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Annotated, ClassVar, Literal

from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import (
    CaseTerm,
    CellChange,
    CellRate,
    CertifiedBound,
    CountStep,
    CountSum,
    PublishedTerm,
    TablesFacts,
)
from audit.model.finding import Finding, GroupLines, Place
from audit.model.json_types import OMITTED, UNWRITTEN, CountVerdict, Omittable, WrittenAs
from audit.model.report import CountSize
from audit.runtime.phrases import Noun, Phrase, figure, printable, quoted, say, say_count

_TERMS = 8
"""The most terms of a sum that are shown one by one."""
REST = "(rest)"
"""The label of the atoms that no label of a dimension covers."""


@dataclass(frozen=True)
class PictureCell:
    """A cell of a picture: what was published, what is known about it, and whether the sum uses it."""

    shown: str
    known: str | None
    in_sum: bool


@dataclass(frozen=True)
class CountPicture:
    """A part of a published table, around a finding.

    Attributes:
        fixed: the labels of all dimensions except those of its rows and columns.
        rows, columns: the names of the dimensions of its rows and columns; `columns` is None if there is only one.
        row_labels, column_labels: their labels.
        cells: one list for each row; None for a cell that was not published.
    """

    fixed: Mapping[str, str]
    rows: str
    columns: str | None
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    cells: tuple[tuple[PictureCell | None, ...], ...]


@dataclass(frozen=True, kw_only=True)
class CountFinding(Finding[str]):
    """A count that the tables disclose.

    Attributes:
        kind: which sort of finding.
        id: the same in every audit of the same series.
        release: the release that publishes the cell, or from which it is derived.
        since: the earlier release, if the finding is about an increase.
        measure: the statistic, if there are several.
        cell: its label by dimension.
        shown: the published text of the cell; absent if the cell was not published.
        lower: its count is at least this.
        upper: its count is at most this; null if the finding is that all people are of one kind and there is no such
            limit.
        inexact: false if it is not known that both bounds are attained.
        certificate: what shows the bounds.
        rests_on: guessed keys of the manifest without which it is not found; absent if there are none.
        dimension: the dimension in which all people are of the kind that the cell names; absent in a finding about a
            count.
        facts: the tables.
        picture: the part of a table around the cell, if there is one.
    """

    kind: ClassVar[CountVerdict]
    title: ClassVar[Phrase]
    meaning: ClassVar[Phrase]
    found: ClassVar[Noun]
    id: str = ""
    located: Annotated[tuple[GroupLines, ...], UNWRITTEN] = ()
    release: str
    since: Omittable[str]
    measure: Omittable[str]
    cell: Mapping[str, str]
    shown: Annotated[str | None, OMITTED, WrittenAs("published")]
    lower: int
    upper: int | None
    inexact: Annotated[Literal[False] | None, OMITTED, WrittenAs("exact")]
    certificate: tuple[CertifiedBound, ...]
    rests_on: Annotated[tuple[str, ...], OMITTED] = ()
    dimension: Omittable[str] = None
    facts: Annotated[TablesFacts, UNWRITTEN]
    picture: Annotated[CountPicture | None, UNWRITTEN] = None

    @property
    def exact(self) -> bool:
        """Whether both bounds are known to be attained."""
        return self.inexact is None

    @property
    def terms(self) -> Iterator[PublishedTerm]:
        """The published numbers in its sums."""
        return (term for bound in self.certificate for term in _terms(bound.step))

    @property
    def gravity(self) -> str:
        """How grave it is in lists: its kind."""
        return self.kind

    @property
    def column(self) -> str:
        """The labels of the cell by dimension."""
        return ", ".join(f"{name}={label}" for name, label in self.cell.items())

    @property
    def value(self) -> str | None:
        """The published text of the cell."""
        return self.shown

    @property
    def extent(self) -> int:
        """The upper bound, or the lower one if there is none."""
        return self.lower if self.upper is None else self.upper

    @property
    def size(self) -> CountSize:
        """How precisely the count is known."""
        return CountSize(self.kind, self.lower, UNBOUNDED if self.upper is None else self.upper)

    def places(self) -> Iterator[Place[str]]:
        """Yield no group: counts have no groups."""
        yield from ()

    def lines(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the file and line of each number in its sums, each once."""
        known = ((each.file, each.line) for each in self.terms)
        yield from ((file, (line,)) for file, line in dict.fromkeys(known) if file is not None and line is not None)

    def sentence(self, *, by_version: bool = True) -> str:
        """Return a sentence about the finding, without a full stop."""
        return say("{kind}: {finding}", kind=self.title, finding=self.what())

    def what(self) -> str:
        """Return which count is known, and its bounds."""
        if self.dimension is not None:
            return self._of_one_kind(self.dimension)
        where = cell_name(self.cell, self.facts)
        if self.measure is not None:
            where = f"{printable(self.measure)}, {where}"
        about = {"where": where, "count": amount(self.lower, self.upper), "release": printable(self.release)}
        if self.since is not None:
            since = printable(self.since)
            said = say("{where}, increase from release {since} to {release}: {count}", **about, since=since)
        else:
            said = say("{where}, release {release}: {count}", **about)
        if self.shown is not None:
            said = say("{finding} (published as {shown})", finding=said, shown=printable(self.shown))
        if not self.exact:
            said = say("{finding}; perhaps fewer values are possible", finding=said)
        if self.rests_on:
            said = say("{finding}; this depends on a guess: {keys}", finding=said, keys=", ".join(self.rests_on))
        return said

    def _of_one_kind(self, dimension: str) -> str:
        cell = {name: label for name, label in self.cell.items() if name != dimension}
        return say(
            "{where}, release {release}: everybody counted ({count}) has {dimension} {label}",
            where=", ".join(filter(None, [printable(self.measure or ""), cell_name(cell, self.facts)])),
            release=printable(self.release)
            if self.since is None
            else say("{release} since {since}", release=printable(self.release), since=printable(self.since)),
            count=amount(self.lower, self.upper),
            dimension=printable(dimension),
            label=label_name(self.cell[dimension], self.facts),
        )

    def steps(self) -> Iterator[str]:
        """Yield the certificate, a line for each bound, or one for both."""
        terms = self._equation()
        if terms is None:
            for bound in self.certificate:
                yield from bound_lines(bound, self.facts)
        else:
            yield self._in_words(terms) or f"{_added(self.certificate[0].step, self.facts)} = {figure(self.lower)}"

    def _equation(self) -> list[PublishedTerm] | None:
        """Return the numbers of both bounds as one equation, if they are equal and the count is exact; else None."""
        steps = [bound.step for bound in self.certificate if isinstance(bound.step, CountSum)]
        if self.dimension is not None or len(steps) != 2 or len(self.certificate) != 2:
            return None
        one, other = ([term for term in step.terms if term.end] for step in steps)
        terms = [term for term in one if isinstance(term, PublishedTerm) and term.exact]
        return terms if set(map(str, one)) == set(map(str, other)) and len(terms) == len(one) else None

    def _in_words(self, terms: list[PublishedTerm]) -> str | None:
        """Return a difference of two published numbers in words; None for other sums."""
        weights = {each.weight: each for each in terms}
        if len(terms) != 2 or set(weights) != {"1", "-1"} or weights["1"].release == weights["-1"].release:
            return None
        more, less = weights["1"], weights["-1"]
        about = {
            "more": more.end,
            "one": printable(more.release),
            "less": less.end,
            "other": printable(less.release),
        }
        if self.facts.over_time == "same" and REST in self.cell.values():
            return say_count(
                "{more} in release {one}, {less} in release {other}, both count the same people or cases: {count} "
                "[was|were] left out",
                self.lower,
                **about,
            )
        if self.facts.over_time == "same":
            return say(
                "{more} in release {one}, {less} in release {other}, both count the same people or cases: the "
                "difference is {count}",
                count=self.lower,
                **about,
            )
        if self.facts.over_time != "cumulative":
            return None
        return say(
            "{more} in release {one}, {less} in release {other}, and none leave: {count} came in between",
            count=self.lower,
            **about,
        )


class RecoveredCount(CountFinding):
    """A small or hidden count that is known exactly."""

    kind: ClassVar[Literal["recovered"]] = "recovered"
    title = Phrase("recovered")
    meaning = Phrase("The count is known exactly, though the tables hide or round it, or never show it.")
    found = Noun("{count} [count is|counts are] known exactly (recovered)")


class NarrowedCount(CountFinding):
    """A hidden count with too few possible values."""

    kind: ClassVar[Literal["narrowed"]] = "narrowed"
    title = Phrase("narrowed")
    meaning = Phrase("The count is hidden, but fewer values are possible for it than the policy requires.")
    found = Noun("{count} hidden [count has|counts have] too few possible values left (narrowed)")


class SmallCount(CountFinding):
    """A count that is certainly small."""

    kind: ClassVar[Literal["small"]] = "small"
    title = Phrase("small")
    meaning = Phrase("The count is certainly small, even if its exact value is not known.")
    found = Noun("{count} [count is|counts are] certainly below the least count (small)")


class PeopleOfOneKind(CountFinding):
    """A cell whose people are all of one kind."""

    kind: ClassVar[Literal["all"]] = "all"
    title = Phrase("all of one kind")
    meaning = Phrase("All people counted in a cell are in the same category.")
    found = Noun("in {count} [cell|cells] everyone is in the same category (all of one kind)")


COUNT_KINDS: Mapping[str, type[CountFinding]] = {
    each.kind: each for each in (RecoveredCount, NarrowedCount, SmallCount, PeopleOfOneKind)
}
"""The kinds of findings about counts, by name."""


def _terms(step: CountStep) -> Iterator[PublishedTerm]:
    if isinstance(step, CountSum):
        yield from (term for term in step.terms if isinstance(term, PublishedTerm))
    else:
        for case in step.cases:
            yield from _terms(case.step)


def count_id(
    over_time: str | None,
    measure: str | None,
    release: str,
    since: str | None,
    cell: Mapping[str, str],
    dimension: str | None,
) -> str:
    """Return the id of a finding, which depends only on the cell and, if counts change, on its release."""
    said: list[object] = [measure, None if over_time == "same" else release, since, cell]
    text = json.dumps(said if dimension is None else [*said, dimension], ensure_ascii=False, sort_keys=True)
    return f"differencing-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def cell_name(cell: Mapping[str, str], facts: TablesFacts) -> str:
    """Return the labels of a cell, except those of totals."""
    labels = {name: label for name, label in cell.items() if facts.totals.get(name) != label}
    named = (f"{printable(name)} {label_name(label, facts)}" for name, label in labels.items())
    return ", ".join(named) or say("everybody")


def label_name(label: str, facts: TablesFacts) -> str:
    """Return the name of a label; if it is made of published labels, in the words of the language in use."""
    if label in facts.labels:
        return printable(label)
    if label == REST:
        return say("(rest)")
    whole, *parts = label.split(" less ")
    both = [whole] if whole in facts.labels else whole.split(" with ")
    if not parts and len(both) == 1:
        return printable(label)
    one, *others = (quoted(printable(each)) for each in both)
    name = reduce(lambda some, more: say("{one} with {other}", one=some, other=more), others, one)
    return reduce(lambda some, less: say("{one} less {other}", one=some, other=quoted(printable(less))), parts, name)


def amount(lower: int, upper: int | None) -> str:
    """Return a count, or its bounds, as text."""
    if upper is None:
        return say("{low} or more", low=lower)
    return say("exactly {count}", count=lower) if lower == upper else say("{low} to {high}", low=lower, high=upper)


def bound_lines(bound: CertifiedBound, facts: TablesFacts) -> Iterator[str]:
    """Yield the proof of a bound, a line for each sum; the consequences of a case are indented."""
    upper = bound.bound == "upper"
    claim = say("at most {count}", count=bound.rounded) if upper else say("at least {count}", count=bound.rounded)
    if bound.cell is not None:
        claim = say("{claim} of {where}", claim=claim, where=cell_name(bound.cell, facts))
    yield from _lines(bound.step, claim, facts, "")


def _lines(step: CountStep, claim: str, facts: TablesFacts, indent: str) -> Iterator[str]:
    if isinstance(step, CountSum):
        value = Fraction(step.value)
        name = say("impossible") if step.impossible else claim
        exact = "" if value.denominator == 1 else f" = {value}"
        yield f"{indent}{say('{name}: {text}', name=name, text=f'{_added(step, facts)}{exact}')}"
        return
    where = cell_name(step.cases[0].cell, facts)
    yield f"{indent}{say('{claim}, by cases of {where}:', claim=claim, where=where)}"
    for case in step.cases:
        if case.at_most is not None:
            yield f"{indent}  {say('if at most {count}:', count=case.at_most)}"
        else:
            yield f"{indent}  {say('if at least {count}:', count=case.at_least or 0)}"
        yield from _lines(case.step, claim, facts, f"{indent}    ")


def _added(step: CountStep, facts: TablesFacts) -> str:
    """Return a sum in words, without terms of 0; of many terms, the first and what the others add up to."""
    terms = [each for each in (step.terms if isinstance(step, CountSum) else ()) if each.end]
    terms.sort(key=lambda each: Fraction(each.weight) < 0)
    many = len(terms) - _TERMS
    summands = [(Fraction(each.weight), _term(each, facts)) for each in (terms if many < 2 else terms[:_TERMS])]
    if many > 1:
        total = sum((Fraction(each.weight) * each.end for each in terms[_TERMS:]), Fraction(0))
        shown = figure(int(abs(total))) if total.denominator == 1 else str(abs(total))
        more = say("{total} ({count} further cells, all in the JSON report)", total=shown, count=many)
        summands.append((Fraction(-1 if total < 0 else 1), more))
    added = ""
    for place, (weight, text) in enumerate(summands):
        sign = ("" if weight > 0 else "-") if place == 0 else (" + " if weight > 0 else " - ")
        times = "" if abs(weight) == 1 else f"{abs(weight)} x "
        added += f"{sign}{times}{text}"
    return added or "0"


def _term(term: PublishedTerm | CaseTerm, facts: TablesFacts) -> str:
    if isinstance(term, CaseTerm):
        return say("{count} (as assumed in case {case})", count=term.end, case=str(term.case + 1))
    if term.shown is None:
        return say("0 (a row left out)")
    where = cell_name(term.cell, facts)
    if len(facts.releases) > 1:
        where = say("{where} in {release}", where=where, release=printable(term.release))
    for each in term.rates:
        where = f"{where}; {_rate(each) if isinstance(each, CellRate) else _change(each)}"
    if term.exact and not term.rates and re.sub(r"\D", "", term.shown) in ("", str(term.end)):
        return f"{figure(term.end)} ({where})"
    return say("{count} ({where}, published {shown})", count=term.end, where=where, shown=printable(term.shown))


def _change(change: CellChange) -> str:
    """Return a published change between two releases, with what the other release shows."""
    if change.release is None:
        return f"{printable(change.column)} {printable(change.change)}"
    return say(
        "{column} {change}, {shown} in {release}",
        column=printable(change.column),
        change=printable(change.change),
        shown=printable(change.shown),
        release=printable(change.release),
    )


def _rate(rate: CellRate) -> str:
    """Return what a published rate says of a hidden count."""
    low, high = rate.denominator
    return say(
        "{column} {rate}, per {per} of {base}, gives {amount}",
        rate=printable(rate.rate),
        column=printable(rate.column),
        per=figure(rate.per),
        base=figure(low) if low == high else amount(low, high),
        amount=amount(rate.least, rate.most),
    )
