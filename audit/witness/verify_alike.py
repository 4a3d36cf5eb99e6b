"""Check similar values in all worlds: two people with the same value, one person with close numbers or one category.

`verify.py` runs this file, which must be in the same folder. Each function takes the series, the worlds (worlds, times,
people), the possible values (times, people, values) and a claim, and returns the numbers of the claim.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

Filed: TypeAlias = Any  # as read by `verify.py`, which is not imported
Claim: TypeAlias = dict[str, Any]


def texts(series: Filed, claim: Claim) -> list[str]:
    """Return the text of each value for the attribute of a claim."""
    at = series.sensitive.index(claim["sensitive"])
    return [value[at] for value in series.values]


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


def close(series: Filed, worlds: np.ndarray, left: np.ndarray, claim: Claim) -> Claim:
    """Return for how many people all numbers are close, and for how many two worlds give numbers that are not.

    Two numbers are close if they differ by at most a share, below 1, of the larger one. So all numbers are close if the
    least and the greatest are.
    """
    if type(claim["share"]) is not str:
        raise ValueError("the share of a claim is no text")
    numbers, share = texts(series, claim), Fraction(claim["share"])
    if not 0 <= share < 1 or not all(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) for text in numbers):
        raise NotImplementedError("close values that are no plain numbers, or a share of 1 or more")
    number = [Fraction(text) for text in numbers]
    order = sorted({*number})
    rank = np.array([order.index(each) for each in number], dtype=np.int64)
    near = np.array([[abs(a - b) <= share * max(abs(a), abs(b)) for b in order] for a in order], dtype=np.bool_)
    two = ~near[rank[worlds].min(axis=0), rank[worlds].max(axis=0)]
    low, high = np.where(left, rank, len(order) - 1).min(axis=2), np.where(left, rank, 0).max(axis=2)
    return {"share": claim["share"], **counted(series, two, near[low, high])}


def categories(series: Filed, worlds: np.ndarray, left: np.ndarray, claim: Claim) -> Claim:
    """Return for how many people all values share a category, and for how many the values in the worlds share none."""
    table = series.table(series.columns["similar"][claim["sensitive"]])
    lines = {*zip(table["value"], table["category"], strict=True)}
    names = sorted({category for _, category in lines})
    of = np.array([[(text, name) in lines for name in names] for text in texts(series, claim)], dtype=np.bool_)
    if not of.any(axis=1).all():
        raise NotImplementedError("a value without a category")
    every = np.ones((*left.shape[:2], len(names)), dtype=np.bool_)
    for world in worlds:
        every &= of[world]
    whole = np.stack([(~left | of[:, at]).all(axis=2) for at in range(len(names))], axis=2)
    two: np.ndarray = np.all(~every, axis=2)
    certain: np.ndarray = np.any(whole, axis=2)
    return counted(series, two, certain)


def counted(series: Filed, two: np.ndarray, certain: np.ndarray) -> Claim:
    """Return for how many people (or people in a release) a property is certain, and how many a world refutes."""
    judged = series.judged if series.may is not None else series.judged.any(axis=0, keepdims=True)
    if (two & certain & judged).any():
        raise ValueError("the proofs contradict the worlds")
    found = {"total": judged.sum(), "certain": (certain & judged).sum(), "two": (two & judged).sum()}
    return {"of": "people" if series.may is None else "people in releases", **{k: int(n) for k, n in found.items()}}
