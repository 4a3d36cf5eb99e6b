"""`[policy] closeness`: close numbers that are known, which numbers are judged, and which findings are accepted."""

import csv
import json
import re

import pytest

from audit.api import load
from tests.helpers.messy import series_of, write
from tests.helpers.running import done, read_audit, run_audit, run_main
from tests.helpers.schemas import fits
from tests.mutants.mutant import kills

COLUMNS = ["lower", "upper", "category"]
NEAR, FAR = ["950", "1000"], ["950", "3000"]
FAR_BANDS = ["950-969", "3000-3019"]
NEAR_DAYS, FAR_DAYS = ["2024-01-30", "2.2.2024"], ["2024-01-30 10:15", "2024-08-30"]


def series(folder, classes, columns='types = { Pay = "numeric" }', policy="", adversary="linked", sensitive='"Pay"'):
    """One release; each class is of people of one age, with the values that are given, of one attribute or of two."""
    rows = [
        [f"p{place}{n}", f"{20 + 10 * place}-{29 + 10 * place}", *([value] if isinstance(value, str) else value)]
        for place, values in enumerate(classes)
        for n, value in enumerate(values)
    ]
    named = adversary == "linked"
    head = ["Owner", "Age", *sensitive.strip("[]").replace('"', "").split(", ")]
    said = f'sensitive = {sensitive}\nquasi_identifiers = ["Age"]\n{columns}\n' + 'individual = "Owner"' * named
    more, beside = f"[policy]\n{policy}\n", {}
    if adversary in {"register", "possible"}:
        lines = [[row[0], row[1][:2], "1", "1"] for row in rows]
        beside["register"] = [["individual", "Age", "first", "last"], *lines]
        more += '[adversary]\nregister = "register.csv"\n' + 'presence = "possible"\n' * (adversary == "possible")
    (folder / "private").mkdir(parents=True, exist_ok=True)
    return series_of(folder, [[row if named else row[1:] for row in [head, *rows]]], said, more, **beside)


def ended(result):
    return next((each for each in result["policy"]["clauses"] if each["clause"] == "closeness"), {"state": "unnamed"})


def close(result):
    return [one for each in result["attacks"] for one in each["findings"] if one["kind"] == "close"]


