"""Guess the `microdata.toml` of tables of people that are not published yet, and ask about what it guesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import floor, inf, log10
from pathlib import Path

import numpy as np
import tomlkit

from audit.count_tables.published_texts import commas_are_decimal
from audit.init.columns import Column, partition, perhaps_harmless, read_columns
from audit.init.found_files import BESIDE, QUASI, FoundFiles
from audit.init.guess import (
    changes_of_people,
    doubted_frequent,
    draft,
    evidence_of_changes,
    file_for,
    files_with_roles,
    in_words,
    lines_of,
    rare,
    state_changes_of_people,
)
from audit.init.guesses import Guesses
from audit.init.questions import (
    CAN_CHANGE,
    OF_SENSITIVE,
    OPEN,
    Ask,
    Question,
    about_others,
    about_value,
    question_about,
    state,
    text_of,
    why_unlinkable,
    yes_or_no,
)
from audit.io import naming
from audit.io.atomic_files import write_file
from audit.io.cell_reading import codes_among, number_in, unknown_among
from audit.io.cells import Kind
from audit.io.likely_equal import range_of
from audit.io.manifest import ANY, NEVER, TRANSITIONS
from audit.io.microdata import (
    LARGE,
    NAME,
    UNITS,
    Microdata,
    OneRow,
    SnapshotFile,
    in_digits,
    kind_of_values,
    open_microdata,
)
from audit.io.naming import in_time, natural
from audit.io.notations import ungrouped
from audit.io.rules.spelling import HAVE_COMMAS
from audit.io.toml import Toml, toml_key, toml_line
from audit.judgement.shared_values import columns_that_share, have_in_common
from audit.model.errors import InputError, Problem, Problems
from audit.runtime.phrases import Phrase, in_quotes, joined, parted, printable, say

_HEAD = Phrase(
    "Guessed by `audit init --microdata` from the tables in this folder and their first rows.\n"
    "Check what is marked as a guess: only you know what the columns mean."
)


_GRAVEST = Phrase("some people have several rows in one table, of which methods publish the one with the gravest value")
_LATEST = Phrase("some people have several rows in one table, of which methods publish the latest")
_ARE_CODES = Phrase("codes, such as postcodes, are not numbers: their ends are masked")
_CODE = "[0-9][0-9AB][0-9]{2,}"  # such as 75102 or 2A004; shorter ones are listed as values
_FEW = 30
"""The most values of a quasi-identifier that a domain lists: where there are more, new ones are to be expected."""
_MOST_CODES = 200  # such as departments
_MOST_PAIRS = 40_000
_MOST_GRAVE = 1_000  # values in the list of which row of a person counts
_SHOWN = 3  # groups of spellings, and lines


def guess_microdata(folder: Path) -> Guesses:
    """Guess a `microdata.toml` for the tables of people in a folder.

    Raises:
        UsageError: the folder does not exist, or holds no tables.
        InputError: a table cannot be read, or no column says whose row it is.
    """
    found = files_with_roles(folder, Guesses(str(_HEAD), name=NAME, following="audit plan {folder}"))
    individual = _people(found)
    files = [SnapshotFile(each.tag, each.rows, each.shown, each.by) for each in found.releases]
    row = _one_row(found, individual, files)
    files = [replace(each, one_row=row) for each in files]
    guesses, known = found.guesses, [column for column in found.with_role(QUASI) if column is not individual]
    quasi = [column for column in known if not naming.is_weight(column.name)]
    names = [column.name for column in quasi]
    changes, people = changes_of_people(files, individual.name, found.sensitive.name)
    left = {
        **{column.name: say("by its name, a weight of the survey") for column in known if column not in quasi},
        **guesses.left["columns"],
        **guesses.column("unlinkable", {}),
    }
    missing, unused = guesses.column("missing", ()), found.unused
    of_sensitive, whose = (guesses.why.get(f"columns.{role}", "") for role in ("sensitive", "individual"))
    for each in (guesses.document, guesses.left, guesses.why, guesses.unsure):
        each.clear()
    guesses.state("microdata.name", found.folder.resolve().name)
    guesses.state("microdata.snapshots", [*dict.fromkeys(each.shown for each in files)])
    guesses.doubts = []
    if not in_time(found.tags)[1]:
        guesses.doubts.append(say("The names of the snapshots do not show their order; list them as they were made."))
    if (by := files[0].by) is not None:
        guesses.state(
            "microdata.snapshots_by",
            by,
            say("it names the snapshot of each row; if all are of one time, delete the line"),
        )
    guesses.state("columns.individual", individual.name, whose or say("it seems to name people"))
    if row is not None:
        key = "columns.gravest" if row.gravest else "columns.latest_by"
        guesses.state(key, [*row.gravest] or row.column, _published(row))
    guesses.state("columns.quasi_identifiers", names, say("others may know them"))
    guesses.state("columns.sensitive", found.sensitive.name, of_sensitive)
    sign = _state_decimal(guesses, (*known, found.sensitive), {*missing, ""})
    codes = [column.name for column in quasi if _has_codes(column)]
    if codes:
        guesses.state("columns.codes", codes, str(_ARE_CODES))
    for column in quasi:
        texts = [text for text in column.texts if text]
        if column.name not in codes:
            _state_domain(found, column, [in_digits(text, sign) for text in texts] if sign else texts)
    guesses.doubts += [
        *_doubted_households(files, found.sensitive.name, individual.name),
        *doubted_frequent(found.sensitive, lambda text: f"harmless = {toml_line([text])}"),
    ]
    if "transitions" in found.beside:
        guesses.state("updates.transitions", found.beside["transitions"])
    elif row is not None or files[0].by is not None or not individual.repeated:
        state_changes_of_people(found, changes, people)
    guesses.found[say("Guessed from the tables found")] = [
        (say("snapshots"), ", ".join(found.tags)),
        *((say("not published"), f'"{name}": {why}') for name, why in left.items() if name != individual.name),
        *((say("NOT USED"), f"{shown}: {why}") for shown, why in unused.items()),
        *(
            (say("NOT USED"), f"{shown}: {BESIDE[role]}")
            for role, shown in found.beside.items()
            if role != "transitions"
        ),
    ]
    return guesses


def _has_codes(column: Column) -> bool:
    """Return whether a column has postcodes, or others of one length, as its name or leading zeros say."""
    named = naming.names_codes(column.name) or naming.names_places(column.name)
    are_codes = len({*map(len, column.some)}) == 1 and column.matches(_CODE)
    return naming.is_postal(column.name) or (are_codes and (named or any(text[0] == "0" for text in column.some)))


def _state_decimal(guesses: Guesses, columns: Sequence[Column], missing: Collection[str]) -> str | None:
    """State the decimal sign that the commas of numbers show, if any does; return it."""
    found = dict[str, str]()
    for column in columns:
        texts = [text for text in column.texts if "," in text and text not in missing]
        if commas_are_decimal(texts):
            found.setdefault(",", HAVE_COMMAS.filled(column=column.name))
        elif texts and all(ungrouped(text, ",") != text for text in texts):
            found.setdefault(".", say('commas in numbers of "{column}" part thousands', column=column.name))
    sign = min(found, default=None)  # a comma if any column has decimal ones
    if sign is not None:
        guesses.state("columns.decimal", sign, found[sign])
    return sign


def _people(found: FoundFiles) -> Column:
    """Return the column that says whose row it is.

    Raises:
        InputError: there is none.
    """
    named = (c for c in found.columns.values() if c.unique and naming.kind(c.name) in naming.ID_KINDS)
    individual = found.chosen("individual") or found.chosen("record") or next(named, None)
    if individual is None:
        what = say("no column identifies the people, each once in a table")
        remedy = say(
            "leave out --microdata if the numbers count people; else add a column such as a patient number, which "
            "anonymize never publishes; where one nearly does, delete rows that were entered twice, or write {file}: "
            "individual, snapshots_by if a column names the snapshot of a row, latest_by if a person has several rows "
            "in one",
            file=NAME,
        )
        raise InputError([Problem(found.releases[0].shown, what, remedy, line=1)])
    return individual


def _one_row(found: FoundFiles, individual: Column, files: Sequence[SnapshotFile]) -> OneRow | None:
    """Return which row of a person counts, if some have several rows: the latest, else the one with the gravest value.

    None if each person has one row, or if neither dates nor values say it.
    """
    if not individual.repeated:
        return None
    dates = [column for column in found.columns.values() if column is not individual and column.are_days]
    ways = {column.name: int(partition([individual, column]).max()) for column in dates}
    if ways:
        return OneRow(individual.name, max(ways, key=lambda name: ways[name]))
    gravest = _gravest(files, individual.name, found.sensitive.name)
    return OneRow(individual.name, found.sensitive.name, gravest) if gravest else None


def _gravest(files: Sequence[SnapshotFile], individual: str, sensitive: str) -> tuple[str, ...]:
    """Return all sensitive values, rare ones first and unknown ones last.

    Nothing is returned for amounts, for very many values, and if no person has two values in a snapshot: rows were then
    entered twice.
    """
    rows, problems, differ = Counter[str](), Problems(), False
    for file in files:
        if (table := replace(file, one_row=None).read([individual, sensitive], problems)) is not None:
            pairs = [*zip(table.texts(individual), table.texts(sensitive), strict=True)]
            rows.update(value for _, value in pairs)
            differ = differ or len({*pairs}) > len({who for who, _ in pairs})
    problems.check()
    texts = [text for text in rows if text]
    unknown = {*unknown_among(texts)}
    if not differ or kind_of_values(texts) is Kind.NUMERIC or len(texts) > _MOST_GRAVE:
        return ()
    return tuple(sorted(texts, key=lambda text: (text in unknown, rows[text], text)))


def _published(row: OneRow) -> str:
    """Return which row of a person with several is published."""
    return str(_GRAVEST if row.gravest else _LATEST)


def _doubted_households(files: Sequence[SnapshotFile], sensitive: str, individual: str) -> Iterator[str]:
    """Yield a sentence if rows of one text of a column have one sensitive value."""
    for what in _of_households(files, sensitive, (), individual):
        yield say(
            "{what}: who knows which people belong together learns what their groups have in common, surely or, where "
            "not all share it, probably. If no outsider knows that, write {example} under [columns] with the reason; "
            "else audits stay undecided.",
            what=what,
            example=f'unlinkable.{toml_key(printable(sensitive))} = "…"',
        )


def _of_households(
    files: Sequence[SnapshotFile], sensitive: str, harmless: Collection[str], individual: str
) -> list[str]:
    """Return which columns show who has the sensitive value in common, in words; see `columns_that_share`."""
    most = dict[tuple[str, ...], tuple[int, int]]()
    for file in files:
        for names, rows in columns_that_share(file, individual, {sensitive: harmless}).get(sensitive, {}).items():
            most[names] = max(most.get(names, (0, 0)), rows)
    return [have_in_common(rows, sensitive, names, some_harmless=bool(harmless)) for names, rows in most.items()]


def _state_domain(found: FoundFiles, column: Column, texts: list[str]) -> None:
    """State the domain of a quasi-identifier: an interval, or ordered values if all cells were read and there are few.

    Dates get none, but are published as years.
    """
    key, guesses = f"domains.{column.name}", found.guesses
    if hierarchy := found.labels.get(column.name):  # its leaves are next to their siblings
        guesses.state(key, [*hierarchy.levels[0]], say("the leaves of {file}", file=hierarchy.name))
    elif column.are_dates:
        guesses.state("columns.dates", {column.name: "year"}, say('days single people out; "month" is possible, too'))
    elif not column.whole:
        guesses.left["domains"][column.name] = say("only the first rows were seen")
    elif listed := _listed(column.name, texts):
        guesses.state(key, listed, say("the values found"))
    elif kind_of_values(texts) is Kind.NUMERIC:
        numbers = {text: number for text in texts if (number := number_in(text)) is not None}
        low, high = (int(end) if end.denominator == 1 else float(end) for end in _range(numbers.values()))
        rows = dict(zip(column.texts, np.bincount(column.codes, minlength=len(column.texts)).tolist(), strict=True))
        if codes_among(numbers, rows) or len(numbers) < len(texts):
            guesses.left["domains"][column.name] = say("some cells look like codes for unknown values")
        elif low < high:
            guesses.state(key, [low, high], say("the range found; later tables must fit into it"))
    elif len(texts) > 1:
        guesses.left["domains"][column.name] = say("there are many values, and later tables may have others")


def _listed(name: str, texts: Collection[str], *, mixed: bool = False) -> list[str]:
    """Return the values of a quasi-identifier in their order, if they are few texts, or codes; else none.

    With `mixed`, numbers among which are other texts are listed, too, as a year of school R among 1 to 11.

    >>> _listed("Sexe", ["2", "1"]), _listed("Département", ["75", "01"]), _listed("Age", ["31", "30"])
    (['1', '2'], ['01', '75'], [])
    >>> _listed("Renta", ["12.001-21.000 €", "Más de 21.000 €", "Hasta 12.000 €", "No consta"])
    ['Hasta 12.000 €', '12.001-21.000 €', 'Más de 21.000 €', 'No consta']
    """
    are_codes = naming.topic(name) == "sex" or any(text[0] == "0" and text[1:].isdigit() for text in texts)
    is_mixed = mixed and any(number_in(text) is None for text in texts)
    most = _MOST_CODES if are_codes else _FEW
    if not 1 < len(texts) <= most or (kind_of_values([*texts]) is Kind.NUMERIC and not are_codes and not is_mixed):
        return []
    bands = {text: read[:2] for text in texts if (read := range_of(text)) is not None}
    return sorted(texts, key=lambda text: (bands.get(text, (inf, inf)), natural(text), text))


def _range(numbers: Collection[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the range of numbers; of fractions and large ones, a round range around it.

    >>> [str(end) for end in _range([Fraction("337.43"), Fraction("24987.7")])]
    ['0', '30000']
    """
    low, high = min(numbers), max(numbers)
    if low == high or (high - low < LARGE and all(number.denominator == 1 for number in numbers)):
        return low, high
    step = Fraction(10) ** floor(log10(high - low))
    return low // step * step, -(-high // step) * step


