"""One table of laws, attacks and adversaries.

What a law compares is `Seen`: the facts that an attack is certain of, and its measures.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest
import tomlkit
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attacks.registry import ATTACKS
from audit.model.adversary import ADVERSARIES
from audit.runtime.engine import Local
from tests.cli.forms import edit, read_rows, without, write_rows
from tests.helpers.amount import some
from tests.helpers.certificates import assert_proves
from tests.helpers.comparing import CLOSE
from tests.helpers.running import audit_folder, run_main
from tests.helpers.several import pair_series, write_pairs
from tests.helpers.strategies import in_braces, with_knowledge
from tests.helpers.tiny import TinySeries
from tests.helpers.travelling import Travelling
from tests.laws.families import (
    CONSTANT,
    FILE_TYPES,
    any_series,
    beside,
    disguised,
    in_files,
    saved,
    until,
    with_record_ids,
)
from tests.laws.seen import OUTSIDERS, WAYS, Fact, Seen, seen
from tests.oracle.per_person import known_values

RUNS = {
    "intersection": ("linked", "register"),
    "update-graph": ("linked", "register"),
    "equivalence": ("linked",),
    "joint": ("linked", "register"),
    "inference-table": ("pseudonym",),
    "homogeneity": ("register", "pseudonym", "published"),
    "correspondence": ("published",),  # with strangers or record ids too: see tests/cli/test_correspondence.py
    "inference": (),  # it needs Anatomy pairs, and claims nothing
    "first-releases": ("linked", "register"),
}
OF_THE_POSSIBLE = {"intersection", "update-graph", "homogeneity", "first-releases"}
"""Attacks on people of a register who may be in the data."""
PAIRS = [
    (attack, adversary)
    for attack, some in RUNS.items()
    for adversary in some
    # Beside a register or record ids it tells of strangers' rows: see test_verdicts.
    if attack != "homogeneity" or adversary == "published"
]
FEW = settings(max_examples=some(10))


@dataclass(frozen=True)
class Law:
    """What must hold of an attack by an adversary.

    Attributes:
        name: what holds.
        check: draws a series, changes it, and compares what the attack finds; given data, attack and adversary.
        of: whether it is a law about an attack by an adversary.
    """

    name: str
    check: Callable[[st.DataObject, str, str], None]
    of: Callable[[str, str], bool]


LAWS: list[Law] = []


def law(of: Callable[[str, str], bool] = lambda attack, adversary: True):
    """Enter a law, by the name of its function, in the table."""

    def enter(check):
        LAWS.append(Law(check.__name__.replace("_", " "), check, of))
        return check

    return enter


def registered(attack, _):
    return attack not in OUTSIDERS


def about_people(attack, adversary):
    return adversary in {"linked", "register"}


def found(data, series, attack, adversary) -> Seen:
    """Write a series and run an attack on it; `joint` in a way that is drawn."""
    [one] = all_found(data, [series], attack, adversary)
    return one


def all_found(data, several, attack, adversary) -> list[Seen]:
    """Run an attack on several series; `joint` in a way that is drawn once for all of them."""
    way = "counted" if attack not in WAYS else data.draw(st.sampled_from(WAYS[attack]))
    results = []
    for series in several:
        with saved(series) as folder:
            results.append(seen(folder, attack, adversary, way=way))
    return results


def translated(facts, new) -> set[Fact]:
    """Facts with other names."""

    def one(fact: Fact) -> Fact:
        kind, *rest = fact
        if kind in {"value", "not"}:
            person, release, value = rest
            return kind, new.people[person], release, new.values[value]
        if kind == "same":
            return kind, frozenset(new.people[person] for person in rest[0])
        if kind == "narrowed":
            return kind, new.people[rest[0]], *rest[1:]
        if kind == "group":
            release, group, *counts, value = rest
            return kind, release, new.groups[group], *counts, new.values[value]
        *subject, value = rest
        return kind, *subject, value and new.values[value]

    return {one(fact) for fact in facts}


def same_measures(one: Seen, other: Seen) -> None:
    """Equal numbers, up to the last digits of a floating-point sum in another order."""
    assert one.status == other.status
    assert one.measures.keys() == other.measures.keys()
    for name, value in one.measures.items():
        near = pytest.approx(value, abs=CLOSE) if isinstance(value, float) else value
        assert other.measures[name] == near, name


@law()
def names_do_not_matter(data, attack, adversary):
    series = data.draw(any_series(attack, adversary, known=None))
    new = data.draw(disguised(series))
    one, other = all_found(data, [series, new.series], attack, adversary)
    same_measures(one, other)
    assert translated(one.facts, new) == other.facts
    assert translated(one.ruled_out, new) == other.ruled_out


@law()
def file_types_do_not_matter(data, attack, adversary):
    series = data.draw(any_series(attack, adversary))
    with saved(series) as folder:
        one = seen(folder, attack, adversary)
        other = seen(in_files(folder, data.draw(st.sampled_from(sorted(FILE_TYPES)))), attack, adversary)
    assert one == other


@law()
def engines_do_not_matter(data, attack, adversary):
    series = data.draw(any_series(attack, adversary, known=None))
    with saved(series) as folder:
        way = "counted" if attack not in WAYS else data.draw(st.sampled_from(WAYS[attack]))
        one, two, three = (
            seen(folder, attack, adversary, way=way, engine=engine) for engine in (Local(1), Local(2), Travelling())
        )
    assert one == two == three


# The rows of another copy may be in a register's or a point's boxes too.
@law(lambda attack, adversary: adversary == "linked" or attack == "homogeneity")
def copies_are_told_the_same(data, attack, adversary):
    series = data.draw(any_series(attack, adversary, known=None))
    new = beside(series)
    one, both = all_found(data, [series, new.series], attack, adversary)
    # Each value of the other copy is impossible besides.
    assert both.facts == one.facts | translated(one.facts, new)
    assert one.ruled_out <= both.ruled_out
    assert both.measures["timeline"] == [2 * count for count in one.measures["timeline"]]


# A point stands for others when there are more boxes.
@law(lambda attack, _: attack != "correspondence")
def a_release_more_takes_nothing_back(data, attack, adversary):
    series = data.draw(any_series(attack, adversary, known=None))
    assume(len(series.releases) > 1)
    count = data.draw(st.integers(1, len(series.releases) - 1))
    short, whole = all_found(data, [until(series, count), series], attack, adversary)
    assert short.facts <= whole.facts
    if "timeline" in whole.measures:
        assert whole.measures["timeline"][:count] == short.measures["timeline"]
        assert attack == "inference-table" or all(one <= other for one, other in pairwise(whole.measures["timeline"]))
    assert {fact for fact in short.ruled_out if fact[3] in values_of(series)} <= whole.ruled_out


def values_of(series):
    return {row.value for release in series.releases for row in release}


@law(about_people)
def known_values_take_nothing_back(data, attack, adversary):
    series = data.draw(any_series(attack, adversary))
    informed = data.draw(with_knowledge(series, adversary))
    before, after = all_found(data, [series, informed], attack, adversary)
    known = {(who, j) for j in range(len(series.releases)) for who in known_values(informed, j, adversary)}
    assert of_others(before.facts, known) <= after.facts
    assert of_others(before.ruled_out, known) <= after.ruled_out
    assert not {fact for fact in after.facts if fact[0] == "value" and fact[1:3] in known}


def of_others(facts, known):
    """Facts about versions and people of whom nothing is known."""
    people = {who for who, _ in known}
    return {
        fact
        for fact in facts
        if not (people & fact[1] if fact[0] == "same" else fact[1] in people if fact[2] is None else fact[1:3] in known)
    }


@law(lambda _, adversary: adversary == "register")
def more_of_a_register_takes_nothing_back(data, attack, adversary):
    series = data.draw(any_series(attack, adversary))
    people = series.people("register")
    some = data.draw(st.lists(st.sampled_from(people), min_size=1, unique=True))
    part = in_braces(replace(series, register=[line for line in series.register if line.individual in some]))
    before, after = all_found(data, [part, series], attack, adversary)
    assert before.facts <= after.facts
    assert before.ruled_out <= after.ruled_out


@law(lambda _, adversary: adversary == "register")
def the_key_takes_nothing_back_from_a_register(data, attack, adversary):
    series = replace(data.draw(any_series(attack, adversary)), keyed=True)
    before = found(data, series, attack, "register")
    after = found(data, series, attack, "linked")
    assert before.facts <= after.facts
    assert before.ruled_out <= after.ruled_out


@law(lambda _, adversary: adversary == "linked")
def whoever_is_in_the_key_takes_nothing_back(data, attack, adversary):
    """Rows of some are nobody's at first."""
    series = data.draw(any_series(attack, adversary))
    people = series.people()
    assume(len(people) > 1)
    gone = data.draw(st.lists(st.sampled_from(people), min_size=1, max_size=len(people) - 1, unique=True))
    holes = [
        [replace(row, individual=None) if row.individual in gone else row for row in release]
        for release in series.releases
    ]
    before, after = all_found(data, [replace(series, releases=holes), series], attack, adversary)
    assert before.facts <= after.facts
    assert before.ruled_out <= after.ruled_out


