"""Data frames: a report as tables for pandas.

Each function makes a new frame, which callers may change. Columns and dtypes are the same even without rows. Missing
entries are `pd.NA`, or None in columns of dtype object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, get_type_hints

import numpy as np

from audit.io.file_writing import atomic_path
from audit.model.command_results import Explanation
from audit.model.errors import UsageError
from audit.model.json_types import UNWRITTEN, notes_of
from audit.model.release_impact import ReleaseImpact, Repair
from audit.model.report import AttackReport, Input, Report

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from audit.pipeline.attack_run import AuditRun

Row = Mapping[str, object]
TEXT, COUNT, NUMBER, TRUTH, OBJECT = "string", "Int64", "Float64", "boolean", "object"

_DTYPES = {
    **dict.fromkeys(("findings_total", "e", "class_size", "lower", "upper", "line", "rows"), COUNT),
    **dict.fromkeys(("people", "beyond", "so_far"), COUNT),
    **dict.fromkeys(("seconds", "risk"), NUMBER),
    **dict.fromkeys(("left", "right", "description", "cell"), OBJECT),
    "exact": TRUTH,
}


def _columns(*names: str) -> dict[str, str]:
    return {name: _DTYPES.get(name, TEXT) for name in names}


_ATTACK = _columns("attack", "sensitive", "status", "reason", "seconds", "findings_total")
_OF_PERSON = ("individual", "record", "release", "value", "risk", "evidence", "e", "left", "right")
_NEARLY = dict.fromkeys(("lower", "upper", "category"), TEXT)  # numbers as they are published
_FINDING = _columns("id", "attack", "sensitive", "kind", *_OF_PERSON, "class_size", "cause", "description") | _NEARLY
_OF_COUNT = ("release", "since", "measure", "shown", "lower", "upper", "exact")
_EXPLAINED = {**_columns(*_OF_COUNT), "shown": OBJECT}
_COUNT_FINDING = _columns("id", "kind", *_OF_COUNT, "cell")
_HIDDEN = _columns("cell", "shown", "file", "line", "sign")
_RUNG = _columns("attack", "sensitive", "people", "beyond", "so_far", "seconds")
_INPUT = _columns("path", "sha256", "rows")


def measures(report: Report) -> pd.DataFrame:
    """Return what each attack measured, one row for each attack and sensitive attribute.

    A measure that is neither a number nor a text has dtype object.
    """
    rows = [_measured(attack) for attack in report.attacks]
    names = dict.fromkeys(name for row in rows for name in row)
    dtypes = {name: _ATTACK.get(name) or _dtype([row.get(name) for row in rows]) for name in names}
    return frame({**_ATTACK, **dtypes}, rows)


def measured(report: Report) -> pd.Series:
    """Return what one attack measured, by name, or by sensitive attribute and name if several are audited."""
    import pandas as pd

    several = len(report.attacks) > 1
    found = {
        (attack.sensitive, name) if several else name: value
        for attack in report.attacks
        for name, value in _measured(attack).items()
        if name not in ("attack", "sensitive")
    }
    index = pd.MultiIndex.from_tuples(found, names=["sensitive", "measure"]) if several else None
    series = pd.Series(list(found.values()), index if several else list(found), object, name=report.attacks[0].attack)
    return series if several else series.rename_axis("measure")


def findings(report: Report | Explanation) -> pd.DataFrame:
    """Return the findings that are shown, or what is known of a cell, one row each.

    Those of count tables have other columns. A cell is a dict of labels by dimension;
    `findings.join(pandas.DataFrame([*findings["cell"]]))` makes columns of them.
    """
    if isinstance(report, Explanation):
        return frame(_EXPLAINED, [fields_of(each, _EXPLAINED) for each in report.counts])
    if report.tables is not None:
        return frame(_COUNT_FINDING, [fields_of(each, _COUNT_FINDING) for each in report.attacks[0].findings])
    return frame(
        _FINDING,
        [
            {**fields_of(finding, _written(type(finding))), "attack": attack.attack, "sensitive": attack.sensitive}
            for attack in report.attacks
            for finding in attack.findings
        ],
    )


@cache
def _written(kind: type) -> list[str]:
    """Return the columns that are fields of a kind of finding, without those that no report has."""
    hints = get_type_hints(kind, include_extras=True)
    return [name for name in _FINDING if UNWRITTEN not in notes_of(hints.get(name))]


def hidden(report: ReleaseImpact | Repair) -> pd.DataFrame:
    """Return the cells of a candidate to hide, one row for each."""
    cells = None if isinstance(report, Repair) else report.cells
    hide = () if cells is None else cells.hide or ()
    return frame(_HIDDEN, [fields_of(each, _HIDDEN) for each in hide])


def timeline(report: Report) -> pd.DataFrame:
    """Return what each attack counts after each release, one column for each attack and sensitive attribute."""
    import pandas as pd

    tags = report.series.releases
    columns = {}
    for attack in report.attacks:
        line = attack.measures.timeline
        if isinstance(line, list):
            name = attack.attack if attack.sensitive is None else f"{attack.attack} ({attack.sensitive})"
            columns[name] = pd.array([*line, *[None] * (len(tags) - len(line))], dtype=COUNT)
    return pd.DataFrame(columns, index=pd.Index(tags, dtype=TEXT, name="release"))


def ladder(report: Report) -> pd.DataFrame:
    """Return what each attack adds to those before it, one row for each attack and sensitive attribute."""
    return frame(_RUNG, [fields_of(rung, _RUNG) for rung in report.ladder])


def inputs(files: Sequence[Input]) -> pd.DataFrame:
    """Return the files that were read."""
    return frame(_INPUT, [fields_of(each, _INPUT) for each in files])


def frame(dtypes: Mapping[str, str], rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows as a frame with exactly these columns and dtypes."""
    import pandas as pd

    return pd.DataFrame({name: pd.Series([row.get(name) for row in rows], dtype=d) for name, d in dtypes.items()})


