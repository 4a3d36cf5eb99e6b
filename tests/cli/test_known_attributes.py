"""A known value, or a transition, is of the attribute that its line names; where several have the value it must."""

import pytest

from tests.helpers.messy import series_of, write
from tests.helpers.running import read_audit, refused, run_audit, run_main
from tests.helpers.tiny import Known, Row, TinySeries
from tests.mutants.mutant import kills

MANIFEST = """
[series]
releases = ["1.csv", "2.csv"]
[columns]
quasi_identifiers = ["age"]
sensitive = ["HIV", "diabetes"]
group = "g"
individual = "who"
[adversary]
"""
ROWS = "who,g,age,HIV,diabetes\nA,1,20-29,yes,no\nB,1,20-29,no,yes\nC,2,30-39,yes,no\nD,2,30-39,no,yes\n"


@pytest.fixture
def series(tmp_path):
    for tag in "12":
        write(tmp_path / f"{tag}.csv", ROWS)
    write(tmp_path / "series.toml", MANIFEST + 'known = "known.csv"\n')
    return tmp_path


def certain(folder):
    """Whose value is certain, by attribute."""
    _, result = read_audit(folder, "--reveal", "--attack", "intersection")
    return {(a["sensitive"], f["individual"], f["value"]) for a in result["attacks"] for f in a["findings"]}


def test_a_known_value_is_of_the_attribute_named(series):
    write(series / "known.csv", "individual,attribute,value\nA,HIV,yes\n")
    assert certain(series) == {("HIV", "B", "no")}
    write(series / "known.csv", "individual,attribute,value\nA,diabetes,no\n")
    assert certain(series) == {("diabetes", "B", "yes")}


def test_a_value_of_several_attributes_needs_one(series):
    write(series / "known.csv", "individual,value\nA,yes\n")
    err = refused(str(series))
    assert 'known.csv:2, column "value": several sensitive attributes have this value' in err
    assert "column `attribute` that says which one is meant (HIV, diabetes)" in err
    write(series / "known.csv", "individual,attribute,value\nA,age,yes\n")
    err = refused(str(series))
    assert 'column "attribute": there is no such sensitive attribute; write one of HIV, diabetes' in err


@pytest.mark.parametrize(("sensitive", "state"), [('["HIV", "diabetes"]', "undecided"), ('"HIV"', "holds")])
def test_what_known_values_tell_of_combinations_is_not_judged_by_any_clause(series, sensitive, state):
    """By the combinations, A has no diabetes: then B and C have, both of them."""
    rows = "who,g,age,HIV,diabetes\nA,1,20-29,yes,no\nB,1,20-29,no,yes\nC,1,20-29,open,yes\n"
    one = "\n".join(line.rpartition(",")[0] for line in rows.splitlines())
    for tag in "12":
        write(series / f"{tag}.csv", one if state == "holds" else rows)
    text = (series / "series.toml").read_text().replace('["HIV", "diabetes"]', sensitive)
    write(series / "series.toml", text + '[policy]\nmax_ever_risk = 1\ngrave = ["yes"]\n')
    write(series / "known.csv", "individual,attribute,value\nA,HIV,yes\n")
    clauses = {each["clause"]: each["state"] for each in run_audit(series)[1]["policy"]["clauses"]}
    assert {clauses[name] for name in ("max_risk", "min_e", "max_ever_risk")} == {state}
    # A principle asks nobody's knowledge.
    assert run_main("check", str(series), "--principle", "l-diversity", "--l", "2")[0] != 3


def test_a_value_of_one_attribute_needs_none(series):
    for tag in "12":
        write(series / f"{tag}.csv", ROWS.replace("yes,no", "pos,no").replace("no,yes", "neg,yes"))
    write(series / "known.csv", "individual,value\nA,pos\n")
    assert certain(series) == {("HIV", "B", "neg")}
    write(series / "known.csv", "individual,value\nA,maybe\n")
    assert "no release publishes this value" in refused(str(series))


