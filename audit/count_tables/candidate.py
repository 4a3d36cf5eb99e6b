"""Candidate: judge a release of count tables before its publication: what it adds, which cells to hide, how to round.

A hidden cell gets the publisher's marker that can stand for its count and all larger ones; if cells without such a
marker are needed, all are left empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.count_tables.cell_rates import CellRates
from audit.count_tables.doubts import guessed_entries
from audit.count_tables.hiding import Before, HidingSearch, Rows, hidden_lower, with_numbers
from audit.count_tables.judged_counts import CountAttack, RememberedAttack, judge
from audit.count_tables.manifest import (
    TableFile,
    TableManifest,
    TableRelease,
    column_names,
    known_as,
    read_count_table,
)
from audit.count_tables.note_numbers import noted_range
from audit.count_tables.published_counts import PublishedCounts, check_audited
from audit.count_tables.published_texts import (
    ANYTHING,
    NOT_APPLICABLE,
    Interval,
    is_like_a_number,
    number_of,
    rounded_interval,
    widened,
    with_threshold,
)
from audit.count_tables.read_counts import read_counts
from audit.count_tables.second_reading import may_lack_zeros
from audit.count_tables.table_audit import read_published, report_on
from audit.count_tables.table_shapes import FileRows
from audit.findings.count import CountFinding
from audit.io.atomic_files import check_empty
from audit.io.candidate import not_alone, only_new, revised
from audit.io.dialect import Dialect, text_above
from audit.io.foreign_files import is_foreign, writable_name
from audit.io.naming import are_a_year, in_time, most_like, named_like, names_codes
from audit.io.table_forms import is_text, lines_beside, text_below
from audit.io.table_writer import write_table
from audit.io.tables import header, is_of_counts, is_table, read_table
from audit.io.toml import release_tag
from audit.model.arrays import UNBOUNDED, Codes, Flags
from audit.model.audit_options import AuditOptions
from audit.model.count_tables import Rounding
from audit.model.errors import InputError, Problems, UsageError
from audit.model.release_impact import (
    COUNTS_OPEN,
    Candidate,
    Cause,
    CellRepair,
    ComparedAttack,
    HiddenCell,
    NewFinding,
    ReleaseImpact,
    changed,
)
from audit.model.report import Report, Undecided, Violation
from audit.runtime.budget import Budget
from audit.runtime.phrases import ReasonKind, joined, kind_of, printable, printable_path, say

_OWN_SIGNS = "\u2022\u25c6\u25a0\u25b2\u00a7\u2020"
_BASES = (3, 5, 10, 20, 50, 100)


def release_of(manifest: TableManifest, files: Sequence[Path], inside: Path, tag: str | None = None) -> TableRelease:
    """Return the release of some files, with a tag or that of the first; files directly in `inside` are shown by name.

    If a column names the release of each row, these are the rows of the only release that the series does not have.

    Raises:
        UsageError: there is not one such release, or the rows of another one differ from those of the series.
        InputError: a file cannot be read.
    """
    tables = tuple(TableFile(path, path.name if path.parent == inside else str(path)) for path in files)
    published = {path.resolve() for release in manifest.releases for path in release.paths}
    if published.isdisjoint(path.resolve() for path in files) and (marked := _new_release(manifest, tables)):
        return marked
    own = release_tag(files[0].name) if files[0].parent == inside else manifest.tag_of(files[0])
    return TableRelease(own if tag is None else tag, tables)


def _new_release(manifest: TableManifest, tables: Sequence[TableFile]) -> TableRelease | None:
    """Return the new release in files with the column that names the release of each row; None without that column."""
    by, problems, shown = manifest.releases_by, Problems(), printable_path(tables[0].shown)
    columns = [column_names(each.path, each.shown, Problems(), manifest.columns) or () for each in tables]
    if by is None or not all(by in names for names in columns):
        return None
    known = {release.tag: release for release in manifest.releases}
    named = [{text for (text,) in _rows(manifest, [each], [by], problems)} for each in tables]
    releases = in_time(set().union(*named))[0]
    new = only_new(releases, known, by, shown)
    earlier = [table for tag in releases if tag != new for table in known[tag].tables]
    theirs = [column_names(each.path, each.shown, problems, manifest.columns) or () for each in earlier]
    names = [by, *sorted(manifest.columns.difference([by]).intersection(*columns, *theirs))]
    here, there = (_rows(manifest, some, names, problems) for some in (tables, earlier))
    for row in here | there:
        if row[0] in releases and row[0] != new and here[row] != there[row]:
            raise revised(row[0], shown)
    own = [each for each, texts in zip(tables, named, strict=True) if new in texts]
    return TableRelease(new, tuple(replace(each, only=(by, new) if len(releases) > 1 else None) for each in own))


def _rows(
    manifest: TableManifest, tables: Iterable[TableFile], names: Sequence[str], problems: Problems
) -> Counter[tuple[str, ...]]:
    """Return the rows of files in some columns."""
    found = Counter[tuple[str, ...]]()
    for each in dict.fromkeys(replace(table, only=None) for table in tables):
        table = problems.checked(read_count_table(each.path, each.shown, names, problems, manifest.once))
        found.update(zip(*map(table.texts, names), strict=True))
    return found


def tables_in(folder: Path) -> list[Path]:
    """Return the tables in a folder, in the order of their names; none if it is a file."""
    return sorted(filter(is_of_counts, folder.iterdir())) if folder.is_dir() else []


def with_candidate(manifest: TableManifest, candidate: TableRelease) -> TableManifest:
    """Return the manifest with one more release, whose tables are exact if those of their kind are.

    If `wide` has columns of other periods alone, those of the release that differ by numbers or months are among them.

    Raises:
        UsageError: the series has a release of that tag.
    """
    if candidate.tag in manifest.tags:
        tag = printable(candidate.tag)
        raise UsageError.say('the series has a release with the tag "{tag}" already; rename the candidate', tag=tag)
    is_exact = {
        PurePath(table.shown).name: not manifest.exact.isdisjoint((release.tag, table.shown))
        for release in manifest.releases
        for table in release.tables
    }
    alike = {
        each.shown for each in candidate.tables if is_exact.get(most_like(PurePath(each.shown).name, is_exact) or "")
    }
    wide, names = manifest.wide, list[str]()
    for each in candidate.tables if wide is not None else ():
        names += column_names(each.path, each.shown, Problems(), manifest.columns) or ()
    if wide is not None and not {*names}.intersection(wide.columns.values()):
        periods = {name: name for name in names if named_like(name, wide.columns.values())}
        wide = replace(wide, columns={**wide.columns, **periods})
    return replace(manifest, releases=(*manifest.releases, candidate), exact=manifest.exact | alike, wide=wide)


def without_candidate(manifest: TableManifest, candidate: TableRelease) -> tuple[TableManifest, TableRelease]:
    """Return the series without its last release if the candidate has its files, then with its tag; else both as given.

    So a manifest that names the first release already judges and repairs it before its publication.

    Raises:
        UsageError: another release has one of the candidate's files.
    """
    own = {table.path.resolve(): table.shown for table in candidate.tables}
    files = [{table.path.resolve() for table in each.tables} for each in manifest.releases]
    is_last = bool(files) and files[-1] == own.keys()
    for release, published in zip(manifest.releases, files[:-1] if is_last else files, strict=False):
        for path in own.keys() & published:
            name, tag = printable_path(own[path]), printable(release.tag)
            raise UsageError.say('{name}: this file is in release "{tag}" of the series already', name=name, tag=tag)
    to_come = tuple(map(manifest.tag_of, candidate.paths))
    if not is_last:
        return replace(manifest, to_come=to_come), candidate
    earlier = replace(manifest, releases=manifest.releases[:-1], to_come=to_come)
    return earlier, replace(candidate, tag=manifest.releases[-1].tag)


def _report_before(
    earlier: PublishedCounts | None, counts: PublishedCounts, attack: CountAttack, options: AuditOptions
) -> Report:
    """Return the report on the earlier releases; if there are none, on the candidate's tables without any count."""
    if earlier is not None:
        check_audited(earlier)
        return report_on(judge(earlier, attack, options))
    return replace(report_on(judge(counts.emptied(slice(None)), attack, options)), inputs=())


