"""What `audit init` makes of tables of counts: read at once, or asked; never taken for people, never said to hold."""

import json

import pytest

from audit.init.confirmation import confirmed
from audit.init.count_tables import guess_tables
from audit.io.toml import key_path
from tests.cli.test_count_table_doubts import verdict
from tests.cli.test_count_table_formats import confirm
from tests.helpers.running import run_main


def guessed(folder, files):
    """The manifest that is guessed for some files, as TOML."""
    import tomllib

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    code, out, err = run_main("init", str(folder), "--yes")
    assert (code, err) == (0, ""), out
    manifest = tomllib.loads((folder / "series.toml").read_text(encoding="utf-8"))
    assert manifest["series"].get("kind") == "tables"
    return manifest


def rows(text):
    return "\n".join(line.strip() for line in text.strip().splitlines()) + "\n"


def added(total, hidden=("A,m",)):
    """A table that adds up, with all of its totals, some cells of it hidden."""
    counts = {(a, s): n for a, row in zip("ABC", ((12, 3, 10), (22, 30, 10), (40, 11, 11)), strict=True)
              for s, n in zip("fmd", row, strict=True)}  # fmt: skip
    for area in "ABC":
        counts[area, total] = sum(counts[area, sex] for sex in "fmd")
    for sex in ("f", "m", "d", total):
        counts[total, sex] = sum(counts[area, sex] for area in "ABC")
    lines = [f"{a},{s},{'1-9' if f'{a},{s}' in hidden else n}" for (a, s), n in counts.items()]
    return "\n".join(["area,sex,cases", *lines]) + "\n"


@pytest.mark.parametrize("word", ["Total", "Gesamt", "Ensemble", "Todos", "Sum of all", "xyz", "Wszystkie"])
def test_totals_are_found_by_their_sums_in_any_language(word, tmp_path):
    manifest = guessed(tmp_path, {"1.csv": added(word)})
    assert manifest["table"]["totals"] == {"area": word, "sex": word}
    assert "unconfirmed" not in manifest
    code, _, found = verdict(tmp_path)
    assert (code, [(e["cell"], e["lower"]) for e in found]) == (1, [({"area": "A", "sex": "m"}, 3)])


def test_a_table_that_says_all_of_itself_may_hold_at_once(tmp_path):
    manifest = guessed(tmp_path, {"1.csv": added("Summe", ()) + "A,u,0\nB,u,0\nC,u,0\nSumme,u,0\n"})
    assert manifest["unconfirmed"]["keys"] == ["policy.min_count"]
    assert verdict(tmp_path)[0] == 3
    assert verdict(tmp_path, "--policy", "min_count=3")[:2] == (0, "[]")
    assert verdict(tmp_path, "--policy", "min_count=4")[0] == 1


def test_hidden_cells_that_say_their_range_may_hold_at_once(tmp_path):
    """Three areas and three sexes, four cells hidden crosswise, all of which say 1-9."""
    text = "area,sex,cases\n" + "".join(
        f"{area},{sex},{text}\n"
        for area, row in {
            "A": ("1-9", "1-9", "40", "50"), "B": ("1-9", "1-9", "30", "40"), "C": ("20", "21", "22", "63"),
            "D": ("31", "32", "33", "96"), "E": ("11", "12", "13", "36"), "T": ("72", "75", "138", "285"),
        }.items()
        for sex, text in zip(("f", "m", "d", "T"), row, strict=True)
    ) + "".join(f"{a},{s},{t}\n" for s, row in (("u", (10, 10, 10, 10, 10, 50)), ("v", (10, 20, 30, 40, 50, 150)))
                for a, t in zip("ABCDET", row, strict=True))  # fmt: skip
    text = text.replace("A,T,50", "A,T,70").replace("B,T,40", "B,T,70").replace("C,T,63", "C,T,103")
    text = text.replace("D,T,96", "D,T,146").replace("E,T,36", "E,T,96").replace("T,T,285", "T,T,485")
    manifest = guessed(tmp_path, {"1.csv": text})
    assert (manifest["table"]["totals"], manifest.get("unconfirmed")) == ({"area": "T", "sex": "T"}, None)
    assert verdict(tmp_path)[:2] == (0, "[]")