def test_transitions_are_of_the_attribute_named(series):
    """HIV never changes, diabetes may, and so may both together."""
    write(series / "series.toml", MANIFEST + 'transitions = "t.csv"\n')
    write(series / "2.csv", ROWS.replace("B,1", "B,2").replace("C,2", "C,1").replace("20-29,no", "30-39,no"))
    stays = "".join(f"{a},yes,yes\n{a},no,no\n" for a in ("HIV", "diabetes"))
    write(series / "t.csv", f"attribute,from,to\n{stays}diabetes,no,yes\ndiabetes,yes,no\n")
    _, result = read_audit(series, "--reveal")
    ran = {str(a["sensitive"]): a["status"] for a in result["attacks"] if a["attack"] == "intersection"}
    assert list(ran.values()) == ["complete", "skipped", "skipped"]  # combinations change with one of their attributes
    assert next(iter(ran)) == "HIV"
    assert result["contradictions"]["changed"] == 0


@kills("audit.clauses.clause.Clause._left_out", "yield entry", "yield from ()")
def test_an_attack_that_is_skipped_for_an_attribute_decides_nothing_about_it(tmp_path):
    """Pay may change, Place never does; those of 20 to 39 have a pay of 950 or 1000."""
    rows = [["Age", "Pay", "Place"], *(["20-39", pay, place] for pay, place in (("950", "x"), ("1000", "y")))]
    rows += [["40-59", "1", "x"], ["40-59", "5000", "y"]]
    columns = 'sensitive = ["Pay", "Place"]\nquasi_identifiers = ["Age"]\ntypes = { Pay = "numeric" }'
    more = '[adversary]\nregister = "register.csv"\npresence = "possible"\ntransitions = "t.csv"'
    register = [["individual", "Age", "first", "last"], ["p0", "25", "1", "2"], ["p1", "45", "1", "2"]]
    folder = series_of(tmp_path, [rows, rows], columns, more, register=register)
    steps = [f"Pay,{a},{b}\n" for a in ("950", "1000", "1", "5000") for b in ("950", "1000", "1", "5000")]
    write(folder / "t.csv", "attribute,from,to\n" + "".join(steps) + "Place,x,x\nPlace,y,y\n")
    found = clauses(folder, "--attack", "intersection")
    assert [found[name]["state"] for name in ("max_risk", "closeness")] == ["undecided"] * 2
    assert clauses(folder)["closeness"]["state"] == "violated"


def clauses(folder, *words):
    return {each["clause"]: each for each in read_audit(folder, *words)[1]["policy"]["clauses"]}


def known(folder, *words):
    _, result = read_audit(folder, *words)
    return [each["text"] for each in result["warnings"] if each["kind"] == "known"]


def test_known_values_that_nobody_uses_are_reported(series):
    write(series / "known.csv", "individual,attribute,value\nA,HIV,yes\n")
    assert known(series) == []
    [text] = known(series, "--adversary", "published")
    assert "the values in known.csv are not used" in text


def test_the_values_of_others_are_pinned_by_one_that_is_known(tmp_path):
    """Beside Alice, Bob, Greg and Kate follow each other: once Bob's value is known, so are all."""
    rows = [[Row("Alice", "1", "cancer"), Row(who, "1", "flu")] for who in ("Bob", "Greg", "Kate")]
    folder = TinySeries(rows, known=[Known("Bob", "flu")]).write(tmp_path / "s")
    code, result, _ = run_audit(folder, "--attack", "equivalence", "--reveal", "--findings", "all")
    [entry] = result["attacks"]
    pins = {f["individual"]: f["value"] for f in entry["findings"] if f["kind"] == "disclosure"}
    assert (code, pins) == (1, {"Alice": "cancer", "Greg": "flu", "Kate": "flu"})
    assert (entry["measures"]["individuals"], entry["measures"]["pinned"]) == (3, 5)
    assert {violation["measure"] for violation in result["policy"]["violations"]} == {"max_risk", "min_e"}
    assert "Bob" not in str(result)