def judge_candidate(
    manifest: TableManifest,
    candidate: TableRelease,
    attack: CountAttack,
    options: AuditOptions,
    *,
    repairs: bool = False,
) -> tuple[ReleaseImpact, HidingSearch, Rows]:
    """Return what a candidate adds, what to do, the search, and the rows to hide.

    The candidate may be the last release of the series.

    The time limit applies to the audit and to the search separately; if the command `repairs`, to both together.

    Raises:
        UsageError: the series has a release of that tag.
        InputError: a file cannot be read, or the numbers contradict each other.
    """
    budget, every, attack = Budget(options.time_limit), replace(options, findings=None), RememberedAttack(attack)
    manifest, candidate = without_candidate(manifest, candidate)
    counts = read_published(with_candidate(manifest, candidate))
    # Only cells that are hidden now will be empty: they can be any count, as the manifest is to say then.
    unsaid = not manifest.absent_is_said and not counts.hidden.any() and not may_lack_zeros(counts)
    if unsaid := unsaid and not manifest.is_exact:
        counts = _said(counts)
    earlier = read_counts(manifest) if manifest.releases else None
    before = _report_before(earlier, counts, attack, every)
    last = np.flatnonzero(_is_last(counts) & counts.shown).tolist()
    limit = budget if repairs else None
    marked = _signs(counts, last)
    # A cell left empty beside further markers would be known to have a count that none of them can stand for. If they
    # are not enough, only tables that have one already get more of them, and others none; then all get a sign for any
    # count, or are left empty: so that any sign may stand there, or else, which asks less, none.
    table = _tables(counts)
    with_marker = {*table[counts.hidden & (counts.text != "")].tolist()}
    by_table = {row: marked[row] for row in marked if table[row] in with_marker}
    by_table |= {row: "" for row in last if by_table and table[row] not in with_marker}
    ways: list[tuple[dict[int, str], Sequence[int]]] = [(each, [*each]) for each in (marked, by_table) if each]
    ways += [] if manifest.blank_is_zero else [(_any_count(counts, last), last), ({}, last)]

    def searching(rows: Iterable[int], signs: Mapping[int, str]) -> HidingSearch:
        published, texts = with_numbers(counts, numbers), {row: str(number) for row, number in numbers.items()}
        others = {*rows} - numbers.keys()
        known = Before(before, earlier)
        return HidingSearch(published, others, attack, every, budget=limit, before=known, signs={**signs, **texts})

    numbers, searches = dict[int, int](), list[HidingSearch]()
    for signs, rows in ways or [({}, [])]:
        searches.append(searching(rows, signs))
        hiding = searches[-1].search()
        if not (hiding.is_enough or hiding.stopped or numbers) and (numbers := searches[-1].following()):
            searches.append(searching(rows, signs))
            hiding = searches[-1].search()
        if hiding.is_enough or kind_of(hiding.stopped) not in {None, ReasonKind.TOO_HARD}:
            break
    search, first = searches[-1], searches[0].hidden()
    after, new = searches[0].report, {each.id for each in first.found}
    fresh = [each for each in after.findings if isinstance(each, CountFinding) and each.id in new]
    rounding = _coarser_rounding(searches[0]) if fresh and hiding.stopped is None else None
    chosen = hiding.rows
    settled = search.hidden(chosen).open
    chosen = search.changed(chosen)
    hide = _cells(counts, {row: search.signs.get(row, "") for row in chosen})
    show = _cells(counts, {row: str(number) for row, number in numbers.items()})
    cells = CellRepair(
        hide=hide if hiding.is_enough else None,
        show=show,
        hidden=_cells(
            counts, dict.fromkeys({*np.flatnonzero(_is_last(counts) & ~counts.number).tolist()} - chosen, "")
        ),
        unavoidable=() if hiding.is_enough else tuple(map(_unavoidable, search.unavoidable())),
        changes=() if hiding.is_enough else _cells(counts, dict.fromkeys(_telling_changes(counts), "")),
        rounding=rounding,
        rates=_needless_rates(searches[0]) if fresh and hiding.stopped is None else (),
        undecided=max(first.open, settled) > search.left,
        least=hiding.least,
        stopped=hiding.stopped,
        own_sign=_own_sign(counts, is_enough=hiding.is_enough, signed=chosen <= search.signs.keys()),
        ends_year=manifest.over_time == "independent" and are_a_year(counts.manifest.tags),
        unsaid=unsaid and hiding.is_enough and any(not each.sign for each in hide),
        repairs=repairs,
        rated=any(map(CellRates(counts).has_rate, chosen)),
        bare=any(is_foreign(table.path) for table in candidate.tables),
    )
    return _impact(before, _shown(after, options.findings), candidate, fresh, cells), search, chosen