@kills(
    "audit.model.nearness.Nearness.together",
    "self.high[np.where(known, low, 0)] >= high",
    "self.high[np.where(known, low, 0)] > high",
)
@kills("audit.model.nearness.PublishedNumbers.near", "self.bands.get(each, each)", "each")
@kills("audit.io.rules.cell_meaning.ColumnTypes.bands", "one[0] < other[0] >= one[1]", "one[0] < other[0]")
@pytest.mark.many
@pytest.mark.parametrize("adversary", ["linked", "register", "published", "possible"])
@pytest.mark.parametrize(
    ("classes", "columns", "policy", "state", "why"),
    [
        ([FAR, FAR], 'types = { Pay = "numeric" }', "", "holds", None),
        ([FAR, NEAR], 'types = { Pay = "numeric" }', "", "violated", None),
        ([FAR, NEAR], 'types = { Pay = "numeric" }', "closeness = 0.05", "violated", None),
        ([FAR, NEAR], 'types = { Pay = "numeric" }', "closeness = 0.049", "holds", None),
        ([FAR, NEAR], 'types = { Pay = "numeric" }', "closeness = 0", "holds", None),
        ([FAR, NEAR], 'types = { Pay = "numeric" }', 'closeness = { Pay = "50" }', "violated", None),
        ([FAR, NEAR], 'types = { Pay = "numeric" }', "closeness = { Pay = 49.9 }", "holds", None),
        ([FAR, NEAR], 'types = { Pay = "categorical" }', "", "unnamed", None),
        # Amounts or codes: what closeness alone finds is undecided.
        ([FAR, FAR], "", "", "holds", None),
        ([FAR, NEAR], "", "", "undecided", "may be amounts"),
        # Of one sign and within a factor of 2: a share says little.
        ([["36.1", "38.0"], ["36.0", "41.0"]], 'types = { Pay = "numeric" }', "", "undecided", "in their own unit"),
        ([["36.1", "41.0"], ["36.0", "41.0"]], 'types = { Pay = "numeric" }', "", "holds", None),
        ([["36.1", "38.0"], ["36.0", "41.0"]], "", 'closeness = { Pay = "2" }', "violated", None),
        ([["36.1", "38.0"], ["36.0", "41.0"]], "", 'closeness = { Pay = "1" }', "holds", None),
        # Dates are close if they are few days apart; how many, the manifest says.
        ([FAR_DAYS, NEAR_DAYS], 'types = { Pay = "date" }', 'closeness = { Pay = "3" }', "violated", None),
        ([FAR_DAYS, NEAR_DAYS], 'types = { Pay = "date" }', 'closeness = { Pay = "2" }', "holds", None),
        ([FAR_DAYS, NEAR_DAYS], 'types = { Pay = "categorical" }', "", "unnamed", None),
        ([["2024-01", "2024-09"], ["2024-01", "2024-02"]], "", 'closeness = { Pay = "31" }', "violated", None),
        # What is no number is close to nothing.
        ([FAR, [*NEAR, "unknown"]], 'types = { Pay = "numeric" }', "", "holds", None),
        ([FAR, [*NEAR, "?"]], 'types = { Pay = "numeric" }\nmissing = ["?"]', "", "holds", None),
        ([["a", "b"], ["c", "d"]], "", "", "unnamed", None),
        ([["a", "b"], ["c", "d"]], "", "closeness = 0.2", "undecided", "no sensitive column has numbers"),
        # Bands are close if all that they cover is: 950 to 1055 are, at 0.1, and 950 to 1056 are not.
        ([FAR_BANDS, ["950-969", "1036-1055"]], "", "", "undecided", "bands of numbers"),
        ([FAR_BANDS, ["950-969", "1037-1056"]], "", "", "holds", None),
        ([FAR_BANDS, ["950-969", "950-1056"]], "", "", "undecided", "bands of numbers"),
        ([FAR_BANDS, ["950-969", "970-989"]], "", 'closeness = { Pay = "39" }', "violated", None),
        ([FAR_BANDS, ["950-969", "970-989"]], "", 'closeness = { Pay = "38" }', "holds", None),
        ([FAR_BANDS, ["950-969", "970-989"]], 'types = { Pay = "categorical" }', "", "unnamed", None),
        ([FAR_BANDS, ["950-969", "970-989"]], 'types = { Pay = "numeric" }', "", "violated", None),
        ([FAR_BANDS, ["950-969", "969-3000"]], 'types = { Pay = "numeric" }', "", "holds", None),
        ([FAR_BANDS, ["950-969", "969"]], 'types = { Pay = "numeric" }', "", "violated", None),
        ([FAR_BANDS, ["950-969", "960-3000"]], 'types = { Pay = "numeric" }', "", "undecided", "overlap"),
        ([FAR_BANDS, ["950-969", "970-989", "4000+"]], "", "", "holds", None),
        # Equal numbers are close, however they are written.
        ([FAR, ["7", "7.0"]], "", "closeness = 0", "undecided", "may be amounts"),
        # What is known of harmless values alone violates nothing; what lies beside them does.
        ([FAR, NEAR], 'types = { Pay = "numeric" }\nharmless = { Pay = ["950", "1000"] }', "", "holds", None),
        ([FAR, NEAR], 'types = { Pay = "numeric" }\nharmless = { Pay = ["950"] }', "", "violated", None),
    ],
)
def test_what_is_close(tmp_path, classes, columns, policy, state, why, adversary):
    folder = series(tmp_path, classes, columns, policy, adversary)
    code, result = read_audit(folder, "--findings", "all")
    assert ended(result)["state"] == state
    assert code == {"violated": 1, "undecided": 3}.get(state, 0)
    assert why is None or why in ended(result)["reason"]
    people = {"published": 1, "possible": 3}.get(adversary, 2)  # classes, people, or both
    assert len(close(result)) == (people if state == "violated" or (why and "no sensitive" not in why) else 0)
    assert {each["measure"] for each in result["policy"]["violations"]} == (
        {"closeness"} if state == "violated" else set()
    )


