"""A row that is ignored, and a text that no row has, change nothing of what is found."""

import random

import pandas as pd
import pytest

from tests.helpers.messy import as_csv, write
from tests.helpers.running import run_audit

MANIFEST = """
[series]
releases = [{releases}]

[columns]
individual = "who"
group = "g"
quasi_identifiers = ["age"]
sensitive = "d"
{more}
[adversary]
transitions = "t.csv"
"""
NAMES = ["who", "g", "age", "d"]
VALUES = ["flu", "gas", "HIV"]
TOTAL = 'ignore_rows = { who = ["Total"] }'


def series(folder, releases, more="", *, parquet=False):
    names = []
    for place, rows in enumerate(releases, 1):
        if parquet:
            frame = pd.DataFrame(rows, columns=NAMES)
            frame["d"] = pd.Categorical(frame["d"], categories=["zzz", *VALUES])
            frame.to_parquet(folder / f"{place}.parquet")
        else:
            write(folder / f"{place}.csv", as_csv([NAMES, *rows]))
        names.append(f'"{place}.{"parquet" if parquet else "csv"}"')
    steps = [[a, b] for a in VALUES for b in VALUES if (a, b) != ("HIV", "flu")]
    write(folder / "t.csv", as_csv([["from", "to"], *steps]))
    write(folder / "series.toml", MANIFEST.format(releases=", ".join(names), more=more))
    return folder


def judged(folder):
    code, result, err = run_audit(folder, "--reveal", "--findings", "all")
    assert result is not None, err
    kept = ("measures", "status", "reason", "findings_total")
    attacks = {entry["attack"]: {key: entry[key] for key in kept} for entry in result["attacks"]}
    return code, attacks, result["policy"], result["panel"], result["series"]["sensitive_values"]


def drawn(rng):
    """Two releases of groups of two or three people."""
    releases = []
    for _ in range(2):
        people = [f"p{number}" for number in range(6)]
        rng.shuffle(people)
        rows = [[who, str(place // 3), f"{20 + place // 3}", rng.choice(VALUES)] for place, who in enumerate(people)]
        releases.append(rows)
    return releases


@pytest.mark.parametrize("seed", range(12))
def test_ignored_rows_are_as_if_they_were_not_there(tmp_path, seed):
    rng = random.Random(seed)  # noqa: S311
    releases = drawn(rng)
    expected = judged(series(tmp_path / "plain", releases))
    noisy = []
    for rows in releases:
        total = ["Total", rng.choice(["", "9"]), rng.choice(["", "all", "20-39"]), rng.choice(["", "6", "zzz"])]
        noisy.append([*rows, total] if rng.random() < 0.5 else [total, *rows])
    assert judged(series(tmp_path / "noisy", noisy, TOTAL)) == expected


def test_a_text_of_a_dictionary_that_no_row_has_is_no_value(tmp_path):
    releases = drawn(random.Random(0))  # noqa: S311
    write(tmp_path / "parquet/place", "")
    assert judged(series(tmp_path / "parquet", releases, parquet=True)) == judged(series(tmp_path / "csv", releases))
