"""The attack `joint` compared with the enumeration of all worlds of tiny series, and with adversaries who know more."""

import json
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.joint import attack, network_builder, settling
from attacks.joint.answers import Answers
from attacks.joint.attack import JointAttack
from audit.adversary.view import build_evidence
from audit.io.series import open_series
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.comparing import CLOSE
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.opening import opened
from tests.helpers.running import audit_folder, written
from tests.helpers.tiny import Registered, Row, TinySeries, read
from tests.mutants.mutant import kills
from tests.oracle.asking import forced
from tests.oracle.larger import drawn_at_random
from tests.oracle.per_person import known_values, update_graph
from tests.oracle.worlds import worlds

EXAMPLES = Path(__file__).parent.parent / "examples"
ADVERSARIES = ["linked", "register"]
SERIES = some(150)
EACH = settings(max_examples=max(1, SERIES // (len(ADVERSARIES) * len(KINDS))))
FEW = settings(max_examples=max(1, SERIES // 40))


# -- what has to come out -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What enumeration says of the versions that are not known beforehand."""

    series: TinySeries
    adversary: str

    @cached_property
    def everything(self):
        return worlds(self.series, self.adversary)

    @cached_property
    def versions(self):
        return [
            (person, j)
            for person in self.series.people(self.adversary)
            for j in self.series.presence(person, self.adversary)
            if person not in known_values(self.series, j, self.adversary)
        ]

    @cached_property
    def possible(self):
        return {version: self.everything.possible(*version) for version in self.versions}

    @property
    def posteriors(self):
        return {version: self.everything.posterior(*version) for version in self.versions}

    @property
    def certain(self):
        return {(*version, *values) for version, values in self.possible.items() if len(values) == 1}

    @property
    def timeline(self):
        earlier = [Answer(self.series.until(j), self.adversary) for j in range(1, len(self.series.releases))]
        return [len(answer.certain) for answer in [*earlier, self]]

    @property
    def eliminated(self):
        """Beyond what people's own groups leave, less the rows of those whose row class and value are known."""
        alone = update_graph(self.series, self.adversary, by_class=True).feasible
        return sum(len(alone[version]) - len(values) for version, values in self.possible.items())


class AskFor:
    """Asks for one value of everybody, or for the likeliest."""

    def __init__(self, evidence, value):
        self.evidence, self.value = evidence, value

    def of_versions(self, release):
        return np.full(len(self.evidence.pools(release).person), self.value, dtype=np.int32)

    def of_people(self):
        last = self.evidence.pools(len(self.evidence.tags) - 1)
        return np.full(last.people, self.value, dtype=np.int32)


def by_version(risks, series, answer):
    """Risks by person and release; an entry for all versions of a person alike stands for each of them."""
    found = {}
    for person, release, number, risk in zip(
        risks.person.tolist(), risks.release.tolist(), risks.versions.tolist(), risks.risk.tolist(), strict=True
    ):
        name = series.people.name(person)
        mine = [version for version in answer.versions if version[0] == name and release in {-1, version[1]}]
        assert len(mine) == number
        assert not found.keys() & set(mine)
        found |= dict.fromkeys(mine, risk)
    return found


def same_risks(found, wanted):
    """Equal, where None stands for what is impossible, and 1 exactly where nothing else is possible."""
    assert found.keys() == wanted.keys()
    for version, risk in found.items():
        part = wanted[version]
        assert np.isnan(risk) if part is None else risk == pytest.approx(float(part), abs=CLOSE), version
        assert (risk == 1) == (part == 1), version


def claims(outcome, series, evidence):
    """What is claimed as certain, with names; each finding says what the columns say."""
    columns = outcome.claims
    found = columns.certify(np.arange(len(columns)))
    told = [(one.individual, one.release, one.value) for one in found]
    assert told == list(zip(columns.person.tolist(), columns.release.tolist(), columns.value.tolist(), strict=True))
    assert {one.risk for one in found} <= {1.0}
    named = [(series.people.name(person), release, evidence.values[value]) for person, release, value in told]
    assert len(set(named)) == len(named)
    return set(named)


# -- tests ------------------------------------------------------------------------------------------------


def drawn(data, adversary, kind):
    return Answer(data.draw(crowds(adversary, kind)), adversary)


def assert_measures(outcome, answer):
    wanted = {
        "versions": len(answer.versions),
        "certain": len(answer.certain),
        "eliminated": answer.eliminated,
        "open": 0,
        "timeline": answer.timeline,
    }
    assert {name: outcome.measures[name] for name in wanted} == wanted
    assert (outcome.status, outcome.reason) == ("complete", None)


def test_rows_of_equal_values_are_different_rows():
    rows = [Row(None, "1", value, ("x",)) for value in "aab"]
    tiny = TinySeries([rows], register=[Registered("p", 0, ("x",))], quasi_identifiers=("City",))
    assert worlds(tiny, "register").posterior("p", 0) == {"a": Fraction(2, 3), "b": Fraction(1, 3)}


@kills("audit.model.arrays.exchangeable", "np.flatnonzero(spare)", "np.flatnonzero(spare)[:0]")
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("kind", KINDS)
@EACH
@given(data=st.data())
def test_everything_is_what_enumeration_says(adversary, kind, data):
    answer = drawn(data, adversary, kind)
    with written(answer.series) as folder:
        series, evidence = opened(folder, adversary)
        outcome = JointAttack().run(evidence, Budget())
        assert_measures(outcome, answer)
        assert outcome.measures.get("worlds") == (answer.everything.count if adversary == "linked" else None)
        assert claims(outcome, series, evidence) == answer.certain
        posteriors = answer.posteriors
        for code, value in enumerate(evidence.values):
            risks = outcome.model.risks(AskFor(evidence, code), Budget())
            parts = {version: posterior.get(value) for version, posterior in posteriors.items()}
            same_risks(by_version(risks, series, answer), parts)
        risks = outcome.model.risks(AskFor(evidence, -1), Budget())
        likeliest = {version: max(posterior.values()) for version, posterior in posteriors.items()}
        same_risks(by_version(risks, series, answer), likeliest)


@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(data=st.data())
def test_a_register_too_large_leaves_everything_open(kind, data):
    answer = drawn(data, "register", kind)
    with written(answer.series) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(network_builder, "MOST_COLUMNS", 0)
        _, evidence = opened(folder, "register")
        outcome = JointAttack().run(evidence, Budget(None))
    assert (outcome.status, outcome.claims, outcome.measures["certain"]) == ("incomplete", None, 0)
    assert outcome.measures["versions"] == len(answer.versions)
    assert outcome.measures["open"] >= sum(map(len, answer.possible.values()))


def examples():
    answers = {path.parent.name: json.loads(path.read_text()) for path in sorted(EXAMPLES.glob("*/expected.json"))}
    found = [pytest.param(name, answer["joint"], id=name) for name, answer in answers.items() if "joint" in answer]
    assert found
    return found


@pytest.mark.parametrize(("name", "wanted"), examples())
def test_examples(name, wanted):
    audited = audit_folder(EXAMPLES / name, ["joint"])
    measures = audited.measures("joint")
    assert (measures["certain"], measures["worlds"], measures["open"]) == (wanted["certain"], wanted["worlds"], 0)
    told = [[one["individual"], int(one["release"]), one["value"]] for one in audited.findings("joint")]
    assert sorted(told) == wanted["who"]
    series, evidence = opened(EXAMPLES / name, None)
    outcome = JointAttack().run(evidence, Budget())
    for code, value in enumerate(evidence.values):
        risks = outcome.model.risks(AskFor(evidence, code), Budget())
        for person, release, risk in zip(risks.person.tolist(), risks.release.tolist(), risks.risk, strict=True):
            history = wanted["posterior"][series.people.name(person)]
            for posterior in history.values() if release < 0 else [history[str(release + 1)]]:
                assert np.nan_to_num(risk) == pytest.approx(posterior.get(value, 0), abs=CLOSE)


SOME = settings(max_examples=some(6))


def told(series, adversary, budget):
    """Possible and open values of every version that is not known beforehand, with those that enumeration has."""
    every = worlds(series, adversary)
    with written(series) as folder:
        opened = open_series(folder)
        (evidence,) = build_evidence(opened, adversary)
        decision = attack.decide(evidence, budget).last
        knowing = Answers(decision, evidence)
        for person in series.people(adversary):
            code = opened.people.find(person)
            for release in range(len(series.releases)):
                answers = knowing.possible(code, release), knowing.open(code, release)
                assert all(list(answer) == sorted(set(answer)) for answer in answers)
                left, undecided = ({evidence.values[value] for value in answer} for answer in answers)
                if release not in series.presence(person, adversary):
                    assert (left, undecided) == (set(), set())
                elif person not in known_values(series, release, adversary):
                    yield left, undecided, every.possible(person, release)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("late", [False, True])
@SOME
@given(data=st.data())
def test_what_is_told_is_what_some_world_has(adversary, kind, late, data):
    """Without time, too, what is shown is possible, what is ruled out is not, and a value alone is no question."""
    series = data.draw(crowds(adversary, kind))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "STEPS", 0 if late else settling.STEPS)
        for left, undecided, wanted in told(series, adversary, Budget(0.0 if late else None)):
            assert left - undecided <= wanted <= left
            assert undecided <= left
            assert not undecided or (late and len(left) > 1)


def test_without_time_something_is_open():
    series = read(EXAMPLES / "joint-breaks-2-distinct")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "STEPS", 0)
        answers = list(told(series, "linked", Budget(0.0)))
    assert any(undecided for _, undecided, _ in answers)


@pytest.mark.parametrize("way", ["counted", "walked"])
def test_worlds_give_each_group_what_it_published(way):
    series = drawn_at_random(5, people=60, releases=2, values=6, size=6, distinct=False, table="constant")
    with written(series) as folder, pytest.MonkeyPatch.context() as patch:
        forced(patch, way)
        opened = open_series(folder)
        (evidence,) = build_evidence(opened, "linked")
        decision = attack.decide(evidence, Budget()).last
        versions, kind = decision.network.versions, decision.network.value_class
        changed, columns, since = decision.worlds.changes()
        seen = set()
        for number in range(len(decision.worlds) + 1):
            world = decision.worlds.first.copy()
            world[changed[since <= number]] = columns[since <= number]
            for release, rows in enumerate(series.releases):
                there = versions.release == release
                codes = kind[world[versions.variable[there]]].tolist()
                has = {
                    opened.people.name(who): evidence.values[code]
                    for who, code in zip(versions.person[there].tolist(), codes, strict=True)
                }
                published = Counter((row.group, row.value) for row in rows)
                taken = Counter((row.group, has[row.individual]) for row in rows if row.individual is not None)
                assert taken <= published
                seen |= {(row.individual, has[row.individual]) for row in rows if row.individual is not None}
    assert len(seen) > 60  # some have several values
