"""The meaning of columns, guessed from their names and cells, with a reason for each guess.

Where a guess can err, it errs towards the worst case: a column of ids that come back in later releases is taken
for the auditor's key, with which the adversary knows the group of each person.

Files may differ: in the names of columns, or as a register has days; one may have the rows of several releases, or no
header.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from audit.init.columns import Column, partition, read_columns, steadiness, total_rows, without_rows
from audit.init.found_files import NAMES_RELEASES, QUASI, FoundFiles
from audit.io import naming
from audit.io.cell_reading import MARKERS, read_hierarchy
from audit.io.cells import Kind
from audit.io.manifest import KEY_COLUMNS
from audit.io.naming import in_time
from audit.io.notations import grows, kind_of_single_days, skeleton, words_in
from audit.io.rules.cell_meaning import ColumnTypes
from audit.io.rules.rows_and_values import EPISODES, IgnoreRows, SeveralRows, Unlinkable
from audit.io.rules.rule import Renamed
from audit.io.tables import read_table
from audit.io.toml import toml_key
from audit.model.errors import InputError, Problem, Problems
from audit.runtime.phrases import Phrase, joined, parted, printable, say, say_count

_PARTED = re.compile("[0-9][^0-9]")  # a number with separators, which ids do not have
_LABEL = r"[^0-9*<>\[({]{0,3}[0-9]+"  # such as 12 or G12
_SHOWN = 12
_COUNT = "[1-9][0-9]{0,8}"
_JOINS = Phrase("it joins the rows and the values of the pairs")
_COUNTED = Phrase("the counterfeits are counted by it")
_NAMED = Phrase("its name")
_NAMED_AND_EQUAL = Phrase("its name, and its rows have equal cells")
_ONLY_THEY = Phrase("its rows have equal generalized cells, which no other rows have")
_ALONE = Phrase("the only exact column")
_CHANGES = Phrase("the values of the transitions")
_IN_REGISTER = Phrase("in the register")
_IN_PAIRS = Phrase("in the rows of the pairs")
_WITH_HIERARCHY = Phrase("it has a hierarchy")
_MAY_BE_SENSITIVE = Phrase("by its name, it may be sensitive: what is disclosed of it is then not judged")


def guess_meanings(found: FoundFiles) -> None:
    """Guess what the columns of a series mean.

    In tables that are not published yet, a column is unpublished unless something shows that others may know it.

    Raises:
        InputError: a file is damaged, or no column that the releases share can be the sensitive one.
    """
    guesser = _Guesser(found)
    guesser.match_hierarchies()
    guesser.guess_group()
    guesser.guess_ids()
    guesser.guess_count()
    if found.published:
        guesser.guess_releases()
    guesser.guess_sensitive()
    guesser.guess_quasi()
    if found.published:
        guesser.take_others()
    guesser.leave_out()
    for name, tags in guesser.partial().items():
        guesser.take_or_leave(name, tags)


class _Guesser:
    """Guesses from the columns of the releases' rows and, in Anatomy pairs, of their values."""

    def __init__(self, found: FoundFiles) -> None:
        self.found = found
        self.guesses = found.guesses
        self.left = found.guesses.left["columns"]
        found.guesses.state("columns.quasi_identifiers", [])
        renamed = [found.renamed(tag) for tag in found.tags]
        self.rows = self.values = read_columns([(r.rows, r.shown) for r in found.releases], renamed)
        if found.pair():
            files = [(r.values or r.rows, r.values_shown or r.shown) for r in found.releases]
            self.values = read_columns(files, renamed)
        else:
            self.leave_out_totals()
            if len(found.releases) == 1:
                self.rows = self.values = divided(found, self.rows)
        found.columns = {**self.rows, **self.values}
        if not (self.rows and self.values):
            what = say("the releases have no column in common that has a name")
            raise self.error(what, say("give the same meaning the same column name in all releases"))

    def leave_out_totals(self) -> None:
        """State which last rows are totals, and look at the others alone."""
        totals = total_rows(self.rows)
        for row, (name, text) in totals.items():
            file = self.found.releases[int(self.rows[name].release[row])].shown
            why = say("the last row of {file} looks like a total, not like a person", file=file)
            self.guesses.state_rule(IgnoreRows({name: (text,)}), sure=False, quoting=why)
        self.rows = self.values = without_rows(self.rows, totals)

    def error(self, what: str, remedy: str) -> InputError:
        release = self.found.pair() or self.found.releases[-1]
        return InputError([Problem(release.values_shown or release.shown, what, remedy, line=1)])

    def choose(self, key: str, column: Column, why: str, *, sure: bool) -> None:
        self.found.roles[column.name] = key, why
        self.guesses.state(f"columns.{key}", column.name, why, sure=sure)

    def free(self, columns: dict[str, Column]) -> list[Column]:
        """Return the columns that have no role yet and are not left out."""
        taken = {*self.found.roles, *self.left, *self.guesses.column("unlinkable", ())}
        return [column for name, column in columns.items() if name not in taken]

    def match_hierarchies(self) -> None:
        """Find the column of each hierarchy: its cells are labels and, if there are several, it has the best name."""
        matched = self.found.labels
        for shown in self.found.hierarchies:
            hierarchy = read_hierarchy(self.found.folder / shown, shown, Problems())
            named = {*words_in(shown)}
            labelled = [c for c in self.rows.values() if any(t.strip("*") and t not in MARKERS for t in c.some)]
            fitting = [c for c in labelled if c.name not in matched and c.parses(Kind.CATEGORICAL, hierarchy)]
            if hierarchy is None or not fitting:
                self.found.unused[shown] = say("no column has their names or labels")
            else:
                matched[max(fitting, key=lambda c: len(named.intersection(words_in(c.name)))).name] = hierarchy

    def generalized(self, column: Column) -> str | None:
        """Return how a column is generalized, or None."""
        hierarchy = self.found.labels.get(column.name)
        if hierarchy is not None and not {*hierarchy.levels[0], *MARKERS}.issuperset(column.some):
            return say("labels of its hierarchy")
        return column.form

    # -- group, ids and count

    def guess_group(self) -> None:
        shared = [c for name, c in self.rows.items() if name in self.values and not self.generalized(c)]
        if self.found.pair():
            shared.sort(key=lambda c: naming.kind(c.name) != "group")
            reasons = [(column, _JOINS) for column in shared]
        else:
            boxes = self.boxes()
            reasons = [(column, why) for column in shared if (why := self.why_group(column, boxes))]
        if reasons:
            column, why = reasons[0]
            equal = why in {_NAMED_AND_EQUAL, _ONLY_THEY} and steadiness(self.boxes(), [column]) == 1
            self.choose("group", column, str(why), sure=equal or why in {_JOINS, _COUNTED})

    def why_group(self, column: Column, boxes: Sequence[Column]) -> Phrase | None:
        """Return why a column holds the groups; None if nothing suggests it."""
        if any({column.name, "Count"} <= set(self.found.names[shown]) for shown in self.found.counterfeits):
            return _COUNTED
        labels = column.matches(_LABEL)
        agrees = steadiness(boxes, [column]) if boxes else 0.0
        if naming.kind(column.name) == "group":
            if column.unique or not (agrees > 0.9 or labels or (not boxes and "group" in column.name.casefold())):
                return None
            return _NAMED_AND_EQUAL if agrees > 0.9 else _NAMED
        named = naming.is_quasi(column.name) or naming.sensitivity(column.name)
        if labels and not named and agrees == 1 and len(column.some) >= 3 and steadiness([column], boxes) == 1:
            return _ONLY_THEY
        return None

    def guess_ids(self) -> None:
        """Guess the auditor's key and the published record id; a pseudonym in microdata is such a key."""
        keyed = len(self.found.keys) == len(self.found.releases)
        keys = [(path, path.name) for path in dict.fromkeys(self.found.keys)]
        people = read_columns(keys).get("individual") if keys and not self.found.pair() else None
        several = len(keys) < len(self.found.keys)  # releases in one key, where people come again
        if people is not None and not (people.unique or several):
            self.guesses.state_rule(SeveralRows(EPISODES), sure=False)
        free = [c for c in self.free(self.rows) if not self.generalized(c)]
        of_people = [] if self.found.published else [c for c in free if naming.names_pseudonyms(c.name)]
        ids = [(kind, c) for c in free if (kind := "person" if c in of_people else _id_kind(c))]
        for kind, column in sorted(ids, key=lambda pair: naming.ID_KINDS.index(pair[0])):
            key = "record" if kind == "record" or keyed else "individual"
            of_rows = kind == "person" and not (keys or self.found.pair())
            if key == "individual" and self.found.pair() and "count" not in self.values:
                self.left[column.name] = say(
                    "with a count column that is not called count, people have to be in key files"
                )
            elif not column.unique and of_rows:
                self.guesses.state_rule(SeveralRows(EPISODES), sure=False)
                self.choose_id(key, column, keyed=keyed)
            elif column.unique and column.row_numbers and (again := self.people_again()) is not None:
                self.number_rows(column, _OTHERS, sure=_RARE * again < 1)
            elif column.unique and kind == "id" and column.row_numbers:
                self.number_rows(column)
            elif column.unique and _may_come_again(column, kind) and self.found.chosen(key) is None:
                self.choose_id(key, column, keyed=keyed)
            elif 0 < _RARE * column.repeated < len(column.texts):
                self.guesses.doubts.append(self.doubted_id(column))

    def people_again(self) -> float | None:
        """Return which share of rows are of the people who have their numbers in other releases, too, by the keys.

        None if there is no key of each release, or if each number is always that of one person. All if no person is in
        two releases, as the keys may then name people anew.
        """
        if not self.found.published or len({*self.found.keys}) != len(self.found.releases):
            return None
        key = read_columns([(path, path.name) for path in self.found.keys])
        rows, people = (key[name] for name in KEY_COLUMNS)
        times = np.unique(np.stack([rows.codes, people.codes]), axis=1, return_counts=True)[1]
        if len(times) == len({*rows.codes.tolist()}):
            return None
        return float(times[times > 1].sum() / times.sum()) if people.recurs else 1

    def doubted_id(self, column: Column) -> str:
        """Return that a column would be an id, but for a few texts that several rows of a release have."""
        number, text = column.first_repeated
        release = self.found.releases[number]
        table = read_table(release.rows, release.shown, [column.name], Problems())
        file = printable(release.shown)
        if table is not None:  # the column may have another name there
            rows = np.flatnonzero(table.where(column.name, text.__eq__)).tolist()
            file += f":{joined([str(table.line(row)) for row in rows], _LINES_SHOWN)}"
        return say_count(
            '"{column}" is no record id, because {count} of its texts [is|are] in several rows of a release (first: '
            '"{text}" in {file}); if these rows are copies, or the text is wrong, correct them, and run '
            "`audit init` again",
            column.repeated,
            column=printable(column.name),
            text=printable(text, 40),
            file=file,
        )

    def choose_id(self, key: str, column: Column, *, keyed: bool) -> None:
        reasons = [_NAMED if naming.kind(column.name) else Phrase("its cells")]
        if key == "individual":
            reasons += [_UNIQUE[column.unique, column.recurs]]
            reasons = reasons[1:] if reasons[0] is not _NAMED and column.unique else reasons
        else:
            reasons += [Phrase("people are in the key files")] * keyed
        reasons += [_NUMBERS] * column.row_numbers
        self.choose(key, column, parted(map(str, reasons)), sure=key == "record" and keyed)

    def guess_count(self) -> None:
        """Guess which column counts the people of a row, or of a value in a group."""
        whole = [c for c in self.free(self.values) if c.some and c.matches(_COUNT)]
        named = [c for c in whole if naming.kind(c.name) == "count"]
        if self.found.pair():
            for column in (named or whole)[:1]:
                why = say("whole numbers beside the values")
                if column.name == "count":  # the default name in pairs
                    self.found.roles["count"] = "count", why
                else:
                    self.choose("count", column, why, sure=True)
            return
        for column in named:
            others = [c for c in self.values.values() if c is not column]
            if self.found.keys or self.found.chosen("individual") or self.found.chosen("record"):
                continue  # each row is that of one person
            if others and int(partition(others).max(initial=-1)) + 1 < len(column.codes):
                continue  # some rows are equal, so it does not count them
            if self.found.chosen("count") is None:
                why = say("its name, whole numbers, and rows that otherwise all differ")
                self.choose("count", column, why, sure=False)

    # -- sensitive and quasi-identifiers

    def guess_sensitive(self) -> None:
        free = [column for column in self.free(self.values) if not column.holds_names]
        if not free:
            what = say("all columns that the releases share are identifiers, groups or counts; none can be sensitive")
            remedy = say(
                "publish the sensitive values in all releases; if a file has the values of another one's groups, name "
                "them 1.rows.csv and 1.values.csv"
            )
            raise self.error(what, remedy)
        alone = len(free) > 1 and sum(not self.generalized(c) for c in free) == 1
        known = self.found.register_columns()  # what the adversary has is not what is protected
        lacking = [column for column in free if column.name not in known]
        free = lacking or free
        changing = self.found.texts("transitions", "from") | self.found.texts("transitions", "to")
        by, last = self.boxes(), list(self.values)[-1]
        marks = {c.name: self.marks(c, by, alone=alone, last=c.name == last, changing=changing) for c in free}
        scores = {name: sum(points for points, _ in own) for name, own in marks.items()}
        best, *others = sorted(free, key=lambda c: -scores[c.name])
        reasons = [why for _, why in marks[best.name] if why is not None]
        reasons += [Phrase("the only column that the register lacks")] * (len(lacking) == 1 and bool(known))
        shown = _ALONE in reasons or (len(free) == 1 and self.found.pair() is not None)
        others_known = all(naming.is_quasi(column.name) or column.name in self.found.labels for column in others)
        named = naming.sensitivity(best.name) > 0 or (others_known and not naming.is_quasi(best.name))
        shown = _CHANGES in reasons or (shown and named)
        why = joined([str(each) for each in reasons or [Phrase("nothing fits better")]])
        self.choose("sensitive", best, why, sure=shown)

    def marks(
        self, column: Column, by: Sequence[Column], *, alone: bool, last: bool, changing: set[str]
    ) -> list[tuple[int, Phrase | None]]:
        """Return points and reasons for or against a column being the sensitive one."""
        named = naming.sensitivity(column.name)
        steady = steadiness([column], by) if by and column not in by else 0.5
        known = column.name in self.found.register_columns() or column.name in self.found.labels
        marks: list[tuple[bool, int, Phrase | None]] = [
            (named > 0, named, _NAMED),
            (bool(changing) and changing.issuperset(column.texts), 8, _CHANGES),
            (alone and not self.generalized(column), 3, _ALONE),
            (not alone and steady < 0.5, 2, Phrase("it varies within groups")),
            (last, 1, None),
            (steady > 0.95, -4, None),
            (known or naming.is_quasi(column.name), -6, None),
            (naming.is_of_household(column.name) and not named, -6, None),
            (self.generalized(column) is not None, -4 if named > 6 else -8, None),
            (len(column.some) < 2, -5, None),
            (column.unique and len(column.codes) >= 20, -4, None),
            (column.nearly_unique and not named, -8, None),
            (column.is_free_text, -4, None),
            (column.are_dates, -6, None),
        ]
        return [(points, why) for holds, points, why in marks if holds]

    def boxes(self) -> list[Column]:
        """Return the columns that define the groups."""
        if self.found.pair():
            return []
        group = self.found.chosen("group")
        return [group] if group else [c for c in self.free(self.rows) if self.generalized(c)]

    def guess_releases(self) -> None:
        """Mark the columns of which each release has one text, of its own: they say no more than the release does."""
        tags = len(self.found.releases)
        for column in self.free(self.rows):
            known = naming.sensitivity(column.name) or naming.is_quasi(column.name)
            places = np.unique(np.stack([column.release, column.codes]), axis=1)
            if not known and column.whole and 1 < tags == places.shape[1] == len({*column.texts} - {""}):
                self.guesses.state_rule(Unlinkable({column.name: str(NAMES_RELEASES)}), sure=False)

    def guess_quasi(self) -> None:
        by, stated = self.boxes(), {*self.found.labels, *self.found.register_columns()}
        for column in self.free(self.rows):
            if form := self.generalized(column):
                known = column.name in stated or naming.is_quasi(column.name)
                self.take(column, form, sure=known and not naming.sensitivity(column.name))
            elif (why := self.why_quasi(column, by)) is not None:
                self.take(column, str(why), sure=why in (_IN_REGISTER, _IN_PAIRS, _WITH_HIERARCHY))

    def take_others(self) -> None:
        """Make all other columns of the rows quasi-identifiers: an adversary may know what is published."""
        for column in self.free(self.rows):
            if column.row_numbers:
                self.number_rows(column)
                continue
            why = say("published as it is, so others may know it: the worst case")
            self.take(column, why, sure=len(column.some) <= 1 and column.whole)

    def number_rows(self, column: Column, *others: Phrase, sure: bool = False) -> None:
        """Mark a column that only numbers the rows, perhaps for other reasons, too."""
        why = parted(map(str, (_NUMBERS, *others)))
        self.guesses.state_rule(Unlinkable({column.name: why}), sure=sure)

    def take(self, column: Column, why: str, *, sure: bool) -> None:
        """Make a column a quasi-identifier; one that is constant within groups changes nothing."""
        doubts = [str(_MAY_BE_SENSITIVE)] * bool(naming.sensitivity(column.name))
        self.found.roles[column.name] = QUASI, parted([why, *doubts])
        group = self.found.chosen("group")
        if not sure and group is not None and "columns.group" not in self.guesses.unsure:
            sure = steadiness([column], [group]) == 1
        self.guesses.state("columns.quasi_identifiers", [column.name], sure=sure)

    def why_quasi(self, column: Column, by: Sequence[Column]) -> Phrase | None:
        """Return why a column without generalized cells is a quasi-identifier; None if nothing suggests it."""
        if column.name in self.found.register_columns():
            return _IN_REGISTER
        several = bool(by) and int(partition(by).max(initial=-1)) >= 4  # groups: in a few, cells are equal by chance
        reasons = {
            _IN_PAIRS: self.found.pair() is not None,
            _NAMED: naming.is_quasi(column.name),
            _WITH_HIERARCHY: column.name in self.found.labels,
            Phrase("constant within groups"): several and steadiness([column], by) > 0.95,
            Phrase("dates, which others may know"): column.are_dates,
            Phrase("an exact measurement, which others may know"): column.is_measured,
        }
        return next((why for why, holds in reasons.items() if holds), None)

    def leave_out(self) -> None:
        """Note why the other columns have no role."""
        others = [column.name for column in self.free(self.rows | self.values)]
        self.left.update(dict.fromkeys(others, say("its cells are exact, and its name says nothing")))

    def partial(self) -> dict[str, list[str]]:
        """Return the columns of some releases only, with these releases' tags; note why others have no role."""
        having: dict[str, list[str]] = {}
        for release in self.found.releases:
            renamed = self.found.renamed(release.tag)
            there = {*self.rows, *self.values, *renamed, *self.guesses.column("unlinkable", ())}
            for name in self.found.names[release.shown]:
                if name not in there:
                    having.setdefault(name, []).append(release.tag)
        some = {}
        for name, tags in having.items():
            if not name:
                self.left[say("(no name)")] = say("a column needs a name")
            elif len(tags) == len(self.found.releases):
                self.left[name] = say("its cells are not plain values in all releases")
            else:
                some[name] = tags
        return some

    def take_or_leave(self, name: str, tags: Sequence[str]) -> None:
        """Make a column that only some releases have a quasi-identifier, unless it may be more than that."""
        files = [(release.rows, release.shown) for release in self.found.releases if release.tag in tags]
        column = read_columns(files).get(name)
        listed = ", ".join(tags[:_SHOWN]) + (", …" if len(tags) > _SHOWN else "")
        why = say_count("only {releases} [has|have] it", len(tags), releases=listed)
        if not self.found.published or column is None or naming.sensitivity(name) or _id_kind(column):
            self.left[name] = why
            return
        self.found.columns[name] = column
        self.found.roles[name] = QUASI, parted([why, say("where it is missing, it counts as *")])
        self.guesses.state("columns.quasi_identifiers", [name], sure=False)