def _own_sign(counts: PublishedCounts, *, is_enough: bool, signed: bool) -> str:
    """Return a sign that stands in no count and no note of the tables, and that the manifest does not know.

    It may stand in cells that are enough and may be `signed`, or in those that must not be empty, as that means 0,
    where no other sign can stand for any count; an empty text if none may.
    """
    manifest = counts.manifest
    if not is_enough:
        signed = manifest.blank_is_zero and all(most < UNBOUNDED for _, most in manifest.markers.values())
    notes = (text for path in dict.fromkeys(part.file.path for part in counts.parts) for _, text in lines_beside(path))
    known = " ".join({*counts.text, *manifest.markers, *manifest.not_published, *manifest.flags, *notes})
    return next((sign for sign in _OWN_SIGNS if signed and sign not in known), "")


def _unavoidable(finding: CountFinding) -> str:
    """Return a sentence: what is found with all cells hidden, too, and the tables from which it follows."""
    files = dict.fromkeys(printable_path(each.file) for each in finding.terms if each.file is not None)
    return say(
        "With all cells hidden that may be, this still follows from {files}: {finding}",
        files=joined([*files]),
        finding=finding.what(),
    )


def _impact(
    before: Report, after: Report, candidate: TableRelease, fresh: Sequence[CountFinding], cells: CellRepair
) -> ReleaseImpact:
    """Return what a candidate adds, given its new findings, of which as many are shown as of all."""
    tag, (old,), (new,) = after.series.releases[-1], before.attacks, after.attacks
    causes = ({each.release for each in finding.terms} for finding in fresh[: len(new.findings)])
    found = tuple(
        NewFinding(finding, Cause(tuple(each for each in after.series.releases[:-1] if each in used), False, ()))
        for finding, used in zip(fresh, causes, strict=False)
    )
    kinds, undecided = Counter(each.kind for each in fresh), after.policy.undecided
    if cells.undecided:
        undecided = (*undecided, Undecided("policy", str(COUNTS_OPEN)))
    violations = tuple(Violation(new.attack, kind, 0, count) for kind, count in kinds.items())
    adds = replace(after.policy, violations=violations, undecided=undecided)
    compared = ComparedAttack(new, old.status, changed(old, new), old.findings_total, len(fresh), 0, found)
    by = next((table.only[0] for table in candidate.tables if table.only is not None), None)
    named = Candidate(tag, tuple(each.shown for each in candidate.tables), None, by)
    return ReleaseImpact(after, before, (compared,), named, adds, cells=cells)


