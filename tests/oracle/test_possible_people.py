"""People who may be in the data, compared with every way in which one of them can be there, enumerated."""

import csv
import json
import re
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from attacks.intersection import IntersectionAttack
from attacks.update_graph import UpdateGraphAttack
from audit.adversary.view import build_evidence, handed
from audit.io import background_knowledge
from audit.io.series import open_series
from audit.judgement.pseudonyms import Pseudonymizer, ReportNames
from audit.runtime.budget import Budget
from audit.runtime.phrases import joined
from tests.cli.forms import edit
from tests.helpers.amount import slow, some
from tests.helpers.running import refused, run_audit, run_main
from tests.helpers.strategies import in_braces, register_series
from tests.helpers.tiny import Registered, Row, TinySeries
from tests.laws.families import saved
from tests.mutants.mutant import kills
from tests.oracle.per_person import possible_rows


@st.composite
def rolls(draw, *, changing=False):
    """A series and a register of people of whom any may be in any release, or in those of some."""
    series = draw(register_series(changing=changing, max_people=5))
    exact = {line.exact for line in series.register}
    strange = [tuple("98" if text.isdigit() else text for text in each) for each in exact]
    points = draw(st.lists(st.sampled_from(sorted(exact) + strange), min_size=1, max_size=4))
    lines = []
    for number, point in enumerate(points):
        stay = draw(st.lists(st.sampled_from(range(len(series.releases))), min_size=1, unique=True))
        lines += [Registered(f"q{number}", release, point) for release in sorted(stay)]
    return in_braces(replace(series, register=lines))


def worlds(series, person, stay):
    """Every way in which a person is in some releases: the values of the rows, with the weight of their changes."""
    places = [possible_rows(series, person, release, "register") for release in stay]
    for rows in product(*map(range, map(len, places))):
        values = [some[row].value for some, row in zip(places, rows, strict=True)]
        weight = Fraction(1)
        for before, after in pairwise(values):
            weight *= series.step(before, after)
        if weight:
            yield values, weight


def largest(series, person):
    """The largest sets of releases that the person can be in."""
    listed = [line.release for line in series.register if line.individual == person]
    some = chain.from_iterable(combinations(sorted(listed), size) for size in range(1, len(listed) + 1))
    can = [stay for stay in some if any(True for _ in worlds(series, person, stay))]
    return [stay for stay in can if not any(set(stay) < set(other) for other in can)]


def classes(series, person):
    """The row classes that cover a person, by release."""
    listed = {line.release for line in series.register if line.individual == person}
    rows = [possible_rows(series, person, j, "register") if j in listed else [] for j in range(len(series.releases))]
    return tuple(frozenset(places[row] for row in some) for some, places in zip(rows, series.places, strict=True))


def seen(series):
    with saved(series) as folder:
        edit(folder / "series.toml", "[adversary]", '[adversary]\npresence = "possible"')
        return build_evidence(open_series(folder), "possible")[0]


def fitting(series, person, stay):
    """The values that a person who is in some releases may have."""
    return {values[0] for values, _ in worlds(series, person, stay)}


def most_at_once(series, person, stay, alike):
    """How many people who look alike can be in some releases, by the rows that they may have there."""
    values, rows = fitting(series, person, stay), [set(possible_rows(series, person, j, "register")) for j in stay]
    counts = zip(stay, rows, strict=True)
    return min(alike, *(sum(series.releases[j].count(r) for r in some if r.value in values) for j, some in counts))


def sufficient(series, person, stay):
    """The fewest of some releases that show the value of a person who is in them, as soon as any do."""
    known = next(end for end in range(1, len(stay) + 1) if len(fitting(series, person, stay[:end])) == 1)
    some = chain.from_iterable(combinations(stay[:known], size) for size in range(1, known + 1))
    return next(each for each in some if len(fitting(series, person, each)) == 1)


@given(data=st.data())
def test_a_finding_names_the_fewest_releases_that_suffice(data):
    """And no more people than rows of these releases can be meant; all of a kind are counted so at once."""
    series = data.draw(rolls())
    assume(any(largest(series, person) for person in series.people("register")))
    view = seen(series)
    claims = IntersectionAttack().run(handed(view), Budget(None)).claims
    assume(len(claims))
    names = ReportNames(view, Pseudonymizer(view.series, reveal=True))
    for finding in claims.check(view)(claims.everything()):
        kind = view.possible_kinds.kinds[finding.individual]
        person = view.name(kind.person)
        enough = sufficient(series, person, kind.releases)
        assert (finding.enough or tuple(range(len(series.releases)))) == enough
        most = most_at_once(series, person, enough, kind.alike)
        assert view.possible_kinds.at_once(np.array([finding.individual])) == most
        named = finding.named(names).individual
        assert named.endswith(f"if in {joined([series.tags[j] for j in enough])})")
        assert kind.alike == 1 or f"at most {most} of them at once" in named


