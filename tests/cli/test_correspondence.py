"""`correspondence` on the command line: growing series of files alone, findings, and where it does not apply."""

import pytest

from tests.cli.forms import EXAMPLES
from tests.helpers.messy import series_of
from tests.helpers.running import run_audit, run_main
from tests.mutants.mutant import kills

ATTACK = ("--attack", "correspondence")


def write(folder, *releases, updates='updates = "growing"\n', more=""):
    """A series of plain tables: each release a list of (job, country, disease)."""
    tables = ["\n".join(["Job;Country;Disease", *map(";".join, rows), ""]) for rows in releases]
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Job", "Country"]\n'
    return series_of(folder, tables, columns + more, above=updates)


@pytest.fixture
def crossed(tmp_path):
    """Whoever is new in the second release with (a, x) can have flu alone: the others fill those with cold."""
    first = [("a", "*", "cold"), ("a", "*", "cold")]
    second = [("*", "x", "cold"), ("*", "x", "cold"), ("a", "x", "flu"), ("b", "x", "flu")]
    return write(tmp_path / "s", first, second)


def test_720_worlds():
    code, result, _ = run_audit(EXAMPLES.parent / "published_examples" / "growing-lawyers", *ATTACK)
    [entry] = result["attacks"]
    assert (code, entry["status"], entry["measures"]["worlds"], entry["findings"]) == (0, "complete", 720, [])
    code, result, _ = run_audit(EXAMPLES.parent / "published_examples" / "growing-lawyers", *ATTACK, "--policy", "k=5")
    assert code == 1
    assert "attack" in str(result["policy"]["violations"])


def test_nothing_of_anybody_is_told_unless_revealed(crossed):
    _, result, _ = run_audit(crossed, *ATTACK)
    assert all("point" not in finding for finding in result["attacks"][0]["findings"])
    for form in ("text", "markdown", "html", "sarif", "json"):
        code, out, err = run_main(str(crossed), *ATTACK, "--format", form)
        assert (code, err) == (1, "")
        assert "Traceback" not in out
    text = run_main(str(crossed), *ATTACK)[1]
    assert "new in release 2 can only have 1 row" in text


# -- where more is known ---------------------------------------------------------------------------------------

FIRST = [("a", "*", "cold"), ("a", "*", "cold")]
SECOND = [("*", "x", "cold"), ("*", "x", "cold"), ("a", "x", "flu"), ("b", "x", "flu")]
KNOWN = ("c", "y", "gout"), ("c", "y", "gas")


def beside(folder, known):
    """The series in which the first two fill the rows with cold, and beside it two people of whom more is known."""
    names = ["k1", "k2"]
    releases = [[*KNOWN, *FIRST], [*KNOWN, *SECOND]]
    if known == "ids":
        folder = write(folder, *releases, more='record = "Case"\n')
        for number in (1, 2):
            path = folder / f"{number}.csv"
            head, *lines = path.read_text().splitlines()
            path.write_text("\n".join([f"{head};Case", *(f"{line};r{at}" for at, line in enumerate(lines))]) + "\n")
        return folder
    folder = write(folder, *releases, more='spelled = ["Job", "Country"]\n')
    for number in (1, 2):
        (folder / "private").mkdir(exist_ok=True)
        lines = [f"{at},{who}" for at, who in enumerate(names)]
        if known == "key":
            text = "\n".join(["row,individual", *lines]) + "\n"
            (folder / f"private/{number}.key.csv").write_text(text, encoding="utf-8")
    if known == "register":
        lines = [f"{who},c,y,1,2" for who in names]
        text = "\n".join(["individual,Job,Country,first,last", *lines]) + "\n"
        (folder / "register.csv").write_text(text, encoding="utf-8")
        with (folder / "series.toml").open("a", encoding="utf-8") as file:
            file.write('\n[adversary]\nregister = "register.csv"\n')
    return folder


