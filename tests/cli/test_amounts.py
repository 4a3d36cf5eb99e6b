"""Amounts in the notations of offices are read as the numbers that they are: the reports are those of plain numbers."""

from itertools import cycle

import pytest

from audit.io.microdata import open_microdata
from audit.io.releases import IdentifierEncoder
from tests.cli.forms import edit
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.microdata import write_microdata
from tests.helpers.running import drafted, run_audit, run_main
from tests.mutants.mutant import kills

AMOUNTS = [["3414.69", "3414.69"], ["1200.5", "1210"], ["-1234567.25", "900"], ["20000", "0.5"]]
PLAIN = 'types = { Pay = "numeric" }'
GROUPS = {"blank": " ", "no-break": "\u00a0", "narrow": "\u202f", "thin": "\u2009", "apostrophe": "'", "curly": "’"}
NOTATIONS = [
    *((group, sign, ",") for group in GROUPS.values() for sign in ",."),
    (".", ",", ","),
    (",", ".", "."),
    *((group, ".", ".") for group in GROUPS.values()),
    *((group, ".", None) for group in GROUPS.values()),
]
UNITS = ["{}", "{} €", "{}\u00a0€", "{}€", "€ {}", "£{}", "{} EUR", "{} kg", "{} euros"]


def written(amount, group, sign, minus="-"):
    """An amount with a sign between its thousands and a decimal sign."""
    return format(float(amount), ",.2f").translate(str.maketrans({",": group, ".": sign, "-": minus}))


def series(folder, columns, spell):
    rows = [
        [f"p{i}{n}", f"{20 + 10 * i}-{29 + 10 * i}", spell(t)]
        for i, pair in enumerate(AMOUNTS)
        for n, t in enumerate(pair)
    ]
    said = f'sensitive = "Pay"\nquasi_identifiers = ["Age"]\nindividual = "Owner"\n{columns}'
    (folder / "private").mkdir(parents=True)
    return series_of(folder, [[["Owner", "Age", "Pay"], *rows]], said)


def report(folder):
    """What attacks find and what the policy says of it."""
    result = run_audit(folder, "--findings", "all", "--reveal")[1]
    found = [
        (one["kind"], one.get("value"), one.get("people")) for each in result["attacks"] for one in each["findings"]
    ]
    attacks = [(each["attack"], each["measures"], each["findings_total"]) for each in result["attacks"]]
    return result["policy"], [each["kind"] for each in result["warnings"]], found, attacks


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return report(series(tmp_path_factory.mktemp("plain"), PLAIN, str))


@kills("audit.io.notations.with_plain_point", "ungrouped(text)", "text")
@pytest.mark.many
@pytest.mark.parametrize(
    ("notation", "form"),
    [*((each, "{}") for each in NOTATIONS), *zip(NOTATIONS, cycle(UNITS), strict=False)],
    ids=ascii,
)
def test_an_audit_of_amounts_is_that_of_plain_numbers(notation, form, plain, tmp_path):
    """Only the values that findings name have a unit, if all amounts have the same."""
    group, sign, decimal = notation
    said = PLAIN + (f'\ndecimal = "{decimal}"' if decimal else "")
    minus = "−" if form == "{}" else "-"
    other = report(series(tmp_path, said, lambda text: form.format(written(text, group, sign, minus))))
    assert [value for _, value, _ in other[2] if value is not None]
    bare = [(kind, value and value.split(" ")[0], people) for kind, value, people in other[2]]
    assert (*other[:2], bare, other[3]) == plain


@pytest.mark.parametrize("group", [*GROUPS.values(), "."], ids=ascii)
def test_commas_behind_grouped_thousands_are_guessed_to_be_decimal(group, tmp_path):
    folder = series(tmp_path / "s", "", lambda text: written(text, group, ","))
    (folder / "series.toml").unlink()
    assert 'decimal = ","' in drafted(folder)


