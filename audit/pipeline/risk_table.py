"""The risks of all people as a table: one line for each person and release; it names people, for internal use only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audit.io.atomic_files import atomic_path
from audit.model.errors import UsageError
from audit.pipeline.audit_run import AuditRun

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("attack", "sensitive", "individual", "release", "risk")
"""The columns: by which attack, of which attribute, whose, in which release, and how probable the true value is."""


def risk_table(run: AuditRun) -> pa.Table:
    """Return the risk of each person in each release by each attack; of the likeliest value, for want of a key.

    People whose own values contradict the assumptions have none. Order: attack, person, release.
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
        names = pa.array([people.name(code) for code in whose[order].tolist()], pa.string())
        yield {
            "attack": pa.array([entry.attack.name] * len(order), pa.string()),
            "sensitive": pa.array([seen.sensitive] * len(order), pa.string()),
            "individual": names,
            "release": pa.array(np.array(seen.tags, dtype=object)[when[order]], pa.string()),
            "risk": pa.array(how[order]),
        }


def write_risks(table: pa.Table, path: Path) -> None:
    """Write the table as CSV, or Parquet by its name, for its owner's eyes alone (mode 0600).

    Raises:
        UsageError: it cannot be written.
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