@pytest.mark.parametrize("known", ["nothing", "key", "register", "ids"])
def test_more_knowledge_never_teaches_less(tmp_path, known):
    folder = beside(tmp_path / "s", known)
    code, result, _ = run_audit(folder, *ATTACK, "--reveal")
    [entry] = result["attacks"]
    assert result["adversary"]["kind"] == {"nothing": "published", "key": "linked", "ids": "pseudonym"}.get(
        known, known
    )
    assert (code, {violation["measure"] for violation in result["policy"]["violations"]}) == (1, {"k", "max_risk"})
    [found] = [f for f in entry["findings"] if f["first"] == "2" and f["point"] == {"Job": "a", "Country": "x"}]
    assert (found["rows"], found["value"], found["evidence"]) == (1, "flu", "proof")


@pytest.mark.parametrize(("place", "state"), [("a", "holds"), ("*", "undecided")])
def test_records_that_came_together_are_judged_by_their_ids(tmp_path, place, state):
    """Rows alone do not show which of them are new; ids do, and the two new rows look alike, or each is alone."""
    old = [("a", "x", "cold"), ("a", "x", "flu"), ("*", "x", "cold"), ("*", "x", "flu")]
    first = [("a", "x", value) for *_, value in old]
    folder = write(tmp_path / "s", first, [*old, ("a", "x", "flu"), (place, "x", "cold")], more='record = "Case"\n')
    for number in (1, 2):
        path = folder / f"{number}.csv"
        head, *lines = path.read_text().splitlines()
        path.write_text("\n".join([f"{head};Case", *(f"{line};r{at}" for at, line in enumerate(lines))]) + "\n")
    code, result, _ = run_audit(folder, *ATTACK)
    [entry] = result["attacks"]
    states = {each["clause"]: each["state"] for each in result["policy"]["clauses"]}
    assert (states["k"], states["max_risk"]) == (state, state)
    assert code == (0 if state == "holds" else 3)
    assert ("came with one release" in (entry["reason"] or "")) == (state == "undecided")


DESCRIBED = [(job, country) for job in "abcd" for country in "xyz"]
ONCE = [(*each, value) for each in DESCRIBED for value in ("cold", "flu", "gout")]
NEW = [("a", "x", "gout"), ("d", "z", "flu")]


@kills("audit.judgement.doubts.gather_doubts", "*contained_row_doubts(series, beside=beside)", "")
@kills("audit.judgement.contained_rows.contained_row_doubts", "is_contained(many, there)", "True")
@kills("audit.judgement.contained_rows.contained_row_doubts", "(many != there).any()", "True")
@kills("audit.judgement.contained_rows.is_contained", "lacking * FEW_OF_ROWS > rows", "lacking")
@pytest.mark.parametrize(
    ("later", "stated", "asked"),
    [
        (2 * ONCE + NEW, "", True),
        (2 * ONCE + NEW, 'updates = "growing"\n', False),
        ((2 * ONCE)[1:], "", True),
        ([*(2 * ONCE)[1:], NEW[0]], "", True),
        (2 * ONCE, "", False),
        ([(*each, value) for each in DESCRIBED for value in ("cold", "cold", "flu", "flu", "gout", "ague")], "", False),
        (20 * ONCE, "", False),
    ],
    ids=["newcomers", "growing", "a row less", "another row", "the same", "others", "many others"],
)
def test_rows_that_another_release_has_too_are_asked_about(tmp_path, later, stated, asked):
    """No id links them, but what both have is taken off, and few rows are left: the values of newcomers are certain."""
    folder = write(tmp_path / "s", 2 * ONCE, later, updates=stated)
    code, result, _ = run_audit(folder, "--time-limit", "20")
    reasons = [each["reason"] for each in result["policy"]["undecided"]]
    assert (any("more than by chance" in each for each in reasons), code == 3) == (asked, asked), reasons
    candidate, manifest = (folder / "2.csv").rename(tmp_path / "later.csv"), folder / "series.toml"
    manifest.write_text(manifest.read_text().replace(', "2.csv"', ""))
    assert (run_main("next", str(folder), str(candidate))[0] == 3) == asked
