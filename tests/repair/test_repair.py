"""Repaired candidates: they keep the policy, cost the least that any merging and withholding does, and leak nothing."""

import csv
import io
import itertools
import json
import random
import shutil
import stat
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Kind
from audit.io.hierarchies import Hierarchy
from audit.io.table_writer import quoted
from audit.repair import search
from audit.repair.merged_cells import CellCosts, merged_text
from audit.repair.past_values import _leading_back
from tests.cli.forms import EXAMPLES
from tests.helpers.messy import write as write_text
from tests.helpers.repairs import draw
from tests.helpers.running import run_main
from tests.helpers.tiny import Known, Row, TinySeries

NAMES, VALUES = "ABCDEF", ("flu", "gastritis", "HIV")
MANIFEST = """[series]
name = "tiny"
releases = ["releases/1.csv"]
[columns]
sensitive = "Disease"
quasi_identifiers = ["Age"]
group = "Group"
individual = "Owner"
[policy]
min_e = 1
k = 1
"""


def write(path: Path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["Owner", "Group", "Age", "Disease"])
        for owner, group, (low, high), value in rows:
            writer.writerow([owner, group, f"[{low}, {high}]" if low != high else low, value])


def read(path: Path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def tiny(rng, folder: Path):
    """Return a candidate's rows beside a series of one release, in which nobody is found out."""
    people = {name: rng.choice(VALUES) for name in NAMES}
    (folder / "releases").mkdir(parents=True)
    (folder / "series.toml").write_text(MANIFEST, encoding="utf-8")
    write(folder / "releases" / "1.csv", [(name, 1, (20, 60), value) for name, value in people.items()])
    present = rng.sample(NAMES, rng.randrange(2, 5))
    groups = {name: rng.randrange(1, 4) for name in present}
    boxes = {group: tuple(sorted(rng.sample(range(20, 61, 5), 2))) for group in set(groups.values())}
    return [(name, groups[name], boxes[groups[name]], people[name]) for name in sorted(present)]


def partitions(items):
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for place in range(len(rest)):
            yield [*rest[:place], [items[0], *rest[place]], *rest[place + 1 :]]


def changed(rows, parts, withheld):
    """Return rows with groups merged and some left out, and what that costs."""
    length = max(high for _, _, (_, high), _ in rows) - min(low for _, _, (low, _), _ in rows)
    found, cost = [], Fraction(len(withheld))
    for part in parts:
        inside = [row for row in rows if row[1] in part]
        box = min(row[2][0] for row in inside), max(row[2][1] for row in inside)
        if len(part) > 1:
            cost += sum(Fraction(box[1] - box[0] - (row[2][1] - row[2][0]), length) for row in inside)
        found += [(row[0], min(part), box, row[3]) for row in inside if row[0] not in withheld]
    return found, cost


def rank(rows: int):
    """Return what is preferred: what withholds fewer rows beyond one in twenty, then what costs less."""
    return lambda each: (max(0, rows - len(each[0]) - Fraction(rows, 20)), each[1])


def keeps(series, folder, rows):
    folder.mkdir(exist_ok=True)
    write(folder / "2.csv", rows)
    return run_main("next", str(series), str(folder / "2.csv"), "--format", "json", "--findings", "0")[0] == 0


@pytest.mark.parametrize("seed", range(12))
def test_the_least_cost_is_that_of_all_changes_tried(tmp_path, seed):
    rng = random.Random(seed)  # noqa: S311 - reproducible series
    series = tmp_path / "s"
    rows = tiny(rng, series)
    groups = sorted({row[1] for row in rows})
    owners = [row[0] for row in rows]
    tried = [
        changed(rows, parts, withheld)
        for parts in partitions(groups)
        for size in range(len(owners))
        for withheld in itertools.combinations(owners, size)
    ]
    least = next(
        (cost for some, cost in sorted(tried, key=rank(len(rows))) if keeps(series, tmp_path / "t", some)), None
    )
    write(tmp_path / "2.csv", rows)
    words = ["repair", str(series), str(tmp_path / "2.csv"), "--output", str(tmp_path / "out"), "--format", "json"]
    code, out, err = run_main(*words)
    assert err == ""
    repair = json.loads(out)
    assert (code, repair["refused"] is None) == ((1, False) if least is None else (0, True))
    if least is None:
        assert not (tmp_path / "out").exists()
    else:
        assert sum(move["cost"] for move in repair["moves"]) == pytest.approx(float(least))
        assert run_main("next", str(series), str(tmp_path / "out" / "2.csv"))[0] == 0


@pytest.fixture
def hospital(tmp_path):
    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")
    (tmp_path / "s" / "releases" / "2.csv").rename(tmp_path / "2.csv")
    manifest = tmp_path / "s" / "series.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(', "releases/2.csv"', ""), encoding="utf-8")
    return tmp_path


def test_a_larger_candidate_is_repaired_against_all_attacks(hospital):
    code, out, err = run_main("repair", str(hospital / "s"), str(hospital / "2.csv"), "--output", str(hospital / "out"))
    assert (code, err) == (0, "")
    assert "merge groups" in out
    assert not any(name in out for name in ("Bob", "David", "Alice"))
    assert run_main("next", str(hospital / "s"), str(hospital / "out" / "2.csv"))[0] == 0
    assert not (hospital / "s" / "releases" / "2.csv").exists()


def test_the_search_goes_the_same_way_each_time(hospital):
    """Ids are drawn for each report; what guides the search must not be."""
    told = []
    for place in range(4):
        output = str(hospital / f"out{place}")
        words = ["repair", str(hospital / "s"), str(hospital / "2.csv"), "--output", output, "--format", "json"]
        repair = json.loads(run_main(*words)[1])
        told.append((repair["audits"], repair["moves"]))
    assert all(each == told[0] for each in told)


@pytest.mark.parametrize("seed", [2, 3, 5, 8])
def test_where_too_many_changes_would_be_audited_findings_are_followed(tmp_path, seed, monkeypatch):
    monkeypatch.setattr(search, "MOST_AUDITS", 0)
    series, candidate = draw(seed).write(tmp_path)
    words = ["repair", str(series), str(candidate), "--output", str(tmp_path / "out"), "--format", "json"]
    code, out, err = run_main(*words)
    assert (code in {0, 1}, err) == (True, "")
    assert "changes were tried" not in (json.loads(out)["refused"] or "")
    if code == 0:
        assert run_main("next", str(series), str(tmp_path / "out" / candidate.name))[0] == 0


@pytest.mark.parametrize("move", ["merge", "withhold"])
def test_only_some_moves(hospital, move):
    words = [
        "repair",
        str(hospital / "s"),
        str(hospital / "2.csv"),
        "--output",
        str(hospital / "out"),
        "--format",
        "json",
    ]
    _, out, _ = run_main(*words, "--only", move, "--attack", "intersection")
    assert {each["kind"] for each in json.loads(out)["moves"]} <= {move}


def test_a_past_that_breaks_the_policy_is_said(tmp_path):
    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")
    shutil.copy(tmp_path / "s" / "releases" / "2.csv", tmp_path / "3.csv")
    words = ["repair", str(tmp_path / "s"), str(tmp_path / "3.csv"), "--output", str(tmp_path / "out")]
    code, out, _ = run_main(*words)
    assert code == 1
    assert "violates the policy even without the candidate" in out
    assert "--baseline" in out
    assert "  intersection: person-" in out, "the findings of the past are told"
    code, out, _ = run_main(*words, "--baseline")
    assert code == 0, "the same release again adds nothing"
    assert "Release 3 adds nothing to what was found before" in out
    assert "The series without it as with it: NOT SAFE" in out


def test_the_key_goes_along(hospital):
    lines = (hospital / "2.csv").read_text(encoding="utf-8").splitlines()
    (hospital / "2.csv").write_text("\n".join(line.split(",", 1)[1] for line in lines) + "\n", encoding="utf-8")
    key = [f"{row},{line.split(',')[0]}" for row, line in enumerate(lines[1:])]
    (hospital / "2.key.csv").write_text("\n".join(["row,individual", *key]) + "\n", encoding="utf-8")
    words = ["repair", str(hospital / "s"), str(hospital / "2.csv"), "--output", str(hospital / "out")]
    code, _, err = run_main(*words)
    assert (code, err) == (0, "")
    private = hospital / "out" / "private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert "Bob" not in (hospital / "out" / "2.csv").read_text(encoding="utf-8")
    kept = len((hospital / "out" / "2.csv").read_text(encoding="utf-8").splitlines())
    assert len((private / "2.key.csv").read_text(encoding="utf-8").splitlines()) == kept


def test_a_folder_with_files_is_refused(hospital):
    code, _, err = run_main("repair", str(hospital / "s"), str(hospital / "2.csv"), "--output", str(hospital))
    assert code == 2
    assert "name a new or empty folder" in err


PLACES = Hierarchy("p", (("Rome", "Bari", "Oslo"), ("Italy", "Italy", "Norway"), ("*", "*", "*")))


@pytest.mark.parametrize(
    ("kind", "hierarchy", "texts", "merged"),
    [
        (Kind.NUMERIC, None, ["[21, 22]", "30"], "[21, 30]"),
        (Kind.NUMERIC, None, ["[21, 22[", "(20, 21]"], "(20, 22)"),
        (Kind.NUMERIC, None, [">=65", "60"], ">=60"),
        (Kind.NUMERIC, None, [">=65", "<18"], "*"),
        (Kind.NUMERIC, None, ["[20, 30]", "25"], "[20, 30]"),
        (Kind.CATEGORICAL, None, ["48151", "48199"], "481**"),
        (Kind.CATEGORICAL, None, ["Rome", "Rostock"], "{Rome, Rostock}"),
        (Kind.CATEGORICAL, PLACES, ["Rome", "Bari"], "Italy"),
        (Kind.CATEGORICAL, PLACES, ["Rome", "Norway"], "*"),
        (Kind.CATEGORICAL, None, ["a", "*"], "*"),
    ],
)
def test_merged_cells(kind, hierarchy, texts, merged):
    attribute = QuasiIdentifier("a", kind, hierarchy, frozenset())
    assert merged_text({text: attribute.parse(text) for text in texts}, attribute) == merged
    costs = CellCosts(attribute, texts)
    assert all(costs.of(text) <= costs.of(merged) for text in texts)


BROKEN = [Row(f"p{n}", "1", value, ("[20, 60]",)) for n, value in enumerate(["flu", "flu", "flu", "gastritis"])]


def groups_of_four(*groups):
    """Rows of new people: each group has four values."""
    values = [(group, value) for group, some in enumerate(groups, 1) for value in some]
    return [Row(f"q{n}", str(group), value, ("[20, 30]",)) for n, (group, value) in enumerate(values)]


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        ("max_risk = 0.6", True),
        ('max_risk = 1.0\nmax_ever_risk = 0.6\ngrave = ["flu"]', True),
        ("max_risk = 0.8", False),
    ],
)
def test_with_a_baseline_risks_below_certainty_are_no_more_than_before(tmp_path, policy, wanted):
    """The past has a risk of 3/4; so has the candidate, of others, unless its groups are merged."""
    candidate = groups_of_four(["flu"] * 3 + ["gastritis"], ["gastritis"] * 3 + ["flu"])
    whole = TinySeries([BROKEN, candidate], quasi_identifiers=("Age",))
    whole.write(tmp_path / "all")
    series = whole.until(1).write(tmp_path / "s")
    manifest = series / "series.toml"
    policy = f"\n[policy]\nmin_e = 1\n{policy}\n"
    manifest.write_text(manifest.read_text(encoding="utf-8") + policy, encoding="utf-8")
    words = ["repair", str(series), str(tmp_path / "all" / "releases" / "2.csv"), "--output", str(tmp_path / "out")]
    code, out, err = run_main(*words, "--baseline", "--format", "json", "--only", "merge")
    assert (code, err) == (0, "")
    assert bool(json.loads(out)["moves"]) == wanted


