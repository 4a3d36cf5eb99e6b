"""The table of forms in the manual: what `init` recognises and guesses, and the verdicts, beside the files."""

import re
import tomllib
from functools import partial
from pathlib import Path

import pytest

from tests.cli.test_acro_sessions import CROSSED, ONE, TOTALS, by_sex, described, session
from tests.cli.test_argus_files import ALL_HIDDEN, HIDDEN
from tests.cli.test_argus_files import rows as argus_rows
from tests.cli.test_argus_files import table as argus_table
from tests.cli.test_count_table_columns import added
from tests.cli.test_count_table_doubts import verdict
from tests.helpers.public_tables import confirm, education, monthly
from tests.helpers.published_forms import (
    OF_AREA_AND_SEX,
    OFFICES,
    ONCE,
    REFUSED,
    fingertips,
    lines,
    measures,
)
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

VERDICTS = {0: "holds", 1: "not safe", 2: "refused", 3: "undecided"}
MANUAL = Path(__file__).parents[2] / "docs" / "tables.md"
MEANS = {(area,): {"F": "1.5", "M": "1.5"} for area in "ENS"}


def shares(one, other):
    """Counts by area and sex with their shares of the row's total, as a text made of both."""
    rows = [
        f"{area},{sex},{one(n, 100 * n / (f + m))}\n"
        for area, f, m in (("A", 11, 16), ("B", 11, 20), ("C", 30, 17))
        for sex, n in (("All", f + m), ("F", f), ("M", m))
    ]
    return f"area,sex,{other}\n" + "".join(rows)


