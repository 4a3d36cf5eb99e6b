"""Series of which some tables are exact and others are rounded or perturbed: each is judged by its own rules."""

import json
import random
import tomllib

import pytest

from audit.init.count_tables import guess_tables
from tests.helpers.amount import some
from tests.helpers.count_tables import write_tables
from tests.helpers.running import drafted, refused, run_main
from tests.mutants.mutant import kills

ONE_RELEASE = 'releases = [{{ tag = "1", tables = {} }}]'
WAYS = ("table", "column", "release", "wide")
TOPICS = {"sex": ("f", "m"), "meal": ("free", "paid")}
NOISES = {
    "rounded": (lambda n, rng: (n + 2) // 5 * 5, 'rounding = { to = 5, how = "nearest" }\n'),
    "perturbed": (lambda n, rng: n + rng.choice([-2, -1, 1, 2]), "perturbation = 2\n"),
}


def table(topic, areas, rng, noise=None):
    """The rows of a table by area and a topic, with totals; in an exact one, a c is in place of a small count in A."""
    first, second = TOPICS[topic]
    counts = {(area, first): rng.randint(1, 4) if area == "A" and not noise else rng.randint(20, 40) for area in areas}
    counts |= {(area, second): n - counts[area, first] for area, n in areas.items()}
    rows = []
    for area in (*areas, "All"):
        for label in (first, second, "All"):
            n = sum(n for (a, b), n in counts.items() if area in (a, "All") and label in (b, "All"))
            rows.append((area, label, noise(n, rng) if noise else "c" if n < 5 else n))
    return rows


def series(folder, way, seed, rule, noise=None):
    """Write an exact table, and one with noise, another table, column or release; return the name of the exact one."""
    rng, lines = random.Random(seed), {}  # noqa: S311
    areas = {area: rng.randint(60, 90) for area in "ABCDEFGH"}
    exact, other = table("sex", areas, rng), table("meal" if way == "table" else "sex", areas, rng, noise)
    value = 'values = ["cases", "visits"]\npart_of = { cases = "", visits = "" }' if way == "column" else 'value = "n"'
    if way == "column":
        head = "area,sex,cases,visits"
        lines["1.csv"] = [head, *(f"{a},{b},{n},{m}" for (a, b, n), (_, _, m) in zip(exact, other, strict=True))]
    else:
        topic = "meal" if way == "table" else "sex"
        lines["1-sex.csv"] = ["area,sex,n", *(f"{a},{b},{n}" for a, b, n in exact)]
        lines[f"{1 if way == 'table' else 2}-{topic}.csv"] = [f"area,{topic},n", *(f"{a},{b},{n}" for a, b, n in other)]
    if way == "wide":
        for name, rows in lines.items():
            cells = iter(row.split(",") for row in rows[1:])
            by_area = zip(*[cells] * 3, strict=True)
            lines[name] = ["area,f,m,All", *(f"{a},{f},{m},{n}" for (a, _, f), (*_, m), (*_, n) in by_area)]
        value = 'wide = { dimension = "sex", columns = { f = "f", m = "m", All = "All" } }'
    dimensions = ["area", "sex", *(["meal"] if way == "table" else [])]
    text = f"dimensions = {json.dumps(dimensions)}\n{value}\n"
    text += "".join(f'totals.{name} = "All"\n' for name in dimensions) + "markers.c = [1, 4]\n" + rule
    write_tables(folder, lines, text, series=ONE_RELEASE.format(json.dumps([*lines])) if way == "table" else "")
    return {"table": "1-sex.csv", "column": "cases", "release": "1-sex", "wide": "1-sex"}[way]


def audited(folder):
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    assert err == "", err
    result = json.loads(out)
    found = {
        (each["cell"]["area"], each["cell"]["sex"], each["lower"], each["upper"])
        for each in result["attacks"][0]["findings"]
    }
    return code, found, json.dumps(result["policy"]["undecided"])


@kills("audit.count_tables.read_counts._rows_of", "file.shown, ", "")
@kills("audit.count_tables.read_counts._rows_of", ", view.column, *texts)", ", *texts)")
@kills("audit.count_tables.manifest.TableManifest.for_exact", ", perturbation=0", "")
@pytest.mark.many
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("noise", NOISES)
def test_what_an_exact_table_discloses_is_found_beside_inexact_numbers(noise, way, seed, tmp_path):
    """A has one hidden count, which follows from the total beside it, whatever else is published."""
    change, rule = NOISES[noise]
    name = series(tmp_path / "a", way, seed, "", change)
    series(tmp_path / "a", way, seed, rule + f"exact = {json.dumps([name])}\n", change)
    code, found, _ = audited(tmp_path / "a")
    assert code == 1
    assert any(low == high and cell == ("A", "f") for *cell, low, high in found for cell in [tuple(cell)])


@kills("audit.count_tables.second_reading._exact_tables_disclose_more", "not manifest.perturbation or", "True or")
@kills("audit.count_tables.published_counts.adds_up", "10 * sum", "0 * sum")
@pytest.mark.many
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", WAYS)
def test_noise_that_the_sums_of_a_table_refute_decides_nothing(way, seed, tmp_path):
    """The doubt names the exact table and none of the others, whose sums the noise broke."""
    series(tmp_path, way, seed, "perturbation = 2\n", NOISES["rounded"][0])
    code, found, undecided = audited(tmp_path)
    assert (code, found) == (3, set())
    assert {
        "table": "the sums in 1-sex.csv are",
        "column": "the sums in 1.csv",
        "release": "in 1-sex.csv are",
        "wide": "in 1-sex.csv are",
    }[way] in undecided


@pytest.mark.many
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", WAYS)
def test_noise_that_no_sum_refutes_is_no_doubt(way, seed, tmp_path):
    change, rule = NOISES["perturbed"]
    name = series(tmp_path, way, seed, "", change)
    series(tmp_path, way, seed, f"{rule}exact = {json.dumps([name])}\n", change)
    assert "the sums in" not in audited(tmp_path)[2]


@kills("audit.init.count_rules._exact", "unlike[at] or is_alike(*kinds[at])", "False")
@pytest.mark.many
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("noise", NOISES)
def test_init_guesses_noise_only_where_numbers_have_it(noise, way, seed, tmp_path):
    name = series(tmp_path, way, seed, "", NOISES[noise][0])
    (tmp_path / "series.toml").unlink()
    code, out, err = run_main("init", str(tmp_path), "--yes")
    assert code == 0, err
    rules = tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["table"]
    key = {"rounded": "rounding", "perturbed": "perturbation"}[noise]
    assert rules["exact"] == [name]
    assert {"rounding", "perturbation"} & rules.keys() == {key}
    assert name in out


@pytest.mark.parametrize("where", ["title", "note", None])
def test_init_reads_what_a_line_beside_few_numbers_says_of_their_rounding(where, tmp_path):
    """Six multiples of 5 may be chance among so many tables, unless a line says they are rounded."""
    rows = "area,kind,n\nA,x,15\nB,x,20\nAll,x,35\n"
    title = "Table 1: People by area (rounded to the nearest 5)\n\n" if where == "title" else ""
    note = "\nNote: numbers are rounded to the nearest 5.\n" if where == "note" else ""
    (tmp_path / "2023.csv").write_text(f"{title}{rows}{note}", encoding="utf-8")
    (tmp_path / "2024.csv").write_text("area,kind,n\nA,x,17\nB,x,21\nAll,x,38\n", encoding="utf-8")
    rules = tomllib.loads(drafted(tmp_path))["table"]
    wanted = None if where is None else {"to": 5, "how": "nearest"}
    assert (rules.get("rounding"), rules.get("exact")) == (wanted, ["2024"] if where else None)


def test_a_candidate_is_exact_like_the_tables_of_its_kind(tmp_path):
    """No manifest can name it yet."""
    change, rule = NOISES["rounded"]
    folder = tmp_path / "a"
    name = series(folder, "table", 1, rule, change)
    series(folder, "table", 1, f'{rule}exact = ["{name}"]\n', change)
    (tmp_path / "2-sex.csv").write_bytes((folder / "1-sex.csv").read_bytes())
    code, out, err = run_main("next", str(folder), str(tmp_path / "2-sex.csv"))
    assert code == 1, err
    assert "NOT SAFE: 2 small" in out


@kills("audit.count_tables.read_counts._rows_of", "is_of_exact.any() and not", "not")
@kills("audit.count_tables.read_counts._rows_of", "view.column, *texts", "view.column")
@kills(
    "audit.count_tables.second_reading._exact_tables_disclose_more",
    "own = of_unit & (counts.measure == measure)",
    "own = of_unit",
)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("noise", NOISES)
def test_a_statistic_in_rows_beside_an_inexact_one_is_exact(noise, seed, tmp_path):
    """What follows from the exact statistic was missed: no key could name it, and sums of both were taken together."""
    rng, (change, rule) = random.Random(seed), NOISES[noise]  # noqa: S311
    areas = {area: rng.randint(60, 90) for area in "ABCDEFGH"}
    lines = ["what,area,sex,n"]
    for what, by in (("people", None), ("visits", change)):
        lines += [f"{what},{area},{sex},{n}" for area, sex, n in table("sex", areas, rng, by)]
    text = (
        'dimensions = ["area", "sex"]\nvalue = "n"\nmeasure = "what"\nmeasures = ["people", "visits"]\n'
        'part_of = { people = "", visits = "" }\ntotals = { area = "All", sex = "All" }\nmarkers.c = [1, 4]\n'
    )
    write_tables(tmp_path, {"1.csv": lines}, f'{text}{rule}exact = ["people"]')
    code, found, _ = audited(tmp_path)
    assert code == 1
    assert any(low == high and cell == ("A", "f") for *cell, low, high in found for cell in [tuple(cell)])
    if noise == "perturbed":
        code, _, undecided = audited(write_tables(tmp_path, {"1.csv": lines}, text + rule))
        assert (code, "the sums in people are right" in undecided) == (3, True), undecided


@kills("audit.count_tables.candidate.with_candidate", "(release.tag, table.shown)", "(table.shown,)")
@pytest.mark.parametrize("named", ["tag", "table"])
def test_a_candidate_is_exact_like_the_release_with_most_of_its_numbers(named, tmp_path):
    """As the office began to publish exact numbers in 2023, those of 2024 are, however the manifest names 2023."""
    rng, (change, rule) = random.Random(4), NOISES["rounded"]  # noqa: S311
    for year, by in ((2022, change), (2023, None), (2024, None)):
        rows = table("sex", {area: rng.randint(60, 90) for area in "ABCDEFGH"}, rng, by)
        (tmp_path / f"{year}.csv").write_text("area,sex,n\n" + "".join(f"{a},{b},{n}\n" for a, b, n in rows), "utf-8")
    (tmp_path / "new").mkdir()
    (tmp_path / "2024.csv").rename(tmp_path / "new/2024.csv")
    text = (
        '[series]\nkind = "tables"\nreleases = ["2022.csv", "2023.csv"]\n[table]\ndimensions = ["area", "sex"]\n'
        'value = "n"\ntotals = { area = "All", sex = "All" }\nmarkers = { c = [1, 4] }\nover_time = "independent"\n'
        f'exact = ["2023{".csv" if named == "table" else ""}"]\n{rule}[policy]\nmin_count = 5\n'
    )
    (tmp_path / "series.toml").write_text(text, encoding="utf-8")
    code, out, err = run_main("next", str(tmp_path), str(tmp_path / "new/2024.csv"), "--format", "json")
    assert (code, json.loads(out)["attacks"][0]["newly_found"] > 0) == (1, True), err


@kills("audit.count_tables.manifest._TableManifestReader.check_exact", "if meant > 1", "if meant > 2")
@pytest.mark.parametrize("name", ["2023", "2023.csv"])
def test_a_name_of_a_release_and_of_a_column_of_counts_is_no_name_of_what_is_exact(name, tmp_path):
    table = (
        'dimensions = ["area"]\nopen = ["area"]\n'
        'wide = { dimension = "year", columns = { 2022 = "2022", 2023 = "2023" } }\nmarkers.c = [1, 4]\n'
        f'rounding = {{ to = 5, how = "nearest" }}\nexact = ["{name}"]'
    )
    write_tables(tmp_path, {"2023.csv": ["area,2022,2023", "A,10,10", "B,15,20"]}, table)
    said = 'series.toml:10: `exact`: "2023" names more than one release, table, column or statistic; name the tables'
    code, _, err = run_main(str(tmp_path))
    assert (code == 2, said in err) == (name == "2023", name == "2023"), err


@kills("audit.init.count_rules._names_of", " | of_both", "")
def test_init_names_the_table_where_the_name_of_its_release_is_that_of_a_column(tmp_path):
    rng = random.Random(5)  # noqa: S311
    for name, years, by in (("2023", ("2022", "2023"), None), ("2024", ("2023", "2024"), NOISES["rounded"][0])):
        rows = [table("sex", {area: rng.randint(60, 90) for area in "ABCDEFGH"}, rng, by) for _ in years]
        lines = [f"{a},{b},{n},{m}" for (a, b, n), (_, _, m) in zip(*rows, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"area,sex,{','.join(years)}", *lines, ""]), encoding="utf-8")
    rules = tomllib.loads(drafted(tmp_path))["table"]
    assert rules["exact"] == ["2023.csv"]
    assert run_main(str(tmp_path))[0] != 2