@pytest.mark.parametrize(
    ("near", "declared"),
    [
        (["5.000,10", "5.001,20"], "violated"),
        (["5000,10", "5 001,20"], "violated"),
        (["unknown", "5.000,10", "5.001,20"], "holds"),
        (["5.000,10", "5.001,20", "5.002,30", "5.003,40 €"], "undecided"),  # read as numbers but for one
    ],
)
def test_numbers_with_decimal_commas_are_asked_about(tmp_path, near, declared):
    """They were texts, of which none is close to another: the policy held."""
    far = ["950,5", "3000,5"]
    code, result = read_audit(series(tmp_path / "1", [far, near], ""))
    assert (code, ended(result)["state"]) == (3, "undecided")
    assert "Pay" in ended(result)["reason"]
    said = 'types = { Pay = "numeric" }\ndecimal = ","'
    assert ended(read_audit(series(tmp_path / "2", [far, near], said))[1])["state"] == declared
    codes = series(tmp_path / "3", [far, near], 'types = { Pay = "categorical" }')
    assert ended(read_audit(codes)[1])["state"] == "unnamed"


@kills("audit.io.rules.cell_meaning.ColumnTypes._doubt_of_days", "if width is None:", "if False:")
@pytest.mark.parametrize("columns", ["", 'types = { Pay = "date" }'])
def test_how_many_days_are_close_is_asked(tmp_path, columns):
    code, result = read_audit(series(tmp_path, [FAR_DAYS, NEAR_DAYS], columns))
    assert (code, ended(result)["state"]) == (3, "undecided")
    assert "how many days are close" in ended(result)["reason"]


@kills("audit.io.rules.cell_meaning.ColumnTypes._doubt_of_days", " or slashed)", ")")
@kills("audit.io.rules.cell_meaning.ColumnTypes._unread_days", "if unread:", "if False:")
@pytest.mark.parametrize(
    ("days", "kind", "state"),
    [
        (["03/01/2024", "04/01/2024"], None, "undecided"),  # a day or a month apart
        (["03/01/2024", "04/01/2024"], "day/month/year", "violated"),
        (["03/01/2024", "04/01/2024"], "month/day/year", "holds"),
        (["2024-01-30", "2024-02-31"], "date", "undecided"),  # there is no such day
        (["30 January 2024", "2 February 2024"], "date", "undecided"),
    ],
)
def test_the_order_of_day_and_month_and_unread_dates_are_asked_about(tmp_path, days, kind, state):
    far = {"date": ["2024-12-31", "2024-01-02"]}.get(kind, ["01/02/2024", "10/09/2024"])  # in either order
    folder = series(tmp_path, [far, days], f'types = {{ Pay = "{kind}" }}' if kind else "", 'closeness = { Pay = "7" }')
    assert ended(read_audit(folder)[1])["state"] == state


def test_people_who_may_be_in_the_data_are_not_judged_by_classes_alone(tmp_path):
    """An attack on single people judges their numbers; without one the clause does not hold."""
    folder = series(tmp_path, [FAR, FAR], adversary="possible")
    assert ended(run_audit(folder, "--attack", "intersection")[1])["state"] == "holds"
    assert ended(run_audit(folder, "--attack", "homogeneity")[1])["state"] == "undecided"


@pytest.mark.parametrize("attack", ["intersection", "update-graph"])
def test_numbers_of_people_who_may_be_in_the_data_are_undecided_when_the_time_is_up(tmp_path, attack):
    folder = series(tmp_path, [FAR, FAR], adversary="possible")
    code, out, _ = run_main(str(folder), "--attack", attack, "--time-limit", "0.000001", "--format", "json")
    clause = ended(json.loads(out))
    assert (code, clause["state"]) == (3, "undecided")
    assert "time limit" in clause["reason"]


@pytest.mark.parametrize("more", ["Pey = 1", 'Pay = "far"', "Pay = -1"])
def test_an_invalid_width_is_refused(tmp_path, more):
    code, _, err = run_audit(series(tmp_path, [FAR], policy=f"closeness = {{ {more} }}"))
    assert (code, "series.toml" in err) == (2, True)