def test_with_a_baseline_risks_of_the_past_are_kept_as_they_were(tmp_path):
    candidate = groups_of_four(["flu", "flu", "gastritis", "gastritis"])
    whole = TinySeries([BROKEN, candidate], quasi_identifiers=("Age",))
    whole.write(tmp_path / "all")
    series = whole.until(1).write(tmp_path / "s")
    manifest = series / "series.toml"
    manifest.write_text(
        f"{manifest.read_text(encoding='utf-8')}\n[policy]\nmin_e = 1\nmax_risk = 0.6\n", encoding="utf-8"
    )
    words = ["repair", str(series), str(tmp_path / "all" / "releases" / "2.csv"), "--output", str(tmp_path / "out")]
    assert run_main(*words)[0] == 1, "the past breaks the policy"
    code, out, _ = run_main(*words, "--baseline", "--format", "json")
    assert (code, json.loads(out)["moves"]) == (0, [])


def test_what_a_group_tells_of_its_people_together():
    """Ann and Bob can only exchange flu and HIV, so that Cid is left with gout, though the past leaves him flu too."""
    left = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1]], dtype=bool)
    assert (left & _leading_back(left, np.array([0, 1, 2]))).tolist() == [
        [True, True, False],
        [True, True, False],
        [False, False, True],
    ]


