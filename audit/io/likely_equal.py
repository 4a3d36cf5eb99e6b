"""Texts that may say the same: identifiers of one person, of which one is part of another, and one sensitive value."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import combinations, product
from math import inf
from typing import NamedTuple

from audit.io.cells import Kind
from audit.io.notations import fold, interval_in, like_digits, skeleton, words_in
from audit.io.tables import TOGETHER

_RUNS = re.compile(r"[0-9]+|[^\W\d_]+")
# The number or letter of a case behind an identifier.
_CASE = r"({whole})(?:{between}0*([0-9]{{1,2}})|[\W_]*([^\W\d_]))\)?"
_WHOLE = r".{0,60}[0-9]{3}", r"[\W_]+"
_SHORT = r".{0,60}[0-9]", r"(?:[\W_]+|[^\W\d_]+)"  # the number of a household, perhaps, and what follows, as in h17p2
_FIRST_CASES = "01a"
_FIRST = re.compile(r"(?:^|[^0-9])0*1\b|\ba\b")
_MEMBERS = 5  # as many ids with one text, on average, as most households have people; more are those of a place
_FIXED = 4  # digits of an id that names a household and its member without a sign between them
_MOST_RUNS = 6
_MOST_COMPARED = 20  # identifiers with one core
_CLEAR_LENGTH = 3  # so long a core is that of one person, even if only two identifiers have one
_MOSTLY, _RARELY = 0.75, 0.5  # of identifiers of one kind, those that differ in what names their people, or in the rest


class _Core(NamedTuple):
    """A part of an identifier that may name its person, or the whole of it.

    Attributes:
        text: the identifier.
        kind: the identifier with 9 for a run of digits and a for one of letters, and the place of the core's runs.
        core: the core, without zeros before it.
        rest: the runs beside it.
    """

    text: str
    kind: tuple[str, int, int]
    core: str
    rest: tuple[str, ...]


def together(texts: Collection[str], releases: Sequence[Collection[str]]) -> bool:
    """Return whether each two of the texts occur together in a release, and so belong to different people."""
    return all(any(one in people and other in people for people in releases) for one, other in combinations(texts, 2))


def nested(texts: Collection[str], releases: Sequence[Collection[str]]) -> list[list[str]]:
    """Return groups of identifiers that may be one person's, as one is part of the other and they never occur together.

    A letter may stand for the digit that looks like it. Two identifiers may also have a common part if what each has
    beside it is that of many others, such as a year. A part names people only if those of a release differ in it. Two
    kinds of identifiers are of different people if they also occur together, half as often as by chance, or if only two
    short ones match.

    Args:
        texts: the identifiers.
        releases: those of each release; empty if one person may have several in a release.

    >>> nested(["7", "4107", "12", "4107/24", "12/24"], [{"4107", "12"}, {"7", "4107/24", "12/24"}])
    [['4107', '4107/24'], ['12', '12/24']]
    >>> nested(["7-1", "7-2", "7", "8-1"], [{"7-1", "7-2", "8-1"}, {"7"}]), nested(["7", "7-1"], [{"7", "7-1"}])
    ([], [])
    >>> nested(["OO41O7", "4107,0", "4107", "41-07"], [])
    [['OO41O7', '4107,0', '4107', '41-07']]
    >>> nested(["A4107", "B4107", "A12", "A13"], [{"A4107", "A12", "A13"}, {"B4107"}])
    [['A4107', 'B4107']]
    """
    found = [core for text in texts for core in _cores(text)]
    naming, shared = _kinds(found, releases or [texts])
    by_core: dict[str, list[_Core]] = defaultdict(list)
    for each in found:
        if each.kind in naming:
            by_core[each.core].append(each)
    beside, separate = Counter[object](), defaultdict[object, list[_Core]](list)
    for cores in by_core.values():
        for pair in combinations(cores[:_MOST_COMPARED], 2):
            if _may_be_one(*pair, shared):
                kinds = frozenset(each.kind for each in pair)
                if together([each.text for each in pair], releases):
                    beside[kinds] += 1
                else:
                    separate[kinds] += pair
    groups: dict[str, dict[str, None]] = defaultdict(dict)
    for pair_of_kinds, pairs in separate.items():
        count, chances = len(pairs) // 2, 2 * len(releases)
        both = beside[pair_of_kinds]
        if chances * both <= count + both and (count > 1 or len(pairs[0].core) >= _CLEAR_LENGTH):
            for each in pairs:
                groups[each.core][each.text] = None
    return [list(group) for group in groups.values()]


def cases(texts: Collection[str], form: tuple[str, str] = _WHOLE) -> list[list[str]]:
    """Return groups of identifiers of one release that are alike but for a case behind them, such as 41070-01.

    Not where these seem to number the people of a place or of a year: then few have a first number, or the numbers are
    at least as many as what they follow; and not where most without a number come again with one: these are others.

    >>> cases(["41070-01", "41070-02", "51234-01", "60001-01"]), cases(["4107A", "4107B", "5123A", "6000A"])
    ([['41070-01', '41070-02']], [['4107A', '4107B']])
    >>> cases(["41070", "41070-02", "51234", "60001"]), cases(["41070", "51234-02", "60001", "60002"])
    ([['41070', '41070-02']], [])
    >>> cases(["101-1", "101-2", "101-3", "102-1", "102-2"]), cases(["4107/21", "4107/22", "5123/21", "6000/21"])
    ([], [])
    """
    by_core, numbers = defaultdict[str, list[str]](list), Counter[str]()
    case = re.compile(_CASE.format(whole=form[0], between=form[1]))
    for text in sorted(texts):
        if found := case.fullmatch(text.lower()):
            by_core[found[1]].append(text)
            numbers[found[2] or found[3]] += 1
    bare = [text for text in texts if re.fullmatch(form[0], text.lower())]
    again, counted = sum(text.lower() in by_core for text in bare), sum(numbers[each] for each in "12ab")
    if 0 < 2 * again <= len(bare) and 2 * counted >= numbers.total():  # one without a number is then the first case
        numbers["0"] += len(bare)
        for text in bare:
            by_core[text.lower()].insert(0, text)
    first = sum(numbers[each] for each in _FIRST_CASES)
    return [each for each in by_core.values() if len(each) > 1 and len(numbers) < len(by_core) <= 2 * first]


def alike_but_for_a_number(texts: Collection[str]) -> list[list[str]]:
    """Return groups of record ids of one release whose first part is the same, as a household's number is.

    Digits without a sign are divided before the last one or two, if these count the ids of most first parts from 1.

    >>> alike_but_for_a_number(["40701", "40702", "51201", "60001"]), alike_but_for_a_number(["4070", "4071", "4072"])
    ([['40701', '40702']], [])
    >>> alike_but_for_a_number(["h1-1", "h1-2", "h2-1", "h3-1"])
    [['h1-1', 'h1-2']]
    >>> alike_but_for_a_number(["h1p1", "h1p2", "h2p1", "h3p1"])
    [['h1p1', 'h1p2']]

    Ids of several columns are divided by the text that the most of them differ in, but for one that all differ in.

    >>> alike_but_for_a_number(["h1 + 1", "h1 + 2", "h2 + 1"]), alike_but_for_a_number(["h1 + 7", "h1 + 8", "h2 + 9"])
    ([['h1 + 1', 'h1 + 2']], [['h1 + 7', 'h1 + 8']])
    """
    parts = {text: text.split(TOGETHER) for text in sorted(texts)}
    if (shared := min(map(len, parts.values()), default=1)) > 1:
        by_part = {at: defaultdict[str, list[str]](list) for at in range(shared)}
        for (text, each), at in product(parts.items(), by_part):
            by_part[at][each[at]].append(text)
        few = (each for each in by_part.values() if len(each) < len(texts) <= _MEMBERS * len(each))
        return [each for each in max(few, key=len, default={}).values() if len(each) > 1]
    return cases(texts, _SHORT) or next((each for each in map(partial(_counted, sorted(texts)), (-1, -2)) if each), [])


def _counted(texts: Sequence[str], digits: int) -> list[list[str]]:
    """Return groups of identifiers that are alike but for digits that count most of them from 1.

    Those are the first ones, or, if `digits` is negative, the last ones; all identifiers have as many digits.
    """
    lengths = {len(text) if text.isdecimal() else 0 for text in texts}
    if len(lengths) != 1 or max(lengths) < _FIXED:
        return []
    by_rest, numbers = defaultdict[str, list[str]](list), defaultdict[str, list[int]](list)
    for text in texts:
        parts = text[:digits], text[digits:]
        rest, number = parts if digits < 0 else reversed(parts)
        by_rest[rest].append(text)
        numbers[rest].append(int(number))
    counted = sum(each == [*range(1, len(each) + 1)] for each in numbers.values())
    most = max(map(max, numbers.values()))
    return [each for each in by_rest.values() if len(each) > 1] if most < len(by_rest) <= 2 * counted else []


def shared_parts(texts: Sequence[str]) -> dict[tuple[str, bool], list[str]]:
    """Return parts that a few identifiers each have in common, as a household's members have: the text of each one.

    These are the first or the last run of digits or letters, or what is left without it, and whether the rest counts
    those with a part from 1, or from a. Of digits without a sign, some may count.

    >>> shared_parts(["1-407", "2-407", "1-512", "1-600"])["last", True], shared_parts(["Ann Lee", "Bob Lee"])
    (['407', '407', '512', '600'], {('last', False): ['lee', 'lee']})
    >>> shared_parts(["14070", "24070", "15120", "16230"])
    {('but first', True): ['14070', '14070', '15120', '16230']}
    """
    runs = [_RUNS.findall(text.lower()) for text in texts]
    cuts = {"first": (slice(1), slice(1, None)), "last": (slice(-1, None), slice(-1))}
    cuts |= {"but first": (cuts["first"][1], cuts["first"][0]), "but last": (cuts["last"][1], cuts["last"][0])}
    kept = dict[tuple[str, ...], tuple[str, bool]]()
    for what, (own, others) in cuts.items():
        parts, rests = ([" ".join(run[cut]) for run in runs] for cut in (own, others))
        parts = [part or text for part, text in zip(parts, texts, strict=True)]
        first = {part for part, rest in zip(parts, rests, strict=True) if _FIRST.search(rest)}
        kept.setdefault(tuple(parts), (what, len({*rests}) < len({*parts}) <= 3 * len(first)))
    for digits in (-1, -2, 1, 2):
        of_text = {text: each[0] for each in _counted(sorted(texts), digits) for text in each}
        what = "but last" if digits < 0 else "but first"
        kept.setdefault(tuple(of_text.get(text, text) for text in texts), (what, True))
    return {what: [*parts] for parts, what in kept.items() if len({*parts}) < len(texts) <= _MEMBERS * len({*parts})}


def _may_be_one(one: _Core, other: _Core, shared: Collection[object]) -> bool:
    """Return whether two cores that are equal may name one person, given the kinds whose rests many people share."""
    if one.text == other.text:
        return False
    if one.rest and other.rest:
        return one.kind in shared and other.kind in shared
    return one.kind[0] != other.kind[0]


def _cores(text: str) -> Iterator[_Core]:
    """Yield an identifier with digits, and its parts of adjacent runs that have digits."""
    plain = (text if text.isascii() else skeleton(text)).lower()
    runs = _RUNS.findall(plain)
    if not any(map(str.isdigit, runs)):
        return
    shape = _RUNS.sub(lambda run: "9" if run[0].isdigit() else "a", plain)
    runs = [*map(like_digits, runs)]
    last = len(runs)
    for first, end in combinations(range(last + 1), 2) if last <= _MOST_RUNS else [(0, last)]:
        core = runs[first:end]
        if any(map(str.isdigit, core)):
            number = "".join(core).lstrip("0") or "0"
            yield _Core(text, (shape, first, end), number, (*runs[:first], *runs[end:]))


def _kinds(found: Sequence[_Core], releases: Sequence[Collection[str]]) -> tuple[set[object], set[object]]:
    """Return the kinds of cores that name the people of a release, and those beside which many have the same rest."""
    count, cores, rests = Counter[object](), Counter[object](), Counter[object]()
    for there in releases:
        own = [each for each in found if each.text in there]
        count.update(each.kind for each in own)
        cores.update(kind for kind, _ in {(each.kind, each.core) for each in own})
        rests.update(kind for kind, _ in {(each.kind, each.rest) for each in own})
    naming = {kind for kind, times in count.items() if cores[kind] >= _MOSTLY * times}
    return naming, {kind for kind in naming if rests[kind] <= _RARELY * count[kind]}


# -- sensitive values -------------------------------------------------------------------------------------------------


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
