"""Findings as the program makes them, one field spoiled at a time: no checker takes one, unless it is true."""

from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from attacks.differencing.attack import Differencing
from attacks.equivalence.attack import EquivalenceAttack
from attacks.homogeneity import HomogeneityAttack
from attacks.inference_table import InferenceTableAttack
from attacks.intersection import IntersectionAttack
from attacks.joint.attack import JointAttack
from attacks.update_graph import UpdateGraphAttack
from audit.adversary.view import build_evidence
from audit.count_tables.build_evidence import build_evidence as table_evidence
from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.read_counts import read_counts
from audit.findings.close_numbers import CloseNumbers, SimilarValues
from audit.findings.disclosure import CertificateStep, Disclosure
from audit.findings.rows import HomogeneousClass
from audit.io.series import open_series
from audit.judgement.check_close_numbers import NumberChecker
from audit.judgement.check_count_bounds import is_proved
from audit.judgement.check_disclosure import DisclosureChecker
from audit.judgement.check_equivalence import CombinationChecker
from audit.judgement.check_linkage import LinkageChecker
from audit.judgement.check_record import Recounter, check_counts
from audit.judgement.field_types import BrokenCertificateError, misfit
from audit.model.count_tables import Axis, CaseSplit, CountBound, CountTables, WeightedNumber, WeightedSum
from audit.runtime.budget import Budget
from tests.helpers.spoiling import spoils
from tests.helpers.tiny import Known, Row, TinySeries, read
from tests.mutants.mutant import kills
from tests.oracle import test_linked_classes as linked_records
from tests.oracle.correspondence import truth
from tests.oracle.worlds import worlds
from tests.unit.verification.test_linkage import claims_of

EXAMPLES = Path(__file__).parents[2] / "examples"
TABLES = sorted((Path(__file__).parents[2] / "count_table_examples").iterdir())
MOST = 6
"""Findings of a kind that are spoiled in one series."""


def assert_refused(finding, check, texts=(), excused=lambda path, how, spoiled: False):
    """The finding holds; spoiled it does not, and is refused as what it is."""
    check(finding)
    for path, how, typed, spoiled in spoils(finding, texts):
        if path == "":
            continue
        try:
            check(spoiled)
        except BrokenCertificateError:
            continue
        except Exception as error:
            raise AssertionError(f"{path} ({how}): {spoiled}") from error
        assert typed, (path, how, spoiled)
        assert excused(path, how, spoiled), (path, how, spoiled)


# -- values of people -----------------------------------------------------------------------------------------


@contextmanager
def disclosed(folder, attack, adversary=None):
    """The disclosures of an attack, what checks them, the names of groups, and whether a claim is true."""
    series = read(folder)
    [evidence] = build_evidence(open_series(folder), adversary)
    claims = attack.run(evidence, Budget()).claims
    findings = [each for each in claims.certify(np.arange(min(MOST, len(claims)))) if each is not None]
    checker = DisclosureChecker(evidence)
    every = worlds(series, evidence.kind)
    names = evidence.series.people

    def is_true(finding):
        version = (names.name(finding.individual), finding.release)
        return set(every.weights.get(version, ())) == {evidence.values[finding.value]}

    groups = sorted({row.group for release in series.releases for row in release})
    yield findings, checker.checked, groups, is_true


def may_be_so(is_true):
    """What excuses a spoiled disclosure: its claim is true all the same, and it says nothing wrong on the way."""

    def excused(path, how, spoiled):
        field = path.split(".")[-1].split("[")[0]
        if field == "alone":
            return len(spoiled.certificate) == 1  # the only step is the release
        if field in {"risk", "evidence"}:
            return False
        if path.startswith(".certificate") and field in {"groups", "candidates"}:
            return how == "in another order"
        return is_true(spoiled)

    return excused