FILES = {
    "OpenSAFELY measures, midpoint-6": measures([("female", 27, 63), ("male", 15, 57), ("unknown", 9, 33)]),
    "OpenSAFELY measures, exact": measures([("female", 28, 61), ("male", 17, 19), ("unknown", 10, 33)]),
    "SDMX-CSV, `CONF_STATUS`": lines("DATAFLOW,REF_AREA,SEX,TIME_PERIOD,OBS_VALUE,CONF_STATUS", "F,A,F,2024,8,F",
        "F,A,M,2024,,C", "F,A,T,2024,11,F", "F,B,T,2024,25,F", "F,B,F,2024,9,F"),
    "tidy, `1-9`, totals of any name": added("Wszystkie"),
    "tidy, nothing hidden": added("Summe", ()),
    "tidy, `*`, a line refutes small counts": lines("area,sex,count", "All,All,51", "All,F,15", "All,M,36",
        "A,All,20", "A,F,*", "A,M,*", "B,All,31", "B,F,*", "B,M,*"),
    "tidy, ages as numbers": lines("age,sex,deaths", "All,All,40", "All,F,22", "All,M,18", "70,All,20", "70,F,11",
        "70,M,9", "71,All,20", "71,F,11", "71,M,9"),
    "tidy, ZIP codes, two days": {
        "2020-06-15.csv": lines("zip,cases", "Total,1003", "10023,567", "10024,436"),
        "2020-06-16.csv": lines("zip,cases", "Total,1006", "10023,566", "10024,440"),
    },
    "tidy, years in one column": lines("year,area,cases", *(f"{year},{area},{n}" for year in (2021, 2022)
        for area, n in (("A", 20), ("B", 31), ("All", 51)))),
    "Statistics NZ, random rounding to 3": lines("Area,Ethnicity,Count", "Total,Total,33", "Total,Maori,15",
        "Total,European,18", "Area 1,Total,21", "Area 1,Maori,12", "Area 1,European,9", "Area 2,Total,12",
        "Area 2,Maori,..C", "Area 2,European,9"),
    "zeros for small counts": lines("practice,sex,patients", "All,All,40", "All,F,25", "All,M,15", "P1,All,22",
        "P1,F,22", "P1,M,0", "P2,All,18", "P2,F,0", "P2,M,15"),
    "counts and rates of a population": lines("area,cases,population,rate", *(f"{area},{n},{p},{n / p * 1e5:.1f}"
        for area, n, p in (("A", 41, 1823), ("B", 19, 2211), ("C", 133, 6104), ("All", 193, 10138)))),
    "shares of a row's total": shares(lambda n, share: f"{n},{share:.1f}", "count,percent"),
    "shares beside hidden counts, two years, French": {
        f"foyers-{year}.csv": lines("zone;tranche d'âge;nombre de foyers;revenu moyen (€);part (%)",
            f"01;20 à 29 ans;{n};2 681,19;{n / 12.5:.1f}".replace(".", ","), "01;30 à 39 ans;s;n.d.;s",
            "01;Ensemble;1 250;28 345,60;100,0", "02;20 à 29 ans;840;n.d.;70,0", "02;30 à 39 ans;360;19 004,50;30,0",
            "02;Ensemble;1 200;2 345,60;100,0") for year, n in ((2021, 1247), (2022, 1246))
    },
    "`n (%)` in one cell": shares(lambda n, share: f"{n} ({share:.1f}%)", "n"),
    "changes since last week": {
        "2021-05-28.csv": lines("areaName,cases,change", "Riverside,0-2,", "Old Town,0-2,", "Hill,9,2"),
        "2021-06-04.csv": lines("areaName,cases,change", "Riverside,6,5", "Old Town,0-2,", "Hill,7,-2"),
    },
    "several counts of one provider": lines("provider,tot_benes,feml_cnt,lt_65_cnt", "Clinic A,60,52,",
        "Clinic B,74,40,44", "Clinic C,43,13,30", "Clinic D,90,30,65"),
    "columns that add up": lines("region;Male;Female;Both sexes", "North;20;11;31", "South;30;12;42", "West;40;33;73",
        "All;90;56;146"),
    "a magnitude beside the count": lines("nace,turnover,enterprises", "Total,1250.5,40", "B05,c,3", "B06,c,5",
        "B07,400.0,20", "B08,820.5,12"),
    "the total of the row beside it": lines("area,sex,count,area_total", "A,F,*,20", "A,M,16,20", "B,F,11,31",
        "B,M,20,31"),
    "Nomis, numerators and percentages in rows": lines("GEOGRAPHY_NAME,VARIABLE_NAME,MEASURES_NAME,OBS_VALUE",
        "G,All,Numerator,41300", "G,In work,Numerator,25100", "G,Inactive,Numerator,15000", "G,Unemployed,Numerator,",
        "G,All,Percentage,100.0", "G,In work,Percentage,60.8", "G,Inactive,Percentage,36.3",
        "G,Unemployed,Percentage,"),
    "markers in words": lines("area,sex,cases", "Total,Total,52", "Total,F,30", "Total,M,22", "A,Total,31", "A,F,27",
        "A,M,fewer than 5", "B,Total,21", "B,F,<=5", "B,M,18"),
    "thousands with points": lines("Gebiet;Anzahl", "Nord;1.234", "Süd;766", "Gesamt;2.000"),
}  # fmt: skip
FILES |= {name: made(safe=False) for name, made in OF_AREA_AND_SEX.items()} | ONCE | REFUSED
PIVOT = [",count,count", ",v,v", "sex,F,M", "area,,", "E,30,18", "N,,", "S,25,20"]
COUNTED = (PIVOT, 3, {"by": ["area", "sex"], "of": "v"})
ROUNDED = (["area,F,M,All", "E,30,20,50", "N,10,10,20", "S,25,20,45"], 1, {"by": ["area", "sex"], "rounded": True})
WRITTEN = {
    "tau-Argus, `.tab` with `.rda` and `.hrc`": lambda folder: argus_table(folder, argus_rows(HIDDEN)),
    "tau-Argus, secondary cells hidden too": lambda folder: argus_table(folder, argus_rows(ALL_HIDDEN)),
    "tau-Argus, numbers of hidden cells": lambda folder: argus_table(folder, argus_rows(ALL_HIDDEN, shown=True)),
    "ACRO 1.x, a pivot table": lambda folder: described(folder / "s1", COUNTED),
    "ACRO 1.x, counts of values beside those of people": lambda folder: described(
        folder / "s1", CROSSED, COUNTED, TOTALS
    ),
    "ACRO 1.x, rounded": lambda folder: described(folder / "s1", ROUNDED),
    "Fingertips": lambda folder: (folder / "t.csv").write_text(fingertips(), encoding="utf-8"),
    "NHS England, long, rounded": partial(monthly, areas=25),
    "DfE, tidy, years in one file": education,
    "ACRO 1.x, one table": lambda folder: session(folder / "s1", [(["area"], "sex", by_sex(), "")]),
    "ACRO 1.x, two tables": lambda folder: session(
        folder / "s1", [(["area"], "sex", by_sex(), ""), (["area"], "one", ONE, "")]
    ),
    "ACRO 1.x, means": lambda folder: session(
        folder / "s1", [(["area"], "sex", by_sex(), ""), (["area"], "sex", MEANS, ', values=v, aggfunc="mean"')]
    ),
}