def fields_of(thing: object, names: Iterable[str]) -> dict[str, object]:
    """Return the fields that an object has, with mutable values copied."""
    return {name: deepcopy(getattr(thing, name)) for name in names if hasattr(thing, name)}


def _measured(attack: AttackReport) -> dict[str, object]:
    """Return an attack's status and measures, without the timeline, which is a frame of its own."""
    figures = {name: value for name, value in attack.figures.items() if name != "timeline"}
    return {**fields_of(attack, _ATTACK), **dict(_flat(figures))}


def _flat(measures: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield measures; a nested measure yields its entries as `measure.entry`."""
    for name, value in measures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", deepcopy(value)


def _dtype(values: Iterable[object]) -> str:
    """Return the narrowest dtype that holds some values."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int}:
        return COUNT
    if kinds <= {int, float}:
        return NUMBER
    return TEXT if kinds == {str} else OBJECT


COLUMNS = ("attack", "sensitive", "individual", "release", "risk")
"""The columns of the table of risks; `risk` is the probability of the true value."""


def risk_table(run: AuditRun) -> pa.Table:
    """Return the risk of each person in each release by each attack; without a key, the risk of the likeliest value.

    People whose own values contradict the assumptions have no risk. Order: attack, person, release.
    """
    import pyarrow as pa

    parts = list(_parts(run))
    schema = pa.schema([*((name, pa.string()) for name in COLUMNS[:-1]), (COLUMNS[-1], pa.float64())])
    return pa.concat_tables([schema.empty_table(), *(pa.table(dict(part), schema=schema) for part in parts)])


def _parts(run: AuditRun) -> Iterator[Mapping[str, object]]:
    import pyarrow as pa

    people = run.series.people
    for entry in run.results:
        seen, risks = entry.evidence, entry.outcome.risks
        claims = entry.claims
        if risks is None or claims is None or claims.versions is None:
            continue
        person, release, risk = risks.person, risks.release, risks.risk
        everywhere = release < 0
        rows = [(person[~everywhere], release[~everywhere], risk[~everywhere])]
        if everywhere.any():
            of_person = np.full(people.size, np.nan)
            of_person[person[everywhere]] = risk[everywhere]
            for at, pools in enumerate(seen.stream()):
                counted = slice(None) if pools.counted is None else pools.counted
                here = pools.person[counted]
                here = here[~np.isnan(of_person[here])]
                rows.append((here, np.full(len(here), at, dtype=np.int32), of_person[here]))
        whose, when, how = (np.concatenate(column) for column in zip(*rows, strict=True))
        known = ~np.isnan(how)
        order = np.flatnonzero(known)[np.lexsort((when[known], whose[known]))]
        names = [people.name(code) for code in whose[order].tolist()]
        if seen.possible_kinds is not None:
            alike = [seen.possible_kinds.names_of(code, people) for code in whose[order].tolist()]
            order, names = np.repeat(order, [*map(len, alike)]), [name.strip() for each in alike for name in each]
        yield {
            "attack": pa.array([entry.attack.name] * len(order), pa.string()),
            "sensitive": pa.array([seen.sensitive] * len(order), pa.string()),
            "individual": pa.array(names, pa.string()),
            "release": pa.array(np.array(seen.tags, dtype=object)[when[order]], pa.string()),
            "risk": pa.array(how[order]),
        }


def write_risks(table: pa.Table, path: Path) -> None:
    """Write the table as CSV, or as Parquet if the file is named so, readable by its owner only (mode 0600).

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        with atomic_path(path, mode=0o600) as draft:
            if path.name.endswith(".parquet"):
                import pyarrow.parquet as pq

                pq.write_table(table, draft)
            else:
                import pyarrow.csv as pa_csv

                pa_csv.write_csv(table, draft, pa_csv.WriteOptions(quoting_style="needed"))
    except OSError as error:
        raise UsageError(f"--risks: {error.strerror or 'the file cannot be written'}; name another file") from error