def _said(counts: PublishedCounts) -> PublishedCounts:
    """Return published counts whose manifest says that empty cells can be any count."""
    return replace(counts, manifest=replace(counts.manifest, absent_is_said=True))


def _is_last(counts: PublishedCounts) -> Flags:
    """Return which rows with counts are of the last release; shape (rows,), bool."""
    return (counts.release == len(counts.manifest.releases) - 1) & ~counts.without_count


def _telling_changes(counts: PublishedCounts) -> Iterator[int]:
    """Yield the rows of the last release whose changes narrow counts of an earlier release."""
    manifest, last = counts.manifest, len(counts.manifest.releases) - 1
    if manifest.change is None or last < manifest.change.since:
        return
    earlier = read_counts(replace(manifest, releases=manifest.releases[:-1]))
    rows = len(earlier.lower)
    narrowed = (earlier.lower != counts.lower[:rows]) | (earlier.upper != counts.upper[:rows])
    narrowed &= earlier.release == last - manifest.change.since
    cells = {(int(counts.measure[row]), *counts.label[row].tolist()) for row in np.flatnonzero(narrowed).tolist()}
    for row in np.flatnonzero((counts.release == last) & counts.shown).tolist():
        if (int(counts.measure[row]), *counts.label[row].tolist()) in cells:
            yield row


