"""Every format: whom it names, where it shows findings, and that it shows no more than intended."""

import csv
import gzip
import html.parser
import json
import re
import unicodedata
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from markdown_it import MarkdownIt

from attacks.registry import all_attacks
from audit.clauses.registry import CLAUSES
from audit.io.series import open_series
from audit.model.audit_options import AuditOptions
from audit.model.report import Report
from audit.pipeline.audit_run import run_audit
from reports.program_formats import rules_of
from reports.registry import FORMATS
from tests.cli.forms import EXAMPLES, FORMS, append, edit, read_rows, write_rows
from tests.helpers.hostile import Spoiler
from tests.helpers.messy import series_of
from tests.helpers.running import run_main
from tests.helpers.sarif import assert_sarif
from tests.helpers.tiny import Registered, Row, TinySeries
from tests.mutants.mutant import kills

ALL = tuple(form() for form in FORMATS)
BY_NAME = {form.name: form for form in ALL}
SERIES = sorted(
    path.parent.name
    for path in EXAMPLES.glob("*/series.toml")
    if re.search("^(individual|record|register)", path.read_text(encoding="utf-8"), re.MULTILINE)
)
every_format = pytest.mark.parametrize("form", ALL, ids=lambda form: form.name)


def private(folder: Path) -> set[str]:
    """Make identifiers unmistakable, in a series and in its register; return them."""
    manifest = (folder / "series.toml").read_text(encoding="utf-8")
    columns = re.findall(r'^(?:individual|record) = "(.+?)"', manifest, re.MULTILINE)
    names: set[str] = set()
    for path in [*folder.glob("releases/*.csv"), *folder.glob("*.csv")]:
        header, *rows = read_rows(path)
        for place in [place for place, name in enumerate(header) if name in {*columns, "individual"}]:
            for row in rows:
                if row[place] and not row[place].startswith("~"):
                    row[place] = f"Unmistakable{row[place]}"
                    names.add(row[place])
        write_rows(path, [header, *rows])
    return names


@cache
def audited(name: str, *, reveal: bool, patience: float | None = 300.0) -> tuple[Report, frozenset[str]]:
    """The report of an example whose identifiers are unmistakable, and those identifiers."""
    with TemporaryDirectory() as folder:
        series = Path(folder) / "s"
        FORMS[name](series)
        names = private(series)
        options = AuditOptions(reveal=reveal, findings=None, time_limit=patience)
        return run_audit(open_series(series), all_attacks(), options), frozenset(names)


@pytest.mark.many
@every_format
@pytest.mark.parametrize("name", SERIES)
def test_identifiers_are_told_only_when_revealed(name, form):
    report, names = audited(name, reveal=False)
    rendered = form.render(report)
    assert names
    assert not [each for each in names if each in rendered]
    assert "nmistakable" not in rendered
    revealed, _ = audited(name, reveal=True)
    if any(attack.findings for attack in revealed.attacks):
        assert any(each in form.render(revealed) for each in names)


CELLS = ("QuarterOfAldermen", "QuarterOfBrewers", "QuarterOfCoopers", "QuarterOfDyers")


