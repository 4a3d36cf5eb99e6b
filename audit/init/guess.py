"""Guess the manifest of published tables of people, file by file and column by column, and how values change.

Guesses come from names and from the first rows of each file; uncertain ones are listed as unconfirmed. Only the
publisher knows the meaning, so the manifest gives the reason of each guess and of each omission. The manifest quotes no
cells except those that mark totals; the terminal may quote others. What an audit refuses, and what it judges, the
reader itself says.

If keys or record ids show that values change from release to release, as in microdata, a file lists the changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain, count
from operator import not_
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np

from audit.adversary.view import build_evidence, choose
from audit.init.column_meanings import check_header, guess_meanings, match_headers, state_register
from audit.init.columns import Column, partition
from audit.init.found_files import QUASI, FoundFiles, find_files, found_rows, is_unicode
from audit.init.guesses import Guesses, by_reason
from audit.io.background_knowledge import ATTRIBUTE, MOST_VALUES, read_register
from audit.io.cell_reading import MARKERS, infer_kind, may_be_unknown, unknown_among
from audit.io.cells import Kind
from audit.io.irregularities import irregularities
from audit.io.manifest import ANY, NAME, NEVER, PRIVATE, TRANSITIONS, Manifest, parse_manifest
from audit.io.microdata import NAME as MICRODATA
from audit.io.microdata import SnapshotFile, frequent_value, note_no_people, open_microdata
from audit.io.release_reading import read_release
from audit.io.releases import IdentifierEncoder, KeyedRelease
from audit.io.roles import MOST_ROWS, check_keys_are_read
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing
from audit.io.rules.rows_and_values import EPISODES, OF_PEOPLE, SeveralRows, Unnamed, totals
from audit.io.series import Series, check_headers, open_series
from audit.io.table_writer import csv_text
from audit.io.toml import release_tag, toml_value
from audit.model.adversary import ADVERSARIES
from audit.model.arrays import NOBODY
from audit.model.errors import InputError, Problems, UsageError
from audit.model.report import ReportWarning
from audit.runtime.phrases import Phrase, figure, in_quotes, joined, parted, printable, say, say_count

_HEAD = Phrase(
    "Guessed by `audit init` from the files in this folder and their first rows.\n"
    "Check what is marked as a guess: only the publisher knows what the columns mean."
)
_POLICY = Phrase(
    "[policy]        # what makes the audit fail; these are the defaults\n"
    "max_risk = 1.0  # any risk that reaches it\n"
    "min_e = 2       # an e-equivalence below it\n"
    "k = 2           # an inferred class that is smaller"
)
_SHOWN = 3
Who = TypeVar("Who")
Value = TypeVar("Value")
MOST_CHANGING = 200
_FEW_PEOPLE = 3
Changes: TypeAlias = dict[tuple[str, str], int]
"""How many people made each change of a value; 0 for those that are possible without any."""


def guess(folder: Path) -> Guesses:
    """Guess a manifest for the files in a folder.

    Raises:
        UsageError: the folder does not exist, holds no releases, or has names that no manifest can hold.
        InputError: a file cannot be read, or the files have nothing in common that could be audited.
    """
    found = files_with_roles(folder, Guesses(str(_HEAD), str(_POLICY)))
    guesses = found.guesses
    _state_texts(found)
    changes: dict[str, Changes] | None = {}
    held = HeldReleases(_manifest(found))
    with suppress(InputError):  # `refused` names the fault
        _amend(held.series, guesses)
        if (amended := _manifest(found)) != held.series.manifest:
            held = HeldReleases(amended)
        _state_unnamed(held.series, guesses)
        if "transitions" not in found.beside:
            changes = changes_of_values(held)
    _manifest(found)
    guesses.doubts[:0] = _unprotected(found)
    with suppress(InputError):
        noticed = irregularities(held.series, reveal=True)
        several = guesses.column("rows") is not None
        guesses.doubts[:0] = [_warned(each) for each in noticed if each.kind != "duplicates" or not several]
    guesses.doubts += _perhaps_harmless(found)
    state_changes(changes, guesses, folder)
    guesses.found = found_rows(found)
    return guesses


def _unprotected(found: FoundFiles) -> Iterator[str]:
    """Yield that the tables may not be published yet, where most rows have cells of their own and no group."""
    quasi = found.with_role(QUASI)
    if found.pair() or found.chosen("group") or not quasi or any(column.form for column in quasi):
        return
    rows = max(len(column.codes) for column in quasi)  # of all releases; some columns are in a part of them
    times = np.bincount(partition([column for column in quasi if len(column.codes) == rows]))
    if 2 * np.count_nonzero(times == 1) > times.sum():
        yield say(
            "Most rows differ from all others in what others may know, and no column forms groups. If these tables "
            "are not published yet, `audit init --microdata` prepares them for `audit plan` and `audit anonymize`. "
            'If their numbers count people, write kind = "tables" under [series].'
        )


def doubted_frequent(sensitive: Column, line: Callable[[str], str]) -> Iterator[str]:
    """Yield that the value of most rows may be harmless, and the line that says so; none is assumed to be."""
    if (frequent := frequent_value(sensitive.codes, sensitive.texts)) is not None:
        yield say(
            '{share} of the rows have "{value}" as "{column}". If that may become known of anybody, such as "none", '
            "write {line} under [columns]: findings about it alone then do not count.",
            share=figure(frequent[1], ".0%"),
            value=printable(frequent[0], 40),
            column=printable(sensitive.name),
            line=line(frequent[0]),
        )


def _perhaps_harmless(found: FoundFiles) -> Iterator[str]:
    """Yield that the value of most rows, or values that say that nothing is known, may be harmless; none is assumed."""
    sensitive = found.sensitive
    if not (found.pair() or found.chosen("count")):  # else a row is not that of one person
        yield from doubted_frequent(sensitive, lambda text: f"harmless = {toml_value({sensitive.name: [text]})}")
    if unknown := unknown_among(sensitive.texts, of_numbers=True):
        yield say(
            '"{column}" has cells that say that the value is not known ({texts}); an audit takes each for a value that '
            "nobody may learn. If it may become known of anybody, write it under harmless in [columns]; if it is a "
            'value of its own, write spelled = ["{column}"].',
            column=printable(sensitive.name),
            texts=in_quotes(unknown, _SHOWN, limit=40),
        )


def files_with_roles(folder: Path, guesses: Guesses) -> FoundFiles:
    """Return the files of a folder, with the role of each column and the notation of its cells."""
    found = find_files(folder, guesses)
    check_header(found)
    match_headers(found)
    guess_meanings(found)
    quasi = found.with_role(QUASI)
    for name in {*found.labels}.difference(column.name for column in quasi):
        found.unused[found.labels.pop(name).name] = say('column "{column}" is not a quasi-identifier', column=name)
    guesses.state_rule(Hierarchies({name: hierarchy.name for name, hierarchy in found.labels.items()}))
    texts = [column.name for column in quasi if column.name not in found.labels and _looks_numeric(column)]
    guesses.state_rule(ColumnTypes(dict.fromkeys(texts, Kind.CATEGORICAL.value)))
    missing = {
        text for column in quasi for text in column.texts if text in (column.markers if found.published else MARKERS)
    }
    # Under a register, cells that cover everybody may be values.
    sure = missing <= MARKERS and ("register" not in found.beside or not missing)
    if any("" in column.texts for column in (*quasi, found.sensitive)):
        missing |= {""}
    guesses.state_rule(Missing(frozenset(missing)), sure=sure)
    if "register" in found.beside:
        state_register(found)
    _state_beside(found)
    return found


def _looks_numeric(column: Column) -> bool:
    """Return whether cells look like ranges but are not, such as the month 2024-03."""
    looks = infer_kind(column.some, column.markers) is Kind.NUMERIC
    return looks and not column.parses(Kind.NUMERIC) and column.parses(Kind.CATEGORICAL)


def _state_beside(found: FoundFiles) -> None:
    """State the files beside the releases; note those that are unused or doubtful."""
    for role, shown in found.beside.items():
        sure = role != "register" or "presence" not in found.guesses.document["adversary"]  # else it is a roll
        why = say("recognized by its columns")
        if role == "register" and found.other_registers:
            sure = False
            why = say(
                "others list people, too: {files}; who has several such lists knows the people of all, so write their "
                'lines into one file, with the release of each in a column "release" ({tags})',
                files=in_quotes(found.other_registers, _SHOWN),
                tags=joined([*map(printable, found.tags)], most=_SHOWN),
            )
        found.guesses.state(f"adversary.{role}", shown, why, sure=sure)
    group = found.chosen("group")
    needed = {group.name if group else "", "Count"}
    fitting = {release_tag(shown): shown for shown in found.counterfeits if needed.issubset(found.names[shown])}
    used = {tag: fitting[tag] for tag in found.tags if tag in fitting}
    for tag, shown in used.items():
        found.guesses.state(f"counterfeits.{tag}", shown)
    why = say("no release has their tags, or they lack the group column or Count")
    found.unused.update(dict.fromkeys((shown for shown in found.counterfeits if shown not in used.values()), why))


def _state_texts(found: FoundFiles) -> None:
    """State the name of a series, and add comments below its columns."""
    guesses, name = found.guesses, found.folder.resolve().name.strip()
    if name and is_unicode(name):
        guesses.state("series.name", name)
    why = by_reason({column.name: found.roles[column.name][1] for column in found.with_role(QUASI)})
    reasons = parted(f"{names} ({reason})" for reason, names in why)
    mark = say("guess: ") if "columns.quasi_identifiers" in guesses.unsure else ""
    guesses.below["columns.quasi_identifiers"] = mark + (reasons or say("no column has generalized cells"))
    last = [key for key in ("quasi_identifiers", "group", "individual", "record") if guesses.column(key) is not None][
        -1
    ]
    below = ""
    if column := found.chosen("individual"):
        below = say(
            "the worst case: the adversary knows everybody's group. If this column was itself published, write record "
            '= "{column}" instead; if neither, delete the line',
            column=printable(column.name),
        )
    elif found.keys:
        below = say(
            "{folder}/ says whose rows they are, for {keys} of the releases", folder=PRIVATE, keys=len(found.keys)
        )
    before = guesses.below.get(f"columns.{last}")
    guesses.below[f"columns.{last}"] = "\n".join(filter(None, [before, below]))


def _amend(series: Series, guesses: Guesses) -> None:
    """State the column rules that the cells of all rows call for; larger series do not change."""
    if series.about_rows > MOST_ROWS:
        return
    texts = series.written.whole()
    for hint in texts.hints:
        if hint.rule is not None:
            some = [text for group in hint.texts for text in group][:_SHOWN]
            why = say("{why}, such as {cells}", why=hint.why, cells=texts.example(hint.column, some, quoted=True))
            guesses.state_rule(hint.rule, sure=False, quoting=why)


def _state_unnamed(series: Series, guesses: Guesses) -> None:
    """State, as a guess, that the rows with a blank identifier are people's, where no counterfeits are published."""
    silent = (at for at, tag in enumerate(series.tags) if tag not in series.manifest.counterfeits)
    if any(people is not None and (people == NOBODY).any() for people in map(series.people_in, silent)):
        guesses.state_rule(Unnamed(OF_PEOPLE), sure=False)


