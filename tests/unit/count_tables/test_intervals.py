"""What published texts stand for, beside an enumeration of the counts that are published so."""

from fractions import Fraction
from math import floor

import pytest

from audit.count_tables.manifest import TableManifest
from audit.count_tables.published_texts import Interpreter, published_rate_interval, rate_interval, rounded_interval
from audit.count_tables.table_rules import Rates
from audit.model.count_report import Rounding
from audit.model.json_types import UNBOUNDED
from tests.oracle.count_tables import counts_of

WAYS = [(to, how) for how in ("nearest", "even", "down", "up", "random", "midpoint") for to in (2, 3, 4, 5, 6, 10)]


def ways_to_publish(count, to, how):
    """All numbers that a count may be published as."""
    below = count // to * to
    above = below if count == below else below + to
    if how == "nearest":
        return {(2 * count + to) // (2 * to) * to}
    if how == "even":
        return {round(Fraction(count, to)) * to}
    if how == "midpoint":
        return {0 if count == 0 else (count - 1) // to * to + to // 2}
    return {"down": {below}, "up": {above}, "random": {below, above}}[how]


@pytest.mark.parametrize(("to", "how"), WAYS)
def test_every_way_to_round(to, how):
    told = {}
    for count in range(8 * to):
        for shown in ways_to_publish(count, to, how):
            told.setdefault(shown, []).append(count)
    if how == "midpoint" and to % 2:
        pytest.skip("a midpoint of an odd width is no whole number")
    for shown, counts in told.items():
        if shown <= 5 * to:
            low, high = rounded_interval(shown, Rounding(to, how))
            assert low <= min(counts)
            assert high >= max(counts)
            assert (low, high) == counts_of(shown, to, how)
            if how not in ("even", "random"):  # of which the interval is the hull for either parity, or of both ways
                assert (low, high) == (min(counts), max(counts))


@pytest.mark.parametrize("decimals", [0, 1, 2])
@pytest.mark.parametrize("per", [100, 1000, 100_000])
def test_a_rate_stands_for_the_counts_that_are_rounded_to_it(decimals, per):
    for population in (7, 30, 111, 4000):
        for count in range(0, population + 1, 1 + population // 50):
            exact = Fraction(count * per * 10**decimals, population)
            for rate in {round(exact), floor(exact + Fraction(1, 2))}:
                ends = rate_interval(
                    Fraction(rate, 10**decimals), Fraction(population), Rates("r", per, decimals, "n", False)
                )
                assert ends[0] <= count <= ends[1]
                half = Fraction(1, 2)
                assert all(abs(Fraction(one * per * 10**decimals, population) - rate) <= half for one in ends)
                assert Fraction((ends[1] + 1) * per * 10**decimals, population) > rate + half


@pytest.mark.parametrize(("to", "how"), [way for way in WAYS if way[1] != "midpoint" or way[0] % 2 == 0])
def test_a_rate_of_a_published_count_stands_for_all_counts_published_so(to, how):
    rates = Rates("r", 1000, 1, "n", True)
    for count in range(6 * to):
        for shown in ways_to_publish(count, to, how):
            rate = Fraction(round(Fraction(shown * 10_000, 731)), 10)
            low, high = published_rate_interval(rate_interval(rate, Fraction(731), rates), Rounding(to, how))
            assert low <= count <= high


def test_a_marker_in_the_place_of_a_rate_says_nothing(tmp_path):
    rates = Rates("r", 1000, 1, "n", False)
    manifest = TableManifest(tmp_path, "", (), ("area",), "n", markers={"*": (1, 7)}, rates=(rates,))
    assert Interpreter(manifest).interval("*", (rates, "", "200")) == (1, 7)
    assert Interpreter(manifest).interval("*", (rates, "15.0", "200")) == (3, 3)
    assert Interpreter(manifest).interval("", (rates, "15.0", "200")) == (3, 3)
    assert Interpreter(manifest).interval("3", (rates, "15.0", "200")) == (3, 3)


def test_a_number_that_is_perturbed_and_then_rounded(tmp_path):
    manifest = TableManifest(tmp_path, "", (), ("area",), "n", perturbation=2, rounding=Rounding(5, "nearest"))
    assert Interpreter(manifest).interval("10") == (6, 14)
    assert Interpreter(manifest).interval("0") == (0, 4)
    assert Interpreter(manifest).interval("") == (0, UNBOUNDED)
