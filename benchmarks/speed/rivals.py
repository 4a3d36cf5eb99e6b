"""Ask other tools the same questions: `python -m benchmarks.speed.rivals TOOL FOLDER [NUMBER]` prints JSON.

Tools: `reading` and `reading-register`, which read the columns that an attack needs into memory by `pyarrow`, and
nothing else; `duckdb-linked` and `duckdb-register`, an analyst's SQL for intersection; `anonypyx-intersection`, about a
NUMBER of people of the register; `anonypyx-mondrian`, the partition of a NUMBER of rows of microdata.

The SQL was chosen among several forms by time: joining a vocabulary of bits beat enums, maps and windows, and
`file_index` beat `filename` as the release's number; expanding boxes to equality on all attributes but the
age beat range joins and list membership four to ten times.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benchmarks.speed.make_series import QUASI_IDENTIFIERS

Answer = dict[str, float]
"""The answer of a rival, to check that it answered the same question; `seconds` are those of its own work."""
K = 10
EDUCATIONS = 17
PLACES = {"Gender": ["F", "M"], "Birthplace": [f"birthplace {number:02}" for number in range(1, 58)]}
_LINKED_COLUMNS = ["individual", "Group", "Occupation"]
_REGISTER_COLUMNS = ["Group", *QUASI_IDENTIFIERS, "Occupation"]

_LINKED = """
with vocabulary as (
    select value, 1::ubigint << (row_number() over (order by value) - 1) as bit
    from (select distinct Occupation as value from {scan})
), cells as (
    select file_index as r, "Group" as g, individual, bit from {scan} join vocabulary on value = Occupation
), signatures as (
    select r, g, bit_or(bit) as signature from cells group by all
), candidates as (
    select bit_and(signature) as candidates from cells join signatures using (r, g) group by individual
)
select count(*), count(*) filter (bit_count(candidates) = 1), sum(bit_count(candidates)) from candidates
"""

_REGISTER = """
with vocabulary as (
    select value, 1::ubigint << (row_number() over (order by value) - 1) as bit
    from (select distinct Occupation as value from {scan})
), stays as (
    select *, dense_rank() over (order by Age, Gender, Education, Birthplace) as p from {register}
), people as (
    select * from stays join range(1, {count} + 1) positions(r) on r between first and last
), points as materialized (
    select distinct r, p, Age, Gender, Education, Birthplace from people
), groups as (
    select file_index + 1 as r, "Group" as g, Age, Gender, Education, Birthplace, bit_or(bit) as signature
    from {scan} join vocabulary on value = Occupation group by all
), ages as (
    select Age, if(Age = '*', 0, regexp_extract(Age, '(\\d+)', 1)::int) as low,
           if(Age = '*', 999, regexp_extract(Age, '(\\d+)\\]?$', 1)::int) as high
    from (select distinct Age from groups)
), educations as (
    select Education, unnest(if(Education = '*', range(1, {educations} + 1),
           range(regexp_extract(Education, '(\\d+)', 1)::int,
                 regexp_extract(Education, '(\\d+)\\]?$', 1)::int + 1))) as value
    from (select distinct Education from groups)
), genders as (
    select Gender, unnest(if(Gender = '*', {genders}, string_split(trim(Gender, '{{}}'), ', '))) as value
    from (select distinct Gender from groups)
), places as (
    select Birthplace, unnest(if(Birthplace = '*', {places}, string_split(trim(Birthplace, '{{}}'), ', '))) as value
    from (select distinct Birthplace from groups)
), boxes as materialized (
    select r, low, high, e.value as Education, s.value as Gender, b.value as Birthplace,
           bit_or(signature) as signature
    from groups join ages using (Age) join educations e using (Education)
         join genders s using (Gender) join places b using (Birthplace)
    group by all
), seen as (
    select r, p, bit_or(signature) as covered
    from points join boxes using (r, Education, Gender, Birthplace)
    where Age between low and high group by all
), candidates as (
    select bit_and(covered) as candidates from people join seen using (r, p) group by individual
)
select count(*), count(*) filter (bit_count(candidates) = 1), sum(bit_count(candidates)) from candidates
"""


def reading(series: Path) -> Answer:
    """Read what an adversary needs who knows the group of each person."""
    return {"bytes": sum(_read(file, _LINKED_COLUMNS) for file in releases(series))}


def reading_register(series: Path) -> Answer:
    """Read what an adversary with a register needs, the register included."""
    register = next(series.glob("register.*"))
    return {"bytes": sum(_read(file, _REGISTER_COLUMNS) for file in releases(series)) + _read(register, None)}


def _read(file: Path, columns: list[str] | None) -> int:
    import pyarrow.csv as pa_csv
    import pyarrow.parquet as pq

    if file.suffix == ".csv":
        return int(pa_csv.read_csv(file, convert_options=pa_csv.ConvertOptions(include_columns=columns)).nbytes)
    return int(pq.ParquetFile(file).read(columns=columns).nbytes)


def releases(series: Path) -> list[Path]:
    """Return the release files of a generated series, in order."""
    return sorted((series / "releases").iterdir())


def duckdb_linked(series: Path) -> Answer:
    """Intersection with the group of each person known: bit_or per group, bit_and per person."""
    return _query(_LINKED.format(scan=_scan(releases(series))))


def duckdb_register(series: Path) -> Answer:
    """Covering boxes and their intersection."""
    files = releases(series)
    sql = _REGISTER.format(
        scan=_scan(files),
        register=_scan(list(series.glob("register.*"))),
        count=len(files),
        educations=EDUCATIONS,
        genders=PLACES["Gender"],
        places=PLACES["Birthplace"],
    )
    return _query(sql)


def _scan(files: list[Path]) -> str:
    reader = "read_csv" if files[0].suffix == ".csv" else "read_parquet"
    return f"{reader}({[str(f) for f in files]})"


def _query(sql: str) -> Answer:
    import duckdb

    row = duckdb.connect().execute(sql).fetchone() or (0, 0, 0)
    return {"individuals": row[0], "vulnerable": row[1], "candidates": int(row[2])}


def anonypyx_intersection(series: Path, people: int) -> Answer:
    """Ask anonypyx's intersection attacker about the first `people` of a register, over all releases."""
    from anonypyx.attackers import IntersectionAttacker

    schema, frames, known, stays = _anonypyx_input(series, people)
    attributes = ["Age", "Gender", "Education", "Birthplace"]
    started = time.perf_counter()
    attacker = IntersectionAttacker(known, attributes, "Occupation", schema)
    for position, frame in enumerate(frames, 1):
        present = [i for i, (first, last) in enumerate(stays) if first <= position <= last]
        attacker.observe(frame, [*attributes, "Occupation"], present)
    attacker.finalise()
    sizes = [len(attacker.predict(i, "Occupation")) for i in range(len(stays))]
    return {"individuals": len(sizes), "candidates": sum(sizes), "seconds": time.perf_counter() - started}


