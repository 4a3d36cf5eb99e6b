"""Files in the forms of offices: each has its verdict after what `init` asks is confirmed, and its twin holds."""

import pytest

from tests.cli.test_count_table_doubts import verdict
from tests.cli.test_count_table_init import guessed
from tests.helpers.public_tables import confirm
from tests.helpers.published_forms import AREAS, SEXES, as_csv, cells


def statcan(safe):
    header = ["REF_DATE", "GEO", "DGUID", "Sex", "UOM", "UOM_ID", "SCALAR_FACTOR", "SCALAR_ID", "VECTOR", "COORDINATE",
              "VALUE", "STATUS", "SYMBOL", "TERMINATED", "DECIMALS"]  # fmt: skip
    return as_csv(header, [["2023", a, f"2021A{i}", s, "Persons", "249", "units", "0", f"v{i}", f"1.{i}",
                            "" if n is None else n, "x" if n is None else "", "", "", "0"]
                           for i, (a, s, n) in enumerate(cells(safe))])  # fmt: skip


def pxstat(safe):
    header = ["STATISTIC", "Statistic Label", "TLIST(A1)", "Year", "C02076V03371", "Area", "C02199V02655", "Sex",
              "UNIT", "VALUE"]  # fmt: skip
    return as_csv(header, [["B01", "Persons", "2023", "2023", str(AREAS.index(a)), a, str(SEXES.index(s)), s, "Number",
                            ".." if n is None else n] for a, s, n in cells(safe)])  # fmt: skip


def pxweb(safe):
    rows = {area: [".." if n is None else n for a, _, n in cells(safe) if a == area] for area in AREAS}
    return as_csv(["region", *SEXES], [[area, *texts] for area, texts in rows.items()], ";")


def ons(safe):
    header = ["v4_1", "Data Marking", "calendar-years", "Time", "admin-geography", "Geography", "sex", "Sex"]
    return as_csv(header, [["" if n is None else n, "[c]" if n is None else "", "2023", "2023", f"E{AREAS.index(a)}", a,
                            s.lower(), s] for a, s, n in cells(safe)])  # fmt: skip


def nhs_scotland(safe):
    header = ["Year", "HB", "HBQF", "HBName", "Sex", "SexQF", "NumberOfPatients", "NumberOfPatientsQF"]
    return as_csv(header, [["2023", f"S0800{AREAS.index(a)}", "", a, s, "d" if s == "Total" else "",
                            "" if n is None else n, "c" if n is None else ""] for a, s, n in cells(safe)])  # fmt: skip


def cdc(safe):
    """Totals have a word in the column of notes, and no labels."""
    header = ["Notes", "State", "State Code", "Sex", "Sex Code", "Deaths"]
    return as_csv(header, [["Total" if "Total" in (a, s) else "", "" if a == "Total" else a,
                            "" if a == "Total" else AREAS.index(a) + 1, "" if s == "Total" else s,
                            "" if s == "Total" else s[0], "Suppressed" if n is None else n]
                           for a, s, n in cells(safe)])  # fmt: skip


@pytest.mark.parametrize("form", [statcan, pxstat, ons, nhs_scotland, cdc])
def test_a_hidden_count_that_follows_is_found_and_its_twin_is_safe(form, tmp_path):
    manifest = guessed(tmp_path / "open", {"2023.csv": form(safe=False)})
    assert len(manifest["table"]["dimensions"]) == 2
    assert verdict(tmp_path / "open")[0] in (1, 3)
    confirm(tmp_path / "open")
    code, why, found = verdict(tmp_path / "open")
    assert (code, why) == (1, "[]")
    assert [each["lower"] for each in found] == [3]
    guessed(tmp_path / "twin", {"2023.csv": form(safe=True)})
    assert verdict(tmp_path / "twin")[0] == 3
    confirm(tmp_path / "twin")
    path = tmp_path / "twin/series.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    assert verdict(tmp_path / "twin", "--policy", "min_count=3")[:2] == (0, "[]")