# -- answers ------------------------------------------------------------------------------------------------------


def confirmed_microdata(folder: Path, text: str, ask: Ask) -> str:
    """Ask what is sensitive or published, whether values change and how dates appear; return the new `microdata.toml`.

    Raises:
        OSError: a file of transitions cannot be written.
        InputError: the microdata cannot be read, or the answers would make them unreadable.
    """
    document = tomlkit.parse(text)
    updates = document.get("updates", {})
    if updates.get("transitions") == ANY:
        updates["transitions"] = NEVER
    microdata = open_microdata(folder, tomlkit.dumps(document))
    columns = read_columns([*dict.fromkeys((each.path, each.shown) for each in microdata.snapshots)])
    _ask_roles(document, microdata, columns, ask)
    microdata = open_microdata(folder, tomlkit.dumps(document))
    row = microdata.snapshots[0].one_row
    right = say("Is that right? By a no, you write one row for each person.")
    if row is not None and ask(yes_or_no(f'"{printable(row.individual)}": {_published(row)}. {right}', "yes")) == "no":
        for key in ("latest_by", "gravest"):
            document["columns"].pop(key, None)
    elif row is not None and row.gravest:
        drafted = say("guess: ") in document["columns"]["gravest"].trivia.comment
        state(document["columns"], "gravest", _ask_gravest(row, ask, drafted=drafted), say("as answered"))
    elif row is not None:
        _mark_answered(document["columns"], "latest_by")
    if microdata.sensitive in columns:
        _ask_harmless(document, microdata, columns[microdata.sensitive], ask)
        microdata = open_microdata(folder, tomlkit.dumps(document))
    _ask_households(document, microdata, ask)
    _ask_changes(document, microdata, ask)
    for name in microdata.quasi_identifiers:
        if name in columns and columns[name].are_dates and name not in microdata.hierarchies:
            _ask_unit(name, document, microdata, ask)
    changed = tomlkit.dumps(document)
    open_microdata(folder, changed)
    return changed


