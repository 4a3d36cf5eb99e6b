"""Confirm a manifest: ask its publisher about each guess and each column without a role.

Nothing else in the file changes, comments included; only the word "guess" before a reason of `audit init` is removed
with the guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any, TypeAlias

from audit.count_tables.manifest import parse_table_manifest
from audit.count_tables.published_texts import number_of, said_range
from audit.count_tables.table_shapes import read_categories
from audit.init.column_names import is_quasi, sensitivity
from audit.init.columns import Column, perhaps_harmless, read_columns
from audit.init.count_parts import has_unknown_whole
from audit.init.count_rules import in_words
from audit.init.guess import TRANSITIONS, changes_of_values, state_changes
from audit.init.guesses import Guesses
from audit.io.atomic_files import write_file
from audit.io.manifest import ANY, NAME, NEVER, Manifest, ReleaseFiles, is_about_tables, parse_manifest
from audit.io.roles import columns_without_role
from audit.io.rules.cell_meaning import Hierarchies
from audit.io.rules.disclosure import Unlinkable
from audit.io.rules.file_form import Renamed
from audit.io.series import Series, check_headers
from audit.io.toml import UNCONFIRMED, key_path, toml_value
from audit.model.errors import Problems, UsageError, printable
from audit.model.json_types import UNBOUNDED
from audit.runtime.phrases import Phrase, joined, say


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


def yes_or_no(text: str, *, default: bool) -> Question:
    """Return a question with the answers yes and no."""
    own = {"yes": say("yes"), "no": say("no")}
    return Question(
        text, {name: "" if name == said else said for name, said in own.items()}, "yes" if default else "no"
    )


def text_of(text: str, default: str = "") -> Question:
    """Return a question whose answer is a text."""
    return Question(text, {}, default)


def about_value(name: str, text: str) -> Question:
    """Return the question whether it may become known of anybody that a sensitive value is this one."""
    question = say(
        'May it become known of anybody that the value of "{column}" is "{value}"? Methods and audits then do not '
        "protect it.",
        column=printable(name),
        value=printable(text),
    )
    return yes_or_no(question, default=False)


def about_others(name: str, harmless: Collection[str]) -> Question:
    """Return the question whether it may become known that a person's value is not one of the harmless ones."""
    text = say(
        'May it become known of somebody that the value of "{column}" is certainly none of these: {values}? The person '
        "then has one of the others. Without a yes, an audit that finds it is undecided.",
        column=printable(name),
        values=joined([f'"{printable(text, 40)}"' for text in harmless], most=_SHOWN),
    )
    return yes_or_no(text, default=False)


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
_IN_SOME = {"unlinkable": _ROLES["unlinkable"], "none": Phrase("no role for now; the verdict stays undecided")}
OF_SENSITIVE = ("harmless", "similar")
_ORDER = "series.releases"
_OF_REGISTER = ("presence", "register")  # what else the manifest says of the register depends on them
_CHANGES = "adversary.transitions"
_TYPED = ("min_count", "min_width", "not_counts", "over_time", "perturbation", "rounding", "threshold")
_SHOWN = 3
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
    import tomlkit

    manifest = _opened(folder, text)
    document = tomlkit.parse(text)
    tables = parse_table_manifest(folder, text, Problems()) if manifest is None else None
    parts = {} if tables is None else read_categories(tables, Problems())
    asked = _Asked(document, manifest, ask, {name for name, covered in parts.items() if has_unknown_whole(covered)})
    if manifest is not None:
        found = _published(manifest)
        asked.ask_roles(manifest, found)
        moved = asked.ask_order(manifest.releases)
        followed = {*manifest.columns.sensitive, manifest.columns.individual} - {None}
        if moved or {*asked.named("sensitive"), *asked.named("individual")} != followed:
            asked.draft_transitions(manifest)
        asked.ask_harmless(found)
    asked.ask_others()
    changed = tomlkit.dumps(document)
    if UNCONFIRMED not in document:
        mark = re.compile(_GUESS.format(mark=re.escape(say("guess: "))))
        changed = "".join(mark.sub(r"\1", line) for line in changed.splitlines(keepends=True))
    for name, content in asked.files.items():
        write_file(folder / name, content)
    _opened(folder, changed)
    return changed


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
        document: the text as it changes; a tomlkit document, untyped.
        manifest: the manifest before any change; None for count tables, whose columns have no roles.
        ask: asks the publisher.
        unknown: the dimensions whose categories leave open of what a label is a part, which hides more than it shows.
        files: further files to write, by name.
    """

    document: Any
    manifest: Manifest | None
    ask: Ask
    unknown: set[str]
    files: dict[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> Any:  # noqa: ANN401 - a table of tomlkit
        """The table of columns."""
        return self.document["columns"]

    # -- roles

    def ask_roles(self, manifest: Manifest, found: Mapping[str, Column]) -> None:
        """Ask for the role of each column that has none or a guessed one.

        Raises:
            UsageError: no column is sensitive.
        """
        waiting = list(dict.fromkeys([*_guessed(manifest, found), *columns_without_role(manifest)]))
        for name in filter(None, waiting):
            waiting += [each for each in self.ask_role(name, found.get(name)) if each not in waiting]
        if not self.named("sensitive") and (known := self.named("quasi_identifiers")):
            question = say("By these answers no column is sensitive. Which of these is?")
            name = self.ask(Question(question, dict.fromkeys(known, ""), ""))
            self.take_role(name, "quasi_identifiers")
            self.give_role(name, "sensitive", "")
        if not self.named("sensitive"):
            raise UsageError(say("by these answers no column is sensitive, and nothing can be judged; answer again"))

    def ask_role(self, name: str, column: Column | None) -> list[str]:
        """Ask for a column's role and write it; return the columns that lose this role."""
        before = self.role(name)
        question = question_about(name, column, has_role=bool(before))
        if column is None and not before:
            role = self.ask(Question(f"{question} {say('Not all releases have it.')}", _said(_IN_SOME), "none"))
        else:
            suggested = before or "quasi_identifiers"
            if suggested == "quasi_identifiers" and sensitivity(name):
                question, suggested = f"{question} {say('Its name says that it may be sensitive.')}", ""
            elif suggested == "sensitive" and not sensitivity(name):
                question, suggested = f"{question} {say('Its name does not say that it is sensitive.')}", ""
            role = self.ask(Question(question, _said(_ROLES), suggested))
        if role == "none" or (role == before and role != "unlinkable"):
            return []
        reason = ""
        if role == "unlinkable":
            old = str(self.columns[role][name]) if before == role else ""
            reason = self.ask(
                text_of(say('Why can no outsider know "{column}" about a person?', column=printable(name)), old)
            )
        lost = [each for each in self.named(role) if role in _SINGLE and each != name]
        self.take_role(name, before)
        self.give_role(name, role, reason)
        return lost

    def role(self, name: str) -> str:
        """Return a column's present role; an empty text if it has none."""
        return next((role for role in _ROLES if name in self.named(role)), "")

    def named(self, role: str) -> list[str]:
        """Return the columns that have a role."""
        value = self.columns.get(role, [])
        return [str(value)] if isinstance(value, str) else [str(each) for each in value]

    def take_role(self, name: str, role: str) -> None:
        """Remove a column from the key that names it, and from the keys that say how its cells are read."""
        value = self.columns.get(role)
        if isinstance(value, str):
            del self.columns[role]
        elif value is not None and role == "unlinkable":
            del value[name]
        elif value is not None:
            value.remove(name)
        for key in ("hierarchies", "types", *OF_SENSITIVE * (role == "sensitive")):
            if name in self.columns.get(key, {}):
                del self.columns[key][name]

    def give_role(self, name: str, role: str, reason: str) -> None:
        """Name a column under the key of its role."""
        import tomlkit

        value = self.columns.get(role)
        if role == "unlinkable":
            if value is None:
                value = self.columns[role] = tomlkit.inline_table()
            value[name] = reason
        elif role in _SINGLE or (value is None and role == "sensitive"):
            self.columns[role] = name
        elif value is None or isinstance(value, str):
            self.columns[role] = [*self.named(role), name]
        else:
            value.append(name)

    def draft_transitions(self, before: Manifest) -> None:
        """Draft the transitions anew by the answers about columns and their order, as a guess.

        Those that the publisher has stated remain, as does a draft's file that the publisher has edited.
        """
        import tomlkit

        drafted, adversary = _CHANGES in before.unconfirmed, self.document.get("adversary", {})
        if "rows" in self.columns or ("transitions" in adversary and not drafted):
            return
        answered = tomlkit.parse(tomlkit.dumps(self.document))
        answered.pop(UNCONFIRMED, None)  # it names roles that no column has by the answers
        opened = _opened(before.folder, tomlkit.dumps(answered))
        changes = {} if opened is None else changes_of_values(Series.of(replace(opened, transitions=None)))
        path, old = before.folder / TRANSITIONS, Guesses("")
        if path.exists():
            state_changes(changes_of_values(Series.of(replace(before, transitions=None))), old)
        own = drafted and path.exists() and old.files.get(TRANSITIONS) == path.read_text(encoding="utf-8")
        found = Guesses("")
        state_changes(changes, found, listed=len(self.named("sensitive")) == 1 and (own or not path.exists()))
        if drafted:
            self.document[UNCONFIRMED]["keys"].remove(_CHANGES)
            del adversary["transitions"]
        for key, why in found.why.items():
            stated = self.document.setdefault("adversary", tomlkit.table())
            stated["transitions"] = found.document["adversary"]["transitions"]
            stated["transitions"].comment(f"{say('guess: ')}{why}")
            self.document.setdefault(UNCONFIRMED, tomlkit.table()).setdefault("keys", tomlkit.array()).append(key)
        self.files = found.files

    # -- other guesses

    def ask_harmless(self, found: Mapping[str, Column]) -> None:
        """Ask which values are harmless, while other guesses are left, and whether it may be known that one is not."""
        import tomlkit

        for name in self.named("sensitive") if UNCONFIRMED in self.document else ():
            stated = self.columns.get("harmless", {}).get(name, [])
            texts = [text for text in perhaps_harmless(found[name]) if text not in stated] if name in found else []
            if known := [text for text in texts if self.ask(about_value(name, text)) == "yes"]:
                self.columns.setdefault("harmless", tomlkit.inline_table())[name] = [*stated, *known]
        for name, harmless in self.columns.get("harmless", {}).items():
            stated = self.columns.get("similar", {})
            if name not in stated and self.ask(about_others(name, harmless)) == "yes":
                self.columns.setdefault("similar", tomlkit.inline_table())[name] = False

    def ask_others(self) -> None:
        """Ask about each guess other than a role; denied guesses, which the publisher must correct, remain listed."""
        if UNCONFIRMED not in self.document:
            return
        keys = [str(each) for each in self.document[UNCONFIRMED]["keys"]]
        others = [key for key in keys if self.manifest is None or key not in _ROLE_KEYS]
        left = [key for key in others if not self.is_right(key)]
        if left:
            self.document[UNCONFIRMED]["keys"] = left
        else:
            _drop_guesses(self.document)

    def ask_order(self, releases: tuple[ReleaseFiles, ...]) -> bool:
        """Ask for the order in which the releases were published, if it is a guess; return whether it is another."""
        import tomlkit

        guesses = self.document.get(UNCONFIRMED, {}).get("keys", [])
        if _ORDER not in guesses or len(releases) < 2:
            return False
        guesses.remove(_ORDER)
        tags = [release.tag for release in releases]
        text = say("In which order were the releases published? Write their names with commas between them.")
        while True:
            given = [tag.strip() for tag in self.ask(text_of(text, ", ".join(tags))).split(",")]
            if sorted(given) == sorted(tags):
                break
            text = say("Write each of the names once, in the order of publication.")
        if given != tags:
            pairs = {each.tag: {"rows": each.shown, "values": each.values_shown} for each in releases if each.values}
            entries = {each.tag: each.shown for each in releases} | pairs
            listed = tomlkit.array().multiline(multiline=True)
            listed.extend(entries[tag] for tag in given)
            self.document["series"]["releases"] = listed
        return given != tags

    def ask_counts(self, sign: str) -> list[float]:
        """Ask which counts a sign stands for."""
        text = say(
            'Which counts does "{sign}" stand for? Write, for example, {few}, {many}, or, if it can be any count, '
            "{any}.",
            sign=sign,
            few=in_words(1, 4),
            many=in_words(5, inf),
            any=in_words(0, inf),
        )
        while True:
            answer = self.ask(text_of(text))
            if (number := number_of(answer)) is not None:
                return [number, number]
            if (ends := said_range(answer)) is not None:
                return [ends[0], ends[1] if ends[1] < UNBOUNDED else inf]
            text = say(
                "Write the least and the greatest count, such as {few}, or the least alone, such as {many}.",
                few=in_words(1, 4),
                many=in_words(5, inf),
            )

    def ask_value(self, last: str, old: object, shown: str) -> Any:  # noqa: ANN401 - any value of TOML
        """Ask what the value of a key is instead, and return it; None to leave it open."""
        import tomlkit

        text = say('What is it? Write it in the form of {shown}; "?" leaves it open.', shown=shown)
        if last == "not_counts":
            text = say(
                "Which of them disclose nothing about the counts? Write these in the form of {shown}, or [] for none; "
                '`audit` then names the others, and the keys that say what they are (such as rates). "?" leaves it '
                "open.",
                shown=shown,
            )
        while True:
            answer = self.ask(text_of(text, "?"))
            try:
                return None if answer == "?" else answer if isinstance(old, str) else tomlkit.value(answer)
            except ValueError:
                text = say("Write a value in the form of {shown}.", shown=shown)

    def ask_changes(self, why: str) -> bool:
        """Ask whether values change, and write the answer; return whether there is one."""
        adversary, names = self.document["adversary"], self.named("sensitive")
        stated = str(adversary["transitions"])
        file = TRANSITIONS if stated in (ANY, NEVER) else stated
        answers = {NEVER: say("no, as with a place of birth")}
        if file in self.files or (self.manifest is not None and (self.manifest.folder / file).exists()):
            answers["stated"] = say("in the ways that {file} lists", file=file)
        answers[ANY] = say("any value may become any other; an audit then judges each release by itself")
        answers["open"] = say("in some ways, which {file} does not list yet; it remains a guess", file=file)
        question = say(
            'Can the value of "{column}" of a person change between two releases?', column=printable(joined(names))
        )
        default = {NEVER: "", ANY: ANY}.get(stated, "stated")
        answer = self.ask(Question(f"{question} ({why})", answers, default))
        if answer == "open":
            return False
        if answer != default:
            adversary["transitions"] = file if answer == "stated" else answer
            adversary["transitions"].comment(say("as answered"))
        if answer != "stated":
            self.files.pop(file, None)
        return True

    def is_right(self, key: str) -> bool:
        """Ask whether a key is right; if not, a key of columns or of the adversary is deleted.

        For a marker, ask which counts it stands for instead; for other values of count tables, what it is.
        """
        from tomlkit.items import AbstractTable, Trivia

        *tables, last = key_path(key)
        place = self.document
        for table in tables:
            place = place[table]
        old = place.unwrap()[last]
        value = printable(toml_value(old), 200)
        # For a bool, the table itself returns no item, and so no comment.
        item = place.value.item(last) if isinstance(place, AbstractTable) else place[last]
        # The lines of a table have the comments, such as those of columns.crosswalk.
        inside = item.value.body if isinstance(item, AbstractTable) else []
        lines = [item, *(line for name, line in inside if name is not None)]
        comments = [getattr(line, "trivia", Trivia()).comment for line in lines]
        mark = _MARK.format(mark=re.escape(say("guess: ")))
        why = [each for comment in comments for each in re.split(mark, comment)[1:]]
        if key == _CHANGES:
            return self.ask_changes(joined(why))
        says = say("{file} says {key} = {value}.", file=NAME, key=key, value=value)
        is_sign = tables == ["table", "markers"]
        if is_sign:
            says = say('{file} says that "{sign}" stands for {counts}.', file=NAME, sign=last, counts=in_words(*old))
        question = " ".join([says, *(f"{each.rstrip('.')}." for each in why), say("Is that right?")])
        hides = (tables == ["table", "categories"] and last in self.unknown) or key == "table.not_counts"
        default = not hides  # what says nothing of the counts is confirmed by a word, never by an empty line
        if self.ask(yes_or_no(question, default=default)) == "yes":
            return True
        is_typed = tables == ["table", "totals"] or last in _TYPED
        if self.manifest is None and (is_sign or is_typed):
            right = self.ask_counts(last) if is_sign else self.ask_value(last, old, value)
            if right is None:
                return False
            place[last] = right
            place[last].comment(say("as answered"))
            return True
        if self.manifest is None or tables[0] not in ("columns", "adversary") or last in _OF_REGISTER:
            return False
        del place[last]
        return True


def _drop_guesses(document: Any) -> None:  # noqa: ANN401 - a document of tomlkit
    """Remove the table of guesses, but not the text below it, which tomlkit counts as part of the table."""
    from tomlkit.items import Table

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
        yield from columns.rules[Unlinkable].reasons


def _said(answers: Mapping[str, Phrase]) -> dict[str, str]:
    return {answer: str(follows) for answer, follows in answers.items()}


def question_about(name: str, column: Column | None, *, has_role: bool = False) -> str:
    """Return a question about a column's role, with some of its cells."""
    shown = printable(name)
    if column is None:
        if has_role:
            return say('What is the column "{column}"?', column=shown)
        return say('What is the column "{column}", which has no role?', column=shown)
    cells, count = ", ".join(f'"{printable(text)}"' for text in column.some[:_SHOWN]) or '""', len(column.some)
    if has_role:
        return say(
            'What is the column "{column}" ({count} different cells, such as {cells})?',
            column=shown,
            count=count,
            cells=cells,
        )
    return say(
        'What is the column "{column}" ({count} different cells, such as {cells}), which has no role?',
        column=shown,
        count=count,
        cells=cells,
    )