def test_a_guess_that_the_file_refutes_is_widened(tmp_path):
    text = rows("""area,sex,count
        All,All,51
        All,F,15
        All,M,36
        A,All,20
        A,F,*
        A,M,*
        B,All,31
        B,F,*
        B,M,*""")
    manifest = guessed(tmp_path, {"2023.csv": text})
    assert manifest["table"]["markers"]["*"][1] == float("inf")
    assert verdict(tmp_path)[0] == 3
    confirm(tmp_path)
    assert verdict(tmp_path)[:2] == (0, "[]")


def test_decimals_are_neither_labels_nor_markers(tmp_path):
    text = rows("""area,sex,cases,rate_per_100k
        All,All,60,412.53
        All,F,40,391.27
        All,M,20,455.16
        North,All,33,433.71
        North,F,29,501.38
        North,M,*,
        South,All,27,399.22
        South,F,11,288.19
        South,M,16,534.83""")
    manifest = guessed(tmp_path, {"2023.csv": text})
    assert manifest["table"]["dimensions"] == ["area", "sex"]
    assert list(manifest["table"]["markers"]) == ["*"]
    code, why, found = verdict(tmp_path)
    assert code == 3
    assert "rate_per_100k" in why
    assert [(e["lower"], e["upper"]) for e in found] == [(4, 4)]
    confirm(tmp_path)
    assert verdict(tmp_path)[0] == 1


@pytest.mark.parametrize(
    ("name", "labels"), [("age", ("70", "71")), ("zip", ("10023", "10024")), ("plz", ("01067", "80331"))]
)
def test_labels_may_be_numbers(name, labels, tmp_path):
    text = f"{name},sex,deaths\nAll,All,40\nAll,F,22\nAll,M,18\n" + "".join(
        f"{label},All,20\n{label},F,11\n{label},M,9\n" for label in labels
    )
    manifest = guessed(tmp_path, {"1.csv": text})
    assert (manifest["table"]["dimensions"], manifest["table"]["value"]) == ([name, "sex"], "deaths")
    assert verdict(tmp_path)[0] == 3
    confirm(tmp_path)
    assert verdict(tmp_path)[:2] == (0, "[]")


def test_years_in_one_file_are_releases(tmp_path):
    text = "year,area,cases\n" + "".join(
        f"{year},{area},{count}\n" for year in (2021, 2022, 2023) for area, count in (("A", 20), ("B", 31), ("All", 51))
    )
    manifest = guessed(tmp_path, {"all.csv": text})
    assert manifest["series"]["releases_by"] == "year"
    code, why, _ = verdict(tmp_path)
    assert code == 3
    assert "table.over_time" in why
    confirm(tmp_path)
    assert verdict(tmp_path)[:2] == (0, "[]")


@pytest.mark.parametrize(
    ("numbers", "rounding"),
    [
        ((33, 15, 18, 21, 12, 9, 12, 3, 9), {"to": 3, "how": "random"}),
        ((39, 15, 21, 21, 9, 9, 15, 9, 9), {"to": 6, "how": "midpoint"}),
        ((50, 20, 30, 35, 15, 20, 15, 5, 10), {"to": 5, "how": "nearest"}),
        ((51, 20, 31, 33, 14, 19, 18, 6, 12), None),
    ],
)
def test_rounding_is_asked(numbers, rounding, tmp_path):
    cells = ["All,All", "All,M", "All,E", "A,All", "A,M", "A,E", "B,All", "B,M", "B,E"]
    text = "Area,Origin,Count\n" + "".join(f"{cell},{n}\n" for cell, n in zip(cells, numbers, strict=True))
    manifest = guessed(tmp_path, {"1.csv": text})
    assert manifest["table"].get("rounding") == rounding
    assert ("table.rounding" in manifest["unconfirmed"]["keys"]) is (rounding is not None)
    assert "policy.min_count" in manifest["unconfirmed"]["keys"]
    assert verdict(tmp_path)[0] == 3


