"""What `audit init` makes of tables of counts: read at once, or asked; never taken for people, never said to hold."""

import pytest

from audit.init.count_tables import guess_tables
from audit.io.toml import key_path
from tests.cli.test_count_table_doubts import verdict
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


def test_every_guess_is_a_key_of_the_manifest(tmp_path):
    text = "a b,sex,n\nAll,All,40\nAll,F,22\nAll,M,18\nx.y,All,*\nx.y,F,..\nx.y,M,9\n"
    manifest = guessed(tmp_path, {"1.csv": text})
    for key in manifest["unconfirmed"]["keys"]:
        content = manifest
        for name in key_path(key):
            content = content[name]


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
