"""Harmless values, and people of one kind: what is known of them violates nothing, and nothing else is hidden."""

import json
import random
import tomllib
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import audit
from audit.count_tables import judged_counts
from audit.init.confirmation import confirmed
from audit.model.count_tables import OPEN
from reports.verdict import headline
from tests.cli.forms import EXAMPLES, example
from tests.helpers.amount import some
from tests.helpers.count_tables import TinyTables
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import refused, run_audit, run_main
from tests.mutants.mutant import kills

UNSAID = 'harmless = { Disease = ["none"] }'
NONE = f"{UNSAID}\nsimilar = {{ Disease = false }}"
PROTECTED = f"{UNSAID}\nsimilar = {{ Disease = true }}"


def series(folder, releases, columns="", policy="", individual=True, more=(), adversary=""):
    """Releases of rows (who, age, disease); under `published` nobody is named."""
    tables = [[["Owner", "Age", "Disease", *more], *rows] for rows in releases]
    if not individual:
        tables = [[row[1:] for row in table] for table in tables]
    said = f'sensitive = {json.dumps(["Disease", *more])}\nquasi_identifiers = ["Age"]\n{columns}\n'
    said += 'individual = "Owner"' * individual
    return series_of(folder, tables, said, f"[policy]\n{policy}\n[adversary]\n{adversary}")


def ended(result):
    return {each["clause"]: each["state"] for each in result["policy"]["clauses"]}


def found(result):
    return [(attack["attack"], each) for attack in result["attacks"] for each in attack["findings"]]


def warned(result):
    return [each for each in result["warnings"] if each["kind"] == "harmless-value"]


HEALTHY = [["a", "20-29", "none"], ["b", "20-29", "none"]]
MIXED = [["c", "30-39", "flu"], ["d", "30-39", "gout"], ["e", "40-49", "cold"], ["f", "40-49", "asthma"]]
ILL = [["g", "50-59", "HIV"], ["h", "50-59", "HIV"]]


@pytest.mark.parametrize("individual", [True, False], ids=["linked", "published"])
def test_that_people_have_none_of_the_harmless_values_is_undecided_until_somebody_says_what_it_discloses(
    individual, tmp_path
):
    """Those of one group have a cold or asthma, and so a disease."""
    folder = series(tmp_path, [LIKELY + MIXED[2:]], UNSAID, individual=individual)
    code, result, _ = run_audit(folder, "--reveal")
    assert (code, ended(result)["max_risk"]) == (3, "undecided")
    [reason] = [each["reason"] for each in result["policy"]["clauses"] if each["clause"] == "max_risk"]
    assert 'another value of "Disease" than "none"' in reason
    assert "similar.Disease = false" in reason
    assert {each["category"] for _, each in found(result)} == {'other than "none"'}
    manifest = (folder / "series.toml").read_text()
    (folder / "kinds.csv").write_text("value,category\nnone,well\nflu,ill\ngout,ill\ncold,ill\nasthma,ill\n")
    for said, code in (("false", 0), ("true", 1), ('"kinds.csv"', 1)):
        (folder / "series.toml").write_text(manifest.replace(UNSAID, f"{UNSAID}\nsimilar = {{ Disease = {said} }}"))
        assert run_audit(folder)[0] == code
        [warning] = warned(run_audit(folder)[1])
        assert ("as declared" in warning["text"]) == (code == 0)
        assert "no release has" not in warning["text"]


def test_where_nobody_certainly_has_another_value_nothing_is_left_to_say(tmp_path):
    rows = [[who, age, value] for who, age, value in LIKELY] + [["x", "30-39", "none"], ["y", "30-39", "flu"]]
    assert run_audit(series(tmp_path, [[*rows, ["z", "30-39", "gout"]]], UNSAID, individual=False))[0] == 0