def _cells(counts: PublishedCounts, texts: Mapping[int, str]) -> tuple[HiddenCell, ...]:
    """Return the cells of some rows, each with the text to write."""
    return tuple(
        HiddenCell(counts.cell(row), counts.text[row], *counts.place(row), sign=text)
        for row, text in sorted(texts.items())
    )


def _signs(counts: PublishedCounts, rows: Sequence[int]) -> dict[int, str]:
    """Return the marker that can stand for a row's count and for larger ones; no row without one.

    It says no more than an empty cell, except that the count is not 0: if others have a marker, an empty cell would say
    that the count is not small. Of the markers that fit, the most telling is taken, then the most frequent. None is
    taken of which a note beside the table, if `not_counts` lacks it, says that it stands for smaller counts. A Parquet
    column of numbers has no markers.
    """
    least = np.maximum(hidden_lower(counts), np.minimum(counts.lower, 1))
    ends = {text: low for text, (low, most) in _markers(counts) if most >= UNBOUNDED}
    ordered = sorted(ends, key=lambda text: -ends[text])
    # A second sign in a table would say that the first cannot stand there, so each table has one: the one it has, or
    # one that can stand for all its counts, or else for most.
    fit, table = dict[int, str](), _tables(counts)
    for each in {int(table[row]) for row in rows}:
        own = table == each
        has, lowest = {*counts.text[own & counts.hidden].tolist()}, int(least[own & counts.shown].min(initial=1))
        usable = [text for text in ordered if text in has] or [text for text in ordered if ends[text] <= lowest]
        sign = next(iter(usable), min(ordered, key=ends.__getitem__, default=""))
        fit |= {row: sign for row in rows if table[row] == each and sign and ends[sign] <= least[row]}
    takes = [_takes_text(part) for part in counts.parts]
    without, places = counts.manifest.not_counts, {(part.file.path, sign) for part in counts.parts for sign in ordered}
    noted = {(path, sign): noted_range(path, sign, without) for path, sign in places}
    most = {key: UNBOUNDED if said is None else said[0][1] for key, said in noted.items()}
    files = {row: counts.part(row).file.path for row in fit}
    is_true = {
        row: counts.text[row] == text or counts.upper[row] <= most.get((files[row], text), 0)
        for row, text in fit.items()
    }
    return {row: text for row, text in fit.items() if is_true[row] and takes[counts.file[row]]}


def _tables(counts: PublishedCounts) -> Codes:
    """Return the first part of each row's table, whose exact statistics are a part of their own. Shape (rows,)."""
    paths = [part.file.path for part in counts.parts]
    return np.array([*map(paths.index, paths)])[counts.file]


def _any_count(counts: PublishedCounts, rows: Iterable[int]) -> dict[int, str]:
    """Return the sign that can stand for any count by `markers` and the notes beside its table, or none, by row."""
    signs = [text for text, ends in _markers(counts) if ends == ANYTHING]
    found = dict[int, str]()
    for file in {int(counts.file[row]) for row in rows}:
        path, fits = counts.parts[file].file.path, _takes_text(counts.parts[file])
        own = (text for text in signs if fits and noted_range(path, text, counts.manifest.not_counts) is None)
        found[file] = next(own, "")
    return {row: found[int(counts.file[row])] for row in rows}


