"""`audit anonymize` of a series of exact count tables: what is written, what the manifest says, and refusals."""

import csv
import shutil

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audit
from anonymizers.count_tables import COUNT_METHODS, SECONDARY
from audit.api import UsageError
from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.read_counts import read_counts
from tests.cli.forms import edit
from tests.helpers.count_tables import TinyTables
from tests.helpers.messy import excel
from tests.helpers.running import done, drafted, refused, run_main

LABELS = [(area, sex) for area in ("N", "S", "E", "UK") for sex in ("f", "m", "All")]


def release(seed):
    """All counts of a table with totals, as text by cell."""
    counts = np.random.default_rng(seed).poisson(9, size=(3, 2))
    for axis in (0, 1):
        counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
    return [(cell, str(count)) for cell, count in zip(LABELS, counts.ravel().tolist(), strict=True)]


def exact(folder, releases=None, **more):
    rows = releases or [release(1), release(2)]
    return TinyTables(("area", "sex"), rows, totals={"area": "UK", "sex": "All"}, **more).write(folder / "exact")


def published(folder, place=1):
    with (folder / f"releases/{place}.csv").open(encoding="utf-8", newline="") as file:
        return [((row["area"], row["sex"]), row["n"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("method", COUNT_METHODS)
def test_every_method_publishes_what_the_manifest_says(method, tmp_path):
    words = ["anonymize", exact(tmp_path), "--method", method, "--output", tmp_path / "out"]
    words += ["--seed", "5"] if COUNT_METHODS[method].draws else []
    out = done(*map(str, words))
    assert f"Published 2 releases in {tmp_path / 'out'} by {method}" in out
    counts = read_counts(read_table_manifest(tmp_path / "out"))
    truth = np.array([int(text) for seed in (1, 2) for _, text in release(seed)])
    assert ((counts.lower <= truth) & (truth <= counts.upper)).all()
    assert [cell for cell, _ in published(tmp_path / "out")] == LABELS
    assert (published(tmp_path / "out") == release(1)) == (method == "none")
    assert run_main(str(tmp_path / "out"))[0] in (0, 1, 3)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (release(1)[1:], "releases/1.csv: the count of N, f is missing; give every combination a row"),
        ([*release(1)[:-1], (("UK", "All"), "999")], 'releases/1.csv:13, column "n": "999" is not'),
        ([(cell, "*" if cell == ("N", "f") else text) for cell, text in release(1)], "neither a whole number nor"),
    ],
)
def test_tables_that_are_not_whole(rows, said, tmp_path):
    words = ["anonymize", exact(tmp_path, [rows]), "--method", "threshold", "--output", tmp_path / "out"]
    assert said in refused(*map(str, words))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--method", "random-rounding"], "random-rounding draws at random: give it a seed"),
        (["--method", "none", "--base", "5"], "none has no options; leave --base out"),
        (["--method", "threshold", "--base", "5"], "threshold has no --base; there are --threshold"),
        (["--method", "threshold", "--m", "5"], "threshold has no --m; there are --threshold"),
        (["--method", "m-invariance"], "there is no method m-invariance for count tables"),
        (["--method", "threshold", "--close"], "leave them out for count tables"),
    ],
)
def test_refused_options(words, said, tmp_path):
    assert said in refused("anonymize", str(exact(tmp_path)), *words, "--output", str(tmp_path / "out"))