@example(several=(4, 2))
@given(several=st.lists(st.integers(1, 4), min_size=2, max_size=3))
def test_where_values_change_a_finding_names_its_release_alone_where_that_suffices(several):
    """All rows of each release that look alike have one value there, or else two."""
    releases = [[Row(None, "[20, 29]", "xyz"[j], ("[20, 29]",))] * many for j, many in enumerate(several)]
    releases[-1] = [*releases[-1], replace(releases[-1][0], value="x")]
    roll = [Registered(f"q{n}", j, ("25",)) for n in range(5) for j in range(len(several))]
    changes = dict.fromkeys(product("xyz", repeat=2))
    view = seen(in_braces(TinySeries(releases, changes, register=roll, quasi_identifiers=("Age",), keyed=False)))
    claims = UpdateGraphAttack().run(handed(view), Budget(None)).claims
    found = claims.check(view)(claims.everything())
    assert [each.enough for each in found] == [(j,) for j in range(len(several) - 1)]
    ends = [f"at most {many} of them at once; if in {tag})" for many, tag in zip(several, view.tags, strict=True)]
    names = ReportNames(view, Pseudonymizer(view.series, reveal=True))
    assert [each.named(names).individual.endswith(end) for each, end in zip(found, ends, strict=False)] == [True] * len(
        found
    )
    most = view.possible_kinds.at_once(np.array([each.individual for each in found]))
    assert most == min(5, sum(several[:-1]))


@given(data=st.data())
def test_each_is_judged_for_each_largest_set_of_releases(data):
    series = data.draw(rolls())
    assume(any(largest(series, person) for person in series.people("register")))
    judged_for_each_largest_set(series)


RELEASES = [
    [Row(None, cell, value, (cell,)) for cell, value in rows]
    for size in (1, 2)
    for rows in combinations_with_replacement(product(("[20, 29]", "[30, 39]", "[20, 39]"), "xy"), size)
]
STAYS = ("p", "25", (0, 1)), ("q", "35", (0, 1)), ("r", "25", (0,))
ROLL = [Registered(name, release, (age,)) for name, age, stay in STAYS for release in stay]


@kills("audit.adversary.known_groups.PossiblePeopleFinder.find", "if pool != _NOWHERE", "")
@kills("audit.adversary.known_groups.PossiblePeopleFinder.find", "many, releases, contents", "1, releases, contents")
def test_each_is_judged_so_in_all_series_of_two_releases_of_up_to_two_rows():
    """Of 729, those in which somebody of the register may be; a share of them is drawn."""
    every = [*product(RELEASES, repeat=2)]
    for at in np.random.default_rng(0).permutation(len(every))[: some(len(every))].tolist():
        series = TinySeries(every[at], register=ROLL, quasi_identifiers=("Age",), keyed=False)
        if any(largest(series, person) for person in series.people("register")):
            judged_for_each_largest_set(series)


def judged_for_each_largest_set(series):
    view = seen(series)
    kinds = view.possible_kinds
    outcome = IntersectionAttack().run(handed(view), Budget(None))
    certain = dict(zip(outcome.claims.person.tolist(), outcome.claims.value.tolist(), strict=True))
    found = {}
    for code, kind in kinds.kinds.items():
        value = view.values[certain[code]] if code in certain else None
        name = view.name(kind.person)
        found.setdefault(name, set()).add((kind.releases, value))
        assert kind.at_most(kind.releases) == most_at_once(series, name, kind.releases, kind.alike)
    for person in series.people("register"):
        expected = set()
        for stay in largest(series, person):
            values = {tuple(values) for values, _ in worlds(series, person, stay)}
            expected.add((stay, values.pop()[0] if len(values) == 1 else None))
        alike = [other for other in series.people("register") if classes(series, other) == classes(series, person)]
        [who] = [other for other in alike if other in found] or [None]
        assert found.get(who, set()) == expected
        assert all(kind.alike == len(alike) for kind in kinds.kinds.values() if view.name(kind.person) == who)
    uncovered = [person for person in series.people("register") if not largest(series, person)]
    assert (kinds.listed, kinds.uncovered) == (len(series.people("register")), len(uncovered))


@settings(max_examples=some(60))
@given(data=st.data())
def test_no_kind_of_people_is_another_spelling_of_one(data):
    """`audit next` looks for other spellings among identifiers once kinds have their names."""
    series = data.draw(rolls())
    assume(len(series.releases) > 1)
    with saved(series) as folder:
        edit(folder / "series.toml", "[adversary]", '[adversary]\npresence = "possible"')
        last = f"releases/{series.tags[-1]}.csv"
        candidate = (folder / last).rename(folder / Path(last).name)
        edit(folder / "series.toml", f', "{last}"', "")
        code, out, _ = run_main("next", str(folder), str(candidate), "--attack", "intersection", "--format", "json")
    assert code == 2 or "spelling" not in {each["kind"] for each in json.loads(out)["warnings"]}


