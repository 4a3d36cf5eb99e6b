"""Guess the manifest of published tables of people, file by file and column by column.

Guesses come from names and from the first rows of each file; uncertain ones are listed as unconfirmed. Only the
publisher knows the meaning, so the manifest gives the reason of each guess and of each omission. The manifest quotes no
cells except those that mark totals; the terminal may quote others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np

from audit.init.column_differences import check_header, match_headers, state_register
from audit.init.column_meanings import guess_meanings
from audit.init.columns import Column, partition
from audit.init.found_files import QUASI, SNAPSHOTS, FoundFiles, find_files, is_unicode
from audit.init.guesses import Guesses, by_reason, lines_of
from audit.init.summary import found_rows
from audit.io.background_knowledge import MOST_VALUES
from audit.io.cell_reading import MARKERS, infer_kind, may_be_unknown, unknown_among
from audit.io.cells import Kind
from audit.io.irregularities import irregularities
from audit.io.manifest import ANY, NAME, NEVER, PRIVATE, Manifest, parse_manifest
from audit.io.microdata import frequent_value
from audit.io.release_reading import read_release
from audit.io.releases import IdentifierEncoder, KeyedRelease
from audit.io.roles import MOST_ROWS
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing
from audit.io.rules.rows_and_values import EPISODES, OF_PEOPLE, SeveralRows, Unnamed
from audit.io.series import Series, check_headers
from audit.io.toml import release_tag, toml_value
from audit.model.arrays import NOBODY
from audit.model.errors import InputError, Problems, UsageError
from audit.model.report import ReportWarning
from audit.runtime.phrases import Phrase, figure, in_quotes, joined, parted, printable, say

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
Who = TypeVar("Who")
Value = TypeVar("Value")
TRANSITIONS = "transitions.csv"
MOST_CHANGING = 200
_SHOWN = 3
Changes: TypeAlias = dict[str, dict[tuple[str, str], int]]
"""How many people made each change of a value, by sensitive column; 0 for those that are possible without any."""


def guess(folder: Path) -> Guesses:
    """Guess a manifest for the files in a folder.

    Raises:
        UsageError: the folder does not exist, holds no releases, or has names that no manifest can hold.
        InputError: a file cannot be read, or the files have nothing in common that could be audited.
    """
    found = files_with_roles(folder, Guesses(str(_HEAD), str(_POLICY)), published=True)
    guesses = found.guesses
    _state_texts(found)
    changes: Changes | None = {}
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


def files_with_roles(folder: Path, guesses: Guesses, *, published: bool) -> FoundFiles:
    """Return the files of a folder, with the role of each column and the notation of its cells."""
    home = "releases" if published or not (folder / SNAPSHOTS).is_dir() else SNAPSHOTS
    found = find_files(folder, guesses, home)
    check_header(found)
    match_headers(found)
    guess_meanings(found, published=published)
    quasi = found.with_role(QUASI)
    for name in {*found.labels}.difference(column.name for column in quasi):
        found.unused[found.labels.pop(name).name] = say('column "{column}" is not a quasi-identifier', column=name)
    guesses.state_rule(Hierarchies({name: hierarchy.name for name, hierarchy in found.labels.items()}))
    texts = [column.name for column in quasi if column.name not in found.labels and _looks_numeric(column)]
    guesses.state_rule(ColumnTypes(dict.fromkeys(texts, Kind.CATEGORICAL.value)))
    missing = {text for column in quasi for text in column.texts if text in (column.markers if published else MARKERS)}
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


def changes_of_values(held: HeldReleases) -> Changes | None:
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
    return found if any(map(is_changing, found.values())) else {}


def is_changing(changes: Mapping[tuple[str, str], int]) -> bool:
    """Return whether any person made a change."""
    return any(changes.values())


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


def _changes_in(held: HeldReleases, sensitive: str) -> dict[tuple[str, str], int] | None:
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


def state_changes(changes: Changes | None, guesses: Guesses, folder: Path, *, own: bool = False) -> None:
    """State that people's values change, and draft the transitions; where nothing shows it, that they never do.

    If they are too many, any change is possible. The draft of before is written anew if it is `own`.
    """
    key = "adversary.transitions"
    if changes is None:
        why = say("nothing shows whether values of people change between releases")
        guesses.state(key, NEVER, why, sure=False)
    if not changes:
        return
    sizes = [(len({*chain.from_iterable(each)}), is_changing(each)) for each in changes.values()]
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
    return next(name for name in names if {*_lines_in(folder / name)} <= lines)


def _lines_in(path: Path) -> list[str]:
    """Return the lines of a text file; none if it does not exist."""
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []


_FEW_PEOPLE = 3


def rare(changes: Mapping[tuple[str, str], int]) -> list[tuple[str, str]]:
    """Return the changes of values that so few people made that a published list of changes would be about them."""
    return [each for each, people in changes.items() if each[0] != each[1] and 0 < people < _FEW_PEOPLE]


def in_words(changes: Iterable[tuple[str, str]]) -> str:
    """Return some changes as a list for a sentence."""
    return joined([f'"{printable(old, 40)}" > "{printable(new, 40)}"' for old, new in changes], most=_SHOWN)


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
