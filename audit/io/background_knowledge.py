"""Background knowledge: read what an adversary knows besides the releases: a register, transitions, known values.

These files are private: messages name the line of a problem, but do not quote it. Transitions are not about single
people, so their values may be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import compress
from pathlib import Path

import numpy as np
import pyarrow as pa

from audit.io import manifest as manifests
from audit.io.cells import ANYTHING, CellError, Kind
from audit.io.notations import SHORT_DAY, kind_of_single_days, skeleton
from audit.io.releases import Release, Vocabulary
from audit.io.rules.cell_meaning import Changing
from audit.io.series import Series
from audit.io.tables import Table, header, read_table, text_codes, whole_number
from audit.io.texts import column_of
from audit.io.toml import toml_key, toml_text
from audit.model.arrays import NOBODY, UNKNOWN, Codes, Flags, Places, combine, distinct, flagged
from audit.model.errors import InputError, Problem, Problems
from audit.model.evidence import Transitions, UpdateSets
from audit.runtime.phrases import parted, printable, say

MOST_VALUES = 4096
_LONGEST_NUMBER = 40
_PROBABILITY = "probability"
ATTRIBUTE = "attribute"
"""The column that names the sensitive attribute of a line, if the series has several."""
TRANSITION_COLUMNS = ("from", "to", _PROBABILITY, ATTRIBUTE)
"""The columns of transitions that are read."""


@dataclass(frozen=True)
class TransitionLines:
    """The lines of a file of transitions.

    Attributes:
        shown: the file's name.
        probability: the text of the probability of each pair of values, in the order of the file; an empty text if the
            file has none.
    """

    shown: str
    probability: Mapping[tuple[str, str], str]

    def numbered(self, vocabulary: Vocabulary) -> Transitions:
        """Return the transitions by codes of values, which are added to the vocabulary.

        Lines of a value without probabilities are equally likely.

        Raises:
            InputError: there are too many values.
        """
        source, target = (vocabulary.add(pair[end] for pair in self.probability) for end in (0, 1))
        size = len(vocabulary)
        check_size(self.shown, size)
        listed = np.bincount(source, minlength=size)
        exact = {}
        for a, b, text in zip(source.tolist(), target.tolist(), self.probability.values(), strict=True):
            probability = Fraction(text) if text else Fraction(1, int(listed[a]))
            if probability:
                exact[a, b] = probability
        weight = np.zeros((size, size))
        for (a, b), probability in exact.items():
            weight[a, b] = max(float(probability), np.finfo(np.float64).tiny)
        return Transitions(weight, exact, listed > 0)

    def respelled(self, spell: Callable[[str], str], problems: Problems) -> TransitionLines:
        """Return the lines with respelled values; note pairs that become equal, but have different probabilities."""
        lines: dict[tuple[str, str], str] = {}
        for (a, b), text in self.probability.items():
            if lines.setdefault((spell(a), spell(b)), text) != text:
                what = say("two lines have different probabilities, and their values differ only in spelling")
                problems.add(self.shown, what, say("keep one of the lines"))
        return replace(self, probability=lines)

    def table(self) -> pa.Table:
        """Return the lines as a table, sorted, so that their order reveals nothing."""
        pairs = sorted(self.probability)
        columns = {"from": [a for a, _ in pairs], "to": [b for _, b in pairs]}
        if any(self.probability.values()):
            columns[_PROBABILITY] = [self.probability[pair] for pair in pairs]
        return pa.table({name: column_of(texts) for name, texts in columns.items()})


def check_size(shown: str, size: int) -> None:
    """Refuse more values than transitions can have.

    Raises:
        InputError: there are too many values.
    """
    if size > MOST_VALUES:
        what = say(
            "there are {size} values, and at most {most} can have transitions",
            size=size,
            most=MOST_VALUES,
        )
        raise InputError([Problem(shown, what, say("merge values into broader ones"))])


def read_lines(
    folder: Path, name: str, problems: Problems, *, attribute: str | None = None, missing: Container[str] = ()
) -> TransitionLines | None:
    """Read a file of transitions.

    Args:
        folder: its folder.
        name: its name.
        problems: receives the problems: the file cannot be read, a cell is empty, a pair is on two lines, a probability
            is not a number from 0 to 1, or only some lines of a `from` have one.
        attribute: the sensitive attribute; lines about other attributes are left out.
        missing: the texts that mean an unknown value; if the empty text is one of them, cells may be empty.

    Returns:
        The lines; None if there is a problem.
    """
    before = len(problems.found)
    table = read_table(folder / name, name, ["from", "to"], problems, optional=(_PROBABILITY, ATTRIBUTE))
    if table is None:
        return None
    if ATTRIBUTE in table:
        table = table.without(table.where(ATTRIBUTE, lambda text: text not in ("", attribute)))
    for column in ("from", "to"):
        empty = table.where(column, lambda text: not text and text not in missing)
        table.note_first(empty, column, say("the cell is empty"), say("write a value, or drop the line"), problems)
    if len(problems.found) > before:
        return None
    lines: dict[tuple[str, str], str] = {}
    given = table.texts(_PROBABILITY) if _PROBABILITY in table else [""] * table.rows
    for row, (a, b, text) in enumerate(zip(table.texts("from"), table.texts("to"), given, strict=True)):
        if (a, b) in lines:
            problems.add(
                name, say("this pair of values is on two lines"), say("keep one of the lines"), line=table.line(row)
            )
        elif text and not _is_probability(text):
            what, remedy = say("the cell is not a probability"), say("write a number from 0 to 1")
            problems.add(name, what, remedy, line=table.line(row), column=_PROBABILITY)
        lines[a, b] = text
    if len(problems.found) == before:
        _note_unequal(lines, table, problems)
    return TransitionLines(name, lines) if len(problems.found) == before else None


def _is_probability(text: str) -> bool:
    try:
        return len(text) <= _LONGEST_NUMBER and "e" not in text.lower() and 0 <= Fraction(text) <= 1
    except (ValueError, ZeroDivisionError):
        return False


def _note_unequal(lines: Mapping[tuple[str, str], str], table: Table, problems: Problems) -> None:
    """Note the first line without a probability whose `from` has lines with one."""
    with_one = {a for (a, _), text in lines.items() if text}
    lacking = np.array([a in with_one and not text for (a, _), text in lines.items()], dtype=np.bool_)
    what = say("other lines with this `from` have a probability, this one has none")
    remedy = say("give a probability to all lines of a `from`, or to none")
    table.note_first(lacking, _PROBABILITY, what, remedy, problems)


_FIRST_YEAR, _YEAR = 1000, re.compile(r"[^0-9]*([1-9][0-9]{3})[^0-9]*")
_BESIDE_NAME = re.compile(r"(?<=\w)(?:\.[0-9]+|\s*[\[(][^\])]*[\])]|[*_¹²³]+)$")  # a second column, a unit, a note


@dataclass(frozen=True)
class Register:
    """The people of each release, with exact values of their quasi-identifiers.

    Attributes:
        shown: the file's name.
        person, point, first, last: the person, the point, and the first and the last release, counted from 0, of each
            line; shape (lines,), int32.
        points: the distinct combinations of exact values; shape (points, attributes), indices into `values`.
        values: the exact values of each quasi-identifier.
        table: the file, which knows the line of a row.
    """

    shown: str
    person: Codes
    point: Codes
    first: Codes
    last: Codes
    points: Codes
    values: tuple[Sequence[str], ...]
    table: Table

    @property
    def lacking(self) -> tuple[int, ...]:
        """The indices of the quasi-identifiers that the register lacks: every cell of these may be a person's."""
        return tuple(place for place, values in enumerate(self.values) if [*values] == [ANYTHING])

    def present(self, release: int) -> Places:
        """Return the indices of the lines whose people are in a release."""
        return np.flatnonzero((self.first <= release) & (release <= self.last))

    def places(self, lines: Places) -> tuple[Places, Codes]:
        """Return the distinct points of some lines, ascending, and the index of each line's point among them."""
        point = self.point[lines]
        used = flagged(point, len(self.points))
        place: Codes = np.cumsum(used, dtype=np.int32) - np.int32(1)
        return np.flatnonzero(used), place[point]