@kills("audit.clauses.max_risk._PeoplesNumbers._add_likely", "window.within > alone + _MORE", "window.within > 2")
@pytest.mark.parametrize(("limit", "state"), [("0.7", "violated"), ("0.8", "holds")])
def test_below_certainty_what_is_near_the_true_number_counts(tmp_path, limit, state):
    """Three of four have about 1000, and no one's own value has more than a quarter: 75 %."""
    folder = series(tmp_path, [["960", "980", "1000", "3000"]], policy=f"max_risk = {limit}")
    code, result, _ = run_audit(folder, "--findings", "all", "--reveal")
    assert (code, ended(result)["state"]) == (int(state == "violated"), state)
    known = sorted((each["individual"], each["lower"], each["upper"], round(each["risk"], 6)) for each in close(result))
    assert known == ([(f"p0{n}", "960", "1000", 0.75) for n in range(3)] if state == "violated" else [])
    hidden = close(run_audit(folder, "--findings", "all")[1])
    assert all((each["lower"], each.get("certificate", [])) == (None, []) for each in hidden)


def test_combinations_are_judged(tmp_path):
    """Released twice, in groups that have two combinations in common: their pays are close, the others are not."""
    folder = series(
        tmp_path, [[("950", "x"), ("1000", "y")], [("950", "x"), ("3000", "z")]], sensitive='["Pay", "Ill"]'
    )
    code, result, _ = run_audit(folder, "--findings", "all", "--reveal")
    assert code == 1
    told = {(each["individual"], each.get("attribute")) for each in close(result)}
    assert told == {(who, name) for who in ("p00", "p01") for name in (None, "Pay")}


def test_a_waiver_without_a_size_says_which_line_to_add(tmp_path):
    folder = series(tmp_path, [FAR, NEAR])
    [ident, other] = [each["id"] for each in close(run_audit(folder, "--findings", "all")[1])]
    manifest = folder / "series.toml"
    text = manifest.read_text()
    lines = '\n[[waiver]]\nfinding = "{}"\nreason = "r"\nexpires = 2999-01-01\n'
    manifest.write_text(text + lines.format(ident) + lines.format(other))
    code, result, _ = run_audit(folder)
    lines_to_add = re.findall(r"of (joint-[0-9a-f]{16}) does not say how much it accepts; add (.*?) to it", str(result))
    assert (code, {each for each, _ in lines_to_add}) == (3, {ident, other})
    manifest.write_text(text + "".join(f"{lines.format(each)}{line}\n" for each, line in dict(lines_to_add).items()))
    assert run_audit(folder)[0] == 0


def test_a_waiver_does_not_carry_the_number(tmp_path):
    """The manifest is published: only who has the key can see which interval is accepted, and judge by it."""
    written, seals = [], list[str]()
    for name, near in (("a", NEAR), ("b", ["950", "960"]), ("c", NEAR)):
        folder = series(tmp_path / name, [FAR, near])
        named = [each["id"] for each in close(run_audit(folder, "--stable-ids", "--findings", "all")[1])]
        assert run_main("waive", str(folder), *named, "--reason", "r", "--until", "2999-01-01")[0] == 0
        text = (folder / "series.toml").read_text(encoding="utf-8").partition("[[waiver]]")[2]
        assert not set(re.findall(r"\b\d+\b", text)) & {"950", "960", "1000"}
        seals += re.findall('_seal = "([0-9a-f]{16})"', text)
        written.append(re.sub('"[^"]*[0-9a-f]{16}"', "", text))
        assert run_audit(folder)[0] == 0
        manifest = folder / "series.toml"
        sealed = manifest.read_text()
        size = f'size = {{ lower = "{near[0]}", upper = "{near[1]}" }}'  # as earlier versions wrote it
        manifest.write_text(re.sub(r"size = \{.*\}", size, sealed))
        assert run_audit(folder)[0] == 0
        manifest.write_text(sealed)
        (folder / "private/finding.key").unlink()
        assert run_audit(folder)[0] in (1, 3)
    assert len(set(seals)) == len(seals) == 12
    assert len(set(written)) == 1


def test_one_person_is_explained_without_others(tmp_path):
    folder = series(tmp_path, [FAR, NEAR])
    _, out, err = run_main("explain", str(folder), "--individual", "p10")
    assert "p10 has a value from 950 to 1000" in out, err
    assert "p11 has" not in out
    assert "has a value from" not in run_main("explain", str(folder), "--individual", "p00")[1]