def rows():
    """The rows of the table in the manual, by the name of the form."""
    section = MANUAL.read_text(encoding="utf-8").split("## Forms\n")[1].split("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return {row[0]: row[1:] for row in cells[2:]}


ROWS = rows()


def put(form, folder):
    """Write the files of a form."""
    folder.mkdir()
    plain = form.removesuffix(", all parts hidden")
    if plain in OFFICES:
        (folder / "2023.csv").write_text(OFFICES[plain](safe=plain != form), encoding="utf-8")
    elif form in WRITTEN:
        WRITTEN[form](folder)
    else:
        files = FILES[form] if isinstance(FILES[form], dict) else {"2023.csv": FILES[form]}
        for name, text in files.items():
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def test_every_form_is_in_the_manual():
    offices = {f"{name}{twin}" for name in OFFICES for twin in ("", ", all parts hidden")}
    assert {*offices, *FILES, *WRITTEN} == set(ROWS)


@kills(
    "audit.init.count_refusals.refuse_numbers_as_markers",
    "if unread else ()",
    "if not unread else ()",
    case="[powers of ten]",
)
@pytest.mark.many
@pytest.mark.parametrize("form", ROWS)
def test_a_form_is_what_the_manual_says(form, tmp_path):
    shape, guessed, at_once, after = ROWS[form]
    put(form, folder := tmp_path / "series")
    code, out, error = run_main("init", str(folder), "--yes")
    if shape == "refused":
        assert (code, len((out + error).strip().splitlines()), (folder / "series.toml").exists()) == (2, 1, False)
        return
    assert code == 0
    text = (folder / "series.toml").read_text(encoding="utf-8")
    assert re.search(r"`audit init`: (.*)\. Correct", text)[1] == shape
    keys = tomllib.loads(text).get("unconfirmed", {}).get("keys", [])
    assert (", ".join(f"`{key}`" for key in keys) or "nothing") == guessed
    assert VERDICTS[run_main(str(folder))[0]] == at_once
    confirm(folder)
    assert VERDICTS[run_main(str(folder))[0]] == after


def offence(number, name, dimension, labels, counts):
    """A sheet of a workbook, below a title of as many rows, about an offence."""
    rows = [f"{area};{label};{n}" for area, own in counts for label, n in zip([*labels, "Insgesamt"], own, strict=True)]
    return lines(f"Tabelle {number}: {name};;", *[";;"] * number, f"Bezirk;{dimension};Fälle", *rows)


OFFENCES = {
    "1.csv": offence(1, "Raub", "Alter", ["unter 21", "ab 21"], [("Mitte", (20, 31, 51)), ("Insgesamt", (23, 56, 79))]),
    "2.csv": offence(2, "Diebstahl", "Sex", ["w", "m"], [("Mitte", (40, 61, 101)), ("Insgesamt", (63, 113, 176))]),
}


def texts_of(form):
    files = FILES[form] if isinstance(FILES[form], dict) else {"2023.csv": FILES[form]}
    return {name: text for name, text in files.items() if isinstance(text, str)}


def with_another_number(text):
    """A file in which the last number of two digits is larger than its total."""
    return re.sub(r"(?s)(.*(?<![\w.,-]))[1-9][0-9](?![\w.,-])", r"\g<1>977", text)


@kills("audit.cli.init.run", "if tables is not None:\n        refuse", "if False:\n        refuse", case="[offences]")
@pytest.mark.many
@pytest.mark.parametrize("form", ["offences", *filter(texts_of, FILES)])
def test_init_ends_with_the_refusal_of_the_audit_of_what_it_writes(form, tmp_path):
    """Else the publisher is sent to an audit that cannot begin."""
    spoiled = {} if form == "offences" else {name: with_another_number(text) for name, text in texts_of(form).items()}
    for name, text in (spoiled or OFFENCES).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    code, _, error = run_main("init", str(tmp_path), "--yes")
    if (tmp_path / "series.toml").exists():
        again, _, refusal = run_main(str(tmp_path))
        assert (code, error) == ((2, refusal) if again == 2 else (0, ""))
    assert (code == 2) >= (form == "offences")


@pytest.mark.many
@pytest.mark.parametrize("form", [*OF_AREA_AND_SEX, *OFFICES])
def test_a_form_of_which_all_parts_are_hidden_holds(form, tmp_path):
    """The nearest file that discloses nothing; in the other one, a single hidden 3 in a line is the reason."""
    made = (OF_AREA_AND_SEX | OFFICES)[form]
    for name, safe in (("open", False), ("twin", True)):
        (folder := tmp_path / name).mkdir()
        files = made(safe=safe)
        for file, text in (files if isinstance(files, dict) else {"2023.csv": files}).items():
            (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())
        assert run_main("init", str(folder), "--yes")[0] == 0
        confirm(folder)
    assert verdict(tmp_path / "twin", "--policy", "min_count=3")[:2] == (0, "[]")
    code, _, found = verdict(tmp_path / "open")
    assert (code, {each["kind"] for each in found}) == (1, {"recovered"})


def test_the_areas_of_a_form_have_a_name_in_the_language_of_the_publisher(tmp_path):
    education(tmp_path)
    assert run_main("init", str(tmp_path), "--yes", "--language", "de")[0] == 0
    assert [*tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["table"]["nested"]] == ["Gebiet"]


def test_the_manual_has_sixty_forms():
    assert len({form for form in ROWS if not form.endswith(", all parts hidden")}) >= 60
