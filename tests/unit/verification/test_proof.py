"""Proofs about several people at once, right and wrong ones, checked against series on disk."""

import random
import tempfile
from contextlib import contextmanager
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attacks.joint.attack import JointAttack
from audit.adversary.view import build_evidence
from audit.findings.disclosure import Disclosure
from audit.findings.proof import Proof, RowPoints
from audit.io.series import open_series
from audit.judgement import check_proof
from audit.judgement.check_proof import ProofChecker
from audit.judgement.field_types import BrokenCertificateError
from audit.judgement.published_rows import PublishedReleases
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.tiny import Row, TinySeries
from tests.mutants.mutant import kills
from tests.oracle.worlds import worlds

EXAMPLES = Path(__file__).parents[2] / "examples"
ADVERSARIES = ["linked", "register"]
BOTH = [pytest.param(False, id="constant"), pytest.param(True, id="changing")]
EACH = settings(max_examples=some(200))
WRONG_PROOFS = 30


class Opened:
    """A series that was read, its people's and values' codes, and a checker."""

    def __init__(self, folder, adversary=None):
        [self.evidence] = build_evidence(open_series(folder), adversary)
        evidence = self.evidence
        people = evidence.series.people
        self.number = {people.name(code): code for code in range(people.size)}
        self.codes = {value: code for code, value in enumerate(evidence.values)}
        self.checker = ProofChecker(PublishedReleases(evidence))

    def points(self, costs, *people):
        """`costs` as text: `0 1 flu 2`, the points of the rows of group 1 with flu in the first release."""
        rows = (each.split() for each in costs.split(", "))
        told = tuple(RowPoints(int(j), group, self.codes[value], int(cost)) for j, group, value, cost in rows)
        return Proof(told, tuple(sorted(map(self.number.__getitem__, people))))

    def nothing_left(self, person):
        return Proof((), (self.number[person],))

    def claim(self, person, release, value, proof):
        return Disclosure(self.number[person], release, self.codes[value], 1.0, (), proof)

    def holds(self, finding):
        try:
            self.checker.check(finding)
        except BrokenCertificateError:
            return False
        return True


@contextmanager
def opened(series, adversary="linked"):
    with tempfile.TemporaryDirectory() as folder:
        yield Opened(series.write(Path(folder)), adversary)


# -- proofs by hand -------------------------------------------------------------------------------------


@pytest.fixture
def hospital():
    return Opened(EXAMPLES / "hospital-l-diverse")


@kills("audit.judgement.check_proof.ProofChecker._refuted", "for each in spent) <= total", "for each in spent) < total")
def test_bob_gives_alice_away(hospital):
    both = hospital.points("0 1 dyspepsia 1", "Alice", "Bob")
    assert hospital.holds(hospital.claim("Alice", 0, "bronchitis", both))
    assert not hospital.holds(hospital.claim("Alice", 0, "dyspepsia", both))
    assert not hospital.holds(hospital.claim("Alice", 1, "bronchitis", both))
    assert not hospital.holds(hospital.claim("Andy", 0, "flu", both))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis", hospital.points("0 1 dyspepsia 1", "Bob")))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis", Proof((), ())))


@kills("audit.judgement.check_proof.ProofChecker.check", "sum(each.least for each in spent) > total", "False")
@pytest.mark.parametrize("visits", [0, 20_000])
def test_nothing_is_proved_of_releases_that_contradict_each_other(visits, monkeypatch):
    """B has y, then x, and A has x: there is no world."""
    monkeypatch.setattr(check_proof, "MOST_VISITS", visits)  # of too many it is not looked for rows
    series = TinySeries([[Row("A", "1", "x"), Row("B", "1", "y")], [Row("A", "1", "x"), Row("B", "2", "x")]])
    with opened(series) as files:
        both = files.points("0 1 x 1", "A", "B")
        assert not files.holds(files.claim("A", 0, "x", both))
        assert not files.holds(files.claim("A", 0, "y", both))


@kills("audit.judgement.check_proof.ProofChecker.check", "for person in finding.proof.people)", "for person in ())")
@pytest.mark.parametrize("visits", [0, 20_000])
def test_nothing_follows_from_somebody_whose_own_groups_contradict_each_other(visits, monkeypatch):
    """B has x in a group of x alone, then y: there is no world, whatever A has."""
    monkeypatch.setattr(check_proof, "MOST_VISITS", visits)  # of too many it is not looked for rows
    series = TinySeries([[Row("A", "1", "x"), Row("C", "1", "y"), Row("B", "2", "x")], [Row("B", "1", "y")]])
    with opened(series) as files:
        assert not files.holds(files.claim("A", 0, "x", files.nothing_left("B")))


