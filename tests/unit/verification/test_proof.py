"""Proofs about everybody at once, right and wrong ones, checked against series on disk."""

import random
import tempfile
from contextlib import contextmanager
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from audit.adversary.build_evidence import build_evidence
from audit.findings.disclosure import CertificateStep, Disclosure, Disclosures
from audit.findings.proof import Proof, RefutedCase, RowPoints
from audit.io.series import open_series
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.selection import ReportNames, Selection
from audit.verification import placing
from audit.verification.disclosure import follows
from audit.verification.field_types import BrokenCertificateError
from audit.verification.proof import ProofChecker
from audit.verification.published_rows import PublishedReleases
from tests.helpers.amount import some
from tests.helpers.proving import Prover
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.tiny import Known, Registered, Row, TinySeries
from tests.oracle.worlds import worlds

EXAMPLES = Path(__file__).parents[2] / "examples"
ADVERSARIES = ["linked", "register"]
BOTH = [pytest.param(False, id="constant"), pytest.param(True, id="changing")]
EACH = settings(max_examples=some(40))
WRONG_PROOFS = 30


class Opened:
    """A series that was read, its people's and values' codes, and a checker."""

    def __init__(self, folder, adversary=None):
        [evidence] = build_evidence(open_series(folder), adversary)
        people = evidence.series.people
        self.number = {people.name(code): code for code in range(people.size)}
        self.codes = {value: code for code, value in enumerate(evidence.values)}
        allowed = None if evidence.transitions is None else follows(evidence.transitions.exact)
        self.checker = ProofChecker(PublishedReleases(evidence), allowed)

    def points(self, costs, *people):
        """`costs` as text: `0 1 flu 2`, the points of the rows of group 1 with flu in the first release."""
        rows = (each.split() for each in costs.split(", "))
        told = tuple(RowPoints(int(j), group, self.codes[value], int(cost)) for j, group, value, cost in rows)
        return Proof(told, tuple(sorted(map(self.number.__getitem__, people))))

    def nothing_left(self, person):
        return Proof((), (self.number[person],))

    def case(self, person, release, value, proof):
        return RefutedCase(self.number[person], release, self.codes[value], proof)

    def claim(self, person, release, value, proof):
        return Disclosure(self.number[person], release, self.codes[value], 1.0, (), proof)

    def by_cases(self, person, release, value, *cases):
        return self.claim(person, release, value, Proof((), (), cases))

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


def test_bob_gives_alice_away(hospital):
    both = hospital.points("0 1 dyspepsia 1", "Alice", "Bob")
    assert hospital.holds(hospital.claim("Alice", 0, "bronchitis", both))
    assert not hospital.holds(hospital.claim("Alice", 0, "dyspepsia", both))
    assert not hospital.holds(hospital.claim("Alice", 1, "bronchitis", both))
    assert not hospital.holds(hospital.claim("Andy", 0, "flu", both))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis", hospital.points("0 1 dyspepsia 1", "Bob")))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis", Proof((), ())))


def test_what_a_proof_says_is_told_in_numbers(hospital):
    followed = hospital.checker.check(
        hospital.claim("Alice", 0, "bronchitis", hospital.points("0 1 dyspepsia 1", "Alice", "Bob"))
    )
    [row] = followed.points
    assert (row.points, row.rows, followed.total, followed.nobody, followed.cases) == (1, 1, 1, None, ())
    assert {each.individual: (each.least, each.by_value) for each in followed.spent} == {
        hospital.number[name]: (1, ((hospital.codes["dyspepsia"], 1),)) for name in ("Alice", "Bob")
    }


