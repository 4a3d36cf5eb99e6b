"""A published series with a register: `python -m benchmarks.speed.registering MICRODATA SERIES OUT`, all of CSV files.

The register lists all people of the microdata in every release with exact quasi-identifiers; OUT has no keys.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import tomllib
from pathlib import Path


def register(microdata: Path, series: Path, out: Path) -> None:
    """Copy what was published, and write down who is where."""
    manifest = tomllib.loads((microdata / "microdata.toml").read_text(encoding="utf-8"))
    columns = manifest["columns"]
    shutil.copytree(series, out, ignore=shutil.ignore_patterns("private"))
    names = [columns["individual"], *columns["quasi_identifiers"]]
    with (out / "register.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["individual", *names[1:], "release"])
        for snapshot in map(Path, manifest["microdata"]["snapshots"]):
            with (microdata / snapshot).open(newline="", encoding="utf-8") as rows:
                writer.writerows([*(row[name] for name in names), snapshot.stem] for row in csv.DictReader(rows))
    with (out / "series.toml").open("a", encoding="utf-8") as file:
        file.write('\n[adversary]\nregister = "register.csv"\n')


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("microdata", type=Path)
    parser.add_argument("series", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    register(options.microdata, options.series, options.out)


if __name__ == "__main__":
    main()