OWN = [
    ("hospital-l-diverse", IntersectionAttack(), None),
    ("hospital-l-diverse", UpdateGraphAttack(), None),
    ("hospital-l-diverse-outsider", IntersectionAttack(), "register"),
    ("ward-l-diverse", UpdateGraphAttack(), None),
]
TOGETHER = ["hospital-l-diverse", "joint-breaks-2-distinct", "ward-l-diverse"]


@kills("audit.judgement.check_disclosure.Checker.check", "left != {finding.value}", "finding.value not in left")
@kills(
    "audit.judgement.check_disclosure.Checker.check_steps",
    "sorted(step.candidates) != sorted(self._candidates(finding.individual, step))",
    "not set(step.candidates) <= self._candidates(finding.individual, step)",
)
@pytest.mark.parametrize(("name", "attack", "adversary"), OWN, ids=[f"{n}-{a.name}" for n, a, _ in OWN])
def test_disclosures_by_own_groups(name, attack, adversary):
    with disclosed(EXAMPLES / name, attack, adversary) as (findings, check, groups, is_true):
        assert findings
        for finding in findings:
            assert_refused(finding, check, groups, may_be_so(is_true))


@pytest.mark.parametrize("name", TOGETHER)
def test_disclosures_by_everybody_s(name):
    with disclosed(EXAMPLES / name, JointAttack()) as (findings, check, groups, is_true):
        assert any(finding.proof is not None and finding.proof.points for finding in findings)
        for finding in findings:
            assert_refused(finding, check, groups, may_be_so(is_true))


CHANGING = TinySeries(
    [[Row("P", "1", one), Row("Q", "1", other)] for one, other in ("aa", "bb", "bc")],
    {("a", "b"): None, ("b", "b"): None, ("b", "c"): None, ("c", "c"): None},
)


@kills("audit.judgement.check_disclosure.Checker.check_steps", "self._after is not None and at !=", "False and at !=")
def test_steps_leave_out_no_release_in_which_a_value_may_change(tmp_path):
    """From a to b alone in one change, to c in two: without the second release b would seem to be certain in the third.

    Nor does a release stand twice, as if a value could change within it.
    """
    [evidence] = build_evidence(open_series(CHANGING.write(tmp_path)))
    evidence.pools(2)
    checker = DisclosureChecker(evidence)
    person, (a, b, c) = evidence.series.people.find("P"), map(evidence.values.index, "abc")
    steps = [CertificateStep(release, ("1",), values) for release, values in enumerate(((a,), (b,), (b, c)))]

    def holds(value, release, *steps):
        try:
            checker.checked(Disclosure(person, release, value, 1.0, steps))
        except BrokenCertificateError:
            return False
        return True

    assert holds(b, 1, *steps)
    assert not holds(b, 2, *steps)
    assert not holds(b, 2, steps[0], steps[2])
    assert not holds(b, 2, steps[2], steps[2])
    assert not holds(c, 2, steps[1], steps[2], steps[2])


@kills("audit.judgement.check_disclosure.Checker._left", "rows[value] -= 1", "pass")
def test_known_values_take_rows(tmp_path):
    """Of two who are in a group of x and y one is known to have x: y is left to the other."""
    series = TinySeries([[Row("P", "1", "x"), Row("Q", "1", "y")]], known=[Known("P", "x")])
    [evidence] = build_evidence(open_series(series.write(tmp_path)))
    evidence.pools(0)
    checker = DisclosureChecker(evidence)
    person, (x, y) = evidence.series.people.find("Q"), map(evidence.values.index, "xy")
    finding = Disclosure(person, 0, y, 1.0, (CertificateStep(0, ("1",), (y,)),))
    assert_refused(finding, checker.checked, ["1"], may_be_so(lambda _: False))
    with pytest.raises(BrokenCertificateError):
        checker.checked(replace(finding, certificate=(CertificateStep(0, ("1",), (x, y)),)))