def test_people_of_whom_a_value_is_known_stay(tmp_path):
    """Who is with somebody whose value is known is withheld, not that one."""
    values, cells = ["flu", "gastritis"] * 3, ("[20, 60]",)
    releases = [
        [Row(f"p{n}", group, values[n], cells) for n, group in enumerate(groups)] for groups in ("111111", "1122")
    ]
    small = TinySeries(releases, known=[Known("p0", "flu", None)], quasi_identifiers=("Age",))
    whole, past = small.write(tmp_path / "all", key="files"), small.until(1).write(tmp_path / "clinic", key="files")
    shutil.copy(whole / "private" / "2.key.csv", whole / "releases" / "2.key.csv")
    policy = ["--policy", "min_e=1", "--k", "1"]
    words = ["--output", str(tmp_path / "out"), "--only", "withhold", "--format", "json", *policy]
    code, out, _ = run_main("repair", str(past), str(whole / "releases" / "2.csv"), *words)
    assert code == 0
    assert [(each["kind"], each["lines"]) for each in json.loads(out)["moves"]] == [("withhold", [3])]
    assert run_main("next", str(past), str(tmp_path / "out" / "2.csv"), *policy)[0] == 0


def test_changes_that_cannot_be_made_are_not_called_tried(hospital):
    """Cells only form groups here, so that coarser ones would tell no less."""
    words = ["repair", str(hospital / "s"), str(hospital / "2.csv"), "--output", str(hospital / "out")]
    code, out, err = run_main(*words, "--only", "coarsen", "--attack", "intersection")
    assert (code, err) == (1, "")
    assert "none of the changes that may be made can be made to this candidate" in out
    assert "were tried" not in out


