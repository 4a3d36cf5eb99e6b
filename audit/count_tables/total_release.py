"""What to write in the manifest where a release is the total of others, such as the year of its quarters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import gcd
from pathlib import Path
from typing import Any

from audit.count_tables.label_doubts import unexplained
from audit.count_tables.manifest import NAME, TableFile, TableManifest, TableRelease, column_names, read_count_table
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.table_rules import STATISTIC, WHOLE, free_name
from audit.io.toml import toml_key, toml_line, toml_text
from audit.model.errors import Problems
from audit.runtime.phrases import Phrase, parted, printable, say

_YEAR = 12  # months
_SHARED = Phrase("write into categories/periods.csv the lines {lines}, without those of two that have nobody in common")
_LINES = Phrase("write into categories/periods.csv the lines {lines}")


def as_one_release(counts: PublishedCounts, whole: int, parts: Sequence[int], place: int | None = None) -> str:
    """Return what to write so that some releases are one, whose total is another release.

    The labels of a dimension distinguish them, else a column that is no dimension yet; if there is none, one has to be
    added.

    Args:
        counts: the published counts.
        whole: the release that is the sum of the others.
        parts: the others.
        place: the dimension over which they are added up, if there is one: only this one may distinguish them.

    Returns:
        The steps, with the lines to write; an empty text if the dimension does not distinguish the releases.
    """
    manifest, releases = counts.manifest, [counts.manifest.releases[at] for at in (whole, *parts)]
    places = unexplained(counts) if place is None else [place]
    columns = chain(
        _labels(counts, [whole, *parts], places), _columns(counts, [whole, *parts]) if place is None else ()
    )
    named = ((name, label, texts[1:]) for name, texts in columns if (label := _label_of_all(texts)) is not None)
    column, label, others = next(named, (_new_column(manifest, releases[0]), None, ()))
    if place is not None and label is None:
        return ""
    if label is None:
        how = say(
            'add a column "{column}" to the tables of the others, with the name of the release in each row',
            column=column,
        )
    else:
        names = {"label": printable(label, 60), "column": printable(column, 60)}
        how = say('"{label}" of {column} stands for all', **names)
        if _begin_with(label, others):
            how = say('"{label}" of {column} stands for the labels that begin with it', **names)
    table = _table(counts, column, releases[0].tag if label is None else label, others)
    write = _written(_place(manifest, releases), series=_series(manifest, releases[0], releases[1:]), table=table)
    deleted = [say("delete {key}", key="releases_by")] if manifest.releases_by is not None and len(parts) > 1 else []
    return parted([how, *deleted, write])


def as_overlapping(counts: PublishedCounts, one: Sequence[int], other: Sequence[int]) -> str:
    """Return what to write so that two releases and two others, which together count the same people, are one."""

    def shared(labels: Sequence[str]) -> Iterator[tuple[str, str]]:
        for mine, its in product(labels[:2], labels[2:]):
            yield from ((label, f"{mine} + {its}") for label in (mine, its))

    return _as_labels(counts, [*one, *other], shared, _SHARED)


def as_years(counts: PublishedCounts, releases: Sequence[int], ends: Sequence[int]) -> str:
    """Return what to write so that releases about years that overlap are one; each year ends with a month."""
    step = gcd(_YEAR, *(end - ends[0] for end in ends))

    def parts(labels: Sequence[str]) -> Iterator[tuple[str, str]]:
        for label, end in zip(labels, ends, strict=True):
            for month in range(end - _YEAR + step, end + 1, step):
                yield label, f"{(month - 1) // _YEAR}-{(month - 1) % _YEAR + 1:02}"

    return _as_labels(counts, releases, parts, _LINES)


def _as_labels(
    counts: PublishedCounts,
    places: Sequence[int],
    covered: Callable[[Sequence[str]], Iterable[tuple[str, str]]],
    listed: Phrase,
) -> str:
    """Return what to write so that releases are labels of one, given the atoms that these cover.

    A column that has another text in each of them distinguishes them; if there is none, one has to be added.
    """
    manifest, releases = counts.manifest, [counts.manifest.releases[at] for at in places]
    columns = ((name, [*chain(*texts)]) for name, texts in _columns(counts, places))
    found = next(((name, texts) for name, texts in columns if len({*texts}) == len(releases)), None)
    column, labels = found or (_new_column(manifest, releases[0]), [each.tag for each in releases])
    what = say('add a column "{column}" to the tables, with the name of the release in each row', column=column)
    table = _table(counts, column, "", [], covered_in="categories/periods.csv")
    files = dict.fromkeys(table.shown for release in releases for table in release.tables)
    series = {"releases": [{"tag": f"{releases[0].tag}-{releases[-1].tag}", "tables": [*files]}]}
    lines = " ".join(map(toml_text, ["label,atom", *map(",".join, covered(labels))]))
    write = _written(_place(manifest, releases), series=series, table=table)
    deleted = [say("delete {key}", key="releases_by")] if manifest.releases_by is not None else []
    return parted([*([what] if found is None else []), *deleted, write, listed.filled(lines=lines)])


def _new_column(manifest: TableManifest, release: TableRelease) -> str:
    """Return a name for a column that distinguishes releases, which neither the manifest nor the first table has."""
    first = release.tables[0]
    taken = {*manifest.columns, *(column_names(first.path, first.shown, Problems(), manifest.columns) or ())}
    return free_name(say("release"), taken)


def _place(manifest: TableManifest, releases: Sequence[TableRelease]) -> str:
    """Return where to write what is true of some releases: in the manifest if there are no others."""
    alone = len(releases) == len(manifest.releases)
    return NAME if alone else say("the {file} of a new folder with these tables alone", file=NAME)


def _written(file: str, **tables: Mapping[str, object]) -> str:
    """Return what to write into the tables of a manifest, of which some keys are replaced."""
    lines = [
        f"[{table}] {' '.join(f'{toml_key(key)} = {toml_line(value)}' for key, value in written.items())}"
        for table, written in tables.items()
        if written
    ]
    return say("write in {file}, in place of all lines of these keys: {lines}", file=file, lines=" ".join(lines))


def beyond_total(counts: PublishedCounts, rows: Sequence[int]) -> str:
    """Return what to write if a release counts people outside of a total to which others add up; else an empty text.

    Such a release has a label of a dimension that no other has, in all of its rows, as a quarter after the year does;
    or a text that no other has in a column that is no dimension yet, such as the year, and that is the same in others.

    Args:
        counts: the published counts, all of which are said to count the same people.
        rows: rows that contradict each other.
    """
    manifest, named = counts.manifest, {*counts.release[rows].tolist()}
    places = range(len(counts.dimensions)) if manifest.over_time == "same" else ()
    for name, texts in _columns(counts, range(len(manifest.tags))) if places else ():
        new = max((at for at in named if texts.count(texts[at]) == 1), default=-1)
        if new >= 0 and len({*texts}) < len(texts):
            how = say(
                'if release "{release}" counts other people than the rest, as {column} says, make {column} a dimension',
                release=printable(manifest.tags[new], 60),
                column=printable(name, 60),
            )
            return parted([how, _written(NAME, table=_table(counts, name, "", []))])
    for name, texts in _labels(counts, range(len(manifest.tags)), places):
        total = manifest.totals.get(name, "")
        new = max((at for at in named if len(texts[at]) == 1 and total not in texts[at]), default=-1)
        others = [own - {total} for at, own in enumerate(texts) if at != new]
        if not total or new < 0 or any(texts[new] & own for own in others) or not any(total in own for own in texts):
            continue
        written = f"codes = {toml_line([*sorted(manifest.codes), name])}"
        if not _begin_with(total, others) or any(each.startswith(total) for each in texts[new]):
            every = sorted(frozenset[str]().union(*others))
            lines = [f"{total},{each}" for each in every] + [f"{each},{each}" for each in (*every, *texts[new])]
            written = say(
                "{key}, and into this file, in the folder of the series, the lines {lines}",
                key=f'categories = {{ {toml_key(name)} = "categories.csv" }}',
                lines=" ".join(map(toml_text, ["label,atom", *lines])),
            )
        return say(
            'if release "{release}" counts people that "{total}" of {column} does not count, delete {column} in '
            "totals, and write {written}",
            release=printable(manifest.tags[new], 60),
            total=printable(total, 60),
            column=printable(name, 60),
            written=written,
        )
    return ""


def _labels(
    counts: PublishedCounts, releases: Sequence[int], places: Sequence[int]
) -> Iterator[tuple[str, list[frozenset[str]]]]:
    """Yield the name of each of some dimensions, with the labels that each release has of it."""
    for place in places:
        dimension = counts.dimensions[place]
        own = [counts.label[counts.release == release, place].tolist() for release in releases]
        yield dimension.axis.name, [frozenset(dimension.labels[label] for label in labels) for labels in own]


def _columns(counts: PublishedCounts, releases: Sequence[int]) -> Iterator[tuple[str, list[frozenset[str]]]]:
    """Yield the columns without a meaning that have one text in each release, and the texts; first that of releases."""
    manifest = counts.manifest
    tables = [manifest.releases[release].tables for release in releases]
    names = column_names(tables[0][0].path, tables[0][0].shown, Problems(), manifest.columns) or []
    without = [name for name in names if name not in manifest.columns or name in manifest.not_counts]
    for name in [each for each in (manifest.releases_by, *without) if each is not None]:
        texts = [frozenset(text for table in some for text in _texts(table, name)) for some in tables]
        if all(len(each) == 1 for each in texts):
            yield name, texts


def _texts(table: TableFile, name: str) -> Sequence[str]:
    if table.only is not None and table.only[0] == name:
        return [table.only[1]]
    read = read_count_table(table.path, table.shown, [name], Problems())
    return [] if read is None else read.distinct(name)


def _label_of_all(texts: Sequence[frozenset[str]]) -> str | None:
    """Return the only text of the first release if no two releases have the same, and the others have several."""
    whole, *others = texts
    every = frozenset[str]().union(*texts)
    is_distinct = len(every) == sum(map(len, texts)) and len(whole) == 1 and sum(map(len, others)) > 1
    return next(iter(whole)) if is_distinct else None


def _begin_with(label: str, others: Sequence[frozenset[str]]) -> bool:
    """Return whether a label is a code of which all others are parts, and none of them of another one."""
    every = frozenset[str]().union(*others)
    return all(len([one for one in (label, *every) if each.startswith(one)]) == 2 for each in every) and bool(every)


def _series(manifest: TableManifest, whole: TableRelease, parts: Sequence[TableRelease]) -> Mapping[str, object]:
    """Return the key of the releases: the parts together, then the whole if it is published in the series' folder."""
    if len(parts) == 1:
        return {}
    paths = {table.path for table in whole.tables}
    files = dict.fromkeys(table.shown for part in parts for table in part.tables)
    names = [table.shown for table in whole.tables if not Path(table.shown).is_absolute()]
    own = [name for name in names if manifest.folder / name in paths and name not in files]
    together = {"tag": f"{parts[0].tag}-{parts[-1].tag}", "tables": [*files]}
    return {"releases": [together, *([{"tag": whole.tag, "tables": own}] if own else [])]}