def test_the_same_by_a_case(hospital):
    """If Alice had dyspepsia, Bob would have none left."""
    two = hospital.points("0 1 dyspepsia 1", "Alice", "Bob")
    case = hospital.case("Alice", 0, "dyspepsia", two)
    assert hospital.holds(hospital.by_cases("Alice", 0, "bronchitis", case))
    assert not hospital.holds(hospital.by_cases("Alice", 0, "bronchitis"))
    assert not hospital.holds(hospital.by_cases("Alice", 0, "bronchitis", replace(case, release=1)))
    assert not hospital.holds(hospital.by_cases("Alice", 0, "bronchitis", replace(case, leads_to=Proof((), ()))))
    assert not hospital.holds(hospital.by_cases("Alice", 0, "dyspepsia", case))
    both = replace(two, cases=(case,))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis", both))
    # A case of somebody else's that is impossible in itself: Bob's second group has no bronchitis.
    further = hospital.case("Bob", 0, "bronchitis", hospital.nothing_left("Bob"))
    inner = Proof((), (), (further, hospital.case("Bob", 0, "dyspepsia", two)))
    assert hospital.holds(hospital.by_cases("Alice", 0, "bronchitis", replace(case, leads_to=inner)))
    inner = Proof((), (), (further,))
    assert not hospital.holds(hospital.by_cases("Alice", 0, "bronchitis", replace(case, leads_to=inner)))


PAIRS = TinySeries(
    [
        [Row("A", "1", "flu"), Row("B", "1", "flu"), Row("C", "1", "cold"), Row("~c1", "1", "gout")],
        [Row("A", "1", "flu"), Row("B", "2", "flu"), Row("D", "1", "mumps"), Row("E", "2", "mumps")],
        [Row("~c1", "1", "gout"), Row("F", "1", "mumps")],
    ]
)


def test_rows_count_as_often_as_they_are_published():
    with opened(PAIRS) as files:
        three = "0 1 flu 1, 0 1 gout 1"
        everybody = ("A", "B", "C", "~c1")
        proof = files.points(three, *everybody)
        claim = files.claim("C", 0, "cold", proof)
        assert files.holds(claim)
        assert files.holds(files.claim("C", 0, "cold", files.points("0 1 flu 3, 0 1 gout 3", *everybody)))
        assert not files.holds(files.claim("C", 0, "cold", files.points("0 1 flu 1", *everybody)))
        assert not files.holds(files.claim("C", 0, "cold", files.points(three, "A", "B", "C")))
        for wrong in (
            replace(proof, people=(*proof.people, proof.people[-1])),
            replace(proof, people=proof.people[::-1]),
            replace(proof, people=()),
            replace(proof, people=(*proof.people, 99)),
            replace(proof, points=(*proof.points, proof.points[0])),
            replace(proof, points=(replace(proof.points[0], points=0), proof.points[1])),
            replace(proof, points=(replace(proof.points[0], points=-1), proof.points[1])),
            replace(proof, points=(replace(proof.points[0], release=3), proof.points[1])),
            replace(proof, points=(replace(proof.points[0], release=-1), proof.points[1])),
            replace(proof, points=(replace(proof.points[0], group="9"), proof.points[1])),
            replace(proof, points=(replace(proof.points[0], value=files.codes["mumps"]), proof.points[1])),
            replace(proof, points=(replace(proof.points[0], value=99), proof.points[1])),
            None,
        ):
            assert not files.holds(replace(claim, proof=wrong))
        assert not files.holds(replace(claim, release=1))
        assert not files.holds(replace(claim, individual=99))


def test_cases_leave_nothing_out():
    with opened(PAIRS) as files:
        flu = files.case("C", 0, "flu", files.points("0 1 flu 1", "A", "B", "C"))
        gout = files.case("C", 0, "gout", files.points("0 1 gout 1", "C", "~c1"))
        assert files.holds(files.by_cases("C", 0, "cold", flu, gout))
        assert not files.holds(files.by_cases("C", 0, "cold", flu))
        assert not files.holds(files.by_cases("C", 0, "cold", flu, replace(gout, value=flu.value)))
        assert not files.holds(files.by_cases("C", 0, "cold", flu, replace(gout, individual=files.number["D"])))
        again = replace(gout, leads_to=Proof((), (), (gout,)))
        assert not files.holds(files.by_cases("C", 0, "cold", flu, again))
        # A case about somebody else, who may have two values there.
        half = replace(gout, leads_to=Proof((), (), (files.case("D", 1, "flu", gout.leads_to),)))
        assert not files.holds(files.by_cases("C", 0, "cold", flu, half))
        whole = Proof((), (), tuple(files.case("D", 1, value, gout.leads_to) for value in ("flu", "mumps")))
        assert files.holds(files.by_cases("C", 0, "cold", flu, replace(gout, leads_to=whole)))


