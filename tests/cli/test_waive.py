"""Waivers: `audit waive` writes those that the next audit takes; people, groups, patterns of ids, and risks."""

import csv
import json
import re

import pyarrow.parquet as pq
import pytest

from audit.api import UsageError, load
from audit.model.finding import SmallClasses
from tests.cli.forms import EXAMPLES, FORMS, append, snapshot
from tests.helpers.messy import series_of
from tests.helpers.running import refused, run_main, written
from tests.helpers.tiny import Row, TinySeries
from tests.mutants.mutant import kills


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
    assert "bis 31.12.2999" in " ".join(run_main(str(hospital), "--reveal", "--language", "de")[1].split())
    assert {(each["reason"], each["expires"]) for each in after["policy"]["waived"]} == {("consented", "2999-12-31")}
    assert first["individual"] not in {each["individual"] for each in after["attacks"][0]["findings"]}
    assert after["attacks"][0]["findings"] == []
    assert run_main("waive", str(hospital / "series.toml"), "Alice", *WHY)[0] == 0
    assert len(audited(hospital)["policy"]["waived"]) == 4


def test_what_is_waived_already_is_not_written_twice(hospital):
    manifest = hospital / "series.toml"
    assert "Wrote 1 waiver into" in run_main("waive", str(hospital), "Bob", *WHY)[1]
    text = manifest.read_text()
    code, out, err = run_main("waive", str(hospital), "Bob", *WHY)
    assert (code, out, err) == (0, f"Nothing was written: {manifest} has these waivers already.\n", "")
    assert manifest.read_text() == text
    assert "Wrote 1 waiver into" in run_main("waive", str(hospital), "Bob", "David", *WHY)[1]


@pytest.mark.many
@pytest.mark.parametrize(
    ("until", "reason", "code", "said"),
    [
        ("2998-12-31", "consented", 2, "is accepted until 2999-12-31 already"),
        ("2999-12-31", "asked again", 0, "1 of them replaces an earlier waiver"),
        ("3000-12-31", "consented", 0, "1 of them replaces an earlier waiver"),
    ],
)
@pytest.mark.parametrize("named", [["Bob"], ["intersection-*"], ["--group", "1", "*"]])
def test_a_second_waiver_of_the_same_replaces_the_first_but_never_shortens_it(
    hospital, named, until, reason, code, said
):
    manifest = hospital / "series.toml"
    audited(hospital, "--stable-ids")
    assert run_main("waive", str(hospital), "David", *named, *WHY)[0] == 0
    text = manifest.read_text()
    got, *out = run_main("waive", str(hospital), *named, "--reason", reason, "--until", until)
    assert (got, said in " ".join("".join(out).split())) == (code, True)
    waivers = load(hospital).opened.manifest.waivers
    assert (len(waivers), (manifest.read_text() == text)) == (2, code == 2)
    assert {(each.reason, each.expires.isoformat()) for each in waivers} == {
        ("consented", "2999-12-31"),
        *([(reason, until)] if code == 0 else []),
    }


@pytest.mark.parametrize("words", [["*"], ["equivalence-*", "Bob"], ["--group", "1", "*"], ["Bob"]])
def test_it_says_how_much_a_pattern_accepts(hospital, words):
    """As many findings as are no longer counted, when only the pattern is waived."""
    before = audited(hospital, "--findings", "all", "--stable-ids")
    _, out, _ = run_main("waive", str(hospital), *words, *WHY)
    said = re.findall(r"Careful: (.*) accepts ([0-9]+) findings?, .* until 2999-12-31", " ".join(out.split()))
    pattern = [word for word in words if "*" in word]
    assert [each for each, _ in said] == pattern
    if words == ["*"]:
        assert said[0][1] == str(sum(each["findings_total"] for each in before["attacks"]))


