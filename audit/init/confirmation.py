"""Confirm a manifest: ask its publisher about each guess and each column without a role.

Nothing else in the file changes, comments included; only the word "guess" before a reason of `audit init` is removed
with the guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, dropwhile, islice, takewhile
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import tomlkit
from tomlkit.items import AbstractTable, Comment, InlineTable, Table, Trivia

from audit.count_tables.doubts import table_doubts, unread_columns
from audit.count_tables.manifest import parse_table_manifest
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_texts import number_of, said_range
from audit.count_tables.read_counts import read_counts
from audit.init.columns import Column, perhaps_harmless, read_columns
from audit.init.count_rules import in_words
from audit.init.guess import (
    MOST_CHANGING,
    TRANSITIONS,
    HeldReleases,
    changes_of_values,
    file_for,
    possible_changes,
    state_changes,
)
from audit.init.guesses import Guesses, lines_of
from audit.io.atomic_files import write_file
from audit.io.background_knowledge import check_listed, read_lines, read_transitions
from audit.io.cell_reading import unknown_among
from audit.io.cells import Kind
from audit.io.manifest import (
    ANY,
    NAME,
    NEVER,
    REGISTER_COLUMNS,
    Manifest,
    ReleaseFiles,
    is_about_tables,
    parse_manifest,
)
from audit.io.naming import in_time, is_quasi, named_like, sensitivity
from audit.io.releases import KeyedRelease
from audit.io.roles import beside_record, columns_without_role
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing
from audit.io.rules.rows_and_values import (
    COUNTERFEITS,
    EPISODES,
    OF_PEOPLE,
    SeveralRows,
    Unlinkable,
    Unnamed,
    named_for_cases,
)
from audit.io.rules.rule import Renamed
from audit.io.rules.spelling import Decimal
from audit.io.series import Series, check_headers
from audit.io.tables import header
from audit.io.toml import UNCONFIRMED, Toml, key_path, release_tag, toml_line, toml_value, value_under
from audit.model.arrays import UNBOUNDED
from audit.model.errors import InputError, Problem, Problems, UsageError
from audit.runtime.phrases import Phrase, figure, in_quotes, joined, printable, say, say_count


@dataclass(frozen=True)
class Question:
    """A question with its possible answers.

    Attributes:
        text: one or more sentences.
        answers: the possible answers, each with its explanation; empty if the answer is a text.
        default: the answer to an empty line; an empty text if an answer is required.
    """

    text: str
    answers: dict[str, str]
    default: str


Ask: TypeAlias = Callable[[Question], str]
"""Returns one of a question's answers."""

OPEN = "?"
"""The answer that leaves a guess a guess, as does an empty line where a wrong guess may hide findings."""


def yes_or_no(text: str, default: str = "no") -> Question:
    """Return a question with the answers yes and no, and where `OPEN` is the default, that it is left open."""
    own = {"yes": say("yes"), "no": say("no")}
    answers = {name: "" if name == said else said for name, said in own.items()}
    return Question(text, answers | (_said(_LEFT_OPEN) if default == OPEN else {}), default)


def text_of(text: str, default: str = "") -> Question:
    """Return a question whose answer is a text."""
    return Question(text, {}, default)


def about_value(name: str, text: str) -> Question:
    """Return the question whether it may become known of a person that the sensitive value is this one, or blank."""
    if not text:
        question = say(
            'Some rows have no value of "{column}". May it become known of anybody that the cell is blank? Audits then '
            "do not protect it.",
            column=printable(name),
        )
        return yes_or_no(question)
    question = say(
        'May it become known of anybody that the value of "{column}" is "{value}"? Methods and audits then do not '
        "protect it.",
        column=printable(name),
        value=printable(text),
    )
    return yes_or_no(question)


def about_others(name: str, harmless: Collection[str], ask: Ask) -> bool | None:
    """Ask whether it may become known that a person's value is not one of the harmless ones.

    Return whether it must stay unknown, which is the value of `similar`; None if the publisher leaves it open.
    """
    text = say(
        'May it become known of somebody that the value of "{column}" is certainly none of these: {values}? The person '
        "then has one of the others.",
        column=printable(name),
        values=in_quotes(harmless, _SHOWN, limit=40),
    )
    answers = {"yes": say("yes"), "no": say("no; where an audit finds it, the policy is violated")}
    answers[OPEN] = say("leave it open; where an audit finds it, the verdict stays undecided")
    return {"yes": False, "no": True}.get(ask(Question(text, answers, OPEN)))