@kills("audit.judgement.field_types._test", " and isfinite(value)", "")
@pytest.mark.parametrize("risk", [nan, inf, -inf])
def test_probabilities_are_finite(risk):
    group = HomogeneousClass(0, "1", 0, 0, 1.0, 3, 3)
    assert misfit(group) is None
    assert misfit(replace(group, risk=risk)) == "the field risk of HomogeneousClass is of another type"


# -- equivalences, classes and records ------------------------------------------------------------------------


@kills("audit.judgement.check_equivalence._claimed", "finding.e != sum(finding.right.values())", "False")
@pytest.mark.parametrize("name", ["fractional-weights", "clinic-merged", "clinic-2-equivalence", "hospital-l-diverse"])
def test_equivalences(name):
    [evidence] = build_evidence(open_series(EXAMPLES / name))
    claims = EquivalenceAttack(max_e=3).run(evidence, Budget()).claims
    findings = [each for each in claims.certify(np.arange(min(MOST, len(claims)))) if each.evidence == "proof"]
    assert findings
    groups = sorted({row.group for release in read(EXAMPLES / name).releases for row in release})
    for finding in findings:
        assert_refused(finding, CombinationChecker(evidence).check, groups, another_way_to_add_up)


def another_way_to_add_up(path, how, spoiled):
    """Sides have no order, and the same bucket may be published in another release too."""
    return how == "in another order" or path.startswith(".certificate")


LOOKING_ALIKE = TinySeries(
    [
        [Row(None, "1", value, (age,)) for value, age in zip("aab" + "bbb", "222333", strict=True)],
        [Row(None, "1", value, ("2",)) for value in "aab"] + [Row(None, "2", "c", ("3",))],
    ],
    quasi_identifiers=("Age",),
    keyed=False,
)


@kills("audit.judgement.check_record.check_counts", " or finding.risk != some / rows", "")
def test_classes_of_rows(tmp_path):
    [evidence] = build_evidence(open_series(LOOKING_ALIKE.write(tmp_path)), "published")
    claims = HomogeneityAttack(max_risk=0.6).run(evidence, Budget()).claims
    findings = claims.certify(np.arange(len(claims)))
    assert [(each.group, each.number, each.with_value, each.rows) for each in findings] == [
        ("1", 0, 2, 3),
        ("1", 1, 3, 3),
        ("1", 0, 2, 3),
        ("2", 0, 1, 1),
    ]
    for finding in findings:
        assert_refused(finding, lambda one: check_counts([one], evidence), ["1", "2"], is_same_class)
    check_counts(findings, evidence)


def is_same_class(path, how, spoiled):
    """The first class of group 1 is the same in both releases."""
    return path == ".release" and (spoiled.group, spoiled.number) == ("1", 0)


@pytest.mark.parametrize("changing", [False, True])
def test_classes_of_linked_records(tmp_path, changing):
    folder = linked_records.written(tmp_path, linked_records.crossed(linked_records.VALUES), changing=changing)
    [evidence] = build_evidence(open_series(folder), "pseudonym", records=True)
    claims = HomogeneityAttack().run(evidence, Budget()).claims
    findings = claims.certify(np.arange(len(claims)))
    assert {(each.after, each.with_value, each.rows) for each in findings} == {(1, 2, 2)}
    assert len(findings) == (8 if changing else 4)

    def check(one):
        check_counts([one], evidence)

    def is_the_same(path, how, spoiled):
        """The other record of the class, or the other release, where that has the same group and the same records."""
        return path in {".record", ".release", ".together"} or (path == ".there" and not changing)

    for finding in findings:
        assert_refused(finding, check, ["1", "2"], is_the_same)