def _markers(counts: PublishedCounts) -> list[tuple[str, Interval]]:
    """Return the markers that a repair may write, with their ranges: the most frequent ones first.

    Those that usually mean "not applicable" come last, and none of which it is a guess that it hides counts.
    """
    used, guessed = Counter(counts.text[counts.hidden].tolist()), guessed_entries(counts.manifest, "table.markers")
    others = {text for text in counts.manifest.markers if text.casefold() in NOT_APPLICABLE}
    known = [(text, ends) for text, ends in counts.manifest.markers.items() if text not in others & {*guessed}]
    return sorted(known, key=lambda each: (each[0] in others, -used[each[0]]))


def _takes_text(part: FileRows) -> bool:
    """Return whether the column with the counts of a file can hold a marker."""
    if part.file.path.suffix != ".parquet" or not part.has_counts:
        return True
    import pyarrow.parquet as pq

    types = {field.name.strip(): field.type for field in pq.read_schema(part.file.path)}
    return is_text(types[part.view.column])


def _shown(report: Report, findings: int | None) -> Report:
    """Return a report that shows only its first findings."""
    (attack,) = report.attacks
    return replace(report, attacks=(replace(attack, findings=attack.findings[:findings]),))


def _coarser_rounding(search: HidingSearch) -> Rounding | None:
    """Return the finest rounding of the candidate's numbers, to the nearest multiple, that adds no finding.

    The manifest has one rounding, so the numbers of past releases must be multiples of it, too. None if there is none,
    or if rates stand beside the counts, which would reveal the unrounded counts.
    """
    counts, manifest = search.counts, search.counts.manifest
    texts = counts.text[counts.number & (counts.release < len(manifest.releases) - 1)]
    past = {number for text in dict.fromkeys(texts) if (number := number_of(text)) is not None}
    least = 1 if manifest.rounding is None else manifest.rounding.to
    for base in () if manifest.rates else _BASES:
        if base > least and base % least == 0 and not any(number % base for number in past):
            rounding = Rounding(base, "nearest")
            audited = search.audited(_rounded(counts, rounding))
            if not audited.found and audited.open <= search.left:
                return rounding
    return None


def _needless_rates(search: HidingSearch) -> tuple[str, ...]:
    """Return the columns of rates without which the candidate adds no finding; none if it adds one then, too."""
    counts, manifest = search.counts, search.counts.manifest
    if not manifest.rates or any(each.is_statistic for each in manifest.rates):
        return ()
    last = counts.release == len(manifest.releases) - 1
    try:
        bare = read_counts(replace(manifest, rates=()))
    except InputError:  # a table has nothing but rates
        return ()
    of_last = {"lower": bare.lower[last], "upper": bare.upper[last], "denominators": UNBOUNDED}
    audited = search.audited(counts.with_values(last, **of_last))
    is_enough = not audited.found and audited.open <= search.left
    return tuple(dict.fromkeys(each.column for each in manifest.rates)) if is_enough else ()


def _rounded(counts: PublishedCounts, rounding: Rounding) -> PublishedCounts:
    """Return the published counts with the numbers of the last release rounded to nearest."""
    last = counts.release == len(counts.manifest.releases) - 1
    rows = np.flatnonzero(last & counts.number & (counts.upper < 10**12))
    lower, upper = counts.lower.copy(), counts.upper.copy()
    for row in rows.tolist():
        middle = number_of(counts.text[row])
        if middle is not None:
            to = rounding.to
            number = (2 * middle + to) // (2 * to) * to
            ends = widened(rounded_interval(number, rounding) or (0, 0), counts.manifest.perturbation)
            lower[row], upper[row] = with_threshold(number, ends, counts.manifest.threshold if number else None)
            lower[row], upper[row] = min(lower[row], middle), max(upper[row], middle)
    return replace(counts, lower=lower, upper=upper)