@kills("audit.witness.verify_alike.close", "max(abs(a), abs(b)) if", "abs(a) + abs(b) if")
@pytest.mark.many
@pytest.mark.parametrize(
    ("classes", "within", "certain", "two"),
    [([FAR, FAR], 0.1, 0, 4), ([FAR, NEAR], 0.1, 2, 2), ([FAR, NEAR], 0.05, 2, 2), ([FAR, NEAR], 0.049, 0, 4),
     ([["-950", "-1000"], ["-1", "1"]], 0.1, 2, 2), ([["0", "1"], ["5", "5.5"]], 0.1, 2, 2),
     ([FAR, NEAR], '{ Pay = "50" }', 2, 2), ([FAR, NEAR], "{ Pay = 49.9 }", 0, 4)],
)  # fmt: skip
def test_a_witness_shows_which_numbers_are_close(tmp_path, classes, within, certain, two):
    folder, where = series(tmp_path / "s", classes, policy=f"closeness = {within}\nmin_e = 1"), tmp_path / "w"
    code, _, err = run_main(str(folder), "--witness", str(where))
    assert code == bool(certain), err
    file = where / "statement.json"
    stated = json.loads(file.read_text())
    [found] = [each for each in stated["claims"] if each["claim"] in ("close", "near")]
    assert (found["certain"], found["two"]) == (certain, two)
    assert not [each for each in stated["rests"] if "closeness" in each]
    assert run_main("verify", str(folder), str(where))[0] == 0
    for name, forged in (("within", "10000"), ("within", 0.1), ("two", two + 1), ("certain", certain + 1)):
        before, found[name] = found[name], forged
        file.write_text(json.dumps(stated))
        assert run_main("verify", str(folder), str(where))[0] in (1, 2)
        found[name] = before


@kills("audit.witness.verify_alike.counted", "agree(left) & judged", "agree(left)")
def test_a_witness_counts_no_one_whose_number_is_known_beforehand(tmp_path):
    folder = series(tmp_path / "s", [["950", "3000", "10"], NEAR], policy="min_e = 1")
    write(folder / "known.csv", "individual,value\np00,950\n")
    with (folder / "series.toml").open("a") as manifest:
        manifest.write('[adversary]\nknown = "known.csv"\n')
    assert run_main(str(folder), "--witness", str(tmp_path / "w"))[0] == 1
    claims = json.loads((tmp_path / "w/statement.json").read_text())["claims"]
    assert [(each["certain"], each["two"], each["total"]) for each in claims if each["claim"] == "close"] == [(2, 2, 4)]
    assert run_main("verify", str(folder), str(tmp_path / "w"))[0] == 0


@kills("audit.findings.close_numbers.KnownNearly.extent", "self.rows or ", "")
@pytest.mark.parametrize("adversary", ["linked", "register", "published"])
@pytest.mark.parametrize("kind", ["close", "similar"])
def test_close_and_similar_values_fit_the_schema_and_are_listed(tmp_path, adversary, kind):
    columns = {"close": 'types = { Pay = "numeric" }', "similar": 'similar = { Pay = "chapters.csv" }'}[kind]
    write(tmp_path / "chapters.csv", "value,category\n950,low\n1000,low\n3000,high\n")
    path = series(tmp_path, [FAR, NEAR], columns, adversary=adversary)
    _, result = read_audit(path, "--findings", "all")
    assert fits("audit", result)
    lines = csv.DictReader(done("findings", str(path), "--format", "csv").splitlines())
    sizes = {line["id"]: int(line["size"]) for line in lines}
    found = [each for attack in result["attacks"] for each in attack["findings"]]
    assert {*sizes} == {each["id"] for each in found}
    of_kind = {sizes[each["id"]] for each in found if each["kind"] == kind}
    assert of_kind == {2 if adversary == "published" else 1}
    written = {name: [each[name] for each in found if each["kind"] == kind and name in each] for name in COLUMNS}
    frame = load(path).audit(findings=None).findings
    assert {name: [*frame[frame["kind"] == kind][name].dropna()] for name in COLUMNS} == written