@kills("audit.judgement.check_record._RecordValues.values", "there[records] == there[finding.record]", "there | True")
@kills("audit.judgement.check_record._check_codes", "finding.together and not finding.there", "False")
def test_records_in_the_same_releases(tmp_path):
    """Of three that look alike, one is in the first release only."""
    rows = {1: ("20-29", "a"), 2: ("20-29", "b"), 3: ("20-29", "b")}
    folder = linked_records.written(tmp_path, [rows, {record: rows[record] for record in (1, 2)}])
    [evidence] = build_evidence(open_series(folder), "pseudonym", records=True)
    claims = HomogeneityAttack().run(evidence, Budget()).claims
    [finding] = claims.certify(np.arange(len(claims)))
    assert (finding.release, finding.after, finding.rows, finding.there, finding.together) == (0, 1, 1, True, True)
    check_counts([finding], evidence)
    for spoiled in (
        replace(finding, together=False),
        replace(finding, there=False, release=1),
        replace(finding, rows=3, with_value=3),
    ):
        with pytest.raises(BrokenCertificateError):
            check_counts([spoiled], evidence)


def numbers_in(folder, adversary, **more):
    """Evidence of a series with sensitive numbers."""
    manifest, columns = folder / "series.toml", '[columns]\ntypes = { Value = "numeric", d = "numeric" }\n'
    name = "d" if 'sensitive = "d"' in manifest.read_text() else "Value"
    types = columns.replace('Value = "numeric", d', name)
    manifest.write_text(manifest.read_text().replace("[columns]\n", types))
    return build_evidence(open_series(folder), adversary, **more)[0]


NEARLY = [[Row(name, group, value) for name, group, value in (("A", "1", "95"), ("B", "1", "100"), ("C", "2", "50"))]]


def test_people_whose_number_is_known_nearly(tmp_path):
    rows = [*NEARLY[0], Row("D", "2", "97"), Row("E", "3", "98"), Row("F", "3", "98.5")]
    evidence = numbers_in(TinySeries([rows]).write(tmp_path), "linked")
    code, person = {text: code for code, text in enumerate(evidence.values)}, evidence.series.person
    finding = CloseNumbers(0, code["95"], code["100"], 1.0, individual=person("A"), evidence="solver")
    checker = NumberChecker(evidence, 0.1)

    def check(one):
        if checker.person(one).evidence != "proof":
            raise BrokenCertificateError("no proof is claimed")

    assert_refused(
        finding,
        check,
        ["1", "2"],
        lambda path, how, spoiled: path == ".individual" and spoiled.individual == person("B"),
    )
    likely = replace(finding, lower=code["50"], upper=code["50"], individual=person("C"), risk=0.5)
    assert checker.person(likely).evidence == "solver"
    with pytest.raises(BrokenCertificateError):
        checker.person(replace(likely, individual=person("A")))


@kills(
    "audit.judgement.check_close_numbers.NumberChecker.number",
    "Fraction(0) if category in seen.series.rules[Similar].of(name, text) else None",
    "Fraction(0)",
)
def test_people_whose_category_is_known(tmp_path):
    rows = [Row("A", "1", "flu"), Row("B", "1", "cold"), Row("C", "2", "flu"), Row("D", "2", "gout")]
    folder = TinySeries([rows]).write(tmp_path)
    (folder / "chapters.csv").write_text("value,category\nflu,airways\ncold,airways\ncold,chills\ngout,joints\n")
    manifest = folder / "series.toml"
    similar = '[columns]\nsimilar = { Value = "chapters.csv" }\n'
    manifest.write_text(manifest.read_text().replace("[columns]\n", similar))
    [evidence] = build_evidence(open_series(folder), "linked")
    code, person = {text: code for code, text in enumerate(evidence.values)}, evidence.series.person
    finding = SimilarValues(
        0, code["flu"], code["flu"], 1.0, individual=person("A"), evidence="solver", category="airways"
    )
    checker = NumberChecker(evidence, 0.0)

    def check(one):
        if checker.person(one).evidence != "proof":
            raise BrokenCertificateError("no proof is claimed")

    def is_the_same(path, how, spoiled):
        """The other person of the group, or the other value of the category."""
        return spoiled.individual == person("B") or path in {".lower", ".upper"}

    assert_refused(finding, check, ["1", "2"], is_the_same)
    for wrong in ({"category": "chills"}, {"category": "joints"}, {"individual": person("C")}):
        with pytest.raises(BrokenCertificateError):
            check(replace(finding, **wrong))


