"""Similar values: people whose category is known, the values that are judged, and what is refused."""

import json

import pytest

from tests.cli.test_harmless import HEALTHY, MIXED, ended, series
from tests.helpers.messy import as_csv, write
from tests.helpers.running import read_audit, refused, run_audit, run_main
from tests.mutants.mutant import kills

SIMILAR = 'similar = { Disease = "chapters.csv" }'
CHAPTERS = "value,category\nflu,airways\ncold,airways\nasthma,airways\nasthma,chronic\ngout,joints\n"


def with_chapters(folder, rows, columns=SIMILAR, chapters=CHAPTERS, policy="", adversary="linked"):
    more = 'register = "register.csv"' if adversary in {"register", "possible"} else ""
    more += '\npresence = "possible"' * (adversary == "possible")
    if adversary == "linked" and "min_e" not in policy:
        policy += "\nmin_e = 1"
    series(folder, [rows], columns, policy, individual=adversary == "linked", adversary=more)
    if more:
        lines = [[who, age[:2], "1", "1"] for who, age, _ in rows]
        write(folder / "register.csv", as_csv([["individual", "Age", "first", "last"], *lines]))
    (folder / "private").mkdir(exist_ok=True)
    write(folder / "chapters.csv", chapters)
    return folder


APART = [["c", "30-39", "flu"], ["d", "30-39", "gout"], ["e", "40-49", "cold"], ["f", "40-49", "gout"]]
TWICE = [["c", "30-39", "asthma"], ["d", "30-39", "cough"], ["e", "40-49", "cold"], ["f", "40-49", "gout"]]


def test_people_who_may_be_in_the_data_have_one_number(tmp_path):
    """The verdict counts all who look alike; the table said that nobody is found, and the releases counted kinds."""
    columns = f'{SIMILAR}\nharmless = {{ Disease = ["none"] }}'
    folder = with_chapters(tmp_path, [*HEALTHY, *MIXED], columns, CHAPTERS + "none,well\n", adversary="possible")
    _, result = read_audit(folder, "--findings", "all")
    [violation] = [each for each in result["policy"]["violations"] if each["attack"] == "intersection"]
    [attack] = [each for each in result["attacks"] if each["attack"] == "intersection"]
    assert (violation["people"], attack["people"], attack["findings_total"]) == (2, 0, 1)
    text = " ".join(run_main(str(folder))[1].split())
    assert "this is so for 2 people" in text
    assert "intersection complete the category of 2 people" in text
    assert "Findings of intersection (1, about 2 people)" in text
    assert "People whose value, harmless or not, is known by" in text
    counted = {each["attack"]: each["after_release"][-1] for each in result["exposure"]}
    assert counted == {each["attack"]: each["people"] for each in result["ladder"]}


def of_kind(result):
    return [one for each in result["attacks"] for one in each["findings"] if one["kind"] == "similar"]


@pytest.mark.many
@pytest.mark.parametrize("adversary", ["linked", "register", "published", "possible"])
@pytest.mark.parametrize(
    ("rows", "columns", "categories", "state"),
    [
        (MIXED, SIMILAR, {"airways"}, "violated"),
        (APART, SIMILAR, set(), "holds"),
        # Of the two categories of a value the one that both have, and only where it is that one.
        (TWICE, SIMILAR, {"chronic"}, "violated"),
        # What is known of harmless values alone violates nothing; what lies beside them does.
        (MIXED, f'{SIMILAR}\nharmless = {{ Disease = ["cold", "asthma", "flu"] }}', set(), "holds"),
        (MIXED, f'{SIMILAR}\nharmless = {{ Disease = ["cold"] }}', {"airways"}, "violated"),
        # A cell that fits every value is of no category.
        ([*APART[:3], ["f", "40-49", "?"]], f'{SIMILAR}\nmissing = ["?"]', set(), "holds"),
    ],
)
def test_whose_category_is_known(tmp_path, rows, columns, categories, state, adversary):
    folder = with_chapters(tmp_path, rows, columns, CHAPTERS + "cough,chronic\n", adversary=adversary)
    code, result = read_audit(folder, "--findings", "all")
    assert {one["category"] for one in of_kind(result)} == categories
    assert (code, ended(result)["max_risk"]) == (int(state == "violated"), state)
    assert len(of_kind(result)) == (
        {"published": 1, "possible": 3}.get(adversary, 2) if categories else 0  # classes, people, or both
    )
    assert {each.get("kind") for each in result["policy"]["violations"]} == ({"similar"} if categories else set())