def test_zeros_that_stand_for_small_counts_are_recognised(tmp_path):
    text = rows("""practice,sex,patients
        All,All,40
        All,F,25
        All,M,15
        P1,All,22
        P1,F,22
        P1,M,0
        P2,All,18
        P2,F,0
        P2,M,15""")
    manifest = guessed(tmp_path, {"1.csv": text})
    assert manifest["table"]["markers"]["0"][1] > 3
    code, _, found = verdict(tmp_path)
    assert code == 3
    assert ({"practice": "P2", "sex": "F"}, 3) in [(e["cell"], e["lower"]) for e in found]
    confirm(tmp_path)
    assert verdict(tmp_path)[0] == 1


def test_several_columns_of_counts_are_proposed(tmp_path):
    text = rows("""provider,tot_benes,feml_cnt,lt_65_cnt
        Clinic A,60,52,
        Clinic B,74,40,44
        Clinic C,43,13,30
        Clinic D,90,30,65""")
    table = guessed(tmp_path, {"1.csv": text})["table"]
    assert table["values"] == ["tot_benes", "feml_cnt", "lt_65_cnt"]
    assert table["part_of"] == {"feml_cnt": "tot_benes", "lt_65_cnt": "tot_benes"}
    assert verdict(tmp_path)[0] == 3


def test_columns_that_add_up_are_one_dimension(tmp_path):
    text = rows("""region;Male;Female;Both sexes
        North;20;11;31
        South;30;12;42
        West;40;33;73
        All;90;56;146""")
    table = guessed(tmp_path, {"1.csv": text})["table"]
    assert table["wide"]["columns"] == {name: name for name in ("Male", "Female", "Both sexes")}
    assert table["totals"] == {"region": "All", "column": "Both sexes"}
    confirm(tmp_path)
    assert verdict(tmp_path)[:2] == (0, "[]")


def test_rates_that_agree_with_all_rows_are_declared(tmp_path):
    people = {"A": 1823, "B": 2211, "C": 6104, "All": 10138}
    cases = {"A": 41, "B": 19, "C": 133, "All": 193}
    text = "area,cases,population,rate\n" + "".join(
        f"{area},{cases[area]},{people[area]},{cases[area] / people[area] * 100_000:.1f}\n" for area in people
    )
    table = guessed(tmp_path, {"1.csv": text})["table"]
    assert table["rates"] == {"column": "rate", "per": 100_000, "decimals": 1, "denominator": "population"} | {
        "of": "published"
    }
    confirm(tmp_path)
    assert verdict(tmp_path)[:2] == (0, "[]")
    wrong = text.replace("A,41,1823,2", "A,41,1823,3", 1)
    (tmp_path / "series.toml").unlink()
    assert "rates" not in guessed(tmp_path, {"1.csv": wrong})["table"]
    code, why, _ = verdict(tmp_path)
    assert code == 3
    assert "rate" in why


def test_shares_of_a_row_s_total_are_declared(tmp_path):
    text = "area,sex,count,percent\n" + "".join(
        f"{area},{sex},{n},{100 * n / (f + m):.1f}\n"
        for area, f, m in (("A", 11, 16), ("B", 11, 20), ("C", 30, 17))
        for sex, n in (("All", f + m), ("F", f), ("M", m))
    )
    table = guessed(tmp_path, {"1.csv": text})["table"]
    assert table["rates"] == {"column": "percent", "per": 100, "decimals": 1, "denominator": {"sex": "All"}} | {
        "of": "published"
    }


def test_shares_of_rounded_counts_are_of_what_is_published(tmp_path):
    """Ten of fifteen may be eight of seventeen: the share says no more than the numbers that it was computed of."""
    lines = [(area, sex, n, 100 * n / (f + m)) for area, f, m in (("A", 10, 15), ("B", 20, 15), ("C", 30, 15))
             for sex, n in (("All", f + m), ("F", f), ("M", m))]  # fmt: skip
    text = "area,sex,count,percent\n" + "".join(f"{a},{s},{n},{share:.1f}\n" for a, s, n, share in lines)
    table = guessed(tmp_path, {"1.csv": text})["table"]
    assert (table["rounding"]["to"], table["rates"]["of"]) == (5, "published")
    confirm(tmp_path)
    _, out, _ = run_main("explain", str(tmp_path), "--cell", "area=A", "--cell", "sex=F", "--format", "json")
    [count] = json.loads(out)["counts"]
    assert (count["lower"], count["upper"]) == (8, 12)