def anonypyx_mondrian(microdata: Path, rows: int) -> Answer:
    """Let anonypyx partition the first rows of the first snapshot."""
    import pandas as pd
    from anonypyx.models import kAnonymity
    from anonypyx.mondrian import Mondrian

    people = pd.read_parquet(min(microdata.glob("**/*.parquet"))).head(rows)
    frame = pd.DataFrame({name: pd.factorize(people[name], sort=True)[0] for name in QUASI_IDENTIFIERS})
    started = time.perf_counter()
    groups = Mondrian(frame, list(QUASI_IDENTIFIERS)).partition([kAnonymity(K)])
    seconds = time.perf_counter() - started
    if sum(map(len, groups)) != rows or min(map(len, groups)) < K:
        raise ValueError("anonypyx did not partition the rows")
    return {"rows": rows, "seconds": seconds}


def _anonypyx_input(series: Path, people: int) -> tuple[object, list[object], object, list[tuple[int, int]]]:
    import pandas as pd
    import pyarrow.parquet as pq
    from anonypyx.generalisation import MachineReadable

    schema = MachineReadable(
        {name: [f"{name}_{value}" for value in values] for name, values in PLACES.items()},
        {name: (f"{name}_min", f"{name}_max") for name in ("Age", "Education")},
        ["Occupation"],
    )

    def convert(table: pd.DataFrame) -> pd.DataFrame:
        columns: dict[str, object] = {}
        for name in ("Age", "Education"):
            ends = table[name].astype(str).str.findall(r"\d+")
            columns[f"{name}_min"] = ends.str[0].astype(int)
            columns[f"{name}_max"] = ends.str[-1].astype(int)
        for name, values in PLACES.items():
            cells = table[name].astype(str)
            for value in values:
                columns[f"{name}_{value}"] = (cells == "*") | cells.str.contains(value, regex=False)
        return pd.DataFrame(columns)

    frames = []
    for file in releases(series):
        table = pq.ParquetFile(file).read().to_pandas()
        frames.append(convert(table).assign(Occupation=table["Occupation"].astype(str), count=1))
    register = pq.ParquetFile(series / "register.parquet").read().to_pandas().head(people)
    known = convert(register).assign(ID=range(len(register)))
    return schema, frames, known, list(zip(register["first"], register["last"], strict=True))


TOOLS = {
    "reading": reading,
    "reading-register": reading_register,
    "duckdb-linked": duckdb_linked,
    "duckdb-register": duckdb_register,
    "anonypyx-intersection": anonypyx_intersection,
    "anonypyx-mondrian": anonypyx_mondrian,
}

if __name__ == "__main__":
    print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]), *map(int, sys.argv[3:]))))