def left_of(view, outcome):
    """The values that an attack leaves of each version that counts, in names."""
    found = {}
    for release in range(len(view.tags)):
        left = outcome.left(release)
        assert left.shown.all()
        for person, value in zip(left.person[left.counts].tolist(), left.value[left.counts].tolist(), strict=True):
            found.setdefault((person, release), set()).add(view.values[value])
    return found


@given(data=st.data(), changing=st.booleans())
def test_what_is_left_of_each_is_what_the_person_may_have(data, changing):
    """So that categories and close numbers are decided, too: nobody who may be there rules out another's value."""
    series = data.draw(rolls(changing=changing))
    assume(changing or any(largest(series, person) for person in series.people("register")))
    view = seen(series)
    expected = {}
    for code, kind in view.possible_kinds.kinds.items():
        there = [values for values, _ in worlds(series, view.name(kind.person), kind.releases)]
        for at, release in enumerate(kind.releases):
            expected[code, release] = {values[at] for values in there}
    for attack in [UpdateGraphAttack()] if changing else [UpdateGraphAttack(), IntersectionAttack()]:
        assert left_of(view, attack.run(handed(view), Budget(None))) == expected


@given(data=st.data())
def test_values_that_change_are_judged_in_all_covering_releases_or_not_at_all(data):
    series = data.draw(rolls(changing=True))
    view = seen(series)
    kinds = view.possible_kinds
    outcome = UpdateGraphAttack().run(handed(view), Budget(None))
    certain = set(zip(outcome.claims.person.tolist(), outcome.claims.release.tolist(), strict=True))
    judged = 0
    for code, kind in kinds.kinds.items():
        name = view.series.people.name(kind.person)
        there = [values for values, _ in worlds(series, name, kind.releases)]
        assert there
        assert len(kind.releases) == sum(map(bool, classes(series, name)))
        for at, release in enumerate(kind.releases):
            assert ((code, release) in certain) == (len({values[at] for values in there}) == 1)
        judged += kind.alike
    assert judged + kinds.uncovered + kinds.unjudged == kinds.listed


HEAD = """[series]
releases = {releases}
[columns]
sensitive = "Diagnosis"
quasi_identifiers = ["Age"]
spelled = ["Diagnosis"]
[adversary]
register = "roll.csv"
presence = "possible"
"""


def roll(folder, releases, people):
    for tag, rows in enumerate(releases, 1):
        lines = [f"{age},{value}" for age, values in rows.items() for value in values]
        (folder / f"{tag}.csv").write_text("\n".join(["Age,Diagnosis", *lines, ""]))
    (folder / "roll.csv").write_text(
        "\n".join(["individual,Age", *(f"p{n},{age}" for n, age in enumerate(people)), ""])
    )
    names = [f"{tag}.csv" for tag in range(1, len(releases) + 1)]
    (folder / "series.toml").write_text(HEAD.format(releases=json.dumps(names)))
    return folder


SAFE = [{"20-29": "ab", "30-39": "cd"}, {"20-39": "abcd"}]


def test_a_roll_of_a_town_may_hold(tmp_path):
    code, result, _ = run_audit(roll(tmp_path, SAFE, [20 + n % 20 for n in range(60)]))
    assert code == 0
    assert result["adversary"]["kind"] == "possible"
    assert result["series"]["individuals"] == 60
    assert [each["status"] for each in result["attacks"] if each["attack"] == "joint"] == ["skipped"]


def test_who_may_be_in_one_release_alone_violates(tmp_path):
    """The nearest series that discloses: in the second release the two have one value in common with the first."""
    code, result, _ = run_audit(roll(tmp_path, [SAFE[0], {"20-39": "acef"}], [25, 26, 27, 50]), "--reveal")
    assert code == 1
    findings = {each["individual"]: each["value"] for each in result["attacks"][0]["findings"]}
    assert findings == {"p0 (or 2 others who look alike; at most 1 of them at once; if in 1 and 2)": "a"}
    explained = run_main("explain", str(tmp_path), "--individual", "p1")[1]
    assert "if in 1 and 2, it is certain" in " ".join(explained.split())


@kills("audit.clauses.max_risk._about_rows", "entry.claims.versions is None", "False")
@pytest.mark.parametrize("kind", ["possible", "register", "linked"])
def test_classes_of_rows_alone_do_not_show_that_the_policy_holds(tmp_path, kind):
    """Somebody is certain by two releases, each of which has several values in each class."""
    folder = roll(tmp_path, [SAFE[0], {"20-39": "acef"}], [25])
    if kind == "register":
        edit(folder / "series.toml", 'presence = "possible"\n', "")
        (folder / "roll.csv").write_text("individual,Age,first,last\np0,25,1,2\n")
    (folder / "private").mkdir()
    for tag in (1, 2):
        (folder / "private" / f"{tag}.key.csv").write_text("row,individual\n0,p0\n")
    words = ["--adversary", kind, "--attack", "homogeneity"]
    assert [run_audit(folder, *words)[0], run_audit(folder, *words, "--attack", "intersection")[0]] == [3, 1]


