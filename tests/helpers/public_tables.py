"""Generate files of counts with the columns and markers of real public files, and confirm every guess."""

import csv
from pathlib import Path

import numpy as np


def margins(table):
    for axis in range(table.ndim):
        table = np.concatenate([table, table.sum(axis=axis, keepdims=True)], axis=axis)
    return table


def write(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def monthly(folder, *, areas=100, months=3, seed=1):
    """A long monthly file: counts to seven as *, others rounded to five, by region and age, and for England."""
    rng = np.random.default_rng(seed)
    header = [
        "REPORTING_PERIOD_START", "REPORTING_PERIOD_END", "STATUS", "BREAKDOWN", "PRIMARY_LEVEL",
        "PRIMARY_LEVEL_DESCRIPTION", "SECONDARY_LEVEL", "SECONDARY_LEVEL_DESCRIPTION", "MEASURE_ID", "MEASURE_NAME",
        "MEASURE_VALUE",
    ]  # fmt: skip
    for month in range(1, months + 1):
        start, rows = f"2024-{month:02d}-01", []
        table = margins(rng.poisson(rng.gamma(0.7, 12, size=(areas, 4))))

        def add(breakdown, primary, secondary, count, start=start, rows=rows):
            text = "*" if 1 <= count <= 7 else str((count + 2) // 5 * 5)
            row = [start, start, "Final", breakdown, primary, primary, secondary, secondary, "M1", "Referrals", text]
            rows.append(row)
            rows.append([*row[:8], "M2", "Share", f"{count / 7:.1f}"])

        for area in range(areas):
            add("Sub ICB", f"Q{area:02d}", "NONE", table[area, 4])
            for age in range(4):
                add("Sub ICB; Age", f"Q{area:02d}", f"age{age}", table[area, age])
        for age in range(4):
            add("Age", f"age{age}", "NONE", table[areas, age])
        add("England", "England", "NONE", table[areas, 4])
        write(folder / f"releases/{month:02d}.csv", header, rows)


def education(folder, *, seed=2):
    """A tidy education file: years by region, authority and sex; small counts hidden as c, x not available."""
    rng = np.random.default_rng(seed)
    header = [
        "time_period", "time_identifier", "geographic_level", "country_code", "country_name", "region_code",
        "region_name", "new_la_code", "la_name", "sex", "pupils",
    ]  # fmt: skip
    rows = []
    for year in ("202223", "202324"):
        table = margins(rng.poisson(9, size=(2, 3, 2)))
        for region, la, sex in np.ndindex(table.shape):
            if region == 2 and la < 3:
                continue
            level = "National" if region == 2 else "Regional" if la == 3 else "Local authority"
            text = "c" if 1 <= table[region, la, sex] < 6 else str(table[region, la, sex])
            names = [f"R{region}" if region < 2 else "", f"R{region} LA{la}" if la < 3 else ""]
            place = [names[0], names[0], names[1], names[1]]
            label = ["f", "m", "Total"][sex]
            rows.append([year, "Academic year", level, "E92", "England", *place, label, text])
    rows[0][-1] = "x"
    write(folder / "data/pupils.csv", header, rows)
    for path in (folder / "data").iterdir():
        path.rename(folder / path.name)
    (folder / "data").rmdir()
    meta = "col_name,col_type,label\nsex,Filter,Sex\npupils,Indicator,Pupils\n"
    (folder / "pupils.meta.csv").write_text(meta)


def confirm(folder: Path):
    """Confirm every guess of a manifest, as a publisher would who knows that all are right."""
    path = folder / "series.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("[unconfirmed]")] if "[unconfirmed]" in text else text, encoding="utf-8")
