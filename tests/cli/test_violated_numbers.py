"""Violated clauses in sentences: they count the people of the findings, and say whether rows or people are counted."""

import pytest

from tests.helpers.messy import as_csv, write
from tests.helpers.running import read_audit, run_main
from tests.mutants.mutant import kills

COLUMNS = """[series]
releases = ["1.csv"]
[columns]
individual = "who"
sensitive = ["d", "pay"]
quasi_identifiers = ["age"]
group = "g"
types = { pay = "numeric" }
similar = { d = "chapters.csv" }
[policy]
"""
FINDINGS = {
    "max_risk": {"risk", "disclosure"},
    "similar": {"similar"},
    "closeness": {"close"},
    "max_ever_risk": {"ever"},
}
GRAVE = 'max_ever_risk = 0.5\ngrave = ["HIV"]'
LIMITS = {"certain": "", "likely": "max_risk = 0.6", "ever": GRAVE, "both": f"max_risk = 0.6\n{GRAVE}"}


def grouped(folder, limits, small=5):
    """Groups of three: in `small` of 8, one value is likelier, a category is certain, and numbers are close."""
    rows = [["who", "age", "g", "d", "pay"]]
    for group in range(8):
        for at, value in enumerate(["HIV", "HIV", "flu"] if group < small else ["acne", "flu", "gout"]):
            pay = 1000 * (group + 1) + at * (10 if group < small else 5000)
            rows.append([f"p{group}{at}", str(20 + group), str(group), value, str(pay)])
    write(folder / "1.csv", as_csv(rows))
    write(folder / "chapters.csv", "value,category\nHIV,infection\nflu,infection\nacne,skin\ngout,joints\n")
    write(folder / "series.toml", f"{COLUMNS}min_e = 1\n{limits}\n")
    (folder / "private").mkdir()
    return folder


def people_of(result, violation):
    kinds = FINDINGS[violation.get("kind", violation["measure"])]
    return {
        one["individual"]
        for each in result["attacks"]
        if (each["attack"], each.get("sensitive")) == (violation["attack"], violation.get("sensitive"))
        for one in each["findings"]
        if one["kind"] in kinds
    }


@kills("audit.clauses.max_risk.Closeness.people", "found.claims.person[sure]", "found.claims.person")
@kills("audit.clauses.max_risk.MaxRisk.violations", "entry.number_of(certain, None", "(lambda *_: 1)(certain, None")
@pytest.mark.many
@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("small", [1, 5])
def test_violations_count_the_people_of_their_findings(tmp_path, limits, small):
    """All of them, not one; and without those that are waived."""
    folder = grouped(tmp_path, limits, small)
    code, result = read_audit(folder, "--findings", "all", "--reveal", "--stable-ids")
    violations = result["policy"]["violations"]
    assert code == 1
    assert {each["measure"] for each in violations} >= {"max_risk", "closeness"}
    counted = [each["people"] for each in violations]
    assert counted == [len(people_of(result, each)) for each in violations]
    assert max(counted) >= 3 * small
    text = " ".join(run_main(str(folder), "--findings", "0")[1].split())
    assert "one is known" not in text
    for each in violations:
        assert f"this is so for {each['people']} people" in text
    code, _, _ = run_main("waive", str(folder), "p00", "--reason", "agreed", "--until", "2999-01-01")
    assert code == 0
    _, fewer = read_audit(folder, "--findings", "all", "--reveal", "--stable-ids")
    left = [each["people"] for each in fewer["policy"]["violations"]]
    assert left == [len(people_of(fewer, each)) for each in fewer["policy"]["violations"]]
    assert sum(left) < sum(counted)


def hiding(folder, policy=""):
    """Groups of two rows; in the first of each release, one row is a counterfeit."""
    for tag in (1, 2):
        pairs = [(who, place) for place in range(1, 4) for who in (f"a{place}", f"b{place}")]
        rows = [["a0", "20", "0", "flu"], ["", "20", "0", "cold"]]
        rows += [[who, str(20 + place), str(place), ("flu", "cold")[who[0] == "a"]] for who, place in pairs]
        write(folder / f"{tag}.csv", as_csv([["who", "age", "g", "d"], *rows]))
    columns = 'individual = "who"\nunnamed = "counterfeits"\nsensitive = "d"\nquasi_identifiers = ["age"]\ngroup = "g"'
    write(
        folder / "series.toml", f'[series]\nreleases = ["1.csv", "2.csv"]\n[columns]\n{columns}\n[policy]\n{policy}\n'
    )
    return folder


@kills("audit.clauses.smallest_class.SmallestClass.violations", "smallest < -rows", "False")
def test_rows_and_people_that_look_alike_are_told_apart(tmp_path):
    """A default k counts rows and says so where it holds; a stated one counts people and says so where it fails."""
    folder = hiding(tmp_path, "min_e = 1")
    _, result = read_audit(folder)
    [k] = [each for each in result["policy"]["clauses"] if each["clause"] == "k"]
    assert k["state"] == "holds"
    assert k["reason"].startswith("rows are counted, because the policy does not state k; without counterfeits")
    document = " ".join(run_main(str(folder), "--document", "dpia")[1].split())
    assert "(k, limit 2): holds (rows are counted, because the policy does not state k" in document
    code, text, _ = run_main(str(folder), "--k", "2")
    text = " ".join(text.split())
    assert code == 1
    assert "Violated: at least 2 people must look alike, without counterfeits" in text
    assert "This is so in 2 of 2 releases. " in text
    assert "rows are unique" not in text


@pytest.mark.parametrize("limits", ["", 'max_ever_risk = 1\ngrave = ["HIV", "flu"]'])
def test_at_a_limit_of_1_a_violation_is_a_certainty(limits, tmp_path):
    code, out, _ = run_main(str(grouped(tmp_path, limits)))
    text = " ".join(out.split())
    assert code == 1
    assert "with 100%" not in text
    assert "certain of the category of a person's value of d" in text
    assert ("certain that they have ever had a grave value" in text) == bool(limits)


def test_a_clause_that_only_joint_decides_says_whether_joint_ran(tmp_path):
    folder = grouped(tmp_path, GRAVE)
    for attack, why in (("intersection", "run it, too"), ("joint", None)):
        clauses = read_audit(folder, "--attack", attack)[1]["policy"]["clauses"]
        [reason] = [each.get("reason") for each in clauses if each["clause"] == "max_ever_risk"]
        assert reason is why or reason.endswith(why)