_SINGLE = ("group", "record", "individual", "count")
_ROLES = {
    "quasi_identifiers": Phrase("others may know it about a person"),
    "sensitive": Phrase("nobody should learn it about a person"),
    "unlinkable": Phrase("no outsider can know it about anybody, and it discloses nothing; you will be asked why"),
    "record": Phrase("a published id, which links the rows of one record over releases"),
    "individual": Phrase("whose row it is, which only you know: your key, never published"),
    "group": Phrase("rows with the same text form a group"),
    "count": Phrase("how many people the row stands for"),
}
_ROLE_KEYS = frozenset(f"columns.{role}" for role in _ROLES)
_OF_PEOPLE = frozenset({"columns.sensitive", "columns.quasi_identifiers"})
_EXCLUDES = {"count": "individual", "individual": "count"}  # a row of several people names none of them
_NUMBERS = {
    Kind.NUMERIC.value: Phrase("amounts: a number or band near that of a person discloses nearly as much"),
    Kind.CATEGORICAL.value: Phrase("codes or bands, of which only the value itself discloses anything"),
}
_SIGNS = {",": Phrase("the comma"), ".": Phrase("the point; commas part thousands")}
_LEFT_OPEN = {OPEN: Phrase("leave it open; the verdict stays undecided")}
OF_SENSITIVE = ("harmless", "left_out", "similar")
CAN_CHANGE = Phrase('Can the value of "{column}" of a person change between two releases?')
_ORDER, _WAVES = "series.releases", "series.releases_by"
_OF_REGISTER = ("presence", "register")  # what else the manifest says of the register depends on them
_CHANGES = "adversary.transitions"
_COUNTED = {
    "independent": Phrase(
        "its own people or events, as the births of each year are; or who was there on its day, as the population at "
        "the end of each year: some have left since, and others have come"
    ),
    "same": Phrase(
        "the same people in all of them, as in other tables of the same numbers (a corrected edition has other "
        "numbers: copy the folder, leave the first edition out of the one and the corrected edition out of the other, "
        "and audit both)"
    ),
    "cumulative": Phrase(
        "those of the release before, and newcomers: nobody is ever left out again, or counted in another row later, "
        "as in a register of all cases so far"
    ),
}
_CHOICES = {
    f"columns.{SeveralRows.key}": (
        Phrase("Can one person have several rows in a release?"),
        {
            EPISODES: Phrase(
                "yes, or nobody knows; each row is then judged by itself, and the verdict stays undecided"
            ),
            OF_PEOPLE: Phrase("no, each row is another person's"),
        },
    ),
    f"columns.{Unnamed.key}": (
        Phrase("Some rows have a blank identifier. Whose rows are they?"),
        {
            OF_PEOPLE: Phrase("those of people whose identifier is missing"),
            COUNTERFEITS: Phrase("nobody's: they were made up, to protect others"),
        },
    ),
    "table.over_time": (
        Phrase(
            "Whom does each release count? (If their periods overlap, as twelve months to the end of each quarter do, "
            "answer ?: none of these is right, and the page on count tables says what to write.)"
        ),
        _COUNTED,
    ),
}
"""Questions about keys that have one of a few values, by key, with the meaning of each value."""
_TYPED = (
    "dimensions",
    "min_count",
    "min_width",
    "not_counts",
    "not_published",
    "perturbation",
    "rounding",
    "threshold",
)
_SHOWN, _TAGS_SHOWN = 3, 12
_GUESS = r"""^((?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*')*# )(?:guess: |{mark})"""  # in a comment, not in a text
_MARK = r"^# (?:guess: |{mark})"


def confirmed(folder: Path, text: str, ask: Ask) -> str:
    """Ask the publisher about a manifest's guesses and columns without a role, and return its new text.

    If another column becomes sensitive, the file of transitions that was drafted for the former one is written anew.

    Raises:
        OSError: this file cannot be written.
        InputError: the manifest cannot be read, or the answers would make it unreadable.
        UsageError: by the answers, no column is sensitive.
    """
    manifest = _opened(folder, text)
    asked = _Asked(folder, tomlkit.parse(text), manifest, ask)
    asked.ask_waves()
    asked.find_cases()
    if (manifest := asked.manifest) is not None:
        found = _published(manifest)
        asked.ask_roles(manifest, found)
        asked.state_blank(found)
        asked.ask_types(manifest)
        moved = asked.ask_order(manifest.releases)
        columns = manifest.columns
        before = [{*columns.sensitive}, {columns.individual} - {None}, {columns.record} - {None}]
        people = "adversary.register" in manifest.unconfirmed or HeldReleases(manifest).series.keyed
        whole = asked.has_transitions(manifest)
        unsaid = people and not whole
        if unsaid or moved or [{*asked.named(role)} for role in ("sensitive", "individual", "record")] != before:
            asked.draft_transitions(manifest, whole=whole)
        asked.ask_harmless(found)
        asked.ask_register(manifest)
    asked.ask_others()
    asked.ask_sheets()
    asked.ask_columns()
    changed = tomlkit.dumps(asked.document)
    if UNCONFIRMED not in asked.document:
        mark = re.compile(_GUESS.format(mark=re.escape(say("guess: "))))
        changed = "".join(mark.sub(r"\1", line) for line in changed.splitlines(keepends=True))
    for name, content in asked.files.items():
        write_file(folder / name, content)
    _opened(folder, changed)
    return changed


def undecided(folder: Path, text: str) -> list[str]:
    """Return why the policy of a series of count tables stays undecided by its manifest, apart from guesses."""
    counts = _counts_of(folder, text) if is_about_tables(text) else None
    if counts is None:
        return []
    least, sure = counts.manifest.limits({})["min_count"], replace(counts.manifest, unconfirmed=())
    doubts = table_doubts(replace(counts, manifest=sure), (), least, nothing_found=False)
    return [f"{each.reason}" for each in doubts]


def _counts_of(folder: Path, text: str) -> PublishedCounts | None:
    """Return the counts of a series by the text of its manifest; None if they cannot be read."""
    with suppress(InputError):
        manifest = parse_table_manifest(folder, text, problems := Problems())
        if manifest is not None and not problems.found and manifest.limits({}):
            return read_counts(manifest)
    return None


def _is_label(folder: Path, text: str, label: str) -> bool:
    """Return whether a cell of a series of count tables, or a column of its counts, has a label, or it is empty."""
    counts = _counts_of(folder, text)
    if counts is None or not label:
        return True
    cells = (part.table.distinct(name) for part in counts.parts for name in part.table.names)
    return any(label in [*part.view.labels.values()] for part in counts.parts) or any(label in some for some in cells)