def _warned(warning: ReportWarning) -> str:
    return f"{warning.text} ({'; '.join(warning.examples)})." if warning.examples else f"{warning.text}."


def _manifest(found: FoundFiles) -> Manifest:
    """Return the guesses as an opened manifest.

    Raises:
        UsageError: it cannot be opened.
    """
    problems = Problems()
    manifest = parse_manifest(found.folder, found.guesses.text(), problems)
    if manifest is not None:
        check_headers(manifest, problems)
    if manifest is None or problems.found:
        raise UsageError.say(
            "{folder}: no manifest could be guessed that opens ({found}); write {file} by hand, or rename the "
            "files or columns it speaks of",
            folder=found.folder,
            found=printable(str(problems.found[0]), 300),
            file=NAME,
        )
    return manifest


def refused(manifest: Path) -> list[str]:
    """Return why an audit refuses a series about people, or methods refuse microdata; none of a large series."""
    try:
        if manifest.name == MICRODATA:
            microdata, people = open_microdata(manifest), IdentifierEncoder()
            microdata.check_spelling(microdata.read_all(people), people)
            return []
        series = open_series(manifest)
        check_keys_are_read(series.manifest)
        choose(series, None)
        if series.about_rows <= MOST_ROWS:
            build_evidence(series, records=True, follow=True)
            if series.manifest.register is not None:  # which an audit does not need beside a key
                read_register(series)
    except InputError as error:
        if manifest.name == MICRODATA:
            return [say("Methods refuse this: {problem}.", problem=each) for each in error.problems]
        return [say("Nothing yet: an audit refuses these files: {why}.", why=error.problems[0])]
    return []