@pytest.mark.parametrize("linked", [False, True])
def test_classes_whose_numbers_are_known_nearly(tmp_path, linked):
    if linked:
        values = dict(zip(linked_records.VALUES, ["95", "100", "50", "97", "95", "7", "100", "3"], strict=True))
        beside = {9: ("40-49", "95"), 10: ("40-49", "3")}
        releases = [rows | beside for rows in linked_records.crossed(values)]
        evidence = numbers_in(linked_records.written(tmp_path, releases), "pseudonym", records=True)
    else:
        texts = {"a": "95", "b": "100", "c": "3"}
        rows = [[replace(row, value=texts[row.value]) for row in release] for release in LOOKING_ALIKE.releases]
        evidence = numbers_in(replace(LOOKING_ALIKE, releases=rows).write(tmp_path), "published")
    claims = HomogeneityAttack(max_risk=0.9, closeness=0.1).run(evidence, Budget()).near["closeness"]
    findings = claims.certify(np.arange(len(claims)))
    assert [(each.with_value, each.rows, each.risk) for each in findings] == (
        [(2, 2, 1.0)] if linked else [(3, 3, 1.0)] * 2
    )

    def another_place(path, how, spoiled):
        return path in {".record", ".release", ".together"} or (path == ".there" and linked)

    for finding in findings:
        check = NumberChecker(evidence, claims.share).classes
        assert_refused(finding, lambda one, check=check: check([one]), ["1", "2"], another_place)


@kills("audit.judgement.check_close_numbers.NumberChecker._count", " or not any(near)", "")
@pytest.mark.parametrize(("numbers", "holds"), [(["95", "98", "100"], True), (["10", "20", "30"], False)])
def test_most_rows_of_a_class_have_numbers_close_to_one_of_them(tmp_path, numbers, holds):
    rows = [Row(None, "1", value) for value in [*numbers, "9999"]]
    evidence = numbers_in(TinySeries([rows], keyed=False).write(tmp_path), "published")
    finding = CloseNumbers(0, 0, 2, 0.75, group="1", rows=4, with_value=3)
    assert list(evidence.values[:3]) == numbers
    if holds:
        NumberChecker(evidence, 0.1).classes([finding])
    else:
        with pytest.raises(BrokenCertificateError):
            NumberChecker(evidence, 0.1).classes([finding])


def test_records():
    [evidence] = build_evidence(open_series(EXAMPLES / "cases-independent"), records=True)
    claims = InferenceTableAttack(2).run(evidence, Budget()).claims
    findings = claims.certify(np.arange(len(claims)))
    assert {finding.cause for finding in findings} > {"group change", "subgroup expanding"}
    for finding in findings:
        assert_refused(finding, lambda one: Recounter(evidence, 2).check([one]), ["1", "2", "3"])
    with pytest.raises(BrokenCertificateError):
        Recounter(evidence, 2).check([findings[0], findings[0]])


@kills(
    "audit.judgement.check_linkage.LinkageChecker._check",
    "finding.risk != (1 / rows if finding.value is None else 1)",
    "False",
)
def test_rows_that_can_be_somebody_s():
    spoiled = 0
    for seed in range(60):
        series, evidence, _, findings = claims_of(seed)
        checked, left = as_proved(LinkageChecker(evidence)), lru_cache(lambda series=series: truth(series).left)
        for finding in findings[:2]:
            if finding.evidence == "proof":
                assert_refused(finding, checked, excused=as_enumerated(series, evidence, left))
                spoiled += 1
    assert spoiled > 20


def as_proved(checker):
    """A check that takes no finding on a solver's word."""

    def checked(finding):
        if checker.checked(finding).evidence != "proof":
            raise BrokenCertificateError("no proof is claimed")

    return checked


