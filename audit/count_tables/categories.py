"""Labels of a dimension, and the atoms that each of them covers."""

from __future__ import annotations

import unicodedata

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
from audit.model.errors import Problems


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
    """Return all codes of a dimension in the tables, that of all people left out."""
    codes = dict[str, None]()
    for file in (file for release in manifest.releases for file in release.tables):
        if dimension in (column_names(file.path, file.shown, problems) or ()):
            table = read_count_table(file.path, file.shown, [dimension], problems)
            codes |= dict.fromkeys(() if table is None else table.distinct(dimension))
    return [code for code in codes if code and code != manifest.totals.get(dimension)]


def _composed(covered: dict[str, list[str]]) -> dict[str, list[str]]:
    return {composed(label): [composed(atom) for atom in atoms] for label, atoms in covered.items()}
