"""Read tables of tau-Argus: a `.tab` file without a header, and the `.rda` file beside it, which names its columns.

Codes may be nested: a `.hrc` file lists them, each with as many leading signs as its depth, or their digits show it.
Source: the manual of tau-Argus (free format of tabular data), and its own reader of metadata.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from audit.io.cells import Fault

ENDING = ".tab"
METADATA = ".rda"
HIERARCHY = ".hrc"
LEADING = "@"
_TOKEN = re.compile(r'"([^"]*)"|(\S+)')
_KINDS = {
    "<RECODEABLE>": "label",
    "<RECODABLE>": "label",
    "<FREQUENCY>": "frequency",
    "<MAXSCORE>": "score",
    "<STATUS>": "status",
    "<NUMERIC>": "response",
}
_NUMERIC = {"<SHADOW>": "shadow", "<COST>": "cost", "<COSTVAR>": "cost", "<LOWERPL>": "level", "<UPPERPL>": "level"}
_SIGNS = {"<SAFE>": "safe", "<UNSAFE>": "unsafe", "<PROTECT>": "protected"}
_NOT_READ = ("<DISTANCE>", "<HIERARCHICAL>", "<CODELIST>")  # columns that do not describe what a number counts


class ArgusFileError(Fault):
    """A file of tau-Argus cannot be read."""


@dataclass(frozen=True)
class ArgusVariable:
    """A column of a table.

    Attributes:
        name: the column.
        kind: label, frequency, response, status, score, shadow, cost, level, or audit.
        total: the code for all people.
        missing: the codes for unknown values.
        hierarchy: the `.hrc` file of its codes; None if there is none.
        leading: the sign that marks each level of a code in that file.
        digits: the number of digits of each level, if the digits of codes form the hierarchy.
        decimals: the number of decimals.
    """

    name: str
    kind: str = "response"
    total: str = "Total"
    missing: tuple[str, ...] = ()
    hierarchy: str | None = None
    leading: str = LEADING
    digits: tuple[int, ...] = ()
    decimals: int = 0


@dataclass
class ArgusMetadata:
    """The contents of a `.rda` file about the table beside it.

    Attributes:
        variables: the columns, in order.
        separator: the sign between cells.
        safe, unsafe, protected: the signs for the status of a cell; besides, `M` is a cell hidden to protect others,
            and `E` an empty one.
    """

    variables: list[ArgusVariable] = field(default_factory=list)
    separator: str = ";"
    safe: str = "S"
    unsafe: str = "U"
    protected: str = "P"

    def of_kind(self, *kinds: str) -> list[ArgusVariable]:
        """Return the columns of these kinds."""
        return [each for each in self.variables if each.kind in kinds]


def metadata_beside(path: Path) -> Path:
    """Return the path of the metadata beside a `.tab` file."""
    return path.with_name(path.name[: -len(ENDING)] + METADATA)


def text_of(path: Path) -> str:
    """Return the text of a file, decoded as UTF-8 or, if that fails, as Windows text."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def read_metadata(path: Path) -> ArgusMetadata:
    """Return the metadata in a `.rda` file, or in the one beside a table.

    Raises:
        ArgusFileError: there is no such file, or it does not describe a table.
        OSError: it cannot be opened.
    """
    beside = path if path.name.lower().endswith(METADATA) else metadata_beside(path)
    if not beside.exists():
        remedy = "put it there, or save the table as .csv with a header"
        raise ArgusFileError(f"a .tab file of tau-Argus needs {beside.name} beside it, which is missing", remedy)
    found, audit = ArgusMetadata(), list[str]()
    for number, line in enumerate(text_of(beside).splitlines(), 1):
        bare = line.strip()
        if bare.startswith("//"):
            audit.append(bare.removeprefix("//").strip())
        elif bare:
            try:
                _read_line(found, [quoted or plain for quoted, plain in _TOKEN.findall(bare)])
            except (KeyError, ValueError, IndexError) as error:
                what = f"{beside.name}:{number} has a keyword that is unknown in metadata of a table"
                raise ArgusFileError(what, "write metadata of a table, not of records, in free format") from error
    # Intervals computed by tau-Argus are named in comments, except for the first comment.
    found.variables += [ArgusVariable(name, "audit") for name in audit[1:]]
    return found


def _read_line(found: ArgusMetadata, tokens: Sequence[str]) -> None:
    key = tokens[0].upper()
    if not key.startswith("<"):
        found.variables.append(ArgusVariable(tokens[0], missing=tuple(each.strip() for each in tokens[1:])))
    elif key == "<SEPARATOR>":
        found.separator = tokens[1]
    elif key in _SIGNS:
        setattr(found, _SIGNS[key], tokens[1])
    elif key not in _NOT_READ:
        found.variables[-1] = _described(found.variables[-1], key, tokens[1:])