def _id_kind(column: Column) -> str | None:
    """Return which of `ID_KINDS` a column is; None if it does not hold ids."""
    if (kind := naming.kind(column.name)) in naming.ID_KINDS:
        return kind
    numbers = column.are_numbers
    content = naming.sensitivity(column.name) or naming.is_quasi(column.name) or column.row_numbers
    fractions = numbers and any(map(_PARTED.search, column.some))
    enough = len(column.codes) >= (100 if numbers else 16)
    return "content" if enough and not content and not fractions and column.unique and column.recurs else None


_LINES_SHOWN = 6
_RARE = 20  # ids of which fewer than one in so many is in several rows
_NUMBERS = Phrase("it numbers the rows of each file")
_OTHERS = Phrase("by the keys, the people of a number differ")
_UNIQUE = {
    (True, True): Phrase("its cells are unique in each release and come back in later ones"),
    (True, False): Phrase("its cells are unique in each release"),
    (False, True): Phrase("some people have several rows and come back in later releases"),
    (False, False): Phrase("some people have several rows"),
}
"""Sentences about ids, by whether they are unique in a release and whether some recur in the next."""


def _may_come_again(column: Column, kind: str) -> bool:
    """Return whether an id may follow a record: ids that are not those of people come again in later releases."""
    return kind == "person" or not column.whole or not column.release.any() or column.recurs