@pytest.mark.parametrize("noise", NOISES)
def test_an_empty_cell_of_an_exact_table_is_no_zero(noise, tmp_path):
    """It is one of an inexact table where absent rows are, which here says nothing of the exact one."""
    change, rule = NOISES[noise]
    name = series(tmp_path, "table", 1, rule, change)
    series(tmp_path, "table", 1, f'absent = "zero"\n{rule}exact = ["{name}"]\n', change)
    text = (tmp_path / name).read_text(encoding="utf-8")
    (tmp_path / name).write_text(text.replace(",c\n", ",\n"), encoding="utf-8")
    code, out, err = run_main(str(tmp_path))
    assert code == 1, err
    assert "NOT SAFE" in out


@pytest.mark.parametrize("codes", ["", 'codes = ["area"]\n'])
@pytest.mark.parametrize("rule", ['rounding = { to = 5, how = "nearest" }', "perturbation = 2"])
def test_a_row_that_an_inexact_table_lacks_is_no_exact_zero_for_another_area(rule, codes, tmp_path):
    """Of 14 people in C, 12 are men, shown as 10, and 2 women, shown by no row."""
    tables = {
        "north.csv": ["area,sex,n", "A,f,20", "A,m,31", "A,All,51", "B,f,22", "B,m,33", "B,All,55"],
        "south.csv": ["area,sex,n", "C,m,10", "D,f,20", "D,m,35"],
        "all.csv": ["area,sex,n", "C,All,14", "D,All,54"],
    }
    text = 'value = "n"\ndimensions = ["area", "sex"]\ntotals = { sex = "All" }\nopen = ["area"]\nabsent = "zero"\n'
    text += f'exact = ["north.csv", "all.csv"]\n{codes}{rule}'
    write_tables(tmp_path, tables, text, series=ONE_RELEASE.format(json.dumps([*tables])))
    code, out, err = run_main(str(tmp_path))
    assert code == 1, err
    assert "NOT SAFE: 1 small" in out