def test_confirm_asks_whether_it_may_be_known_that_somebody_has_another_value(tmp_path):
    folder = series(tmp_path, [LIKELY + MIXED[2:]], UNSAID)
    text = (folder / "series.toml").read_text()
    asked = []

    def answer(question):
        asked.append(question.text)
        return said

    for said, kept in (("?", UNSAID), ("no", PROTECTED), ("yes", NONE)):
        changed = confirmed(folder, text, answer)
        assert tomllib.loads(changed) == tomllib.loads(text.replace(UNSAID, kept))
        if said != "?":
            confirmed(folder, changed, pytest.fail)
    assert all('certainly none of these: "none"' in each for each in asked)
    assert len(asked) == 3


@pytest.mark.parametrize("individual", [True, False], ids=["linked", "published"])
def test_that_nobody_may_learn_of_another_value_is_violated_only_where_somebody_can(tmp_path, individual):
    folder = series(tmp_path / "found", [LIKELY + MIXED[2:]], PROTECTED, individual=individual)
    code, result, _ = run_audit(folder, "--reveal", "--witness", str(tmp_path / "witness"))
    assert (code, ended(result)["max_risk"]) == (1, "violated")
    assert {each["category"] for _, each in found(result)} == {'other than "none"'}
    said = ended(result)["min_e"]
    assert said == ("holds" if individual else "not judged")  # nobody is alike who is not certain of a category
    rows = [*LIKELY, ["x", "30-39", "none"], ["y", "30-39", "flu"], ["z", "30-39", "gout"]]
    assert run_audit(series(tmp_path / "none", [rows], PROTECTED, individual=individual))[0] == 0


def test_another_value_than_a_harmless_one_needs_harmless_values(tmp_path):
    error = refused(str(series(tmp_path, [MIXED], "similar = { Disease = true }")))
    assert 'harmless names no values of "Disease"' in error


def test_the_head_counts_whom_all_attacks_find_where_one_of_them_counts_no_worlds(tmp_path):
    report = audit.load(series(tmp_path / "one", [[*HEALTHY, *MIXED]], NONE)).audit().report
    [*earlier, last] = report.ladder
    more = replace(report, ladder=(*earlier, replace(last, so_far=7)))
    assert "Not counted: 2 people whose value is certain, but declared to be harmless." in headline(report)[0]
    assert "Not counted: 7 people whose value is certain" in headline(more)[0]


def test_a_harmless_value_that_no_release_has_is_named(tmp_path):
    _, result, _ = run_audit(series(tmp_path, [LIKELY], 'harmless = { Disease = ["none", "nonne"] }'))
    [warning] = warned(result)
    assert "no release has Disease: nonne" in warning["text"]


def test_a_value_of_which_rows_are_left_out_is_not_published(tmp_path):
    error = refused(str(series(tmp_path, [LIKELY], 'left_out = { Disease = ["flu"] }')))
    assert "1.csv:4" in error
    assert "left_out says that rows with this value are not published" in error


def test_the_head_counts_as_many_people_as_the_table(tmp_path):
    code, out, _ = run_main(str(series(tmp_path / "one", [[*HEALTHY, *MIXED]], NONE)))
    text = " ".join(out.split())
    assert code == 0
    assert "Not counted: 2 people whose value is certain, but declared to be harmless." in text
    assert "2 for certain, 2 with 90% or more" in text
    assert "the people whose value is known, and those found after each release include them." in text


@kills("audit.model.finding.Claims.harmless", "np.isin(self.values(), codes)", "np.isin(self.values(), self.values())")
@pytest.mark.parametrize("individual", [True, False], ids=["linked", "published"])
def test_another_value_is_found_as_ever(tmp_path, individual):
    rows = [[*HEALTHY, *MIXED, *ILL]]
    code, result, _ = run_audit(series(tmp_path, rows, NONE, individual=individual), "--findings", "all")
    assert code == 1
    assert ended(result)["max_risk"] == "violated"
    assert {each["value"] for _, each in found(result) if "value" in each} == {"HIV"}
    if individual:
        assert ended(result)["min_e"] == "violated"


