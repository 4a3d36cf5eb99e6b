"""Questions to the publisher of a manifest, and the manifest while its guesses are asked about.

Nothing else in the file changes, comments included; only the word "guess" before a reason of `audit init` is removed
with the guess. Beside guesses, the publisher of count tables is asked about sheets and columns that are not judged.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, dropwhile, islice, takewhile
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Generic, TypeAlias, TypeVar

import tomlkit
from tomlkit.items import AbstractTable, Comment, InlineTable, Table, Trivia

from audit.count_tables.doubts import table_doubts, unread_columns
from audit.count_tables.manifest import TableManifest, parse_table_manifest
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_texts import number_of, said_range
from audit.count_tables.read_counts import read_counts
from audit.init.columns import Column
from audit.init.count_columns import speaks_of_changes
from audit.init.count_rules import in_words
from audit.io.atomic_files import write_file
from audit.io.manifest import NAME, is_about_tables
from audit.io.rules.rows_and_values import COUNTERFEITS, EPISODES, OF_PEOPLE, SeveralRows, Unnamed
from audit.io.toml import UNCONFIRMED, Toml, key_path, release_tag, toml_line, value_under
from audit.model.arrays import UNBOUNDED
from audit.model.errors import InputError, Problem, Problems
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
LEFT_OPEN = {OPEN: Phrase("leave it open; the verdict stays undecided")}
CAN_CHANGE = Phrase('Can the value of "{column}" of a person change between two releases?')
OF_SENSITIVE = ("harmless", "left_out", "similar")
"""The keys about values of sensitive columns."""
ManifestRead = TypeVar("ManifestRead")
_SHOWN = 3
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
_GUESS = r"""^((?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*')*# )(?:guess: |{mark})"""  # in a comment, not in a text
_MARK = r"^# (?:guess: |{mark})"
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


def yes_or_no(text: str, default: str = "no") -> Question:
    """Return a question with the answers yes and no, and where `OPEN` is the default, that it is left open."""
    own = {"yes": say("yes"), "no": say("no")}
    answers = {name: "" if name == said else said for name, said in own.items()}
    return Question(text, answers | (answers_in_language(LEFT_OPEN) if default == OPEN else {}), default)


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


def answers_in_language(answers: Mapping[str, Phrase]) -> dict[str, str]:
    """Return answers with their explanations in the language in use."""
    return {answer: str(follows) for answer, follows in answers.items()}


@dataclass
class AskedManifest(ABC, Generic[ManifestRead]):
    """A manifest while its publisher is asked about it.

    Attributes:
        asked_before: the keys about which other questions are asked, before those about guesses.
        folder: the folder of the series.
        text: the text before the answers.
        ask: asks the publisher.
        manifest: the manifest before the answers.
        document: the text as it changes; a tomlkit document, untyped.
        left: the keys that the publisher left open.
        files: further files to write, by name.
    """

    asked_before: ClassVar[frozenset[str]] = frozenset()
    folder: Path
    text: str
    ask: Ask
    left: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)
    manifest: ManifestRead = field(init=False)
    document: Toml = field(init=False)

    def __post_init__(self) -> None:
        """Read the manifest.

        Raises:
            InputError: it cannot be opened.
        """
        self.manifest, self.document = self.read(self.text), tomlkit.parse(self.text)

    @abstractmethod
    def read(self, text: str) -> ManifestRead:
        """Return the manifest of a text.

        Raises:
            InputError: it cannot be opened.
        """

    @abstractmethod
    def ask_all(self) -> None:
        """Ask all questions."""

    @abstractmethod
    def is_corrected(self, key: str, place: Toml, item: Toml, value: str) -> bool:
        """Return whether a key is right after its value, as the manifest writes it, was denied, or it is deleted."""

    def ask_by_key(self, key: str, place: Toml, why: Sequence[str], says: str) -> bool | None:
        """Ask about a key that has a question of its own; return whether it is right, None if it has none."""
        if key not in _CHOICES:
            return None
        text, choices = _CHOICES[key]
        return self.ask_value(place, key_path(key)[-1], f"{text} {says}", answers={**choices, **LEFT_OPEN})

    @property
    def guesses(self) -> Toml:
        """The list of the keys that are guesses."""
        return self.document.get(UNCONFIRMED, {}).get("keys", [])

    def confirmed(self) -> str:
        """Ask all questions, write further files, and return the new text.

        Raises:
            OSError: a file cannot be written.
            InputError: the answers would make the manifest unreadable.
        """
        self.ask_all()
        changed = tomlkit.dumps(self.document)
        if UNCONFIRMED not in self.document:
            mark = re.compile(_GUESS.format(mark=re.escape(say("guess: "))))
            changed = "".join(mark.sub(r"\1", line) for line in changed.splitlines(keepends=True))
        for name, content in self.files.items():
            write_file(self.folder / name, content)
        self.read(changed)
        return changed

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

    def opened(self) -> ManifestRead:
        """Return the manifest by the answers so far, without guesses, which name roles that no column may have.

        Raises:
            InputError: it cannot be opened.
        """
        document = tomlkit.parse(tomlkit.dumps(self.document))
        document.pop(UNCONFIRMED, None)
        if document.get("adversary", {}).get("transitions") in self.files:  # it is not written yet
            del document["adversary"]["transitions"]
        return self.read(tomlkit.dumps(document))

    def ask_others(self) -> None:
        """Ask about each guess other than a role; denied guesses, which the publisher must correct, remain listed."""
        if UNCONFIRMED not in self.document:
            return
        for key in self.still_guessed(right=self.asked_before - self.left):
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
        while (answer := self.ask(Question(question, answers_in_language(answers), OPEN))) != OPEN:
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

    def is_right(self, key: str) -> bool:
        """Ask whether a key is right."""
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
        says = say("{file} says {key} = {value}.", file=NAME, key=key, value=value)
        if (is_right := self.ask_by_key(key, place, why, says)) is not None:
            return is_right
        if tables == ["table", "markers"]:
            says = say('{file} says that "{sign}" stands for {counts}.', file=NAME, sign=last, counts=in_words(*old))
        because = [f"{each[:1].upper()}{each[1:].rstrip('.')}." for each in why]
        question = " ".join([says, *because, say("Is that right?")])
        if (answer := self.ask(yes_or_no(question, OPEN))) != "no":
            return answer == "yes"
        return self.is_corrected(key, place, item, value)


def state(table: Toml, key: str, value: object, comment: str) -> None:
    """Write a value under a key, and a comment beside it."""
    table[key] = value
    table[key].comment(comment)


def say_nothing_below(table: Toml, key: str, about: str = "") -> None:
    """Remove the lines of comment right below a key, which say what was guessed, if they are `about` a column."""
    lines = dropwhile(lambda line: line[0] is None or line[0].key != key, table.value.body)
    comments = [item.trivia for _, item in takewhile(lambda line: isinstance(line[1], Comment), islice(lines, 1, None))]
    for trivia in comments if any(about in trivia.comment for trivia in comments) else ():
        trivia.indent = trivia.comment_ws = trivia.comment = trivia.trail = ""


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


class AskedAboutTables(AskedManifest[TableManifest | None]):
    """The manifest of a series of count tables."""

    def read(self, text: str) -> TableManifest | None:
        """Return the manifest of a text."""
        problems = Problems()
        manifest = parse_table_manifest(self.folder, text, problems)
        problems.check()
        return manifest

    def ask_all(self) -> None:
        """Ask about guesses, and about the sheets and columns that are not judged."""
        self.ask_others()
        self.ask_sheets()
        self.ask_columns()

    def ask_sheets(self) -> None:
        """Ask of each sheet that is not read and may be one more table of counts whether it discloses none."""
        text = tomlkit.dumps(self.document)
        manifest = parse_table_manifest(self.folder, text, Problems())
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
        counts = _counts_of(self.folder, tomlkit.dumps(self.document))
        for name in () if counts is None else chain(*unread_columns(counts)):
            question = say(
                'The column "{column}" stands beside the counts, and is not judged. If it holds rates, changes, '
                "further counts or labels of the same people, hidden counts may follow from it: then leave it open, "
                "and say what it is under [table] (rates, change, values, dimensions). Is it certain that it discloses "
                "no hidden or small count?",
                column=printable(name),
            )
            if speaks_of_changes(name):
                known = say(
                    "By its name it says how counts changed: with these counts, it gives the earlier ones, even in "
                    "percent. It discloses nothing only if all of these were published as numbers."
                )
                question = f"{known} {question}"
            self.ask_not_counts(name, question)

    def ask_not_counts(self, name: str, question: str) -> None:
        """Ask whether a sheet or column discloses no count, and name it in `not_counts` if it is certain."""
        if self.ask(yes_or_no(question, OPEN)) == "yes":
            self.document["table"].setdefault("not_counts", tomlkit.array()).append(name)

    def is_corrected(self, key: str, place: Toml, item: Toml, value: str) -> bool:
        """Ask which counts a marker stands for, or what another denied value is instead."""
        *tables, last = key_path(key)
        is_sign = tables == ["table", "markers"]
        if not (is_sign or tables == ["table", "totals"] or last in _TYPED):
            return False
        return self.ask_instead(place, last, value, is_sign=is_sign)

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


def undecided(folder: Path, text: str) -> list[str]:
    """Return why the manifest of a series of count tables leaves the policy undecided, except for guesses."""
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
