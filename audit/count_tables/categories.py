"""Labels of a dimension, and the atoms that each of them covers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from audit.count_tables.manifest import TableManifest
from audit.count_tables.table_files import column_names, read_count_table
from audit.io.argus_files import (
    HIERARCHY,
    METADATA,
    ArgusFileError,
    covered_by_digits,
    covered_codes,
    hierarchy_beside,
    read_metadata,
)
from audit.io.tables import read_table
from audit.model.count_tables import Axis
from audit.model.errors import Problems

REST = "(rest)"


@dataclass(frozen=True)
class Dimension:
    """One dimension with its labels.

    Attributes:
        axis: its atoms and sets.
        labels: the text of each label; those that were published first, then those of atoms and of everybody.
        set_of: shape (labels,), int32; the set that each label covers.
        total: which label stands for everybody, -1 for none.
        atom_label: shape (atoms,), int32; the label that names each atom.
        rest: the atom that no label covers, -1 for none.
        published: how many of the labels were published, or stand for everybody; they come first.
    """

    axis: Axis
    labels: tuple[str, ...]
    set_of: np.ndarray
    total: int
    atom_label: np.ndarray
    rest: int
    published: int


def composed(text: str) -> str:
    """Return a label with its accents as Unicode's NFC has them, so that equal labels are equal texts."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def read_categories(manifest: TableManifest, problems: Problems) -> dict[str, dict[str, list[str]]]:
    """Return for each dimension with a file of categories the atoms of each label."""
    found: dict[str, dict[str, list[str]]] = {}
    for dimension in sorted(manifest.codes):
        found[dimension] = _composed(covered_by_digits(_codes(manifest, dimension, problems)))
    for dimension, name in manifest.categories.items():
        if name.endswith((HIERARCHY, METADATA)):
            found[dimension] = _argus_categories(manifest, dimension, name, problems)
            continue
        table = read_table(manifest.folder / name, name, ["label", "atom"], problems)
        if table is None:
            continue
        covered: dict[str, list[str]] = {}
        for row, (label, atom) in enumerate(zip(table.texts("label"), table.texts("atom"), strict=True)):
            if not label or not atom:
                problems.add(name, "a label or an atom is empty", "give every line both", line=table.line(row))
                break
            covered.setdefault(composed(label), []).append(composed(atom))
        found[dimension] = covered
    return found


def _argus_categories(manifest: TableManifest, dimension: str, name: str, problems: Problems) -> dict[str, list[str]]:
    """Return the atoms of each code as a file of tau-Argus says: a hierarchy, or metadata that name one."""
    path = manifest.folder / name
    try:
        if name.endswith(HIERARCHY):
            return _composed(covered_codes(path))
        variable = next((each for each in read_metadata(path).variables if each.name == dimension), None)
        if variable is None:
            problems.add(name, f'it has no variable "{dimension}"', "name the file that has it")
            return {}
        if variable.hierarchy is None:
            return _composed(covered_by_digits(_codes(manifest, dimension, problems), variable.digits))
        covered = covered_codes(hierarchy_beside(path, variable.hierarchy), variable.leading)
        return _composed(covered | {code: [code] for code in variable.missing if code not in covered})
    except ArgusFileError as error:
        problems.add(name, error.what, error.remedy)
    except OSError as error:
        problems.add(name, f"it cannot be read: {error.strerror}", "correct the path")
    return {}


def _codes(manifest: TableManifest, dimension: str, problems: Problems) -> list[str]:
    """Return all codes of a dimension in the tables, that of everybody left out."""
    codes = dict[str, None]()
    for file in (file for release in manifest.releases for file in release.tables):
        if dimension in (column_names(file.path, file.shown, problems) or ()):
            table = read_count_table(file.path, file.shown, [dimension], problems)
            codes |= dict.fromkeys(() if table is None else table.distinct(dimension))
    return [code for code in codes if code and code != manifest.totals.get(dimension)]


def _composed(covered: dict[str, list[str]]) -> dict[str, list[str]]:
    return {composed(label): [composed(atom) for atom in atoms] for label, atoms in covered.items()}


def build_dimension(
    name: str, published: Iterable[str], total: str | None, categories: dict[str, list[str]] | None, *, is_open: bool
) -> Dimension:
    """Return a dimension with its published labels, all of them known to `categories` if there are any."""
    labels = dict.fromkeys([*published, *([total] if total is not None else [])])
    atoms = _atoms(labels, total, categories)
    number = {atom: place for place, atom in enumerate(atoms)}
    shown_alone = not atoms
    count = max(1, len(atoms) + is_open)
    members: list[tuple[int, ...]] = [(atom,) for atom in range(count)]
    code = {one: place for place, one in enumerate(members)}

    def set_code(some: tuple[int, ...]) -> int:
        if some not in code:
            code[some] = len(members)
            members.append(some)
        return code[some]

    everybody = tuple(range(count))
    set_of = [
        set_code(everybody if label == total or shown_alone else _covered(label, number, categories))
        for label in labels
    ]
    whole = set_code(everybody)
    texts = list(labels)
    atom_label = []
    alone = {one: place for place, one in enumerate(set_of) if shown_alone or texts[place] != total}
    for atom in range(count):
        if atom not in alone:
            texts.append(atoms[atom] if atom < len(atoms) else REST)
            set_of.append(atom)
            alone[atom] = len(texts) - 1
        atom_label.append(alone[atom])
    arrays = [np.array(one, dtype=np.int32) for one in members]
    return Dimension(
        axis=Axis(name, count, arrays, whole),
        labels=tuple(texts),
        set_of=np.array(set_of, dtype=np.int32),
        total=-1 if total is None else texts.index(total),
        atom_label=np.array(atom_label, dtype=np.int32),
        rest=count - 1 if is_open and atoms else -1,
        published=len(labels),
    )


def _atoms(labels: Iterable[str], total: str | None, categories: dict[str, list[str]] | None) -> list[str]:
    if categories is None:
        return [label for label in labels if label != total]
    used = [atom for label in labels if label != total for atom in categories.get(label, [])]
    return list(dict.fromkeys([*used, *(atom for atoms in categories.values() for atom in atoms)])) if used else []


def _covered(label: str, number: dict[str, int], categories: dict[str, list[str]] | None) -> tuple[int, ...]:
    if categories is None:
        return (number[label],)
    return tuple(sorted({number[atom] for atom in categories[label]}))