def test_a_pattern_that_the_shell_replaced_is_named(hospital, monkeypatch):
    monkeypatch.chdir(hospital)
    assert "write '*' in quotation marks" in refused("waive", ".", *[each.name for each in hospital.iterdir()], *WHY)


def test_a_verdict_says_that_what_is_waived_is_not_counted(hospital):
    """A value that is waived is certain all the same: its number is not that of the people who are found."""
    everybody = "certain for 4 of 16 people."
    assert f"NOT SAFE: the sensitive value is {everybody}\n" in run_main(str(hospital))[1]
    assert run_main("waive", str(hospital), "Bob", *WHY)[0] == 0
    for words in ([], ["--document", "dpia"]):
        out = " ".join(run_main(str(hospital), *words)[1].split())
        assert everybody not in out
        assert re.search(r"certain for 3 of 16 people\. \d+ findings are waived and not counted\.", out)
    assert "A clause holds here apart from what is accepted" in out
    assert "people whose value is certain, not accepted" in out


def test_a_group_is_waived_as_far_as_an_audit_with_the_same_policy_finds(hospital):
    """A finding that is likely at a stricter limit is accepted only if the limit is named."""
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
    assert "audit waive" in run_main(str(hospital), *stricter)[1].partition("have no ids")[2]
    for group in (["*", "*"], ["3", "*"], ["2", "77"]):
        assert "nothing is found there, so nothing was written" in refused(
            "waive", str(hospital), "--group", *group, *WHY
        )
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
    assert "nothing to accept was named" in refused("waive", str(hospital), *WHY)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Bob", "--reason", "r", "--until", "tomorrow"], "tomorrow is not a date; write year, month and day"),
        (["Bob", "--reason", "r", "--until", "2030-13-01"], "2030-13-01 is not a date"),
        (["Bob", "--reason", "r", "--until", "2001-01-01"], "2001-01-01 is in the past"),
        (["Bob", "--reason", " ", "--until", "2999-01-01"], "--reason: it is empty"),
        (["intersection-0123456789abcdef", *WHY], "no private/finding.key"),
        (["Bob", "--reason", "r"], "--until"),
    ],
)
def test_what_cannot_be_waived(words, said, hospital):
    before = snapshot(hospital)
    assert said in refused("waive", str(hospital), *words)
    assert snapshot(hospital) == before


def test_a_day_is_written_as_in_a_list(hospital):
    assert run_main("waive", str(hospital), "Bob", "--reason", "r", "--until", "30/06/2999")[0] == 0
    assert "expires = 2999-06-30" in (hospital / "series.toml").read_text()
    said = "03/04/2999 is not a date"
    assert said in refused("waive", str(hospital), "Bob", "--reason", "r", "--until", "03/04/2999")


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
    assert "one of the inputs" in refused(str(hospital), "--risks", str(hospital / "releases/1.csv"))
    assert run_main(str(hospital), "--risks", str(tmp_path / "nowhere/risks.csv"))[0] == 2


def judged(folder, *words):
    words = ("--findings", "all", *(["--policy", "min_e=1"] if folder.name == "s" else []), *words)
    code, out, err = run_main(str(folder), "--format", "json", *words)
    assert out, err
    return code, json.loads(out)


def found(result, *attacks):
    return {
        one["individual"]
        for entry in result["attacks"]
        for one in entry["findings"]
        if "individual" in one and (not attacks or entry["attack"] in attacks)
    }


def unsized(folder, **fields):
    lines = "".join(f'{name} = "{value}"\n' for name, value in fields.items())
    append(folder / "series.toml", f'\n[[waiver]]\n{lines}reason = "asked"\nexpires = 2999-01-01\n')


def clauses_ended(audit, *names):
    return {each["state"] for each in audit[1]["policy"]["clauses"] if each["clause"] in names}


def lines_to_add(result):
    reasons = [each["reason"] for each in result["policy"]["undecided"]]
    return {found[1] for each in reasons if (found := re.search("; add (size = .*) to it", each))}