def repair_candidate(
    manifest: TableManifest,
    candidate: TableRelease,
    output: Path,
    attack: CountAttack,
    options: AuditOptions,
) -> ReleaseImpact:
    """Write the candidate into a new or empty folder, with the cheapest cells hidden, and audit it.

    If no cells were found that help, nothing is written, and the report has the findings that the candidate adds.

    Raises:
        UsageError: the series has a release of that tag, the folder is not empty, or a file is not a table.
        InputError: a file cannot be read, or the numbers contradict each other.
        RuntimeError: the written release still adds a finding, which is a bug.
    """
    check_empty(output)
    manifest, candidate = without_candidate(manifest, candidate)
    for table in candidate.tables:
        if not is_table(table.path.name):
            name = printable(table.path.name)
            raise UsageError.say("{name}: only .csv and .parquet files can be rewritten; convert it first", name=name)
        if table.only is not None:
            raise not_alone(table.shown, candidate.tag, table.only[0])
    found, search, rows = judge_candidate(manifest, candidate, attack, options, repairs=True)
    if found.cells is None or found.cells.hide is None:
        return found
    place = output / candidate.tag if manifest.releases and manifest.are_folders else output
    tables, emptied = zip(*(_written(search, rows, each, place) for each in candidate.tables), strict=True)
    written = replace(candidate, tables=tables)
    audited = None
    try:
        counts = read_counts(with_candidate(manifest, written))
        audited = search.audited(_said(counts) if found.cells.unsaid else counts)
    finally:
        for table in written.tables if audited is None or audited.found else ():
            table.path.unlink()
    if audited.found:
        raise RuntimeError("a repaired candidate still adds a finding")
    after = search.report_on(audited)
    files, is_open = tuple(table.shown for table in written.tables), audited.open > search.left
    cells = replace(
        found.cells,
        rounding=None,
        undecided=found.cells.undecided or is_open,
        written=files,
        emptied=tuple(dict.fromkeys(chain(*emptied))),
    )
    return _impact(found.without, _shown(after, options.findings), written, (), cells)


def _source(table: TableFile, manifest: TableManifest) -> tuple[pa.Table, list[str], Dialect | None]:
    """Return the columns of a file of the candidate, their names in it, and its dialect; None if it is Parquet."""
    import pyarrow.parquet as pq

    dialect, names = None, [*(header(table.path, table.shown, Problems()) or ())]
    if table.path.suffix == ".parquet":
        source = pq.read_table(table.path)
    else:
        read = read_table(table.path, table.shown, names, Problems())
        if read is None:
            raise TypeError("a table that was read can be read again")
        source = pa.table({name: read.arrow(name).cast(pa.string()) for name in names})
        dialect = read.dialect or Dialect()
    return source.rename_columns(known_as(names, manifest.columns)), source.column_names, dialect