@kills("audit.judgement.doubts.recoded_doubts", "_lacks(one, other) and _lacks(other, one)", "False")
@pytest.mark.parametrize(
    ("second", "code"),
    [("abcd", 0), ("abce", 3), ("abcdd", 0), ("abca", 0), ("abcabcabcabcabce", 3)],
)
def test_values_that_two_releases_do_not_share_may_be_one_in_two_notations(second, code, tmp_path):
    """Nobody with such a value could be in both, and what both say together would be left out."""
    folder = roll(tmp_path, [{"20-39": "abcd"}, {"20-39": second}], [25, 35, 36])
    assert run_audit(folder)[0] == 0
    edit(folder / "series.toml", 'spelled = ["Diagnosis"]\n', "")
    assert run_audit(folder)[0] == code


@kills("audit.judgement.doubts._lacks", "_EXPECTED_ROWS", "10**9")
def test_common_values_of_many_are_not_absent_by_chance(tmp_path):
    """With more than a dozen values, rare ones may be; a class that is renamed in one year is not."""
    rare = [{"20-39": [f"v{n}" for n in range(14)] * 6 + [more]} for more in ("x", "y")]
    folder = roll(tmp_path, rare, [25, 35, 36])
    edit(folder / "series.toml", 'spelled = ["Diagnosis"]\n', "")
    assert run_audit(folder)[0] == 0
    common = (folder / "2.csv").read_text(encoding="utf-8").replace("v3\n", "w3\n")
    (folder / "2.csv").write_text(common, encoding="utf-8")
    assert run_audit(folder)[0] == 3


@kills("audit.judgement.doubts.presence_doubts", "0 < len(unfitting) < len(tags)", "False")
@pytest.mark.parametrize(("cell", "code"), [("20-39", 0), ("220-239", 3)])
def test_a_release_whose_rows_fit_nobody_may_be_misread(cell, code, tmp_path):
    assert run_audit(roll(tmp_path, [SAFE[1], {cell: "abcd"}], [25, 26, 35, 36]))[0] == code


@kills(
    "audit.adversary.known_groups.PossibleKind.exposed", "fewest(self.contents, common)", "range(len(self.releases))"
)
@pytest.mark.parametrize("second", ["aabc", "abbc"])
def test_people_alike_are_no_more_than_rows_of_the_releases_that_suffice(second, tmp_path):
    code, result, _ = run_audit(
        roll(tmp_path, [{"20-29": "aa", "30-39": "bc"}, {"20-39": second}], [25] * 7), "--reveal"
    )
    assert code == 1
    [found] = result["attacks"][0]["findings"]
    assert found["individual"] == "p0 (or 6 others who look alike; at most 2 of them at once; if in 1)"
    assert (result["attacks"][0]["people"], result["attacks"][0]["people_at_once"]) == (7, 2)
    text = " ".join(run_main(str(tmp_path))[1].split())
    assert "certain for 7 of 7 people, if it is known in which releases they are (at most 2 of them can be" in text
    assert text.count("7 people, at most 2 at once") == 2


def test_those_who_look_alike_are_waived_once_each_of_them_is(tmp_path):
    folder, codes = roll(tmp_path, [{"20-29": "ab"}, {"20-29": "ac"}], [25, 25]), []
    (folder / "private").mkdir()
    for name in ("p0", "p1"):
        code, _, err = run_main("waive", str(folder), name, "--reason", "agreed", "--until", "2099-12-31")
        assert code == 0, err
        codes.append(run_main(str(folder))[0])
    assert codes == [1, 0]


def test_findings_of_a_candidate_count_people_not_kinds_of_people(tmp_path):
    """Two of the seven who look alike may be in both releases at once; they are one kind."""
    folder = roll(tmp_path, [{"20-29": "aa", "30-39": "bc"}], [25] * 7)
    (folder / "1.csv").write_text("Age,Diagnosis\n20-39,a\n20-39,a\n20-39,b\n20-39,c\n")
    (folder / "2.csv").write_text("Age,Diagnosis\n20-29,a\n20-29,a\n30-39,b\n30-39,c\n")
    code, out, _ = run_main("next", str(folder), str(folder / "2.csv"), "--format", "json")
    assert code == 1
    news = json.loads(out)["attacks"][0]
    assert (news["people"], news["people_newly_found"], news["newly_found"]) == (7, 7, 1)
    text = run_main("next", str(folder), str(folder / "2.csv"))[1]
    assert "New findings of intersection (1 of 1, about 7 people)" in " ".join(text.split())