def test_counts_with_their_shares_in_one_cell(tmp_path):
    text = "area,sex,patients\n" + "".join(
        f"{area},{sex},{n} ({100 * n / (f + m):.1f}%)\n"
        for area, f, m in (("A", 11, 16), ("B", 11, 20), ("C", 30, 17))
        for sex, n in (("All", f + m), ("F", f), ("M", m))
    )
    table = guessed(tmp_path, {"1.csv": text})["table"]
    assert table["rates"] == {"column": "patients", "per": 100, "decimals": 1, "denominator": {"sex": "All"}} | {
        "of": "published"
    }
    confirm(tmp_path)
    assert verdict(tmp_path)[:2] == (0, "[]")
    (tmp_path / "series.toml").unlink()
    guessed(tmp_path, {"1.csv": text.replace("A,F,11", "A,F,*").replace("A,M,16", "A,M,*")})
    confirm(tmp_path)
    assert {(e["cell"]["sex"], e["lower"]) for e in verdict(tmp_path)[2]} == {("F", 11), ("M", 16)}


def test_a_change_is_proposed(tmp_path):
    first = "areaName,cases,change\nRiverside,0-2,\nOld Town,0-2,\nHill,9,2\n"
    second = "areaName,cases,change\nRiverside,6,5\nOld Town,0-2,\nHill,7,-2\n"
    table = guessed(tmp_path, {"2021-05-28.csv": first, "2021-06-04.csv": second})["table"]
    assert table["change"] == {"column": "change", "since": 1}
    code, _, found = verdict(tmp_path)
    assert code == 3
    assert [(e["cell"]["areaName"], e["lower"]) for e in found if e["cell"]["areaName"] == "Riverside"] == [
        ("Riverside", 1)
    ]
    confirm(tmp_path)
    assert verdict(tmp_path)[0] == 1


def test_every_guess_is_a_key_of_the_manifest(tmp_path):
    text = "a b,sex,n\nAll,All,40\nAll,F,22\nAll,M,18\nx.y,All,*\nx.y,F,..\nx.y,M,9\n"
    manifest = guessed(tmp_path, {"1.csv": text})
    for key in manifest["unconfirmed"]["keys"]:
        content = manifest
        for name in key_path(key):
            content = content[name]


def test_a_terminal_leaves_no_guess(tmp_path):
    (tmp_path / "1.csv").write_text("area,sex,n\nAll,All,40\nA,All,*\nB,All,22\n", encoding="utf-8")
    asked = []

    def yes(question):
        asked.append(question.text)
        return "yes"

    text = guess_tables(tmp_path).text()
    assert "[unconfirmed]" in text
    assert "[unconfirmed]" not in confirmed(tmp_path, text, yes)
    assert any("Is that right?" in each for each in asked)


@pytest.mark.parametrize(
    "text",
    [
        "age,sex,disease\n21,f,flu\n22,m,gout\n35,f,flu\n",
        "patient,age,count\n1,21,3\n2,22,4\n",
        "Group,Disease,Count\n1,flu,2\n1,gout,2\n2,flu,4\n",
        "age,zip,salary\n21-30,1001*,3000\n21-30,1001*,4000\n31-40,1002*,3500\n",
    ],
)
def test_people_are_people(text, tmp_path):
    (tmp_path / "1.csv").write_text(text, encoding="utf-8")
    assert guess_tables(tmp_path) is None


def test_json_names_the_guess_behind_a_finding(tmp_path):
    (tmp_path / "1.csv").write_text("area,n\nAll,40\nA,*\nB,25\nC,12\n", encoding="utf-8")
    run_main("init", str(tmp_path), "--yes")
    code, out, _ = run_main(str(tmp_path), "--format", "json")
    [finding] = json.loads(out)["attacks"][0]["findings"]
    assert (code, finding["lower"], "table.totals.area" in finding["rests_on"]) == (3, 3, True)
