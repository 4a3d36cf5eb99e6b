"""Counterfeits that keep their identity: named in the key alone, and with the same quasi-identifiers as before."""

import csv
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from anonymizers.e_equivalence.method import EEquivalenceAnonymizer
from audit.io.microdata import open_microdata
from audit.io.series import open_series
from audit.model.anonymizer import COUNTERFEIT, Draft
from audit.principles.principle import checked
from audit.principles.registry import find
from audit.publishing.publish import BrokenPromiseError, PublishOptions, publish
from audit.publishing.renderer import Counterfeits
from tests.helpers.amount import some
from tests.helpers.microdata import Pairs, write_microdata

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
@pytest.mark.parametrize("seed", range(some(6)))
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
@pytest.mark.parametrize("seed", range(some(6)))
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