def test_many_groups_of_the_same_cells_are_not_all_gone_through(tmp_path, monkeypatch):
    """Six people alone in six groups: millions of ways to group them, most of which publish the same."""
    values = ["flu", "gastritis", "HIV", "gout", "flu", "gastritis"]
    releases = [
        [Row(f"p{n}", group, values[n], ("[20, 60]",)) for n, group in enumerate(g)] for g in ("111111", "123456")
    ]
    whole = TinySeries(releases, quasi_identifiers=("Age",))
    whole.write(tmp_path / "all", key="files")
    past = whole.until(1).write(tmp_path / "clinic", key="files")
    shutil.copy(tmp_path / "all" / "private" / "2.key.csv", tmp_path / "all" / "releases" / "2.key.csv")
    gone_through: list[object] = []
    monkeypatch.setattr("audit.repair.all_plans._grouped", lambda *each: gone_through.append(each))
    words = ["--output", str(tmp_path / "out"), "--policy", "min_e=1", "--k", "1"]
    assert run_main("repair", str(past), str(tmp_path / "all" / "releases" / "2.csv"), *words)[0] == 0
    assert gone_through == []
    assert run_main("next", str(past), str(tmp_path / "out" / "2.csv"), *words[2:])[0] == 0


@pytest.mark.parametrize(("delimiter", "encoding"), [(",", "utf-8"), (";", "cp1252"), ("\t", "utf-16")])
def test_the_candidate_keeps_its_delimiter_and_encoding(hospital, delimiter, encoding):
    """Only what was changed differs: a name with an umlaut, in a column that nothing changes, is written as it was."""
    text = (hospital / "2.csv").read_text(encoding="utf-8").replace("dyspepsia", "Magenverstimmung (früh)")
    assert "früh" in text
    lines = (delimiter.join(quoted(row, delimiter)) for row in csv.reader(io.StringIO(text)))
    (hospital / "2.csv").write_bytes("".join(f"{line}\n" for line in lines).encode(encoding))
    first = hospital / "s" / "releases" / "1.csv"
    first.write_text(
        first.read_text(encoding="utf-8").replace("dyspepsia", "Magenverstimmung (früh)"), encoding="utf-8"
    )
    words = ["repair", str(hospital / "s"), str(hospital / "2.csv"), "--output", str(hospital / "out")]
    assert run_main(*words)[::2] == (0, "")
    before, after = ((folder / "2.csv").read_bytes().decode(encoding) for folder in (hospital, hospital / "out"))
    assert after.splitlines()[0] == before.splitlines()[0]
    assert "(früh)" in after
    assert run_main("next", str(hospital / "s"), str(hospital / "out" / "2.csv"))[0] == 0


