"""Releases that are said to count different people, but whose numbers show that some of them count the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from audit.count_tables.published_counts import PublishedCounts
from audit.io.toml import toml_text
from audit.model.errors import printable
from audit.runtime.phrases import say

_LINES_COMPARED = 200
_FIRST = 8  # the lines that are compared at once
_MANY = 40  # of more releases, three are added up only if they follow each other, and at most a year of months
_MONTHS = 12
_CHANCE = 10_000  # how much rarer than the comparisons a coincidence has to be
_EQUAL = 0.75  # the share of equal numbers, of which a corrected release may lack some
_NAMED = 6

Known = npt.NDArray[np.float64]


def release_doubts(counts: PublishedCounts) -> Iterator[str]:
    """Yield sentences about `independent` releases of which one repeats another or is the sum of others.

    They matter only if counts are hidden or rounded.
    """
    tags = counts.manifest.tags
    is_exact = counts.lower == counts.upper
    if counts.manifest.over_time != "independent" or is_exact.all():
        return
    cells, cell = np.unique(np.column_stack([counts.measure, counts.label]), axis=0, return_inverse=True)
    known = np.full((len(cells), len(tags)), np.nan)
    known[cell[is_exact], counts.release[is_exact]] = counts.lower[is_exact]
    most_known = np.argsort(np.isnan(known).sum(axis=1), kind="stable")
    yield from _repeated(counts, known)
    for whole, parts in [*_sums(known[most_known[:_LINES_COMPARED]], tags)][:1]:
        yield say(
            'release "{release}" is the sum of others ({others}) wherever all numbers are shown, so it counts the same '
            "people; write them as one release: a table with a column that names each of them, which is a dimension "
            '(not releases_by) with "{release}" as its total; if they count other people, audit each in a folder of '
            "its own",
            release=printable(tags[whole], 60),
            others=", ".join(printable(tags[part], 60) for part in parts[:_NAMED]),
        )


def _repeated(counts: PublishedCounts, known: Known) -> Iterator[str]:
    """Yield a sentence about the first two releases most of whose common numbers are equal."""
    pairs = [*combinations(range(known.shape[1]), 2)]
    for one, other in pairs:
        both = known[(known[:, one] > 0) & (known[:, other] > 0)]
        equal = both[both[:, one] == both[:, other], one]
        if len(equal) >= _EQUAL * len(both) and _is_evidence(equal, len(pairs)):
            first, second = (counts.manifest.releases[place] for place in (one, other))
            files = ", ".join(toml_text(table.shown) for table in (*first.tables, *second.tables))
            yield say(
                'releases "{one}" and "{other}" have the same numbers, so they count the same people; if they are one '
                "release, write {example} in releases; if the numbers never change, write over_time = {same}; if they "
                "count other people, audit each in a folder of its own",
                one=printable(first.tag, 60),
                other=printable(second.tag, 60),
                example=f"{{ tag = {toml_text(first.tag)}, tables = [{files}] }}",
                same='"same"',
            )
            return


def _sums(known: Known, tags: Sequence[str]) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield each release that is a sum of others, and these: those that its name is part of, all, or some of them.

    `known` has the exact counts of each release, shape (lines, releases); NaN is a count that is hidden or absent.
    """
    places = range(len(tags))
    for whole in places:
        named = [part for part in places if tags[whole] in tags[part] and part != whole]
        if len(named) > 1 and (~np.isnan(known[:, whole])).any() and _shown_sum(known, whole, named) is not None:
            yield whole, named
    for whole in places:
        others = [part for part in places if part != whole]
        if len(others) > 1 and (shown := _shown_sum(known, whole, others)) is not None and len(shown):
            yield whole, others
    several = [[*_several([part for part in places if part != whole])] for whole in places]
    tried = sum(len(some) for each in several for some in each)
    for whole, some in ((place, some) for place in places for some in several[place]):
        sums = known[:_FIRST, some].sum(axis=2)
        found = known[:_FIRST, [whole]]
        for at in np.flatnonzero(~((sums != found) & ~np.isnan(sums + found)).any(axis=0)).tolist():
            shown = _shown_sum(known, whole, some[at])
            if shown is not None and len(shown) > 1 and _is_evidence(shown, tried):
                yield whole, some[at].tolist()


def _several(others: Sequence[int]) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the sets of releases that may add up: those that follow each other, two, three; shape (sets, releases)."""
    for length in range(2, len(others) if len(others) < _MANY else _MONTHS + 1):
        near: Iterable[Sequence[int]] = (others[at : at + length] for at in range(len(others) - length + 1))
        any_of = length == 2 or (length == 3 and len(others) < _MANY)
        yield np.array([*(combinations(others, length) if any_of else near)])


def _shown_sum(known: Known, whole: int, parts: npt.ArrayLike) -> Known | None:
    """Return the numbers of a release that others add up to where all are known; None if some number refutes it.

    Where only one of the others has a count, the sum is no evidence.
    """
    total, added = known[:, whole], known[:, np.asarray(parts)]
    is_complete = ~np.isnan(added).any(axis=1) & ~np.isnan(total)
    least = np.nansum(added, axis=1)
    if (least > total).any() or (least != total)[is_complete].any():
        return None
    return total[is_complete & ((added > 0).sum(axis=1) > 1)]


def _is_evidence(equal: Known, tried: int) -> bool:
    """Return whether numbers are too many and large to be equal by chance in one of the comparisons that were tried."""
    return bool(np.log(equal).sum() > np.log(_CHANCE * tried))