def as_enumerated(series, evidence, left):
    """What excuses a spoiled linkage: enumeration leaves as many rows to the subject that it is about now."""

    def excused(path, how, spoiled):
        if path.startswith(".groups"):
            return how == "in another order"
        if path.startswith(".risk"):
            return False
        cells = evidence.rows_of.table.cells
        # A cell of several points stands for each of them; of none there is nobody.
        point = tuple(sorted(cells[at][cell])[0] for at, cell in spoiled.point.items())
        rows = left()[point, spoiled.first, spoiled.release]
        values = {series.releases[spoiled.release][row][1] for row in rows}
        return 0 < len(rows) <= spoiled.rows and spoiled.value in {None, *(values if len(values) == 1 else ())}

    return excused


# -- counts ---------------------------------------------------------------------------------------------------


def bounds_of(folder):
    manifest = read_table_manifest(folder)
    for tables in (part.tables for part in table_evidence(read_counts(manifest), manifest.limits({})).parts):
        outcome = Differencing().run(tables, Budget())
        for question in np.flatnonzero(outcome.verdict > 0).tolist():
            for bound in outcome.bounds(question):
                yield tables, bound


def best(tables, box, *, is_upper):
    """The least or the most that a box can have, by an integer programme over atoms; None where there is no most."""
    shape = [axis.atoms for axis in tables.axes]

    def row(sets):
        inside = np.zeros(shape)
        inside[np.ix_(*(axis.members[one] for one, axis in zip(sets, tables.axes, strict=True)))] = 1
        return inside.ravel()

    counted = LinearConstraint(np.array([row(sets) for sets in tables.boxes.tolist()]), tables.lower, tables.upper)
    goal = row(box) * (-1 if is_upper else 1)
    found = milp(goal, constraints=counted, integrality=np.ones(len(goal)), bounds=Bounds(0, 10**6))
    assert found.status == 0
    return round(-found.fun if is_upper else found.fun)


def assert_bound_refused(tables, bound):
    def check(one):
        if not is_proved(tables, one):
            raise BrokenCertificateError

    def excused(path, how, spoiled):
        limit = best(tables, spoiled.box, is_upper=spoiled.is_upper)
        return limit <= spoiled.value if spoiled.is_upper else limit >= spoiled.value

    assert_refused(bound, check, excused=excused)


@pytest.mark.parametrize("folder", TABLES, ids=lambda path: path.name)
def test_bounds_of_counts(folder):
    for tables, bound in list(bounds_of(folder))[:MOST]:
        assert_bound_refused(tables, bound)


@kills("audit.judgement.check_count_bounds._holds", "proof.at + 1", "proof.at")
def test_bounds_by_cases():
    """Of a and b: a is at most 2 and b at most 3, so that both are at most 5, as follows if a is at most 2, or not."""
    axes = (
        Axis("x", 2, [np.array(one, dtype=np.int32) for one in ([0], [1], [0, 1])], 2),
        Axis("time", 1, [np.array([0], dtype=np.int32)], 0),
    )
    boxes, asked = np.array([[0, 0], [1, 0]], dtype=np.int32), np.array([[2, 0]], dtype=np.int32)
    lower, upper = np.array([0, 1]), np.array([2, 3])
    tables = CountTables(axes, boxes, lower, upper, asked, np.zeros(1, dtype=np.int8), 5, 2)
    one = Fraction(1)
    below = WeightedSum((WeightedNumber(0, one, assumed=True), WeightedNumber(1, one)))
    above = WeightedSum((WeightedNumber(0, one), WeightedNumber(0, -one, assumed=True)), impossible=True)
    assert_bound_refused(tables, CountBound((2, 0), True, 5, CaseSplit((0, 0), 2, below, above)))
    # From below: b is at least 1 where a is at most 2, and what is more than 2 is impossible.
    assert_bound_refused(
        tables, CountBound((2, 0), False, 1, CaseSplit((0, 0), 2, WeightedSum((below.terms[1],)), above))
    )