@kills(
    "audit.adversary.known_groups._largest",
    "if not any(set(one) < set(other) for other in every)",
    "if len(one) == max(map(len, every))",
)
@kills("audit.adversary.known_groups.PossibleKind.at_most", "value in common or not self.constant", "True")
def test_rows_of_values_in_common_count_in_sets_of_any_size(tmp_path):
    """In the first two releases one row of each has the value that they share; the third shares none."""
    releases = [{"20-29": "ab"}, {"20-29": "ac"}, {"20-29": "dd"}]
    _, result, _ = run_audit(roll(tmp_path, releases, [25] * 3), "--reveal")
    findings = {each["individual"]: each["value"] for each in result["attacks"][0]["findings"]}
    alike = "p0 (or 2 others who look alike; at most {} of them at once; if in {})"
    assert findings == {alike.format(1, "1 and 2"): "a", alike.format(2, "3"): "d"}


@kills(
    "audit.judgement.doubts.presence_doubts", "2 * kinds.uncovered > kinds.listed", "kinds.uncovered == kinds.listed"
)
@pytest.mark.parametrize(("ages", "code"), [((25, 80, 81), 3), ((25, 26, 81, 80), 0)], ids=["most", "half"])
def test_where_nothing_covers_most_people_a_cell_may_be_misread(tmp_path, ages, code):
    ended, result, _ = run_audit(roll(tmp_path, SAFE, ages))
    assert ended == code
    reasons = [each["reason"] for each in result["policy"]["undecided"] if each["measure"] == "max_risk"]
    assert bool(reasons) == (code == 3)
    assert all('no cell of "Age" in release 2 contains 8' in each and "20-39" in each for each in reasons)


def test_one_person_can_be_asked_about(tmp_path, capsys):
    folder = roll(tmp_path, [SAFE[0], {"20-39": "cdef"}], [25, 35, 26])
    code, out, err = run_main("explain", str(folder), "--individual", "p1")
    assert code == 0, err
    assert "(if in 1 and 2)" in out or "c or d" in out
    err = refused("explain", str(folder), "--individual", "p2")
    assert "p2 (1)" in err
    assert "p2 (2)" in err
    shown = []
    for who in ("p0 (2)", "p2 (2)"):
        code, out, err = run_main("explain", str(folder), "--individual", who)
        assert code == 0, err
        assert np.all(["release 2" in out, "not in release 1" in out, "1 other person of the register" in out])
        shown.append(out.replace(who[:2], "WHO"))
    assert shown[0] == shown[1]
    assert "use p2 (1) and p2 (2)" in refused("explain", str(folder), "--individual", "p2 (1, 2)")


@settings(max_examples=some(60))
@given(data=st.data())
def test_a_baseline_covers_what_was_certain_of_each_person_alike(data):
    """Never more: what a report calls known was certain of each person whom the finding is about. Nor less."""
    series = data.draw(rolls())
    last = len(series.releases) - 1
    people = series.people("register")
    past = replace(series, releases=series.releases[:-1])
    past = replace(past, register=[line for line in series.register if line.release < last])
    assume(last > 0 and past.register)
    before = certain(past)
    words = ["--attack", "intersection", "--adversary", "possible", "--findings", "all", "--format", "json"]
    with saved(past) as old, saved(series) as new, TemporaryDirectory() as folder:
        for path in (old, new):
            edit(path / "series.toml", "[adversary]", '[adversary]\npresence = "possible"')
            (path / "private").mkdir(exist_ok=True)
            (path / "private" / "finding.key").write_text("ab" * 32)
        report = Path(folder) / "before.json"
        assume(run_main(str(old), *words, "--output", str(report))[0] != 2)
        results = [
            json.loads(run_main(str(new), *words, "--reveal", *more)[1]) for more in ([], ["--baseline", str(report)])
        ]
    every, fresh = ({each["id"]: each for each in result["attacks"][0]["findings"]} for result in results)
    for ident, found in every.items():
        who, stay = re.match(r"(\w+) \((?:or .*; )?if in (.*)\)$", found["individual"]).groups()
        enough = tuple(int(tag) - 1 for tag in re.findall(r"\d+", stay))
        sure = [stay for stay, value in certain(series)[who].items() if value == found["value"]]
        stay, *more = [stay for stay in sure if sufficient(series, who, stay) == enough]
        if more:  # the finding does not say about which of them it is
            continue
        earlier = tuple(release for release in stay if release < last)
        alike = [each for each in people if classes(series, each) == classes(series, who)]
        known = [before.get(each, {}).get(earlier) == found["value"] for each in alike]
        if ident not in fresh:
            assert all(known)
        whole = all(len(stay) == sum(map(bool, classes(series, each))) for each in alike)
        if all(known) and whole and all(set(earlier) == {*chain(*before[each])} for each in alike):
            assert ident not in fresh