def _mark_answered(columns: Toml, key: str) -> None:
    """Say beside a guess that was right that it was answered; a comment of the user's own is left."""
    if say("guess: ") in columns[key].trivia.comment:
        columns[key].comment(say("as answered"))


def _ask_roles(document: Toml, microdata: Microdata, columns: Mapping[str, Column], ask: Ask) -> None:
    """Ask which column is sensitive, and about the others whether and how they are published."""
    said, file = document["columns"], microdata.snapshots[0]
    drafted = draft(changes_of_people(microdata.snapshots, microdata.individual, microdata.sensitive)[0])
    kept = {microdata.individual, file.by, *file.deciding} - {microdata.sensitive}
    choices = {
        name: joined([*map(printable, each.some[:_SHOWN])]) for name, each in columns.items() if name not in kept
    }
    sensitive = microdata.sensitive
    if len(choices) > 1 and sensitive in choices:
        question = say("Which column is sensitive: what should nobody learn about a person?")
        sensitive = ask(Question(question, choices, sensitive))
        _mark_answered(said, "sensitive")
    if sensitive != microdata.sensitive:
        state(said, "sensitive", sensitive, say("as answered"))
        for name in (sensitive, microdata.sensitive):
            _leave(document, name)
        for key in OF_SENSITIVE:
            said.pop(key, None)
        if "gravest" in said:
            gravest = [*_gravest(microdata.snapshots, microdata.individual, sensitive)]
            state(said, "gravest", gravest, f"{say('guess: ')}{_GRAVEST}")
        document.pop("updates", None)  # they are those of another column, as is the file that was drafted
        path = microdata.folder / TRANSITIONS
        if path.exists() and path.read_text(encoding="utf-8") == drafted:
            path.unlink()
    _ask_published(document, microdata, {name: columns[name] for name in choices if name != sensitive}, ask)