def read_register(series: Series) -> Register:
    """Read the register that the manifest names.

    Raises:
        InputError: it cannot be read, or is inconsistent.
    """
    name, problems = str(series.manifest.register), Problems()
    attributes = list(series.manifest.columns.quasi_identifiers)
    for attribute in filter(manifests.REGISTER_COLUMNS.__contains__, attributes):
        what = say("a register has a column of this name and another meaning")
        problems.add(manifests.NAME, what, say("rename the quasi-identifier, in the releases too"), column=attribute)
    problems.check()
    problems.called = series.manifest.register_columns
    ours = {theirs: each for each, theirs in problems.called.items()}
    found = problems.checked(header(series.manifest.folder / name, name, problems))
    for column in (each for each in ours if each not in found):
        problems.add(
            name, say("the column is not in the file"), say("correct its name under [register]"), line=1, column=column
        )
    names = {ours.get(each, each) for each in found}
    lacking = _lacking(attributes, names, name, problems)
    listed = [each for each in attributes if each not in lacking]
    always = series.manifest.possible and names.isdisjoint({"first", "last"})
    when = ["release"] if "release" in names else [] if always else ["first", "last"]
    table = series.side_table(name, ["individual", *listed, *when], problems)
    if table is None:
        raise InputError(problems.found)
    if table.rows == 0:
        problems.add(
            name, say("the register has no lines"), say("add the people, or leave it out of the manifest"), line=2
        )
    values, columns = list[Sequence[str]](), []
    for attribute in attributes:
        if attribute in lacking:
            table = table.with_constant(attribute, ANYTHING)
        codes, texts = text_codes(table.arrow(attribute))
        if attribute in listed:
            _check_exact(series, table, attribute, codes, texts, problems)
            if series.missing(attribute).issuperset(texts):  # a column without a value says no more than none
                codes, texts = np.zeros_like(codes), [ANYTHING]
        values.append(texts)
        columns.append((codes, len(texts)))
    first, last = _releases_of(series, table, problems)
    for attribute in {*listed}.intersection(series.columns.rules[Changing].columns):
        _check_one_release(table, attribute, first < np.minimum(last, len(series.tags) - 1), problems)
    person = series.people.encode(table.arrow("individual"))
    table.note_first(
        person == NOBODY, "individual", say("the line has no individual"), say("write the individual"), problems
    )
    problems.check()
    lines, point = distinct(*combine(columns, table.rows))
    points = np.stack([codes[lines] for codes, _ in columns], axis=1) if columns else np.zeros((1, 0), np.int32)
    register = Register(name, person, point, first, last, points.astype(np.int32), tuple(values), table)
    _check_once(series, register, problems)
    problems.check()
    return register