def drawn(seed):
    """All counts of a table with totals, many of them small."""
    counts = np.random.default_rng(seed).choice([0, 2, 5, 9, 30], size=(3, 2))
    for axis in (0, 1):
        counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
    return [(cell, str(count)) for cell, count in zip(LABELS, counts.ravel().tolist(), strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_secondary_suppression_passes_an_audit_of_all_tables(seed, tmp_path):
    folder = exact(tmp_path, [drawn(2 * seed), drawn(2 * seed + 1)], min_count=8)
    words = ["anonymize", str(folder), "--method", "secondary", "--output", str(tmp_path / "out")]
    code, out, _ = run_main(*words)
    assert code == 0
    assert "an audit of them passes" in out
    assert run_main(str(tmp_path / "out"))[0] == 0
    code, _, _ = run_main(*words[:3], "threshold", "--output", str(tmp_path / "plain"))
    assert (code, run_main(str(tmp_path / "plain"))[0]) == (0, 1)


def test_what_is_not_decided_is_not_published(tmp_path):
    """What rests on a guess of the totals is undecided, whatever is hidden."""
    folder = exact(tmp_path, [drawn(1)], min_count=8)
    with (folder / "series.toml").open("a") as manifest:
        manifest.write('\n[unconfirmed]\nkeys = ["table.totals"]\n')
    words = ["anonymize", str(folder), "--method", "secondary", "--output", str(tmp_path / "out")]
    code, out, err = run_main(*words)
    assert (code, err, (tmp_path / "out").exists()) == (3, "", False)
    assert "Nothing was published" in out
    with pytest.raises(UsageError, match="Nothing was published"):
        audit.load(folder, kind="tables").anonymize("secondary", tmp_path / "out")


def test_the_time_limit_is_that_of_the_whole_command(tmp_path):
    folder = exact(tmp_path, [drawn(0), drawn(1)], min_count=8)
    words = ["anonymize", str(folder), "--method", "secondary", "--output", str(tmp_path / "out")]
    code, out, err = run_main(*words, "--time-limit", "0.000001")
    assert (code, err, (tmp_path / "out").exists()) == (3, "", False)
    assert out.startswith("Nothing was published: the time limit of 1e-06 s was reached")
    assert out.count("\n") == 1
    assert "--time-limit SECONDS" in out
    with pytest.raises(UsageError, match="the time limit"):
        audit.load(folder, kind="tables").anonymize("secondary", tmp_path / "out", time_limit=1e-6)
    assert run_main(*words, "--time-limit", "3600")[0] == 0


def test_small_counts_and_those_hidden_beside_them_have_one_sign(tmp_path):
    """Where 1 and 5 of 6 had a sign each, the second would be no small count: 5, as no other one leaves a 1."""
    rows = [(("N", "f"), "1"), (("N", "m"), "5"), (("N", "All"), "6"), (("S", "f"), "5"), (("S", "m"), "30")]
    rows += [(("S", "All"), "35"), (("UK", "f"), "6"), (("UK", "m"), "35"), (("UK", "All"), "41")]
    folder = exact(tmp_path, [rows], min_count=5)
    done("anonymize", str(folder), "--method", "secondary", "--threshold", "5", "--output", str(tmp_path / "out"))
    hidden = {cell: text for cell, text in published(tmp_path / "out") if not text.isdigit()}
    assert {("N", "f"), ("N", "m")} < hidden.keys()
    assert set(hidden.values()) == {SECONDARY}


@pytest.mark.parametrize(
    ("method", "given", "least"), [("secondary", 2, 5), ("secondary", 9, 9), ("threshold", 2, 5), ("rounding", 4, 5)]
)
def test_what_is_hidden_is_judged_by_the_threshold_at_least(method, given, least, tmp_path):
    """A guess of 2 in the exact series would let a 1 that is hidden be derived from 102 and 101."""
    rows = [(("N", "f"), "3"), (("N", "m"), "30"), (("N", "All"), "33"), (("S", "f"), "1"), (("S", "m"), "101")]
    rows += [(("S", "All"), "102"), (("UK", "f"), "4"), (("UK", "m"), "131"), (("UK", "All"), "135")]
    folder, out = exact(tmp_path, [rows], min_count=given), tmp_path / "out"
    path = folder / "series.toml"
    path.write_text(path.read_text().replace(f"min_count = {given}", f"min_count = {given}  # a guess"))
    done("anonymize", str(folder), "--method", method, "--threshold", "5", "--output", str(out))
    written = (out / "series.toml").read_text()
    assert read_table_manifest(out).policy["min_count"] == least
    assert ("# a guess" in written) == (given == least)
    if method == "secondary":
        assert run_main(str(out))[0] == run_main(str(out), "--policy", "min_count=5")[0] == 0


def test_numbers_that_are_no_counts_do_not_stand_in_the_way(tmp_path):
    """`audit init` names a column of codes under not_counts; the published series has neither, and can be audited."""
    rows = "".join(
        f"{area},{sex},{code},{count}\n"
        for code, area in enumerate(("N", "S"), 11)
        for sex, count in (("f", 12), ("m", code - 8))
    )
    (tmp_path / "2024.csv").write_text(f"area,sex,code,n\n{rows}", encoding="utf-8")
    path = tmp_path / "series.toml"
    text = drafted(tmp_path)
    assert 'not_counts = ["code"]' in text
    path.write_text(text.partition("[unconfirmed]")[0], encoding="utf-8")
    out = tmp_path / "out"
    done("anonymize", str(tmp_path), "--method", "secondary", "--output", str(out))
    assert "not_counts" not in (out / "series.toml").read_text(encoding="utf-8")
    assert run_main(str(out))[0] == 0


PARTS = {"0-59": ("0-59", "0-59 & foreign"), "60+": ("60+", "60+ & foreign", "80+", "80+ & foreign")}
PARTS |= {"80+": ("80+", "80+ & foreign"), "foreign": ("0-59 & foreign", "60+ & foreign", "80+ & foreign")}


def of_which(seed, zero="0"):
    """All counts of a table in which 80+ is part of 60+, and foreign of all ages, many of them small."""
    drawn = np.random.default_rng(seed).choice([0, 1, 2, 4, 9, 30], size=(3, 6))
    atoms = dict(zip(dict.fromkeys(atom for some in PARTS.values() for atom in some), drawn.T, strict=True))
    groups = {**PARTS, "All": tuple(atoms)}
    by_area = {age: [sum(int(atoms[atom][area]) for atom in some) for area in range(3)] for age, some in groups.items()}
    counts = {(area, age): many[place] for age, many in by_area.items() for place, area in enumerate("NSE")}
    counts |= {("UK", age): sum(many) for age, many in by_area.items()}
    return [(cell, str(count) if count else zero) for cell, count in counts.items()]


def with_parts(folder, releases, markers=None):
    cells = {"dimensions": ("area", "age"), "totals": {"area": "UK", "age": "All"}, "categories": {"age": PARTS}}
    return TinyTables(releases=releases, markers=markers or {}, min_count=5, **cells).write(folder)


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_parts_are_hidden_with_the_others(seed, tmp_path):
    """Tables with "of which" rows, and a sign for 0, are published so that an audit of all passes."""
    releases = [of_which(2 * seed, "-"), of_which(2 * seed + 1, "-")]
    folder, out = with_parts(tmp_path / "exact", releases, {"-": (0, 0)}), tmp_path / "out"
    done("anonymize", str(folder), "--method", "secondary", "--threshold", "5", "--output", str(out))
    assert run_main(str(out))[0] == 0
    counts = read_counts(read_table_manifest(out))
    truth = np.array([int(text.replace("-", "0")) for each in releases for _, text in each])
    assert ((counts.lower <= truth) & (truth <= counts.upper)).all()
    assert (counts.hidden[(truth > 0) & (truth < 5)]).all()
    assert counts.number.any()


@pytest.mark.parametrize("method", ["rounding", "random-rounding"])
def test_a_cell_given_twice_is_published_once(method, tmp_path):
    """Two draws for the same people would tell more than one."""
    rows = of_which(1)
    folder, out = with_parts(tmp_path / "exact", [rows + rows]), tmp_path / "out"
    words = ["anonymize", str(folder), "--method", method, "--output", str(out)]
    done(*words, *(["--seed", "1"] if COUNT_METHODS[method].draws else []))
    texts = read_counts(read_table_manifest(out)).text
    assert (texts[: len(rows)] == texts[len(rows) :]).all()


def test_rates_are_not_written_and_hidden_tables_refused(tmp_path):
    """Rates go with the other columns; counts that are hidden already are named, and so is the remedy."""
    folder, out = exact(tmp_path, [drawn(1)], min_count=8), tmp_path / "out"
    path, file = folder / "series.toml", folder / "releases/1.csv"
    head, *rows = file.read_text().splitlines()
    file.write_text("\n".join([f"{head},rate,people", *(f"{row},{int(row.split(',')[-1]) / 10},1000" for row in rows)]))
    rates = 'rates = { column = "rate", per = 100, decimals = 1, denominator = "people" }\n[policy]'
    path.write_text(path.read_text().replace("[policy]", rates))
    words = ["anonymize", str(folder), "--method", "secondary", "--output", str(out)]
    done(*words)
    assert "rate" not in (out / "series.toml").read_text() + (out / "releases/1.csv").read_text()
    path.write_text(path.read_text().replace("markers = {  }", 'markers = { "*" = [1, 7] }'))
    assert "* stands for several counts" in refused(*words)


def test_a_cell_with_two_counts_is_refused(tmp_path):
    wrong = [(("N", "80+"), "77"), *of_which(1)]
    words = ["anonymize", str(with_parts(tmp_path / "twice", [wrong])), "--method", "none", "--output"]
    assert "the same cell above" in refused(*words, str(tmp_path / "out"))


ENDINGS = [".xlsx", ".tsv", ".csv.gz", ".parquet", ".sav", ".CSV"]


def converted(folder, ending):
    """The tables of a series in another form, named by a pattern."""
    for path in sorted((folder / "releases").iterdir()):
        table = pd.read_csv(path, dtype=str)
        target = path.with_name(f"{path.stem}{ending}")
        if ending == ".sav":
            pyreadstat.write_sav(table, target)
        elif ending == ".xlsx":
            excel(target, [["Counts of a year"], [], [*table], *table.values.tolist(), [], ["Source: the office"]])
        elif ending == ".parquet":
            table.to_parquet(target)
        else:
            table.to_csv(target, index=False, sep="\t" if ending == ".tsv" else ",")
        if target != path:
            path.unlink()
    edit(folder / "series.toml", '"releases/1.csv", "releases/2.csv"', f'"releases/*{ending}"')


@pytest.mark.many
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("method", ["threshold", "secondary"])
def test_tables_of_every_form_are_published_as_csv(ending, method, tmp_path):
    """The same bytes as those of CSV files, without the lines around the table, and as many releases."""
    plain, other = exact(tmp_path / "plain"), exact(tmp_path / "other")
    converted(other, ending)
    for folder, out in ((plain, "a"), (other, "b")):
        done("anonymize", str(folder), "--method", method, "--output", str(tmp_path / out))
    first, second = (read_table_manifest(tmp_path / out) for out in "ab")
    assert first.tags == second.tags == ("1", "2")
    for place in (1, 2):
        ours, theirs = (tmp_path / out / f"releases/{place}.csv" for out in "ab")
        assert ours.read_bytes() == theirs.read_bytes()
    assert sorted(path.suffix for path in (tmp_path / "b").rglob("*.*")) == [".csv", ".csv", ".toml"]
    assert run_main(str(tmp_path / "a"))[0] == run_main(str(tmp_path / "b"))[0]


def test_two_tables_that_would_be_one_file_are_refused(tmp_path):
    folder = exact(tmp_path)
    shutil.copy(folder / "releases/2.csv", folder / "releases/1.tsv")
    edit(folder / "series.toml", '"releases/2.csv"', '{ tag = "2", tables = ["releases/1.tsv"] }')
    said = refused("anonymize", str(folder), "--method", "threshold", "--output", str(tmp_path / "out"))
    assert "several tables would be published as releases/1.csv" in said


TOPICS = """region,authority,topic,label,n,noted
,,Total,Total,100,x
,,SEN,yes,28,x
,,SEN,no,72,x
,,FSM,yes,39,x
,,FSM,no,61,x
North,,Total,Total,51,x
North,,SEN,yes,15,x
North,,SEN,no,36,x
North,Bury,Total,Total,23,x
North,Bury,SEN,yes,3,x
North,Bury,SEN,no,20,x
North,Bury,FSM,yes,9,x
North,Bury,FSM,no,14,x
North,Leeds,Total,Total,28,x
North,Leeds,SEN,yes,12,x
North,Leeds,SEN,no,16,x
South,,Total,Total,49,x
"""


@pytest.mark.parametrize("method", ["secondary", "threshold", "rounding"])
def test_nested_labels_and_topics_are_published_in_their_columns(method, tmp_path):
    (tmp_path / "1.csv").write_text(TOPICS)
    (tmp_path / "series.toml").write_text(
        '[series]\nname = "x"\nkind = "tables"\nreleases = ["1.csv"]\n'
        '[table]\ndimensions = ["area", "SEN", "FSM"]\nvalue = "n"\ntotals = { SEN = "Total", FSM = "Total" }\n'
        'nested = { area = ["region", "authority"] }\nbreakdown = "topic"\nlevels = ["label"]\n'
        "[policy]\nmin_count = 5\n"
    )
    options = [] if method == "rounding" else ["--threshold", "5"]
    done("anonymize", str(tmp_path), "--method", method, *options, "--output", str(tmp_path / "out"))
    written = [*csv.reader((tmp_path / "out/1.csv").read_text(encoding="utf-8").splitlines())]
    exact = [line.split(",") for line in TOPICS.splitlines()]
    assert [row[:4] for row in written] == [row[:4] for row in exact]
    assert (written[10][4] == "3", len(written[0])) == (False, 5)
    assert run_main(str(tmp_path / "out"))[0] == (1 if method == "threshold" else 0)
