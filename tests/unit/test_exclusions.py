"""Proofs about everybody at once, right and wrong ones, checked against series on disk."""

import os
import random
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from audit.core.outcome import Case, Disclosure, Disclosures, Exclusion, Proof, Step
from audit.linking.gathering import gather
from audit.reading.series import open_series
from audit.verdict.certificates import BrokenCertificateError, follows
from audit.verdict.exclusions import ProofChecker
from audit.verdict.findings import DisclosureShelf
from audit.verdict.naming import Namer
from audit.verdict.published import Published
from tests.helpers.proving import Prover
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.tiny import Known, Registered, Row, TinySeries, read
from tests.oracle.worlds import worlds

EXAMPLES = Path(__file__).parent.parent / "examples"
ADVERSARIES = ["linked", "register"]
BOTH = [pytest.param(False, id="constant"), pytest.param(True, id="changing")]
EACH = settings(max_examples=int(os.environ.get("AUDIT_TEST_PROOFS", "40")))
WRONG_PROOFS = 30


class Opened:
    """A series that was read, its people's and values' codes, and a checker."""

    def __init__(self, folder, adversary=None):
        [evidence] = gather(open_series(folder), adversary)
        for release in range(len(evidence.tags)):
            evidence.source.release(release)
        people = evidence.source.series.people
        self.number = {people.name(code): code for code in range(people.size)}
        self.codes = {value: code for code, value in enumerate(evidence.values)}
        allowed = None if evidence.transitions is None else follows(evidence.transitions.exact)
        self.checker = ProofChecker(Published(evidence.source), allowed)

    def exclusion(self, release, rows, *holders):
        """`rows` as text: `1 flu, 2 cold`."""
        pairs = [row.split() for row in rows.split(", ")]
        told = tuple((group, self.codes[value]) for group, value in pairs)
        return Exclusion(release, told, tuple(sorted(map(self.number.__getitem__, holders))))

    def case(self, person, release, value, *exclusions, cases=()):
        return Case(self.number[person], release, self.codes[value], Proof(exclusions, tuple(cases)))

    def claim(self, person, release, value, *exclusions, cases=()):
        proof = Proof(exclusions, tuple(cases))
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


@pytest.fixture
def broken():
    return Opened(EXAMPLES / "joint-breaks-2-distinct")


def test_bob_gives_alice_away(hospital):
    bob = hospital.exclusion(0, "1 dyspepsia", "Bob")
    assert hospital.holds(hospital.claim("Alice", 0, "bronchitis", bob))
    assert not hospital.holds(hospital.claim("Alice", 0, "dyspepsia", bob))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis"))
    assert not hospital.holds(hospital.claim("Alice", 1, "bronchitis", bob))
    assert not hospital.holds(hospital.claim("Andy", 0, "flu", bob))


def test_a_holder_may_have_no_other_row(hospital):
    """Gary may have flu as well: that his groupmate has none follows from nothing."""
    assert not hospital.holds(hospital.claim("Helen", 0, "flu", hospital.exclusion(0, "3 gastritis", "Gary")))


def test_the_same_by_a_case(hospital):
    """If Alice had dyspepsia, Bob would have bronchitis, which his other group has not."""
    two = hospital.exclusion(0, "1 dyspepsia", "Alice", "Bob")
    case = hospital.case("Alice", 0, "dyspepsia", two)
    assert hospital.holds(hospital.claim("Alice", 0, "bronchitis", cases=[case]))
    # What is impossible is so whatever is said after it, and none of that is told.
    more = replace(case, proof=Proof((two, hospital.exclusion(0, "9 flu", "Ken"))))
    [told] = hospital.checker.check(hospital.claim("Alice", 0, "bronchitis", cases=[more])).cases
    assert [step.exclusion for step in told.followed.exclusions] == [two]
    alone = hospital.exclusion(0, "1 dyspepsia", "Alice")
    bob = hospital.case("Bob", 0, "dyspepsia")
    ends = Proof((alone,), (bob,))  # Bob has nothing left once he is looked at.
    assert hospital.holds(hospital.claim("Alice", 0, "bronchitis", cases=[replace(case, proof=ends)]))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis", cases=[replace(case, proof=Proof((alone,)))]))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis", cases=[replace(case, proof=Proof(()))]))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis", cases=[replace(case, release=1)]))
    assert not hospital.holds(hospital.claim("Alice", 0, "bronchitis", two))