@kills("audit.judgement.baseline.found_before", "found[place] = all(", "found[place] = any(")
def test_a_person_who_joins_the_register_is_new_beside_those_who_look_alike(tmp_path):
    """A finding was found before only if it was found of each person whom it is about."""
    folder, report = roll(tmp_path, [{"20-29": "aa"}], [25, 26]), tmp_path / "before.json"
    (tmp_path / "private").mkdir()
    words = ["--attack", "intersection", "--stable-ids", "--findings", "all", "--format", "json"]
    assert run_main(str(folder), *words, "--output", str(report))[0] == 1
    assert run_main(str(folder), *words, "--baseline", str(report))[0] == 0
    with (tmp_path / "roll.csv").open("a") as lines:
        lines.write("p9,27\n")
    assert run_main(str(folder), *words, "--baseline", str(report))[0] == 1


def one_count_of_people(result, known):
    """Everything that counts people counts those of the register whose value is certain in some set of releases."""
    people = sum(any(value is not None for value in judged.values()) for judged in known.values())
    attack, exposed = result["attacks"][0], result["exposure"][0]
    assert [attack["people"], attack["measures"]["at_limit"], result["ladder"][0]["so_far"]] == [people] * 3
    assert [exposed["by_risk"][-1], exposed["after_release"][-1]] == [people] * 2
    assert sum(exposed["by_risk"]) == sum(map(bool, known.values()))
    assert bool(people) <= attack["people_at_once"] <= people


@settings(max_examples=some(25))
@given(data=st.data())
def test_each_person_alike_is_explained_and_listed_with_the_same_risks(data):
    """Whom a finding names is chance: an explanation, and the table of risks, are about each person of the register."""
    series = data.draw(rolls())
    known = certain(series)
    with saved(series) as path, TemporaryDirectory() as folder:
        edit(path / "series.toml", "[adversary]", '[adversary]\npresence = "possible"')
        table = Path(folder) / "risks.csv"
        (path / "private").mkdir(exist_ok=True)
        words = ["--adversary", "possible", "--attack", "intersection", "--reveal", "--risks", str(table)]
        code, out, err = run_main(str(path), *words, "--format", "json")
        assume(code != 2)
        one_count_of_people(json.loads(out), known)
        lines = [*csv.DictReader(table.read_text(encoding="utf-8").splitlines())]
        for person in known:
            name, judged = str(person), known[person]
            found = {each["individual"]: each for each in lines if each["individual"].partition(" (")[0] == name}
            assert bool(found) == bool(judged)
            sure = any(float(each["risk"]) == 1 for each in found.values())
            assert sure == any(value is not None for value in judged.values())
            for own in found:
                code, out, err = run_main(
                    "explain", str(path), "--individual", own, "--adversary", "possible", "--format", "json"
                )
                assert code == 0, err
                assert json.loads(out)["individual"] == own
                words = ["--person", own, "--adversary", "possible", "--format", "csv"]
                code, out, err = run_main("findings", str(path), *words, "--reveal")
                assert code == 0, err
                shown = [*csv.DictReader(out.splitlines())]
                assert bool(shown) == any(value is not None for value in judged.values())
                alike = sum(classes(series, each) == classes(series, person) for each in known)
                assert all(int(each["size"]) == alike for each in shown)
                assert run_main("findings", str(path), *words)[1].count("\n") == out.count("\n")


def of_two_attributes(folder, releases, people):
    roll(folder, releases, people)
    for path in folder.glob("?.csv"):
        edit(path, "Age,Diagnosis", "Age,A,B")
    edit(folder / "series.toml", 'spelled = ["Diagnosis"]\n', "")
    edit(folder / "series.toml", '"Diagnosis"', '["A", "B"]\nspelled = ["A", "B"]')
    return folder


@kills("audit.adversary.known_groups.PossiblePeopleFinder.find", "whole[j][pools[at, j]]", "there[j]")
def test_nobody_is_judged_in_releases_that_one_of_several_attributes_rules_out(tmp_path):
    """By B alone some fit both releases, but nobody has the same A in both; each set can be asked for."""
    releases = [{"20-29": ["a,x", "b,y"], "30-39": ["c,x", "d,y"]}, {"20-39": ["c,x", "d,y", "e,x", "f,y"]}]
    folder, shown = of_two_attributes(tmp_path, releases, [25, 35, 26]), {}
    for who in ("p0 (1)", "p1", "p2 (2)"):
        code, out, err = run_main("explain", str(folder), "--individual", who, "--format", "json")
        assert code == 0, err
        found = json.loads(out)
        shown[who] = [each["sensitive"] for each in found["attributes"]], found["also"]
    every = ["A", "B", ["A", "B"]]
    assert shown == {"p0 (1)": (every, ["p0 (2)"]), "p1": (every, []), "p2 (2)": (every, ["p2 (1)"])}
    assert "use p0 (1) and p0 (2)" in refused("explain", str(folder), "--individual", "p0")
    assert "no person with this identifier" in refused("explain", str(folder), "--individual", "p3")