def _lacking(attributes: Sequence[str], names: Collection[str], shown: str, problems: Problems) -> list[str]:
    """Return the quasi-identifiers that a register lacks, whose cells cover every person; note misspelt names."""
    lacking = [each for each in attributes if each not in names]
    spelled = {skeleton(_BESIDE_NAME.sub("", each)): each for each in names if each not in attributes}
    for each in lacking:
        if (found := spelled.get(skeleton(_BESIDE_NAME.sub("", each)))) is not None:
            what = say('the column is spelled "{found}" here', found=found)
            remedy = say(
                "spell it as in the releases, or write {line} under [register]",
                line=f"{toml_key(each)} = {toml_text(found)}",
            )
            problems.add(shown, what, remedy, line=1, column=each)
    return lacking


def _check_exact(
    series: Series, table: Table, attribute: str, codes: Codes, texts: Sequence[str], problems: Problems
) -> None:
    """Note the first cell of a register's column that is not an exact value."""
    missing = series.missing(attribute)
    known = [text for text in texts if text not in missing]
    wrong = next((t for t in known if not t or _is_no_value(series, attribute, t)), None)
    if wrong is not None:
        row = int(np.flatnonzero(codes == texts.index(wrong))[0])
        what = say("the cell is empty") if not wrong else say("the cell is not an exact value of this column")
        remedy = _remedy_of_days(attribute, series.attributes[attribute].kind, known) or say(
            'write the exact value (a leaf, where there is a hierarchy), or declare [columns] types as "categorical"'
        )
        problems.add(table.shown, what, remedy, line=table.line(row), column=attribute)


