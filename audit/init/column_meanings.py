"""What the columns mean: guessed from their names and cells, with a reason for each guess.

Where a guess can err, it errs towards the worst case: a column of ids that come back in later releases is taken
for the auditor's key, with which the adversary knows the group of each person.
"""

from __future__ import annotations

from collections.abc import Sequence

from audit.init import column_names
from audit.init.column_differences import divided
from audit.init.columns import MARKERS, Column, equal_rows, partition, read_columns, steadiness
from audit.init.found_files import QUASI, FoundFiles
from audit.io.cells import Kind
from audit.io.hierarchies import read_hierarchy
from audit.io.rules.disclosure import Unlinkable
from audit.io.rules.rows import EPISODES, SeveralRows
from audit.io.toml import toml_text
from audit.model.errors import InputError, Problem, Problems, printable

_NUMBER = r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?"
_DECIMAL = r"[+-]?[0-9]+(,[0-9]+)?"
_LABEL = r"[^0-9*<>\[({]{0,3}[0-9]+"  # such as 12 or G12
_SHOWN = 12
_COUNT = "[1-9][0-9]{0,8}"
_JOINS = "it joins the rows and the values of the pairs"
_COUNTED = "the counterfeits are counted by it"
_NAMED_AND_EQUAL = "its name, and its rows have equal cells"
_ONLY_THEY = "its rows have equal generalized cells, and only they"
_ALONE = "the only exact column"
_CHANGES = "the values of the transitions"
_PUBLISHED = "published as it is, so that others may know it: the worst case"
_BESIDE_FILES = frozenset({"in the register", "in the rows of the pairs", "it has a hierarchy"})


def guess_meanings(found: FoundFiles, *, published: bool = True) -> None:
    """Guess what the columns of a series mean.

    Of tables that are not `published` yet, a column is not published unless something shows that others may know it.

    Raises:
        InputError: a file is damaged, or no column that the releases share can be the sensitive one.
    """
    guesser = _Guesser(found)
    guesser.match_hierarchies()
    guesser.guess_group()
    guesser.guess_ids()
    guesser.guess_count()
    guesser.guess_sensitive()
    guesser.guess_quasi()
    if published:
        guesser.take_others()
    guesser.leave_out()
    for name, tags in guesser.partial().items():
        guesser.take_or_leave(name, tags, published=published)


