"""Counterfeits that keep their identity: named in the key alone, and with the same quasi-identifiers as before."""

import csv
import shutil
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from anonymizers.e_equivalence import EEquivalenceAnonymizer
from audit.io.encoding import IdentifierEncoder
from audit.io.microdata import open_microdata
from audit.io.series import open_series
from audit.model.anonymizer import COUNTERFEIT, Draft
from audit.model.history import PresenceHistory, PublishedRelease
from audit.principles.checker import checked
from audit.principles.registry import find
from audit.publishing.identities import Counterfeits
from audit.publishing.publish import PublishOptions, publish
from audit.publishing.verification import BrokenPromiseError
from tests.helpers.microdata import Pairs, write_microdata

EXAMPLES = Path(__file__).parents[2] / "examples"
CLINIC = EXAMPLES / "clinic-microdata"
TWO = find("e-equivalence", {"e": 2})


def publish_to(folder, micro, method=None, **options):
    method = method or EEquivalenceAnonymizer(2, 2)
    return publish(open_microdata(micro), folder, method, TWO, PublishOptions(**{"seed": 0, **options}))


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def key(series, tag):
    return [line["individual"] for line in rows(series / f"private/{tag}.key.csv")]


def everything(folder):
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


# -- a series that somebody else began ----------------------------------------------------------------------------


@pytest.fixture
def table_viia(tmp_path):
    """The first release of the paper's 2-equivalence series, with its owners in the file."""
    series = tmp_path / "series"
    shutil.copytree(EXAMPLES / "clinic-2-equivalence", series)
    for name in ("2.csv", "3.csv"):
        (series / "releases" / name).unlink()
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace(', "releases/2.csv", "releases/3.csv"', ""))
    return series


@pytest.mark.parametrize("seed", range(4))
def test_from_table_viia_on_there_are_as_few_counterfeits_as_in_the_paper(table_viia, seed):
    done = publish_to(table_viia, CLINIC, seed=seed)
    assert [each.counterfeits for each in done] == [1, 3]
    named = [{name for name in key(table_viia, tag) if name.startswith("~")} for tag in "23"]
    assert named == [{"~c4"}, {"~c4", "~c5", "~c6"}]
    assert list(rows(table_viia / "releases/2.csv")[0]) == ["Group-ID", "Disease"]
    assert checked(TWO, open_series(table_viia)).holds


def test_a_past_that_fails_is_refused_naming_the_bucket(tmp_path):
    series = tmp_path / "series"
    shutil.copytree(EXAMPLES / "clinic-merged", series)
    before = everything(series)
    micro = write_microdata(
        tmp_path / "micro",
        {tag: [tuple(row.values()) for row in rows(CLINIC / f"{tag}.csv")] for tag in "123"}
        | {"4": [tuple(row.values()) for row in rows(CLINIC / "3.csv")]},
        head=("Owner", "Age", "Zip", "Disease"),
    )
    with pytest.raises(Exception, match=r"does not keep e-equivalence \(e = 2\).*cancer, measles"):
        publish_to(series, micro)
    assert everything(series) == before


# -- Anatomy pairs ------------------------------------------------------------------------------------------------

TOWNS = ("Ely", "Rye", "York")
PEOPLE = [(f"p{n:02}", 20 + n, TOWNS[n % 3], ("flu", "cold")[n % 2]) for n in range(24)]
FEW = [(f"p{n}", 20 + n, TOWNS[n % 3], f"illness {n}") for n in range(12)]
LEAVING = {"1": PEOPLE, "2": [p for p in PEOPLE if p[0] not in ("p00", "p02", "p04")]}
LEAVING["3"] = [p for p in LEAVING["2"] if p[0] not in ("p06", "p07", "p09")]
LEAVING["4"] = [p for p in LEAVING["3"] if p[0] not in ("p15", "p16", "p17")]


def told(series, tag):
    """The exact quasi-identifiers of everybody in a release, counterfeits among them."""
    return dict(zip(key(series, tag), rows(series / f"releases/{tag}.rows.csv"), strict=True))


@pytest.mark.parametrize("domains", ["", 'Age = [20, 50]\nTown = ["York", "Ely", "Rye"]'])
@pytest.mark.parametrize("seed", range(6))
def test_a_counterfeit_keeps_its_quasi_identifiers_though_nobody_has_them_any_more(tmp_path, seed, domains):
    micro = write_microdata(tmp_path / "micro", LEAVING, domains=domains)
    publish_to(tmp_path / "series", micro, seed=seed)
    releases = [told(tmp_path / "series", tag) for tag in LEAVING]
    kept = 0
    for before, now in pairwise(releases):
        for name in before.keys() & now.keys():
            assert (before[name]["Age"], before[name]["Town"]) == (now[name]["Age"], now[name]["Town"])
            kept += name.startswith("~")
        born = [name for name in now if name.startswith("~") and name not in before]
        people = {(row["Age"], row["Town"]) for name, row in now.items() if not name.startswith("~")}
        assert {(now[name]["Age"], now[name]["Town"]) for name in born} <= people
    assert kept
    towns = ["York", "Ely", "Rye"] if domains else sorted(TOWNS)
    for release in releases:
        order = [(int(row["Group"]), int(row["Age"]), towns.index(row["Town"])) for row in release.values()]
        assert order == sorted(order)
    assert checked(TWO, open_series(tmp_path / "series")).holds