# -- below certainty ----------------------------------------------------------------------------------------------

LIKELY = [["a", "20-29", "none"], ["b", "20-29", "none"], ["c", "20-29", "flu"], ["d", "20-29", "gout"]]
OTHERS = [
    [who, "30-39", value]
    for who, value in zip("efghij", ["cold", "asthma", "gout", "flu", "mumps", "acne"], strict=True)
]


def test_a_likely_harmless_value_violates_nothing(tmp_path):
    rows, policy = [[*LIKELY, *OTHERS]], "max_risk = 0.5"
    code, result, _ = run_audit(series(tmp_path / "without", rows, policy=policy))
    assert (code, ended(result)["max_risk"]) == (1, "violated")
    code, result, _ = run_audit(series(tmp_path / "with", rows, NONE, policy))
    assert (code, ended(result)["max_risk"]) == (0, "holds")
    assert found(result) == []
    code, result, _ = run_audit(series(tmp_path / "stricter", rows, NONE, "max_risk = 0.25"))
    assert (code, ended(result)["max_risk"]) == (1, "violated")  # of flu and gout


@kills("audit.clauses.max_ever_risk.value_codes", "np.all(has", "np.any(has")
def test_a_combination_is_as_likely_as_it_was(tmp_path):
    """For two people without a disease, both assignments of incomes are equally likely: not a harmless value."""
    rows = [["a", "20-29", "none", "low"], ["b", "20-29", "none", "high"]]
    rows += [[*row, f"class {place}"] for place, row in enumerate(OTHERS)]
    code, result, _ = run_audit(series(tmp_path / "1", [rows], NONE, "max_risk = 0.5", more=["Income"]))
    assert (code, ended(result)["max_risk"]) == (3, "undecided")
    both = NONE.replace(" }", ', Income = ["low", "high"] }', 1).replace("false", "false, Income = false")
    code, result, _ = run_audit(series(tmp_path / "2", [rows], both, "max_risk = 0.5", more=["Income"]))
    assert (code, ended(result)["max_risk"]) == (0, "holds")


@kills("audit.judgement.scoring._risks", "values == -1", "values == -2")
def test_whose_likeliest_value_is_not_known_decides_nothing(tmp_path):
    rows, policy = [[*LIKELY, *OTHERS]], "max_risk = 0.5"
    people = [["individual", "Age", "release"]]
    people += [[who, "25" if age == "20-29" else "35", "1"] for who, age, _ in rows[0]]
    for name, columns, code in (("without", "", 1), ("with", NONE, 3)):
        folder = series(tmp_path / name, rows, columns, policy, individual=False)
        write(folder / "register.csv", as_csv(people))
        text = (folder / "series.toml").read_text()
        write(folder / "series.toml", text + 'register = "register.csv"\n')
        ends, result, _ = run_audit(folder)
        assert ends == code, result["policy"]
    [reason] = [each["reason"] for each in result["policy"]["clauses"] if each["clause"] == "max_risk"]
    assert "some value reaches the limit, but it may be a harmless one" in reason


@kills("audit.judgement.scoring._one", "behind or ", "")
def test_a_share_behind_the_harmless_one_is_not_passed_over(tmp_path):
    """Half of the class has no disease, the other half HIV: the first is harmless, the second is not."""
    rows = [["", "20-29", "none"], ["", "20-29", "none"], ["", "20-29", "HIV"], ["", "20-29", "HIV"]]
    policy = "max_risk = 0.5"
    code, result, _ = run_audit(series(tmp_path / "half", [[*rows, *OTHERS]], NONE, policy, individual=False))
    assert (code, ended(result)["max_risk"]) == (3, "undecided")
    few = [*rows[:2], *LIKELY[:3], *OTHERS]
    code, result, _ = run_audit(series(tmp_path / "few", [few], NONE, policy, individual=False))
    assert (code, ended(result)["max_risk"]) == (0, "holds")


