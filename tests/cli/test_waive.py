"""`audit waive` writes waivers that the next audit takes; `--risks` writes everybody's risks for those inside."""

import csv
import json
import re

import pyarrow.parquet as pq
import pytest

from audit.api import UsageError, load
from audit.model.accepted_size import SmallClasses
from tests.cli.forms import FORMS, snapshot
from tests.helpers.messy import series_of
from tests.helpers.running import refused, run_main


@pytest.fixture
def hospital(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    (tmp_path / "s" / "private").mkdir()
    return tmp_path / "s"


WHY = ["--reason", "consented", "--until", "2999-12-31"]


def audited(folder, *words):
    return json.loads(run_main(str(folder), "--format", "json", *words)[1])


def test_what_is_waived_is_gone(hospital):
    before = audited(hospital, "--stable-ids", "--reveal")
    [first] = [one for one in before["attacks"][0]["findings"] if one["individual"] == "Bob"]
    text = (hospital / "series.toml").read_text()
    assert run_main("waive", str(hospital), first["id"], "David", "equivalence-*", *WHY)[0] == 0
    written = (hospital / "series.toml").read_text()
    assert written.startswith(text.rstrip())
    after = audited(hospital, "--reveal")
    assert [each["state"] for each in after["policy"]["waived"]] == ["applied"] * 3
    assert {(each["reason"], each["expires"]) for each in after["policy"]["waived"]} == {("consented", "2999-12-31")}
    assert first["individual"] not in {each["individual"] for each in after["attacks"][0]["findings"]}
    assert after["attacks"][0]["findings"] == []
    assert run_main("waive", str(hospital / "series.toml"), "Alice", *WHY)[0] == 0
    assert len(audited(hospital)["policy"]["waived"]) == 4


def test_a_group_is_waived_as_far_as_an_audit_with_the_same_policy_finds(hospital):
    """What is likely at a stricter limit is accepted only where the limit is named."""
    stricter = ["--policy", "max_risk=0.5", "--adversary", "linked"]
    assert run_main("waive", str(hospital), "--group", "2", "1", *stricter, *WHY)[0] == 0
    [written] = load(hospital).opened.manifest.waivers
    assert (written.release, written.group) == ("2", "1")
    accepted = {ident for ident, _ in written.sizes.items()}
    shown = audited(hospital, "--stable-ids", "--reveal", "--findings", "all", *stricter)
    [waived] = shown["policy"]["waived"]
    assert waived["state"] == "applied"
    left = {one["id"] for attack in shown["attacks"] for one in attack["findings"]}
    assert accepted
    assert not accepted & left
    assert left, "what is found in other groups is not waived"


def test_all_groups_of_a_release_are_waived_with_its_smallest_class(hospital):
    stricter = ["--policy", "k=3"]
    assert run_main("waive", str(hospital), "--group", "2", "*", *stricter, *WHY)[0] == 0
    [written] = load(hospital).opened.manifest.waivers
    assert written.sizes["k"] == SmallClasses(2, 8)
    violated = [each for each in audited(hospital, *stricter)["policy"]["violations"] if each["measure"] == "k"]
    assert [each["release"] for each in violated if each["attack"] is None] == ["1"]


ONE_ALONE = ["21,a", "30,b", "30,c", "30,d"]


def small_classes(folder, *releases):
    """A series whose rows of equal ages are classes, and what is written into its manifest."""
    (folder / "private").mkdir(exist_ok=True)
    tables = ["\n".join(["Age,Disease", *rows, ""]) for rows in releases]
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age"]'
    return series_of(folder, tables, columns, "[policy]\nk = 3\nmax_risk = 1.0")


def k_states(folder, *more):
    result = audited(folder, *more)
    return next(each["state"] for each in result["policy"]["clauses"] if each["clause"] == "k"), result


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        (ONE_ALONE, "holds"),
        ([*ONE_ALONE, "30,a"], "holds"),
        ([*ONE_ALONE[:3], "31,d", "31,e", "31,f"], "violated"),
        ([*ONE_ALONE, "40,a"], "violated"),
    ],
    ids=["the same", "a larger class", "two rows more below k", "one more alone"],
)
@pytest.mark.parametrize("by", ["waiver", "baseline"])
def test_classes_below_k_are_accepted_as_far_as_they_went(tmp_path, by, rows, state):
    """The smallest class, and how many rows are in classes below k: more of either is new."""
    folder, more = small_classes(tmp_path, ONE_ALONE), []
    assert k_states(folder)[0] == "violated"
    if by == "waiver":
        assert run_main("waive", str(folder), "--group", "1", "*", *WHY)[0] == 0
        waiver = (folder / "series.toml").read_text().partition("[[waiver]]")[2]
        assert "k={smallest=1,rows=1}" in waiver.replace(" ", "")
    else:
        more, waiver = ["--baseline", str(tmp_path / "before.json")], ""
        report = ["--format", "json", "--stable-ids", "--findings", "all", "--output", more[1]]
        assert run_main(str(folder), *report)[0] == 1
    small_classes(folder, rows)
    with (folder / "series.toml").open("a") as file:
        file.write(f"[[waiver]]{waiver}" if waiver else "")
    found = k_states(folder, *more)[0]
    assert found == state
    (tmp_path / "next.csv").write_text("Age,Disease\n50,a\n50,b\n50,c\n")
    if waiver:  # one more release of large classes changes nothing of it
        _, out, err = run_main("next", str(folder), str(tmp_path / "next.csv"), "--format", "json")
        clauses = json.loads(out)["policy"]["clauses"]
        assert [each["state"] for each in clauses if each["clause"] == "k"] == [state], err


