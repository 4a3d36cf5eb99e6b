"""Confirm a manifest: which questions its publisher is asked about a series of people, or one of count tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import tomlkit

from audit.init.columns import Column, perhaps_harmless, read_columns
from audit.init.guess import (
    MOST_CHANGING,
    HeldReleases,
    changes_of_values,
    file_for,
    lines_of,
    possible_changes,
    state_changes,
)
from audit.init.guesses import Guesses
from audit.init.questions import (
    CAN_CHANGE,
    LEFT_OPEN,
    OF_SENSITIVE,
    OPEN,
    Ask,
    AskedAboutTables,
    AskedManifest,
    Question,
    about_others,
    about_value,
    answers_in_language,
    question_about,
    say_nothing_below,
    state,
    text_of,
    why_unlinkable,
)
from audit.io.background_knowledge import check_listed, read_lines, read_transitions
from audit.io.cell_reading import unknown_among
from audit.io.cells import Kind
from audit.io.manifest import ANY, NAME, NEVER, REGISTER_COLUMNS, TRANSITIONS, Manifest, is_about_tables, parse_manifest
from audit.io.naming import in_time, is_quasi, named_like, sensitivity
from audit.io.releases import KeyedRelease
from audit.io.roles import beside_record, columns_without_role
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing
from audit.io.rules.rows_and_values import EPISODES, OF_PEOPLE, SeveralRows, Unlinkable, named_for_cases
from audit.io.rules.rule import Renamed
from audit.io.rules.spelling import Decimal
from audit.io.series import Series, check_headers
from audit.io.tables import header
from audit.io.toml import UNCONFIRMED, Toml, key_path, release_tag, toml_value
from audit.model.errors import InputError, Problems, UsageError
from audit.runtime.phrases import Phrase, in_quotes, joined, printable, say

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
_ORDER, _WAVES = "series.releases", "series.releases_by"
_OF_REGISTER = ("presence", "register")  # what else the manifest says of the register depends on them
_CHANGES = "adversary.transitions"
_SHOWN, _TAGS_SHOWN = 3, 12


def confirmed(folder: Path, text: str, ask: Ask) -> str:
    """Ask the publisher about a manifest's guesses and columns without a role, and return its new text.

    If another column becomes sensitive, the file of transitions that was drafted for the former one is written anew.

    Raises:
        OSError: this file cannot be written.
        InputError: the manifest cannot be read, or the answers would make it unreadable.
        UsageError: by the answers, no column is sensitive.
    """
    asked = (AskedAboutTables if is_about_tables(text) else _AskedAboutPeople)(folder, text, ask)
    return asked.confirmed()


@dataclass
class _AskedAboutPeople(AskedManifest[Manifest]):
    """The manifest of a series about people.

    Attributes:
        found: the columns that all releases have.
    """

    asked_before = _ROLE_KEYS
    found: Mapping[str, Column] = field(init=False)

    def read(self, text: str) -> Manifest:
        problems = Problems()
        manifest = parse_manifest(self.folder, text, problems)
        if manifest is not None and not problems.found:
            check_headers(manifest, problems)
        return problems.checked(manifest)

    def ask_all(self) -> None:
        self.ask_waves()
        self.find_cases()
        self.found = _published(self.manifest)
        self.ask_roles()
        self.state_blank()
        self.ask_types()
        moved, columns = self.ask_order(), self.manifest.columns
        before = [{*columns.sensitive}, {columns.individual} - {None}, {columns.record} - {None}]
        people = "adversary.register" in self.manifest.unconfirmed or HeldReleases(self.manifest).series.keyed
        whole = self.has_transitions()
        unsaid = people and not whole
        if unsaid or moved or [{*self.named(role)} for role in ("sensitive", "individual", "record")] != before:
            self.draft_transitions(whole=whole)
        self.ask_harmless()
        self.ask_register()
        self.ask_others()

    @property
    def columns(self) -> Toml:
        """The table of columns."""
        return self.document["columns"]

    def ask_waves(self) -> None:
        """Ask whether a column names the release of each row, if it is a guess; by a no, its file is one release."""
        if _WAVES not in self.guesses:
            return
        by, tags = str(self.document["series"]["releases_by"]), self.manifest.tags
        text = say(
            'Does the column "{column}" name the release of each row? There are then {count} releases: {tags}.',
            column=printable(by),
            count=len(tags),
            tags=joined([printable(tag) for tag in tags], most=_TAGS_SHOWN),
        )
        answers = {
            "yes": say("yes"),
            "no": say("no, all rows of the file are of one release"),
            **answers_in_language(LEFT_OPEN),
        }
        answer = self.ask(Question(text, answers, OPEN))
        if answer == OPEN:
            self.left.add(_WAVES)
            return
        self.guesses.remove(_WAVES)
        if answer == "no":
            del self.document["series"]["releases_by"]
            self.take_role(by, "unlinkable")
            self.manifest = self.read(self.document.as_string())

    def find_cases(self) -> None:
        """State that rows are cases, as a guess, where a column is about them and the manifest says nothing of it."""
        series = Series.of(self.manifest)
        if (column := series.columns.rules[SeveralRows].about_cases(series)) is not None:
            self.guess(f"columns.{SeveralRows.key}", EPISODES, named_for_cases(column))

    def ask_order(self) -> bool:
        """Ask for the order in which the releases were published, if it is a guess; return whether it is another.

        Where a table named like them is not listed, `ask_others` asks whether the list is right.
        """
        releases, tags = self.manifest.releases, [*self.manifest.tags]
        left_out = any(named_like(release_tag(path.name), tags) for path in self.manifest.unlisted())
        if _ORDER not in self.guesses or len(releases) < 2 or (left_out and in_time(tags)[1]):
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
            self.guesses.remove(_ORDER)
        if given != tags:
            pairs = {each.tag: {"rows": each.shown, "values": each.values_shown} for each in releases if each.values}
            entries = {each.tag: each.shown for each in releases} | pairs
            listed = tomlkit.array().multiline(multiline=True)
            listed.extend(entries[tag] for tag in given)
            self.document["series"]["releases"] = listed
        return given != tags

    # -- roles

    def ask_roles(self) -> None:
        """Ask for the role of each column that has none or a guessed one, or cannot have the one that is stated.

        Raises:
            UsageError: no column is sensitive.
        """
        manifest, found = self.manifest, self.found
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
        answers = answers_in_language(
            (_ROLES if before or column is not None else {"unlinkable": _ROLES["unlinkable"]}) | LEFT_OPEN
        )
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
        headers = {
            each.tag: self.manifest.headings(each.tag).names(each.rows, each.shown) or []
            for each in self.manifest.releases
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
        if self.columns.get(SeveralRows.key) == EPISODES:
            return None
        return beside_record(self.manifest, name)

    def ask_which(self, name: str, question: Question) -> tuple[str, str]:
        """Ask for a column's role; return it with the column that names the records together with it, if one does.

        A column that several rows of a release share is no record id alone. One that stands where releases lack a
        quasi-identifier may be that one under another name, which leaves it without a role of its own.
        """
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
            say_nothing_below(self.columns, role)
            del self.columns[role]
        elif value is not None and role == "unlinkable":
            del value[name]
            if not value:
                del self.columns[role]
        elif value is not None:
            value.remove(name)
            say_nothing_below(self.columns, role, f'"{printable(name)}"')
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

    def state_blank(self) -> None:
        """State that blank sensitive cells are values that are not known, as audits need it."""
        missing = self.columns.get(Missing.key, [])
        if "" not in missing and any(
            "" in self.found[name].texts for name in self.named("sensitive") if name in self.found
        ):
            self.columns[Missing.key] = [*missing, ""]

    def ask_types(self) -> None:
        """Ask of each sensitive column of numbers, if it was none before, what they are, and what their commas mean."""
        held, releases = HeldReleases(self.opened()), list[KeyedRelease]()
        with suppress(InputError):  # an audit reports it
            releases += held.releases
        series, rule = held.series, held.series.columns.rules[ColumnTypes]
        for name in [
            each for each in self.named("sensitive") if each not in {*self.manifest.columns.sensitive, *rule.kinds}
        ]:
            numbers = rule.numbers(series, name, series.manifest.widths.get(name)) if releases else None
            if numbers is None or rule.kind_of(series, name).is_date:
                continue
            texts = [text for text in series.vocabularies[name].names if any(map(str.isdigit, text))]
            about = {"column": printable(name), "texts": in_quotes(texts, _SHOWN, limit=40)}
            answers = {**_NUMBERS, **LEFT_OPEN}
            answer = self.ask(
                Question(
                    say('What are the values of "{column}", such as {texts}?', **about),
                    answers_in_language(answers),
                    OPEN,
                )
            )
            if answer != OPEN:
                self.columns.setdefault(ColumnTypes.key, tomlkit.inline_table())[name] = answer
            if answer == Kind.NUMERIC.value and Decimal.key not in self.columns and any("," in text for text in texts):
                about["texts"] = in_quotes([text for text in texts if "," in text], _SHOWN, limit=40)
                text = say('Which is the decimal sign of numbers of "{column}", such as {texts}?', **about)
                if (sign := self.ask(Question(text, answers_in_language({**_SIGNS, **LEFT_OPEN}), OPEN))) != OPEN:
                    self.columns[Decimal.key] = sign

    def ask_harmless(self) -> None:
        """Ask which values are harmless, while other guesses are left, and whether it may be known that one is not."""
        found = self.found
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

    def ask_register(self) -> None:
        """Ask which columns of the register say what the quasi-identifiers say that it lacks."""
        manifest = self.manifest
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

    # -- values that change

    def has_transitions(self) -> bool:
        """Return whether the manifest states transitions, and not by a file that lacks values."""
        stated = self.document.get("adversary", {}).get("transitions")
        return stated in (ANY, NEVER) or (stated is not None and self.lists_all(str(stated)))

    def lists_all(self, file: str, names: Sequence[str] = ()) -> bool:
        """Return whether a file of transitions lists what may follow each value of columns, as audits need it.

        Without `names`, of all sensitive columns.
        """
        held = HeldReleases(replace(self.opened(), transitions=file, any_transitions=False))
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

    def draft_transitions(self, *, whole: bool) -> None:
        """Draft the transitions anew by the answers about columns and their order, as a guess.

        Those that the publisher has stated remain if they are `whole`, as does a draft's file that the publisher has
        edited.
        """
        drafted, adversary = _CHANGES in self.manifest.unconfirmed, self.document.get("adversary", {})
        rows = self.columns.get(SeveralRows.key, OF_PEOPLE)
        if rows != OF_PEOPLE or (whole and not drafted):
            return
        changes = changes_of_values(HeldReleases(replace(self.opened(), transitions=None)))
        path, old = self.folder / TRANSITIONS, Guesses("")
        if path.exists():
            before_answers = changes_of_values(HeldReleases(replace(self.manifest, transitions=None)))
            state_changes(before_answers, old, self.folder, own=True)
        own = drafted and path.exists() and old.files.get(TRANSITIONS) == path.read_text(encoding="utf-8")
        found = Guesses("")
        state_changes(changes, found, self.folder, own=own)
        if drafted:
            self.document[UNCONFIRMED]["keys"].remove(_CHANGES)
            if TRANSITIONS not in found.files:
                say_nothing_below(adversary, "transitions")
        if not found.why:
            adversary.pop("transitions", None)
        for key, why in found.why.items():
            self.guess(key, found.document["adversary"]["transitions"], why)
        self.files = found.files

    def ask_changes(self, why: Sequence[str]) -> bool:
        """Ask of each sensitive column whether its values change, and write what is answered; return whether all is."""
        adversary, given = self.document["adversary"], dict[str, str]()
        stated = str(adversary["transitions"])
        file = TRANSITIONS if stated in (ANY, NEVER) else stated
        for name in self.named("sensitive"):
            answers, default = {NEVER: say("no, as with a place of birth")}, OPEN
            if file in self.files or self.lists_all(file, [name]):
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
        say_nothing_below(adversary, "transitions")
        return True

    def list_changes(self, file: str, answers: Mapping[str, str]) -> str | None:
        """Write a file of transitions, those of each column by its own answer; return its name.

        None if it cannot list them: any pair of too many values is possible, or the lines of a file have probabilities.
        """
        before, drafted = replace(self.opened(), transitions=None), file in self.files
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

    # -- other guesses

    def ask_by_key(self, key: str, place: Toml, why: Sequence[str], says: str) -> bool | None:
        return self.ask_changes(why) if key == _CHANGES else super().ask_by_key(key, place, why, says)

    def is_corrected(self, key: str, place: Toml, item: Toml, value: str) -> bool:
        """Delete a denied key of columns or of the adversary, unless the releases cannot be read without it."""
        table, *_, last = key_path(key)
        if table not in ("columns", "adversary") or last in _OF_REGISTER:
            return False
        del place[last]
        try:
            self.opened()
        except InputError:
            place[last] = item
            return False
        return True


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