@pytest.mark.parametrize("denominator", ['"people"', '{ statistic = "people" }'])
def test_a_rate_of_an_exact_count_and_a_published_one_is_of_what_is_published(denominator, tmp_path):
    """20 % of 20 people as published are 4 cases, whose true number of people may be 15 or 24."""
    lines = ["area,cases,people,rate", "A,c,20,20", "B,30,60,50", "D,45,90,50"]
    text = (
        'dimensions = ["area"]\nopen = ["area"]\nvalues = ["cases", "people"]\n'
        'part_of = { cases = "people", people = "" }\nmarkers = { c = [1, 9] }\n'
        'rounding = { to = 10, how = "nearest" }\nexact = ["cases"]\n[table.rates]\ncolumn = "rate"\nper = 100\n'
        f'decimals = 0\ncounts = "cases"\nof = "published"\ndenominator = {denominator}'
    )
    write_tables(tmp_path, {"1.csv": lines}, text, "min_count = 3")
    code, out, err = run_main(str(tmp_path))
    assert code == 1, err
    assert "1 count is known exactly" in out


@kills("audit.io.naming.most_like", "sum(map(eq, alike[other], numbers))", "0")
@pytest.mark.parametrize("noise", NOISES)
def test_a_candidate_is_exact_like_the_table_with_most_of_its_numbers(noise, tmp_path):
    """Of t1.csv and t2.csv, whose names differ by a number, one is exact."""
    rng, (change, rule) = random.Random(3), NOISES[noise]  # noqa: S311
    tables = {}
    for year in (2023, 2024):
        areas = {area: rng.randint(60, 90) for area in "ABCDEFGH"}
        for name, topic, by in (("t1", "meal", change), ("t2", "sex", None)):
            lines = [f"area,{topic},n", *(f"{a},{b},{n}" for a, b, n in table(topic, areas, rng, by))]
            tables[f"{year}/{name}.csv"] = lines
    text = (
        'dimensions = ["area", "sex", "meal"]\ntotals = { area = "All", sex = "All", meal = "All" }\nvalue = "n"\n'
        f'markers = {{ c = [1, 4] }}\nover_time = "independent"\nexact = ["2023/t2.csv"]\n{rule}'
    )
    listed = 'releases = [{ tag = "2023", tables = ["2023/t1.csv", "2023/t2.csv"] }]'
    write_tables(tmp_path / "a", tables, text, series=listed)
    code, out, err = run_main("next", str(tmp_path / "a"), str(tmp_path / "a" / "2024"))
    assert code == 1, err
    assert "NOT SAFE: 2 small" in out