def _ask_published(document: Toml, microdata: Microdata, columns: Mapping[str, Column], ask: Ask) -> None:
    """Ask about columns whether and how they are published.

    No question is asked about quasi-identifiers whose names or dates say that others may know them.
    """
    said = document["columns"]
    answers = {
        "published": say("others may know it about a person"),
        "sensitive": say(
            "nobody should learn it about a person: it is not published, as methods protect one column; if you have to "
            "publish it, answer unlinkable: audits stay undecided until you name both columns under sensitive in "
            "series.toml"
        ),
        "unlinkable": say(
            "published as it is: no outsider can know it about anybody; methods do not protect it, so that it may "
            "become known of people; you will be asked why"
        ),
        "left": say("it is not published"),
    }
    for name, column in columns.items():
        quasi = name in microdata.quasi_identifiers
        if quasi and (naming.is_quasi(name) or column.are_dates):
            continue
        before = "published" if quasi else "unlinkable" if name in microdata.unlinkable.columns else "left"
        question = question_about(name, column, has_role=before != "left")
        answer = ask(Question(question, answers, before))
        if answer != before:
            _leave(document, name)
        if answer == "published" != before:
            said["quasi_identifiers"].append(name)
            if _has_codes(column):
                state(said, "codes", [*said.get("codes", []), name], f"{say('guess: ')}{_ARE_CODES}")
            elif column.whole and (listed := _listed(name, {*column.texts} - {""}, mixed=True)):
                document.setdefault("domains", tomlkit.table())[name] = listed
        elif answer == "unlinkable":
            why = text_of(why_unlinkable(name), microdata.unlinkable.reasons.get(name, ""))
            said.setdefault("unlinkable", tomlkit.inline_table())[name] = ask(why)