def _remedy_of_days(attribute: str, kind: Kind, texts: Sequence[str]) -> str | None:
    """Return the lines of the manifest with which a register's column of days can be read; None of other columns."""
    of_days = kind_of_single_days(filter(None, texts))
    if of_days is None or kind is Kind.CATEGORICAL:
        return None
    short, lines = any(map(SHORT_DAY.fullmatch, texts)), list[str]()
    if not kind.is_date:
        lines.append(
            say(
                "the register has days here: write types = {{ {column} = {kind} }} under [columns] of {file}, so that "
                "the cells of the releases are read as days, months or years",
                column=toml_key(attribute),
                kind=toml_text(of_days.value),
                file=manifests.NAME,
            )
        )
    if short:
        lines.append(
            say(
                "these years have two digits: write, for example, years_from = 1926 under [register] of {file}, if "
                "they are the years from 1926 to 2025",
                file=manifests.NAME,
            )
        )
    return parted(lines) or None


def _check_one_release(table: Table, attribute: str, of_several: Flags, problems: Problems) -> None:
    """Note the first line of several releases, as no cell of a column that changes is that of all of them."""
    what = say("the line is about several releases, and this column changes with time ([columns] changing)")
    remedy = say("write a line for each release, with its tag in a column `release`, or leave the column out")
    table.note_first(of_several, attribute, what, remedy, problems)


def _is_no_value(series: Series, attribute: str, text: str) -> bool:
    hierarchy = series.attributes[attribute].hierarchy
    try:
        series.attributes[attribute].check_exact(text)
    except CellError:
        return True
    return hierarchy is not None and text not in hierarchy.levels[0]


def _releases_of(series: Series, table: Table, problems: Problems) -> tuple[Codes, Codes]:
    """Return the first and the last release, counted from 0, of each line of a register; all, if it names none.

    The last one comes before the first where a line is about years of which none is that of a release.
    """
    tags = (*series.tags, *series.manifest.to_come)
    if "release" not in table and "first" not in table:
        return np.zeros(table.rows, dtype=np.int32), np.full(table.rows, len(series.tags) - 1, dtype=np.int32)
    if "release" in table:
        codes, texts = text_codes(table.arrow("release"))
        places = {str(year): at for at, year in enumerate(years_of(tags))} | {tag: at for at, tag in enumerate(tags)}
        found = np.array([places.get(text, -1) for text in texts], dtype=np.int32)[codes]
        remedy = say(
            "write the tag of a release: its file's name without the endings, or its year if each tag has one; if the "
            "release is not published yet, save all lines, also those about earlier releases, as TAG.register.csv "
            "beside the candidate: `audit next` reads it in the place of the series' register"
        )
        table.note_first(found < 0, "release", say("there is no such release"), remedy, problems)
        return found, found
    ends, spans, years = [], [], years_of(tags)
    most = len(tags) + (not series.manifest.to_come)  # a register may cover the release that is published next
    for column in ("first", "last"):
        position, (codes, texts) = table.whole_numbers(column), text_codes(table.arrow(column))
        in_years = (position >= _FIRST_YEAR) & (len(years) > 0)
        named = {int(tag): at for at, tag in enumerate(tags, 1) if whole_number(tag) not in (-1, at)}
        fits = (position > 0) & (position <= most)
        what = say("the number is the position of one release, and the tag of another")
        remedy = say("list each person's releases by tag, in a column `release`, or rename the files")
        table.note_first(np.isin(position, [*named]) & fits, column, what, remedy, problems)
        number = np.where(fits, position, Vocabulary(tags).codes(texts)[codes] + 1)
        before = np.searchsorted(years, position + (column == "last"))  # so many releases are from earlier years
        number = np.where(in_years, before + (column == "first"), number)
        if column == "last" and "" in texts:  # the person is still there
            number[codes == texts.index("")] = len(tags) + 1
        remedy = say("write a position from 1 to {last}, the next release's, or the tag of an earlier one", last=most)
        wrong = (number < 1) & ~in_years
        table.note_first(wrong, column, say("there is no such release"), remedy, problems)
        ends.append(np.where(wrong, 0, number - 1).astype(np.int32))
        spans.append(np.where(in_years, position, 0))
    if not problems.found:
        between = (spans[0] > 0) & (spans[0] <= spans[1])  # years of which none is that of a release
        wrong = (ends[1] < ends[0]) & ~between
        table.note_first(wrong, "last", say("the last release comes before the first"), say("swap the two"), problems)
    return ends[0], ends[1]


