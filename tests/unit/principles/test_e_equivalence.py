"""The principle e-equivalence: what its check shows is true, what it leaves open it says, and the attack decides it."""

import csv
import json
import shutil
from collections import Counter
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from audit.io.series import open_series
from audit.principles.checker import Verdict, checked, read
from audit.principles.registry import find
from audit.principles.small_cuts import connected, small_cuts
from tests.helpers.amount import some
from tests.helpers.least_e import least_e
from tests.helpers.running import run_main

EXAMPLES = Path(__file__).parents[2] / "examples"
SEVERAL = "groups with the same values"
MOVED = "people in a group of other values than before"
SMALL = "buckets with a small cut"
TIED = "buckets tied by people who came back"


def verdict(folder: Path, e: int) -> Verdict:
    return checked(find("e-equivalence", {"e": e}), open_series(folder))


def write(folder: Path, releases, *, more: str = "") -> Path:
    """A series of releases, each rows of (owner, group, value); no owner is a counterfeit without identity."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(releases, start=1):
        with (folder / f"{number}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("Owner", "G", "S"), *rows])
    names = ", ".join(f'"{number}.csv"' for number in range(1, len(releases) + 1))
    head = f'[series]\nreleases = [{names}]\n\n[columns]\nindividual = "Owner"\n'
    (folder / "series.toml").write_text(f'{head}sensitive = "S"\ngroup = "G"\n{more}')
    return folder


def groups_of(releases):
    """The groups of all releases as the oracle wants them."""
    found = {}
    for number, rows in enumerate(releases):
        for line, (owner, group, value) in enumerate(rows):
            members, values = found.setdefault((number, group), ([], []))
            members.append(owner or (number, line))
            values.append(value)
    return list(found.values())


# -- what it shows is true ----------------------------------------------------------------------------------------


@st.composite
def buckets(draw):
    """Series of buckets, more or less: people come, go and return; sometimes two people have a group of their own."""
    size, values = draw(st.integers(3, 10)), draw(st.integers(2, 3))
    home = [(draw(st.integers(0, 1)), draw(st.integers(0, values - 1))) for _ in range(size)]
    releases = []
    for number in range(draw(st.integers(1, 4))):
        rows = [
            (f"p{who}", str(home[who][0]), f"{home[who][0]}{home[who][1]}")
            for who in range(size)
            if not releases or draw(st.integers(0, 3)) or draw(st.booleans())
        ]
        rows += [("", "0", "00")] * draw(st.integers(0, 1)) + [("~c1", "0", "01")] * draw(st.integers(0, 1))
        if draw(st.integers(0, 9)) == 0 and len(rows) > 3:
            rows[0] = (rows[0][0], "2", rows[0][2])
            rows[1] = (rows[1][0], "2", rows[1][2])
        releases.append(rows or [(f"q{number}", "0", "00")])
    return releases


@settings(max_examples=some(150))
@given(releases=buckets(), e=st.integers(1, 4))
def test_where_it_says_that_the_promise_holds_it_does(releases, e, tmp_path_factory):
    found = verdict(write(tmp_path_factory.mktemp("s"), releases), e)
    assert not found.broken
    event(f"e = {e}: {'holds' if found.holds else found.undecided[:24]}")
    if found.holds:
        assert least_e(groups_of(releases), e - 1) is None


@pytest.mark.parametrize(
    ("name", "e", "clause"),
    [
        ("clinic-2-equivalence", 2, None),
        ("clinic-2-equivalence", 3, SMALL),
        ("clinic-2-equivalence", 1, None),
        ("clinic-merged", 2, SMALL),
        ("clinic-2-invariant", 2, SEVERAL),
        ("hospital-2-invariant", 2, SEVERAL),
        ("hospital-l-diverse", 2, SEVERAL),
        ("fractional-weights", 2, SMALL),
        ("fractional-weights", 1, None),
        ("ward-2-distinct", 2, "series whose values change"),
    ],
)
def test_worked_examples(name, e, clause):
    found = verdict(EXAMPLES / name, e)
    assert found.holds is (clause is None)
    assert not found.broken
    assert (found.undecided or "None").startswith(str(clause))


def test_the_bucket_is_named():
    found = verdict(EXAMPLES / "clinic-2-equivalence", 3)
    told = "release 1, group 1: a cut of fewer than 5 people divides the history of cancer, flu"
    assert found.undecided == f"{SMALL}: 2, the first in {told}"


def one_bucket(*releases):
    """Releases of one bucket of a and b; everybody has a value by the code."""
    return [[(str(who), "1", "ab"[who % 2]) for who in people] for people in releases]


def test_who_came_back_is_no_edge(tmp_path):
    """0 to 3 leave and come back: taken for one long stay they would make the cut 4."""
    many = range(20, 30)
    away = one_bucket([*range(4), *many], [*many], [*range(4), *many])
    assert verdict(write(tmp_path / "a", away[:2]), 2).holds
    assert verdict(write(tmp_path / "a", away), 2).undecided.startswith(TIED)
    # Here the others hold the first stays' ends together, and nobody those of the second.
    away = one_bucket([*range(8), *many], [*many], [*range(4), *many])
    assert verdict(write(tmp_path / "a", away), 2).undecided.startswith(TIED)
    # Two of four have come back, so that two alone tie the second release to the others.
    few = one_bucket([*range(4), *many], [*many], [*range(2), *many, *range(40, 46)])
    assert verdict(write(tmp_path / "a", few), 2).undecided.startswith(SMALL)
    some = one_bucket([*range(8), *many], [*range(40, 46), *many], [*range(2), *many, *range(40, 52)])
    assert verdict(write(tmp_path / "b", some), 3).holds


def test_who_moves_to_other_values_is_told_where_people_are(tmp_path):
    rows = one_bucket(range(8))[0]
    found = verdict(write(tmp_path, [rows, [*rows[1:], ("0", "2", "c"), ("9", "2", "a"), ("10", "2", "c")]]), 2)
    told = "the person's group now has a, c; before, it had a, b"
    assert found.undecided == f"{MOVED}: 1, the first in release 2, group 2: {told}"


def test_nameless_counterfeits_are_there_once(tmp_path):
    rows = [[(str(who), "1", "ab"[who % 2]) for who in range(4)] + [("", "1", "a"), ("", "1", "b")]] * 2
    assert verdict(write(tmp_path, rows), 2).holds
    assert verdict(write(tmp_path, rows), 3).undecided.startswith(SMALL)
    assert least_e(groups_of(rows), 3) == 2


def test_each_release_answers_for_itself_until_the_first_doubt(tmp_path):
    releases = one_bucket([0, 1, 2, 3], [0, 1, 4, 5], [0, 1, 6, 5], [0, 1])
    principle, series = find("e-equivalence", {"e": 2}), open_series(write(tmp_path, releases))
    check = principle.start(series)
    found = [check.add(read(principle, series, position)) for position in range(4)]
    assert [[breach.clause for breach in each] for each in found] == [[], [], [SMALL], []]
    assert not found[2][0].decided
    assert (
        str(found[2][0]) == f"{SMALL}: 1, the first in release 3, group 1: a cut of fewer than 3 people divides the "
        "history of a, b"
    )


def test_frequencies_do_not_matter(tmp_path):
    """Nothing in the bound asks how often a value stands in a bucket."""
    releases = [[*rows, ("x", "1", "a"), ("y", "1", "a")] for rows in one_bucket(range(9), range(4, 15))]
    assert verdict(write(tmp_path, releases), 3).holds
    assert least_e(groups_of(releases), 2) is None


def test_keys_are_needed(tmp_path):
    principle, series = find("e-equivalence", {"e": 2}), open_series(EXAMPLES / "hospital-2-invariant")
    with pytest.raises(ValueError, match="read with their key"):
        principle.start(series).add(series.read(0, key=False))


# -- small cuts ---------------------------------------------------------------------------------------------------


@st.composite
def graphs(draw):
    nodes = draw(st.integers(1, 6))
    pairs = list(combinations(range(nodes), 2))
    weights = np.zeros((draw(st.integers(1, 3)), nodes, nodes), dtype=np.int64)
    for graph in weights:
        for one, other in pairs:
            graph[one, other] = graph[other, one] = draw(st.sampled_from([0, 0, 0, 1, 1, 2, 3, 5]))
    return weights


def parted(graph, least):
    """Whether a set of nodes of a component has fewer than `least` edges to the others of it, but some."""
    nodes = range(len(graph))
    cuts = [
        graph[np.ix_(side, [node for node in nodes if node not in side])].sum()
        for size in nodes
        for side in map(list, combinations(nodes, size))
    ]
    return any(0 < cut < least for cut in cuts)


@given(graphs(), st.integers(1, 8))
def test_small_cuts(weights, least):
    assert small_cuts(weights, least).tolist() == [parted(graph, least) for graph in weights]


@given(graphs())
def test_connected(weights):
    for graph, label in zip(weights, connected(weights > 0), strict=True):
        for nodes in nx.connected_components(nx.from_numpy_array(graph)):
            assert {int(label[node]) for node in nodes} == {min(nodes)}


# -- audit check --------------------------------------------------------------------------------------------------


def check(folder: Path, e: int, *words: str):
    return run_main("check", str(folder), "--principle", "e-equivalence", "--e", str(e), *words)


def test_the_attack_decides_what_the_condition_leaves_open():
    assert check(EXAMPLES / "clinic-2-equivalence", 2)[0] == 0
    code, out, err = check(EXAMPLES / "clinic-merged", 2)
    assert (code, err) == (1, "")
    assert "BROKEN: the series does not keep e-equivalence (e = 2).\n  equivalences with e below 2: 1\n" in out
    assert "release 3, group 2\n    an equivalence with e = 1, from 3 groups of releases 1, 2, 3\n" in out
    assert not [name for name in ("Frank", "Harry") if name in out]
    assert "release 3, group 2: Frank and Harry\n" in check(EXAMPLES / "clinic-merged", 2, "--reveal")[1]


def test_a_series_that_the_condition_cannot_show_may_hold(tmp_path):
    """Two groups of the same three values, all of them different: 3 people have what 3 others have, not fewer."""
    releases = [[(f"{group}{value}", group, value) for group in "12" for value in "abc"]]
    folder = write(tmp_path, releases)
    assert verdict(folder, 3).undecided.startswith(SEVERAL)
    assert least_e(groups_of(releases), 3) == 3
    assert check(folder, 3)[0] == 0
    assert check(folder, 4)[0] == 1


def test_what_the_attack_cannot_tell_is_undecided(tmp_path, monkeypatch):
    from attacks.equivalence.attack import EquivalenceAttack
    from audit.model.measures import BoundedMeasures, LeastBounds
    from audit.model.outcome import Outcome

    least = [LeastBounds(3, None)]

    def run(attack, evidence, budget):
        assert attack.max_e == 4
        return Outcome("equivalence", "incomplete", "too much", BoundedMeasures(min_e=least[-1]))

    monkeypatch.setattr(EquivalenceAttack, "run", run)
    for upper, wanted in ((None, 3), (7, 3), (5, 3), (4, 1)):
        least.append(LeastBounds(3, upper))
        code, out, err = check(EXAMPLES / "clinic-2-equivalence", 5)
        assert (code, err) == (wanted, "")
        if wanted == 3:
            assert "UNDECIDED: it cannot be decided whether the series keeps e-equivalence (e = 5).\n" in out
            assert "the attack equivalence shows only that e is at least 3 (too much)" in " ".join(out.split())
        else:
            assert "an equivalence with e = 4" in out
    least.append(LeastBounds(3, None))
    document = json.loads(check(EXAMPLES / "clinic-2-equivalence", 5, "--format", "json")[1])
    assert (document["holds"], document["broken"], document["offences"]) == (None, {}, [])
    assert "at least 3 (too much)" in document["undecided"]


def test_values_that_change_are_undecided():
    code, out, err = check(EXAMPLES / "ward-2-distinct", 2)
    assert (code, err) == (3, "")
    assert "the series has transitions" in out


def test_what_is_known_beforehand_neither_keeps_nor_breaks_a_promise(tmp_path):
    shutil.copytree(EXAMPLES / "clinic-merged", tmp_path / "s")
    (tmp_path / "s/known.csv").write_text("individual,value\nFrank,cancer\n")
    manifest = tmp_path / "s/series.toml"
    manifest.write_text(manifest.read_text() + '\n[adversary]\nknown = "known.csv"\n')
    assert check(tmp_path / "s", 2)[:2] == check(EXAMPLES / "clinic-merged", 2)[:2]


def test_the_oracle_counts_each_group_once():
    assert Counter(len(members) for members, _ in groups_of(one_bucket(range(4), range(3)))) == {4: 1, 3: 1}
