"""Several rows of one person in a release: counted in one message, and judged as the manifest says."""

import random
import re

import pytest

from tests.cli.forms import edit
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import read_audit, refused, run_main
from tests.mutants.mutant import kills

COLUMNS = 'individual = "Patient"\nsensitive = "Diagnosis"\nquasi_identifiers = ["Age"]\n'
NAMES = ["Patient", "Age", "Diagnosis", "Admission"]
FIRST = [
    ["a", "20-30", "flu", "2024-01-05"],
    ["b", "20-30", "cold", "2024-01-06"],
    ["a", "20-30", "gout", "2024-02-01"],
    ["c", "30-40", "flu", "2024-01-07"],
    ["d", "30-40", "cold", "2024-03-07"],
    ["d", "30-40", "cold", "17.01.2024"],
]
SECOND = [["a", "20-30", "gout", "2024-05-05"], ["b", "20-30", "cold", "2024-05-06"]]


NOTED = 'unlinkable = { Admission = "only the registry knows the day" }'


def series(folder, releases, more=""):
    return series_of(folder, [[NAMES, *rows] for rows in releases], COLUMNS + more)


def judged(folder, *words):
    code, result = read_audit(folder, *words)
    result.pop("inputs")
    result.pop("people", None)  # they name findings by ids, which are drawn anew
    for entry in result["attacks"]:
        entry.pop("seconds")
        entry["findings"] = sorted(
            str({k: v for k, v in f.items() if k not in ("id", "rows")}) for f in entry["findings"]
        )
    for rung in result["ladder"]:
        rung.pop("seconds")
    return code, result


@kills("audit.io.release_reading.finish", "release is None or problems.found", "release is None")
def test_one_message_says_how_many(tmp_path):
    [line] = refused(str(series(tmp_path, [FIRST, SECOND]))).splitlines()
    assert '1.csv:2, column "Patient": this person has another row in line 4' in line
    assert "2 people have several rows here, 2 rows too many" in line
    assert 'rows = "episodes"' in line
    assert 'rows = "latest" or "first" with date' in line


def test_episodes_are_judged_by_themselves(tmp_path):
    code, result = judged(series(tmp_path, [FIRST, SECOND], f'rows = "episodes"\n{NOTED}'))
    assert result["adversary"]["kind"] == "published"
    assert {a["attack"] for a in result["attacks"] if a["status"] != "skipped"} == {"homogeneity"}
    noted, warning = result["warnings"]
    assert (noted["kind"], noted["examples"]) == ("unlinkable-column", ["Admission: only the registry knows the day"])
    assert warning["kind"] == "duplicates"
    assert "2 times in one release" in warning["text"]
    assert "is not judged" in warning["text"]
    assert code == 3
    assert set(states(result).values()) == {"undecided", "not judged"}
    assert all("several rows" in each["reason"] for each in result["policy"]["undecided"])
    assert "audit anonymize" in result["policy"]["undecided"][0]["reason"]
    assert not [a for a in result["attacks"] if (a["reason"] or "").startswith("it needs a key")]  # there is one
    assert 'rows = "episodes" does not say whose row is whose' in refused(str(tmp_path), "--adversary", "linked")


@pytest.mark.parametrize("words", [(), ("--format", "html"), ("--document", "dpia"), ("--format", "markdown")])
@pytest.mark.parametrize("limits", [(), ("--k", "4")])
def test_a_page_says_of_no_clause_both_that_it_is_violated_and_undecided(tmp_path, words, limits):
    rows = [["a", "20-30", "flu", ""], *([each, "30-40", "cold", ""] for each in "bbc")]
    folder = series(tmp_path, [rows], f'rows = "episodes"\n{NOTED}')
    code, result = judged(folder, *limits)
    violated = {name for name, state in states(result).items() if state == "violated"}
    assert (code, "max_risk" in violated) == (1, True)
    text = re.sub(r"<[^>]+>|\\", "", run_main(str(folder), *limits, *words)[1])
    text = " ".join(text.split())
    said = re.findall(r"([\w, ]*\b) (?:is|are) not decided:", text)
    assert not [each for each in said if violated & {*re.findall(r"\w+", each)}]
    assert "several rows in one release" in text


