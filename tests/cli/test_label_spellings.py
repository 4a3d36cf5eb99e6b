"""Labels of count tables that some releases have in other words than others."""

import json

import numpy as np
import pytest

from tests.helpers.amount import rotated
from tests.helpers.amount import some as drawn
from tests.helpers.count_tables import write_tables
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

NAMES = ("female", "male")
TABLE = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { area = "All", sex = "All" }\nmarkers."*" = [1, inf]\n'


def verdict(folder):
    """The exit code, and the reasons of what is undecided."""
    code, out, err = run_main(str(folder), "--format", "json")
    assert err == ""
    return code, json.dumps(json.loads(out)["policy"]["undecided"])


def by_sex(cells, names, is_hidden=(False, False), areas="ABC"):
    """The lines of a table by area and sex with its sums, of some areas, with the numbers of some sexes hidden."""
    cells = np.column_stack([cells, cells.sum(axis=1)])
    rows = [*zip(areas, cells, strict=False), ("All", cells.sum(axis=0))]
    sexes = [*zip((*names, "All"), (*is_hidden, False), strict=True)]
    shown = (
        f"{area},{sex},{'*' if is_one else n}"
        for area, own in rows
        for (sex, is_one), n in zip(sexes, own.tolist(), strict=True)
    )
    return ["area,sex,n", *shown]


@kills("audit.count_tables.second_reading._lacking_labels", "if some.size < each.axis.atoms", "")
@kills("audit.count_tables.second_reading._without_people", "label, 0, 0)", "label, 0, UNBOUNDED)")
@kills("audit.count_tables.second_reading._lacking_labels_disclose_more", "if together is None:", "if False:")
@kills(
    "audit.count_tables.second_reading._lacking_labels",
    "            is_unknown\n            and all(",
    "            is_unknown or all(",
)
@pytest.mark.parametrize(
    ("seed", "areas", "words", "has_categories"), rotated(160, ["ABC", "AB"], [("f", "m"), ("1", "2")], [False, True])
)
def test_no_series_holds_whose_labels_disclose_more_in_one_spelling(seed, areas, words, has_categories, tmp_path):
    """The total of each release could count people of the labels that it lacks, so nothing followed from it.

    That of the first one counts those of an area that it does not show.
    """
    rng = np.random.default_rng(seed)
    first, second = rng.integers(2, 20, (2, 3, 2))
    is_hidden, other = rng.random(2) < 0.6, by_sex(second, NAMES, rng.random(2) < 0.6)  # one sex follows from the other
    alike = {"1.csv": by_sex(first, NAMES, is_hidden, areas), "2.csv": other}
    tables = {"1.csv": by_sex(first, words, is_hidden, areas), "2.csv": other}

    def audited(files, more="", atoms=()):
        lines = ["label,atom", *(f"{label},{atom}" for label, atom in zip((*NAMES, *words), atoms, strict=bool(atoms)))]
        (tmp_path / "categories").mkdir(exist_ok=True)
        (tmp_path / "categories/sex.csv").write_text("\n".join([*lines, ""]))
        more += 'categories.sex = "categories/sex.csv"\n' if atoms else ""
        return verdict(write_tables(tmp_path, files, TABLE + more, "min_count = 2"))

    expected, _ = audited(alike)
    code, why = audited(tables, atoms=(*NAMES, *words) if has_categories else ())
    assert code == expected or (expected != 0 and code != 0 and "mean the same" in why)
    assert audited(tables, atoms=NAMES * 2)[0] == expected
    # Missing cells that can be any count say nothing about a release that has no label of another one.
    assert (audited(tables, 'absent = "unknown"\n')[0] == 0) == (expected == 0)


@kills("audit.count_tables.other_readings.pairs_of_equals", "if name in manifest.open", "if False")
@pytest.mark.parametrize("over_time", ["same", "cumulative"])
@pytest.mark.parametrize("seed", range(drawn(20)))
def test_an_abbreviated_label_of_a_dimension_that_lacks_people_is_asked_about(seed, over_time, tmp_path):
    """One table shows f, and the other one hides female; where a dimension is open, tables need not have all labels."""
    cells = np.random.default_rng(seed).integers(6, 40, (3, 3))
    shown = by_sex(cells, ("f", "m", "x"), (False, True, True)), by_sex(cells, (*NAMES, "x"), (True, True, True))
    tables = {f"{at}.csv": [line for line in lines if ",x," not in line] for at, lines in enumerate(shown)}

    def judged(*atoms):
        (tmp_path / "sex.csv").write_text("\n".join(["label,atom", *atoms, ""]))
        table = f'{TABLE}open = ["sex"]\nover_time = "{over_time}"\n' + 'categories.sex = "sex.csv"\n' * bool(atoms)
        return verdict(write_tables(tmp_path, tables, table, "min_count = 2"))

    code, why = judged()
    assert (code, '\\"f\\" and \\"female\\"' in why) == (3, True), why
    assert judged("f,f", "m,m", "female,f", "male,m")[0] == 1
    assert judged("f,f", "m,m", "female,female", "male,male", "a,f", "a,female", "b,m", "b,male")[0] == 0