def test_a_smallest_class_without_its_rows_accepts_nothing(tmp_path):
    folder = small_classes(tmp_path, ONE_ALONE)
    waiver = '[[waiver]]\ngroup = "*"\nrelease = "1"\nreason = "r"\nexpires = 2999-01-01\nsize = { k = 1 }\n'
    manifest = folder / "series.toml"
    manifest.write_text(manifest.read_text() + waiver)
    state, result = k_states(folder, "--stable-ids")
    reasons = [each["reason"] for each in result["policy"]["undecided"] if each["measure"] == "k"]
    assert (state, len(reasons)) == ("undecided", 1)
    line = re.search(r"add (size = .*\}) to it", reasons[0])[1]
    assert "k = { smallest = 1, rows = 1 }" in line
    manifest.write_text(manifest.read_text().replace("size = { k = 1 }", line))
    assert k_states(folder)[0] == "holds"


def test_nothing_to_accept_is_refused(hospital):
    code, _, err = run_main("waive", str(hospital), *WHY)
    assert (code, "nothing is named to be accepted" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Bob", "--reason", "r", "--until", "tomorrow"], "tomorrow is not a date; write year, month and day"),
        (["Bob", "--reason", "r", "--until", "2030-13-01"], "2030-13-01 is not a date"),
        (["Bob", "--reason", "r", "--until", "2001-01-01"], "2001-01-01 is past"),
        (["Bob", "--reason", " ", "--until", "2999-01-01"], "--reason: it is empty"),
        (["intersection-0123456789abcdef", *WHY], "no private/finding.key"),
        (["Bob", "--reason", "r"], "--until"),
    ],
)
def test_what_cannot_be_waived(words, said, hospital):
    before = snapshot(hospital)
    assert said in refused("waive", str(hospital), *words)
    assert snapshot(hospital) == before


# -- risks ------------------------------------------------------------------------------------------------


def test_everybodys_risks(hospital, tmp_path):
    target = tmp_path / "risks.csv"
    assert run_main(str(hospital), "--risks", str(target))[0] == 1
    assert target.stat().st_mode & 0o777 == 0o600
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert list(rows[0]) == ["attack", "sensitive", "individual", "release", "risk"]
    result = audited(hospital, "--reveal", "--findings", "all")
    for entry in result["attacks"]:
        mine = [row for row in rows if row["attack"] == entry["attack"]]
        if not mine:
            assert "max_risk" not in entry["measures"]
            continue
        assert max(float(row["risk"]) for row in mine) == entry["measures"]["max_risk"]
        assert sum(float(row["risk"]) for row in mine) / len(mine) == pytest.approx(entry["measures"]["mean_risk"])
        certain = {row["individual"] for row in mine if float(row["risk"]) == 1}
        assert certain == {one["individual"] for one in entry["findings"]}
        assert len({(row["individual"], row["release"]) for row in mine}) == len(mine) == 22
    run_main(str(hospital), "--risks", str(tmp_path / "risks.parquet"))
    assert pq.read_table(tmp_path / "risks.parquet").num_rows == len(rows)
    frame = load(hospital).audit(reveal=True).risks
    assert list(frame.columns) == list(rows[0])
    assert len(frame) == len(rows)


def test_risks_do_not_leave_the_house_by_accident(hospital, tmp_path):
    with pytest.raises(UsageError, match="reveal"):
        _ = load(hospital).audit().risks
    code, _, err = run_main(str(hospital), "--risks", str(hospital / "releases/1.csv"))
    assert (code, "one of the inputs" in err) == (2, True)
    assert run_main(str(hospital), "--risks", str(tmp_path / "nowhere/risks.csv"))[0] == 2
