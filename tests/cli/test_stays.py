"""`audit init` finds in a register when people come and leave, by the names of two columns."""

import tomllib

import pytest

from tests.helpers.messy import as_csv, write
from tests.helpers.running import drafted, run_audit
from tests.mutants.mutant import kills

PAIRS = [
    ("Alta", "Baja"),
    ("Fecha de entrada", "Fecha de salida"),
    ("Entrée", "Sortie"),
    ("Aufnahme", "Entlassung"),
    ("Zugang", "Abgang"),
    ("Arrival", "Departure"),
    ("Première vague", "Dernière vague"),
    ("Erste Welle", "Letzte Welle"),
    ("First wave", "Last wave"),
]


def folder_with(folder, columns, ends, name=""):
    """Two releases of ten people, and a register of them with a remark and two more columns."""
    for tag in ("2021", "2022"):
        rows = [["Age", "Town", "Disease"]]
        rows += [[f"{20 + 10 * (n // 4)}-{29 + 10 * (n // 4)}", "Ayr", "flu" if n % 2 else "gout"] for n in range(12)]
        write(folder / f"{name}{tag}.csv", as_csv(rows))
    people = [["NIF", "Age", "Town", "Remark", *columns]]
    people += [[f"X{n:03}", str(20 + n), "Ayr", "", *ends] for n in range(12)]
    write(folder / "padron.csv", as_csv(people))
    return tomllib.loads(drafted(folder))


ENDS = {
    "positions": ("1", "2"),
    "coming": ("1", "3"),
    "tags": ("2021", "2022"),
    "still there": ("2021", ""),
    "years": ("2019", "2030"),
}


@kills("audit.io.naming.stay", "some | ends if names_waves(name) else some", "some")
@pytest.mark.many
@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("columns", PAIRS, ids="-".join)
def test_two_columns_say_when_people_come_and_leave(columns, ends, tmp_path):
    said = folder_with(tmp_path, columns, ends)
    assert (said["register"]["first"], said["register"]["last"]) == columns
    assert {"register.first", "register.last"} <= {*said["unconfirmed"]["keys"]}
    assert "presence" not in said["adversary"]


@pytest.mark.parametrize(
    ("columns", "ends"),
    [
        (("Alta", "Baja"), ("2021-03-04", "2022-05-06")),
        (("Alta", "Entrada"), ("1", "2")),
        (("Alta", "Baja"), ("1", "9")),
    ],
)
def test_what_names_no_releases_does_not_say_it(columns, ends, tmp_path):
    said = folder_with(tmp_path, columns, ends)
    assert "first" not in said.get("register", {})
    assert said["adversary"]["presence"] == "possible"


@pytest.mark.parametrize(("name", "known"), [("datos_", True), ("T1-", False)])
def test_years_are_those_of_releases_whose_names_have_no_other_number(name, known, tmp_path):
    said = folder_with(tmp_path, ("Alta", "Baja"), ("2021", ""), name)
    assert ("presence" in said["adversary"]) == (not known)
    code, result, err = run_audit(tmp_path)
    assert (code, result["adversary"]["kind"]) == (3, "register" if known else "possible"), err