# -- laws ---------------------------------------------------------------------------------------------------------


KINDS = {
    "linked": {},
    "changing": {"adversary": 'transitions = "any"'},
    "published": {"individual": False},
}


def drawn(seed, *, change=False):
    """Draw rows of a few releases: small groups of people who stay, with few values, which may change."""
    draw = random.Random(seed)  # noqa: S311 - a test draws
    people = [f"p{n}" for n in range(draw.randint(4, 10))]

    def value(_who):
        return draw.choice(["none", "none", "flu", "HIV"])

    values, releases = {who: value(who) for who in people}, []
    for _ in range(draw.randint(1, 3)):
        there = [who for who in people if draw.random() < 0.9]
        releases.append([[who, f"{draw.randint(0, 2)}0-{draw.randint(3, 4)}9", values[who]] for who in there])
        values = {who: value(who) for who in people} if change else values
    return releases


@kills("audit.pipeline.audit_run._if_unchanged", "named = reveal and", "named =")
@kills("reports.summary_text.assumptions", "len(report.series.releases) > 1 and", "False and")
@pytest.mark.parametrize("harmless", ["", NONE])
@pytest.mark.parametrize("seed", range(some(25)))
def test_the_people_who_are_certain_if_values_do_not_change_are_counted(seed, harmless, tmp_path):
    """If any value may follow any, the groups of each person are also compared as if values never changed."""
    rows, own, left = drawn(seed, change=seed % 2 == 1), {}, {}
    for release in rows:
        for who, age, value in release:
            own.setdefault(who, set()).add(value)
            group = {each for _, cell, each in release if cell == age}
            left[who] = left.get(who, group) & group
    certain = [who for who, values in left.items() if len(own[who]) == len(values) == 1]
    certain = [who for who in certain if left[who] != {"none"}] if harmless else certain
    _, result, _ = run_audit(series(tmp_path, rows, harmless, **KINDS["changing"]))
    assert result["adversary"].get("certain_if_unchanged") == (len(certain) if len(rows) > 1 else None)
    named = run_audit(tmp_path, "--reveal")[1]["adversary"].get("people_if_unchanged", [])
    assert {*named} == ({*certain} if len(rows) > 1 else set())
    assert "people_if_unchanged" not in result["adversary"]
    text = " ".join(run_main(str(tmp_path))[1].split())
    violated = {each["attack"] for each in result["policy"]["violations"]}
    found = max((each["people"] or 0 for each in result["attacks"] if each["attack"] in violated), default=0)
    more = len(rows) > 1 and (len(certain) > found or not found)
    assert ("This rests on the assumption that any value" in text) == more
    said = f"of at least {len(certain)} p" if certain else "makes nobody's value certain, harmless ones not counted"
    assert (said in text) == more, "fewer than are certain anyway would read as a contradiction"
    assert ("counts only what the groups of each person show by themselves" in text) == more
    document = " ".join(run_main(str(tmp_path), "--document", "dpia")[1].split())
    assert ("nobody knows a sensitive value of a person in any release" in document) == (len(rows) > 1)
    assert "Other publications about the same people: \\[to be filled in: none" in document