def judged(manifest: Path) -> str:
    """Return what an audit of a series about people judges, and what is needed to judge more; or why it refuses it."""
    if found := refused(manifest):
        return found[0]
    series = open_series(manifest)
    adversary = ADVERSARIES[choose(series, None)]
    more = say(
        "To judge what the releases disclose together, add one of: a key (private/<release>.key.csv with "
        "row,individual, rows counted from 0), a register.csv (individual,first,last and the exact quasi-identifiers), "
        "or a published record id."
    )
    if series.columns.rules[SeveralRows].choice == EPISODES:  # beside which no key says more
        more = say(
            'People have several rows in one release (rows = "episodes"), so that each row is judged by itself. To '
            "judge what the releases disclose together, publish one row for each person; or, if a column has the date "
            'of a row, write date = "…" and rows = "latest" or "first".'
        )
    return f"{adversary.sentence}." if adversary.knows_people else f"{adversary.sentence}. {more}"


# -- values that change -------------------------------------------------------------------------------------------


class HeldReleases:
    """The releases of a series, read when they are first needed, and held."""

    def __init__(self, manifest: Manifest) -> None:
        self.series = Series.of(manifest)

    @cached_property
    def releases(self) -> Sequence[KeyedRelease]:
        """All releases with their people, or else record ids.

        Raises:
            InputError: a release is faulty.
        """
        series = self.series
        return [read_release(series, position, records=not series.keyed) for position in range(len(series.tags))]