def test_a_name_is_given_once_and_is_nowhere_but_in_keys(tmp_path):
    micro = write_microdata(tmp_path / "micro", LEAVING)
    done = publish_to(tmp_path / "series", micro)
    seen = [{name for name in key(tmp_path / "series", tag) if name.startswith("~")} for tag in LEAVING]
    assert [len(names) for names in seen] == [each.counterfeits for each in done]
    every = set().union(*seen)
    assert every == {f"~c{number}" for number in range(1, len(every) + 1)}
    for name in every:
        there = [name in names for names in seen]
        assert sum(before != now for before, now in zip([False, *there], [*there, False], strict=True)) == 2
    public = [text for name, text in everything(tmp_path / "series").items() if not name.startswith("private/")]
    assert not [text for text in public if b"~" in text]


@pytest.mark.parametrize("people", [PEOPLE, FEW])
@pytest.mark.parametrize("seed", range(6))
def test_a_counterfeit_keeps_its_value(tmp_path, people, seed):
    """Also where each value of a group is there once: the pair is no plain table, whose rows have values in order."""
    snapshots = {"1": people, "2": people[1:], "3": people[1:], "4": people[1:]}
    micro = open_microdata(write_microdata(tmp_path / "micro", snapshots))
    method, principle = EEquivalenceAnonymizer(2, 1), find("e-equivalence", {"e": 1})
    publish(micro, tmp_path / "series", method, principle, PublishOptions(seed=seed))
    value_of = {}
    for tag in snapshots:
        lines = rows(tmp_path / f"series/private/{tag}.key.csv")
        groups = [row["Group"] for row in rows(tmp_path / f"series/releases/{tag}.rows.csv")]
        held = Counter((groups[int(line["row"])], line["Disease"]) for line in lines)
        values = rows(tmp_path / f"series/releases/{tag}.values.csv")
        assert held == {(row["Group"], row["Disease"]): int(row["count"]) for row in values}
        for line in lines:
            assert value_of.setdefault(line["individual"], line["Disease"]) == line["Disease"]
    assert [name for name in value_of if name.startswith("~")] == ["~c1"]


@pytest.mark.parametrize("form", ["anatomy", "generalization"])
def test_same_seed_same_bytes_in_one_go_or_one_by_one(tmp_path, form):
    publish_to(tmp_path / "once", write_microdata(tmp_path / "micro", LEAVING), seed=5, form=form)
    for count in range(1, 5):
        some = dict(list(LEAVING.items())[:count])
        publish_to(tmp_path / "often", write_microdata(tmp_path / f"micro{count}", some), seed=5, form=form)
    assert everything(tmp_path / "once") == everything(tmp_path / "often")


def test_people_with_numbers_for_names_and_counterfeits_among_them(tmp_path):
    numbered = {tag: [(int(name[1:]), *rest) for name, *rest in people] for tag, people in LEAVING.items()}
    publish_to(tmp_path / "series", write_microdata(tmp_path / "micro", numbered), seed=5)
    publish_to(tmp_path / "other", write_microdata(tmp_path / "named", LEAVING), seed=5)
    for tag in LEAVING:
        as_named = [name if name.startswith("~") else f"p{int(name):02}" for name in key(tmp_path / "series", tag)]
        assert as_named == key(tmp_path / "other", tag)


# -- what is checked before anything is written -------------------------------------------------------------------


@dataclass(frozen=True)
class Cheating(Pairs):
    """Adds a counterfeit to each release, who is whoever `who` says of those of the release before."""

    who: str = "new"

    def publish(self, snapshot, so_far, rng, /):
        draft = super().publish(snapshot, so_far, rng)
        fake = np.flatnonzero(so_far.presence.counterfeit & so_far.presence.here())
        code = int(fake[0]) if len(fake) and self.who in ("same", "twice") else COUNTERFEIT
        code = int(snapshot.person[0]) if self.who == "person" else code
        more = 2 if self.who == "twice" else 1
        identity = np.append(np.full(len(draft.row), COUNTERFEIT), np.full(more, code))
        row, group = np.append(draft.row, [COUNTERFEIT] * more), np.append(draft.group, [0] * more)
        value = np.append(draft.value, [snapshot.value[0]] * more)
        codes = [column.astype(np.int32) for column in (row, group, value)]
        return Draft(*codes, draft.cells, identity.astype(np.int32))