def test_all_certain_versions_of_the_examples():
    for name, certain in (("hospital-l-diverse", 6), ("joint-breaks-2-distinct", 8), ("ward-l-diverse", 10)):
        series, files = read(EXAMPLES / name), Opened(EXAMPLES / name)
        prover, found = Prover(series, "linked", files.number, files.codes), 0
        for (person, release), shares in worlds(series).weights.items():
            if len(shares) == 1:
                [value] = shares
                assert files.holds(prover.claim(person, release, value))
                found += 1
        assert found == certain


def test_a_chain_with_changing_values(broken):
    """p0 of the 2-Distinct series: had it c in release 3, it would have had b, c or d there before, and p2 not."""
    series = read(EXAMPLES / "joint-breaks-2-distinct")
    finding = Prover(series, "linked", broken.number, broken.codes).claim("p0", 2, "b")
    assert broken.holds(finding)
    followed = broken.checker.check(finding)
    assert followed.cases or followed.exclusions
    for value in "acd":
        assert not broken.holds(replace(finding, value=broken.codes[value]))


PAIRS = TinySeries(
    [
        [Row("A", "1", "flu"), Row("B", "1", "flu"), Row("C", "1", "cold"), Row("~c1", "1", "gout")],
        [Row("A", "1", "flu"), Row("B", "2", "flu"), Row("D", "1", "mumps"), Row("E", "2", "mumps")],
        [Row("~c1", "1", "gout"), Row("F", "1", "mumps")],
    ]
)


def test_rows_count_as_often_as_they_are_published():
    with opened(PAIRS) as files:
        flu = files.exclusion(0, "1 flu", "A", "B")
        gout = files.exclusion(0, "1 gout", "~c1")
        claim = files.claim("C", 0, "cold", flu, gout)
        assert files.holds(claim)
        assert files.holds(files.claim("C", 0, "cold", gout, flu))
        assert not files.holds(files.claim("C", 0, "cold", flu))
        assert not files.holds(files.claim("C", 0, "cold", files.exclusion(0, "1 flu", "A"), gout))
        twice = replace(flu, holders=(flu.holders[0], flu.holders[0]))
        assert not files.holds(files.claim("C", 0, "cold", twice, gout))
        assert not files.holds(files.claim("C", 0, "cold", replace(gout, holders=gout.holders * 2)))
        assert not files.holds(files.claim("C", 0, "cold", replace(gout, rows=gout.rows * 2), flu))
        assert not files.holds(files.claim("C", 0, "cold", replace(flu, holders=flu.holders[::-1]), gout))
        # A row that stands twice is no second row.
        case = files.case("C", 0, "gout", files.exclusion(0, "1 gout", "C", "~c1"))
        assert files.holds(files.claim("C", 0, "cold", flu, cases=[case]))
        told_twice = files.case("C", 0, "gout", files.exclusion(0, "1 gout, 1 gout", "C", "~c1"), gout)
        assert not files.holds(files.claim("C", 0, "cold", flu, cases=[told_twice]))
        for wrong in (
            replace(flu, release=3),
            replace(flu, release=-1),
            replace(flu, holders=()),
            replace(flu, rows=(("9", flu.rows[0][1]),)),
            replace(flu, rows=(("1", files.codes["mumps"]),)),
            replace(flu, rows=(("1", 99),)),
            replace(flu, holders=(99,)),
            replace(gout, rows=()),
        ):
            assert not files.holds(files.claim("C", 0, "cold", wrong, flu, gout))
        assert not files.holds(replace(claim, proof=None))
        assert not files.holds(replace(claim, release=1))
        assert not files.holds(replace(claim, person=99))