def _ask_gravest(row: OneRow, ask: Ask, *, drafted: bool) -> list[str]:
    """Ask which values are gravest, and return all values with these first; a draft's order is no answer."""
    values = in_quotes(row.gravest, limit=40)
    first = row.gravest[0] * (not drafted)
    question = say(
        'Which values of "{column}" are gravest? Write them, the gravest first, with > between them; the others follow '
        "in the order that the file has: {values}.",
        column=printable(row.column),
        values=values,
    )
    while True:
        answer = ask(text_of(question, first))
        given = [first] if answer == first else [each.strip() for each in answer.split(" > ")]
        if {*given} <= {*row.gravest}:
            return [*dict.fromkeys([*given, *row.gravest])]
        question = say("Write some of these values, the gravest first, with > between them: {values}.", values=values)


def _ask_harmless(document: Toml, microdata: Microdata, column: Column, ask: Ask) -> None:
    """Ask whether values that most rows have, or that say that nothing is known, are harmless, and what others are."""
    unknown, left_out = unknown_among(column.texts), microdata.snapshots[0].left_out[1]
    for text in perhaps_harmless(column):
        if text in {*microdata.harmless, *left_out}:
            continue
        question = about_value(column.name, text)
        if text in unknown:
            answers = {
                "harmless": say("it may become known of anybody, and its rows are published"),
                "left": say("its rows are left out; who knows that a person took part infers it from the missing row"),
                "refused": say("neither; methods then refuse the tables until no row has it"),
            }
            question = Question(question.text, answers, "left")
        if (answer := ask(question)) not in ("no", "refused"):
            document["columns"].setdefault("left_out" if answer == "left" else "harmless", []).append(text)
    harmless = document["columns"].get("harmless", [])
    if {*harmless} - {*unknown} and microdata.similar is None:
        similar = about_others(column.name, harmless, ask)
        if similar is not None:
            document["columns"]["similar"] = similar