@kills("audit.metrics.release_summary._people_of", "real &= np.isin", "np.isin")
@pytest.mark.parametrize("seed", range(some(6)))
@pytest.mark.parametrize("which", ["episodes", "latest", "first"])
def test_people_of_classes_by_definition(tmp_path, which, seed):
    """As many as the key names in a class, and one more for each row that it does not list."""
    rng = random.Random(seed)  # noqa: S311
    rows = [[rng.choice(["a", "b", "c", "", None]), rng.choice(["20-30", "30-40"]), "flu", str(n)] for n in range(9)]
    how = f'rows = "{which}"\n{NOTED}' + ("" if which == "episodes" else '\ndate = "Admission"')
    dated = [["", *row[1:3], f"2024-01-{10 + at}"] for at, row in enumerate(rows)]
    folder = series(tmp_path, [dated], how)
    listed = [[str(at), row[0]] for at, row in enumerate(rows) if row[0] is not None]
    write(folder / "private/1.key.csv", as_csv([["row", "individual"], *listed]))
    manifest = folder / "series.toml"
    manifest.write_text(manifest.read_text().replace('individual = "Patient"', ""))
    sizes = []
    for age in ("20-30", "30-40"):
        owners = [at if row[0] is None else row[0] for at, row in enumerate(rows) if row[1] == age]
        sizes.append((len(owners), len(set(owners) - {""})))
    [panel] = judged(folder, "--k", "3")[1]["panel"]
    assert panel["k_people"] == min((people for _, people in sizes if people), default=None)
    assert panel["below_k"] == sum(each for each, people in sizes if (people or each) < 3)


def states(result):
    return {each["clause"]: each["state"] for each in result["policy"]["clauses"]}


def test_episodes_of_people_with_one_row_each_hold(tmp_path):
    code, result = judged(series(tmp_path, [[FIRST[row] for row in (0, 1, 3, 4)]], f'rows = "episodes"\n{NOTED}'))
    assert (code, states(result)["max_risk"], states(result)["k"]) == (0, "holds", "holds")


@kills("audit.io.rules.rows_and_values.SeveralRows.doubts", "len(series.tags) > 1", "False")
def test_people_with_one_row_in_each_release_are_followed(tmp_path):
    """The releases have one value of a and b in common; each was judged by itself, and the policy held."""
    later = [["a", "20-30", "flu", "2024-05-05"], ["b", "20-30", "gout", "2024-05-06"]]
    folder = series(tmp_path, [FIRST[:2], [*later, *FIRST[3:5]]], f'rows = "episodes"\n{NOTED}')
    code, result = judged(folder)
    assert (code, states(result)["max_risk"]) == (3, "undecided")
    assert all('write rows = "people"' in each["reason"] for each in result["policy"]["undecided"])
    edit(folder / "series.toml", '"episodes"', '"people"')
    assert judged(folder)[0] == 1


@pytest.mark.parametrize("which", ["latest", "first"])
def test_further_rows_hide_no_class(tmp_path, which):
    """Both people had gout: the other rows of their class say so, whichever row is followed."""
    early = [["a", "20-30", "gout", "2024-01-01"], ["b", "20-30", "gout", "2024-01-02"]]
    late = [
        ["a", "30-40", "flu", "2024-03-01"],
        ["b", "30-40", "cold", "2024-03-02"],
        ["c", "30-40", "gout", "2024-02-02"],
    ]
    how = f'rows = "{which}"\ndate = "Admission"\n{NOTED}'
    if which == "first":
        early = [[*row[:3], f"2025{row[3][4:]}"] for row in early]
    code, result = judged(series(tmp_path, [[*early, *late]], how), "--reveal")
    assert code == 1
    [violation] = result["policy"]["violations"]
    assert (violation["attack"], violation["measure"], violation["value"]) == ("homogeneity", "max_risk", 1.0)
    # With another value among the further rows nothing is found, and what two rows of one person tell stays open.
    early[0][2] = "flu"
    code, result = judged(series(tmp_path, [[*early, *late]], how), "--reveal")
    assert (code, states(result)["max_risk"]) == (3, "undecided")
    assert {a["attack"]: a["status"] for a in result["attacks"]}["homogeneity"] == "complete"


