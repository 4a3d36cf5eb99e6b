"""A quasi-identifier that a release lacks says as much as a column of `*`: nothing of it was published there."""

import csv
import json

import numpy as np
import pytest

from tests.helpers.running import read_audit, refused, run_main
from tests.mutants.mutant import kills

MANIFESTS = {
    "linked": 'individual = "Owner"\ngroup = "G"\n',
    "without groups": 'individual = "Owner"\n',
    "record": 'record = "Owner"\ngroup = "G"\n',
    "published": 'group = "G"\nunlinkable = { Owner = "drawn anew" }\n',
    "register": 'group = "G"\nunlinkable = { Owner = "drawn anew" }\n[adversary]\nregister = "register.csv"\n',
}


def table(path, names, rows):
    path.parent.mkdir(exist_ok=True, parents=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *([row[name] for name in names] for row in rows)])


def drawn(folder, seed, adversary, *, starred):
    """Write a series of two releases whose first one lacks the column Town, or has `*` in it."""
    draw, towns, groups = np.random.default_rng(seed), ("Bari", "Oslo", "Rome"), 1 + seed % 2
    people = [
        (f"P{n}", (20, 30)[n % groups], str(draw.choice(towns)), ("flu", "gout", "cold")[n // 2 % 3]) for n in range(12)
    ]
    columns = ["Owner", "G", "Age", "Town", "Disease"]
    for tag in (1, 2):
        rows = []
        for place, (owner, age, town, disease) in enumerate(people):
            shown = "*" if tag == 1 or seed % 3 else town
            age_cell = f"{age}-{age + 9}"
            rows.append({"Owner": owner, "G": place % groups, "Age": age_cell, "Town": shown, "Disease": disease})
        lacks = tag == 1 and not starred
        table(folder / "releases" / f"{tag}.csv", [name for name in columns if not (lacks and name == "Town")], rows)
    exact = [{"individual": owner, "first": 1, "last": 2, "Age": age, "Town": town} for owner, age, town, _ in people]
    table(folder / "register.csv", [*exact[0]], exact)
    manifest = (
        '[series]\nname = "x"\nreleases = ["releases/1.csv", "releases/2.csv"]\n[columns]\nsensitive = "Disease"\n'
    )
    own = 'quasi_identifiers = ["Age", "Town"]\n' + MANIFESTS[adversary]
    (folder / "series.toml").write_text(manifest + own, encoding="utf-8")


def judged(folder):
    code, result = read_audit(folder, "--reveal", "--findings", "all")
    kinds = {each["kind"] for each in result["warnings"]}
    entries = [
        (entry["attack"], entry["status"], entry.get("measures"), len(entry["findings"])) for entry in result["attacks"]
    ]
    return code, result["policy"], entries, kinds


@pytest.mark.many
@pytest.mark.parametrize("adversary", MANIFESTS)
def test_a_column_that_a_release_lacks_is_read_as_stars(tmp_path, adversary):
    codes = set()
    for seed in range(6):
        own, starred = tmp_path / f"{seed}", tmp_path / f"{seed}-starred"
        drawn(own, seed, adversary, starred=False)
        drawn(starred, seed, adversary, starred=True)
        code, policy, entries, kinds = judged(own)
        assert (code, policy, entries) == judged(starred)[:3]
        assert "unpublished-column" in kinds
        assert "unpublished-column" not in judged(starred)[3]
        codes.add(code)
    assert len(codes) > 1


@kills("audit.io.series._unpublished", "and not columns_without_role(", "and (")
def test_a_column_that_all_releases_lack_is_refused_if_another_one_may_be_meant(tmp_path):
    """Else it may be that of a candidate: after the advice to name it, each audit and `next` refused the series."""
    drawn(tmp_path, 0, "linked", starred=False)
    people = [
        {"Owner": f"P{n}", "G": n % 2, "Age": "20-29", "Disease": ["flu", "gout", "cold"][n // 2 % 3]}
        for n in range(12)
    ]
    table(tmp_path / "releases" / "2.csv", ["Owner", "G", "Age", "Disease"], people)
    table(tmp_path / "3.csv", ["Owner", "G", "Age", "Town", "Disease"], [{**each, "Town": "*"} for each in people])
    assert 2 not in [run_main(str(tmp_path))[0], run_main("next", str(tmp_path), str(tmp_path / "3.csv"))[0]]
    table(
        tmp_path / "releases" / "2.csv",
        ["Owner", "G", "Age", "Twon", "Disease"],
        [{**each, "Twon": "*"} for each in people],
    )
    assert 'column "Town": the column is not in the file' in refused(str(tmp_path))


def test_a_next_release_may_lack_a_column(tmp_path):
    drawn(tmp_path, 1, "linked", starred=True)
    rows = [{"Owner": f"P{n}", "G": n % 2, "Age": "*", "Town": "*", "Disease": "flu"} for n in range(12)]
    results = []
    for names in (["Owner", "G", "Age", "Town", "Disease"], ["Owner", "G", "Age", "Disease"]):
        table(tmp_path / "3.csv", names, rows)
        code, out, err = run_main("next", str(tmp_path), str(tmp_path / "3.csv"), "--format", "json", "--reveal")
        assert err == ""
        result = json.loads(out)
        results.append((code, result["policy"], result["not_computed"]))
    assert results[0] == results[1]
    assert results[0][0] == 1
