"""What waivers and baselines accept of counts: as much as was known, and no more."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.cli.forms import EXAMPLES, edit
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import refused, run_main
from tests.mutants.mutant import kills

FIRST = [(("All",), "50"), (("N",), "*"), (("S",), "*"), (("W",), "45")]
AREAS = {"N": ("N",), "S": ("S",), "W": ("W",), "S and W": ("S", "W")}
NEXT = {"sharpens": "46", "says nothing new": ""}


def series(folder: Path, releases=(FIRST,)):
    """N and S, hidden, are 1 to 4 each; a policy that asks for five possible values."""
    tables = TinyTables(
        ("area",), releases, totals={"area": "All"}, categories={"area": AREAS}, markers={"*": (1, 7)},
        over_time="same", min_count=4, min_width=5,
    )  # fmt: skip
    return tables.write(folder)


def with_next(folder: Path, number: str):
    """Add a release that gives S and W together."""
    (folder / "releases/2.csv").write_text(f"area,n\nS and W,{number}\n", encoding="utf-8")
    manifest = folder / "series.toml"
    edit(manifest, '["releases/1.csv"]', '["releases/1.csv", "releases/2.csv"]')


def audited(folder: Path, *more: str):
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all", *more)
    report = json.loads(out) if out else {}
    cells = [(each["cell"]["area"], each["lower"], each["upper"]) for each in report["attacks"][0]["findings"]]
    return code, report, cells or err


def test_a_finding_keeps_its_id_where_all_releases_count_the_same_people(tmp_path):
    one = series(tmp_path / "one")
    two = series(tmp_path / "two", (FIRST, FIRST, FIRST))
    ids = [{each["id"] for each in audited(folder)[1]["attacks"][0]["findings"]} for folder in (one, two)]
    assert ids[0] == ids[1]
    (tmp_path / "2.csv").write_text((one / "releases/1.csv").read_text(encoding="utf-8"), encoding="utf-8")
    code, out, _ = run_main("next", str(one), str(tmp_path / "2.csv"), "--format", "json")
    assert (code, json.loads(out)["attacks"][0]["newly_found"]) == (1, 0)


@pytest.mark.parametrize("number", NEXT.values(), ids=NEXT)
def test_a_candidate_that_sharpens_what_is_known_may_not_go_out(number, tmp_path):
    folder = series(tmp_path / "s")
    (tmp_path / "old.json").write_text(json.dumps(audited(folder)[1]), encoding="utf-8")
    (tmp_path / "2.csv").write_text(f"area,n\nS and W,{number}\n", encoding="utf-8")
    _, out, _ = run_main("next", str(folder), str(tmp_path / "2.csv"))
    assert ("It adds nothing that the policy forbids" in " ".join(out.split())) == (not number)
    both = "All of what is found follows from the releases before it, and the candidate adds nothing."
    assert (both in " ".join(out.split())) == (not number)
    assert "it may go out" not in out  # the release before it breaks the policy
    with_next(folder, number)
    report = audited(folder, "--baseline", str(tmp_path / "old.json"))[1]
    assert (report["known_before"], report["baseline"]["still"]) == ((0, 0) if number else (2, 2))


@kills(
    "audit.count_tables.table_audit._unasked_before", "{each.digest() for each in files} <= baseline.digests", "True"
)
@kills("audit.count_tables.table_audit.accepted_counts", "**{ident: found[ident] for ident in unasked}", "")
@pytest.mark.parametrize(
    ("number", "is_new"), [("", False), ("5", True), ("edited", True)], ids=["empty", "a number", "edited since"]
)
def test_what_only_a_later_release_asks_about_is_not_new_if_it_followed_before(number, is_new, tmp_path):
    """Areas A and B are 2 to 5 together, which is asked under another name where a release names their region."""
    first = [(("A",), "s"), (("B",), "s"), (("C",), "20"), (("All",), "25")]
    tables = TinyTables(
        ("area",), [first], totals={"area": "All"}, markers={"s": (1, 4)}, over_time="same", min_count=6,
        categories={"area": {"A": ("A",), "B": ("B",), "C": ("C",), "D": ("D",), "R": ("A", "B")}},
    )  # fmt: skip
    folder, old = tables.write(tmp_path / "s"), tmp_path / "old.json"
    old.write_text(json.dumps(audited(folder)[1]), encoding="utf-8")
    with_next(folder, "")
    (folder / "releases/2.csv").write_text(f"area,n\nR,{number.replace('edited', '')}\n", encoding="utf-8")
    if number == "edited":
        path = folder / "releases/1.csv"
        edit(path, "25", "24")
    code, report, cells = audited(folder, "--baseline", str(old))
    assert (code, "R" in [area for area, *_ in cells]) == (int(is_new), is_new)
    assert report["baseline"]["still"] or is_new
    (tmp_path / "again.json").write_text(json.dumps(report), encoding="utf-8")
    assert is_new or audited(folder, "--baseline", str(tmp_path / "again.json"))[0] == 0


@kills("reports.documents.sections._accepts", "return bool(report.left_out) or ", "return ")
def test_a_document_has_a_mark_where_a_line_below_explains_it(tmp_path):
    folder = series(tmp_path / "s")
    (tmp_path / "old.json").write_text(json.dumps(audited(folder)[1]), encoding="utf-8")
    out = run_main(str(folder), "--baseline", str(tmp_path / "old.json"), "--document", "dpia")[1]
    marked = [line for line in out.splitlines() if line.endswith(r"\*") and "limit" in line]
    assert (len(marked), out.count(r"* \* A clause holds here apart from what is in the earlier report")) == (2, 1)
    assert "risks and k" not in out


def test_a_report_made_with_a_baseline_is_a_complete_baseline(tmp_path):
    folder = series(tmp_path / "s")
    for _ in range(2):
        more = ["--baseline", str(tmp_path / "old.json")] if (tmp_path / "old.json").exists() else []
        (tmp_path / "old.json").write_text(json.dumps(audited(folder, *more)[1]), encoding="utf-8")
    code, report, _ = audited(folder, "--baseline", str(tmp_path / "old.json"))
    assert (code, sorted(report["baseline"]["counts"])) == (0, report["baseline"]["known"])


@pytest.mark.parametrize("form", [["--format", "text"], ["--format", "html"], ["--document", "dpia"]])
def test_what_the_baseline_accepts_was_found_all_the_same(form, tmp_path):
    folder, old = series(tmp_path / "s"), tmp_path / "old.json"
    old.write_text(json.dumps(audited(folder)[1]), encoding="utf-8")
    code, out, _ = run_main(str(folder), "--baseline", str(old), *form)
    words = " ".join(re.sub(r"<[^>]*>|[*:]", " ", out).split())
    assert (code, "nothing to certify" in words) == (0, False)
    assert re.search(r"\bnarrowed 2\b", words), words
    assert "of these, waived or in the baseline 2 " in words


def test_findings_that_are_not_shown_are_counted(tmp_path):
    folder = series(tmp_path / "s")
    new = str(folder / "releases/1.csv")
    assert "1 more: --findings all" in run_main("next", str(folder), new, "--findings", "1")[1]
    assert "more: --findings" not in run_main("next", str(folder), new)[1]


def test_a_baseline_is_of_the_same_kind_of_series(tmp_path):
    folder = series(tmp_path / "s")
    (tmp_path / "old.json").write_text(json.dumps(audited(folder)[1]), encoding="utf-8")
    err = refused("tests/examples/hospital-l-diverse", "--baseline", str(tmp_path / "old.json"))
    assert "it is about a series of count tables" in err


@pytest.mark.parametrize("size", ["3", '{ kind = "narrowed" }', '{ kind = "worse", lower = 1, upper = 4 }'])
def test_an_invalid_size_is_refused(size, tmp_path):
    folder = series(tmp_path / "s")
    waiver = f'[[waiver]]\nfinding = "differencing-0"\nreason = "a"\nexpires = 2999-01-01\nsize = {size}\n'
    with (folder / "series.toml").open("a", encoding="utf-8") as file:
        file.write(waiver)
    code, _, err = run_main(str(folder))
    assert (code, "`size`" in err, "series.toml:" in err) == (2, True, True)


@pytest.mark.parametrize("number", NEXT.values(), ids=NEXT)
def test_the_page_says_what_is_new_since_the_baseline(number, tmp_path):
    """Findings of before count no more; a page without a baseline says nothing of it."""
    folder = series(tmp_path / "series")
    _, out, _ = run_main(str(folder), "--format", "json", "--findings", "all")
    (tmp_path / "old.json").write_text(out, encoding="utf-8")
    with_next(folder, number)
    _, page, _ = run_main(str(folder), "--format", "markdown", "--baseline", str(tmp_path / "old.json"))
    new = json.loads(run_main(str(folder), "--format", "json", "--baseline", str(tmp_path / "old.json"))[1])
    total = new["attacks"][0]["findings_total"]
    assert bool(total) == bool(number)
    assert f"{total} findings are new" in page
    assert "since the last report" not in run_main(str(folder), "--format", "markdown")[1]


def test_a_log_without_findings_names_the_kinds_that_violate(tmp_path):
    """With --findings 0, SARIF still has a result for each violated kind, by its rule; none if nothing violates."""
    folder = series(tmp_path / "series")
    code, out, _ = run_main(str(folder), "--format", "sarif", "--findings", "0")
    run = json.loads(out)["runs"][0]
    assert code == 1
    assert [each["ruleId"] for each in run["results"]] == ["differencing/narrowed"]
    code, out, _ = run_main(str(folder), "--format", "sarif", "--findings", "0", "--policy", "min_width=4")
    assert (code, json.loads(out)["runs"][0]["results"]) == (0, [])


def test_a_waiver_does_not_carry_the_count(tmp_path):
    """The manifest is published: only who has the key can see which count is accepted, and judge by it."""
    written, seals = [], set()
    for name, count in (("a", 1), ("b", 2), ("c", 1)):
        first = [(("All",), "50"), (("N",), "*"), (("S",), str(41 - count)), (("W",), "9")]
        tables = TinyTables(("area",), [first], totals={"area": "All"}, markers={"*": (1, 7)}, threshold=8)
        folder = tables.write(tmp_path / name)
        _, report, cells = audited(folder)
        assert cells == [("N", count, count)]
        run_main(
            "waive", str(folder), report["attacks"][0]["findings"][0]["id"], "--reason", "why", "--until", "2999-01-01"
        )
        text = (folder / "series.toml").read_text(encoding="utf-8").partition("[[waiver]]")[2]
        seals.update(re.findall('seal = "([0-9a-f]{16})"', text))
        written.append(re.sub('seal = "[0-9a-f]{16}"', "", text))
        assert audited(folder)[1]["policy"]["waived"][0]["state"] == "applied"
        (folder / "private/finding.key").unlink()
        code, report, _ = audited(folder)
        assert (code, report["policy"]["waived"][0]["state"]) == (3, "unsized")
    assert len(seals) == 3
    assert len(set(written)) == 1
    assert "values = 1" in written[0]


def test_the_size_of_an_earlier_version_is_read(tmp_path):
    folder = series(tmp_path / "s")
    ident = audited(folder)[1]["attacks"][0]["findings"][0]["id"]
    waiver = f'[[waiver]]\nfinding = "{ident}"\nreason = "a"\nexpires = 2999-01-01\nsize = '
    with (folder / "series.toml").open("a", encoding="utf-8") as file:
        file.write(waiver + '{ kind = "narrowed", lower = 1, upper = 4 }\n')
    assert audited(folder)[1]["policy"]["waived"][0]["state"] == "applied"


def test_a_violated_clause_has_its_doubts_all_the_same(tmp_path):
    """What a release before the candidate discloses hides neither numbers that were not judged nor waivers of old."""
    tables = TinyTables(
        ("area",), [[(("All",), "60"), (("A",), "3"), (("B",), "27"), (("C",), "*"), (("D",), "28")]],
        totals={"area": "All"}, markers={"*": (1, 4)}, min_count=5,
    )  # fmt: skip
    folder = tables.write(tmp_path / "s")
    (tmp_path / "2.csv").write_text("area,n,turnover\nAll,70,900\nA,13,77\nB,57,823\n", encoding="utf-8")
    words = ("repair", str(folder), str(tmp_path / "2.csv"), "--output")
    code, out, _ = run_main(*words, str(tmp_path / "out"))
    assert code == 3
    assert (
        'More may violate min_count and min_width: numbers beside the counts were not judged: "turnover"'
        in " ".join(out.split())
    )
    (tmp_path / "2.csv").write_text("area,n\nAll,70\nA,13\nB,57\n", encoding="utf-8")
    assert run_main(*words, str(tmp_path / "out2"))[0] == 0
    found = audited(folder)[1]["attacks"][0]["findings"][0]
    waiver = f'[[waiver]]\nfinding = "{found["id"]}"\nreason = "old"\nexpires = 9999-01-01\n'
    with (folder / "series.toml").open("a", encoding="utf-8") as manifest:
        manifest.write(f"\n{waiver}")
    code, report, _ = audited(folder)
    line = f'add size = {{ kind = "recovered", lower = {found["lower"]}, upper = {found["upper"]} }} to it'
    assert (code, [each["measure"] for each in report["policy"]["violations"]]) == (1, ["recovered"])
    assert any(line in each["reason"] for each in report["policy"]["undecided"])


@kills("audit.judgement.baseline._counts", '(each["id"], _lasting_id(report, each))', '(each["id"],)')
def test_a_baseline_whose_ids_name_a_release_is_read_for_the_same_people(tmp_path):
    """As versions until 0.3 wrote them."""
    folder = EXAMPLES.parent / "count_table_examples" / "tables-one-left-out"
    report = json.loads(run_main(str(folder), "--format", "json", "--findings", "all")[1])
    for each in (each for attack in report["attacks"] for each in attack["findings"]):
        said = json.dumps([each.get("measure"), each["release"], each.get("since"), each["cell"]], sort_keys=True)
        each["id"] = f"differencing-{hashlib.sha256(said.encode()).hexdigest()[:12]}"
    old = tmp_path / "old.json"
    old.write_text(json.dumps(report))
    assert run_main(str(folder))[0] == 1
    assert run_main(str(folder), "--baseline", str(old))[0] == 0
    report["attacks"][0]["findings"][0]["lower"] -= 1
    old.write_text(json.dumps(report))
    assert run_main(str(folder), "--baseline", str(old))[0] == 1
