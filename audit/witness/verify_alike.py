"""Check who has like values in all worlds: one person the same, close numbers or one category, or two people.

`verify.py` runs this file, which must be in the same folder. Each function takes the series, the worlds (worlds, times,
people), the possible values (times, people, values) and a claim, and returns the numbers of the claim.
A claim that does not hold raises `ValueError`, what is not supported `NotImplementedError`.
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


def values(series: Filed, worlds: np.ndarray, left: np.ndarray, claim: Claim) -> Claim:
    """Return for how many people (or people in a release) the value is certain, and for how many it is not."""
    label = np.unique(texts(series, claim), return_inverse=True)[1]
    two: np.ndarray = np.any(label[worlds] != label[worlds[0]], axis=0)
    low, high = np.where(left, label, len(label)).min(axis=2), np.where(left, label, -1).max(axis=2)
    return counted(series, two, low == high)


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
    """Return how many people certainly have a value that somebody else certainly has, too; there has to be one."""
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


def close(series: Filed, worlds: np.ndarray, left: np.ndarray, claim: Claim) -> Claim:
    """Return for how many people all numbers are close, and for how many two worlds give numbers that are not.

    Two numbers are close if they differ by at most a share, below 1, of the larger one, or by at most a width (`near`):
    then all of some are close if the least and the greatest are.
    """
    if type(claim["within"]) is not str:
        raise ValueError("the share or width of a claim is not a text")
    numbers, within, is_share = texts(series, claim), Fraction(claim["within"]), claim["claim"] == "close"
    plain = all(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) for text in numbers)
    if within < 0 or (is_share and within >= 1) or not plain:
        raise NotImplementedError("close values that are not plain numbers, or a share of 1 or more")
    number = [Fraction(text) for text in numbers]
    order = sorted({*number})
    rank = np.array([order.index(each) for each in number], dtype=np.int64)
    near = np.array(
        [[abs(a - b) <= within * (max(abs(a), abs(b)) if is_share else 1) for b in order] for a in order],
        dtype=np.bool_,
    )
    two = ~near[rank[worlds].min(axis=0), rank[worlds].max(axis=0)]
    low, high = np.where(left, rank, len(order) - 1).min(axis=2), np.where(left, rank, 0).max(axis=2)
    return {"within": claim["within"], **counted(series, two, near[low, high])}


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
