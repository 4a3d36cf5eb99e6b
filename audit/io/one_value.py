"""Texts that may say one sensitive value: ranges that overlap, words without articles, and abbreviations."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from math import inf

from audit.io.cells import Kind
from audit.io.notations import interval_in
from audit.io.respelling import fold, skeleton, words_in

_GROUPED = re.compile(r"(?<=[0-9])[\s'’.,](?=[0-9]{3}(?![0-9]))")
_MONEY = re.compile(r"[€$£]|\b(?:eur|euros?|chf|usd|gbp|dollars?)\b\.?", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=[0-9])\s?(?:k\b|tsd\b\.?|mille\b|mil\b|thousand\b)", re.IGNORECASE)
_SIGNS = re.compile(r"[^\w\s'’.,()-]|(?<!\w)-|-(?!\w)|[0-9][.,][0-9]")  # those that may distinguish values
_IN_BRACKETS = re.compile(r".*\w\s*\(([^\W\d_]{1,6})\)")
_DISEASE = re.compile(r"[A-Z][0-9]{2}(?:\.[0-9]{0,2})?[-+*!\u2020]?G?", re.IGNORECASE)  # a code of the ICD
_NO_DIGIT = re.compile(
    r"(?:\.00|(?<=\.[0-9])0|\.)?[-+*!\u2020]?G?$"
)  # at its end: no further digit, or what it is used for
_SMALL = frozenset(re.findall("[a-z]+", "de du des d la le les l un une of the der die das dem den del el los las di"))
_ROMAN = {roman: str(at) for at, roman in enumerate(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), 1)}
_YES_NO = {"oui": "o", "yes": "y", "ja": "j", "si": "s", "no": "n", "non": "n", "nein": "n"}


def said_otherwise(texts: Collection[str]) -> list[list[str]]:
    """Return groups of texts that differ in articles, roman numbers or signs of the ICD alone, or abbreviate others.

    >>> said_otherwise(["Cancer du sein", "Cancer sein", "type 2", "type II", "HIV +", "HIV -", "I10", "I11"])
    [['Cancer du sein', 'Cancer sein'], ['type 2', 'type II']]
    >>> said_otherwise(["ASD", "Autistic Spectrum Disorder", "Old age", "EHCP", "E.H.C. Plan", "Other", "no", "N"])
    [['ASD', 'Autistic Spectrum Disorder'], ['EHCP', 'E.H.C. Plan'], ['N', 'no']]
    >>> said_otherwise(["K", "SEN Support (K)", "O", "oui", "Cancer sein", "Chronic sinusitis"])
    [['K', 'SEN Support (K)'], ['O', 'oui']]
    >>> said_otherwise(["E11.9", "E11.90", "E11.91", "I10", "I10.-", "C34.1", "C34.1-", "J45.0", "J45"])
    [['C34.1', 'C34.1-'], ['E11.9', 'E11.90'], ['I10', 'I10.-']]
    """
    alike: dict[str, dict[str, str]] = defaultdict(dict)
    longer: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        if _DISEASE.fullmatch(text):
            alike[_NO_DIGIT.sub("", text.upper())].setdefault(fold(text), text)
        words = words_in(text)
        some = [word for word in words if word not in _SMALL]
        if _SIGNS.search(text) is None and some:
            alike[" ".join([some[0], *(_ROMAN.get(word, word) for word in some[1:])])].setdefault(fold(text), text)
        short = {"".join(word[0] for word in each) for each in (words, some) if len(each) > 1}
        if (found := _IN_BRACKETS.fullmatch(text)) is not None:
            short.add(skeleton(found[1]))
        for each in short | {_YES_NO.get(skeleton(text), "")}:
            longer[each].append(text)
    shorts = [text for text in texts if text.isalpha() and (text.isupper() or len(text) == 1)]
    abbreviated = [[text, *longer[key]] for text in shorts if (key := skeleton(text)) in longer]
    return sorted([*([*found.values()] for found in alike.values() if len(found) > 1), *abbreviated])


def overlapping(texts: Collection[str]) -> list[list[str]]:
    """Return groups of texts that say ranges of numbers of one unit, of which some overlap; a common end does not.

    >>> overlapping(["60 000 € et plus", "plus de 60 000 €", "20-35 k€", "20 000 à 35 000 €", "35-50 k€", "I10-I15"])
    [['20 000 à 35 000 €', '20-35 k€'], ['60 000 € et plus', 'plus de 60 000 €']]
    >>> overlapping(["0-10", "10-20", "under 10"]), overlapping(["2 days or more", "1-3 years"])
    ([['under 10', '0-10']], [])
    """
    ranges = [*filter(None, map(range_of, {fold(text): text for text in texts}.values()))]
    groups = list[list[str]]()
    for unit in sorted({unit for *_, unit in ranges if unit} or {""}):
        most = -inf
        for low, high, text, _ in sorted(each for each in ranges if each[3] in (unit, "")):
            if low >= most:
                groups.append([])
            groups[-1].append(text)
            most = max(most, high)
    return [group for group in groups if len(group) > 1]


def range_of(text: str) -> tuple[float, float, str, str] | None:
    """Return the ends of the range of numbers that a text says, the text and its unit; None if it says no range."""
    bare = _MONEY.sub("", _GROUPED.sub("", text))
    if _THOUSANDS.search(bare):
        bare = re.sub(r"[0-9]+", r"\g<0>000", _THOUSANDS.sub("", bare))
    read = interval_in(bare, Kind.NUMERIC)
    if read is None or read.interval is None or read.is_point:
        return None
    low, high = read.interval.low, read.interval.high
    return (-inf if low is None else float(low), inf if high is None else float(high), text, read.unit or "")