def changes_of_values(held: HeldReleases) -> dict[str, Changes] | None:
    """Return the changes of each sensitive column, by keys or else record ids; empty if no value changes.

    Also empty if no row is followed from release to release; None if rows are, and nothing shows whether values change:
    there are no keys or record ids, or values that do not belong to a row (Anatomy).
    """
    series = held.series
    people = not series.offers.isdisjoint({"key", "register", "roll"})
    followed = people or series.columns.record is not None
    if not followed or len(series.tags) < 2:
        return {}
    episodes = series.columns.rules[SeveralRows].choice == EPISODES
    unseen = episodes or not (series.keyed or series.columns.record) or series.about_rows > MOST_ROWS
    shown = {} if unseen else {name: _changes_in(held, name) for name in series.columns.sensitive}
    found = {name: each for name, each in shown.items() if each is not None}
    if len(found) < len(series.columns.sensitive):
        return None if people else {}
    return found if any(chain.from_iterable(map(dict.values, found.values()))) else {}


def possible_changes(
    series: Series, sensitive: str, values: Sequence[str], *, every: bool
) -> Iterator[tuple[str, str]]:
    """Yield each value of a column with itself; one that is not known follows any, and any follows it.

    With `every`, yield all pairs.
    """
    missing = series.missing(sensitive)
    unknown = [text for text in values if every or text in missing or may_be_unknown(text)]
    known = {*values}.difference(unknown)
    for old in values:
        yield from ((old, new) for new in ((old, *unknown) if old in known else values))


def _changes_in(held: HeldReleases, sensitive: str) -> Changes | None:
    """Return how many people made each change of a value in one column; None if the rows do not show it."""
    series, values = held.series, list[dict[int, int]]()
    encoder = None if series.keyed else IdentifierEncoder()
    try:
        releases = held.releases
    except InputError:
        return None
    for release in releases:
        known = release.person if encoder is None or release.records is None else encoder.encode_coded(release.records)
        if known is None or not release.values_by_row:
            return None
        rows = np.flatnonzero(known >= 0)
        values.append(dict(zip(known[rows].tolist(), release.entry_value[sensitive][rows].tolist(), strict=True)))
    names = series.vocabularies[sensitive].names
    found = {(names[old], names[new]): len(people) for (old, new), people in changes_between(values).items()}
    return dict(sorted((dict.fromkeys(possible_changes(series, sensitive, names, every=False), 0) | found).items()))


def changes_between(values: Iterable[Mapping[Who, Value]]) -> dict[tuple[Value, Value], set[Who]]:
    """Return who made each change, given the value of each person in each release; others are left out of a release."""
    before, found = dict[Who, Value](), defaultdict[tuple[Value, Value], set[Who]](set)
    for now in values:
        for who, value in now.items():
            if before.get(who, value) != value:
                found[before[who], value].add(who)
        before |= now
    return found


def state_changes(changes: dict[str, Changes] | None, guesses: Guesses, folder: Path, *, own: bool = False) -> None:
    """State that people's values change, and draft the transitions; where nothing shows it, that they never do.

    If they are too many, any change is possible. The draft of before is written anew if it is `own`.
    """
    key = "adversary.transitions"
    if changes is None:
        why = say("nothing shows whether values of people change between releases")
        guesses.state(key, NEVER, why, sure=False)
    if not changes:
        return
    sizes = [(len({*chain.from_iterable(each)}), any(each.values())) for each in changes.values()]
    if any(size > (MOST_CHANGING if changing else MOST_VALUES) for size, changing in sizes):
        guesses.state(key, ANY, say("the keys or record ids show that values of people change"), sure=False)
        return
    text = lines_of(changes)
    file = TRANSITIONS if own else file_for(folder, text)
    guesses.state(key, file, say("drafted from the keys or record ids"), sure=False)
    guesses.below[key] = say(
        "the keys or record ids show that values of people change: {file} lists the changes. A change that is "
        'not listed counts as impossible; complete the file, or write transitions = "any" if any change may happen',
        file=file,
    )
    guesses.files[file] = text
    if few := [*chain.from_iterable(map(rare, changes.values()))]:
        guesses.doubts.append(
            say(
                "Do not publish {file} as it is: fewer than 3 people made some of the changes in it ({changes}). Keep "
                "it for your audits, or leave in it only what everybody knows to be possible.",
                file=file,
                changes=in_words(few),
            )
        )