@pytest.mark.parametrize("again", [True, False])
def test_a_release_that_is_published_again_adds_no_small_class(tmp_path, again):
    """Groups of one value and classes below k are known from the past; one changed row, and they are new."""
    rows = ["20-29,flu", "20-29,flu", "30-39,gout", "40-49,flu", "40-49,gout"]
    columns = '[columns]\nquasi_identifiers = ["Age"]\nsensitive = "Disease"\n'
    text = f'[series]\nname = "s"\nreleases = ["1.csv"]\n{columns}'
    series, candidate, before = tmp_path / "s", tmp_path / "2.csv", tmp_path / "before.json"
    write_text(series / "series.toml", text)
    write_text(series / "1.csv", "\n".join(["Age,Disease", *rows, ""]))
    write_text(series / "private" / "finding.key", "0" * 64 + "\n")
    others = rows[::-1] if again else [*rows[:-1], "50-59,gout"]
    write_text(candidate, "\n".join(["Age,Disease", *others, ""]))
    stable = ["--stable-ids", "--findings", "all", "--format", "json"]
    assert run_main(str(series), *stable, "--output", str(before))[0] == 1
    words = ["--output", str(tmp_path / "out"), "--baseline", "--format", "json"]
    code, out, err = run_main("repair", str(series), str(candidate), *words)
    assert err == ""
    assert (code == 0 and json.loads(out)["moves"] == []) == again
    shutil.copy(candidate, series / "2.csv")
    write_text(series / "series.toml", text.replace('"1.csv"', '"1.csv", "2.csv"'))
    code, out, err = run_main(str(series), "--baseline", str(before), "--format", "json")
    assert (code, err) == (0 if again else 1, "")
    assert {each["measure"] for each in json.loads(out)["policy"]["violations"]} == (
        set() if again else {"k", "max_risk"}
    )