@kills("audit.io.rules.rows_and_values.Similar.published", "if count > 1", "if count > 2")
@pytest.mark.many
@pytest.mark.parametrize("adversary", ["linked", "register", "published"])
@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("F32.0", "F32.1", True),
        ("F32", "F32.1", True),
        ("F32.0 Mild episode", "severe (F32.2)", True),
        ("F32.0", "F33.0", False),
        ("F32", "F32 mild", False),
        ("A10BA02", "A10AB05 (insulin)", True),
        ("E10AB", "E10BA", False),
        ("12.1", "12.2", False),
    ],
)
def test_codes_of_one_disease_are_similar_until_something_is_declared(tmp_path, one, other, alike, adversary):
    """Two people of a class have a depressive episode for certain, though it is not known which."""
    rows = [["c", "30-39", one], ["d", "30-39", other], ["e", "40-49", "J45"], ["f", "40-49", "K50"]]
    folder = with_chapters(tmp_path / "1", rows, "", adversary=adversary)
    _, result = read_audit(folder)
    assert ended(result)["k"] == "holds"
    assert any("codes begin alike, such as" in each["reason"] for each in result["policy"]["undecided"]) == alike
    for said, ends in {"false": (0, "holds"), '"chapters.csv"': (1, "violated")}.items() if alike else ():
        chapters = f"value,category\n{one},same\n{other},same\nJ45,J\nK50,K\n"
        columns = f"similar = {{ Disease = {said} }}"
        again = with_chapters(tmp_path / ends[1], rows, columns, chapters, adversary=adversary)
        code, result = read_audit(again)
        assert (code, ended(result)["max_risk"]) == ends


def test_people_who_may_be_in_the_data_are_not_judged_by_classes_alone(tmp_path):
    """An attack on single people says which values are left to them; without one it does not hold."""
    folder = with_chapters(tmp_path, APART, adversary="possible")
    assert ended(run_audit(folder, "--attack", "intersection", "--attack", "homogeneity")[1])["max_risk"] == "holds"
    assert ended(run_audit(folder, "--attack", "homogeneity")[1])["max_risk"] == "undecided"


@kills("audit.clauses.max_risk._PeoplesNumbers.found", "if self._constant and not", "if False and not")
@pytest.mark.parametrize(("harmless", "code"), [("flu", 3), ("gout", 0)])
@pytest.mark.parametrize("attack", ["intersection", "update-graph"])
def test_who_may_be_in_one_release_alone_may_have_more_than_a_harmless_value_there(tmp_path, attack, harmless, code):
    """Only flu and gout fit both releases for somebody; who is in the first alone has an illness of the airways."""
    first = [["", "30-39", "flu"], ["", "35-39", "cold"], ["", "40-49", "gout"], ["", "40-49", "flu"]]
    second = [["", "30-39", "flu"], ["", "30-39", "gout"], ["", "40-49", "gout"], ["", "40-49", "flu"]]
    if code == 0:
        first.append(["", "30-39", "gout"])
    more = 'register = "register.csv"\npresence = "possible"'
    columns = f'{SIMILAR}\nharmless = {{ Disease = ["{harmless}"] }}'
    folder = series(tmp_path, [first, second], columns, individual=False, adversary=more)
    write(folder / "register.csv", "individual,Age\na,36\nb,45\n")
    write(folder / "chapters.csv", CHAPTERS)
    ran, result, _ = run_audit(folder, "--attack", attack)
    assert (ran, ended(result)["max_risk"]) == (code, {0: "holds", 3: "undecided"}[code])


