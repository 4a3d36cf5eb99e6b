"""What a waiver or a baseline accepts: as much as was known when it was made, and no more."""

import json

import pytest

from tests.cli.forms import append
from tests.helpers.count_tables import TinyTables
from tests.helpers.messy import series_of
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

HOW = ["--format", "json", "--stable-ids", "--findings", "all"]


def rows(head, columns, policy):
    """What writes a series whose releases are these lines, and files beside them."""

    def write(folder, *releases, **beside):
        tables = ["\n".join([head, *lines, ""]) for lines in releases]
        return series_of(folder, tables, columns, f"[policy]\n{policy}", **beside)

    return write


def counts(folder, *releases):
    """N and S, hidden, are 1 to 4 each; a policy that asks for five possible values."""
    areas = {"N": ("N",), "S": ("S",), "W": ("W",), "S and W": ("S", "W")}
    tables = TinyTables(
        ("area",), releases, totals={"area": "All"}, categories={"area": areas}, markers={"*": (1, 7)},
        over_time="same", min_count=5, min_width=5,
    )  # fmt: skip
    return tables.write(folder)


def similar(folder, cold):
    """The one who has a cold is beside one who has asthma, which is of two categories."""
    lines = ["a,30-39,flu", "b,30-39,gout", "c,40-49,cold", "d,40-49,asthma"]
    chapters = f"value,category\nflu,airways\ncold,{cold}\nasthma,airways\nasthma,chronic\ngout,joints\n"
    columns = ILL + 'similar = { Disease = "chapters.csv" }'
    return rows("Owner,Age,Disease", columns, "min_e = 1")(folder, lines, chapters=chapters)


def paid(*pays):
    return [f"p{n},{'20-29' if n < 2 else '30-39'},{pay}" for n, pay in enumerate(["950", "3000", *pays])]


def cases(*ages):
    return [f"{n},{age},{value}" for n, (age, value) in enumerate(zip(ages, "abcdefgh", strict=True))]


ILL = 'individual = "Owner"\nsensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
RISKS = [f"{who},1,*,{value}" for who, value in zip("ABCD", ["HIV", "HIV", "HIV", "flu"], strict=True)]
ALONE = ["21,a", "30,b", "30,c", "30,d"]
FEW = [(("All",), "50"), (("N",), "*"), (("S",), "*"), (("W",), "45")]
CROSSED = cases(*["1-4"] * 4, *["5-8"] * 4), cases(*["1-6", "1-6", "3-9", "3-9"] * 2)
FORMS = {
    "a risk": rows("who,g,age,d", 'group = "g"\nquasi_identifiers = ["age"]\nindividual = "who"\nsensitive = "d"',
                   "max_risk = 0.7\nmin_e = 1\nk = 1"),
    "rows in classes below k": rows("Age,Disease", 'sensitive = "Disease"\nquasi_identifiers = ["Age"]',
                                    "k = 3\nmax_risk = 1.0"),
    "an interval": rows("Owner,Age,Pay", ILL.replace("Disease", "Pay") + 'types = { Pay = "numeric" }', "min_e = 1"),
    "a category": similar,
    "a record's class": rows("Case,Age,D", 'record = "Case"\nsensitive = "D"\nquasi_identifiers = ["Age"]', "k = 4"),
    "a count": counts,
}  # fmt: skip
FIRST = {"a risk": [RISKS], "rows in classes below k": [ALONE], "an interval": [paid("950", "1000", "950")],
         "a category": ["airways"], "a record's class": CROSSED, "a count": [FEW]}  # fmt: skip