def file_for(folder: Path, text: str) -> str:
    """Return the name of a file of transitions: another than that of a file with other lines, which remains."""
    names, lines = chain([TRANSITIONS], map("transitions-{}.csv".format, count(2))), {*text.splitlines()}
    paths = ((name, folder / name) for name in names)
    texts = (
        (name, path.read_text(encoding="utf-8", errors="replace") if path.exists() else "") for name, path in paths
    )
    return next(name for name, before in texts if {*before.splitlines()} <= lines)


def rare(changes: Changes) -> list[tuple[str, str]]:
    """Return the changes of values that so few people made that a published list of changes would be about them."""
    return [each for each, people in changes.items() if each[0] != each[1] and 0 < people < _FEW_PEOPLE]


def in_words(changes: Iterable[tuple[str, str]]) -> str:
    """Return some changes as a list for a sentence."""
    return joined([f'"{printable(old, 40)}" > "{printable(new, 40)}"' for old, new in changes], most=_SHOWN)


def lines_of(changes: Mapping[str, Iterable[tuple[str, str]]]) -> str:
    """Return the text of a file of transitions, by sensitive column; the name of a single one is not written.

    It has no counts, which would publish how many people changed.
    """
    several = len(changes) > 1
    lines = [(*pair, *[name] * several) for name, pairs in changes.items() for pair in pairs]
    return csv_text([("from", "to", *[ATTRIBUTE] * several), *lines])


def state_changes_of_people(found: FoundFiles, changes: Changes, people: int) -> None:
    """State whether sensitive values change, and draft the transitions, without those of few people.

    The transitions are published with the series.
    """
    guesses, tables = found.guesses, len(found.releases)
    if people and not (found.folder / TRANSITIONS).exists():
        why = parted(
            [evidence_of_changes(tables, people), say("any change that it does not list counts as impossible")]
        )
        guesses.state("updates.transitions", TRANSITIONS, why)
        guesses.files[TRANSITIONS] = draft(changes)
        if few := rare(changes):
            guesses.doubts.append(
                say(
                    "{file} is published with the series, so it lacks changes that fewer than 3 people made: "
                    "{changes}. Before you publish, add those that everybody knows to be possible: an audit refuses "
                    "all others.",
                    file=TRANSITIONS,
                    changes=in_words(few),
                )
            )
        return
    refuse = say("methods refuse a table in which one does")
    guesses.state("updates.transitions", NEVER, parted([evidence_of_changes(tables, people), refuse]))


def draft(changes: Changes) -> str:
    """Return the text of a file of the changes, without those of few people."""
    few = rare(changes)
    return lines_of({"": [each for each in changes if each not in few]})


def evidence_of_changes(tables: int, people: int) -> str:
    """Return what the tables show about changes of values."""
    if people:
        return say_count("the [value|values] of {count} [person changes|people change] between the tables", people)
    if tables > 1:
        return say("nobody's value changes between the tables")
    return say("one table does not show whether values change")


def changes_of_people(files: Sequence[SnapshotFile], individual: str, sensitive: str) -> tuple[Changes, int]:
    """Return how many people made each change of values, each value to itself included, and how many changed.

    Rows without a value show nothing.

    Raises:
        InputError: a snapshot cannot be read, or some rows are no person's; it lists all of these.
    """
    values, problems = list[dict[str, str]](), Problems()
    for file in files:
        table = replace(file, one_row=None).read([individual, sensitive], problems)
        if table is not None and (totals(table.arrow(individual)) | table.where(individual, not_)).any():
            note_no_people(table, individual, sensitive, problems)
    problems.check()
    for file in files:
        if (table := file.read([individual, sensitive], Problems())) is not None:
            pairs = zip(table.texts(individual), table.texts(sensitive), strict=True)
            values.append({person: value for person, value in pairs if value})
    found = changes_between(values)
    changes = {(value, value): 0 for now in values for value in now.values()}
    changes |= {pair: len(people) for pair, people in found.items()}
    return dict(sorted(changes.items())), len({*chain(*found.values())})