@law(about_people)
def another_column_takes_nothing_back(data, attack, adversary):
    changing = attack not in CONSTANT and data.draw(st.booleans())
    series, table = data.draw(pair_series(adversary=adversary, changing=changing))
    with saved(TinySeries(series.releases)) as folder:
        write_pairs(series, table, folder)
        after = seen(folder, attack, adversary)
        edit(folder / "series.toml", "sensitive = ['V', 'W']", 'sensitive = "V"')
        for path in (folder / "releases").glob("*.csv"):
            without(path, "W")
        before = seen(folder, attack, adversary)
    assert before.facts <= after.facts


@law(about_people)
def record_ids_take_nothing_back(data, attack, adversary):
    """Whatever is certain of people stays so where their rows are followed by ids, with nothing else to look at."""
    series = data.draw(any_series(attack, adversary))
    assume(series.transitions is None and not series.anatomy and not series.counterfeits)
    with saved(series) as folder:
        before = seen(folder, attack, adversary)
        with_record_ids(folder, series)
        after, followed = seen(folder, attack, adversary), seen(folder, attack, adversary, followed=True)
    assert before.facts <= after.facts
    if attack in {"intersection", "update-graph", "joint"}:
        assert {fact for fact in before.facts if not fact[1].startswith("~")} <= followed.facts