class _Guesser:
    """Guesses from the columns of the releases' rows and, where there are Anatomy pairs, of their values."""

    def __init__(self, found: FoundFiles) -> None:
        self.found = found
        self.guesses = found.guesses
        self.left = found.guesses.left["columns"]
        found.guesses.state("columns.quasi_identifiers", [])
        renamed = [found.renamed(tag) for tag in found.tags]
        self.files = [(r.rows, r.shown) for r in found.releases]
        self.rows = self.values = read_columns(self.files, renamed)
        if found.pair():
            files = [(r.values or r.rows, r.values_shown or r.shown) for r in found.releases]
            self.values = read_columns(files, renamed)
        elif len(found.releases) == 1:
            self.rows = self.values = divided(found, self.rows)
            self.files *= len(found.releases)
        found.columns = {**self.rows, **self.values}
        if not (self.rows and self.values):
            what = "the releases have no column in common that has a name"
            raise self.error(what, "give the same meaning the same column name in all releases")

    def error(self, what: str, remedy: str) -> InputError:
        release = self.found.pair() or self.found.releases[-1]
        return InputError([Problem(release.values_shown or release.shown, what, remedy, line=1)])

    def choose(self, key: str, column: Column, why: str, *, sure: bool) -> None:
        self.found.roles[column.name] = key, why
        self.guesses.state(f"columns.{key}", column.name, why, sure=sure)

    def free(self, columns: dict[str, Column]) -> list[Column]:
        """Return the columns that have no meaning yet and are not left out."""
        taken = {*self.found.roles, *self.left, *self.guesses.column("unlinkable", ())}
        return [column for name, column in columns.items() if name not in taken]

    def match_hierarchies(self) -> None:
        """Find the column of each hierarchy: its cells are labels and, if there are several, it has the best name."""
        matched = self.found.labels
        for shown in self.found.hierarchies:
            hierarchy, named = (
                read_hierarchy(self.found.folder / shown, shown, Problems()),
                {*column_names.words(shown)},
            )
            labelled = [c for c in self.rows.values() if any(t.strip("*") and t not in MARKERS for t in c.some)]
            fitting = [c for c in labelled if c.name not in matched and c.parses(Kind.CATEGORICAL, hierarchy)]
            if hierarchy is None or not fitting:
                self.found.unused[shown] = "no column has their names or labels"
            else:
                matched[max(fitting, key=lambda c: len(named.intersection(column_names.words(c.name)))).name] = (
                    hierarchy
                )

    def generalized(self, column: Column) -> str | None:
        """Return how a column is generalized, or None."""
        hierarchy = self.found.labels.get(column.name)
        if hierarchy is not None and not {*hierarchy.levels[0], *MARKERS}.issuperset(column.some):
            return "labels of its hierarchy"
        return column.form

    # -- group, ids and count

    def guess_group(self) -> None:
        shared = [c for name, c in self.rows.items() if name in self.values and not self.generalized(c)]
        if self.found.pair():
            shared.sort(key=lambda c: column_names.kind(c.name) != "group")
            reasons = [(column, _JOINS) for column in shared]
        else:
            boxes = self.boxes()
            reasons = [(column, why) for column in shared if (why := self.why_group(column, boxes))]
        if reasons:
            column, why = reasons[0]
            equal = why in {_NAMED_AND_EQUAL, _ONLY_THEY} and steadiness(self.boxes(), [column]) == 1
            self.choose("group", column, why, sure=equal or why in {_JOINS, _COUNTED})

    def why_group(self, column: Column, boxes: Sequence[Column]) -> str | None:
        """Return why a column holds the groups, or None when nothing says so."""
        if any({column.name, "Count"} <= set(self.found.names[shown]) for shown in self.found.counterfeits):
            return _COUNTED
        labels = column.matches(_LABEL)
        agrees = steadiness(boxes, [column]) if boxes else 0.0
        if column_names.kind(column.name) == "group":
            if column.unique or not (agrees > 0.9 or labels or (not boxes and "group" in column.name.casefold())):
                return None
            return _NAMED_AND_EQUAL if agrees > 0.9 else "its name"
        named = column_names.is_quasi(column.name) or column_names.sensitivity(column.name)
        if labels and not named and agrees == 1 and len(column.some) >= 3 and steadiness([column], boxes) == 1:
            return _ONLY_THEY
        return None

    def guess_ids(self) -> None:
        """Guess the auditor's key and the published record id."""
        keyed = self.found.keys == len(self.found.releases)
        ids = [(kind, c) for c in self.free(self.rows) if not self.generalized(c) and (kind := _id_kind(c))]
        for kind, column in sorted(ids, key=lambda pair: column_names.ID_KINDS.index(pair[0])):
            key = "record" if kind == "record" or keyed else "individual"
            trouble = _id_trouble(column, kind)
            if key == "individual" and self.found.pair() and "count" not in self.values:
                trouble = _NEEDS_KEYS
            if trouble == _SEVERAL and kind == "person" and self.takes_several(column):
                self.choose_id(key, column, keyed=keyed)
            elif trouble == _NUMBERS:
                self.number_rows(column)
            elif trouble == _NEEDS_KEYS:
                self.left[column.name] = trouble
            elif trouble:
                self.guesses.doubts.append(f'Column "{column.name}" is not an id: {trouble}.')
            elif self.found.chosen(key) is None:
                self.choose_id(key, column, keyed=keyed)

    def takes_several(self, column: Column) -> bool:
        """Return whether a column of people is used, some with several rows in a release, and note how."""
        if self.found.keys or self.found.pair():
            return False
        several = column.repeated
        date = next((c for c in self.rows.values() if c is not column and c.are_dates), None)
        text = f'{several:,} people have several rows in one release (column "{printable(column.name)}")'
        if repeated := equal_rows([*self.rows.values()], self.files):
            text += f"; {repeated}"
        self.guesses.state_rule(SeveralRows(EPISODES), sure=False)
        why = f"{text}: each row and each release is judged by itself, and nothing over several of them"
        if date is not None:
            why += f'. For one row of each person write rows = "latest" and date = {toml_text(date.name)}'
        self.guesses.written[f"rows = {toml_text(EPISODES)}"] = why
        return True

    def choose_id(self, key: str, column: Column, *, keyed: bool) -> None:
        name, why = column.name, "its name" if column_names.kind(column.name) else "its cells"
        if key == "individual":
            unique = "its cells are unique in each release" if column.unique else "some people have several rows"
            why = unique if why == "its cells" and column.unique else f"{why}; {unique}"
            why += " and come back in later ones" if column.recurs else ""
            doubt = (
                "the auditor's key, with which the adversary knows everybody's group: the worst case. "
                f'If it was published, write record = "{name}" instead.'
            )
        else:
            why += ", and people are in the key files" if keyed else ""
            doubt = f'a published record id. If it says whose row it is instead, write individual = "{name}".'
        if self.guesses.column("rows") == EPISODES:
            doubt = "a column of people: it tells that they have several rows, and is not used beyond that."
        if column.row_numbers:
            doubt += " It numbers the rows of every file; is the same number the same person in all of them?"
        self.choose(key, column, why, sure=key == "record" and keyed)
        self.guesses.doubts.append(f'Column "{name}" is taken for {doubt}')

    def guess_count(self) -> None:
        """Guess which column says how many people a row, or a value of a group, stands for."""
        whole = [c for c in self.free(self.values) if c.some and c.matches(_COUNT)]
        named = [c for c in whole if column_names.kind(c.name) == "count"]
        if self.found.pair():
            for column in (named or whole)[:1]:
                why = "whole numbers beside the values"
                if column.name == "count":  # the name that pairs have by default
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
                why = "its name, whole numbers, and rows that are else all different"
                self.choose("count", column, why, sure=False)

    # -- sensitive and quasi-identifiers

    def guess_sensitive(self) -> None:
        free = self.free(self.values)
        if not free:
            what = "all columns that the releases share are identifiers, groups or counts; none can be sensitive"
            remedy = "publish the sensitive values in all releases; if a file has the values of another one's groups, "
            raise self.error(what, f"{remedy}name them 1.rows.csv and 1.values.csv")
        alone = len(free) > 1 and sum(not self.generalized(c) for c in free) == 1
        changing = self.found.texts("transitions", "from") | self.found.texts("transitions", "to")
        by, last = self.boxes(), list(self.values)[-1]
        marks = {c.name: self.marks(c, by, alone=alone, last=c.name == last, changing=changing) for c in free}
        scores = {name: sum(points for points, _ in own) for name, own in marks.items()}
        best, *others = sorted(free, key=lambda c: -scores[c.name])
        doubtful = bool(others) and (scores[best.name] < 5 or scores[others[0].name] > scores[best.name] - 3)
        reasons = [why for _, why in marks[best.name] if why]
        shown = _CHANGES in reasons or _ALONE in reasons or (len(free) == 1 and self.found.pair() is not None)
        self.choose("sensitive", best, " and ".join(reasons) or "nothing fits better", sure=shown)
        if doubtful:
            self.guesses.doubts.append(f'Is "{best.name}" the sensitive column? It could be "{others[0].name}".')
        for column in others:
            if column_names.sensitivity(column.name) and column.name not in self.found.register_columns():
                self.guesses.doubts.append(
                    f'Is "{column.name}" sensitive as well? Its name says so. It is taken for a quasi-identifier, and '
                    f"what becomes known of it is not judged; if it is sensitive, write sensitive = "
                    f"[{toml_text(best.name)}, {toml_text(column.name)}] and take it out of quasi_identifiers."
                )

    def marks(
        self, column: Column, by: Sequence[Column], *, alone: bool, last: bool, changing: set[str]
    ) -> list[tuple[int, str]]:
        """Return what speaks for a column's being the sensitive one, or against it, in points and words."""
        named = column_names.sensitivity(column.name)
        steady = steadiness([column], by) if by and column not in by else 0.5
        known = column.name in self.found.register_columns() or column.name in self.found.labels
        marks = [
            (named > 0, named, "its name"),
            (bool(changing) and changing.issuperset(column.texts), 8, _CHANGES),
            (alone and not self.generalized(column), 3, _ALONE),
            (not alone and steady < 0.5, 2, "it varies within groups"),
            (last, 1, ""),
            (steady > 0.95, -4, ""),
            (known or column_names.is_quasi(column.name), -6, ""),
            (self.generalized(column) is not None, -4 if named > 6 else -8, ""),
            (len(column.some) < 2, -5, ""),
            (column.unique and len(column.codes) >= 20, -4, ""),
            (column.is_free_text, -4, ""),
        ]
        return [(points, why) for holds, points, why in marks if holds]

    def boxes(self) -> list[Column]:
        """Return the columns that make the groups."""
        if self.found.pair():
            return []
        group = self.found.chosen("group")
        return [group] if group else [c for c in self.free(self.rows) if self.generalized(c)]

    def guess_quasi(self) -> None:
        by = self.boxes()
        for column in self.free(self.rows):
            if why := self.why_quasi(column, by):
                self.take(column, why, sure=why in _BESIDE_FILES or self.generalized(column) is not None)

    def take_others(self) -> None:
        """Take all other columns of the rows for quasi-identifiers: others may know what is published."""
        for column in self.free(self.rows):
            if column.row_numbers:
                self.number_rows(column)
                continue
            self.take(column, _PUBLISHED, sure=len(column.some) <= 1 and column.whole)

    def number_rows(self, column: Column) -> None:
        """Take a column for one that only numbers the rows."""
        self.guesses.state_rule(Unlinkable({column.name: _NUMBERS}), sure=False)

    def take(self, column: Column, why: str, *, sure: bool) -> None:
        """Take a column for a quasi-identifier; one by which no group is divided makes no difference as such."""
        self.found.roles[column.name] = QUASI, why
        group = self.found.chosen("group")
        if not sure and group is not None and "columns.group" not in self.guesses.unsure:
            sure = steadiness([column], [group]) == 1
        self.guesses.state("columns.quasi_identifiers", [column.name], sure=sure)

    def why_quasi(self, column: Column, by: Sequence[Column]) -> str | None:
        """Return why a column is a quasi-identifier, or None when nothing says so."""
        if form := self.generalized(column):
            return form
        if column.name in self.found.register_columns():
            return "in the register"
        several = bool(by) and int(partition(by).max(initial=-1)) >= 4  # groups: in a few, cells are equal by chance
        reasons = {
            "in the rows of the pairs": self.found.pair() is not None,
            "its name": column_names.is_quasi(column.name),
            "it has a hierarchy": column.name in self.found.labels,
            "constant within groups": several and steadiness([column], by) > 0.95,
            "dates, which others may know": column.are_dates,
            "an exact measurement, which others may know": column.is_measured,
        }
        return next((why for why, holds in reasons.items() if holds), None)

    def leave_out(self) -> None:
        """Say why the other columns have no meaning."""
        others = [column.name for column in self.free(self.rows | self.values)]
        self.left.update(dict.fromkeys(others, "its cells are exact, and its name says nothing"))

    def partial(self) -> dict[str, list[str]]:
        """Return the columns that only some releases have, with their tags; say why others have no meaning."""
        parts = {part for column in (self.rows | self.values).values() for part in column.parts}
        having: dict[str, list[str]] = {}
        for release in self.found.releases:
            renamed = self.found.renamed(release.tag)
            there = {*self.rows, *self.values, *parts, *renamed, *self.guesses.column("unlinkable", ())}
            for name in self.found.names[release.shown]:
                if name not in there:
                    having.setdefault(name, []).append(release.tag)
        some = {}
        for name, tags in having.items():
            if not name:
                self.left["(no name)"] = "a column needs a name"
            elif len(tags) == len(self.found.releases):
                self.left[name] = "its cells are not plain values in all releases"
            else:
                some[name] = tags
        return some

    def take_or_leave(self, name: str, tags: Sequence[str], *, published: bool) -> None:
        """Take a column that only some releases have for a quasi-identifier, unless it may be more than that."""
        files = [(release.rows, release.shown) for release in self.found.releases if release.tag in tags]
        column = read_columns(files).get(name)
        listed = ", ".join(tags[:_SHOWN]) + (", …" if len(tags) > _SHOWN else "")
        why = f"only {listed} {'has' if len(tags) == 1 else 'have'} it"
        if not published or column is None or column_names.sensitivity(name) or _id_kind(column):
            self.left[name] = why
            self.guesses.doubts.append(
                f'"{name}" is published in {listed} only, and NOT JUDGED: its name or cells say that it is '
                "more than a quasi-identifier. Say under [columns] what it is."
            )
            return
        self.found.columns[name] = column
        self.found.roles[name] = QUASI, f"{why}; where it is missing it counts as *"
        self.guesses.state("columns.quasi_identifiers", [name], sure=False)


def _id_kind(column: Column) -> str | None:
    """Return what makes a column one of ids, one of `ID_KINDS`, or None when it is none."""
    if (kind := column_names.kind(column.name)) in column_names.ID_KINDS:
        return kind
    numbers = column.matches(_NUMBER) or column.matches(_DECIMAL)
    content = column_names.sensitivity(column.name) or column_names.is_quasi(column.name) or column.row_numbers
    fractions = numbers and any("." in text or "," in text for text in column.some)
    enough = len(column.codes) >= (100 if numbers else 16)
    return "content" if enough and not content and not fractions and column.unique and column.recurs else None


_NUMBERS = "it numbers the rows of each file"
_NEEDS_KEYS = "beside a count column of another name than count, people have to be in key files"
_SEVERAL = "an id should stand once in a release, and here one stands several times"


def _id_trouble(column: Column, kind: str) -> str | None:
    """Return why a column cannot be used as an id although its name says that it is one."""
    if not column.unique:
        return _SEVERAL
    if kind == "id" and column.row_numbers:
        return _NUMBERS
    if kind != "person" and column.whole and column.release.any() and not column.recurs:
        return "its ids are other ones in each release"
    return None