def years_of(tags: Iterable[str]) -> list[int]:
    """Return the years that the tags of releases name as their only numbers, in order; empty if they name none.

    >>> years_of(["2021", "data_2023"]), years_of(["2023", "2021"]), years_of(["2021-03", "2022-03"])
    ([2021, 2023], [], [])
    """
    years = [int(found[1]) if (found := _YEAR.fullmatch(tag)) else 0 for tag in tags]
    return years if years == sorted({*years} - {0}) else []


def _check_once(series: Series, register: Register, problems: Problems) -> None:
    """Note the first person that the register lists twice in one release."""
    if np.bincount(register.person).max(initial=0) <= 1:
        return
    seen = np.full(series.people.size, -1, dtype=np.int64)
    for release, tag in enumerate(series.tags):
        lines = register.present(release)
        people = register.person[lines]
        seen[people] = lines
        twice = np.flatnonzero(seen[people] != lines)
        if len(twice):
            line, last = (register.table.line(int(x)) for x in (lines[twice[0]], seen[people[twice[0]]]))
            what = say(
                "this person is also in line {line}, and so listed twice in release {tag}", line=str(last), tag=tag
            )
            problems.add(register.shown, what, say("keep one line for each person and release"), line=line)
            return


def read_transitions(series: Series, sensitive: str, vocabulary: Vocabulary) -> Transitions:
    """Read the transitions of a sensitive attribute that the manifest names; their values are added to the vocabulary.

    Raises:
        InputError: there are too many values, or the file has a problem that `read_lines` notes.
    """
    if series.manifest.any_transitions:
        return any_transitions(series, sensitive, vocabulary)
    problems = Problems()
    name, missing = str(series.manifest.transitions), series.missing(sensitive)
    lines = problems.checked(read_lines(series.manifest.folder, name, problems, attribute=sensitive, missing=missing))
    lines = lines.respelled(partial(series.columns.rules.spelled, sensitive), problems)
    problems.check()
    return lines.numbered(vocabulary)


def any_transitions(series: Series, sensitive: str, vocabulary: Vocabulary) -> Transitions:
    """Return transitions by which every published value may follow every published value, equally likely.

    Raises:
        InputError: a release cannot be read.
    """
    problems = Problems()
    for files in series.manifest.releases:
        path, shown = (files.rows, files.shown) if files.values is None else (files.values, files.values_shown)
        table = series.adjustments(files.tag).read(path, shown, [sensitive], problems)
        vocabulary.add(() if table is None else table.distinct(sensitive))
    problems.check()
    return Transitions.anything(len(vocabulary))


def update_sets(series: Series, sensitive: str) -> UpdateSets | None:
    """Return the possible updates of a sensitive attribute's values; None if values never change.

    The transitions are read once, before the releases, so that their values have codes.

    Raises:
        InputError: the transitions cannot be read.
    """
    if sensitive not in series.updates:
        named = series.manifest.values_change
        transitions = read_transitions(series, sensitive, series.vocabularies[sensitive]) if named else None
        series.updates[sensitive] = None if transitions is None else transitions.sets
    return series.updates[sensitive]


@dataclass(frozen=True)
class Known:
    """Values that the adversary knows before the attack.

    Attributes:
        shown: the file's name.
        person, value, release: codes for each line; shape (lines,). `release` is -1 if the value holds in all releases.
        lines: the number of each line in the file.
    """

    shown: str
    person: Codes
    value: Codes
    release: Codes
    lines: list[int]

    def some(self, chosen: Flags) -> Known:
        """Return the chosen lines; `chosen` has shape (lines,), bool."""
        lines = [*compress(self.lines, chosen.tolist())]
        return Known(self.shown, self.person[chosen], self.value[chosen], self.release[chosen], lines)

    def fixed(self, position: int, people: int, *, constant: bool) -> Codes:
        """Return the known value of each person in a release, -1 if there is none; shape (people,), int32.

        Args:
            position: the release, counted from 0.
            people: the number of people.
            constant: whether values never change, so that every line is about every release.

        Raises:
            InputError: two lines give a person different values.
        """
        found = np.full(people, UNKNOWN, dtype=np.int32)
        holds = np.full(len(self.person), True) if constant else np.isin(self.release, (-1, position))
        found[self.person[holds]] = self.value[holds]
        wrong = np.flatnonzero(holds & (found[self.person] != self.value))
        if len(wrong):
            raise self._wrong(int(wrong[0]), say("another line gives this person another value"))
        return found

    def contradiction(self, person: int, what: str) -> InputError:
        """Return the error that a person's first line contradicts the releases; `what` says how."""
        return self._wrong(int(np.flatnonzero(self.person == person)[0]), what)

    def _wrong(self, place: int, what: str) -> InputError:
        return InputError([Problem(self.shown, what, say("correct the line or delete it"), self.lines[place])])


