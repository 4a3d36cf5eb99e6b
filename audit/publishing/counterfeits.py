"""Counterfeits that keep their identity: their names, which only the key has, and their exact quasi-identifiers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Cell, Interval, ValueSet
from audit.io.encoding import COUNTERFEIT as MARK
from audit.io.encoding import IdentifierEncoder
from audit.io.microdata import ReadSnapshot
from audit.io.toml import natural
from audit.model.anonymizer import COUNTERFEIT, Draft
from audit.model.arrays import Codes

if TYPE_CHECKING:
    from audit.io.releases import Release

Value: TypeAlias = Fraction | str
_NAME = re.compile(re.escape(MARK) + r"c([0-9]{1,15})")


class Counterfeits:
    """The counterfeits with identity of a series, and the cells of those in the last release.

    Attributes:
        codes: who of them is in the last release; ascending, int32.
        cells: their cells there, as numbers of the attributes; shape (len(codes), attributes), int32.
    """

    def __init__(self, people: IdentifierEncoder, attributes: Sequence[QuasiIdentifier]) -> None:
        self._people = people
        self._attributes = tuple(attributes)
        self.codes: Codes = np.zeros(0, dtype=np.int32)
        self.cells: Codes = np.zeros((0, len(self._attributes)), dtype=np.int32)

    def learn(self, release: Release) -> None:
        """Look at the last release."""
        if release.person is None or not self._people.has_counterfeits:
            return
        rows = np.flatnonzero(np.append(self._people.is_counterfeit(), False)[release.person])
        rows = rows[np.argsort(release.person[rows])]
        self.codes = release.person[rows]
        columns = [release.cells[attribute.name][rows] for attribute in self._attributes]
        self.cells = np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), dtype=np.int32)

    def born(self, number: int) -> Codes:
        """Return the codes of so many new ones; they are called `~c1` and so on, going on from the last number."""
        names = (self._people.name(code) for code in np.flatnonzero(self._people.is_counterfeit()).tolist())
        last = max((int(found[1]) for name in names if (found := _NAME.fullmatch(name))), default=0)
        return self._people.number([f"{MARK}c{last + place}" for place in range(1, number + 1)])

    def cells_of(self, codes: Codes) -> Codes:
        """Return the cells that some of those in the last release have there; shape (len(codes), attributes)."""
        return self.cells[np.searchsorted(self.codes, codes)]


def exact_columns(
    draft: Draft,
    read: ReadSnapshot,
    attributes: Sequence[QuasiIdentifier],
    listed: frozenset[str],
    counterfeits: Counterfeits,
    rng: np.random.Generator,
) -> list[tuple[Codes, list[str]]]:
    """Return the quasi-identifiers of a draft's rows, column by column: each row's place among texts, and the texts.

    A new counterfeit takes those of somebody who is published, and one that goes on keeps its own. `listed` are the
    attributes whose values stand in an order of their own.
    """
    row, fake = draft.row.copy(), draft.row == COUNTERFEIT
    # Nobody is taken twice while that can be: two equal rows would show that neither is a person.
    real = rng.permutation(draft.row[~fake])
    row[fake] = np.resize(real, np.count_nonzero(fake))
    point = read.snapshot.point[row]
    identity = np.full_like(row, COUNTERFEIT) if draft.identity is None else draft.identity
    old = np.flatnonzero(fake & (identity != COUNTERFEIT))
    if not len(old):
        return [(point[:, column], read.texts[column]) for column in range(len(attributes))]
    cells, columns = counterfeits.cells_of(identity[old]), []
    for column, attribute in enumerate(attributes):
        texts, moved, place = _extended(attribute, read, column, cells[:, column], listed=attribute.name in listed)
        codes = moved[point[:, column]]
        codes[old] = place
        columns.append((codes, texts))
    return columns


def _extended(
    attribute: QuasiIdentifier, read: ReadSnapshot, column: int, cells: Codes, *, listed: bool
) -> tuple[list[str], Codes, Codes]:
    """Return a snapshot's scale with the values of some cells of an older release among its own.

    Args:
        attribute: whose scale.
        read: the snapshot.
        column: the attribute's place.
        cells: exact values, as numbers of the attribute; others stand at the end.
        listed: whether the values stand in an order of their own; then what is not among them is at the end.

    Returns:
        The texts of all values in order, where each of the snapshot's values stands, and where that of each cell does.
    """
    own: list[Value] = [*(read.numbers[column] or read.texts[column])]
    text_of = dict(zip(own, read.texts[column], strict=True))
    told = [_exact(attribute.cells[cell], attribute.texts[cell]) for cell in cells.tolist()]
    new = {value: attribute.texts[cell] for value, cell in zip(told, cells.tolist(), strict=True)}
    for value in text_of.keys() & new.keys():
        del new[value]
    text_of |= new
    values = own + sorted(new, key=_rank) if listed or not new else sorted(text_of, key=_rank)
    place = {value: number for number, value in enumerate(values)}
    moved, there = (np.array([place[value] for value in some], dtype=np.int32) for some in (own, told))
    return [text_of[value] for value in values], moved, there


def _exact(cell: Cell, text: str) -> Value:
    """Return the one value that a cell covers, or else its text."""
    if isinstance(cell, Interval) and cell.low is not None and cell.low == cell.high:
        return cell.low
    return next(iter(cell.members)) if isinstance(cell, ValueSet) and len(cell.members) == 1 else text


def _rank(value: Value) -> tuple[bool, Any]:
    """Return what to sort by: numbers before texts, these as people sort names."""
    return (False, value) if isinstance(value, Fraction) else (True, (natural(value), value))