def waive(folder, *words, **fields):
    """Write a waiver, and then the line that the report prints for it."""
    unsized(folder, **fields)
    for line in lines_to_add(judged(folder, "--stable-ids", *words)[1]):
        append(folder / "series.toml", f"{line}\n")


def states(result):
    return [each["state"] for each in result["policy"]["waived"]]


@pytest.mark.parametrize("by", ["identifier", "pseudonym"])
def test_a_waiver_does_not_carry_who_is_in_it(hospital, by):
    """The manifest is published: it has pseudonyms, which only the key resolves, and which waive as names do."""
    name = "Bob"
    if by == "pseudonym":
        shown = [each["individual"] for each in judged(hospital, "--stable-ids")[1]["people"]]
        revealed = [each["individual"] for each in judged(hospital, "--stable-ids", "--reveal")[1]["people"]]
        name = dict(zip(revealed, shown, strict=True))["Bob"]
    words = ["waive", str(hospital), name, "--reason", "consent", "--until", "31.12.2999"]
    assert run_main(*words)[0] == 0
    text = (hospital / "series.toml").read_text(encoding="utf-8")
    assert "Bob" not in text
    assert re.search('^individual = "person-[0-9a-f]{12}"$', text, re.MULTILINE)
    _, result = judged(hospital, "--reveal")
    assert (found(result), states(result)) == ({"David", "Alice", "Andy"}, ["applied"])


def test_what_is_found_of_two_takes_the_consent_of_both(hospital):
    def pairs():
        entries = judged(hospital, "--reveal", "--attack", "equivalence")[1]["attacks"]
        found = [one for entry in entries for one in entry["findings"] if one["e"] == 1]
        return {frozenset([*one["left"], *one["right"]]) for one in found}

    before, pair = pairs(), frozenset(["Paul", "Ray"])
    assert pair in before
    waive(hospital, individual="Paul")
    assert pairs() == before
    waive(hospital, individual="Ray")
    assert pairs() == before - {pair}


def test_a_group_of_a_release(hospital):
    waive(hospital, group="1", release="2")
    code, result = judged(hospital, "--reveal")
    assert states(result) == ["applied"]
    assert code == 1
    assert "Bob" not in found(result)


@kills("audit.findings.rows.ClassClaims.groups", "if each.record < 0", "if True")
def test_a_group_of_a_release_holds_no_records_that_look_alike_over_several(tmp_path):
    """Of three that look alike in the first release, one is not in the second; its group there is no group of both."""
    rows = [["id", "age", "d"], ["1", "20-29", "a"], ["2", "20-29", "b"], ["3", "20-29", "b"]]
    folder = series_of(tmp_path, [rows, rows[:-1]], 'sensitive = "d"\nrecord = "id"\nquasi_identifiers = ["age"]\n', "")
    assert run_main(str(folder))[0] == 1
    for release in ("1", "2"):
        unsized(folder, group="1", release=release)
    assert run_main(str(folder))[0] == 1