@kills("attacks.intersection.IntersectionAttack.run", "None if evidence.adversary.knows_presence else", "")
@kills("audit.clauses.max_risk.MaxRisk.doubts", "yield from CATEGORIES.doubts(findings, limit)", "pass")
@pytest.mark.parametrize("similar", ["", SIMILAR])
def test_an_attack_that_judges_no_categories_does_not_decide(tmp_path, similar):
    code, result, _ = run_audit(with_chapters(tmp_path, APART, similar), "--attack", "intersection")
    assert (code, ended(result)["max_risk"]) == ((3, "undecided") if similar else (0, "holds"))


@pytest.mark.parametrize(("limit", "state"), [("0.7", "violated"), ("0.8", "holds")])
def test_below_certainty_the_risk_of_a_category_is_the_sum_of_its_values(tmp_path, limit, state):
    """Three of four have an illness of the airways, and no one's own has more than a quarter: 75 %."""
    rows = [["a", "30-39", "flu"], ["b", "30-39", "cold"], ["c", "30-39", "asthma"], ["d", "30-39", "gout"]]
    folder = with_chapters(tmp_path, rows, policy=f"max_risk = {limit}")
    code, result, _ = run_audit(folder, "--findings", "all", "--reveal")
    assert (code, ended(result)["max_risk"]) == (int(state == "violated"), state)
    known = sorted((one["individual"], one["category"], one["risk"]) for one in of_kind(result))
    assert known == ([(who, "airways", pytest.approx(0.75)) for who in "abc"] if state == "violated" else [])
    assert all(one["category"] is None for one in of_kind(run_audit(folder, "--findings", "all")[1]))


@kills("audit.clauses.min_e._no_two_share", "limit <= _IN_WORLDS and ", "")
@kills("audit.clauses.min_e._certain_alike", "len({category for _, category in people}) < len(people)", "False")
@pytest.mark.parametrize(
    ("rows", "chapters", "least", "state"),
    [
        (APART, CHAPTERS, 2, "holds"),
        (APART, CHAPTERS, 3, "undecided"),
        (MIXED, CHAPTERS, 2, "violated"),
        (MIXED, CHAPTERS.replace("cold,airways", "cold,skin").replace("asthma,airways\n", ""), 2, "holds"),
        (MIXED, CHAPTERS, 1, "holds"),
    ],
)
def test_two_people_with_a_category_in_common(tmp_path, rows, chapters, least, state):
    _, result, _ = run_audit(with_chapters(tmp_path, rows, chapters=chapters, policy=f"min_e = {least}"))
    assert ended(result)["min_e"] == state


def test_a_value_without_a_category_is_refused_at_its_line(tmp_path):
    err = refused(str(with_chapters(tmp_path / "1", [*MIXED, *HEALTHY])))
    what = 'audit: 1.csv:6, column "Disease": the value has no category in chapters.csv (and 1 more such line); '
    assert err == f"{what}add a line with the value and its category\n"
    for place, spelling in enumerate(['missing = ["none"]', 'missing = ["NONE"]\nfold = ["Disease"]']):
        folder = with_chapters(tmp_path / f"with {place}", [*MIXED, *HEALTHY], f"{SIMILAR}\n{spelling}")
        assert run_main(str(folder))[0] != 2


def test_values_are_spelled_as_in_the_series(tmp_path):
    folder = with_chapters(tmp_path / "1", MIXED, SIMILAR, CHAPTERS.replace("flu", "FLU "))
    assert run_main(str(folder))[0] == 2
    folder = with_chapters(tmp_path / "2", MIXED, f'{SIMILAR}\nfold = ["Disease"]', CHAPTERS.replace("flu", "FLU "))
    assert run_main(str(folder))[0] == 1