def test_a_table_of_pxweb(tmp_path):
    table = guessed(tmp_path / "open", {"t.csv": pxweb(safe=False)})["table"]
    assert set(table["wide"]["columns"]) == set(SEXES)
    confirm(tmp_path / "open")
    code, why, found = verdict(tmp_path / "open")
    assert (code, why, [each["lower"] for each in found]) == (1, "[]", [3])
    guessed(tmp_path / "twin", {"t.csv": pxweb(safe=True)})
    confirm(tmp_path / "twin")
    assert verdict(tmp_path / "twin", "--policy", "min_count=3")[:2] == (0, "[]")


def test_columns_of_years_are_one_dimension(tmp_path):
    text = as_csv(["region", "sex", "2021", "2022"], [["N", "f", 12, 13], ["N", "T", 30, 40], ["N", "m", 18, 27]])
    table = guessed(tmp_path, {"t.csv": text})["table"]
    assert table["wide"] == {"dimension": "period", "columns": {"2021": "2021", "2022": "2022"}}
    confirm(tmp_path)
    assert verdict(tmp_path)[:2] == (0, "[]")


def measures(people):
    header = ["measure", "interval_start", "interval_end", "ratio", "numerator", "denominator", "sex"]
    return as_csv(header, [["seen", "2023-01-01", "2023-01-31", n / d, n, d, sex] for sex, n, d in people])


def test_measures_of_opensafely(tmp_path):
    """Rounded by midpoints of six, as its own output is: what is left is asked, and then holds."""
    rounded = [("female", 27, 63), ("male", 15, 57), ("unknown", 9, 33)]
    table = guessed(tmp_path / "rounded", {"measures.csv": measures(rounded)})["table"]
    assert table["values"] == ["numerator", "denominator"]
    assert table["part_of"] == {"numerator": "denominator"}
    assert table["rounding"] == {"to": 6, "how": "midpoint"}
    code, why, _ = verdict(tmp_path / "rounded")
    assert code == 3
    assert "table.rounding" in why
    confirm(tmp_path / "rounded")
    assert verdict(tmp_path / "rounded")[:2] == (0, "[]")
    exact = [("female", 28, 61), ("male", 17, 19), ("unknown", 10, 33)]
    guessed(tmp_path / "exact", {"measures.csv": measures(exact)})
    confirm(tmp_path / "exact")
    code, _, found = verdict(tmp_path / "exact")
    assert code == 1
    assert [(each["cell"]["sex"], each["cell"]["statistic"], each["lower"]) for each in found] == [
        ("male", "(rest)", 2)
    ]


def fingertips():
    header = ["Indicator ID", "Area Name", "Sex", "Age", "Time period", "Value", "Lower CI 95.0 limit",
              "Upper CI 95.0 limit", "Count", "Denominator", "Value note"]  # fmt: skip
    people = {("England", "Persons"): (26, 120250), ("England", "Male"): (18, 63580), ("England", "Female"): (8, 56670),
              ("Westmoor", "Persons"): (15, 59830), ("Westmoor", "Male"): (13, 34355),
              ("Westmoor", "Female"): (None, 25475), ("Eastholm", "Persons"): (11, 60420),
              ("Eastholm", "Male"): (5, 29225), ("Eastholm", "Female"): (6, 31195)}  # fmt: skip
    rows = []
    for (area, sex), (n, d) in people.items():
        values = ["", "", "", ""] if n is None else [f"{n / d * 1e5:.2f}", "1.23", "45.67", n]
        rows.append(["40501", area, sex, "<75 yrs", "2022", *values, d, "suppressed" if n is None else ""])
    return as_csv(header, rows)


def test_fingertips(tmp_path):
    table = guessed(tmp_path, {"2022.csv": fingertips()})["table"]
    assert table["rates"] == {"column": "Value", "per": 100_000, "decimals": 2, "denominator": "Denominator"} | {
        "of": "published"
    }
    assert table["not_counts"] == ["Indicator ID", "Time period"]
    code, why, found = verdict(tmp_path)
    assert code == 3
    assert "Lower CI" in why
    assert [each["lower"] for each in found] == [2]
    confirm(tmp_path)
    assert verdict(tmp_path)[0] == 1