@law(lambda attack, _: attack == "inference-table")
def columns_that_change_take_nothing_back(data, attack, adversary):
    """Whoever knows the cell of each release knows what all cells of the record have in common."""
    series = data.draw(any_series(attack, adversary))
    assume(not series.changing)
    before, after = all_found(data, [series, replace(series, changing=("Age", "City"))], attack, adversary)
    assert {fact[1] for fact in before.facts} <= {fact[1] for fact in after.facts}


@law(lambda attack, _: attack in {"inference-table", "correspondence"})
def a_column_that_changes_is_one_of_each_release(data, attack, adversary):
    """A column of each release, with `*` in the others, has the same cells in common with any other row."""
    series = data.draw(any_series(attack, adversary))
    with saved(series) as folder:
        path = folder / "series.toml"
        document = tomlkit.parse(path.read_text(encoding="utf-8"))
        columns = document["columns"]
        names = columns.setdefault("changing", [data.draw(st.sampled_from(columns["quasi_identifiers"]))])
        path.write_text(tomlkit.dumps(document), encoding="utf-8")
        one = seen(folder, attack, adversary)
        each = {name: [f"{name} ({tag})" for tag in series.tags] for name in names}
        for at, tag in enumerate(series.tags):
            table = folder / "releases" / f"{tag}.csv"
            head, *rows = read_rows(table)
            for name, every in each.items():
                more = [["*"] * at + [row[head.index(name)]] + ["*"] * (len(every) - at - 1) for row in rows]
                write_rows(table, [[*head, *every], *([*row, *new] for row, new in zip(rows, more, strict=True))])
                without(table, name)
                head, *rows = read_rows(table)
        for name, every in each.items():
            if kind := columns.get("types", {}).pop(name, ""):
                columns["types"].update(dict.fromkeys(every, kind))
        quasi = [every for name in columns["quasi_identifiers"] for every in each.get(name, [name])]
        del columns["changing"]
        columns["quasi_identifiers"] = quasi
        path.write_text(tomlkit.dumps(document), encoding="utf-8")
        other = seen(folder, attack, adversary)
    same_measures(one, other)
    # A point may be written as another release writes it, in braces.
    assert {re.sub("[{}]", "", str(fact)) for fact in one.facts} == {re.sub("[{}]", "", str(f)) for f in other.facts}


@law(about_people)
def the_truth_is_never_ruled_out(data, attack, adversary):
    series = data.draw(any_series(attack, adversary, known=None))
    series = replace(series, keyed=True)
    result = found(data, series, attack, adversary)
    for kind, *fact in result.facts | result.ruled_out:
        if kind == "same":
            one, other = (history(series, person) for person in fact[0])
            assert len({*one.values(), *other.values()}) == 1
            continue
        person, release, value = fact
        truth = history(series, person)
        versions = truth if release is None else {release} & truth.keys()
        assert all((truth[version] == value) == (kind == "value") for version in versions), (kind, *fact)
    assert result.measures.get("infeasible", 0) == 0


def history(series, person):
    return {j: series.row(person, j).value for j in range(len(series.releases)) if series.row(person, j)}


@law(lambda attack, adversary: about_people(attack, adversary) and attack != "joint")
def what_is_found_is_what_joint_finds(data, attack, adversary):
    series = data.draw(any_series(attack, adversary, known=None))
    one, joint = found(data, series, attack, adversary), found(data, series, "joint", adversary)
    assert {fact for fact in one.facts if fact[0] == "value" and not fact[1].startswith("~")} <= joint.facts