def test_the_smallest_class_of_a_release_is_waived(tmp_path):
    rows = [Row(name, "1", value, (age,)) for name, value, age in zip("ABCD", "abcd", "2223", strict=True)]
    with written(TinySeries([rows], quasi_identifiers=("Age",))) as folder:
        (folder / "private").mkdir(exist_ok=True)
        assert run_main(str(folder))[0] == 1
        unsized(folder, group="*", release="1")
        assert lines_to_add(judged(folder)[1]) == set()
        assert "undecided" not in clauses_ended(judged(folder, "--policy", "k=1"), "k")
        code, result = judged(folder, "--stable-ids")
        undecided = {each["measure"] for each in result["policy"]["undecided"]}
        assert (code, undecided, states(result)) == (3, {"k", "max_risk", "min_e"}, ["unsized"])
        [line] = lines_to_add(result)
        for size, broken in (("smallest = 1", []), ("smallest = 2", ["k"])):
            text = (folder / "series.toml").read_text()
            append(folder / "series.toml", f"{line.replace('smallest = 1', size)}\n")
            done, result = judged(folder)
            assert (done, [each["measure"] for each in result["policy"]["violations"]]) == (len(broken), broken)
            (folder / "series.toml").write_text(text)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('finding = "x"\nreason = "r"\nexpires = "2999-01-01"\n', "this is not a date"),
        ('finding = "x"\nreason = "r"\nexpires = 2030\n', "this is not a date"),
        ('finding = "x"\nreason = "r"\n', "no date of expiry"),
        ('finding = "x"\nindividual = "y"\nreason = "r"\nexpires = 2999-01-01\n', "what it is about"),
        ('group = "1"\nreason = "r"\nexpires = 2999-01-01\n', "what it is about"),
        ('individual = "1"\nexpires = 2999-01-01\n', "lacks its reason"),
    ],
)
def test_wrong_waivers(lines, said, hospital):
    append(hospital / "series.toml", f"\n[[waiver]]\n{lines}")
    assert said in refused(str(hospital))


# -- risks below certainty --------------------------------------------------------------------------------

SKEWED = EXAMPLES / "distinct-star-skewed"


def test_risks_at_the_limit_are_findings():
    code, result = judged(SKEWED, "--policy", "max_risk=0.9", "--reveal")
    assert code == 1
    # Shares of worlds alone are findings; those of update-graph are estimates.
    [entry] = [each for each in result["attacks"] if any(one["kind"] == "risk" for one in each["findings"])]
    assert entry["attack"] == "joint"
    risks = [one for one in entry["findings"] if one["kind"] == "risk"]
    assert risks
    assert entry["findings_total"] == len(entry["findings"])
    assert all(0.9 <= one["risk"] < 1 and one["evidence"] == "solver" for one in risks)
    assert [one["risk"] for one in risks] == sorted((one["risk"] for one in risks), reverse=True)
    assert entry["measures"]["at_limit"] == len({one["individual"] for one in entry["findings"]})
    assert entry["measures"]["at_limit"] <= entry["measures"]["above_0.5"]
    text = run_main(str(SKEWED), "--policy", "max_risk=0.9")[1]
    assert "with 90% or more, at most with 91%" in " ".join(text.split())


def test_people_with_the_highest_risk_are_counted_once(tmp_path):
    TinySeries([[Row("A", "1", "flu"), Row("B", "1", "cold")]]).write(tmp_path)
    out = " ".join(run_main(str(tmp_path), "--policy", "max_risk=0.5")[1].split())
    assert "NOT SAFE: the values of 2 people are known with 50% or more." in out


def test_what_is_likely_is_not_told_to_everybody():
    """Which of a group's values is true would reveal more than the releases."""
    _, result = judged(SKEWED, "--policy", "max_risk=0.5")
    risks = [one for entry in result["attacks"] for one in entry["findings"] if one["kind"] == "risk"]
    assert risks
    assert all(one["value"] is None and one["certificate"] == [] for one in risks)


@kills("audit.judgement.waivers.WaiverBook._ask", "clauses.update(*(found.clauses[at] for at in left))", "pass")
@pytest.mark.parametrize("key", ["individual", "finding"])
def test_a_waiver_without_a_size_leaves_its_clauses_undecided(key, tmp_path):
    """Ann's value is certain; no waiver accepts that much, and nothing else is wrong."""
    rows = [Row(who, "12"[who != "Ann"], value) for who, value in zip(["Ann", *"BC"], "aab", strict=True)]
    TinySeries([rows]).write(tmp_path)
    (tmp_path / "private").mkdir(exist_ok=True)
    words = ("--attack", "intersection")
    unsized(tmp_path, **{key: "Ann" if key == "individual" else "intersection-*"})
    said = " ".join(run_main(str(tmp_path), *words)[1].split())
    assert ("audit the series with --stable-ids" in said) == (key == "individual")
    assert ("UNDECIDED: the waivers do not say how much they accept" in said) == (key == "individual")
    assert "nothing was found" not in said
    code, result = judged(tmp_path, *words, "--stable-ids")
    assert (code, states(result), len(found(result))) == (3, ["unsized"], 1)
    assert [each["clause"] for each in result["policy"]["clauses"] if each["state"] == "undecided"] == ["max_risk"]
    [line] = lines_to_add(result)
    append(tmp_path / "series.toml", f"{line}\n")
    code, result = judged(tmp_path, *words)
    assert (code, states(result)) == (0, ["applied"])