def crowd(*, register: bool) -> TinySeries:
    """Two releases of four people, each in a town quarter of an unmistakable name; the first is known for certain."""
    people = [f"Unmistakable{place}" for place in range(4)]
    rows = [
        [Row(who, str(place // 2), "flu" if place % 2 else "gout", (cell,)) for place, (who, cell) in enumerate(pairs)]
        for pairs in (
            zip(people, CELLS, strict=True),
            zip(people[::2] + people[1::2], CELLS[::2] + CELLS[1::2], strict=True),
        )
    ]
    rows[1] = [
        Row(row.individual, row.group, "flu" if row.individual in people[1::2] else "gout", row.cells)
        for row in rows[1]
    ]
    known = [Registered(who, release, (cell,)) for release in (0, 1) for who, cell in zip(people, CELLS, strict=True)]
    return TinySeries(rows, register=known if register else None, quasi_identifiers=("Quarter",))


@pytest.mark.many
@every_format
@pytest.mark.parametrize("adversary", ["linked", "register", "pseudonym", "possible"])
@pytest.mark.parametrize("group_column", [True, False])
def test_cells_are_told_only_when_revealed(tmp_path, form, adversary, group_column):
    """By a register of people who may be in the data as well."""
    listed = adversary in {"register", "possible"}
    folder = crowd(register=listed).write(tmp_path / "s", group_column=group_column)
    if adversary == "possible":
        edit(folder / "series.toml", "[adversary]\n", '[adversary]\npresence = "possible"\n')
    if adversary == "pseudonym":
        edit(folder / "series.toml", 'individual = "Owner"', 'record = "Owner"')
    code, hidden, err = run_main(str(folder), "--format", form.name, "--adversary", adversary)
    assert code == 1, err
    assert not [cell for cell in CELLS if cell in hidden]
    assert "nmistakable" not in hidden
    code, shown, _ = run_main(str(folder), "--format", form.name, "--adversary", adversary, "--reveal")
    assert code == 1
    assert "Unmistakable" in shown
    assert (adversary == "pseudonym") <= any(cell in shown for cell in CELLS)


def hostile(name: str, patience: float | None = 300.0) -> tuple[Report, Report]:
    report, _ = audited(name, reveal=True, patience=patience)
    return report, Spoiler().everything(report)


@pytest.mark.many
@every_format
@pytest.mark.parametrize("name", SERIES)
def test_hostile_names_stay_words(name, form):
    benign, spoilt = hostile(name)
    rendered = form.render(spoilt)
    assert not {c for c in rendered if c != "\n" and (unicodedata.category(c)[0] == "C" or c in "\u2028\u2029")}
    if form.name == "html":
        assert active(rendered) == active(form.render(benign))
    if form.name == "markdown":
        assert structure(rendered) == structure(form.render(benign))


def active(page: str) -> list[str]:
    """What a browser would run or fetch on a page."""
    found: list[str] = []

    class Parser(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag in {"script", "img", "iframe", "object", "embed", "link", "meta", "base", "form"}:
                found.append(tag)
            found.extend(f"{tag} {key}" for key, _ in attrs if key.startswith("on"))
            found.extend(f"{tag} {key}" for key, value in attrs if value and value.strip().startswith("javascript:"))

    Parser().feed(page)
    return found


# -- Markdown -------------------------------------------------------------------------------------------

_INLINE = {"text", "text_special", "softbreak", "strong_open", "strong_close", "code_inline"}


def structure(page: str) -> list[str]:
    """The blocks of a page; nothing but words, bold words, code and ends of lines may be in them."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    children = [child for token in tokens for child in token.children or ()]
    inline = {child.type for child in children if (child.type, child.content) != ("html_inline", "<br>")}
    assert inline <= _INLINE, inline - _INLINE
    return [f"{token.type} {token.markup}" for token in tokens]


def test_a_page_has_every_part(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    (tmp_path / "s" / "private").mkdir()
    append(
        tmp_path / "s" / "series.toml", '\n[[waiver]]\nfinding = "joint-00"\nreason = "asked"\nexpires = 2999-01-01\n'
    )
    code, page, _ = run_main(str(tmp_path / "s"), "--format", "markdown", "--findings", "1")
    assert code == 1
    titles = re.findall("^## (.*)", page, re.MULTILINE)
    assert titles == [
        "Verdict",
        "What to do",
        "Decision",
        "What each attack learns",
        "Risk over time, and by people",
        "Each release by itself",
        "Assumptions",
        "Waivers",
        "Terms",
        "Who learns what from this page",
        "Files",
        "Findings",
    ]
    assert "**This page names no person and shows nobody's quasi-identifiers, but" in page
    assert "INTERNAL" not in page
    assert "**NOT SAFE: the sensitive value is certain for 4 of 16 people.**" in page
    assert "| 2 | 2 | 13 | 4 |" in page  # people found after release 2
    assert ["2", "2", "13", "4"] in map(str.split, run_main(str(tmp_path / "s"))[1].splitlines())
    assert re.search(
        r"^\| releases/1\.csv \| [0-9a-f]{64} \(of its published columns, as CSV\) \| 11 \|$", page, re.MULTILINE
    )
    assert (
        "**INTERNAL: contains names. Internal use only.**"
        in run_main(str(tmp_path / "s"), "--format", "markdown", "--reveal")[1]
    )


# -- SARIF ----------------------------------------------------------------------------------------------


def sarif(report: Report) -> dict:
    log = json.loads(BY_NAME["sarif"].render(report))
    assert_sarif(log)
    return log["runs"][0]


@pytest.mark.many
@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("name", [*SERIES, "anatomy", "two_values", "keyed", "gzipped", "parquet"])
def test_every_log_is_sarif(name, reveal):
    report, _ = audited(name, reveal=reveal)
    run = sarif(report)
    shown = sum(len(attack.findings) for attack in report.attacks)
    assert len([each for each in run["results"] if not each["ruleId"].startswith("policy/")]) == shown
    assert any(each["level"] == "error" for each in run["results"]) == bool(report.policy.violations)
    whole = {each["hashes"]["sha-256"] for each in run["artifacts"] if "hashes" in each}
    assert whole == {each.sha256 for each in report.inputs if each.columns is None}


def test_findings_stand_where_their_certificates_do():
    report, _ = audited("hospital-l-diverse", reveal=True)
    [first, *_] = [each for each in sarif(report)["results"] if each["ruleId"] == "intersection/disclosure"]
    places = [each["physicalLocation"]["artifactLocation"]["uri"] for each in first["locations"]]
    assert list(dict.fromkeys(places)) == ["releases/1.csv", "releases/2.csv"]
    assert "partialFingerprints" not in first


def test_every_attack_and_clause_has_a_rule():
    report = run_audit(open_series(EXAMPLES / "hospital-l-diverse"), all_attacks(), AuditOptions())
    rules = rules_of(report)
    claiming = {attack.name for attack in all_attacks() if attack.name != "inference"}  # which finds nothing
    assert {rule.split("/")[0] for rule in rules} == {"policy", *claiming}
    assert {rule for rule in rules if "policy" in rule} == {f"policy/{clause}" for clause in CLAUSES}


def located_audit(folder, *words):
    out = run_main(str(folder), "--format", "json", "--findings", "all", *words)[1]
    return json.loads(out)


def table(path):
    """The lines of a file as dicts, by the numbers that reports give them."""
    if path.name.endswith(".parquet"):
        return dict(enumerate(pq.read_table(path).to_pylist(), 1))
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.name.endswith(".gz") else content).decode()
    return dict(enumerate(csv.DictReader(text.splitlines()), 2))


def assert_located(folder, result, group_column):
    """The lines of each group are those of the file with its name, and their cells what the file says."""
    count = 0
    for entry in result["attacks"]:
        for finding in entry["findings"]:
            named = {(step["release"], group) for step in finding["certificate"] if "release" in step
                     for group in step.get("groups", [step.get("group")]) if group}  # fmt: skip
            assert {(each["release"], each["group"]) for each in finding["rows"]} >= named
            for each in finding["rows"]:
                lines = table(folder / each["file"])
                mine = [number for number, line in lines.items() if str(line[group_column]) == each["group"]]
                assert each["lines"] == mine
                cells = [dict(cells) for cells in each["cells"]]
                assert cells == [dict(pair) for pair in dict.fromkeys(
                    tuple((name, str(lines[number][name])) for name in cells[0]) for number in mine)]  # fmt: skip
                count += 1
    assert count


def as_form(folder, form):
    """Store the releases as another kind of file."""
    for path in sorted((folder / "releases").glob("*.csv")):
        if form == "csv.gz":
            path.with_suffix(".csv.gz").write_bytes(gzip.compress(path.read_bytes()))
        else:
            columns = csv.DictReader(path.read_text().splitlines())
            rows = list(columns)
            pq.write_table(pa.Table.from_pylist(rows), path.with_suffix(".parquet"))
        path.unlink()
    edit(folder / "series.toml", ".csv", f".{form}")


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet"])
def test_every_kind_of_file(form, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    if form != "csv":
        as_form(tmp_path / "s", form)
    result = located_audit(tmp_path / "s", "--reveal")
    assert_located(tmp_path / "s", result, "Group-ID")


@kills("audit.judgement.selection._files", "read_written(files.rows", "read_adjusted(files.rows")
def test_cells_beside_lines_are_spelled_as_in_the_file(tmp_path):
    """Ages with decimal commas and a value in capitals; the second release does not publish the sex."""
    rows = [[f"P{n}", "1", "20,5-29,5", "F", "FLU"] for n in range(3)]
    head, columns = ["Name", "Group", "Age", "Sex", "Illness"], 'individual = "Name"\ngroup = "Group"\ndecimal = ","\n'
    tables = [[head, *rows], [[*head[:3], head[4]], *([*row[:3], row[4]] for row in rows)]]
    columns += 'quasi_identifiers = ["Age", "Sex"]\nsensitive = "Illness"\n'
    result = located_audit(series_of(tmp_path, tables, columns), "--reveal")
    found = [each for entry in result["attacks"] for one in entry["findings"] for each in one["rows"]]
    assert {(each["release"], str(each["cells"])) for each in found} >= {("1", "[{'Age': '20,5-29,5', 'Sex': 'F'}]")}
    assert {each["cells"][0]["Sex"] for each in found if each["release"] == "2"} <= {"*"}


def test_a_pair_stands_in_two_files(tmp_path):
    FORMS["anatomy"](tmp_path / "s")
    result = located_audit(tmp_path / "s", "--reveal")
    found = [one for entry in result["attacks"] for one in entry["findings"]]
    assert found
    for one in found:
        assert len({each["file"] for each in one["rows"]}) == 2 * len({each["release"] for each in one["rows"]})


@pytest.mark.parametrize("form", ["text", "markdown", "html", "sarif"])
def test_formats_say_where(form, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    page = run_main(str(tmp_path / "s"), "--reveal", "--format", form)[1]
    assert "lines 2-3" in page
    told = run_main("explain", str(tmp_path / "s"), "--individual", "Bob", "--format", form)[1]
    assert "lines 2-3" in told


def test_reasons_are_all_attacks_whatever_is_shown(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    result = json.loads(run_main(str(tmp_path / "s"), "--format", "json", "--findings", "1", "--reveal")[1])
    for each in result["people"]:
        if each["individual"] in {"Bob", "David"}:
            assert each["reasons"] == ["intersection", "update-graph", "joint"]