@law(registered)
def findings_hold(data, attack, adversary):
    """The audit checks each again before it prints it; those on people's own groups are checked by hand besides."""
    series = data.draw(any_series(attack, adversary, known=None))
    with saved(series) as folder:
        audited = audit_folder(folder, [attack], "--adversary", adversary)
    for finding in audited.findings(attack) if attack in {"intersection", "update-graph"} else ():
        assert_proves(finding, series, adversary, constant=attack == "intersection")


@law(registered)
def a_candidate_is_judged_as_if_it_were_published(data, attack, adversary):
    series = data.draw(any_series(attack, adversary, known=None))
    assume(len(series.releases) > 1)
    words = ("--attack", attack, "--adversary", adversary, "--format", "json")
    with saved(series) as folder:
        whole = run_main(str(folder), *words)
        last = f"releases/{series.tags[-1]}.csv"
        candidate = (folder / last).rename(folder / Path(last).name)
        edit(folder / "series.toml", f', "{last}"', "")
        foretold = run_main("next", str(folder), str(candidate), *words)
    one, other = json.loads(whole[1]), json.loads(foretold[1])
    assert whole[0] == foretold[0]
    assert one["policy"]["violations"] == other["policy"]["violations"]
    assert [entry["measures"] for entry in one["attacks"]] == [entry["measures"] for entry in other["attacks"]]


@law(lambda attack, adversary: attack in {"intersection", "update-graph", "joint"} and adversary == "linked")
def what_a_candidate_adds_is_what_was_not_certain(data, attack, adversary):
    """By `audit next`, and by a baseline without it; of either attribute, and of both together."""
    series, table = data.draw(pair_series(adversary=adversary, changing=False))
    assume(len(series.releases) > 1)
    words = ("--attack", attack, "--format", "json", "--findings", "all", "--reveal")
    with saved(series) as folder:
        write_pairs(series, table, folder)
        (folder / "private").mkdir(exist_ok=True)
        (folder / "private" / "finding.key").write_text("0" * 64 + "\n", encoding="utf-8")
        whole = (folder / "series.toml").read_text(encoding="utf-8")
        after = seen(folder, attack, adversary).facts
        last = f"releases/{series.tags[-1]}.csv"
        candidate = (folder / last).rename(folder / Path(last).name)
        edit(folder / "series.toml", f', "{last}"', "")
        before = seen(folder, attack, adversary).facts
        foretold = json.loads(run_main("next", str(folder), str(candidate), *words)[1])
        run_main(str(folder), *words, "--stable-ids", "--output", str(folder / "old.json"))
        candidate.rename(folder / last)
        (folder / "series.toml").write_text(whole, encoding="utf-8")
        since = json.loads(run_main(str(folder), *words, "--stable-ids", "--baseline", str(folder / "old.json"))[1])
    added = {fact for fact in after - before if not fact[1].startswith("~")}
    for attacks in (
        [one["new_findings"] for one in foretold["attacks"]],
        [one["findings"] for one in since["attacks"]],
    ):
        told = {("value", one["individual"], None, one["value"]) for new in attacks for one in new}
        assert {fact for fact in told if fact[1] in series.people("linked")} == added


TABLE = [(law, attack, adversary) for law in LAWS for attack, adversary in PAIRS if law.of(attack, adversary)]


@pytest.mark.many
@pytest.mark.parametrize(
    ("law", "attack", "adversary"), TABLE, ids=[f"{law.name}-{attack}-{adversary}" for law, attack, adversary in TABLE]
)
@FEW
@given(data=st.data())
def test_law(law, attack, adversary, data):
    law.check(data, attack, adversary)


def test_the_table_has_every_attack():
    assert set(RUNS) == {*ATTACKS.names, *OUTSIDERS}


@pytest.mark.many
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("attack", RUNS)
@settings(max_examples=1)
@given(data=st.data())
def test_an_attack_runs_where_the_table_says(attack, adversary, data):
    """Of people who may be in the data, tests/oracle/test_possible_people.py says what is found."""
    possible = adversary == "possible"
    of_people = any_series("intersection", "register")  # a register's people need no cells that list points
    series = data.draw(of_people if possible else any_series(attack, adversary))
    with saved(series) as folder:
        if possible:
            edit(folder / "series.toml", "[adversary]", '[adversary]\npresence = "possible"')
        status = seen(folder, attack, adversary).status
    assert (status == "skipped") == (adversary not in RUNS[attack] and not (possible and attack in OF_THE_POSSIBLE))