@pytest.mark.parametrize("seed", range(some(25)))
@pytest.mark.parametrize("kind", KINDS)
def test_just_what_is_found_of_other_values_violates(kind, seed, tmp_path):
    """The clause on risks is violated exactly if a finding is about another value; nothing is hidden or added."""
    rows, options = drawn(seed, change=kind == "changing"), ("--findings", "all", "--reveal")
    before = run_audit(series(tmp_path / "1", rows, **KINDS[kind]), *options)[1]
    after = run_audit(series(tmp_path / "2", rows, NONE, **KINDS[kind]), *options)[1]

    def certain(result):
        return {
            (attack, each.get("individual", each.get("group")), each["release"], each["value"])
            for attack, each in found(result)
            if each["kind"] in ("disclosure", "group")
        }

    left = {each for each in certain(before) if each[3] != "none"}
    assert certain(after) == left
    assert (ended(after)["max_risk"] == "violated") == bool(left)
    pairs = [each for _, each in found(before) if each["kind"] == "equivalence" and each["e"] == 1]
    equal = [{*each["left"], *each["right"]} for each in pairs]
    sure = {who for _, who, _, value in certain(before) if value == "none"}
    values = [value for _, value in {(who, value) for _, who, _, value in left}]
    alike = len(set(values)) < len(values) or any(not pair <= sure for pair in equal)
    assert (ended(after)["min_e"] == "violated") == (alike and kind == "linked")
    worse = {clause for clause, state in ended(after).items() if state == "violated" != ended(before)[clause]}
    assert worse == set()
    if not sure:
        assert ended(after) == ended(before)


@kills("audit.io.rules.rows_and_values.Similar.of", "text in harmless | missing", "True")
@kills("audit.clauses.max_risk.Closeness.sure", " and found.doubts[at] is None", "")
@kills("audit.clauses.min_e._declared", "len(known) > 1", "True")
@pytest.mark.parametrize("seed", range(some(25)))
@pytest.mark.parametrize("kind", KINDS)
def test_who_certainly_has_another_value_is_undecided_where_a_category_of_the_others_violates(kind, seed, tmp_path):
    rows = drawn(seed, change=kind == "changing")
    told = f'{UNSAID}\nsimilar = {{ Disease = "kinds.csv" }}'
    said = series(tmp_path / "said", rows, told, **KINDS[kind])
    write(said / "kinds.csv", "value,category\nnone,well\nflu,ill\nHIV,ill\n")
    unsaid, nothing, protected = (
        series(tmp_path / name, rows, what, **KINDS[kind])
        for name, what in (("u", UNSAID), ("n", NONE), ("p", PROTECTED))
    )
    states = [ended(run_audit(folder)[1]) for folder in (said, unsaid, nothing, protected)]
    of_category, undeclared, declared, _ = (each["max_risk"] for each in states)
    expected = "undecided" if of_category == "violated" and declared == "holds" else of_category
    assert undeclared == expected
    assert states[1]["min_e"] == states[2]["min_e"] == states[3]["min_e"], "all harmful values together are no category"


def test_a_verdict_does_not_say_that_it_leaves_out_what_it_counts(tmp_path):
    """One class of two has a harmless value; both are counted as classes of one value."""
    run = run_main(str(series(tmp_path, [[*HEALTHY, *ILL, *MIXED]], NONE, individual=False)))
    text = " ".join(run[1].split())
    assert (
        "NOT SAFE: 1 finding of homogeneity violates the policy; with those that are accepted, because they are "
        in text
    )
    assert (
        "waived, in the baseline or about harmless values: the sensitive value is disclosed in 2 of 4 classes" in text
    )
    assert "harmless are not counted" not in text


def test_a_verdict_about_records_does_not_speak_of_harmless_values(tmp_path):
    """How many records may be a person's is the same, whatever values are harmless."""
    people = [["1", "20-29", "flu"], ["2", "20-29", "none"], ["3", "30-39", "gout"], ["4", "30-39", "none"]]
    columns = f'sensitive = "Disease"\nquasi_identifiers = ["Age"]\nrecord = "Record"\n{NONE}'
    folder = series_of(tmp_path, [[["Record", "Age", "Disease"], *people]] * 2, columns, "[policy]\nk = 3")
    text = " ".join(run_main(str(folder))[1].split())
    assert "4 of 4 records below k = 3" in text
    assert "accepted" not in text


