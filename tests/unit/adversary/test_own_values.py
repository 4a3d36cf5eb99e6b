"""Which value each row of an Anatomy pair has, where the key says so: what attacks may start from."""

import pytest

from attacks.joint.attack import JointAttack
from audit import load
from audit.adversary.build_evidence import build_evidence
from audit.io.series import open_series
from audit.runtime.budget import Budget

MANIFEST = """
[series]
releases = [{ rows = "1.rows.csv", values = "1.values.csv" }]

[columns]
quasi_identifiers = ["Age"]
group = "Group"
sensitive = "Disease"
count = "count"
"""
IGNORED = 'ignore_rows = { Age = ["Total"] }\n'
ROWS = ["Age,Group", "21,a", "Total,", "22,a", "40,b", "41,b"]
VALUES = "Group,Disease,count\na,flu,1\na,cold,1\nb,flu,1\nb,gout,1\n"
# Counted from 0 in the file, the total among them.
KEY = ["row,individual,Disease", "4,Di,flu", "0,Al,cold", "2,Bo,flu", "3,Cy,gout"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "private").mkdir()
    (tmp_path / "1.values.csv").write_text(VALUES)
    return tmp_path


def said(folder, key, *, total):
    rows = ROWS if total else [line for line in ROWS if "Total" not in line]
    (folder / "series.toml").write_text(MANIFEST + (IGNORED if total else ""))
    (folder / "1.rows.csv").write_text("\n".join(rows) + "\n")
    (folder / "private" / "1.key.csv").write_text("\n".join(key) + "\n")
    series = open_series(folder)
    [evidence] = build_evidence(series)
    names = series.people.names(evidence.source.hosts(0).person).to_pylist()
    found = []
    for codes, people in ((evidence.warm_start(0), names), (evidence.key.of_versions(0), None)):
        texts = None if codes is None else [evidence.values[code] if code >= 0 else None for code in codes.tolist()]
        found.append(texts if people is None or texts is None else dict(zip(people, texts, strict=True)))
    return found, JointAttack().run(evidence, Budget())


def test_rows_are_counted_in_the_file(folder):
    (world, truth), _ = said(folder, KEY, total=True)
    assert world == {"Al": "cold", "Bo": "flu", "Cy": "gout", "Di": "flu"}
    assert sorted(truth) == ["cold", "flu", "flu", "gout"]


def test_a_key_that_says_nothing_of_values(folder):
    key = [line.rsplit(",", 1)[0] for line in KEY]
    (world, truth), outcome = said(folder, key, total=True)
    assert (world, truth) == (None, None)
    assert outcome.status == "complete"


def test_a_value_that_the_pair_does_not_have_is_not_known(folder):
    key = [line.replace("2,Bo,flu", "2,Bo,plague") for line in KEY]
    (world, _), outcome = said(folder, key, total=True)
    assert world == {"Al": "cold", "Bo": None, "Cy": "gout", "Di": "flu"}
    assert outcome.status == "complete", "what is told is checked, not believed"


def test_without_ignored_rows(folder):
    key = [KEY[0], "3,Di,flu", "0,Al,cold", "1,Bo,flu", "2,Cy,gout"]
    (world, _), _ = said(folder, key, total=False)
    assert world == {"Al": "cold", "Bo": "flu", "Cy": "gout", "Di": "flu"}


@pytest.mark.parametrize("total", [False, True])
def test_a_group_whose_values_the_key_has_too_often_is_not_believed(folder, total):
    key = KEY if total else [KEY[0], "3,Di,flu", "0,Al,cold", "1,Bo,flu", "2,Cy,gout"]
    key = [line.replace("Bo,flu", "Bo,cold") for line in key]
    (world, _), outcome = said(folder, key, total=total)
    assert world == {"Al": None, "Bo": None, "Cy": "gout", "Di": "flu"}
    assert outcome.status == "complete"


def test_a_value_that_another_group_has_is_left_to_contradict(folder):
    (world, _), _ = said(folder, [line.replace("Bo,flu", "Bo,gout") for line in KEY], total=True)
    assert world == {"Al": "cold", "Bo": "gout", "Cy": "gout", "Di": "flu"}


@pytest.mark.parametrize("key", ["acne", "gout"])
def test_risks_are_no_lower_than_the_published_counts_give(folder, key):
    (folder / "1.values.csv").write_text("Group,Disease,count\na,gout,2\na,acne,1\n")
    (folder / "1.rows.csv").write_text("Age,Group\n21,a\n22,a\n23,a\n")
    (folder / "series.toml").write_text(MANIFEST)
    told = [f"{row},{name},{key}" for row, name in enumerate(["Al", "Bo", "Cy"])]
    (folder / "private" / "1.key.csv").write_text("\n".join(["row,individual,Disease", *told]) + "\n")
    found = load(folder).attack("intersection")
    assert found.measures["max_risk"] == pytest.approx(2 / 3)