def test_what_somebody_else_cannot_have_says_nothing_of_the_claim():
    with opened(PAIRS) as files:
        others = [files.case("A", 0, value, files.nothing_left("A")) for value in ("cold", "gout")]
        assert not files.holds(files.by_cases("C", 0, "flu", *others))
        assert files.holds(files.by_cases("A", 0, "flu", *others))


@pytest.mark.parametrize("visits", [0, 20_000])
def test_nothing_is_proved_of_releases_that_contradict_each_other(visits, monkeypatch):
    """B has y, then x, and A has x: there is no world."""
    monkeypatch.setattr(placing, "MOST_VISITS", visits)  # of too many it is not looked for rows
    series = TinySeries([[Row("A", "1", "x"), Row("B", "1", "y")], [Row("A", "1", "x"), Row("B", "2", "x")]])
    with opened(series) as files:
        both = files.points("0 1 x 1", "A", "B")
        assert not files.holds(files.claim("A", 0, "x", both))
        assert not files.holds(files.claim("A", 0, "y", both))


@pytest.mark.parametrize("visits", [0, 20_000])
def test_nothing_follows_from_somebody_whose_own_groups_contradict_each_other(visits, monkeypatch):
    """B has x in a group of x alone, then y: there is no world, whatever A has."""
    monkeypatch.setattr(placing, "MOST_VISITS", visits)  # of too many it is not looked for rows
    series = TinySeries([[Row("A", "1", "x"), Row("C", "1", "y"), Row("B", "2", "x")], [Row("B", "1", "y")]])
    with opened(series) as files:
        assert not files.holds(files.claim("A", 0, "x", files.nothing_left("B")))
        case = files.case("A", 0, "y", files.nothing_left("B"))
        assert not files.holds(files.by_cases("A", 0, "x", case))


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


def test_known_people_hold_their_rows():
    series = TinySeries([[Row("A", "1", "x"), Row("B", "1", "y")]])
    with opened(replace(series, known=[Known("A", "x")])) as files:
        assert files.holds(files.claim("B", 0, "y", files.points("0 1 x 1", "A", "B")))
    with opened(series) as files:
        assert not files.holds(files.claim("B", 0, "y", files.points("0 1 x 1", "A", "B")))


def test_a_register_leaves_rows_to_strangers():
    """Three people in two groups of four rows: who is covered by one group alone, and what others may have."""
    young, old, all_ages = "[20, 29]", "[30, 39]", "[20, 39]"
    rows = [
        Row(None, "1", "flu", (young,)),
        Row(None, "1", "flu", (young,)),
        Row(None, "2", "flu", (all_ages,)),
        Row(None, "2", "cold", (all_ages,)),
        Row(None, "3", "gout", (old,)),
    ]
    people = [("A", "25"), ("B", "26"), ("C", "27"), ("D", "28")]
    register = [Registered(name, 0, (age,)) for name, age in people]
    series = TinySeries([rows], register=register, quasi_identifiers=("Age",), keyed=False)
    proof = ("0 1 flu 1, 0 2 flu 1", "A", "B", "C", "D")
    with opened(series, "register") as files:
        assert not files.holds(files.claim("D", 0, "cold", files.points(*proof)))
    knowing = replace(series, known=[Known(name, "flu") for name in "ABC"])
    with opened(knowing, "register") as files:
        assert files.holds(files.claim("D", 0, "cold", files.points(*proof)))
        assert not files.holds(files.claim("D", 0, "cold", files.points("0 1 flu 1", "A", "B", "D")))
        assert not files.holds(files.claim("D", 0, "cold", files.points(*proof[:-2], "D")))