def certain_of_two(releases, age):
    """By largest set of releases that a person can be in: what is certain of each of two attributes."""
    own = [{row for cell, rows in each.items() if spans(cell, age) for row in rows} for each in releases]
    some = chain.from_iterable(combinations(range(len(own)), size) for size in range(1, len(own) + 1))
    fit = {stay: set.intersection(*(own[j] for j in stay)) for stay in some}
    can = [stay for stay, rows in fit.items() if rows]
    for stay in can:
        if not any(set(stay) < set(other) for other in can):
            parts = zip("AB", zip(*(row.split(",") for row in fit[stay]), strict=True), strict=True)
            yield stay, {(name, values[0]) for name, values in parts if len({*values}) == 1}


def spans(cell, age):
    low, high = map(int, cell.split("-"))
    return low <= age <= high


_ROWS = st.lists(st.sampled_from(["a,x", "a,y", "b,x", "b,y", "c,x", "c,y"]), min_size=1, max_size=3)


@settings(max_examples=some(100))
@given(st.lists(st.fixed_dictionaries({"20-29": _ROWS, "25-39": _ROWS}), min_size=2, max_size=3))
def test_findings_about_one_of_two_attributes_are_about_people_who_can_be_there(releases):
    with TemporaryDirectory() as folder:
        series = of_two_attributes(Path(folder), releases, [22, 27, 35])
        _, result, _ = run_audit(series, "--attack", "intersection", "--reveal", "--findings", "all")
    found = defaultdict(set)
    for entry in result["attacks"]:
        for each in entry["findings"]:
            who, stay = re.match(r"(p\d) \(if in (.*)\)$", each["individual"]).groups()
            name = each.get("attribute") or entry["sensitive"]
            found[who].add((tuple(int(tag) - 1 for tag in re.findall(r"\d", stay)), name, each["value"]))
    for who, age in zip(("p0", "p1", "p2"), (22, 27, 35), strict=True):
        true = [(stay, *pair) for stay, pairs in certain_of_two(releases, age) for pair in pairs]
        for stay, name, value in true:
            assert any(set(less) <= set(stay) and rest == [name, value] for less, *rest in found[who])
        for less, name, value in found[who]:
            assert any(set(less) <= set(stay) and rest == [name, value] for stay, *rest in true)


def test_transitions_that_leave_out_a_value_of_one_of_several_attributes_are_refused(tmp_path):
    folder = of_two_attributes(tmp_path, [{"20-29": ["a,x", "b,y", "c,x"]}] * 2, [25])
    edit(folder / "series.toml", "[adversary]", '[adversary]\ntransitions = "steps.csv"')
    (folder / "steps.csv").write_text("attribute,from,to\nA,a,a\nA,a,b\nA,b,b\nB,x,x\nB,y,y\n")
    assert 'no line says which values may follow "c"' in refused(str(folder))


def certain(series):
    """By person: the largest sets of releases, each with the value that the person then has for certain, or None."""
    found = {}
    for person in series.people("register"):
        for stay in largest(series, person):
            values = {tuple(values) for values, _ in worlds(series, person, stay)}
            found.setdefault(person, {})[stay] = values.pop()[0] if len(values) == 1 else None
    return found


def test_any_number_of_values_may_become_any_other(tmp_path, monkeypatch):
    """Also combinations of two attributes."""
    monkeypatch.setattr(background_knowledge, "MOST_VALUES", 20)
    folder = roll(tmp_path, [{"20-29": [f"v{n}" for n in range(30)]}] * 2, [25])
    edit(folder / "series.toml", "[adversary]", '[adversary]\ntransitions = "any"')
    assert run_main(str(folder), "--attack", "update-graph")[0] != 2
    for path in folder.glob("*.csv"):
        if path.name != "roll.csv":
            first, *lines = path.read_text().splitlines()
            further = [f"{line},w{n % 2}" for n, line in enumerate(lines)]
            path.write_text("\n".join([f"{first},More", *further]) + "\n")
    edit(folder / "series.toml", 'sensitive = "Diagnosis"', 'sensitive = ["Diagnosis", "More"]')
    assert run_main(str(folder), "--attack", "update-graph")[0] != 2


def test_values_certain_if_none_changes_are_those_of_an_audit_in_which_none_does(tmp_path):
    """Also of somebody who, if values do not change, cannot be in all releases whose cells fit."""
    folder = roll(tmp_path, [{"20-29": "ab"}, {"20-29": "bc"}, {"20-29": "de"}], [25, 26])
    edit(folder / "series.toml", "[adversary]", '[adversary]\ntransitions = "any"')
    anything = run_audit(folder)[1]["adversary"]["certain_if_unchanged"]
    edit(folder / "series.toml", 'transitions = "any"', 'transitions = "never"')
    assert anything == run_audit(folder, "--attack", "intersection")[1]["attacks"][0]["people"] == 2


