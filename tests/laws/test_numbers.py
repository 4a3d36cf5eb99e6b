"""What commands say about one series agrees: `audit`, `findings` and `next`, as text and as JSON, on drawn series."""

import json
import random
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings

from tests.cli.forms import edit
from tests.cli.test_next import split
from tests.helpers.amount import some
from tests.helpers.running import run_main
from tests.helpers.strategies import linked_series
from tests.oracle.drawn_tables import drawn_tables
from tests.oracle.test_possible_people import rolls

ALL = ("--findings", "all")


def told(*words):
    """The JSON of a command, and what it prints; None if its input is refused."""
    code, out, err = run_main(*map(str, words), "--format", "json")
    assert err == "" or code == 2, err
    return None if code == 2 else json.loads(out), re.sub(r"\s+", " ", run_main(*map(str, words))[1])


def totals(report):
    """The number of findings of each attack."""
    return {(each["attack"], each.get("sensitive")): each["findings_total"] for each in report["attacks"]}


@settings(max_examples=some(15))
@given(series=linked_series(max_people=5))
def test_people(series):
    assume(len(series.releases) > 1)
    with TemporaryDirectory() as folder:
        path, candidate = split(series, Path(folder))
        impact, said = told("next", path, candidate, *ALL)
        before, _ = told(path, *ALL)
        lists = run_main("findings", str(path))[1]
        after, _ = told(series.write(Path(folder) / "whole"), *ALL)
    assume(None not in (impact, before, after))
    assert totals(impact["before"]) == totals(before)
    assert totals(impact) == totals(after)
    assert {key: each["found_before"] for key, each in zip(totals(impact), impact["attacks"], strict=True)} == totals(
        before
    )
    assert all(each["newly_found"] == len(each["new_findings"]) for each in impact["attacks"])
    whole = [each for each in impact["attacks"] if "incomplete" not in (each["status"], each["status_before"])]
    count, new = (sum(each[name] for each in whole) for name in ("findings_total", "newly_found"))
    assert f"with the candidate: {count} (new: {new}; found without it, too: {count - new})" in said
    assert ("these attacks ended early" in said) == (len(whole) < len(impact["attacks"]))
    assert re.match(rf"Findings \({sum(totals(before).values())}[:)]", lists)
    by_attack = Counter({name: many for (name, _), many in totals(before).items() if many})
    assert dict(re.findall(r"([\w-]+) (\d+)", lists.partition(")")[0])) == {
        name: str(many) for name, many in by_attack.items() if len(by_attack) > 1
    }


@settings(max_examples=some(15))
@given(series=rolls())
def test_people_who_look_alike(series):
    with TemporaryDirectory() as folder:
        path = series.write(Path(folder))
        edit(path / "series.toml", "[adversary]", 'spelled = ["Value"]\n[adversary]\npresence = "possible"')
        how = ("--adversary", "possible")
        report, said = told(path, *how, *ALL)
        assume(report is not None)
        drawn = re.sub(r"<[^>]*>|\s+", " ", run_main(str(path), *how, *ALL, "--format", "html")[1])
        for attack in report["attacks"]:
            if attack["people"]:
                names = {line.individual for line in series.register}
                lists = [run_main("findings", str(path), *how, "--reveal", "--person", each)[1] for each in names]
                assert sum(f"[{attack['attack']}-" in each for each in lists) == attack["people"]
    many, kinds = max(each["people"] or 0 for each in report["attacks"]), len(report["people"])
    for text in (said, drawn):
        counts = {int(count) for count in re.findall(r"certain for (\d+) of", text)}
        assert counts == ({many} if many else set())
        assert not re.search(r"People (found|in the findings below) \(|\d (person|people), the most exposed", text)
    assert (f"Entries about people in the findings below ({kinds})" in said) == (kinds > 0)
    assert ("Entries about people, the most exposed first." in drawn) == (kinds > 0)


@pytest.mark.parametrize("seed", range(some(12)))
def test_tables(seed, tmp_path):
    series = drawn_tables(random.Random(seed))  # noqa: S311 - no secret is drawn
    if len(series.releases) < 2:
        return
    past = replace(series, releases=series.releases[:-1])
    path, whole = past.write(tmp_path / "path"), series.write(tmp_path / "whole")
    candidate = shutil.copy(whole / "releases" / f"{len(series.releases)}.csv", tmp_path)
    (impact, said), (before, _), (after, _) = told("next", path, candidate, *ALL), told(path, *ALL), told(whole, *ALL)
    if None in (impact, before, after):
        return
    numbers = [sum(totals(each).values()) for each in (before, after)]
    assert totals(impact) == totals(after)
    (attack,) = impact["attacks"]
    assert attack["newly_found"] == len(attack["new_findings"])
    assert re.match(rf"Findings \({numbers[0]}\)", run_main("findings", str(path))[1])
    if attack["status"] == attack["status_before"] == "complete":
        new = len(attack["new_findings"])
        known = f"Findings with the candidate: {numbers[1]} (new: {new}; found without it, too: {numbers[1] - new})"
        assert known in said