ANY = find("l-diversity", {"l": 1})


@pytest.mark.parametrize(("who", "sound"), [("new", True), ("same", True), ("twice", False), ("person", False)])
def test_a_counterfeit_is_one_of_the_last_release_once_or_new(tmp_path, who, sound):
    micro = open_microdata(write_microdata(tmp_path / "micro", {tag: LEAVING[tag] for tag in "12"}))

    def go():
        return publish(micro, tmp_path / "series", Cheating(who=who), ANY, PublishOptions(form="anatomy", seed=0))

    if sound:
        assert [each.counterfeits for each in go()] == [1, 1]
        names = {name for tag in "12" for name in key(tmp_path / "series", tag) if name.startswith("~")}
        assert names == ({"~c1"} if who == "same" else {"~c1", "~c2"})
    else:
        with pytest.raises(BrokenPromiseError, match="not sound"):
            go()


def test_other_quasi_identifiers_than_before_are_a_bug(tmp_path, monkeypatch):
    monkeypatch.setattr(Counterfeits, "cells_of", _next)
    micro = open_microdata(write_microdata(tmp_path / "micro", {tag: LEAVING[tag] for tag in "12"}))
    with pytest.raises(BrokenPromiseError, match="other quasi-identifiers than before"):
        publish(micro, tmp_path / "series", Cheating(who="same"), ANY, PublishOptions(form="anatomy", seed=0))


def _next(self, codes):
    """Their cells, but others from the second time on that somebody's are asked for."""
    again = hasattr(self, "asked")
    if len(codes):
        self.asked = True
    return self.cells[np.searchsorted(self.codes, codes)] + (1 if again else 0)


# -- stays --------------------------------------------------------------------------------------------------------


def past(group, *, counted, tag="1"):
    """A release of one group: (code, value) pairs, the value -1 - v for counterfeits that have v."""
    person = np.array([code for code, _ in group], dtype=np.int32)
    own = np.array([max(value, -1) for _, value in group], dtype=np.int32)
    value = np.array([value if value >= 0 else -1 - value for _, value in group], dtype=np.int32)
    zeros = np.zeros_like(person)
    if not counted:
        return PublishedRelease(tag, person, zeros, zeros, value, None, own)
    values, count = np.unique(value, return_counts=True)
    return PublishedRelease(tag, person, zeros, np.zeros_like(values), values, count, own)


def stays(*groups, counted=True):
    found = PresenceHistory()
    for group in groups:
        found.add(past(group, counted=counted), np.zeros(len(group), dtype=np.int32))
    return found


FLU, COLD = -1, -2


def test_counterfeits_of_an_anatomy_pair_have_values_that_fit():
    first = [(0, 0), (7, COLD), (8, FLU), (1, 1)]
    found = stays(first)
    assert found.value[[7, 8]].tolist() == [0, 1]
    assert found.counterfeit.tolist() == [False] * 7 + [True] * 2
    assert stays(first, counted=False).value[[7, 8]].tolist() == [1, 0]
    found = stays(first, [(0, 0), (8, COLD), (9, FLU), (2, 1)])
    assert found.value[[8, 9]].tolist() == [1, 0]


def test_values_that_fit_no_release_are_told_by_nobody():
    """Of two that are one of flu and cold each, one goes on, as the one that the first did not take."""
    found = stays([(0, 0), (7, FLU), (8, COLD), (1, 1)], [(0, 0), (1, 1), (8, FLU), (2, 1)])
    assert found.value[[7, 8]].tolist() == [0, -1]
    again = stays(
        [(0, 0), (7, FLU), (8, COLD), (1, 1)], [(0, 0), (1, 1), (8, FLU), (2, 1)], [(0, 0), (8, FLU), (9, COLD), (1, 1)]
    )
    assert again.value[[8, 9]].tolist() == [-1, -1]


def test_everybodys_stays():
    found = stays([(0, 0), (1, 1), (-1, FLU)], [(0, 0), (2, 1)], [(1, 1), (2, 1)], [(0, 0), (1, 1), (-1, COLD)])
    assert found.begun.tolist() == [3, 2, 1]
    assert found.last.tolist() == [3, 3, 2]
    assert found.returned.tolist() == [True, True, False]
    assert found.here().tolist() == [True, True, False]
    assert [column.tolist() for column in found.earlier()] == [[0, 0], [0, 0], [1, 2]]
    assert [column.tolist() for column in found.nameless()] == [[0, 0], [0, 3], [1, 4]]


def test_names_go_on_from_the_largest_number():
    people = IdentifierEncoder()
    people.number(["~c7", "~x9", "~c10", "~c08", "~cx", "Bo"])
    born = Counterfeits(people, ()).create(2)
    assert [people.name(code) for code in born.tolist()] == ["~c11", "~c12"]
    assert people.is_counterfeit()[born].all()