def _ask_households(document: Toml, microdata: Microdata, ask: Ask) -> None:
    """Ask why no outsider knows which people have the sensitive value in common, if a column shows it."""
    sensitive = microdata.sensitive
    if found := _of_households(microdata.snapshots, sensitive, microdata.harmless, microdata.individual):
        question = say(
            "{what}. Why can no outsider know which people belong together, and learn what their groups have in "
            "common? That some differ is no reason: who expects them to be alike is right more often than by chance. "
            '"?" leaves it open; the verdict stays undecided',
            what=found[0],
        )
        if (why := ask(text_of(question, microdata.unlinkable.reasons.get(sensitive, OPEN)))) != OPEN:
            document["columns"].setdefault("unlinkable", tomlkit.inline_table())[sensitive] = why


def _leave(document: Toml, name: str) -> None:
    """Take a column out of the quasi-identifiers, and out of what is said of them."""
    said = document["columns"]
    for names in (said["quasi_identifiers"], said.get("codes", [])):
        if name in names:
            names.remove(name)
    about = [said.get(key, {}) for key in ("dates", "hierarchies", "unlinkable")]
    for each in (*about, document.get("domains", {}), document.get("grids", {})):
        each.pop(name, None)


def _ask_changes(document: Toml, microdata: Microdata, ask: Ask) -> None:
    """Ask which changes of values are possible, and write the file that lists them."""
    files = microdata.snapshots
    found, people = changes_of_people(files, microdata.individual, microdata.sensitive)
    values = [old for old, new in found if old == new]
    every = [(old, new) for old in values for new in values]
    texts = [lines_of({microdata.sensitive: pairs}) for pairs in (found, every)]
    listed, full = (file_for(microdata.folder, text) for text in texts)
    question = CAN_CHANGE.filled(column=microdata.sensitive)
    question = f"{question} ({evidence_of_changes(len(files), people)})"
    answers = {"never": say("no, as with a place of birth; methods then refuse a table in which it does")}
    if not people:
        answers["some"] = say("in some ways; {file} lists each value alone, add the changes", file=listed)
    else:
        answers["found"] = say("only in the ways that occur in the tables, which {file} lists", file=listed)
        if few := rare(found):
            shown = say(
                "it is published with the series, and shows what fewer than 3 people did: {changes}",
                changes=in_words(few),
            )
            answers["found"] = parted([answers["found"], shown])
    if len(every) <= _MOST_PAIRS:
        answers["any"] = say(
            "any value may become any other; an audit then judges each release by itself, and says how many values "
            "would be certain if none changes; {file} lists all pairs",
            file=full,
        )
    else:
        too_many = say(
            "With {count} values, the pairs are too many to list them all: if amounts change, write wide bands such as "
            "20000-29999 into the tables instead, and begin again.",
            count=len(values),
        )
        question = f"{question}. {too_many}"
    if microdata.transitions is not None:
        answers["stated"] = say("in the ways that {file} lists", file=microdata.transitions)
    likely = ["stated", "found"]
    if microdata.updates is not None and {*chain(*microdata.updates.probability)} & {*files[0].left_out[1]}:
        likely.remove("stated")  # it was drafted from rows that are left out now
    default = next((each for each in likely if each in answers), "never" if len(files) > 1 else "")
    answer = ask(Question(question, answers, default))
    if answer == "stated":
        return
    name, text = (full, texts[1]) if answer == "any" else (listed, texts[0])
    stated = NEVER if answer == "never" else name
    state(document.setdefault("updates", tomlkit.table()), "transitions", stated, say("as answered"))
    if answer != "never":
        write_file(microdata.folder / name, text)


def _ask_unit(name: str, document: Toml, microdata: Microdata, ask: Ask) -> None:
    """Ask how the dates of a column are published."""
    answers = {
        "year": say("only the year"),
        "month": say("year and month"),
        "day": say("the day, by which people can be singled out"),
    }
    question = say('"{column}" has dates with days. What of them may be published?', column=printable(name))
    unit = microdata.dates.get(name, "")
    answer, columns = ask(Question(question, answers, unit or "year")), document["columns"]
    if answer in UNITS:
        columns.setdefault("dates", tomlkit.inline_table())
        guessed = bool(unit) and columns["dates"][name].trivia.comment
        columns["dates"][name] = answer
        if guessed:
            columns["dates"][name].comment(say("as answered"))
        document.get("domains", {}).pop(name, None)
    elif unit:
        del columns["dates"][name]
