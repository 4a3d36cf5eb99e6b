"""Read published numbers as intervals, and check bounds of counts by weighted sums of them, in exact fractions.

`verify_tables.py` runs this file. It needs Python 3.11 and numpy. A count is the sum over the atoms of its box, and no
atom is negative. Give published boxes weights. If the weights of the boxes around each atom of the count's box add up
to at least 1, and around each other atom to at least 0, then the weighted sum of the upper ends is an upper bound.
Lower bounds work in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor, inf, lcm
from typing import Any, TypeAlias

import numpy as np

Box: TypeAlias = tuple[int, ...]
Series: TypeAlias = Any  # as read by `verify_tables.py`
Proof: TypeAlias = Any  # a value of JSON
MOST, LARGEST = 50_000_000, 1 << 40


def need(holds: object, what: str, status: int = 2) -> None:
    """Stop with a message and an exit status unless a condition holds."""
    if not holds:
        raise NotImplementedError(status, what)


def whole(*numbers: object) -> bool:
    """Return whether all of these are whole numbers."""
    return all(type(each) is int for each in numbers)


def interval(series: Series, text: str, *, exact: bool) -> tuple[int, float]:
    """Return the counts that a published text can stand for; an `exact` one is neither rounded nor perturbed."""
    if text in series.markers:
        low, high = series.markers[text]
        need(whole(low) and (high == inf or whole(high)) and 0 <= low <= high, f"the range of the marker {text}")
        return low, high
    need(re.fullmatch("[0-9]{1,11}", text), f"the number {text!r}")
    number, rounding, threshold = int(text), series.rules.get("rounding"), series.rules.get("threshold")
    low = high = number
    if rounding and not exact:
        to, how = rounding["to"], rounding["how"]
        need(whole(to) and to > 1 and set(rounding) == {"to", "how"}, "this rounding")
        half, last = to // 2, to - to // 2 - 1
        need(number % to == 0 or how == "midpoint", f"the unrounded number {text}")
        need(how != "midpoint" or number == 0 or number % to == half, f"the unrounded number {text}")
        even = half - (to % 2 == 0 and number // to % 2)
        below, above = {
            "nearest": (half, last), "even": (even, even), "down": (0, to - 1),
            "up": (to - 1, 0), "random": (to - 1, to - 1), "midpoint": (half - 1, half) if number else (0, 0),
        }[how]  # fmt: skip
        low, high = max(0, number - below), number + above
    if not exact and (by := series.rules.get("perturbation", 0)):
        need(whole(by) and by > 0, "this perturbation")
        low, high = max(0, low - by), high + by
    if threshold:
        need(whole(threshold), "this threshold")
        if number > 0 or low >= 1:
            low = max(low, threshold)
        elif high < threshold:
            high = 0
    return low, high


Case: TypeAlias = tuple[Box, bool, int]  # a box has at most (True), or at least, this many people


class Proofs:
    """Checks bounds of boxes, in fractions."""

    def __init__(self, series: Series, box: Callable[[Any], Box]) -> None:
        self.series, self.box = series, box

    def ends(self, boxes: Sequence[Box], stated: Sequence[Any]) -> list[tuple[int, float]]:
        """Return the proved lower and upper bound of each box; every proof must be valid."""
        found: list[tuple[int, float]] = [(0, inf)] * len(boxes)
        for place, upper, value, proof in stated:
            need(whole(place, value) and place >= 0 and abs(value) < LARGEST and type(upper) is bool, "wrong bound", 1)
            need(self.holds(boxes[place], proof, value, (), upper=upper), f"a proof does not show the bound {value}", 1)
            low, high = found[place]
            found[place] = (low, min(high, value)) if upper else (max(low, value), high)
        return found

    def holds(self, box: Box, proof: Proof, value: int, cases: tuple[Case, ...], *, upper: bool) -> bool:
        """Return whether a proof shows that a box has at most (`upper`), or at least, `value` people in some cases."""
        if "at" in proof:
            where, at = self.box(proof["box"]), proof["at"]
            need(whole(at), "a case of a proof has no number", 1)
            halves = ((proof["below"], (where, True, at)), (proof["above"], (where, False, at + 1)))
            return all(self.holds(box, half, value, (*cases, case), upper=upper) for half, case in halves)
        impossible = proof.get("impossible", False)
        side, total, terms = upper or impossible, Fraction(0), list[tuple[Box, Fraction]]()
        for place, over, under in proof["sum"]:
            need(whole(place, over, under) and under > 0 and over, "a weight of a proof is not a fraction", 1)
            weight = Fraction(over, under)
            at_upper = (weight > 0) == side
            if place >= 0:
                one, end = self.series.box[place], (self.series.high if at_upper else self.series.low)[place]
            else:
                one, is_upper, end = cases[-1 - place]
                need(is_upper == at_upper, "a proof uses a case in the wrong direction", 1)
            need(end < inf, "a proof uses the upper end of a number that has none", 1)
            total += weight * int(end)
            terms.append((one, weight))
        if impossible:
            return total < 0 and self.covers(terms, upper=True)
        kept = floor(total) <= value if upper else ceil(total) >= value
        return kept and self.covers([*terms, (box, Fraction(-1))], upper=upper)

    def covers(self, terms: Sequence[tuple[Box, Fraction]], *, upper: bool) -> bool:
        """Return whether weights of boxes add up to at least 0 (at most 0 unless `upper`) on every atom."""
        scale = lcm(*(weight.denominator for _, weight in terms)) * (1 if upper else -1)
        weights = [int(weight * scale) for _, weight in terms]
        need(sum(map(abs, weights)) < LARGEST, "a proof with such large weights")
        around = np.array(weights, dtype=np.int64).reshape(-1, 1)
        for axis, (atoms, numbers) in enumerate(zip(self.series.atoms, self.series.sets, strict=True)):
            sets, inside = list(numbers), np.zeros((len(terms), len(atoms)), dtype=np.bool_)
            for row, (box, _) in enumerate(terms):
                inside[row, list(sets[box[axis]])] = True
            # Atoms of an axis that are in the same boxes are checked together.
            patterns = np.unique(inside, axis=1)
            need(around.size * patterns.shape[1] <= MOST, "a proof with this many numbers")
            around = (around[:, :, None] * patterns[:, None, :]).reshape(len(terms), -1)
        return bool((around.sum(axis=0) >= 0).all())


def decided(
    rule: str, limit: int, seen: np.ndarray, ends: Sequence[tuple[int, float]], large: Sequence[bool]
) -> tuple[np.ndarray, ...]:
    """Return which questions under a rule the tables settle, and which are findings by their proved bounds.

    `large`: which questions of `min_count` are about hidden cells whose markers do not say a small count.
    """
    least, most = seen.min(axis=0), seen.max(axis=0)
    low, high = (np.array([end[side] for end in ends], dtype=np.float64) for side in (0, 1))
    width, left = most - least + 1, high - low + 1
    if rule == "min_width":
        return width >= limit, left < limit
    unsaid = np.array(large, dtype=np.bool_)
    small = (low >= 1) & (high < limit) & (unsaid | (left == 1) | (left < limit - 1))
    return (least <= 0) | (most >= limit) | (~unsaid & (width >= max(2, limit - 1))), small