def ever(folder, individuals=""):
    """A series of four people, two of whom had HIV at some time with 1/2; some of them accept it."""
    after = dict.fromkeys([("hiv", "hiv"), ("flu", "cold"), ("flu", "hiv"), ("flu", "flu"), ("cold", "cold")])
    first, then = ["hiv", "flu", "cold", "flu"], ["hiv", "cold", "cold", "flu"]
    releases = [[Row(*row) for row in zip("abcd", "1122", values, strict=True)] for values in (first, then)]
    TinySeries(releases, transitions=after).write(folder)
    (folder / "private").mkdir(exist_ok=True)
    append(folder / "series.toml", '\n[policy]\nmax_ever_risk = 0.4\ngrave = ["hiv"]\n')
    for each in individuals:
        waive(folder, individual=each)
    return folder


def ended(result):
    return {each["clause"]: each["state"] for each in result["policy"]["clauses"]}["max_ever_risk"]


@kills("audit.model.outcome.EverRisks.less", "left[people] = False", "left[people] = True")
def test_who_is_likely_to_have_had_a_grave_value_is_a_finding(tmp_path):
    """It is named, and waived person by person: that one of two accepts it is not enough."""
    code, result = judged(ever(tmp_path / "all"), "--reveal")
    told = [each for entry in result["attacks"] for each in entry["findings"]]
    assert (code, ended(result)) == (1, "violated")
    assert {(each["kind"], each["individual"], each["risk"]) for each in told} == {("ever", who, 0.5) for who in "ab"}
    assert {each["individual"] for each in result["people"]} == {"a", "b"}
    for who in "ab":
        unsized(tmp_path / "all", individual=who)
    code, result = judged(tmp_path / "all", "--stable-ids")
    assert (code, {each["measure"] for each in result["policy"]["undecided"]}) == (3, {"max_ever_risk"})
    code, result = judged(ever(tmp_path / "one", "a"), "--reveal")
    assert (code, ended(result), found(result)) == (1, "violated", {"b"})
    code, result = judged(ever(tmp_path / "both", "ab"))
    assert (code, ended(result), states(result)) == (0, "holds", ["applied", "applied"])


@pytest.mark.parametrize("named", [True, False])
def test_a_grave_value_of_a_baseline_is_not_new(named, tmp_path):
    """What the earlier report did not name, as its limit was higher, is new."""
    folder, base = ever(tmp_path / "some"), tmp_path / "base.json"
    words = ("--policy", f"max_ever_risk={0.4 if named else 0.9}", "--stable-ids", "--findings", "all")
    assert run_main(str(folder), "--format", "json", *words, "--output", str(base))[0] == named
    code, result = judged(folder, "--baseline", str(base), "--policy", "max_ever_risk=0.4")
    assert (code, ended(result)) == ((0, "holds") if named else (1, "violated"))


def test_a_name_that_is_nobodys_is_refused(hospital):
    """A misspelt name would be waived as a pseudonym that no report ever shows."""
    text = (hospital / "series.toml").read_text()
    assert "bob: neither the id of a finding nor a person" in refused("waive", str(hospital), "bob", *WHY)
    assert (hospital / "series.toml").read_text() == text