# -- proofs found by brute force ------------------------------------------------------------------------


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
        prover = Prover(series, adversary, files.number, files.codes)
        name, value = ({code: name for name, code in codes.items()} for codes in (files.number, files.codes))
        findings = [prover.claim(*version, known) for version, known in certain.items()]
        for finding in findings:
            assert files.holds(finding)
        for _ in range(WRONG_PROOFS):
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
            finding = replace(finding, proof=changed_proof(rng, finding.proof, files))
    return finding


def changed_proof(rng, proof, files):
    cases = list(proof.cases)
    if not cases:
        return changed_points(rng, proof, files)
    place = rng.randrange(len(cases))
    if rng.random() < 0.3:
        del cases[place]
    elif rng.random() < 0.3:
        cases[place] = replace(cases[place], value=rng.randrange(len(files.codes)))
    else:
        cases[place] = replace(cases[place], leads_to=changed_proof(rng, cases[place].leads_to, files))
    return replace(proof, cases=tuple(cases))


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


# -- beside the steps of one person ---------------------------------------------------------------------


def test_steps_before_a_proof_are_checked_too(tmp_path):
    """A finding may show the person's own groups first; what these publish is held against the files."""
    [evidence] = build_evidence(open_series(PAIRS.write(tmp_path)))
    evidence.pools(2)
    number = evidence.series.people.find
    codes = {value: code for code, value in enumerate(evidence.values)}
    points = tuple(RowPoints(0, "1", codes[value], 1) for value in ("flu", "gout"))
    proof = Proof(points, tuple(sorted(map(number, ("A", "B", "C", "~c1")))))
    there = tuple(codes[value] for value in ("flu", "cold", "gout"))

    def holds(*steps):
        finding = Disclosure(number("C"), 0, codes["cold"], 1.0, steps, proof)
        columns = (np.array([code], dtype=np.int32) for code in (number("C"), 0, codes["cold"]))
        claims = Disclosures(*columns, lambda _: [finding])
        names = ReportNames(evidence, Pseudonymizer(evidence.series, reveal=True))
        selection = Selection("joint", claims, names)
        try:
            selection.select(None, np.zeros(0, dtype=np.intp))
        except BrokenCertificateError:
            return False
        assert set(selection.mentioned()) == {("person", "A"), ("person", "B"), ("person", "C"), ("counterfeit", "~c1")}
        return True

    assert holds()
    assert holds(CertificateStep(0, ("1",), there))
    assert not holds(CertificateStep(0, ("1",), there[:2]))
    assert not holds(CertificateStep(0, ("2",), there))
    assert not holds(CertificateStep(1, ("1",), there))


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


@pytest.mark.parametrize("people", [3, 5, 19, 49])
def test_not_both_values_of_one_person_are_proved(people):
    """In an odd circle there is no world, and each value of everybody is refuted."""
    with opened(circle(people)) as files:
        for value in "ab":
            with pytest.raises(BrokenCertificateError, match="contradict"):
                files.checker.check(round_the_circle(files, people, value))


def test_one_who_is_known_makes_a_world_of_a_circle_that_is_cut():
    """The same rows less the last group: p0 known to have a, the next one has b, and so on."""
    cut = replace(circle(5), known=[Known("p0", "a")])
    cut = replace(cut, releases=[[row for row in release if row.group != "g4"] for release in cut.releases[:2]])
    with opened(cut) as files:
        assert files.holds(files.claim("p1", 0, "b", files.points("0 g0 a 1", "p0", "p1")))
        assert not files.holds(files.claim("p1", 0, "a", files.points("0 g0 b 1", "p0", "p1")))
