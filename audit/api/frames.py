"""Series and microdata from data frames of pandas, polars or Arrow.

The tables are kept as Parquet in a private temporary folder for as long as the series is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.api.series import LoadedMicrodata, LoadedSeries, load, load_microdata
from audit.api.tables import Frame, Pair, TemporaryFolder, as_file, as_tables, checked_tag

if TYPE_CHECKING:
    from audit.api.count_tables import LoadedTables


def series_from_frames(
    releases: Mapping[str, Frame | Pair],
    columns: Mapping[str, object],
    *,
    name: str = "data frames",
    adversary: Mapping[str, Frame] | None = None,
    policy: Mapping[str, float] | None = None,
) -> LoadedSeries:
    """Return a series from data frames, by the tags of their releases and in that order.

    >>> import pandas as pd
    >>> rows = pd.DataFrame(
    ...     {"who": ["Ann", "Bob"], "group": [1, 1], "age": ["[20, 30]"] * 2, "disease": ["flu", "flu"]}
    ... )
    >>> columns = {"individual": "who", "group": "group", "quasi_identifiers": ["age"], "sensitive": "disease"}
    >>> series_from_frames({"2024": rows}, columns).attack("intersection").measures["vulnerable"]
    2

    Args:
        releases: for each tag a frame, or the rows and the values of an Anatomy pair.
        columns: what the columns mean, as under `[columns]` of a `series.toml`.
        name: the series' name.
        adversary: frames of background knowledge: `register`, `transitions` or `known`.
        policy: as under `[policy]`.

    Raises:
        UsageError: a value is not a data frame.
        InputError: a column is missing, or a key of `columns` is unknown.
    """
    folder = TemporaryFolder("audit-series-")
    where = folder.path
    entries: list[object] = []
    for tag, frames in releases.items():
        if isinstance(frames, tuple):
            pair = {"rows": f"{checked_tag(tag)}.rows.parquet", "values": f"{tag}.values.parquet"}
            for frame, file in zip(frames, pair.values(), strict=True):
                as_file(frame, where / file)
            entries.append(pair)
        else:
            entries.append(f"{checked_tag(tag)}.parquet")
            as_file(frames, where / f"{tag}.parquet")
    knowledge = {kind: f"{kind}.parquet" for kind in adversary or {}}
    for kind, frame in (adversary or {}).items():
        as_file(frame, where / knowledge[kind])
    document = {"series": {"name": name, "releases": entries}, "columns": dict(columns)}
    _write(where / "series.toml", {**document, "adversary": knowledge, "policy": dict(policy or {})})
    return replace(load(where, kind="microdata"), _files=folder)


def microdata_from_frames(
    snapshots: Mapping[str, Frame], columns: Mapping[str, object], *, name: str = "data frames"
) -> LoadedMicrodata:
    """Return microdata from data frames, by the tags of their snapshots and in that order.

    Args:
        snapshots: for each tag the exact table.
        columns: what the columns mean, as under `[columns]` of a `microdata.toml`.
        name: the microdata's name.

    Raises:
        UsageError: a value is not a data frame.
        InputError: a column is missing, or a key of `columns` is unknown.
    """
    folder = TemporaryFolder("audit-microdata-")
    where = folder.path
    for tag, frame in snapshots.items():
        as_file(frame, where / f"{checked_tag(tag)}.parquet")
    files = [f"{tag}.parquet" for tag in snapshots]
    _write(where / "microdata.toml", {"microdata": {"name": name, "snapshots": files}, "columns": dict(columns)})
    return replace(load_microdata(where), _files=folder)


def tables_from_frames(
    releases: Mapping[str, Frame | Sequence[Frame]],
    table: Mapping[str, object],
    *,
    name: str = "data frames",
    categories: Mapping[str, Frame] | None = None,
    policy: Mapping[str, int] | None = None,
) -> LoadedTables:
    """Return a series of count tables from data frames, by the tags of their releases and in that order.

    >>> import pandas as pd
    >>> counts = pd.DataFrame({"area": ["N", "N", "N"], "sex": ["f", "m", "All"], "people": [9, "*", 12]})
    >>> table = {"dimensions": ["area", "sex"], "value": "people", "totals": {"sex": "All"}, "markers": {"*": [1, 7]}}
    >>> tables_from_frames({"2024": counts}, table).audit().findings[["kind", "lower", "upper"]].to_dict("records")
    [{'kind': 'recovered', 'lower': 3, 'upper': 3}]

    Args:
        releases: for each tag a frame, or several.
        table: what the columns and numbers mean, as under `[table]` of a `series.toml`.
        name: the series' name.
        categories: for each dimension a frame with the columns `label` and `atom`, a row for each atom that a label
            covers.
        policy: as under `[policy]`.

    Raises:
        UsageError: a value is not a data frame.
        InputError: a column is missing, or a key of `table` is unknown.
    """
    folder = TemporaryFolder("audit-tables-")
    where = folder.path
    entries = []
    for tag, frames in releases.items():
        tables = as_tables(frames)
        files = [f"{checked_tag(tag)}.{place}.parquet" for place in range(1, len(tables) + 1)]
        for frame, file in zip(tables, files, strict=True):
            as_file(frame, where / file)
        entries.append({"tag": tag, "tables": files})
    known = {dimension: f"categories.{place}.parquet" for place, dimension in enumerate(categories or {}, 1)}
    for dimension, frame in (categories or {}).items():
        as_file(frame, where / known[dimension])
    about = {"name": name, "kind": "tables", "releases": entries}
    rules = {**table, **({"categories": known} if known else {})}
    _write(where / "series.toml", {"series": about, "table": rules, "policy": dict(policy or {})})
    return replace(load(where, kind="tables"), _files=folder)


def _write(path: Path, document: Mapping[str, Any]) -> None:
    import tomlkit

    path.write_text(tomlkit.dumps(document), encoding="utf-8")
