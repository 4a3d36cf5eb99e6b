"""Label sets: the sets of people that published labels distinguish: labels, their differences and intersections.

A label consists of atoms. Atoms that no label distinguishes are merged, so that the result does not depend on how fine
the categories are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from audit.count_tables.table_rules import WHOLE
from audit.findings.count import REST
from audit.model.arrays import mask_of
from audit.model.count_tables import Axis

Mask = int
"""A set of atoms as a bit mask."""
MOST_SETS = 100_000
Recipe = tuple[Mask, str, Sequence[Mask]]
"""A derived set, the word that joins the names of other sets to its name, and these sets."""


@dataclass(frozen=True)
class Dimension:
    """One dimension with its labels.

    Attributes:
        axis: its atoms and sets.
        labels: the text of each label: first the published ones and that of all people, then those of atoms.
        set_of: the set that each label covers; shape (labels,), int32.
        total: the label that covers all people, -1 for none.
        atom_label: the label that names each atom; shape (atoms,), int32.
        rest: the atom that no label covers, -1 for none.
        published: the number of labels that are published or cover all people.
    """

    axis: Axis
    labels: tuple[str, ...]
    set_of: np.ndarray
    total: int
    atom_label: np.ndarray
    rest: int
    published: int

    def with_total(self) -> Dimension:
        """Return the dimension with a label that covers all people, a new one if it has none."""
        if self.total >= 0:
            return self
        at, covers = self.published, np.insert(self.set_of, self.published, self.axis.whole)
        texts, names = (*self.labels[:at], WHOLE, *self.labels[at:]), self.atom_label + (self.atom_label >= at)
        return replace(self, labels=texts, set_of=covers, total=at, atom_label=names, published=at + 1)

    def made_up(self) -> dict[str, tuple[str, ...]]:
        """Return, for each published label that is made up of others, except the total, those for its atoms."""
        found = {}
        for place, label in enumerate(self.labels[: self.published]):
            atoms = self.axis.members[self.set_of[place]]
            if place != self.total and len(atoms) > 1:
                found[label] = tuple(self.labels[each] for each in self.atom_label[atoms])
        return found


def build_dimension(
    name: str, published: Iterable[str], total: str | None, categories: dict[str, list[str]] | None, *, is_open: bool
) -> Dimension:
    """Return a dimension with its published labels.

    Atoms that no published label distinguishes are merged into one, which gets a name made of labels.

    Args:
        name: the dimension.
        published: the published labels.
        total: the label that covers all people; None for none.
        categories: the atoms of each label, with all published labels; None if each label is an atom.
        is_open: whether some people may be in no label.
    """
    labels = list(dict.fromkeys([*published, *([total] if total is not None else [])]))
    finest = _atoms(labels, total, categories)
    number = {atom: place for place, atom in enumerate(finest)}
    size = max(1, len(finest) + is_open)
    covered = [
        np.arange(size) if label == total or not finest else _covered(label, number, categories) for label in labels
    ]
    classes = atoms_of(map(mask_of, covered), size)
    of_atom = np.zeros(size, dtype=np.int32)
    for place, one in enumerate(classes):
        of_atom[_members(one)] = place
    masks = [mask_of(np.unique(of_atom[some])) for some in covered]
    whole = (1 << len(classes)) - 1
    sets = {
        mask: place
        for place, mask in enumerate(dict.fromkeys([*(1 << at for at in range(len(classes))), *masks, whole]))
    }
    set_of, names = [sets[mask] for mask in masks], _Names(list(zip(masks, labels, strict=True)))
    rest, count, texts = size - 1 if is_open and finest else -1, len(labels), [*labels]
    alone = {at: place for place, at in enumerate(set_of) if not finest or labels[place] != total}
    atom_label = []
    for place, one in enumerate(classes):
        if place not in alone:
            atoms = _members(one).tolist()
            if rest in atoms or not finest:
                texts.append(REST)
            else:  # the name of a label with several atoms would be taken for the atom
                named = len(atoms) == 1 and finest[atoms[0]] not in labels
                texts.append(finest[atoms[0]] if named else names.of(1 << place))
            set_of.append(place)
            alone[place] = len(texts) - 1
        atom_label.append(alone[place])
    return Dimension(
        axis=Axis(name, len(classes), [*map(_members, sets)], sets[whole]),
        labels=tuple(texts),
        set_of=np.array(set_of, dtype=np.int32),
        total=-1 if total is None else labels.index(total),
        atom_label=np.array(atom_label, dtype=np.int32),
        rest=-1 if rest < 0 else int(of_atom[rest]),
        published=count,
    )


def _atoms(labels: Iterable[str], total: str | None, categories: dict[str, list[str]] | None) -> list[str]:
    if categories is None:
        return [label for label in labels if label != total]
    used = [atom for label in labels if label != total for atom in categories.get(label, [])]
    return list(dict.fromkeys([*used, *(atom for atoms in categories.values() for atom in atoms)])) if used else []


def _covered(label: str, number: dict[str, int], categories: dict[str, list[str]] | None) -> np.ndarray:
    if categories is None:
        return np.array([number[label]])
    return np.unique([number[atom] for atom in categories[label]])


def atoms_of(sets: Iterable[Mask], atoms: int) -> list[Mask]:
    """Return the classes of atoms that the sets do not distinguish, ordered by their first atoms.

    >>> [bin(one) for one in atoms_of([0b0011, 0b0111], 4)]
    ['0b11', '0b100', '0b1000']
    """
    sets = sorted(set(sets))
    bits = np.zeros((len(sets), atoms), dtype=np.bool_)
    for place, one in enumerate(sets):
        bits[place, _members(one)] = True
    classes: dict[bytes, list[int]] = {}
    for atom, column in enumerate(np.packbits(bits, axis=0).T):
        classes.setdefault(column.tobytes(), []).append(atom)
    return [sum(1 << atom for atom in some) for some in classes.values()]


def _members(mask: Mask) -> np.ndarray:
    """Return the atoms of a set, ascending; shape (atoms in it,), int32.

    >>> _members(9).tolist()
    [0, 3]
    """
    size = (mask.bit_length() + 7) // 8
    bits = np.unpackbits(np.frombuffer(mask.to_bytes(size, "little"), dtype=np.uint8), bitorder="little")
    return np.flatnonzero(bits).astype(np.int32)


@dataclass(frozen=True)
class LabelView:
    """The labels of a dimension in one release, or in several releases about the same people.

    Attributes:
        labels: the sets of the labels, each once, in the order in which labels were first published.
        numbers: the sets whose counts a table shows as numbers, for each table, and for its margin, in which the other
            dimensions are at their totals.
        whole_is_label: whether a label other than the total covers all people, or there is no total.
    """

    labels: tuple[Mask, ...]
    numbers: tuple[frozenset[Mask], ...]
    whole_is_label: bool

    @cached_property
    def containers(self) -> tuple[Mask, ...]:
        """The labels that overlap several others, and have people outside each of these."""
        met = dict.fromkeys(self.labels, 0)
        for one, other in overlapping(self.labels):
            met[one] += bool(one & ~other)
            met[other] += bool(other & ~one)
        return tuple(one for one, times in met.items() if times > 1)


class LabelSets:
    """The sets of a dimension that occur in questions, each with a label; more sets are added when they are needed."""

    def __init__(self, dimension: Dimension) -> None:
        self._dimension = dimension
        self._labels = list(dimension.labels)
        self._set_of = dimension.set_of.tolist()
        self._members = list(dimension.axis.members)
        self._code = {mask_of(one): place for place, one in enumerate(self._members)}
        self._label: dict[Mask, int] = {}
        for place, one in enumerate(self._set_of):
            self._label.setdefault(mask_of(self._members[one]), place)
        if dimension.total >= 0:
            self._label[self.whole] = dimension.total
        self._names = _Names([(mask, self._labels[place]) for mask, place in self._label.items()])

    @property
    def name(self) -> str:
        """The name of the dimension."""
        return self._dimension.axis.name

    @property
    def size(self) -> int:
        """The number of labels so far."""
        return len(self._labels)

    @property
    def whole(self) -> Mask:
        """The set of all atoms."""
        return (1 << self._dimension.axis.atoms) - 1

    def dimension(self) -> Dimension:
        """Return the dimension with all sets and labels that were added."""
        axis = replace(self._dimension.axis, members=tuple(self._members))
        set_of = np.array(self._set_of, dtype=np.int32)
        return replace(self._dimension, axis=axis, labels=tuple(self._labels), set_of=set_of)

    def mask(self, label: int) -> Mask:
        """Return the set of a label."""
        return mask_of(self._members[self._set_of[label]])

    def label(self, mask: Mask, text: str | None = None) -> int:
        """Return the label of a set; a new label gets the text, or a name made of labels."""
        if mask not in self._label:
            if mask not in self._code:
                self._code[mask] = len(self._members)
                self._members.append(_members(mask))
            self._label[mask] = len(self._labels)
            self._labels.append(self._names.of(mask) if text is None else text)
            self._set_of.append(self._code[mask])
        return self._label[mask]

    def text(self, mask: Mask) -> str:
        """Return the name of a set that has a label."""
        return self._labels[self._label[mask]]

    def of_view(self, view: LabelView, atoms: Sequence[Mask]) -> tuple[list[int], int]:
        """Return the labels of the sets that questions ask about, and how many sets are left out, above the limit.

        These are the given atoms and the labels; A less B, and A with B, for labels that overlap; and each label less
        all labels that a table shows as numbers and that lie in it, or overlap it. The set of all people is only
        included if a label other than the total covers it, or there is no total.
        """
        found = dict.fromkeys(self.label(one) for one in (*atoms, *view.labels))
        left = 0
        for mask, link, parts in self._derived(view):
            if not mask or (mask in self._label and self._label[mask] in found):
                continue
            if len(found) < MOST_SETS:
                found[self.made(mask, link, parts)] = None
            else:
                left += 1
        if not view.whole_is_label:
            found.pop(self._label.get(self.whole, -1), None)
        return list(found), left

    def made(self, mask: Mask, link: str, parts: Sequence[Mask]) -> int:
        """Return the label of a set; a new one is named after other sets, whose names the word `link` joins."""
        return self._label[mask] if mask in self._label else self.label(mask, link.join(map(self.text, parts)))

    def _derived(self, view: LabelView) -> Iterator[Recipe]:
        for one, other in overlapping(view.labels):
            yield one & other, " with ", (one, other)
            yield one & ~other, " less ", (one, other)
            yield other & ~one, " less ", (other, one)
        for numbers in view.numbers:
            yield from self.left_of(view, numbers)

    @staticmethod
    def left_of(view: LabelView, numbers: Iterable[Mask]) -> Iterator[Recipe]:
        """Yield each label less all `numbers` that lie in it, and less all that overlap it, if these are several."""
        ordered = sorted(numbers)
        for label in view.containers:
            meeting = [one for one in ordered if one & label and label & ~one]
            inside = [one for one in meeting if not one & ~label]
            for removed in (inside, meeting):
                if len(removed) > 1:
                    left = label
                    for one in removed:
                        left &= ~one
                    yield left, " less ", (label, *removed)


def overlapping(sets: Sequence[Mask]) -> Iterator[tuple[Mask, Mask]]:
    """Yield all pairs of sets that have an atom in common, pairs of earlier sets first."""
    of_atom: dict[int, list[int]] = {}
    for place, one in enumerate(sets):
        near: set[int] = set()
        for atom in _members(one).tolist():
            near.update(of_atom.setdefault(atom, []))
            of_atom[atom].append(place)
        for other in sorted(near):
            yield sets[other], one


class _Names:
    """Names of sets that are made of labels: A less B less C, A with B, or A + B, whichever uses the fewest labels."""

    def __init__(self, labels: Sequence[tuple[Mask, str]]) -> None:
        self._labels = sorted(labels, key=lambda each: -each[0].bit_count())

    def of(self, mask: Mask) -> str:
        inside = [each for each in self._labels if not each[0] & ~mask]
        added, left = self._covering(mask, inside)
        around = [each for each in reversed(self._labels) if not mask & ~each[0]]
        within, common = [], -1
        for one, text in around:
            if common & ~one or common < 0:
                within.append(text)
                common &= one
        outside = [each for each in self._labels if not each[0] & mask]
        taken, over = self._covering(common & ~mask, outside) if around else ([], 1)
        fewer = " less ".join([" with ".join(within), *taken])
        if over == 0 and (left or len(within) + len(taken) <= len(added)):
            return fewer
        return " + ".join(added) if not left else " + ".join([*added, REST])

    @staticmethod
    def _covering(mask: Mask, labels: Sequence[tuple[Mask, str]]) -> tuple[list[str], Mask]:
        """Return names of labels that cover a set, the largest first, and the rest that no label covers."""
        taken = []
        for one, text in labels:
            if one & mask:
                taken.append(text)
                mask &= ~one
            if not mask:
                break
        return taken, mask