@pytest.mark.parametrize("form", ["{month}/2024", "0{month}.2024", "2024-0{month}"])
def test_months_say_which_row_is_the_latest(tmp_path, form):
    """Beside days they have no order."""
    rows = [["a", "20-30", "flu", 1], ["b", "20-30", "cold", 2], ["a", "30-40", "gout", 3], ["c", "30-40", "cold", 1]]
    dated = [[*row[:3], form.format(month=row[3])] for row in rows]
    known = [[*row[:3], f"2024-0{row[3]}-01"] for row in rows]
    how = f'rows = "latest"\ndate = "Admission"\n{NOTED}'
    found, expected = (
        judged(series(tmp_path / str(n), [some], how), "--reveal") for n, some in enumerate([dated, known])
    )
    assert (found[0], found[1]["attacks"]) == (expected[0], expected[1]["attacks"])
    mixed = series(tmp_path / "mixed", [[*dated[:3], known[3]]], how)
    assert "or all of them as months (2024-03 or 03/2024)" in refused(str(mixed))


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("which", ["latest", "first"])
def test_one_row_is_followed_for_each_person(tmp_path, which, keyed):
    """The further rows are strangers', as if a key did not list them."""
    kept = {"latest": [1, 2, 3, 4], "first": [0, 1, 3, 5]}[which]
    releases = [FIRST, SECOND]
    plain = series(tmp_path / "plain", releases, NOTED)
    several = series(tmp_path / "several", releases, f'rows = "{which}"\ndate = "Admission"\n{NOTED}')
    listed = {"1": kept, "2": [0, 1]}
    for folder, whole in ((plain, False), (several, True)):
        for tag, rows in zip("12", releases, strict=True):
            key = [["row", "individual"], *([str(p), r[0]] for p, r in enumerate(rows) if whole or p in listed[tag])]
            if keyed or not whole:
                write(folder / f"private/{tag}.key.csv", as_csv(key))
    if keyed:
        manifest = several / "series.toml"
        manifest.write_text(manifest.read_text().replace('individual = "Patient"', ""))
    _, result = judged(several, "--reveal")
    _, expected = judged(plain, "--reveal")
    for each in (result, expected):
        for key in ("name", "columns"):
            each["series"].pop(key)
        for key in ("policy", "warnings", "stable_ids"):
            each.pop(key, None)
        people = [panel.pop("k_people") for panel in each["panel"]]
        assert people == ([2, 2] if each is result else [3, 2])  # two of the class's rows are of one person
    assert result == expected


@pytest.mark.parametrize("seed", range(some(15)))
def test_whatever_the_order_of_rows(tmp_path, seed):
    """Which row counts is a matter of dates, not of the order of the file."""
    rng = random.Random(seed)  # noqa: S311
    rows = [[f"p{n}", rng.choice(["20-30", "30-40"]), rng.choice(["flu", "cold", "gout"]), f"2024-0{n % 9 + 1}-0{d}"]
            for n in range(8) for d in rng.sample(range(1, 9), rng.randint(1, 3))]  # fmt: skip
    how = f'rows = "latest"\ndate = "Admission"\n{NOTED}'
    before = judged(series(tmp_path / "before", [sorted(rows, key=lambda row: row[3])], how))[1]
    rng.shuffle(rows)
    after = judged(series(tmp_path / "after", [rows], how))[1]
    for name in ("intersection", "homogeneity"):
        [one], [other] = ([a for a in each["attacks"] if a["attack"] == name] for each in (before, after))
        assert one["measures"] == other["measures"]


@pytest.mark.parametrize(
    ("head", "asked"),
    [("Fallnummer", True), ("Admission month", True), ("Height", False), ("Patient", False)],
)
def test_rows_that_are_cases_are_asked_about_where_nothing_says_whose_they_are(tmp_path, head, asked):
    """Two stays of one patient are one person; without a key, they looked like two (exit 0)."""
    for tag in ("1", "2"):
        rows = [
            [
                f"{n:03}" if head == "Patient" else f"{tag}{n // 4}",
                ["20-39", "40-59"][n % 2],
                ["flu", "cold", "gout"][n % 3],
            ]
            for n in range(24)
        ]
        write(tmp_path / f"{tag}.csv", as_csv([[head, "Age", "Disease"], *rows]))
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    reasons = [str(each["reason"]) for each in read_audit(tmp_path)[1]["policy"]["clauses"]]
    assert any('rows = "people" if each row' in each for each in reasons) == asked
