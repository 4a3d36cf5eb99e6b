"""Certificates of equivalences, right and wrong ones, checked against series on disk."""

import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from audit.adversary.view import build_evidence
from audit.findings.equivalence import Equivalence, Pinned, WeightedGroup
from audit.io.series import open_series
from audit.judgement.check_equivalence import CombinationChecker
from audit.judgement.field_types import BrokenCertificateError
from audit.model.finding import AnonymousCounterfeit
from tests.helpers.strategies import linked_series
from tests.helpers.tiny import Known, Registered, Row, TinySeries
from tests.mutants.mutant import kills

ONE = Fraction(1)
# Bob leaves and Greg comes, in the company of Alice; group 2 holds nameless counterfeits, group 3 one with a name.
CLINIC = TinySeries(
    [
        [
            Row("Alice", "1", "cancer"),
            Row("Bob", "1", "flu"),
            Row(None, "2", "flu"),
            Row("Carl", "2", "flu"),
            Row(None, "2", "flu"),
            Row("~c1", "3", "flu"),
        ],
        [Row("Alice", "1", "cancer"), Row("Greg", "1", "flu"), Row(None, "2", "flu"), Row("Carl", "2", "flu")],
    ]
)
PAIR = {(0, "1"): ONE, (1, "1"): -ONE}


@contextmanager
def opened(series):
    """The evidence of a series written to disk, and the codes of its people and values by name."""
    with tempfile.TemporaryDirectory() as folder:
        [evidence] = build_evidence(open_series(series.write(Path(folder))))
        number = evidence.series.people.find
        yield evidence, number, {name: code for code, name in enumerate(evidence.values)}


def holds(evidence, finding):
    try:
        CombinationChecker(evidence).check(finding)
    except BrokenCertificateError:
        return False
    return True


def combined(series, weights):
    """What groups add up to, by names: members (nameless ones as release, group and number) and values, not 0."""
    known = {line.individual for line in series.known}
    members, values = Counter(), Counter()
    for (release, group), weight in weights.items():
        nameless = 0
        for row in series.releases[release]:
            if row.group == group and row.individual not in known:
                who = row.individual or (release, group, nameless)
                nameless += row.individual is None
                members[who] += weight
                values[row.value] += weight
    return tuple({key: total for key, total in sums.items() if total} for sums in (members, values))


def told(sums, value, weights, number):
    """The finding that members add up to, by codes."""
    sides = {1: {}, -1: {}}
    for who, times in sums.items():
        code = number(who) if isinstance(who, str) else AnonymousCounterfeit(*who)
        sides[1 if times > 0 else -1][code] = abs(int(times))
    steps = tuple(WeightedGroup(release, group, weight) for (release, group), weight in sorted(weights.items()))
    if value is None:
        return Equivalence(sum(sides[-1].values()), sides[1], sides[-1], certificate=steps)
    return Pinned(next(iter(sides[1]), 999), max(step.release for step in steps), value, 1.0, certificate=steps)


def said_otherwise(finding):
    """The same groups, said to pin a value instead of adding up to two sides, or the other way round."""
    if isinstance(finding, Pinned):
        return Equivalence(1, {finding.individual: 1}, {999: 1}, certificate=finding.certificate)
    who = next(iter(finding.left), 999)
    return Pinned(who, finding.certificate[-1].release, 0, 1.0, certificate=finding.certificate)


def unknown_groups(series):
    """The groups that hold somebody whose value is not known beforehand."""
    known = {line.individual for line in series.known}
    rows = [(j, row) for j, release in enumerate(series.releases) for row in release if row.individual not in known]
    return sorted({(j, row.group) for j, row in rows})


@given(linked_series(known=True), st.data())
def test_groups_that_add_up_are_taken_and_nothing_else(series, data):
    groups = unknown_groups(series)
    assume(groups)
    weight = st.fractions(-2, 2, max_denominator=2).filter(bool)
    weights = data.draw(st.dictionaries(st.sampled_from(groups), weight, min_size=1, max_size=4))
    members, values = combined(series, weights)
    if any(times.denominator > 1 for times in members.values()):
        weights = {group: 2 * w for group, w in weights.items()}
        members, values = combined(series, weights)
    assume(members)
    with opened(series) as (evidence, number, codes):
        [value] = [codes[name] for name in values] if len(values) == 1 else [None]
        finding = told(members, value, weights, number)
        pins = list(members.values()) == [1] and list(values.values()) == [1]
        assert holds(evidence, finding) == (pins or not values)
        assert not holds(evidence, said_otherwise(finding))