@pytest.mark.parametrize("spelled", ["nsp", "NSP", "Nsp"])
@pytest.mark.parametrize(
    ("columns", "policy", "state"),
    [
        ('harmless = { Disease = ["%s"] }\nsimilar = { Disease = false }', "", "holds"),
        ('harmless = { Disease = ["%s"] }\nsimilar = { Disease = "kinds.csv" }', "", "holds"),
        ("", 'max_ever_risk = 0.9\ngrave = ["%s"]', "violated"),
        ('left_out = { Disease = ["%s"] }', "", "left_out says that rows with this value are not published"),
        ('harmless = { Disease = ["nsp"] }', 'max_ever_risk = 0.9\ngrave = ["%s"]', "is both grave and harmless"),
    ],
)
def test_values_of_a_folded_column_are_named_in_any_spelling(columns, policy, state, spelled, tmp_path):
    rows = [["a", "20-29", "NSP"], ["b", "20-29", "NSP"], *MIXED, ["i", "30-39", "NSP"]]
    said = "\n".join(['fold = ["Disease"]', columns.replace("%s", spelled)])
    folder = series(tmp_path, [rows], said, policy.replace("%s", spelled))
    kinds = "".join(f"{value},{place}\n" for place, value in enumerate(["flu", "gout", "cold", "asthma", spelled]))
    write(folder / "kinds.csv", f"value,category\n{kinds}")
    if " " in state:
        assert state in refused(str(folder))
    else:
        assert ended(run_audit(folder)[1])["max_ever_risk" if policy else "max_risk"] == state


@pytest.mark.many
@pytest.mark.parametrize("name", sorted(path.parent.name for path in EXAMPLES.glob("*/series.toml")))
def test_values_that_nobody_has_change_nothing(name, tmp_path):
    results = []
    for harmless in (False, True):
        folder = tmp_path / str(harmless) / name
        folder.parent.mkdir()
        example(name)(folder)
        text = (folder / "series.toml").read_text()
        if 'kind = "tables"' in text:
            pytest.skip("a series of count tables has no rows about people")
        column = (
            next(line for line in text.splitlines() if line.startswith("sensitive")).partition("=")[2].strip(' []"')
        )
        if harmless:
            line = f'[columns]\nharmless = {{ {column.split(chr(34))[0]} = ["a value that nobody has"] }}'
            write(folder / "series.toml", text.replace("[columns]", line))
        code, result, _ = run_audit(folder, "--reveal", "--findings", "all")
        results.append((code, result["policy"], [measured(each) for each in result["attacks"]]))
    assert results[0] == results[1]


def measured(attack):
    return {key: value for key, value in attack.items() if key not in ("seconds", "findings")} | {
        "findings": sorted(str({**each, "id": ""}) for each in attack["findings"])
    }


def test_a_grave_value_cannot_be_harmless(tmp_path):
    folder = series(tmp_path, [[*HEALTHY, *MIXED]], NONE, 'grave = ["none"]\nmax_ever_risk = 0.5')
    assert '"none" is both grave and harmless; delete it in one place' in refused(str(folder))


AREAS, OF_A_KIND = ("N", "S"), ("HIV", "flu", "none")


def written(folder, releases, rules='sensitive = ["kind"]', policy="", **more):
    totals = {"area": "All", "kind": "All"}
    tables = TinyTables(("area", "kind"), releases, totals=totals, markers={"*": (1, 4)}, **more)
    path = tables.write(folder) / "series.toml"
    text = path.read_text(encoding="utf-8").replace("[policy]", f"{rules}\n[policy]") + policy
    path.write_text(text, encoding="utf-8")
    return folder


def audited(folder):
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    assert code != 2, err
    report = json.loads(out)
    [attack] = report["attacks"]
    assert attack["certificates_checked"] == attack["findings_total"]
    found = {
        (each["release"], each["cell"]["area"], each["cell"]["kind"], each["lower"], each["upper"])
        for each in attack["findings"]
        if each["kind"] == "all"
    }
    states = {each["clause"]: each["state"] for each in report["policy"]["clauses"]}
    return code, states, found