def test_cases_leave_nothing_out():
    with opened(PAIRS) as files:
        rows = {"flu": files.exclusion(0, "1 flu", "A", "B"), "gout": files.exclusion(0, "1 gout", "~c1")}
        flu, gout = (files.case("C", 0, value, rows[value]) for value in ("flu", "gout"))
        assert files.holds(files.claim("C", 0, "cold", cases=[flu, gout]))
        assert not files.holds(files.claim("C", 0, "cold", cases=[flu]))
        assert not files.holds(files.claim("C", 0, "cold", cases=[flu, replace(gout, value=flu.value)]))
        assert not files.holds(files.claim("C", 0, "cold", cases=[flu, replace(gout, person=files.number["D"])]))
        both = files.case("C", 0, "gout", cases=[files.case("C", 0, "gout", rows["gout"])])
        assert files.holds(files.claim("C", 0, "cold", cases=[flu, both]))
        # A case about somebody else, who may have two values there.
        half = files.case("C", 0, "gout", cases=[files.case("D", 1, "flu", rows["gout"])])
        assert not files.holds(files.claim("C", 0, "cold", cases=[flu, half]))
        whole = files.case("C", 0, "gout", cases=[files.case("D", 1, v, rows["gout"]) for v in ("flu", "mumps")])
        assert files.holds(files.claim("C", 0, "cold", cases=[flu, whole]))


def test_what_somebody_else_cannot_have_says_nothing_of_the_claim():
    with opened(PAIRS) as files:
        others = [files.case("A", 0, value) for value in ("cold", "gout")]
        assert not files.holds(files.claim("C", 0, "flu", cases=others))
        assert files.holds(files.claim("A", 0, "flu", cases=others))


def test_cases_are_about_one_person():
    with opened(PAIRS) as files:
        flu = files.case("C", 0, "flu", files.exclusion(0, "1 flu", "A", "B"))
        for other, value in (("A", "gout"), ("B", "gout"), ("~c1", "cold")):
            ruled_out = replace(files.case(other, 0, value), value=files.codes["gout"])
            assert not files.holds(files.claim("C", 0, "cold", cases=[flu, ruled_out]))


def test_nothing_is_proved_of_releases_that_contradict_each_other():
    """B has y, then x, and A has x: there is no world."""
    series = TinySeries([[Row("A", "1", "x"), Row("B", "1", "y")], [Row("A", "1", "x"), Row("B", "2", "x")]])
    with opened(series) as files:
        both = files.exclusion(0, "1 x", "A", "B")
        assert not files.holds(files.claim("A", 0, "x", both))
        assert not files.holds(files.claim("A", 0, "x", files.exclusion(0, "1 x", "A"), both))


def test_what_is_assumed_in_one_case_holds_there_alone():
    with opened(PAIRS) as files:
        gout, flu = files.exclusion(0, "1 gout", "~c1"), files.exclusion(0, "1 flu", "A", "B")
        cold = files.case("C", 0, "cold", flu, gout)
        assert not files.holds(files.claim("C", 0, "flu", cases=[cold, files.case("C", 0, "gout", gout)]))
        assert not files.holds(files.claim("C", 0, "flu", flu, gout))


def test_known_people_hold_their_rows():
    series = replace(PAIRS, known=[Known("C", "cold"), Known("F", "mumps")])
    with opened(series) as files:
        mumps = files.exclusion(2, "1 mumps", "F")
        assert files.holds(files.claim("~c1", 2, "gout", mumps))
    with opened(PAIRS) as files:
        assert not files.holds(files.claim("~c1", 2, "gout", files.exclusion(2, "1 mumps", "F")))


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
    with opened(series, "register") as files:
        both = "1 flu, 2 flu"
        assert not files.holds(files.claim("D", 0, "cold", files.exclusion(0, both, "A", "B", "C")))
    knowing = replace(series, known=[Known(name, "flu") for name in "ABC"])
    with opened(knowing, "register") as files:
        assert files.holds(files.claim("D", 0, "cold", files.exclusion(0, both, "A", "B", "C")))
        assert not files.holds(files.claim("D", 0, "cold", files.exclusion(0, "1 flu", "A", "B")))
        assert not files.holds(files.claim("D", 0, "cold", files.exclusion(0, both, "A", "B")))


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
                assert certain.get((name[wrong.person], wrong.release)) == value[wrong.value], wrong