@kills("audit.judgement.check_proof.ProofChecker._sum", "sorted(set(proof.people))", "sorted(proof.people)")
@kills("audit.judgement.check_proof.ProofChecker._sum", "each.points < 1 or ", "")
def test_nobody_is_counted_twice_and_no_row_is_a_gain():
    """A has flu, flu or cold: to count A often, or to be paid for a row, would seem to prove that it is cold."""
    rows = [Row(name, "1", value) for name, value in zip("ABC", ("flu", "flu", "cold"), strict=True)]
    series = TinySeries([[*rows, Row("D", "2", "gout"), Row("E", "2", "gout")]])
    with opened(series) as files:
        flu = files.points("0 1 flu 1", "A")
        for times in (1, 2, 3):
            assert not files.holds(files.claim("A", 0, "cold", replace(flu, people=flu.people * times)))
        for cost in (0, -1, -2):
            paid = files.points(f"0 1 flu 1, 0 2 gout {cost}", "A")
            assert not files.holds(files.claim("A", 0, "cold", paid))


# -- proofs of the attack -------------------------------------------------------------------------------


def drawn(data, adversary, changing):
    draw = register_series if adversary == "register" else linked_series
    return data.draw(draw(changing=changing, known=data.draw(st.booleans()), max_people=5))


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("changing", BOTH)
@EACH
@given(data=st.data())
def test_what_is_certain_can_be_proved_and_nothing_else(adversary, changing, data):
    series = drawn(data, adversary, changing)
    every = worlds(series, adversary)
    assume(every.weight)
    certain = {version: next(iter(shares)) for version, shares in every.weights.items() if len(shares) == 1}
    assume(certain)
    rng = random.Random(data.draw(st.integers(0, 1000)))  # noqa: S311
    with opened(series, adversary) as files:
        name, value = ({code: name for name, code in codes.items()} for codes in (files.number, files.codes))
        claims = JointAttack().run(files.evidence, Budget()).claims
        certified = [] if claims is None else claims.certify(np.arange(len(claims)))
        findings = [each for each in certified if each.proof and each.proof.points]
        for finding in findings:
            assert files.holds(finding)
        for _ in range(WRONG_PROOFS if findings else 0):
            wrong = changed(rng, rng.choice(findings), files)
            if files.holds(wrong):
                assert certain.get((name[wrong.individual], wrong.release)) == value[wrong.value], wrong


def changed(rng, finding, files):
    """A finding with something else in it; sometimes it still holds."""
    for _ in range(rng.randint(1, 2)):
        what = rng.randrange(4)
        if what == 0:
            finding = replace(finding, value=rng.randrange(len(files.codes)))
        elif what == 1:
            finding = replace(finding, individual=rng.choice(list(files.number.values())), release=rng.randrange(3))
        else:
            finding = replace(finding, proof=changed_points(rng, finding.proof, files))
    return finding


def changed_points(rng, proof, files):
    people, values = list(files.number.values()), list(files.codes.values())
    kind = rng.randrange(5)
    if kind == 0:
        return replace(proof, people=tuple(sorted({*proof.people, rng.choice(people)})))
    if kind == 1:
        return replace(proof, people=proof.people[: rng.randrange(len(proof.people) + 1)])
    if kind == 2:
        more = RowPoints(rng.randrange(3), rng.choice("123"), rng.choice(values), rng.randint(1, 2))
        return replace(proof, points=(*proof.points, more))
    if kind == 3:
        return replace(proof, points=proof.points[:-1])
    return replace(proof, points=tuple(replace(each, points=rng.randint(1, 3)) for each in proof.points))


# -- releases without a world -------------------------------------------------------------------------------


def circle(people):
    """People in a circle of groups of two with a and b: each has what neither neighbour has."""
    rows = [[], [], []]
    for place in range(people):
        release = 2 if place == people - 1 and people % 2 else place % 2
        for who, value in ((place, "a"), ((place + 1) % people, "b")):
            rows[release].append(Row(f"p{who}", f"g{place}", value))
    return TinySeries([release for release in rows if release], anatomy=True)


def round_the_circle(files, people, value):
    """A proof that p0 has a value: with the other one everybody's is determined, and the last has p0's."""
    other = "ab"[value == "a"]
    points = []
    for place in range(people):
        release = 2 if place == people - 1 and people % 2 else place % 2
        points.append(RowPoints(release, f"g{place}", files.codes[other if place % 2 == 0 else value], 1))
    everybody = tuple(sorted(files.number[f"p{place}"] for place in range(people)))
    proof = Proof(tuple(sorted(points, key=astuple)), everybody)
    return files.claim("p0", 0, value, proof)


@kills("audit.judgement.check_proof.contradicts", "return not open_", "return False")
@pytest.mark.parametrize("people", [3, 5, 19, 49])
def test_not_both_values_of_one_person_are_proved(people):
    """In an odd circle there is no world, and each value of everybody is refuted."""
    with opened(circle(people)) as files:
        for value in "ab":
            with pytest.raises(BrokenCertificateError, match="contradict"):
                files.checker.check(round_the_circle(files, people, value))