def lines(*rows):
    """The cells of a table by area, the kinds and their sum."""
    return [
        ((area, kind), text)
        for area, texts in zip((*AREAS, "All"), rows, strict=False)
        for kind, text in zip((*OF_A_KIND, "All"), texts, strict=True)
    ]


def test_everybody_is_of_one_kind(tmp_path):
    rows = lines(["12", "0", "0", "12"], ["9", "9", "9", "27"])
    code, states, found = audited(written(tmp_path, [rows]))
    assert (code, states["min_labels"], states["min_count"]) == (1, "violated", "holds")
    assert found == {("1", "N", "HIV", 12, 12)}
    assert "everybody counted (exactly 12) has kind HIV" in run_main(str(tmp_path))[1]


@kills("audit.count_tables.build_evidence._PeopleOfOneKind._judged", "left <= self.kinds.harmless", "False")
@pytest.mark.parametrize(
    ("first", "rules", "policy"),
    [
        (["12", "6", "0", "18"], 'sensitive = ["kind"]', ""),
        (["0", "0", "0", "0"], 'sensitive = ["kind"]', ""),
        (["0", "0", "12", "12"], 'sensitive = ["kind"]\nharmless = { kind = ["none"] }', ""),
        (["12", "6", "9", "27"], 'sensitive = ["kind"]', "min_labels = 3\n"),
        (["12", "0", "0", "12"], "", ""),
    ],
    ids=["two kinds", "nobody", "harmless", "three kinds", "not sensitive"],
)
def test_what_is_no_finding(first, rules, policy, tmp_path):
    code, states, found = audited(written(tmp_path, [lines(first, ["9", "9", "9", "27"])], rules, policy))
    assert (code, found) == (0, set())
    assert states.get("min_labels") == ("holds" if rules else None)


def test_more_kinds_are_asked_for(tmp_path):
    rows = lines(["12", "6", "0", "18"], ["9", "9", "9", "27"])
    code, _, found = audited(written(tmp_path, [rows], policy="min_labels = 3\n"))
    assert (code, found) == (1, {("1", "N", "HIV or flu", 18, 18)})


def test_an_unknown_harmless_label_is_refused(tmp_path):
    rows = lines(["12", "0", "0", "12"], ["9", "9", "9", "27"])
    folder = written(tmp_path, [rows], 'sensitive = ["kind"]\nharmless = { kind = ["noone"] }')
    assert 'is "noone", so it has no effect' in refused(str(folder))


@pytest.mark.parametrize("rule", ['harmless = { kind = ["none"] }', 'sensitive = ["sex"]'])
def test_kinds_of_what_is_not_sensitive_are_refused(rule, tmp_path):
    assert run_main(str(written(tmp_path, [lines(["12", "0", "0", "12"])], rule)))[0] == 2


def drawn_tables(rng):
    """Counts of two areas and three kinds with their sums, some of the cells hidden or left out; never everybody's."""
    counts = {cell: rng.choice([0, 0, 0, 1, 3]) for cell in product(AREAS, OF_A_KIND)}
    shown = {}
    for area, kind in product((*AREAS, "All"), (*OF_A_KIND, "All")):
        count = sum(n for (a, k), n in counts.items() if area in (a, "All") and kind in (k, "All"))
        everybody = area == kind == "All"
        if everybody or rng.random() < 0.85:
            hidden = 1 <= count <= 4 and not everybody and rng.random() < 0.3
            shown[area, kind] = "*" if hidden else str(count)
    return shown


def worlds(shown):
    """All counts up to 6 of a cell that agree with what is shown."""
    cells = list(product(AREAS, OF_A_KIND))
    fits = {text: range(1, 5) if text == "*" else [int(text)] for text in shown.values()}
    for numbers in product(range(7), repeat=len(cells)):
        world = dict(zip(cells, numbers, strict=True))
        if all(
            sum(n for (a, k), n in world.items() if area in (a, "All") and kind in (k, "All")) in fits[text]
            for (area, kind), text in shown.items()
        ):
            yield world