def _opened(folder: Path, text: str) -> Manifest | None:
    """Return the manifest of a text; None if it is for count tables.

    Raises:
        InputError: it cannot be opened.
    """
    problems = Problems()
    if is_about_tables(text):
        parse_table_manifest(folder, text, problems)
        problems.check()
        return None
    manifest = parse_manifest(folder, text, problems)
    if manifest is not None and not problems.found:
        check_headers(manifest, problems)
    problems.check()
    return manifest


@dataclass
class _Asked:
    """A manifest while its publisher is asked about it.

    Attributes:
        folder: the folder of the series.
        document: the text as it changes; a tomlkit document, untyped.
        manifest: the manifest once its releases are asked about; None for count tables, whose columns have no roles.
        ask: asks the publisher.
        left: the keys that the publisher left open.
        files: further files to write, by name.
    """

    folder: Path
    document: Toml
    manifest: Manifest | None
    ask: Ask
    left: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> Toml:
        """The table of columns."""
        return self.document["columns"]

    def ask_waves(self) -> None:
        """Ask whether a column names the release of each row, if it is a guess; by a no, its file is one release."""
        guesses = self.document.get(UNCONFIRMED, {}).get("keys", [])
        if self.manifest is None or _WAVES not in guesses:
            return
        by, tags = str(self.document["series"]["releases_by"]), self.manifest.tags
        text = say(
            'Does the column "{column}" name the release of each row? There are then {count} releases: {tags}.',
            column=printable(by),
            count=len(tags),
            tags=joined([printable(tag) for tag in tags], most=_TAGS_SHOWN),
        )
        answers = {"yes": say("yes"), "no": say("no, all rows of the file are of one release"), **_said(_LEFT_OPEN)}
        answer = self.ask(Question(text, answers, OPEN))
        if answer == OPEN:
            self.left.add(_WAVES)
            return
        guesses.remove(_WAVES)
        if answer == "no":
            del self.document["series"]["releases_by"]
            self.take_role(by, "unlinkable")
            self.manifest = _opened(self.folder, self.document.as_string())

    def find_cases(self) -> None:
        """State that rows are cases, as a guess, where a column is about them and the manifest says nothing of it."""
        series = None if self.manifest is None else Series.of(self.manifest)
        if series is not None and (column := series.columns.rules[SeveralRows].about_cases(series)) is not None:
            self.guess(f"columns.{SeveralRows.key}", EPISODES, named_for_cases(column))

    # -- roles

    def ask_roles(self, manifest: Manifest, found: Mapping[str, Column]) -> None:
        """Ask for the role of each column that has none or a guessed one, or cannot have the one that is stated.

        Raises:
            UsageError: no column is sensitive.
        """
        ids = [manifest.columns.record, None if SeveralRows.key in self.columns else manifest.columns.individual]
        refused = [name for name in ids if name is not None and self.beside(name) is not None]
        waiting = list(dict.fromkeys([*_guessed(manifest, found), *refused, *columns_without_role(manifest)]))
        for name in filter(None, waiting):
            if name in self.named("record")[1:]:  # an answer about the other column has named it
                continue
            waiting += [each for each in self.ask_role(name, found.get(name)) if each not in waiting]
        if not self.named("sensitive") and (known := self.named("quasi_identifiers")):
            question = say("By these answers no column is sensitive. Which of these is?")
            name = self.ask(Question(question, dict.fromkeys(known, ""), ""))
            self.take_role(name, "quasi_identifiers")
            self.give_role(name, "sensitive")
        if not self.named("sensitive"):
            raise UsageError.say("by these answers no column is sensitive, and nothing can be judged; answer again")

    def ask_role(self, name: str, column: Column | None) -> list[str]:
        """Ask for a column's role and write it; return the columns that lose this role."""
        before = self.role(name)
        question, default = question_about(name, column, has_role=bool(before)), OPEN
        answers = _said((_ROLES if before or column is not None else {"unlinkable": _ROLES["unlinkable"]}) | _LEFT_OPEN)
        if before:
            says = say("{file} says {key} = {value}.", file=NAME, key=f"columns.{before}", value=toml_value(name))
            question = f"{question} {says}"
        supported = {"sensitive": bool(sensitivity(name)), "quasi_identifiers": is_quasi(name)}
        if column is None and not before:
            question = f"{question} {say('Not all releases have it.')}"
        elif before in ("", "quasi_identifiers") and supported["sensitive"]:
            question = f"{question} {say('Its name says that it may be sensitive.')}"
        elif before == "sensitive" and not supported[before]:
            question = f"{question} {say('Its name does not say that it is sensitive.')}"
        elif supported.get(before or "quasi_identifiers"):
            default = before or "quasi_identifiers"
        role, beside = self.ask_which(name, Question(question, answers, default))
        reason = str(self.columns[role][name]) if role == before == "unlinkable" else ""
        if role == "unlinkable":
            reason = self.ask(text_of(why_unlinkable(name), reason or OPEN))
        if OPEN in (role, reason):
            self.left |= _OF_PEOPLE if f"columns.{before}" in _OF_PEOPLE else {f"columns.{before}"}
            return []
        if role == before != "unlinkable" and not beside:
            return []
        excluded = self.named(_EXCLUDES.get(role, ""))
        lost = [*(each for each in self.named(role) if role in _SINGLE and each not in (name, beside)), *excluded]
        for each in dict.fromkeys(filter(None, [name, beside, *excluded])):
            self.take_role(each, self.role(each))
        self.give_role(name, role, reason, beside)
        return lost

    def missing_beside(self, name: str) -> dict[str, list[str]]:
        """Return the quasi-identifiers that only the releases with a column lack, each with these releases."""
        releases = () if self.manifest is None else self.manifest.releases
        headers = {
            each.tag: self.manifest.headings(each.tag).names(each.rows, each.shown) or []
            for each in releases
            if self.manifest is not None
        }
        having = [tag for tag, names in headers.items() if name in names]
        return {
            other: having
            for other in self.named("quasi_identifiers")
            if 0 < len(having) < len(headers) and all((other in own) != (name in own) for own in headers.values())
        }

    def beside(self, name: str) -> list[str] | None:
        """Return the columns that name each row together with one that does not by itself; None for one that does.

        None, too, if the rows are episodes, so that records are not followed.
        """
        if self.manifest is None or self.columns.get(SeveralRows.key) == EPISODES:
            return None
        return beside_record(self.manifest, name)

    def ask_which(self, name: str, question: Question) -> tuple[str, str]:
        """Ask for a column's role; return it with the column that names the records together with it, if one does.

        A column that several rows of a release share is no record id alone. One that stands where releases lack a
        quasi-identifier may be that one under another name, which leaves it without a role of its own.
        """
        import tomlkit

        missing = self.missing_beside(name)
        same = {f"= {other}": say("the same column under another name") for other in missing}
        role = self.ask(replace(question, answers=question.answers | same))
        if role in same:
            other, stated = role.removeprefix("= "), self.document.unwrap()["columns"].get(Renamed.key, {})
            renamed = {tag: {**stated.get(tag, {}), name: other} for tag in missing[other]}
            self.columns[Renamed.key] = tomlkit.inline_table()
            self.columns[Renamed.key].update({**stated, **renamed})
            return OPEN, ""
        others = self.beside(name) if role in ("record", "individual") else None
        if role == "individual" and others is not None and SeveralRows.key not in self.columns:
            self.guess(f"columns.{SeveralRows.key}", EPISODES, str(SeveralRows.why))
        if role == "individual" or others is None:
            return role, ""
        shared = say(
            'Several rows of a release have the same "{column}", as people of one household have, so it names no '
            "record by itself.",
            column=printable(name),
        )
        text = say("Which column counts these people, and so names the record together with it?")
        visits = {EPISODES: say("none: all are rows of one person, as several stays; each is then judged by itself")}
        answers = {**dict.fromkeys(others, ""), **visits, OPEN: say("none; then it is no record id")}
        if (beside := self.ask(Question(f"{shared} {text}", answers, OPEN))) != OPEN:
            if beside not in others:
                state(self.columns, SeveralRows.key, EPISODES, say("as answered"))
                return role, ""
            return role, beside
        answers = {answer: follows for answer, follows in question.answers.items() if answer != role}
        return self.ask(Question(f"{shared} {question.text}", answers, OPEN)), ""

    def role(self, name: str) -> str:
        """Return a column's present role; an empty text if it has none."""
        return next((role for role in _ROLES if name in self.named(role)), "")

    def named(self, role: str) -> list[str]:
        """Return the columns that have a role."""
        value = self.columns.get(role, [])
        return [str(value)] if isinstance(value, str) else [str(each) for each in value]

    def take_role(self, name: str, role: str) -> None:
        """Remove a column from the key that names it, from its comments, and from keys about how cells are read."""
        value = self.columns.get(role)
        if isinstance(value, str):
            _say_nothing_below(self.columns, role)
            del self.columns[role]
        elif value is not None and role == "unlinkable":
            del value[name]
            if not value:
                del self.columns[role]
        elif value is not None:
            value.remove(name)
            _say_nothing_below(self.columns, role, f'"{printable(name)}"')
        for key in ("hierarchies", "types", *OF_SENSITIVE * (role == "sensitive")):
            if name in self.columns.get(key, {}):
                del self.columns[key][name]
                if not self.columns[key]:
                    del self.columns[key]
        if [name] == self.columns.get("changing", []):
            del self.columns["changing"]
        elif name in self.columns.get("changing", []):
            self.columns["changing"].remove(name)

    def give_role(self, name: str, role: str, reason: str = "", beside: str = "") -> None:
        """Name a column under the key of its role, with the one that names the records together with it."""
        value = self.columns.get(role)
        if role == "unlinkable":
            if value is None:
                value = self.columns[role] = tomlkit.inline_table()
            value[name] = reason
        elif role in _SINGLE or (value is None and role == "sensitive"):
            self.columns[role] = [name, beside] if beside else name
        elif value is None or isinstance(value, str):
            self.columns[role] = [*self.named(role), name]
        else:
            value.append(name)

    def state_blank(self, found: Mapping[str, Column]) -> None:
        """State that blank sensitive cells are values that are not known, as audits need it."""
        missing = self.columns.get(Missing.key, [])
        if "" not in missing and any("" in found[name].texts for name in self.named("sensitive") if name in found):
            self.columns[Missing.key] = [*missing, ""]

    def ask_types(self, before: Manifest) -> None:
        """Ask of each sensitive column of numbers, if it was none before, what they are, and what their commas mean."""
        held, releases = HeldReleases(self.answered(before)), list[KeyedRelease]()
        with suppress(InputError):  # an audit reports it
            releases += held.releases
        series, rule = held.series, held.series.columns.rules[ColumnTypes]
        for name in [each for each in self.named("sensitive") if each not in {*before.columns.sensitive, *rule.kinds}]:
            numbers = rule.numbers(series, name, series.manifest.widths.get(name)) if releases else None
            if numbers is None or rule.kind_of(series, name).is_date:
                continue
            texts = [text for text in series.vocabularies[name].names if any(map(str.isdigit, text))]
            about = {"column": printable(name), "texts": in_quotes(texts, _SHOWN, limit=40)}
            answers = {**_NUMBERS, **_LEFT_OPEN}
            answer = self.ask(
                Question(say('What are the values of "{column}", such as {texts}?', **about), _said(answers), OPEN)
            )
            if answer != OPEN:
                self.columns.setdefault(ColumnTypes.key, tomlkit.inline_table())[name] = answer
            if answer == Kind.NUMERIC.value and Decimal.key not in self.columns and any("," in text for text in texts):
                about["texts"] = in_quotes([text for text in texts if "," in text], _SHOWN, limit=40)
                text = say('Which is the decimal sign of numbers of "{column}", such as {texts}?', **about)
                if (sign := self.ask(Question(text, _said({**_SIGNS, **_LEFT_OPEN}), OPEN))) != OPEN:
                    self.columns[Decimal.key] = sign

    def has_transitions(self, before: Manifest) -> bool:
        """Return whether the manifest states transitions, and not by a file that lacks values."""
        stated = self.document.get("adversary", {}).get("transitions")
        return stated in (ANY, NEVER) or (stated is not None and self.lists_all(before, str(stated)))

    def lists_all(self, before: Manifest, file: str, names: Sequence[str] = ()) -> bool:
        """Return whether a file of transitions lists what may follow each value of columns, as audits need it.

        Without `names`, of all sensitive columns.
        """
        held = HeldReleases(replace(self.answered(before), transitions=file, any_transitions=False))
        series, releases = held.series, list[KeyedRelease]()
        with suppress(InputError):  # an audit reports what is wrong in a release
            releases += held.releases
        try:
            for name in names or series.columns.sensitive:
                listed = read_transitions(series, name, series.vocabularies[name]).listed
                for release in releases:
                    check_listed(series, release, name, listed)
        except InputError:
            return False
        return True

    def draft_transitions(self, before: Manifest, *, whole: bool) -> None:
        """Draft the transitions anew by the answers about columns and their order, as a guess.

        Those that the publisher has stated remain if they are `whole`, as does a draft's file that the publisher has
        edited.
        """
        drafted, adversary = _CHANGES in before.unconfirmed, self.document.get("adversary", {})
        rows = self.columns.get(SeveralRows.key, OF_PEOPLE)
        if rows != OF_PEOPLE or (whole and not drafted):
            return
        changes = changes_of_values(HeldReleases(replace(self.answered(before), transitions=None)))
        path, old = before.folder / TRANSITIONS, Guesses("")
        if path.exists():
            before_answers = changes_of_values(HeldReleases(replace(before, transitions=None)))
            state_changes(before_answers, old, before.folder, own=True)
        own = drafted and path.exists() and old.files.get(TRANSITIONS) == path.read_text(encoding="utf-8")
        found = Guesses("")
        state_changes(changes, found, before.folder, own=own)
        if drafted:
            self.document[UNCONFIRMED]["keys"].remove(_CHANGES)
            if TRANSITIONS not in found.files:
                _say_nothing_below(adversary, "transitions")
        if not found.why:
            adversary.pop("transitions", None)
        for key, why in found.why.items():
            self.guess(key, found.document["adversary"]["transitions"], why)
        self.files = found.files

    def guess(self, key: str, value: object, why: str) -> None:
        """Write a guess with its reason."""
        table, name = key_path(key)
        place = self.document.setdefault(table, tomlkit.table())
        below = [] if place else [item for _, item in place.value.body]
        if below:  # the comments of an empty table, which follow the entry
            place = tomlkit.table()
        state(place, name, value, f"{say('guess: ')}{why}")
        for item in below:
            place.value.append(None, item)
        self.document[table] = place
        self.document.setdefault(UNCONFIRMED, tomlkit.table()).setdefault("keys", tomlkit.array()).append(key)

    def answered(self, before: Manifest) -> Manifest:
        """Return the manifest by the answers so far, without guesses, which name roles that no column may have."""
        return self.opened() or before

    def opened(self) -> Manifest | None:
        """Return the manifest as `answered`; None if it is for count tables.

        Raises:
            InputError: it cannot be opened.
        """
        document = tomlkit.parse(tomlkit.dumps(self.document))
        document.pop(UNCONFIRMED, None)
        if document.get("adversary", {}).get("transitions") in self.files:  # it is not written yet
            del document["adversary"]["transitions"]
        return _opened(self.folder, tomlkit.dumps(document))

    # -- other guesses

    def ask_harmless(self, found: Mapping[str, Column]) -> None:
        """Ask which values are harmless, while other guesses are left, and whether it may be known that one is not."""
        for name in self.named("sensitive") if UNCONFIRMED in self.document else ():
            stated = self.columns.get("harmless", {}).get(name, [])
            texts = [*perhaps_harmless(found[name]), *{""} & {*found[name].texts}] if name in found else []
            texts = [text for text in dict.fromkeys(texts) if text not in stated]
            if known := [text for text in texts if self.ask(about_value(name, text)) == "yes"]:
                self.columns.setdefault("harmless", tomlkit.inline_table())[name] = [*stated, *known]
        for name, harmless in self.columns.get("harmless", {}).items():
            unknown = unknown_among(found[name].texts, of_numbers=True) if name in found else []
            if name in self.columns.get("similar", {}) or {*harmless} <= {*unknown, ""}:
                continue
            if (similar := about_others(name, harmless, self.ask)) is not None:
                self.columns.setdefault("similar", tomlkit.inline_table())[name] = similar

    def ask_register(self, manifest: Manifest) -> None:
        """Ask which columns of the register say what the quasi-identifiers say that it lacks."""
        file = str(manifest.register)
        names = header(self.folder / file, file, Problems()) if manifest.register is not None else ()
        ours = {theirs: own for own, theirs in manifest.register_columns.items()}
        known = {*(ours.get(each, each) for each in names or ()), *manifest.register_lacks}
        spare = [each for each in names or () if each not in {*ours, *REGISTER_COLUMNS, *manifest.register_people}]
        for name in [each for each in self.named("quasi_identifiers") if names and each not in known]:
            question = say(
                '{file} has no column "{column}". Which of its columns has the same values, or do they follow from '
                "others, as an age follows from a day of birth?",
                file=printable(file),
                column=printable(name),
            )
            same = {f"= {each}": "" for each in spare if each not in self.named("quasi_identifiers")}
            none = {"none": say("none, and they follow from no others; any value is then anybody's")}
            open_to = say("they follow from others, or it is not clear; add them to {file}", file=printable(file))
            answer = self.ask(Question(question, {**same, **none, OPEN: open_to}, OPEN))
            if answer != OPEN:
                stated = self.document.setdefault("register", tomlkit.table())
                stated[name] = answer.removeprefix("= ") if answer in same else False

    def ask_others(self) -> None:
        """Ask about each guess other than a role; denied guesses, which the publisher must correct, remain listed."""
        if UNCONFIRMED not in self.document:
            return
        asked = _ROLE_KEYS if self.manifest is not None else frozenset[str]()
        for key in self.still_guessed(right=asked - self.left):
            if key not in self.left and value_under(self.document, key) is not None:
                self.still_guessed(right=[key] * self.is_right(key))
        if not self.document[UNCONFIRMED]["keys"]:
            _drop_guesses(self.document)

    def still_guessed(self, *, right: Collection[str]) -> list[str]:
        """Remove guesses that are right, and keys that an answer has removed, with which no manifest can be read."""
        guesses = self.document[UNCONFIRMED]
        keys = [str(each) for each in guesses["keys"] if each not in right]
        guesses["keys"] = [key for key in keys if value_under(self.document, key) is not None]
        return [*guesses["keys"]]

    def ask_sheets(self) -> None:
        """Ask of each sheet that is not read and may be one more table of counts whether it discloses none."""
        text = tomlkit.dumps(self.document)
        manifest = parse_table_manifest(self.folder, text, Problems()) if self.manifest is None else None
        for name, files in ({} if manifest is None else manifest.unread_sheets()).items():
            question = say(
                'The sheet "{sheet}" of {files} looks like a table, and is not read. If it counts the same people, '
                "hidden counts may follow from all sheets together: then save each sheet as a CSV file, those of a "
                "release in a folder of their own, such as {example}, and let `audit init` describe these. Is it "
                "certain that it discloses no hidden or small count?",
                sheet=printable(name),
                files=printable(joined(files, most=_SHOWN), 400),
                example=printable(f"{release_tag(files[0])}/{name}.csv", 400),
            )
            self.ask_not_counts(name, question)

    def ask_columns(self) -> None:
        """Ask of each column beside counts that the manifest does not explain whether it discloses none of them."""
        counts = _counts_of(self.folder, tomlkit.dumps(self.document)) if self.manifest is None else None
        for name in () if counts is None else chain(*unread_columns(counts)):
            question = say(
                'The column "{column}" stands beside the counts, and is not judged. If it holds rates, changes, '
                "further counts or labels of the same people, hidden counts may follow from it: then leave it open, "
                "and say what it is under [table] (rates, change, values, dimensions). Is it certain that it discloses "
                "no hidden or small count?",
                column=printable(name),
            )
            self.ask_not_counts(name, question)

    def ask_not_counts(self, name: str, question: str) -> None:
        """Ask whether a sheet or column discloses no count, and name it in `not_counts` if it is certain."""
        if self.ask(yes_or_no(question, OPEN)) == "yes":
            self.document["table"].setdefault("not_counts", tomlkit.array()).append(name)

    def ask_order(self, releases: tuple[ReleaseFiles, ...]) -> bool:
        """Ask for the order in which the releases were published, if it is a guess; return whether it is another.

        Where a table named like them is not listed, `ask_others` asks whether the list is right.
        """
        guesses = self.document.get(UNCONFIRMED, {}).get("keys", [])
        tags = [release.tag for release in releases]
        beside = [] if self.manifest is None else self.manifest.unlisted()
        left_out = any(named_like(release_tag(path.name), tags) for path in beside)
        if _ORDER not in guesses or len(releases) < 2 or (left_out and in_time(tags)[1]):
            return False
        names = printable(", ".join(tags), 2_000)
        text = say("In which order were the releases published? Write these names in that order: {names}.", names=names)
        given: list[str] = []
        while sorted(given) != sorted(tags):
            answer = self.ask(text_of(text, OPEN))
            if answer == OPEN:
                self.left.add(_ORDER)
                return False
            given = [tag.strip() for tag in answer.split(",")]
            text = say("Write each of the names once, in the order of publication, with commas between them.")
        if not left_out:
            guesses.remove(_ORDER)
        if given != tags:
            pairs = {each.tag: {"rows": each.shown, "values": each.values_shown} for each in releases if each.values}
            entries = {each.tag: each.shown for each in releases} | pairs
            listed = tomlkit.array().multiline(multiline=True)
            listed.extend(entries[tag] for tag in given)
            self.document["series"]["releases"] = listed
        return given != tags

    def ask_instead(self, place: Toml, last: str, shown: str, *, is_sign: bool) -> bool:
        """Ask what the value of a key is instead, until the manifest can be read with it; return whether there is one.

        Of a sign, ask which counts it stands for.
        """
        question = say('What is right instead of {shown}? Write it in the same way; "?" leaves it open.', shown=shown)
        if is_sign:
            question = say(
                'Which counts does "{sign}" stand for? Write, for example, {few}, {many}, or, if it can be any count, '
                '{any}; "?" leaves it open.',
                sign=last,
                few=in_words(1, 4),
                many=in_words(5, inf),
                any=in_words(0, inf),
            )
        elif last == "rounding":
            question = say(
                'How were the numbers rounded? Write it like {shown}, or "{none}" if they are exact; "?" leaves it '
                "open.",
                shown=shown,
                none=say("none"),
            )
        is_text = isinstance(place[last], str)

        def read(answer: str) -> Toml:
            if last == "rounding" and answer.casefold() in ("none", say("none")):
                return None
            value = _counts(answer) if is_sign else answer if is_text and answer[0] != '"' else tomlkit.value(answer)
            if is_text and not _is_label(self.folder, tomlkit.dumps(self.document), f"{value}"):
                what = say('no table has the label "{label}"', label=printable(f"{value}"))
                raise InputError([Problem(NAME, what, say("write a label of the tables"))])
            return value

        is_answered = self.ask_value(place, last, question, read)
        if last == "rounding" and not {"rounding", "perturbation"} & place.keys():
            place.pop("exact", None)
        return is_answered

    def ask_value(
        self,
        place: Toml,
        last: str,
        text: str,
        read: Callable[[str], Toml] = str,
        answers: Mapping[str, Phrase] = MappingProxyType({}),
    ) -> bool:
        """Ask for the value of a key until the manifest can be read with it; return whether it is answered.

        `read` returns the value that an answer means, None for no value, or raises a ValueError.
        """
        question, old = text, place[last]
        while (answer := self.ask(Question(question, _said(answers), OPEN))) != OPEN:
            try:
                if (value := read(answer)) is None:
                    del place[last]
                    return True
                place[last] = tomlkit.item(value)
                self.opened()
            except ValueError:
                question = text
            except InputError as error:
                question = say("{problem}. {question}", problem=error.problems[0], question=text)
            else:
                if not isinstance(place, InlineTable):
                    place[last].comment(say("as answered"))
                return True
        place[last] = old
        return False

    def ask_changes(self, why: Sequence[str]) -> bool:
        """Ask of each sensitive column whether its values change, and write what is answered; return whether all is."""
        adversary, given = self.document["adversary"], dict[str, str]()
        stated = str(adversary["transitions"])
        file = TRANSITIONS if stated in (ANY, NEVER) else stated
        for name in self.named("sensitive"):
            answers, default = {NEVER: say("no, as with a place of birth")}, OPEN
            if file in self.files or (self.manifest is not None and self.lists_all(self.manifest, file, [name])):
                answers["stated"] = say("in the ways that {file} lists", file=file)
                default = OPEN if stated in (NEVER, ANY) else "stated"
            answers[ANY] = say("any value may become any other; an audit then judges each release by itself")
            answers[OPEN] = say("in some ways, which {file} does not list yet; it remains a guess", file=file)
            question = CAN_CHANGE.filled(column=printable(name))
            given[name] = self.ask(Question(f"{question} ({joined(why)})" if why else question, answers, default))
            if given[name] == OPEN:
                return False
        [answer, *others] = {*given.values()}
        if answer == "stated" and not others:
            if file != stated:
                state(adversary, "transitions", file, say("as answered"))
            return True
        written = self.list_changes(file, given) if others else answer
        if written is None:
            return False
        if written != file:
            self.files.pop(file, None)
        state(adversary, "transitions", written, say("as answered"))
        _say_nothing_below(adversary, "transitions")
        return True

    def list_changes(self, file: str, answers: Mapping[str, str]) -> str | None:
        """Write a file of transitions, those of each column by its own answer; return its name.

        None if it cannot list them: any pair of too many values is possible, or the lines of a file have probabilities.
        """
        if self.manifest is None:
            return None
        before, drafted = replace(self.answered(self.manifest), transitions=None), file in self.files
        found = (changes_of_values(HeldReleases(before)) or {}) if drafted else {}
        series, changes = Series.of(replace(before, any_transitions=True)), dict[str, Collection[tuple[str, str]]]()
        for name, answer in answers.items():
            read_transitions(series, name, values := series.vocabularies[name])
            stated = read_lines(self.folder, file, Problems(), attribute=name, missing=series.missing(name))
            if answer != "stated":
                if answer == ANY and len(values) > MOST_CHANGING:
                    return None
                changes[name] = [*possible_changes(series, name, values.names, every=answer == ANY)]
            elif drafted:
                changes[name] = found[name]
            elif stated is None or any(stated.probability.values()):
                return None
            else:
                changes[name] = stated.probability
        text = lines_of(changes)
        written = file if drafted else file_for(self.folder, text)
        self.files[written] = text
        return written

    def is_right(self, key: str) -> bool:
        """Ask whether a key is right; if not, a key of columns or of the adversary is deleted if it can be.

        For a marker, ask which counts it stands for instead; for other values of count tables, what it is.
        """
        *tables, last = key_path(key)
        place = self.document
        for table in tables:
            place = place[table]
        old = place.unwrap()[last]
        value = printable(toml_line(old), 2_000)
        # For a bool, the table itself returns no item, and so no comment.
        item = place.value.item(last) if isinstance(place, AbstractTable) else place[last]
        # The lines of a table have the comments, such as those of columns.crosswalk.
        inside = item.value.body if isinstance(item, AbstractTable) else []
        lines = [item, *(line for name, line in inside if name is not None)]
        comments = [getattr(line, "trivia", Trivia()).comment for line in lines]
        mark = _MARK.format(mark=re.escape(say("guess: ")))
        why = [each for comment in comments for each in re.split(mark, comment)[1:]]
        if key == _CHANGES:
            return self.ask_changes(why)
        says = say("{file} says {key} = {value}.", file=NAME, key=key, value=value)
        if key in _CHOICES:
            text, choices = _CHOICES[key]
            return self.ask_value(place, last, f"{text} {says}", answers={**choices, **_LEFT_OPEN})
        is_sign = tables == ["table", "markers"]
        if is_sign:
            says = say('{file} says that "{sign}" stands for {counts}.', file=NAME, sign=last, counts=in_words(*old))
        because = [f"{each[:1].upper()}{each[1:].rstrip('.')}." for each in why]
        question = " ".join([says, *because, say("Is that right?")])
        if (answer := self.ask(yes_or_no(question, OPEN))) != "no":
            return answer == "yes"
        if self.manifest is None and (is_sign or tables == ["table", "totals"] or last in _TYPED):
            return self.ask_instead(place, last, value, is_sign=is_sign)
        may_go = self.manifest is not None and tables[0] in ("columns", "adversary") and last not in _OF_REGISTER
        return may_go and self.is_deleted(place, last, item)

    def is_deleted(self, place: Toml, last: str, item: Toml) -> bool:
        """Delete a key and return True, unless the releases cannot be read without it."""
        del place[last]
        try:
            self.opened()
        except InputError:
            place[last] = item
            return False
        return True


