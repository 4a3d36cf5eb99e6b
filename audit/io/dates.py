"""Dates as offices write them: day, month and year in the orders that leave no doubt."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_YEAR_FIRST = re.compile(r"([0-9]{4})[-/.]?([0-9]{2})[-/.]?([0-9]{2})(?:[ T].*)?")
_DAY_FIRST = re.compile(r"([0-9]{1,2})[.]([0-9]{1,2})[.]([0-9]{4})(?: .*)?")


def ordinal(text: str) -> int | None:
    """Return a date as a number of days, or None where the text is none; slashes after a day could be a month's.

    >>> ordinal("2024-03-17") == ordinal("17.3.2024") == ordinal("20240317"), ordinal("03/04/2024")
    (True, None)
    """
    if (found := _YEAR_FIRST.fullmatch(text)) is not None:
        year, month, day = map(int, found.groups())
    elif (found := _DAY_FIRST.fullmatch(text)) is not None:
        day, month, year = map(int, found.groups())
    else:
        return None
    try:
        return datetime.date(year, month, day).toordinal()
    except ValueError:
        return None


def ranked_dates(texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], int | None]:
    """Return numbers that ascend with dates, or plain numbers, and the place of the first text that is neither.

    An empty text comes before all others. Times of one day count as well.
    """
    keys: list[tuple[int, str]] = []
    wrong = None
    for place, text in enumerate(texts):
        day = ordinal(text)
        if day is None and text.isascii() and text.isdigit() and len(text) < 16:
            day = int(text)
        if day is None and text:
            wrong = place if wrong is None else wrong
        keys.append((-1 if day is None else day, text[10:] if ":" in text else ""))
    order = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([order[key] for key in keys], dtype=np.int64), wrong