@kills("audit.io.rules.rows_and_values.Similar.opened", "skeleton(category)", "category")
@pytest.mark.parametrize(
    ("chapters", "what"),
    [
        (CHAPTERS + "mumps,\n", 'chapters.csv:7, column "category": the cell is empty'),
        (
            CHAPTERS + "mumps,Infectious.\nrubella,infectious\n",
            'chapters.csv:8, column "category": the category differs',
        ),
        (CHAPTERS.replace("category", "chapter"), "chapters.csv:1"),
        (None, "chapters.csv: there is no such file"),
    ],
)
def test_a_file_of_categories_that_cannot_be_used_is_refused(tmp_path, chapters, what):
    folder = with_chapters(tmp_path, MIXED, chapters=chapters or "")
    if chapters is None:
        (folder / "chapters.csv").unlink()
    assert what in refused(str(folder))


@pytest.mark.parametrize("wrong", ["3", '"chapters.csv"', "{ Disease = 3 }", '{ Disease = ["chapters.csv"] }'])
def test_anything_but_files_and_flags_is_refused(tmp_path, wrong):
    what = '`similar`: this has to be a table of files, or of true or false; write similar = { Column = "…" }'
    assert what in refused(str(with_chapters(tmp_path, MIXED, f"similar = {wrong}")))


def test_its_file_is_a_part_of_the_series(tmp_path):
    _, result, _ = run_audit(with_chapters(tmp_path, MIXED))
    assert "dropped-file" not in {each["kind"] for each in result["warnings"]}


def test_categories_are_judged_beside_other_attributes(tmp_path):
    """By itself, and where it follows from combinations: of two attributes the one with categories."""
    rows = [[*row, town] for row, town in zip(MIXED, ["x", "y", "x", "y"], strict=True)]
    series(tmp_path, [rows], SIMILAR, "min_e = 1", more=["Town"])
    write(tmp_path / "chapters.csv", CHAPTERS)
    code, result, _ = run_audit(tmp_path, "--findings", "all", "--reveal")
    assert (code, ended(result)["max_risk"]) == (1, "violated")
    found = {(one["individual"], one.get("attribute"), one["category"]) for one in of_kind(result)}
    assert found == {(who, name, "airways") for who in "ef" for name in (None, "Disease")}


@kills("audit.witness.verify_alike.categories", "(~sets | of[:, at]).all(axis=-1)", "(sets & of[:, at]).any(axis=-1)")
@pytest.mark.parametrize(
    ("rows", "columns", "certain", "two"),
    [(APART, SIMILAR, 0, 4), (TWICE, SIMILAR, 2, 2), (APART, "", None, None)],
)
def test_a_witness_shows_categories(tmp_path, rows, columns, certain, two):
    folder = with_chapters(tmp_path / "s", rows, columns, CHAPTERS + "cough,chronic\n")
    code, _, err = run_main(str(folder), "--witness", str(tmp_path / "w"))
    assert code == bool(certain), err
    file = tmp_path / "w" / "statement.json"
    stated = json.loads(file.read_text())
    found = [each for each in stated["claims"] if each["claim"] == "categories"]
    assert [(each["certain"], each["two"]) for each in found] == ([] if two is None else [(certain, two)])
    assert not stated["rests"]
    assert run_main("verify", str(folder), str(tmp_path / "w"))[0] == 0
    for change in ({"two": 1}, {"certain": 1}, {"sensitive": "Age"}) if found else ():
        for name, by in change.items():
            before = found[0][name]
            found[0][name] = before + by if isinstance(by, int) else by
            file.write_text(json.dumps(stated))
            assert run_main("verify", str(folder), str(tmp_path / "w"))[0] == 1
            found[0][name] = before