def state(table: Toml, key: str, value: object, comment: str) -> None:
    """Write a value under a key, and a comment beside it."""
    table[key] = value
    table[key].comment(comment)


def _say_nothing_below(table: Toml, key: str, about: str = "") -> None:
    """Remove the lines of comment right below a key, which say what was guessed, if they are `about` a column."""
    lines = dropwhile(lambda line: line[0] is None or line[0].key != key, table.value.body)
    comments = [item.trivia for _, item in takewhile(lambda line: isinstance(line[1], Comment), islice(lines, 1, None))]
    for trivia in comments if any(about in trivia.comment for trivia in comments) else ():
        trivia.indent = trivia.comment_ws = trivia.comment = trivia.trail = ""


def _counts(answer: str) -> list[float]:
    """Return the least and the greatest count that an answer says, `inf` where there is no greatest.

    Raises:
        ValueError: it says none.
    """
    number = number_of(answer)
    ends = said_range(answer) if number is None else (number, number)
    if ends is None:
        raise ValueError(answer)
    return [ends[0], ends[1] if ends[1] < UNBOUNDED else inf]


def _drop_guesses(document: Toml) -> None:
    """Remove the table of guesses, but not the text below it, which tomlkit counts as part of the table."""
    tables = [(key, item) for key, item in document.body if isinstance(item, Table)]
    place = next((place for place, (key, _) in enumerate(tables) if key.key == UNCONFIRMED), 0)
    items = tables[place][1].value.body
    last = max(at for at, (key, _) in enumerate(items) if key is not None)
    del document[UNCONFIRMED]
    before = tables[place - 1][1].value if place else document
    for _, item in items[last + 1 :]:
        before.append(None, item)


