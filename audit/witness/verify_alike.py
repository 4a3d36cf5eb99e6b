"""Check whose possible values agree: one value, close numbers or one category; and which people have equal values.

`verify.py` runs this file, which must be in the same folder. A set of values belongs to a person, to a person in a
release, or to a class of rows. Each claim about sets counts those whose values agree, and those whose values do not.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Filed: TypeAlias = Any  # as read by `verify.py`, which is not imported
Claim: TypeAlias = dict[str, Any]
Sets: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Values that are left, and those that worlds give, as flags of shape (times, each, values); which are judged."""
Agree: TypeAlias = Callable[[np.ndarray], np.ndarray]  # of sets, shape (..., values): whether the values of each agree


def texts(series: Filed, claim: Claim) -> list[str]:
    """Return the text of each value for the attribute of a claim."""
    at = series.sensitive.index(claim["sensitive"])
    return [value[at] for value in series.values]


def values(series: Filed, claim: Claim) -> Agree:
    """Return the rule that values agree if the attribute says the same."""
    label = np.unique(texts(series, claim), return_inverse=True)[1].astype(np.int32)
    return lambda sets: np.where(sets, label, len(label)).min(axis=-1) == np.where(sets, label, -1).max(axis=-1)


def close(series: Filed, claim: Claim) -> Agree:
    """Return the rule that numbers agree if all are close to each other.

    Two numbers are close if they differ by at most a share, below 1, of the larger one, or by at most a width (`near`):
    then all of some are close if the least and the greatest are.
    """
    if not re.fullmatch(r"[0-9]+(\.[0-9]+|/0*[1-9][0-9]*)?", claim["within"]):
        raise ValueError("the share or width of a claim is not a plain number")
    numbers, within, is_share = texts(series, claim), Fraction(claim["within"]), claim["claim"] == "close"
    plain = all(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) for text in numbers)
    if (is_share and within >= 1) or not plain:
        raise NotImplementedError("close values that are not plain numbers, or a share of 1 or more")
    number = [Fraction(text) for text in numbers]
    order = sorted({*number})
    rank = np.array([order.index(each) for each in number], dtype=np.int32)
    near = np.array(
        [[abs(a - b) <= within * (max(abs(a), abs(b)) if is_share else 1) for b in order] for a in order],
        dtype=np.bool_,
    )
    return lambda sets: near[np.where(sets, rank, len(order) - 1).min(axis=-1), np.where(sets, rank, 0).max(axis=-1)]


def categories(series: Filed, claim: Claim) -> Agree:
    """Return the rule that values agree if they share a category."""
    file = series.columns.get("similar", {}).get(claim["sensitive"])
    if not isinstance(file, str):
        raise NotImplementedError("a category of all values that are not harmless")
    table = series.table(file)
    lines = {*zip(table["value"], table["category"], strict=True)}
    names = sorted({category for _, category in lines})
    of = np.array([[(text, name) in lines for name in names] for text in texts(series, claim)], dtype=np.bool_)
    if not of.any(axis=1).all():
        raise NotImplementedError("a value without a category")
    return lambda sets: np.any([(~sets | of[:, at]).all(axis=-1) for at in range(len(names))], axis=0)


RULES: dict[str, Callable[[Filed, Claim], Agree]] = {
    "values": values,
    "close": close,
    "near": close,
    "categories": categories,
}
"""The rule of each claim about sets of values."""


def of_people(worlds: np.ndarray, left: np.ndarray, judged: np.ndarray, *, changing: bool) -> dict[str, Sets]:
    """Return the sets of values of people, or of people in releases if values change, by what they are of.

    Args:
        worlds: the values that worlds give people; shape (worlds, times, people).
        left: the values that are left to people; shape (times, people, values).
        judged: who is judged in which release; shape (releases, people).
        changing: whether values change.
    """
    seen = np.zeros_like(left)
    for world in worlds:  # where somebody is absent, there is no value, and nothing is judged
        np.put_along_axis(seen, world[..., None].astype(np.int64), values=True, axis=-1)
    if not changing and len(left) > 1:  # all releases say the same of a person
        here: np.ndarray = judged[..., np.newaxis]
        left, seen = (left | ~here).all(axis=0, keepdims=True), (seen & here).any(axis=0, keepdims=True)
    who: np.ndarray = judged if changing else np.any(judged, axis=0, keepdims=True)
    return {"people in releases" if changing else "people": (left, seen, who)}


def counted(series: Filed, claim: Claim, people: dict[str, Sets]) -> Claim:
    """Return how many sets are judged, how many have left values that agree, and how many have worlds that do not."""
    of = claim["of"]
    if of == "classes":
        people = {of: runpy.run_path(str(Path(__file__).with_name("verify_counts.py")))[of](series)}
    left, seen, judged = people[of]
    agree = RULES[claim["claim"]](series, claim)
    two, certain = ~agree(seen) & judged, agree(left) & judged
    if (two & certain).any():
        raise ValueError("the proofs contradict the worlds")
    within = {"within": claim["within"]} if claim["claim"] in ("close", "near") else {}
    total = {"total": judged, "certain": certain, "two": two}
    return {"of": of, **within, **{name: int(each.sum()) for name, each in total.items()}}


def different(series: Filed, worlds: np.ndarray, left: np.ndarray, claim: Claim) -> Claim:
    """Return the number of people, if no two of them have equal values in all worlds."""
    del left
    if series.may is not None:
        raise NotImplementedError("comparing people whose values change")
    label = np.unique(texts(series, claim), return_inverse=True)[1]
    rows = label[worlds[:, 0, series.judged.any(axis=0)]].T
    if len(rows) != len(np.unique(rows, axis=0)):
        raise ValueError("two people have equal values in all worlds")
    return {"people": len(rows)}


def same(series: Filed, worlds: np.ndarray, left: np.ndarray, claim: Claim) -> Claim:
    """Return how many people certainly have a value that another person certainly has, too; there has to be one."""
    del worlds
    if series.may is not None:
        raise NotImplementedError("comparing people whose values change")
    label = np.unique(texts(series, claim), return_inverse=True)[1]
    mine = left[0, series.judged.any(axis=0)]
    low, high = np.where(mine, label, len(label)).min(axis=1), np.where(mine, label, -1).max(axis=1)
    often = np.bincount(low[low == high])
    if not (often > 1).any():
        raise ValueError("no two people are certain of one value")
    return {"people": int(often[often > 1].sum())}