@pytest.mark.parametrize(("rule", "what"), [
    ('exact = ["1-sexes.csv"]\nperturbation = 2\n', 'of the series; name what is exact; there are "1", "1-sex.csv"'),
    ('exact = ["7-sex.csv"]\nperturbation = 2\n', '"7-sex.csv" is no release'),
    ('exact = ["1-sex.csv"]\n', "it has no effect without rounding"),
    ('rounding = { to = 5, exact = ["1-sex.csv"] }\n', "this is not a way to round"),
])  # fmt: skip
def test_a_name_of_no_exact_table_is_refused(rule, what, tmp_path):
    series(tmp_path, "table", 0, rule)
    assert what in refused(str(tmp_path))


@kills("audit.count_tables.manifest._TableManifestReader.manifest", "and not each.of_published", "and False")
@pytest.mark.many
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("part_of", ['"adm"', '""'])
@pytest.mark.parametrize("noise", NOISES)
def test_a_rate_of_an_inexact_count_is_a_rate_of_the_true_one(noise, part_of, seed, tmp_path):
    """Of 27 people, published as 25, 11 are 41 %: no count is 41 % of 25. What is found must be true."""
    rng, (change, rule) = random.Random(seed), NOISES[noise]  # noqa: S311
    true = {area: (n := rng.randint(12, 60), rng.randint(1, n)) for area in "ABCDE"}
    true["All"] = tuple(map(sum, zip(*true.values(), strict=True)))
    rows = [
        (*(max(0, change(n, rng)) for n in pair), (200 * pair[1] + pair[0]) // (2 * pair[0])) for pair in true.values()
    ]
    lines = ["area,adm,em,share", *(f"{a},{n},{m},{r}" for a, (n, m, r) in zip(true, rows, strict=True))]
    text = 'dimensions = ["area"]\ntotals.area = "All"\nvalues = ["adm", "em"]\n'
    text += f'part_of = {{ adm = "", em = {part_of} }}\n{rule}'
    text += 'rates = { column = "share", counts = "em", per = 100, decimals = 0, denominator = "adm" }'
    write_tables(tmp_path, {"1.csv": lines}, text, "min_count = 11")
    code, out, err = run_main(str(tmp_path), "--format", "json", "--findings", "all")
    assert code in (0, 1, 3), err
    for each in json.loads(out)["attacks"][0]["findings"]:
        area, what = each["cell"]["area"], each.get("measure") or each["cell"].get("statistic", "adm")
        if area in true and what in ("adm", "em"):
            assert each["lower"] <= true[area][what == "em"] <= each["upper"], each


@kills("audit.count_tables.candidate._is_about", "each.counts in", "each.counts not in")
def test_a_repair_leaves_the_rates_of_other_counts(tmp_path):
    """Only deaths are hidden: what people were admitted, and their rate, says nothing of them."""
    head = "area,people,adm,deaths,adm rate,death rate"
    rows = [("N", 200, 60, "*", "30", "*"), ("S", 200, 50, 20, "25", "10"), ("W", 100, 30, 12, "30", "12"),
            ("All", 500, 140, 35, "28", "7")]  # fmt: skip
    text = 'dimensions = ["area"]\ntotals.area = "All"\nvalues = ["adm", "deaths"]\n'
    text += 'part_of = { adm = "", deaths = "" }\nmarkers."*" = [1, 4]\nrates = ['
    of = ', per = 100, decimals = 0, denominator = "people" }'
    text += f'{{ column = "adm rate", counts = "adm"{of}, {{ column = "death rate", counts = "deaths"{of}]'
    tables = {"1.csv": [head, "All,500,140,35,28,7"], "2.csv": [head, *(",".join(map(str, row)) for row in rows)]}
    write_tables(tmp_path, tables, text, series='releases = ["1.csv"]')
    code, out, err = run_main("repair", str(tmp_path), str(tmp_path / "2.csv"), "--output", str(tmp_path / "out"))
    assert code == 0, out + err
    written = [line.split(",") for line in (tmp_path / "out/2.csv").read_text(encoding="utf-8").splitlines()]
    assert [row[2] for row in written] == ["adm", "60", "50", "30", "140"]
    assert [row[4] for row in written] == ["adm rate", "30", "25", "30", "28"]
    assert sum(not row[3] or row[3] == "*" for row in written) == 2


HIDING = """dimensions = ["area", "sex"]
value = "n"
totals = { area = "All", sex = "All" }
markers."*" = [1, inf]
"""
LOOSE = {  # what the manifest says; what the files show; and the same without what shows it
    "perturbation beside right sums": (
        "perturbation = 2\n",
        "",
        [17, "*", 20, 31, 22, 53, 48, 25, 73],
        [17, "*", 20, 31, 22, 54, 48, 26, 73],
    ),
    "perturbation beside a rounding in a note": (
        "perturbation = 5\n",
        "Note: numbers are rounded to the nearest 5.",
        *[[20, "*", 25, 30, 20, 50, 50, 20, 70]] * 2,
    ),
    "random rounding beside another in a note": (
        'rounding = { to = 5, how = "random" }\n',
        "Note: all numbers are rounded down to the nearest 5.",
        *[[20, "*", 25, 30, 20, 50, 50, 20, 75]] * 2,
    ),
    "a range beside that in a note": (
        'absent = "unknown"\n',
        "Note: * = 1 to 3",
        *[["*", "*", 6, 31, 22, 53, "", "", 59]] * 2,
    ),
}


@kills("audit.count_tables.second_reading._noted_rounding_discloses_more", "else counts.units()", "else []")
@pytest.mark.parametrize("kind", LOOSE)
def test_what_the_manifest_says_less_of_than_the_files_is_asked_about(kind, tmp_path):
    """Whatever makes an adversary know less than the files show decides nothing if more follows from these."""
    rule, note, shown, other = LOOSE[kind]
    cells = [(area, sex) for area in ("A", "B", "All") for sex in ("f", "m", "All")]
    codes = []
    for numbers, line in ((shown, note), (other, "")):
        rows = [f"{area},{sex},{n}" for (area, sex), n in zip(cells, numbers, strict=True)]
        tables = {"1.csv": ["area,sex,n", *rows, "", line]}
        write_tables(tmp_path, tables, HIDING + rule, "min_count = 5\nmin_width = 1")
        codes.append(run_main(str(tmp_path))[0])
    assert codes == [3, 0]


@kills("audit.init.count_rules.take_perturbation", "if at not in exact", "")
def test_exact_tables_that_disagree_are_not_perturbed(tmp_path):
    """The tables of a release count people at two dates: of each, the sums are right."""
    series(tmp_path, "table", 1, "")
    rows = (tmp_path / "1-meal.csv").read_text(encoding="utf-8").splitlines()
    cells = [row.split(",") for row in rows]
    by = {"B": 1, "C": -1}
    for row in cells[1:]:
        if row[1] != "free":
            row[2] = str(int(row[2]) + by.get(row[0], 0)) if row[2] != "c" else "c"
    (tmp_path / "1-meal.csv").write_text("\n".join(map(",".join, cells)) + "\n", encoding="utf-8")
    (tmp_path / "series.toml").unlink()
    assert "perturbation" not in tomllib.loads(guess_tables(tmp_path).text())["table"]


@kills("audit.count_tables.note_numbers.noted_rounding", "for how, words in _HOW.items() if", "for how, words in () if")
@pytest.mark.parametrize("how", ["random", "down", "nearest"])
def test_a_note_that_says_what_the_manifest_says_is_not_asked_about(how, tmp_path):
    said = {"random": "randomly rounded to base", "down": "rounded down to", "nearest": "rounded to the nearest"}[how]
    rows = ["A,f,20", "A,m,*", "A,All,25", "B,f,30", "B,m,20", "B,All,50", "All,f,50", "All,m,20", "All,All,75"]
    tables = {"1.csv": ["area,sex,n", *rows, "", f"Note: numbers are {said} 5."]}
    text = f'{HIDING}rounding = {{ to = 5, how = "{how}" }}'
    write_tables(tmp_path, tables, text, "min_count = 5\nmin_width = 5")
    assert "as a line says" not in " ".join(run_main(str(tmp_path))[1].split())


def test_a_table_with_few_numbers_is_rounded_like_those_of_its_kind(tmp_path):
    """Three multiples of 5 show nothing by themselves: no table of this kind is exact."""
    for name, step, many in (("a-2022", 5, 12), ("a-2023", 5, 2), ("b-2022", 7, 12), ("b-2023", 7, 12)):
        counts = [(n + 3) * step for n in range(many)]
        rows = [f"K{n},{count}" for n, count in enumerate(counts)]
        head = {"a": "area,n", "b": "topic,n"}[name[0]]
        text = "\n".join([head, *rows, f"All,{sum(counts)}", ""])
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    rules = tomllib.loads(guess_tables(tmp_path).text())["table"]
    assert rules["exact"] == ["b-2022.csv", "b-2023.csv"]


ROUNDED = "Note: Numbers are rounded to the nearest 5."


@pytest.mark.parametrize(
    "note", ["[c] = 1 to 4 are suppressed", "[c] = fewer than 5, or suppressed to protect other counts"]
)
def test_whether_numbers_stand_for_no_count_that_a_note_hides_is_asked_about(note, tmp_path):
    """Two hidden counts then follow from two numbers of at least 5 each, and a total of at most 12."""
    parts = {"a": 5, "b": 5, "c": "[c]", "d": "[c]", "All": 10}
    rows = [f"{area},{kind},{n}" for area in ("East", "West") for kind, n in parts.items()]
    rows += [f"Total,{kind},{80 if kind == 'All' else 20}" for kind in parts]
    (tmp_path / "1.csv").write_text("\n".join(["area,kind,n", *rows, "", *(f'"{each}",,' for each in (ROUNDED, note))]))
    text = guess_tables(tmp_path).text().partition("[unconfirmed]")[0]
    (tmp_path / "series.toml").write_text(text)
    code, out, _ = run_main(str(tmp_path))
    assert (code, "threshold = 5" in " ".join(out.split())) == (3, True), out
    (tmp_path / "series.toml").write_text(text.replace("[table]", "[table]\nthreshold = 5"))
    assert "exactly 1" in run_main(str(tmp_path))[1]


@pytest.mark.parametrize("seed", range(some(30)))
@pytest.mark.parametrize("key", ["", ", base = 100"])
def test_rates_of_a_population_that_was_rounded_later_disclose_nothing_false(key, seed, tmp_path):
    """Counts lie in what is found, whether the manifest says how the population was rounded or not."""
    rng = random.Random(seed)  # noqa: S311
    of = {area: (rng.choice([rng.randint(1, 9), rng.randint(10, 40)]), rng.randint(500, 3000)) for area in "ABCDEF"}
    of["All"] = sum(n for n, _ in of.values()), sum(size for _, size in of.values())
    lines = [
        f"{area},{n if n > 9 else 's'},{round(n / size * 1000, 2)},{(size + 50) // 100 * 100}"
        for area, (n, size) in of.items()
    ]
    table = 'dimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nmarkers.s = [1, 9]\n'
    table += f'rates = {{ column = "rate", per = 1000, decimals = 2, denominator = "population"{key} }}'
    write_tables(tmp_path, {"1.csv": ["area,n,rate,population", *lines]}, table, "min_count = 10")
    code, out, _ = run_main(str(tmp_path), "--format", "json", "--findings", "all")
    assert code < 2 or (code == 3 and not key)
    for each in json.loads(out)["attacks"][0]["findings"]:
        whole, *less = (of[area][0] for area in each["cell"]["area"].split(" less "))
        assert each["lower"] <= whole - sum(less) <= each["upper"]


@kills("audit.count_tables.published_texts.rate_interval", "(rates.base or rates.seems) // 2", "rates.base // 2")
@kills("audit.count_tables.read_counts._with_bases", "(each.base or each.of_published)", "each.of_published")
@pytest.mark.parametrize(("key", "code"), [("", 3), (", base = 1", 1), (", base = 1000", 0)])
def test_whether_denominators_were_rounded_is_asked_if_more_follows(key, code, tmp_path):
    """A rate of 2.0 per 1000 of 2,000 is a count of 4; of 1,500 to 2,500, it may be a 3 or a 5."""
    rows = ["A,s,2.0,2000", "B,s,2.0,3000", "C,41,13.7,3000", "D,34,8.5,4000", "E,52,10.4,5000", "All,137,8.1,17000"]
    table = 'dimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nmarkers.s = [1, 9]\n'
    table += f'rates = {{ column = "rate", per = 1000, decimals = 1, denominator = "population"{key} }}'
    write_tables(tmp_path, {"1.csv": ["area,n,rate,population", *rows]}, table, "min_count = 10")
    assert run_main(str(tmp_path))[0] == code
