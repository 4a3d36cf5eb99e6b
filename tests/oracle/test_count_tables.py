"""Audits of count tables beside integer programming: worked examples, and random small series."""

import json
import random
import tomllib
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import audit
from attacks.differencing import components
from attacks.differencing.attack import Differencing
from audit.count_tables.candidate import judge_candidate
from audit.count_tables.manifest import read_table_manifest
from audit.io.toml import toml_document
from audit.model.audit_options import AuditOptions
from tests.helpers.amount import some
from tests.helpers.count_tables import TinyTables, write_tables
from tests.helpers.running import run_main
from tests.helpers.schemas import troubles
from tests.mutants.mutant import kills
from tests.oracle.count_tables import REST, Oracle
from tests.oracle.drawn_tables import FORMS, drawn, drawn_tables, with_zeros
from tests.universe.drawing import share

EXAMPLES = Path(__file__).parent.parent / "count_table_examples"
SERIES = some(200)
"""How many series a share of which is drawn; with `AUDIT_TEST_DEEP` all are looked at."""
DRAWN = [seed for form in range(len(FORMS)) for seed in share(range(form, SERIES, len(FORMS)), 2)]
SEARCHED = share(range(10**6, 10**6 + max(6, SERIES // 10)), 2)


def audited(folder):
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    return code, (json.loads(out)["attacks"][0] if code != 2 else None), err


def key(finding):
    return json.dumps({name: finding.get(name) for name in ("kind", "release", "since", "cell", "lower", "upper")})


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*")))
def test_examples(name):
    wanted = json.loads((EXAMPLES / name / "expected.json").read_text(encoding="utf-8"))
    code, out, _ = run_main(str(EXAMPLES / name), "--format", "json", "--findings", "all")
    assert troubles("audit", json.loads(out)) == []
    [attack] = json.loads(out)["attacks"]
    assert attack["status"] == "complete"
    measures = attack["measures"]
    for measure in ("cells", "protected", "smallest_width"):
        assert measures[measure] == wanted["measures"][measure]
    # Further boxes are asked about since: what was found is found, and whatever is found is exact.
    assert measures["questions"] >= wanted["measures"]["questions"]
    assert set(map(key, wanted["findings"])) <= set(map(key, attack["findings"]))
    assert code == bool(wanted["findings"])


@pytest.mark.parametrize("seed", DRAWN)
def test_random_series(seed, tmp_path):
    compare(drawn(random.Random(seed), [*FORMS][seed % len(FORMS)]), tmp_path, random.Random(seed))  # noqa: S311


@kills("audit.count_tables.doubts._unlisted", "if may_count and", "if not may_count and")
@pytest.mark.parametrize("seed", range(some(60)))
def test_no_series_is_safe_whose_manifest_leaves_a_table_out(seed, tmp_path):
    rng = random.Random(seed)  # noqa: S311
    folder = drawn(rng, [*FORMS][seed % len(FORMS)]).write(tmp_path)
    document = tomllib.loads((folder / "series.toml").read_text(encoding="utf-8"))
    releases = document["series"]["releases"]
    place = rng.randrange(len(releases))
    tables = [releases[place]] if isinstance(releases[place], str) else releases[place]["tables"]
    name = tables.pop(rng.randrange(len(tables)))
    if not tables or isinstance(releases[place], str):
        del releases[place]
    (folder / "series.toml").write_text(toml_document(document), encoding="utf-8")
    rows = (folder / name).read_text(encoding="utf-8").splitlines()[1:]
    if releases and any(not row.endswith(",") for row in rows):
        assert audited(folder)[0] != 0


@pytest.mark.parametrize("seed", share(range(some(120)), 2))
def test_what_a_candidate_adds_is_what_the_releases_before_leave_open(seed, tmp_path):
    """Nothing is new that follows from them alone, and everything else is, but signs of counts that are not small."""
    series, wanted = with_findings(random.Random(seed))  # noqa: S311
    last = [(cell, "") for cell, _ in series.releases[-1]]
    before = Oracle(replace(series, releases=[*series.releases[:-1], last]))
    before.answer()
    new = set()
    for _, release, since, box, low, high in wanted:
        least, most = before.interval_of(box, before.periods(release)[0 if since is None else since + 1 :])
        if least < low or most is None or most > high:
            new.add((release, since, box, low, high))
    found, oracle = judged_last(series, tmp_path), Oracle(series)
    added = {
        (
            int(each.release) - 1,
            None if each.since is None else int(each.since) - 1,
            box_of(oracle, each.cell),
            each.lower,
            each.upper,
        )
        for each in (new.finding for new in found.attacks[0].findings)
    }
    signs = {each for each in added if series.min_count <= each[-1] == each[-2]}
    assert added - signs == new - signs


@pytest.mark.parametrize("seed", share(range(some(120)), 2))
def test_what_a_candidate_is_not_said_to_add_follows_from_the_releases_before(seed, tmp_path, monkeypatch):
    """Where intervals are not exact, as of large tables, a sharper one may hide behind one that was known."""
    for name in ("_LARGE", "_LARGE_WHERE_FREE", "_NEAREST"):
        monkeypatch.setattr(components, name, 0)
    series, wanted = with_findings(random.Random(seed), min_width=8)  # noqa: S311
    found = judged_last(series, tmp_path)
    before = Oracle(replace(series, releases=[*series.releases[:-1], [(cell, "") for cell, _ in series.releases[-1]]]))
    before.answer()
    for _, release, since, box, low, high in wanted if not (found.new_total or found.cells.undecided) else ():
        periods = before.periods(release)[0 if since is None else since + 1 :]
        assert before.interval_of(box, periods) == (low, high), (release, since, box)


def judged_last(series, folder):
    """Return what the last release of a series adds to the others."""
    manifest = read_table_manifest(series.write(folder))
    earlier = replace(manifest, releases=manifest.releases[:-1])
    return judge_candidate(earlier, manifest.releases[-1], Differencing(), AuditOptions(findings=None))[0]


_MANY = 100  # of so many findings, what hides them all is sought for half a minute


def with_findings(rng, **rules):
    """Return a random series about the same people, or growing ones, with findings, and these."""
    while True:
        series = replace(drawn_tables(rng), over_time=rng.choice(["same", "same", "cumulative"]), **rules)
        *earlier, last = series.releases
        shown = ([row for rows in earlier for row in rows], last)
        labels = [{each for cell, _ in rows for each in enumerate(cell)} for rows in shown]
        if earlier and labels[1] <= labels[0]:
            answer = Oracle(series).answer()
            if answer is not None and 0 < len(answer.findings) < _MANY:
                return series, answer.findings


@kills(
    "audit.count_tables.count_questions.QuestionBuilder._labels",
    "np.union1d(self.rows.label[mine, place], self.rows.zero[place])",
    "np.unique(self.rows.label[mine, place])",
)
@pytest.mark.parametrize("rows", ["", "S,0\nW,0\n"], ids=["left out", "shown"])
def test_rows_of_0_are_asked_about_whether_they_are_left_out_or_not(rows, tmp_path):
    """At most 9 of 15 or more are in N and at most 4 in W, so that 2 to 4 are in S, which the second release lacks."""
    tables = {"1.csv": ["area,n", "N,5", "S,5", "W,5", "All,15"], "2.csv": ["area,n", "N,5", *rows.split(), "All,15"]}
    table = 'dimensions = ["area"]\nvalue = "n"\ntotals = { area = "All" }\nover_time = "independent"\n'
    table += 'absent = "zero"\nrounding = { to = 5, how = "down" }'
    code, attack, _ = audited(write_tables(tmp_path, tables, table, "min_count = 6"))
    found = [(each["cell"]["area"], each["lower"], each["upper"]) for each in attack["findings"]]
    assert (code, found) == (1, [("S", 2, 4), ("W", 2, 4)])


@kills("audit.count_tables.published_counts.PublishedCounts.zero", "self.rules(file)", "self.manifest")
def test_a_row_that_an_exact_release_leaves_out_is_exactly_0(tmp_path):
    tables = {
        "1.csv": ["area,sex,n", "S,f,20", "S,m,20", "S,All,40"],
        "2.csv": ["area,sex,n", "N,f,*", "N,All,9", "S,f,20", "S,m,21", "S,All,41"],
    }
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { sex = "All" }\nabsent = "zero"\n'
    table += 'markers = { "*" = [1, 12] }\nrounding = { to = 5, how = "down" }\nexact = ["2"]'
    code, attack, _ = audited(write_tables(tmp_path, tables, table, "min_count = 8"))
    found = [(each["cell"], each["lower"], each["upper"]) for each in attack["findings"]]
    assert (code, found) == (1, [({"area": "N", "sex": "f"}, 9, 9)])


@pytest.mark.parametrize("seed", SEARCHED)
def test_random_series_searched_as_large_ones_are(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(components, "_MANY", 0)
    monkeypatch.setattr(components, "_MOSTLY_FREE", 0.0)
    compare(drawn(random.Random(seed), "tidy"), tmp_path, random.Random(seed))  # noqa: S311


@kills("attacks.differencing.attack._with_periods", "if len(periods) else", "if False else")
@kills("attacks.differencing.lattice._halves", "if part < rest", "if False")
def test_the_growth_of_a_period_follows_from_that_of_other_cells_without_programmes(tmp_path, monkeypatch):
    """Nobody comes to N, and 2 or 3 women come in the last two months, so that 2 or 3 come to S."""
    for name in ("_LARGE", "_LARGE_WHERE_FREE", "_NEAREST"):
        monkeypatch.setattr(components, name, 0)
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { area = "All", sex = "All" }\n'
    table += 'over_time = "cumulative"\n[table.markers]\na = [18, 20]\nb = [21, 22]\nc = [21, 24]\n'
    rows = "area,sex,n N,f,* N,m,. N,All,10 S,f,. S,m,. S,All,. All,f,{} All,All,."
    tables = {f"{month}.csv": rows.format(women).split(" ") for month, women in enumerate(("a", "b", "c", "24"), 1)}
    _, attack, _ = audited(write_tables(tmp_path, tables, f'{table}"*" = [1, 7]\n"." = [0, inf]'))
    found = {(each.get("since"), each["release"], *each["cell"].values()): each for each in attack["findings"]}
    growth = found["2", "4", "S", "f"]
    assert (growth["kind"], growth["lower"], growth["upper"]) == ("small", 2, 3)


@kills("attacks.differencing.sums.shows_nothing", "max(2, min_count - 1)", "min_count - 1")
@pytest.mark.parametrize("least", [2, 3, 5])
def test_a_count_of_one_is_recovered_whatever_counts_are_small(least, tmp_path):
    releases = [[(("a",), "10")], [(("a",), "11")]]
    series = TinyTables(("area",), releases, over_time="cumulative", min_count=least)
    code, attack, _ = audited(series.write(tmp_path))
    assert (code, [each["kind"] for each in attack["findings"]]) == (1, ["recovered"])


def compare(published, tmp_path, rng):
    """Hold the audit of a series against integer programming, and what it explains of some cells; count both."""
    oracles = {name: Oracle(series) for name, series in published.series.items()}
    answers = {name: oracle.answer() for name, oracle in oracles.items()}
    code, attack, err = audited(published.write(tmp_path))
    if None in answers.values():
        assert code == 2, (code, err)
        return 0, 0, 0
    wanted = list(answers.values())
    every = {(name, *finding) for name, answer in answers.items() for finding in answer.findings}
    if code == 3 and "absent =" not in published.manifest and not zeros_are_asked_about(published):
        path = tmp_path / "series.toml"  # other questions that absent answers are asked, too
        text = path.read_text(encoding="utf-8").replace("[policy]", 'absent = "unknown"\n[policy]')
        path.write_text(text, encoding="utf-8")
        code = audited(tmp_path)[0]
    assert code == (1 if every else 3 if published.undecided or zeros_are_asked_about(published) else 0), err
    assert attack["status"] == "complete"
    measures = attack["measures"]
    assert measures["open"] == 0
    for measure in ("cells", "protected", "questions"):
        assert measures[measure] == sum(getattr(each, measure) for each in wanted), measure
    widths = [each.smallest_width for each in wanted if each.smallest_width is not None]
    assert measures["smallest_width"] == min(widths, default=None)
    assert {found_of(oracles, each) for each in attack["findings"]} == every
    return measures["questions"], len(every), explained(published, oracles, tmp_path, rng)


def zeros_are_asked_about(published):
    """Whether blank cells and rows that are left out of rounded tables may be 0, and something is found if they are."""
    if "absent =" in published.manifest:
        return False
    rounded = [with_zeros(each) for each in published.series.values() if each.rounding is not None]
    answers = [Oracle(each).answer() for each in rounded]
    return None not in answers and any(answer.findings for answer in answers)


def found_of(oracles, finding):
    name = finding.get("measure", next(iter(oracles)))
    since = int(finding["since"]) - 1 if "since" in finding else None
    place = int(finding["release"]) - 1
    box = box_of(oracles[name], finding["cell"])
    return name, finding["kind"], place, since, box, finding["lower"], finding["upper"]


def explained(published, oracles, folder, rng):
    """Hold what is explained of a published cell against integer programming, and return of how many counts."""
    counts = 0
    for name, oracle in oracles.items():
        [cell] = rng.sample([cell for rows in oracle.series.releases for cell, _ in rows], 1)
        labels = dict(zip(oracle.series.dimensions, cell, strict=True))
        for each in audit.load(folder, kind="tables").explain(labels).report.counts:
            if len(oracles) == 1 or each.measure == name:
                release, since = int(each.release) - 1, -1 if each.since is None else int(each.since) - 1
                periods = oracle.periods(release)
                low, high = oracle.interval_of(oracle.box(cell), periods[since + 1 :])
                assert each.exact or high is None
                assert (each.lower, each.upper) == (low, high), (labels, each)
                counts += 1
    return counts


def box_of(oracle, cell):
    """The atoms of a cell whose labels may be A less B, A with B, or A + B."""
    return frozenset(product(*(set_of(oracle, place, text) for place, text in enumerate(cell.values()))))


def set_of(oracle, place, text):
    if " + " in text:
        return frozenset().union(*(set_of(oracle, place, part) for part in text.split(" + ")))
    first, *others = text.split(" less ")
    found = frozenset.intersection(*(one_of(oracle, place, part) for part in first.split(" with ")))
    return found.difference(*(one_of(oracle, place, part) for part in others))


def one_of(oracle, place, label):
    name = oracle.series.dimensions[place]
    known = {*oracle.series.categories.get(name, ()), oracle.series.totals.get(name)}
    if name not in oracle.series.categories or label in known:
        return frozenset(oracle.covered(place, label))
    if label == REST:  # with the atoms that no label that is shown tells apart from it
        shown = {cell[place] for rows in oracle.series.releases for cell, _ in rows} - {oracle.series.totals.get(name)}
        return frozenset(oracle.atoms[place]).difference(*(oracle.covered(place, each) for each in shown))
    return frozenset([label])


@pytest.mark.parametrize("seed", range(some(200)))
def test_no_series_holds_whose_signs_for_no_count_disclose_something_as_zeros(seed, tmp_path):
    """Readers know that nobody is counted where a cell is "not applicable", which was read as any count."""
    rng = random.Random(seed)  # noqa: S311
    series = drawn_tables(rng)
    drawn_rows = [[(cell, "z" if text == "0" else text) for cell, text in rows] for rows in series.releases]
    signs = replace(series, releases=drawn_rows)
    zeros = replace(signs, markers={**series.markers, "z": (0, 0)}).write(tmp_path / "zeros")
    manifest = signs.write(tmp_path / "signs") / "series.toml"
    text = manifest.read_text(encoding="utf-8").replace("[table]\n", '[table]\nnot_published = ["z"]\n')
    manifest.write_text(text, encoding="utf-8")
    assert run_main(str(manifest.parent))[0] in {1, 2, 3} or run_main(str(zeros))[0] in {0, 2}