@pytest.mark.parametrize("seed", range(some(12)))
def test_by_enumeration(seed, tmp_path):
    """Exactly those cells are found that count people in every world, all of one kind in all worlds."""
    rng = random.Random(seed)  # noqa: S311
    shown = drawn_tables(rng)
    while not {kind for _, kind in shown} >= {*OF_A_KIND}:
        shown = drawn_tables(rng)
    agreeing = list(worlds(shown))
    wanted = set()
    for area in (*AREAS, "All"):
        own = [
            {k: sum(n for (a, kind), n in world.items() if area in (a, "All") and kind == k) for k in OF_A_KIND}
            for world in agreeing
        ]
        possible = {k for world in own for k, n in world.items() if n}
        sizes = {sum(world.values()) for world in own}
        if min(sizes) and len(possible) == 1:
            wanted.add(("1", area, *possible, min(sizes), max(sizes)))
    _, _, found = audited(written(tmp_path, [list(shown.items())]))
    assert {each for each in found if each[1] in (*AREAS, "All")} == wanted


def opened(part, run):
    """What an attack finds out that settles nothing."""
    outcome = run(part)
    ends = np.zeros(len(outcome.verdict), dtype=np.int64)
    verdict = np.full(len(ends), OPEN, dtype=np.int8)
    return replace(outcome, verdict=verdict, lower=ends, upper=ends + 99, status="incomplete", reason="not settled")


@kills(
    "audit.clauses.registry.CountClause.decided",
    "reasons += dict.fromkeys(reason for rule, reason in open_.items() if rule in self.rules)",
    "pass",
)
@kills("audit.count_tables.build_evidence._PeopleOfOneKind._judged", "return OPEN, ()", "return NOTHING, ()")
@pytest.mark.parametrize("way", ["no count is settled", "too many labels to try"])
def test_what_is_not_settled_is_undecided(way, tmp_path, monkeypatch):
    """Twin of a series without findings, which holds; and of one with a finding, which is not hidden."""
    safe, found = (["12", "6", "9", "27"], ["9", "9", "9", "27"]), (["12", "0", "0", "12"], ["9", "9", "9", "27"])
    folders = [written(tmp_path / name, [lines(*rows)]) for name, rows in (("safe", safe), ("found", found))]
    assert [audited(folder)[1]["min_labels"] for folder in folders] == ["holds", "violated"]
    if way == "no count is settled":
        asked = judged_counts.with_people_of_one_kind
        monkeypatch.setattr(
            judged_counts,
            "with_people_of_one_kind",
            lambda *given: asked(*given[:-1], lambda part: opened(part, given[-1])),
        )
    else:
        monkeypatch.setattr("audit.count_tables.build_evidence._MOST_CHOICES", 0)
    assert [audited(folder)[::2] for folder in folders] == [(3, set()), (3, set())]
    assert [audited(folder)[1]["min_labels"] for folder in folders] == ["undecided", "undecided"]


@kills("reports.verdict.headline", '"yellow" if certain and colour == "green" else colour', "colour")
@kills("reports.summary_text.decision", "if certain := more_certain(report)", "if certain := 0")
def test_the_box_is_not_green_where_people_are_certain_if_no_value_changes(tmp_path):
    """Each group has two values, and those of a person over the releases one in common."""
    rows = [[[who, band, value] for who, band, value in zip("ABCD", bands, ("flu", "cold", "gout", "HIV"), strict=True)]
            for bands in (["10-19", "10-19", "20-29", "20-29"], ["10-19", "20-29", "10-19", "20-29"])]  # fmt: skip
    folder = series(tmp_path, rows, "", **KINDS["changing"])
    code, page, _ = run_main(str(folder), "--format", "html")
    assert (code, 'class="verdict yellow"' in page, "only if any value of a person may become" in page) == (
        0,
        True,
        True,
    )