def _written(search: HidingSearch, rows: Rows, table: TableFile, output: Path) -> tuple[TableFile, list[str]]:
    """Write a table with hidden values, and without the numbers and statuses beside them, which would reveal them.

    It shows the counts that replace markers. Nor does it have rates whose denominator is hidden. The columns beside the
    counts in which a cell was emptied are returned, too.
    """
    counts, signs = search.counts, {row: sign for row, sign in search.signs.items() if sign}
    manifest, path = counts.manifest, output / writable_name(table.path)
    own = [row for row in rows if counts.part(row).file.path == table.path]
    tied = [row for row, both in counts.related.items() if row not in rows and not rows.isdisjoint(both)]
    tied = [row for row in tied if counts.part(row).file.path == table.path]
    rates = {manifest.value if each.is_statistic else each.column for each in manifest.rates if not each.has_column}
    without = counts.without_count
    counted = {view.column for view in manifest.views}
    source, spelled, dialect = _source(table, manifest)
    nothing, above, below = None if dialect is None else "", "", ""
    if dialect is not None and not is_foreign(table.path):
        above, below = text_above(table.path, dialect), text_below(table.path)  # they may explain markers
    written = {
        row: sign
        for row, sign in signs.items()
        if (row in rows or sign == counts.text[row]) and counts.part(row).file.path == table.path
    }
    at = _places(counts, table.path)
    declared, rated = {*manifest.beside, manifest.status}, {each.column for each in manifest.rates}
    beside, every = {*declared, *_numbers(source, manifest)}, _all_hidden(counts, own)
    for place, name in enumerate(source.column_names):
        column = source.column(place)
        # A rate gets the sign of its count where others have it: an empty cell would say that the count is not small.
        used = {*column.cast(pa.string()).to_pylist()} if name in rated else set()
        texts = {
            at[row]: sign if (sign := signs.get(row, nothing)) in used else nothing
            for row in (every if name in beside - declared else own)
            if name in {*beside, counts.part(row).view.column}
            and _is_about(manifest, name, counts.part(row).view.column)
        }
        for row in tied:
            if name not in (beside if without[row] else rates):
                continue
            if name == counts.part(row).view.column:  # a cell may have a count and its rate
                texts[at[row]] = counts.text[row]
            elif name not in counted:
                theirs = {signs.get(each) for each in rows.intersection(counts.related[row])} & used
                texts[at[row]] = min(filter(None, theirs), default=nothing)
        texts |= {at[row]: sign for row, sign in written.items() if name == counts.part(row).view.column}
        for text in {*texts.values()}:
            hidden = np.isin(np.arange(source.num_rows), [row for row, other in texts.items() if other == text])
            column = pc.if_else(pa.array(hidden), pa.scalar(text, pa.string()).cast(column.type), column)
        source = source.set_column(place, name, column)
    output.mkdir(parents=True, exist_ok=True)
    write_table(source.rename_columns(spelled), path, dialect=dialect, above=above, below=below)
    before = _source(table, manifest)[0]
    beside_counts = [name for name in source.column_names if name not in counted]
    return TableFile(path, str(path)), [name for name in beside_counts if _blank(source[name]) > _blank(before[name])]


def _blank(cells: pa.ChunkedArray) -> int:
    """Return how many cells are empty."""
    return int(cells.null_count + (pc.sum(pc.equal(cells.cast(pa.string()), "")).as_py() or 0))


def _places(counts: PublishedCounts, path: Path) -> Codes:
    """Return the place of each row in its file; rows of exact statistics are a part of their own. Shape (rows,)."""
    places, parts = counts.row.copy(), [at for at, part in enumerate(counts.parts) if part.file.path == path]
    kept = {at: found for at in parts if (found := counts.parts[at].table.kept) is not None}
    every = np.unique(np.concatenate([*kept.values(), np.zeros(0, dtype=np.int64)]))
    for at, own in kept.items():
        rows = counts.file == at
        places[rows] = np.searchsorted(every, own[counts.row[rows]])
    return places


def _is_about(manifest: TableManifest, name: str, counted: str) -> bool:
    """Return whether a column may say something of these counts: all but those with rates of others alone."""
    rates = [each for each in manifest.rates if each.column == name]
    return not rates or any(each.counts in ("", counted) or each.denominator == counted for each in rates)


def _all_hidden(counts: PublishedCounts, own: Sequence[int]) -> list[int]:
    """Return rows of a file that a repair hides, and those hidden before, which numbers beside them would tell."""
    files = {counts.part(row).file for row in own}
    return [*own, *(row for row in np.flatnonzero(counts.hidden).tolist() if counts.part(row).file in files)]


def _numbers(source: pa.Table, manifest: TableManifest) -> Iterator[str]:
    """Yield the columns with numbers that are not declared, or in `not_counts`, except codes and denominators.

    Codes follow from labels. An empty denominator would tell what the repair hides from what was hidden before.
    """
    texts = {name: source.column(name).cast(pa.string()).to_pylist() for name in source.column_names}
    counted = {view.column for view in manifest.views}
    labels = texts.keys() & (manifest.columns - manifest.not_counts - manifest.beside - manifest.denominators - counted)
    for name in sorted(texts.keys() - (manifest.columns - (manifest.not_counts - manifest.denominators))):
        if any(is_like_a_number(text or "") for text in texts[name]):
            pairs = [(len({*texts[label]}), len({*zip(texts[label], texts[name], strict=True)})) for label in labels]
            most = source.num_rows + names_codes(name)  # any column follows from labels of which each has one row
            if not any(known == both < most for known, both in pairs):
                yield name