def _table(
    counts: PublishedCounts, column: str, label: str, others: Sequence[frozenset[str]], *, covered_in: str = ""
) -> Mapping[str, object]:
    """Return the keys by which a column is a dimension with a label for all the `others`, counted in every release.

    If these begin with it, they are codes: labels of people to come need not lie in it. If a file says what each label
    covers, none has to stand for all.
    """
    manifest = counts.manifest
    added = {} if manifest.wide is None else {manifest.wide.dimension}
    own = [name for name in manifest.dimensions if name not in {*added, STATISTIC}]
    totals = dict.fromkeys(manifest.no_total, "") | {
        name: total for name, total in manifest.totals.items() if name != STATISTIC and total != WHOLE
    }
    written: dict[str, Any] = {} if column in manifest.dimensions else {"dimensions": [column, *own]}
    written["totals"] = {name: totals[name] for name in manifest.dimensions if name in totals and name != column}
    if covered_in:
        written["categories"] = {**manifest.categories, column: covered_in}
    elif _begin_with(label, others):
        written["codes"] = [*sorted(manifest.codes - {column}), column]
    else:
        written["totals"] = {**written["totals"], column: label}
    if column in manifest.not_counts:
        written["not_counts"] = manifest.not_counts - {column}
    return written | {"over_time": "same"}