_SURE = 0.8
_LIKELY = 0.5
_FEW_REPEAT = 20
_MOST_WAVES = 60


def divided(found: FoundFiles, columns: dict[str, Column]) -> dict[str, Column]:
    """Return the columns of the only file, split into releases if a column may name the release of each row.

    Such a column is named like a wave or a year. It is likely to if another column has texts that are unique in each
    release, or of which few repeat there if they are ids of people, and mostly occur in several; or if the lines of the
    register are of releases with its texts. Without a likely one, only published rows are split, by the first.
    """
    unlikely: tuple[Column, dict[str, Column], str] | None = None
    for by in filter(lambda column: naming.names_waves(column.name), columns.values()):
        tags = in_time(by.texts)[0]
        if not (by.whole and 1 < len(tags) <= _MOST_WAVES and "" not in tags) or len(by.codes) < 2 * len(tags):
            continue
        release = np.array([tags.index(text) for text in by.texts], dtype=np.int32)[by.codes]
        order = np.argsort(release, kind="stable")
        split = {
            name: replace(each, codes=each.codes[order], release=release[order])
            for name, each in columns.items()
            if name != by.name
        }
        likely = sorted(filter(_may_name_people, split.values()), key=lambda column: not column.unique)
        person = next(filter(_comes_again, likely), None)
        if person is None and not found.texts("register", "release") >= {*tags}:
            unlikely = unlikely or (by, split, say("its name; if all rows are of one release, delete the line"))
            continue
        why = say("the release of each line")
        if person is not None:
            why = say('"{column}" has few texts twice in one of them, or none', column=person.name)
        return _split(found, by, split, why)
    return columns if unlikely is None or not found.published else _split(found, *unlikely)


