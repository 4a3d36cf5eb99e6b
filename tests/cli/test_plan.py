"""`audit plan`: its recommendation keeps the policy, and agrees with `audit`."""

import csv
import json
import random
import re
import shutil
from collections import Counter
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from anonymizers.mondrian import MondrianAnonymizer
from attacks.registry import find as attack
from audit.api import load_microdata
from audit.api.publication_plan import _Trial, candidates, plan_publication
from audit.io.microdata import open_microdata
from audit.metrics.utility import Queries
from audit.model.audit_options import AuditOptions
from audit.model.command_results import SEEDS, PlannedSeries, PublicationPlan
from reports.formats import frames
from reports.publication_plan import document, page
from tests.cli.forms import EXAMPLES, edit
from tests.helpers.amount import slow
from tests.helpers.microdata import write_microdata
from tests.helpers.running import run_audit, run_main
from tests.mutants.mutant import kills

FORMATS = frames(page, document)
CLINIC = str(EXAMPLES / "clinic-microdata")


@pytest.fixture(scope="module")
def clinic():
    code, out, err = run_main("plan", CLINIC, "--queries", "20", "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_what_is_recommended_keeps_the_policy(clinic, tmp_path):
    best = clinic["recommended"]
    words = ["--method", best["method"], *best["parameters"].split()]
    assert run_main("anonymize", "--no-audit", CLINIC, *words, "--output", str(tmp_path / "s"), "--seed", "0")[0] == 0
    assert run_main(str(tmp_path / "s"))[0] == 0


def test_a_method_with_exact_quasi_identifiers_is_tried_with_coarse_ones(clinic):
    """The recommendation names the command line for these, and the width of their cells."""
    exact = [each for each in clinic["tried"] if each["form"] == "anatomy" and each["exit_code"] == 0]
    coarse = [each for each in clinic["tried"] if each["parameters"].endswith("--publish generalization")]
    assert {each["method"] for each in coarse} <= {each["method"] for each in exact}
    assert len(coarse) == min(2, len(exact)) > 0
    assert all(each["form"] == "generalization" and min(each["widths"].values()) >= 1 for each in coarse)
    assert clinic["recommended"]["parameters"] in [each["parameters"] for each in coarse]
    text = " ".join(run_main("plan", CLINIC, "--queries", "20", "--method", "e-equivalence")[1].split())
    assert "Width of the cells: a cell covers on average, in values: " in text.split("Why this one")[0]
    assert "--publish generalization --output" in text


def test_a_refusal_says_why(clinic):
    refused = [each for each in clinic["tried"] if each["method"] == "monotonic-mondrian"]
    assert refused
    assert all("not published" in each["refused"] for each in refused)
    assert clinic["recommended"]["method"] != "monotonic-mondrian"


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_page_says_first_what_is_recommended_and_marks_it(form):
    """Why another one is not, is said to its last word."""
    why = f"the attack found no end{' of it' * 120}, and that was all"
    tried = (
        PlannedSeries("l-diversity", "--l 3", refused=why),
        PlannedSeries("m-invariance", "--m 2", exit_code=0, query_error=0.2),
        PlannedSeries("mondrian", "--k 5", ("Age",), exit_code=0, query_error=0.1),
    )
    page = FORMATS[form](PublicationPlan("clinic", tried)).replace("\\", "")
    text = " ".join(re.sub("<[^>]+>", "", page).split())
    said, row, other = map(text.index, ("Recommendation: mondrian --k 5, without Age", "➜ mondrian", "m-invariance"))
    assert said < other < row
    assert text.count("➜") == 1
    assert "and that was all" in text


# -- a survey in which most people have nothing -----------------------------------------------------------------

HEAD = ("Person", "Age", "Zip", "Illness")


def survey(folder, *, more="", changing=False, seed=5, many=48):
    """Three waves of three quarters of some people, who go and come; 60 % have no illness."""
    draw, waves = random.Random(seed), {}  # noqa: S311 - no secret
    people = {f"p{n}": [draw.randint(20, 59), 80000 + draw.randrange(9)] for n in range(many)}
    ill = {who: draw.choice(["none"] * 6 + ["flu", "HIV", "gout", "asthma"]) for who in people}
    for wave in "123":
        there = draw.sample(sorted(people), many * 3 // 4)
        if changing:
            ill |= {who: draw.choice(["none", "flu"]) for who in there[:9]}
        waves[wave] = [(who, *people[who], ill[who]) for who in sorted(there)]
    return write_microdata(folder, waves, head=HEAD, more=more)


def planned(folder, *words):
    code, out, err = run_main("plan", str(folder), "--queries", "10", *words, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def planned_page(folder, *methods):
    """Return one plan as it is and as a page."""
    plan = load_microdata(folder).plan(methods=methods, queries=5)
    return json.loads(plan.render("json")), " ".join(plan.render("text").split())


@slow
def test_a_survey_gets_a_recommendation_that_keeps_the_policy(tmp_path):
    """Every method that gives a value to at most 1/m of the people refuses it; with rows held back it does not."""
    micro = survey(tmp_path / "micro")
    found = planned(micro, "--method", "l-diversity", "--method", "e-equivalence")
    assert found["frequent"][0] == "none"
    best = found["recommended"]
    assert (best["method"], best["parameters"].split()[-1], best["without"]) == ("e-equivalence", "--withhold", [])
    words = ["--method", best["method"], *best["parameters"].split()]
    assert (
        run_main("anonymize", "--no-audit", str(micro), *words, "--output", str(tmp_path / "s"), "--seed", "0")[0] == 0
    )
    assert run_main(str(tmp_path / "s"))[0] == 0


@pytest.mark.parametrize("changing", [False, True])
def test_what_stands_in_the_way_is_said(changing, tmp_path):
    """Groups of each release break together, and no transitions say how values change; columns are left out, too."""
    micro = survey(tmp_path / "micro", changing=changing)
    code, out, err = run_main("plan", str(micro), "--queries", "5", "--method", "l-diversity")
    assert (code, err) == (0, "")
    assert "of the people have none" in out
    assert ("`audit init --microdata --confirm` drafts it" in " ".join(out.split())) == changing
    assert "Recommendation: none of these. Every method refuses the tables" in " ".join(out.split())
    assert "without" not in out, "nothing was published that columns could be left out of"


def test_columns_are_left_out_where_nothing_else_helps(tmp_path):
    plan = plan_publication(
        open_microdata(survey(tmp_path / "micro", changing=True, many=80)),
        candidates([MondrianAnonymizer])[:1],
        [attack("homogeneity"), attack("intersection")],
        AuditOptions(time_limit=3600, findings=0),
        Queries(5),
        lambda _done, _all: None,
    )
    assert [each.without for each in plan.tried][:2] == [(), ("Age",)]
    assert plan.tried[0].exit_code == 1
    assert len({each.without for each in plan.tried}) == len(plan.tried)


@pytest.mark.parametrize(
    ("method", "gone", "why"), [("l-diversity", [], None), ("m-invariance", [0, 4, 8], "it needs counterfeits")]
)
def test_an_unlinkable_column_is_left_out_before_any_quasi_identifier(method, gone, why, tmp_path):
    """Its texts link the rows of two releases, or no row can be invented beside it."""
    ill = ["flu", "gout", "HIV", "none"]
    rows = [(f"p{n}", 20 + n // 4, 80000, f"{n}.5", ill[n % 4]) for n in range(40)]
    waves = {"1": rows, "2": [row for n, row in enumerate(rows) if n not in gone]}
    micro = write_microdata(tmp_path / "micro", waves, head=("Person", "Age", "Zip", "Weight", "Illness"))
    edit(micro / "microdata.toml", ', "Weight"]', ']\nunlinkable = { Weight = "calibrated" }')
    found = planned(micro, "--method", method)
    first, again = [each for each in found["tried"] if each["parameters"].endswith("4")][:2]
    assert (first["without"], again["without"]) == ([], ["Weight"])
    assert again["refused"] is None
    assert (first["exit_code"] == 3 and first["refused"] is None) if why is None else why in first["refused"]
    assert "Weight" in found["recommended"]["without"]


@kills("audit.api.publication_plan._Trial._published", "if series.manifest.unconfirmed else ()", "if False else ()")
@kills("audit.api.publication_plan._Trial._published", 'principle.needs.key != "required"', "False")
def test_a_plan_decides_with_what_microdata_can_say(tmp_path):
    """It asked to delete a guess that only a new series has, and for a form of `similar` that microdata refused."""
    ill = ["none", "none", "none", "flu", "gout", "none"]
    rows = [(f"p{n}", 20 + n // 6, "low" if n % 2 else "high", ill[n % 6]) for n in range(36)]
    micro = write_microdata(tmp_path / "micro", {"1": rows}, head=("Person", "Age", "Income band", "Illness"))
    file, more = micro / "microdata.toml", 'harmless = ["none"]\nunlinkable = { "Income band" = "ours" }\n'
    more += "similar.Illness = false\n"
    file.write_text(file.read_text().replace(', "Income band"]', "]").replace("sensitive =", f"{more}sensitive ="))
    found = planned(micro, "--method", "l-diversity")
    assert 0 in {each["exit_code"] for each in found["tried"] if not each["without"]}
    text = " ".join(run_main("plan", str(micro), "--method", "l-diversity", "--queries", "5")[1].split())
    assert "l-diversity is a baseline: it forms each release by itself" in text
    assert "No method protects unlinkable columns (Income band): audits of the series are undecided until" in text


def test_a_column_of_days_may_be_left_out_and_amounts_are_said_to_stand_in_the_way(tmp_path):
    """Amounts as in France, with blanks between thousands; what is undecided says why."""
    draw, waves = random.Random(2), {}  # noqa: S311 - no secret
    for wave in "12":
        waves[wave] = [
            (f"p{n}", f"{draw.randint(1950, 1990)}-03-{n % 28 + 1:02}", 80000, f"{draw.randint(10, 60)} {n:03}")
            for n in range(20)
        ]
    micro = write_microdata(tmp_path / "micro", waves, head=HEAD, more='dates = { Age = "year" }')
    found, text = planned_page(micro, "l-diversity")
    assert (found["recommended"], found["amounts"]) == (None, 20)
    assert ["Age"] in [each["without"] for each in found["tried"]]
    assert all(each["undecided"] for each in found["tried"] if each["exit_code"] == 3)
    assert "The sensitive column has 20 different numbers" in text


@pytest.mark.parametrize(("lost", "first"), [(0.5, True), (0.01, False)])
def test_what_leaves_better_series_undecided_is_said_first(lost, first):
    kept = PlannedSeries("m-distinct", "--m 4", exit_code=0, counterfeit_share=lost)
    doubt = PlannedSeries("l-diversity", "--l 2", exit_code=3, query_error=0.1, undecided=("one may be the other",))
    first_of_all = page(PublicationPlan("survey", (doubt, kept))).head[0].text
    assert ("FIRST: 1 series" in first_of_all and "one may be the other" in first_of_all) == first


@kills(
    "audit.principles.values.LDiversity.frequent",
    "~np.isin(held.value, harmless)",
    "np.isin(held.value, harmless) | True",
)
def test_harmless_values_may_be_as_frequent_as_they_are(tmp_path):
    """l-diversity refuses the survey as it is; with `none` declared to be harmless, it holds for all other values."""
    words = ["--method", "l-diversity", "--l", "3", "--output", str(tmp_path / "s"), "--seed", "0"]
    code, _, err = run_main("anonymize", "--no-audit", str(survey(tmp_path / "plain")), *words)
    assert (code, "declare what is harmless" in err) == (2, True)
    micro = survey(tmp_path / "micro", more='harmless = ["none"]\n')
    assert run_main("anonymize", "--no-audit", str(micro), *words)[0] == 0
    text = (tmp_path / "s" / "series.toml").read_text()
    assert 'harmless = { Illness = ["none"] }' in text
    check = ["check", str(tmp_path / "s"), "--principle", "l-diversity", "--l", "3"]
    assert run_main(*check)[0] == 0
    for tag in "123":
        with (tmp_path / "s" / "releases" / f"{tag}.csv").open(newline="") as file:
            groups = {}
            for row in csv.DictReader(file):
                groups.setdefault(row["Group"], Counter())[row["Illness"]] += 1
        assert any(group["none"] * 3 > group.total() for group in groups.values())
        assert all(count * 3 <= group.total() for group in groups.values() for v, count in group.items() if v != "none")
    shutil.copytree(tmp_path / "s", tmp_path / "undeclared")
    (tmp_path / "undeclared" / "series.toml").write_text(text.replace('harmless = { Illness = ["none"] }', ""))
    assert run_main("check", str(tmp_path / "undeclared"), *check[2:])[0] == 1
    assert run_audit(tmp_path / "s")[1]["series"]["releases"] == ["1", "2", "3"]


def test_a_series_and_its_microdata_agree_on_what_is_harmless(tmp_path):
    micro = survey(tmp_path / "micro")
    words = ["--method", "mondrian", "--k", "5", "--output", str(tmp_path / "s"), "--seed", "0"]
    assert run_main("anonymize", "--no-audit", str(micro), *words)[0] == 0
    edit(micro / "microdata.toml", "sensitive =", 'harmless = ["none"]\nsensitive =')
    code, _, err = run_main("anonymize", "--no-audit", str(micro), *words)
    assert (code, "`harmless` names values that series.toml does not" in err) == (2, True)


def growing_older(micro):
    waves = {
        wave: [
            (f"p{n}", 20 + n % 30 + n * 7 % 13 * years, 80000 + n % 9, ["flu", "gout", "none"][n % 3])
            for n in range(50)
        ]
        for wave, years in (("1", 0), ("2", 9))
    }
    return write_microdata(micro, waves, head=HEAD)


@slow
def test_people_who_grow_older_are_followed_by_their_cells_of_each_release(tmp_path):
    micro, series = growing_older(tmp_path / "micro"), tmp_path / "series"
    tried = planned(micro, "--method", "mondrian", "--method", "monotonic-mondrian")["tried"]
    assert {each["method"] for each in tried if each["refused"] is None} == {"mondrian"}
    assert all("changed" in each["refused"] for each in tried if each["method"] == "monotonic-mondrian")
    words = ["--method", "mondrian", "--k", "5", "--output", str(series)]
    assert run_main("anonymize", "--no-audit", str(micro), *words)[0] == 0
    assert 'changing = ["Age"]\n' in (series / "series.toml").read_text()
    assert run_main(str(series), "--findings", "0")[0] == 1


def test_a_method_whose_series_no_audit_takes_is_refused_and_ends_no_plan(tmp_path, monkeypatch):
    """A method that does not keep its word that quasi-identifiers never change publishes contradicting cells."""
    monkeypatch.setattr(MondrianAnonymizer, "constant_quasi_identifiers", True, raising=False)
    found = planned(growing_older(tmp_path / "micro"), "--method", "mondrian")
    why = [each["refused"] for each in found["tried"]]
    assert all(each.startswith("what it publishes cannot be audited: the cells of record") for each in why[:2]), why


def test_costs_are_told():
    costly = PlannedSeries(
        "e-equivalence", "--m 2", exit_code=0, query_error=0.1, counterfeits=59, counterfeit_share=0.59
    )
    page = " ".join(FORMATS["text"](PublicationPlan("clinic", (costly,))).split())
    assert "59.0% of the published rows are counterfeits" in page
    assert page.index("CAUTION: 59.0% of the published rows would be invented") < page.index("Recommendation")
    assert "This costs much" in page
    assert "Every series that keeps the policy invents more than 5% of its rows" in page


def test_counterfeits_count_against_a_series():
    full = PlannedSeries("m-distinct", "--m 4", exit_code=0, query_error=0.05, counterfeit_share=0.59)
    lean = PlannedSeries("e-equivalence", "--m 2", exit_code=0, query_error=0.2)
    assert PublicationPlan("clinic", (full, lean)).recommended is lean


@kills("audit.model.command_results._preference", "each.invented, each.certain", "0.0, each.certain")
@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({"query_error": 0.1, "ncp": 0.9}, {"query_error": 0.2, "ncp": 0.1}, "it loses least"),
        ({"query_error": 0.1, "form": "anatomy"}, {"query_error": 0.9, "ncp": 0.2}, "publish exact quasi-identifiers"),
        ({"query_error": 0.1, "exit_code": 3}, {"query_error": 0.9}, "nothing else that was tried keeps the policy"),
        ({"query_error": 0.1, "withheld_share": 0.5}, {"query_error": 0.2, "ncp": 0.1}, "it loses least"),
        ({"counterfeit_share": 0.38}, {"query_error": 0.9, "ncp": 0.5, "form": "anatomy"}, "invent more of their rows"),
        ({"counterfeit_share": 0.38}, {"counterfeit_share": 0.1, "ncp": 0.9}, "invent more of their rows"),
        ({"counterfeit_share": 0.38}, {"certain_if_unchanged": 9}, "invent more of their rows"),
        ({"query_error": 0.9}, {"query_error": 0.1, "counterfeit_share": 0.04}, "it loses least"),
        (
            {"query_error": 0.1, "certain_if_unchanged": 9},
            {"query_error": 0.9, "certain_if_unchanged": 0, "form": "anatomy"},
            "fewest values would be certain",
        ),
    ],
)
def test_the_second_is_recommended_for_a_reason(first, second, why):
    """The policy comes first, then invented rows, then whether rows single people out, then what users lose."""
    one, other = (
        PlannedSeries("m-distinct", f"--m {m}", **{"exit_code": 0, **values}) for m, values in ((2, first), (4, second))
    )
    for tried in ((one, other), (other, one)):
        plan = PublicationPlan("clinic", tried)
        assert plan.recommended is other
        text = " ".join(FORMATS["text"](plan).split())
        assert re.search(rf"Why this one: [^.]*{why}", text), text


@pytest.mark.parametrize(
    ("cheaper", "which"),
    [
        ({"certain_if_unchanged": 9}, "keep the policy and make the fewest values certain if no value changes"),
        ({"form": "anatomy"}, "keep the policy and publish no exact quasi-identifiers"),
        ({"counterfeit_share": 0.06}, "keep the policy and invent the fewest rows"),
        ({"exit_code": 3}, "keep the policy"),
    ],
)
def test_the_reason_is_not_that_it_loses_least_of_all_where_another_loses_less(cheaper, which):
    given = [{"query_error": 0.1, **cheaper}, {"query_error": 0.3}, {"query_error": 0.9}]
    known = {"exit_code": 0, "certain_if_unchanged": 0}
    tried = tuple(PlannedSeries("m-distinct", f"--m {m}", **known | more) for m, more in enumerate(given, 2))
    plan = PublicationPlan("clinic", tried)
    assert plan.recommended is tried[1]
    assert f"Why this one: of those that {which}, it loses least by" in " ".join(FORMATS["text"](plan).split())


def test_what_invents_many_rows_is_not_compared_by_values_that_would_be_certain():
    shares = [(0, 0.45), (22, 0.0), (99, 0.0)]
    tried = tuple(
        PlannedSeries("m-distinct", f"--m {m}", exit_code=0, certain_if_unchanged=certain, counterfeit_share=share)
        for m, (certain, share) in enumerate(shares, 2)
    )
    plan = PublicationPlan("clinic", tried)
    assert plan.recommended is tried[1]
    why = "of those that keep the policy and invent the fewest rows, the fewest values would be certain with it"
    assert why in " ".join(FORMATS["text"](plan).split())


def test_transitions_that_are_drafted_are_completed_and_the_command_says_so(tmp_path):
    """A person became what another one was first: the file lists no change over two steps."""
    values = ["flu", "gout", "asthma"]
    waves = {
        wave: [(f"p{n}", 20 + n, 80000 + n % 8, values[(n + step * (n % 10 == 0)) % 3]) for n in range(30)]
        for step, wave in enumerate("12")
    }
    micro = write_microdata(tmp_path / "micro", waves, head=HEAD)
    changes = [("from", "to"), ("flu", "gout"), ("gout", "asthma"), ("asthma", "flu"), *((v, v) for v in values)]
    (micro / "transitions.csv").write_text("".join(",".join(each) + "\n" for each in changes))
    (micro / "microdata.toml").write_text(
        (micro / "microdata.toml").read_text() + '\n[updates]\ntransitions = "transitions.csv"\n'
    )
    found = planned(micro, "--method", "m-distinct")
    assert {each["parameters"] for each in found["tried"]} == {"--m 2 --close", "--m 4 --close"}
    best = found["recommended"]
    assert best["parameters"] == "--m 2 --close"
    words = ["--method", best["method"], *best["parameters"].split()]
    assert run_main("anonymize", str(micro), *words, "--output", str(tmp_path / "s"), "--seed", "0")[0] == 0


@slow
def test_all_rows_are_judged_by_the_stated_transitions(tmp_path):
    """A cycle of four values completes to all pairs, by which an audit would judge each release by itself."""
    values = ["flu", "gout", "asthma", "hiv"]
    draw, ill, waves = random.Random(3), {f"p{n}": n % 4 for n in range(16)}, {}  # noqa: S311 - no secret
    for wave in "123":
        waves[wave] = [(who, 20 + int(who[1:]), 80000, values[ill[who]]) for who in ill]
        ill = {who: (value + (draw.random() < 0.4)) % 4 for who, value in ill.items()}
    micro = write_microdata(tmp_path / "micro", waves, head=HEAD)
    changes = [f"{old},{values[(place + step) % 4]}" for place, old in enumerate(values) for step in (0, 1)]
    (micro / "moves.csv").write_text("\n".join(["from,to", *changes]) + "\n")
    with (micro / "microdata.toml").open("a") as file:
        file.write('\n[updates]\ntransitions = "moves.csv"\n')
    found, out = planned_page(micro, "m-distinct")
    assert found["transitions"] == "moves.csv"
    assert {each["exit_code"] for each in found["tried"] if each["parameters"] == "--m 2 --close"} == {1}
    assert "All rows are judged by the changes of values that moves.csv lists" in out
    words = ["--method", "m-distinct", "--m", "2", "--close", "--output", str(tmp_path / "s"), "--seed", "0"]
    code, out, _ = run_main("anonymize", str(micro), *words)
    assert (code, "the audit judges by the transitions alone" in out) == (1, True)
    assert {*(tmp_path / "s/transitions.csv").read_text().split()[1:]} == {*changes}


def test_how_many_values_change_does_not_depend_on_the_method(tmp_path):
    """With m = 4, people are withheld at first: whose values change is a fact about the snapshots."""
    first = [(f"p{n}", 20 + n, 80000, ["flu", "gout", "hiv", "acne"][n % 4 if n < 40 else 0]) for n in range(50)]
    second = [(*row[:3], "gout" if n >= 43 else row[3]) for n, row in enumerate(first)]
    found = planned(
        write_microdata(tmp_path / "micro", {"1": first, "2": second}, head=HEAD), "--method", "m-invariance"
    )
    assert {re.search("changed value: ([0-9]+) ", each["refused"])[1] for each in found["tried"]} == {"7"}
    assert found["changing"] == 7


@pytest.mark.many
@pytest.mark.parametrize("rows", [(0,), (2,), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize(
    ("column", "cell", "what"),
    [
        ("Age", "old", "not a number"),
        ("Age", "", "the cell has no value"),
        ("Id", "", "the cell is empty"),
        ("Id", "p1", "this person has another row on line 7"),
        ("Id", "Total", "the row looks like a total"),
        ("Disease", "", "the row has no value"),
    ],
)
def test_the_faults_of_all_snapshots_are_reported_before_anything_is_tried(tmp_path, rows, column, cell, what):
    """One line for each snapshot with the fault, with its file, line and column, and what to do."""
    head = ("Id", "Age", "Disease")
    waves = {str(1 + at): [(f"p{n}", 20 + n, ["flu", "gout"][n % 2]) for n in range(30)] for at in range(3)}
    for at in rows:
        faulty = [*waves[str(1 + at)][5]]
        faulty[head.index(column)] = cell
        waves[str(1 + at)][5] = tuple(faulty)
    micro = write_microdata(tmp_path / "m", waves, head=head)
    code, out, err = run_main("plan", str(micro))
    assert (code, out) == (2, "")
    told = err.splitlines()
    assert [line[line.index(".csv:") - 1 :].split(",")[0] for line in told] == [
        f"{1 + at}.csv:{3 if cell == 'p1' else 7}" for at in rows
    ]
    assert all(f'column "{column}"' in line and what in line and "; " in line for line in told)


def test_the_plan_says_what_rests_on_values_that_may_all_change(tmp_path):
    """Groups of two values keep the policy if any value may follow any other, and not if values stay."""
    values = ["flu", "gout", "hiv", "acne"]
    draw = random.Random(1)  # noqa: S311 - no secret
    ill = [draw.choice(values) for _ in range(45)]
    waves = {
        wave: [(f"p{n}", 20 + n, 80000, value) for n, value in enumerate(ill) if draw.random() < 0.8] for wave in "123"
    }
    micro = write_microdata(tmp_path / "micro", waves, head=HEAD)
    pairs = [f"{old},{new}" for old in values for new in values]
    (micro / "any.csv").write_text("\n".join(["from,to", *pairs]) + "\n")
    with (micro / "microdata.toml").open("a") as file:
        file.write('\n[updates]\ntransitions = "any.csv"\n')
    found, out = planned_page(micro, "l-diversity")
    best = found["tried"][0]
    assert best["certain_if_unchanged"] > 0
    warning = f"if values do not change, the values of at least {best['certain_if_unchanged']} people are certain"
    assert out.index("keeps the policy") < out.index(warning) < out.index("Why this one")


@dataclass(frozen=True)
class Gambler(MondrianAnonymizer):
    """It puts everybody into one group, or forms small groups, by its random numbers alone."""

    large: ClassVar[list[bool]] = []

    def publish(self, snapshot, so_far, rng, /):
        self.large.append(bool(rng.integers(4)))
        return replace(self, k=12 if self.large[-1] else self.k).as_mondrian(snapshot, so_far, rng)

    def as_mondrian(self, snapshot, so_far, rng):
        return super().publish(snapshot, so_far, rng)


@kills("audit.api.publication_plan._with_seeds", "(each.keeps, ", "(")
@kills("audit.api.publication_plan._with_seeds", "best.seeds == 1", "False")
def test_what_is_recommended_keeps_the_policy_with_each_seed(tmp_path):
    """One draw that breaks the policy is the result that the table shows, whichever seed comes first."""
    wave = [(f"p{n}", 20 + n, "flu" if n < 6 else f"illness {n}") for n in range(12)]
    micro = open_microdata(write_microdata(tmp_path / "m", {"1": wave}, head=("Name", "Age", "Disease")))
    attacks, options, ended = [attack("homogeneity"), attack("intersection")], AuditOptions(findings=0), set()
    for seed in range(12):
        Gambler.large.clear()
        plan = plan_publication(micro, candidates([Gambler])[:1], attacks, options, Queries(5, seed=seed), print)
        [tried] = plan.tried
        first, *others = Gambler.large[: tried.seeds]
        assert tried.seeds == (SEEDS if first else 1)
        assert tried.keeps == (first and all(others)) == (plan.recommended is tried)
        text = " ".join(FORMATS["text"](plan).split())
        assert (f"not with each of {SEEDS} seeds" in text) == (first and not all(others))
        assert (f"keeps the policy with each of {SEEDS} seeds" in text) == tried.keeps
        ended.add((first, all(others)))
        if {(True, True), (True, False)} < ended:
            break
    assert {(True, True), (True, False)} < ended


@pytest.mark.parametrize(("after", "code"), [(0, 130), (2, 130)])
def test_an_interrupt_keeps_what_was_tried(monkeypatch, after, code):
    """It lost all that was tried."""
    trials = []

    def of(self, microdata, candidate):
        if len(trials) == after:
            raise KeyboardInterrupt
        trials.append(candidate)
        return PlannedSeries(candidate.method.name, candidate.parameters, exit_code=1)

    monkeypatch.setattr(_Trial, "of", of)
    found, out, _ = run_main("plan", CLINIC, "--format", "json")
    assert (found, bool(out)) == (code, after > 0)
    if after:
        result = json.loads(out)
        assert (len(result["tried"]), result["interrupted"], result["recommended"]) == (after, True, None)
        trials.clear()
        assert "Interrupted after 2 trials" in run_main("plan", CLINIC)[1]