def read_known(series: Series, sensitive: str) -> Known:
    """Read the known values of a sensitive attribute that the manifest names, after the releases were read.

    Raises:
        InputError: the file cannot be read, names a release, a person, an attribute or a value that the series does not
            have, or has a line whose value several attributes have.
    """
    name, problems = str(series.manifest.known), Problems()
    table = problems.checked(series.side_table(name, ["individual", "value"], problems, ("release", ATTRIBUTE)))
    value, is_about = _known_values(series, table, sensitive, problems)
    tags = {tag: place for place, tag in enumerate(series.tags)} | {"": -1}
    given = table.texts("release") if "release" in table else [""] * table.rows
    person = series.people.codes(table.texts("individual"))
    release = np.array([tags.get(text, -2) for text in given], dtype=np.int32)
    known = Known(name, person, value, release, [table.line(row) for row in range(table.rows)])
    if series.manifest.to_come:
        # Lines about unpublished releases may have unknown tags, people and values.
        return known.some((person >= 0) & (value >= 0) & (release != -2) & is_about)
    remedy = say("write a value that the series publishes")
    table.note_first(release == -2, "release", say("there is no such release"), say("write a release's tag"), problems)
    table.note_first(person < 0, "individual", say("this person is in no release"), say("drop the line"), problems)
    table.note_first((value < 0) & is_about, "value", say("no release publishes this value"), remedy, problems)
    problems.check()
    return known.some(is_about)


def _known_values(series: Series, table: Table, sensitive: str, problems: Problems) -> tuple[Codes, Flags]:
    """Return the code of each line's value, -1 if unknown, and which lines are about the attribute `sensitive`.

    A line that names no attribute is about the one that has its value; note the first line whose value several have.
    """
    attributes = series.manifest.columns.sensitive
    given = np.array(table.texts(ATTRIBUTE) if ATTRIBUTE in table else [""] * table.rows)
    spelled = {name: series.columns.rules.respelled(table, {"value": name}).texts("value") for name in attributes}
    codes = {name: series.vocabularies[name].codes(texts) for name, texts in spelled.items()}
    owners = np.sum([each >= 0 for each in codes.values()], axis=0)
    wrong = ~np.isin(given, [*attributes, ""])
    listed = ", ".join(printable(name) for name in attributes)
    table.note_first(
        wrong,
        ATTRIBUTE,
        say("there is no such sensitive attribute"),
        say("write one of {listed}", listed=listed),
        problems,
    )
    what = say("several sensitive attributes have this value")
    remedy = say(
        "add a column `{attribute}` that says which one is meant ({listed})", attribute=ATTRIBUTE, listed=listed
    )
    table.note_first((given == "") & (owners > 1), "value", what, remedy, problems)
    # A line whose value no attribute has is noted for each attribute.
    return codes[sensitive], (given == sensitive) | ((given == "") & ((codes[sensitive] >= 0) | (owners == 0)))


def check_listed(series: Series, release: Release, sensitive: str, listed: Flags) -> None:
    """Refuse a release with a value for which the transitions list no possible updates.

    Args:
        series: the series, whose manifest names the transitions.
        release: one of its releases, published or not.
        sensitive: the sensitive attribute.
        listed: whether the transitions list each value, by code; shape (values,), bool. Larger codes are not listed.

    Raises:
        InputError: the release has such a value.
    """
    values = np.flatnonzero(np.bincount(release.entry_value[sensitive]))
    known = np.append(listed, False)
    unlisted = values[~known[np.minimum(values, len(listed))]]
    if len(unlisted):
        name = series.vocabularies[sensitive].names[unlisted[0]]
        what = say(
            'no line says which values may follow "{name}", which release {tag} publishes', name=name, tag=release.tag
        )
        remedy = say("add a line for each, one to the value itself if it may stay")
        raise InputError([Problem(str(series.manifest.transitions), what, remedy, column="from")])