def _described(variable: ArgusVariable, key: str, values: Sequence[str]) -> ArgusVariable:
    if key in _KINDS:
        kind = _NUMERIC[values[0].upper()] if key == "<NUMERIC>" and values else _KINDS[key]
        return replace(variable, kind=kind)
    if key == "<HIERLEVELS>":
        return replace(variable, digits=tuple(int(each) for each in values if int(each)))
    if key == "<DECIMALS>":
        return replace(variable, decimals=int(values[0]))
    names = {"<TOTCODE>": "total", "<HIERCODELIST>": "hierarchy", "<HIERLEADSTRING>": "leading"}
    return replace(variable, **{names[key]: values[0].strip()})  # type: ignore[arg-type]  # all three are texts


def read_rows(path: Path, metadata: ArgusMetadata) -> tuple[list[list[str]], list[int]]:
    """Return the cells of each row, numbers with a decimal point, and the line of each row.

    Raises:
        ArgusFileError: a line has another number of cells than the metadata, or an invalid status.
        OSError: it cannot be opened.
    """
    width, rows, lines = len(metadata.variables), list[list[str]](), list[int]()
    numeric = [each.kind not in ("label", "status") for each in metadata.variables]
    known = {metadata.safe, metadata.unsafe, metadata.protected, "M", "E", ""}
    known = {each.casefold() for each in known}
    for number, line in enumerate(text_of(path).splitlines(), 1):
        if not line.strip():
            continue
        cells = [_bare(cell) for cell in line.split(metadata.separator)]
        if len(cells) != width:
            what = f"line {number} has {len(cells)} cells, but {metadata_beside(path).name} names {width} columns"
            raise ArgusFileError(what, "correct the line or the metadata")
        rows.append([c.replace(",", ".") if n else c for c, n in zip(cells, numeric, strict=True)])
        status = next((c for c, v in zip(cells, metadata.variables, strict=True) if v.kind == "status"), "")
        if status.casefold() not in known:
            what = f"line {number} has a status that {metadata_beside(path).name} does not name"
            raise ArgusFileError(what, "name it there as <SAFE>, <UNSAFE> or <PROTECT>; M is secondary, E empty")
        lines.append(number)
    return rows, lines


def _bare(cell: str) -> str:
    cell = cell.strip()
    return cell[1:-1].strip() if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


# -- hierarchies --------------------------------------------------------------------------------------------------


def covered_codes(path: Path, leading: str = LEADING) -> dict[str, list[str]]:
    """Return the finest codes inside each code of a `.hrc` file; a finest code is inside itself.

    Raises:
        ArgusFileError: a code is deeper than the one before by more than one level, or occurs twice.
        OSError: it cannot be opened.
    """
    found: dict[str, list[str]] = {}
    above: list[str] = []
    coarse = set[str]()
    for number, line in enumerate(text_of(path).splitlines(), 1):
        depth, bare = 0, line.strip()
        while leading and bare.startswith(leading):
            depth, bare = depth + 1, bare[len(leading) :].strip()
        if not bare:
            continue
        if depth > len(above) or bare in found:
            why = "it is already in the file" if bare in found else "the code above it is missing"
            raise ArgusFileError(f"line {number} has a code that cannot be placed: {why}", "correct the hierarchy")
        above = [*above[:depth], bare]
        coarse.update(above[:-1])
        found[bare] = []
        for code in above:
            found[code].append(bare)
    return {code: [each for each in inside if each not in coarse] for code, inside in found.items()}


def covered_by_digits(codes: Sequence[str], digits: Sequence[int] = ()) -> dict[str, list[str]]:
    """Return the finest codes inside each code: those that begin with it, if it ends where a level of digits ends.

    >>> covered_by_digits(["1", "11", "12", "2"], [1, 1])
    {'1': ['11', '12'], '11': ['11'], '12': ['12'], '2': ['2']}
    """
    ends = [sum(digits[: place + 1]) for place in range(len(digits))]
    inside = {code: [each for each in codes if each != code and _begins(each, code, ends)] for code in codes}
    return {code: [e for e in inner if not inside[e]] or [code] for code, inner in inside.items()}


def _begins(code: str, start: str, ends: Sequence[int]) -> bool:
    return (not ends or len(start) in ends) and code.startswith(start)


def hierarchy_beside(path: Path, name: str) -> Path:
    """Return the path of a hierarchy that metadata name: the file of that name beside them, whatever its capitals."""
    bare = path.with_name(name.replace("\\", "/").rsplit("/", 1)[-1])
    if bare.exists():
        return bare
    alike = [each for each in path.parent.iterdir() if each.name.casefold() == bare.name.casefold()]
    return alike[0] if alike else bare