def _split(found: FoundFiles, by: Column, split: dict[str, Column], why: str) -> dict[str, Column]:
    """State that a column names the release of each row, and return the columns of these releases."""
    [file] = found.releases
    found.releases = [replace(file, tag=tag, by=by.name) for tag in in_time(by.texts)[0]]
    found.guesses.state("series.releases_by", by.name, why, sure=False)
    found.guesses.state("columns.unlinkable", {by.name: str(NAMES_RELEASES)})
    return split


def _may_name_people(column: Column) -> bool:
    """Return whether no text of a column, or few of one that is named like an id of people, repeat in a release."""
    return column.unique or (naming.kind(column.name) == "person" and _FEW_REPEAT * column.repeated < len(column.codes))


def _comes_again(column: Column) -> bool:
    """Return whether most rows of a column have a text that also occurs in other releases."""
    pairs = np.unique(column.codes.astype(np.int64) * (int(column.release.max()) + 1) + column.release)
    releases = np.bincount(pairs // (int(column.release.max()) + 1), minlength=len(column.texts))
    return bool(2 * np.count_nonzero(releases[column.codes] > 1) > len(column.codes))


def match_headers(found: FoundFiles) -> None:
    """State which columns of a release have another name in the other releases."""
    halves = [
        [(r.rows, r.shown) for r in found.releases],
        [(r.values, r.values_shown) for r in found.releases if r.values],
    ]
    for files in halves:
        if len(files) > 1:
            tags = [release.tag for release in found.releases if files is halves[0] or release.values]
            _match(found, dict(zip(tags, files, strict=True)))


def _match(found: FoundFiles, files: Mapping[str, tuple[Path, str]]) -> None:
    names = {tag: found.names.get(shown, []) for tag, (_, shown) in files.items()}
    times = Counter(name for own in names.values() for name in own)
    first = next(iter(names.values()))
    usual = [
        name for name in times if 2 * times[name] > len(names) or (2 * times[name] == len(names) and name in first)
    ]
    for tag, own in names.items():
        absent = [name for name in usual if name not in own]
        spare = [name for name in own if name and name not in usual]
        if not (absent and spare):
            continue
        models = {name: next(other for other, theirs in names.items() if name in theirs) for name in absent}
        columns = {other: read_columns([files[other]]) for other in {tag, *models.values()}}
        scores = {
            (old, new): _likeness(
                columns[tag].get(old), columns[models[new]].get(new), own.index(old) == list(usual).index(new)
            )
            for old in spare
            for new in absent
        }
        _choose(found, tag, scores)


def _likeness(one: Column | None, other: Column | None, same_place: bool) -> float:
    """Return how similar two columns are, from 0 to above 1."""
    if one is None or other is None:
        return 0.0
    mine, theirs = ({text.casefold() for text in column.some} for column in (one, other))
    shared = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
    alike = one.form == other.form and one.unique == other.unique
    meaning = _meaning(one.name) is not None and _meaning(one.name) == _meaning(other.name)
    return 0.8 * shared + 0.3 * (same_place and alike) + 0.2 * meaning + 0.1 * alike


def _meaning(name: str) -> str | None:
    """Return the meaning of a column's name, as one word."""
    if kind := naming.kind(name):
        return kind
    if naming.sensitivity(name) > 5:
        return "sensitive"
    return "quasi-identifier" if naming.is_quasi(name) else None


def _named_alike(old: str, new: str) -> bool:
    """Return whether two names have the same words, or mean the same kind of identifier, or birth, postcode or sex."""
    meanings = [("".join(words_in(name)), naming.kind(name), naming.topic(name)) for name in (old, new)]
    return any(left and left == right for left, right in zip(*meanings, strict=True))


def _choose(found: FoundFiles, tag: str, scores: Mapping[tuple[str, str], float]) -> None:
    """Match columns, the likeliest pairs first and each column once."""
    used: set[str] = set()
    for (old, new), score in sorted(scores.items(), key=lambda item: -item[1]):
        if score < _LIKELY or {old, f"→{new}"} & used:
            continue
        # Equal cells do not show it: many columns have yes and no, and a discharge has the diagnoses of an admission.
        sure = score >= _SURE and _named_alike(old, new)
        used |= {old, f"→{new}"}
        renamed = Renamed({tag: {**found.renamed(tag), old: new}})
        found.guesses.state_rule(renamed, sure=sure)


def check_header(found: FoundFiles) -> None:
    """Refuse releases whose first line is a row, not a header.

    Raises:
        InputError: the first line is a row.
    """
    first = found.releases[0]
    columns = read_columns([(first.rows, first.shown)])
    inside = sum(column.name in column.texts for column in columns.values())
    if inside and 2 * inside >= len(columns):
        what = say("this line looks like a row of the table: most of its cells stand in the columns below as well")
        remedy = say("write a line with the names of the columns above it, in all releases")
        raise InputError([Problem(first.shown, what, remedy, line=1)])


# -- the register


_DAYS = Phrase("the register has days, and the releases their years or ranges")


def state_register(found: FoundFiles) -> None:
    """State what the register calls the quasi-identifiers, and how its days are read."""
    quasi, shown = {column.name: column for column in found.with_role(QUASI)}, found.beside["register"]
    columns = read_columns([(found.folder / shown, shown)])
    for name, theirs in sorted(found.register_columns().items()):
        if name not in quasi or (own := columns.get(theirs)) is None:
            continue
        if naming.is_postal(name) and quasi[name].form is None and {*own.texts}.isdisjoint(quasi[name].texts):
            continue  # districts beside whole postcodes, which a register has to have in a column of their own
        kind = kind_of_single_days([text for text in own.some if text not in own.markers])
        if kind is None or kind_of_single_days(quasi[name].some) is not None:
            _state_name(found, name, theirs)
        elif quasi[name].parses(kind):
            _state_name(found, name, theirs)
            found.guesses.state_rule(ColumnTypes({name: kind.value}), str(_DAYS), sure=False)


def _state_name(found: FoundFiles, name: str, theirs: str) -> None:
    alike = skeleton(name) == skeleton(theirs)
    if ages := grows(name) and len(found.releases) > 1 and not found.texts("register", "release"):
        why = say(
            "a person has the same in every release; if it grows with time, publish years of birth, or write a line "
            "for each person and release, with a column release"
        )
    elif name == theirs:
        return
    else:
        why = say("the names differ only in spelling") if alike else say("both columns are about the same")
    key = f"register.{toml_key(name)}"
    found.guesses.state(f"register.{name}", theirs)
    found.guesses.why[key] = why
    if ages or not alike:
        found.guesses.unsure[key] = None