@kills("audit.judgement.check_equivalence.CombinationChecker._add", "nameless += 1", "nameless += 0")
def test_nameless_counterfeits_are_somebody_each():
    with opened(CLINIC) as (evidence, number, _):
        weights = {(0, "2"): Fraction(2), (1, "2"): Fraction(-3)}
        sums = {(0, "2", 0): 2, (0, "2", 1): 2, (1, "2", 0): -3, "Carl": -1}
        assert holds(evidence, told(sums, None, weights, number))
        for place in ((0, "2", 2), (0, "1", 0), (1, "2", 1)):
            wrong = {place if who == (0, "2", 1) else who: times for who, times in sums.items()}
            assert not holds(evidence, told(wrong, None, weights, number))


@kills("audit.judgement.check_equivalence.CombinationChecker._add", "elif person in self._known", "elif False")
def test_known_people_are_on_neither_side():
    """Alice is known to have cancer, so that Bob has what remains of their group."""
    series = replace(CLINIC, known=[Known("Alice", "cancer")])
    with opened(series) as (evidence, number, codes):
        assert holds(evidence, told({"Bob": 1}, codes["flu"], {(0, "1"): ONE}, number))
        assert not holds(evidence, told({"Bob": 1, "Alice": 1}, None, {(0, "1"): ONE}, number))
    with opened(CLINIC) as (evidence, number, codes):
        assert not holds(evidence, told({"Bob": 1}, codes["flu"], {(0, "1"): ONE}, number))


def test_values_that_may_change_tell_nothing():
    transitions = {(value, value): None for value in ("cancer", "flu")} | {("flu", "cancer"): None}
    with opened(replace(CLINIC, transitions=transitions)) as (evidence, number, _):
        assert not holds(evidence, told({"Bob": 1, "Greg": -1}, None, PAIR, number))


def test_groups_that_are_only_guessed_tell_nothing():
    releases = [[replace(row, cells=("x",)) for row in release if row.individual] for release in CLINIC.releases]
    register = [Registered(row.individual, j, ("x",)) for j, release in enumerate(releases) for row in release]
    series = TinySeries(releases, register=register, quasi_identifiers=("City",))
    with tempfile.TemporaryDirectory() as folder:
        [evidence] = build_evidence(open_series(series.write(Path(folder))), "register")
        number = evidence.series.people.find
        assert not holds(evidence, told({"Bob": 1, "Greg": -1}, None, PAIR, number))


def test_values_that_are_published_as_counts(tmp_path):
    """An Anatomy pair: rows in one file, the values of each group counted in another."""
    (tmp_path / "1.csv").write_text("Owner,Group-ID\nAlice,1\nBob,1\nCarl,1\n", encoding="utf-8")
    (tmp_path / "1-values.csv").write_text("Group-ID,Value,count\n1,flu,1\n1,cancer,2\n", encoding="utf-8")
    (tmp_path / "2.csv").write_text("Owner,Group-ID\nAlice,1\nBob,1\nGreg,1\n", encoding="utf-8")
    (tmp_path / "2-values.csv").write_text("Group-ID,Value,count\n1,flu,1\n1,cancer,2\n", encoding="utf-8")
    pairs = ", ".join(f'{{ rows = "{tag}.csv", values = "{tag}-values.csv" }}' for tag in "12")
    columns = 'individual = "Owner"\ngroup = "Group-ID"\nquasi_identifiers = []\nsensitive = "Value"'
    manifest = f'[series]\nname = "Pair"\nreleases = [{pairs}]\n\n[columns]\n{columns}\n'
    (tmp_path / "series.toml").write_text(manifest, encoding="utf-8")
    [evidence] = build_evidence(open_series(tmp_path))
    finding = told({"Carl": 1, "Greg": -1}, None, PAIR, evidence.series.people.find)
    assert holds(evidence, finding)
    (tmp_path / "2-values.csv").write_text("Group-ID,Value,count\n1,flu,2\n1,cancer,1\n", encoding="utf-8")
    [evidence] = build_evidence(open_series(tmp_path))
    assert not holds(evidence, finding)