def changed(rng, finding, files):
    """A finding with something else in it; sometimes it still holds."""
    for _ in range(rng.randint(1, 2)):
        what = rng.randrange(4)
        if what == 0:
            finding = replace(finding, value=rng.randrange(len(files.codes)))
        elif what == 1:
            finding = replace(finding, person=rng.choice(list(files.number.values())), release=rng.randrange(3))
        else:
            finding = replace(finding, proof=changed_proof(rng, finding.proof, files))
    return finding


def changed_proof(rng, proof, files):
    exclusions, cases = list(proof.exclusions), list(proof.cases)
    if cases and rng.random() < 0.5:
        place = rng.randrange(len(cases))
        if rng.random() < 0.3:
            del cases[place]
        elif rng.random() < 0.3:
            cases[place] = replace(cases[place], value=rng.randrange(len(files.codes)))
        else:
            cases[place] = replace(cases[place], proof=changed_proof(rng, cases[place].proof, files))
    elif exclusions:
        place = rng.randrange(len(exclusions))
        if rng.random() < 0.3:
            del exclusions[place]
        else:
            exclusions[place] = changed_exclusion(rng, exclusions[place], files)
    return Proof(tuple(exclusions), tuple(cases))


def changed_exclusion(rng, step, files):
    people, values = list(files.number.values()), list(files.codes.values())
    kind = rng.randrange(5)
    if kind == 0:
        return replace(step, holders=tuple(sorted({*step.holders, rng.choice(people)})))
    if kind == 1:
        return replace(step, holders=step.holders[: rng.randrange(len(step.holders) + 1)])
    if kind == 2:
        return replace(step, rows=(*step.rows, (rng.choice("123"), rng.choice(values))))
    if kind == 3:
        return replace(step, rows=step.rows[:-1])
    return replace(step, release=rng.randrange(3))


# -- beside the steps of one person ---------------------------------------------------------------------


def test_steps_before_a_proof_are_checked_too(tmp_path):
    """A finding may show the person's own groups first; what these publish is held against the files."""
    [evidence] = gather(open_series(PAIRS.write(tmp_path)))
    evidence.pools(2)
    number = evidence.source.series.people.find
    codes = {value: code for code, value in enumerate(evidence.values)}
    flu = Exclusion(0, (("1", codes["flu"]),), tuple(sorted((number("A"), number("B")))))
    gout = Exclusion(0, (("1", codes["gout"]),), (number("~c1"),))
    there = tuple(codes[value] for value in ("flu", "cold", "gout"))

    def holds(*steps):
        finding = Disclosure(number("C"), 0, codes["cold"], 1.0, steps, Proof((flu, gout)))
        columns = (np.array([code], dtype=np.int32) for code in (number("C"), 0, codes["cold"]))
        claims = Disclosures(*columns, lambda _: [finding])
        shelf = DisclosureShelf("joint", evidence, claims, Namer(evidence.source.series, reveal=True))
        try:
            shelf.take(None, np.zeros(0, dtype=np.intp))
        except BrokenCertificateError:
            return False
        assert set(shelf.mentioned()) == {("person", "A"), ("person", "B"), ("person", "C"), ("counterfeit", "~c1")}
        return True

    assert holds()
    assert holds(Step(0, ("1",), there))
    assert not holds(Step(0, ("1",), there[:2]))
    assert not holds(Step(0, ("2",), there))
    assert not holds(Step(1, ("1",), there))