def _published(manifest: Manifest) -> dict[str, Column]:
    """Return the columns that all releases have, with the first cells of each."""
    releases = manifest.releases
    renamed = [manifest.columns.rules[Renamed].names.get(release.tag, {}) for release in releases]
    found = read_columns([(each.rows, each.shown) for each in releases], renamed)
    if all(each.values is not None for each in releases):
        found |= read_columns([(each.values or each.rows, each.values_shown) for each in releases], renamed)
    return found


def _guessed(manifest: Manifest, found: Mapping[str, Column]) -> Iterator[str]:
    """Yield the columns whose role is a guess; generalized cells under such a name are those of quasi-identifiers."""
    columns, guesses = manifest.columns, set(manifest.unconfirmed)
    if "columns.sensitive" in guesses:
        yield from columns.sensitive
    if guesses & _OF_PEOPLE:
        exact = [name for name in columns.quasi_identifiers if name not in columns.rules[Hierarchies].names]
        yield from (name for name in exact if name not in found or found[name].form is None or not is_quasi(name))
    for role in _SINGLE:
        name = getattr(columns, role)
        if f"columns.{role}" in guesses and name is not None:
            yield name
    if "columns.unlinkable" in guesses:
        yield from columns.rules[Unlinkable].columns


def _said(answers: Mapping[str, Phrase]) -> dict[str, str]:
    return {answer: str(follows) for answer, follows in answers.items()}


def why_unlinkable(name: str) -> str:
    """Return the question why a column is unlinkable."""
    return say('Why can no outsider know "{column}" about a person?', column=printable(name))


def question_about(name: str, column: Column | None, *, has_role: bool = False) -> str:
    """Return a question about a column's role, with some of its cells."""
    question = say('What is the column "{column}"?', column=printable(name))
    if column is not None:
        cells, count = ", ".join(f'"{printable(text)}"' for text in column.some[:_SHOWN]) or '""', len(column.some)
        has = say_count("It has {count} [text in all cells,|different cells, such as] {cells}.", count, cells=cells)
        if not column.whole:
            has = say("It has at least {count} different cells, such as {cells}.", count=figure(count), cells=cells)
        question = f"{question} {has}"
    return question if has_role else f"{question} {say('It has no role.')}"