@kills("audit.io.background_knowledge.TransitionLines.respelled", "(spell(a), spell(b))", "(a, b)")
@pytest.mark.many
@pytest.mark.parametrize("notation", NOTATIONS, ids=ascii)
def test_a_series_and_microdata_read_transitions_and_harmless_values_as_the_cells(notation, tmp_path):
    group, sign, decimal = notation
    texts = {text: written(text, group, sign) for pair in AMOUNTS for text in pair}
    stays, changes = texts["3414.69"], texts["1200.5"]
    lines = [["from", "to"], *([text, text] for text in texts.values()), [stays, changes]]
    more = f'harmless = ["{stays}"]\n' + (f'decimal = "{decimal}"\n' if decimal else "")
    rows = [[f"p{n}", str(20 + n), text] for n, text in enumerate(texts.values())]
    write_microdata(
        tmp_path, {"1": rows}, head=["Owner", "Age", "Pay"], more=f'{more}[updates]\ntransitions = "moves.csv"\n'
    )
    write(tmp_path / "moves.csv", as_csv(lines))
    snapshot = open_microdata(tmp_path).read_all(IdentifierEncoder())[0].snapshot
    codes = {text: code for code, text in enumerate(snapshot.values)}
    assert {*codes} == {"3414.69", "1200.5", "1210", "-1234567.25", "900", "20000", "0.5"}
    assert snapshot.harmless == {codes["3414.69"]}
    assert snapshot.updates.may[codes["3414.69"], codes["1200.5"]]

    said = PLAIN + (f'\ndecimal = "{decimal}"' if decimal else "")
    folder = series(tmp_path / "series", said, texts.__getitem__)
    write(folder / "moves.csv", as_csv(lines))
    edit(folder / "series.toml", "[columns]", '[adversary]\ntransitions = "moves.csv"\n[columns]')
    assert run_main(str(folder))[0] != 2


@pytest.mark.parametrize(("units", "kind"), [("€ $", "numeric"), ("€ ", "numeric"), ("€ €", None)])
def test_numbers_with_several_units_or_without_a_type_are_asked_about(units, kind, tmp_path):
    one, other = units.split(" ")
    said = f'types = {{ Pay = "{kind}" }}' if kind else ""
    folder = series(tmp_path, said, lambda text: f"{text} {other if text == '1210' else one}".strip())
    out = run_main(str(folder))[1]
    assert ("with one unit or without" if kind else 'write types = { Pay = "numeric" }') in " ".join(out.split())


@kills("audit.io.rules.cell_meaning.ColumnTypes.doubts", "len({*map(unit_of, unread)}) == 1", "True")
@pytest.mark.parametrize(("unit", "state"), [("g", "undecided"), ("kg", "holds")])
@pytest.mark.parametrize("kind", ["numeric", None])
def test_amounts_with_several_units_may_be_the_same_value(kind, unit, state, tmp_path):
    """Two people of each age have one weight in two units, or two weights; their type is declared or not."""
    rows = [[f"{age}-{age + 9}", text] for age in (20, 30, 40) for text in (f"{age} kg", f"{age}000 {unit}")]
    said = f'types = {{ Pay = "{kind}" }}' if kind else ""
    series_of(tmp_path, [[["Age", "Pay"], *rows]], f'sensitive = "Pay"\nquasi_identifiers = ["Age"]\n{said}')
    clauses = {each["clause"]: each["state"] for each in report(tmp_path)[0]["clauses"]}
    assert clauses["max_risk"] == state


@kills("audit.io.unread_cells._as_written", '[_UNIT.sub("", text) for text in', "[text for text in")
@pytest.mark.parametrize(
    ("said", "state"), [("", "undecided"), ('decimal = "."', "holds"), ('decimal = ","', "violated")]
)
@pytest.mark.parametrize("unit", ["", " g", " €"])
def test_a_point_that_may_group_thousands_is_asked_about_with_and_without_a_unit(said, unit, state, tmp_path):
    """Two people of each age have 1500 and 1.500: one value, or two."""
    rows = [[f"{age}-{age + 9}", f"{text}{unit}"] for age in (20, 30, 40) for text in (f"1{age}0", f"1.{age}0")]
    columns = f'sensitive = "Pay"\nquasi_identifiers = ["Age"]\ntypes = {{ Pay = "numeric" }}\n{said}'
    series_of(tmp_path, [[["Age", "Pay"], *rows]], columns)
    clauses = {each["clause"]: each["state"] for each in report(tmp_path)[0]["clauses"]}
    assert clauses["max_risk"] == state