SAME: set[tuple] = set()
THEN = [
    ("a risk", [RISKS, ["A,1,*,HIV", *[",1,*,flu"] * 30]], {("risk",)}),
    ("a risk", [RISKS, ["E,1,*,HIV", "F,1,*,flu"]], SAME),
    ("rows in classes below k", [[*ALONE, "30,a"]], SAME),
    ("rows in classes below k", [[*ALONE[:3], "31,d", "31,e", "31,f"]], {("k",)}),
    ("rows in classes below k", [[*ALONE, "40,a"]], {("k",), ("group",)}),
    ("an interval", [paid("900", "950", "1000")], SAME),
    ("an interval", [paid("950", "1000", "1000")], SAME),
    ("an interval", [paid("960", "1000", "1000")], {("close", "960", "1000")}),
    ("an interval", [paid("950", "990", "950")], {("close", "950", "990")}),
    ("an interval", [paid("1000", "1050", "1050")], {("close", "1000", "1050")}),
    ("a category", ["chronic"], {("similar", "chronic")}),
    ("a record's class", [*CROSSED, CROSSED[1]], SAME),
    ("a record's class", [*CROSSED, cases(*["1-5", "2-9"] * 4)], {("narrowed",), ("group",)}),
    ("a count", [FEW, [(("S and W",), "")]], SAME),
    ("a count", [FEW, [(("S and W",), "46")]], {("recovered", 4, 4), ("recovered", 1, 1)}),
]
WAYS = {
    "all": lambda findings: ["*"],
    "ids": lambda findings: [each["id"] for each in findings],
    "people": lambda findings: [*"ABCD"],
    "a release": lambda findings: ["--group", "1", "*"],
}


def audited(folder, *words):
    code, out, err = run_main(str(folder), *HOW, *words)
    assert out, err
    return code, json.loads(out)


def accepted(folder, way, target):
    """Accept all that an audit finds; the words to audit the series with from now on."""
    if "baseline" not in way:
        named = WAYS[way]([each for entry in audited(folder)[1]["attacks"] for each in entry["findings"]])
        assert run_main("waive", str(folder), *named, "--reason", "r", "--until", "2999-01-01")[0] == 0
        return []
    words = []
    for _ in way.split(" of a "):
        run_main(str(folder), *HOW, *words, "--output", str(target))
        words = ["--baseline", str(target)]
    return words


def new_in(result):
    """What a report finds, as kind and ends or category; and that the rows of a release violate `k`."""
    findings = [each for entry in result["attacks"] for each in entry["findings"]]
    told = {(one["kind"], *(one[name] for name in ("lower", "upper", "category") if name in one)) for one in findings}
    alone = {(each["measure"],) for each in result["policy"]["violations"] if each["attack"] is None}
    return told | (alone & {("k",)})


@kills("audit.judgement.waivers.NamedFindings.within", "sizes[ident].covers(size)", "True")
@kills("audit.judgement.waivers.NamedFindings.within", "ident in sizes and sizes[ident].covers(size)", "ident in sizes")
@kills("audit.judgement.selection.Selection.covered", "accepted[ident].covers(size)", "True")
@kills(
    "audit.model.finding.SmallClasses.covers",
    "other.rows <= self.rows",
    "True",
    case="[rows in classes below k-3-a baseline]",
)
@kills(
    "audit.judgement.baseline._small_classes",
    'each["below_k"]}',
    "10**9}",
    case="[rows in classes below k-3-a baseline]",
)
@kills(
    "audit.model.finding.CloseSize.covers",
    "other.lower <= self.lower",
    "other.lower >= self.lower",
    case="[an interval-5-a baseline]",
)
@pytest.mark.many
@pytest.mark.parametrize("way", ["a baseline", "a baseline of a baseline", *WAYS])
@pytest.mark.parametrize(("form", "then", "new"), THEN, ids=[f"{form}-{n}" for n, (form, *_) in enumerate(THEN)])
def test_no_more_is_accepted_than_was_known(form, then, new, way, tmp_path):
    if way in WAYS and (form == "rows in classes below k") != (way == "a release"):
        pytest.skip("what a release shows by itself has no ids, and nothing else is waived with it")
    if way == "people" and form != "a risk":
        pytest.skip("it names other people, or none")
    folder = tmp_path / "s"
    (folder / "private").mkdir(parents=True)
    FORMS[form](folder, *FIRST[form])
    assert audited(folder)[0] == 1
    words = accepted(folder, way, tmp_path / "old.json")
    assert audited(folder, *words)[0] == 0
    waivers = (folder / "series.toml").read_text(encoding="utf-8").partition("[[waiver]]")
    FORMS[form](folder, *then)
    append(folder / "series.toml", "".join(waivers[1:]))
    code, result = audited(folder, *words)
    assert (code, new_in(result)) == (bool(new), new)
    states = {each["state"] for each in result["policy"]["waived"]}
    if form in ("a risk", "an interval", "a count") and not words:
        assert ("exceeded" if new else "applied") in states