CELLS = ["20-20", "20-21", "22-23", "21-23", "20-23"]
RUNS = ["a", "aa", "b", "ab", "bc", "abc"]


def sets_of(releases, age, follows):
    """The largest sets of releases that someone can be in, each with the ways in which values may follow there."""
    can = [j for j, rows in enumerate(releases) if any(spans(cell, age) for cell in rows)]
    found = {}
    sizes = range(len(can), 0, -1) if not follows("a", "b") else [len(can)] * bool(can)
    for stay in chain.from_iterable(combinations(can, size) for size in sizes):
        letters = [{x for cell, some in releases[j].items() if spans(cell, age) for x in some} for j in stay]
        ways = [way for way in product(*letters) if all(map(follows, way, way[1:]))]
        if ways and not any(set(stay) < set(other) for other in found):
            found[stay] = [(j, *values) for j, values in zip(stay, map(set, zip(*ways, strict=True)), strict=True)]
    return found


def shown_of(releases, age, follows, last):
    """What is certain of someone: the earlier releases that the person is in, and each version, or the value."""
    sets, constant = sets_of(releases, age, follows), not follows("a", "b")
    return {
        (tuple(j for j in stay if j < last), None if constant else version[0], version[1])
        for stay, versions in sets.items()
        for version in versions
        if len(version) == 2
    }


@settings(max_examples=some(60), deadline=None)
@example([{"20-20": "a"}, {"20-20": "b"}], [20], "never")
@example([{"20-21": "a"}, {"20-20": "ab", "21-21": "bc"}], [20, 21], "any")
@given(
    releases=st.lists(
        st.dictionaries(st.sampled_from(CELLS), st.sampled_from(RUNS), min_size=1),
        min_size=2,
        max_size=3,
    ),
    ages=st.lists(st.integers(20, 23), min_size=1, max_size=4),
    transitions=st.sampled_from(["never", "any", "steps.csv"]),
)
@slow
def test_a_candidate_adds_what_was_not_certain_in_the_same_earlier_releases(releases, ages, transitions):
    """One more release splits kinds of people: what was certain of a kind is not new of its parts, by any command."""
    last = len(releases) - 1
    if len({letter for rows in releases for letter in chain(*rows.values())}) == 1:
        transitions = "never"  # the only value cannot change
    follows = {
        "never": lambda before, after: before == after,
        "any": lambda *_: True,
        "steps.csv": lambda before, after: before <= after,
    }[transitions]
    was, now = (
        {f"p{n}": shown_of(some, age, follows, last) for n, age in enumerate(ages)}
        for some in (releases[:last], releases)
    )
    added = {who: now[who] - was[who] for who in now}
    words = ["--adversary", "possible", "--attack", "update-graph", "--reveal", "--findings", "all", "--format", "json"]
    with TemporaryDirectory() as place:
        folder = roll(Path(place), releases, ages)
        (folder / "private").mkdir()
        (folder / "private" / "finding.key").write_text("ab" * 32)
        (folder / "steps.csv").write_text("from,to\n" + "".join(f"{a},{b}\n" for a in "abc" for b in "abc" if a <= b))
        edit(folder / "series.toml", "[adversary]", f'[adversary]\ntransitions = "{transitions}"')
        whole = (folder / "series.toml").read_text()
        edit(folder / "series.toml", f', "{last + 1}.csv"', "")
        report = folder / "before.json"
        assume(run_main(str(folder), *words, "--output", str(report))[0] != 2)  # the register fits no row
        code, out, err = run_main("next", str(folder), str(folder / f"{last + 1}.csv"), *words)
        assert code != 2, err
        (folder / "series.toml").write_text(whole)
        _, beside, _ = run_main(str(folder), *words, "--baseline", str(report))
    new, [entry] = json.loads(out)["attacks"][0]["new_findings"], json.loads(beside)["attacks"]
    assert {each["id"] for each in new} == {each["id"] for each in entry["findings"]}
    alike = {
        f"p{n}": {f"p{m}" for m, other in enumerate(ages) if covered(releases, other) == covered(releases, age)}
        for n, age in enumerate(ages)
    }
    found = {(each["individual"].partition(" (")[0], each["value"]) for each in new}
    for who, value in found:
        assert any(value == said[2] for said in added[who])
    for who, said in added.items():
        assert all(any((other, value) in found for other in alike[who]) for *_, value in said)


def covered(releases, age):
    """The cells that cover an age, by release."""
    return [{cell for cell in rows if spans(cell, age)} for rows in releases]
