"""Run a checker of witnesses: read the manifest, compare the files with those of the statement, print what is shown.

`verify.py`, `verify_register.py` and `verify_tables.py` run this file. It needs only Python 3.11. What is not shown or
not supported raises `NotImplementedError`, with the exit status and the message.
"""

from __future__ import annotations

import csv
import gc
import hashlib
import runpy
import sys
import tomllib
from collections.abc import Callable, Sequence, Set
from pathlib import Path
from typing import Any

WRONG = (csv.Error, OSError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError)


def need(holds: object, what: str, status: int = 2) -> None:
    """Stop with a message and an exit status unless a condition holds: 1 not shown, 2 not supported."""
    if not holds:
        raise NotImplementedError(status, what)


def beside(name: str) -> dict[str, Any]:
    """Return the module in a file in the same folder."""
    path = Path(__file__).with_name(f"{name}.py")
    need(path.exists(), f"a checker without {path.name} beside it")
    return runpy.run_path(str(path))


def read_manifest(folder: Path, supported: dict[str, str], others: Set[str]) -> dict[str, Any]:
    """Return the manifest of a series: tables with keys that are supported, and others, which do not matter."""
    found = tomllib.loads((folder / "series.toml").read_text("utf-8"))
    for name, table in found.items():
        left = set(table) - set(supported[name].split()) if name in supported else {name} - others
        need(not left, f"{', '.join(sorted(left))} in [{name}] of series.toml")
    return found


def check_files(folder: Path, read: dict[str, int | None], stated: dict[str, Any]) -> None:
    """Stop if one of the files that were read is not the one that a statement is about."""
    for name, rows in read.items():
        same = {"sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(), "rows": rows}
        need(stated["files"].get(name) == same, f"{name} has changed since the statement was written", 1)


def print_shown(stated: dict[str, Any], shown: Sequence[str]) -> int:
    """Print what is shown, and what has no evidence; return the exit status."""
    rests = [f"rests on the program that stated it: {rest}\n" for rest in stated["rests"]]
    sys.stdout.write("".join([*shown, *rests]))
    return 0


def main(series: str, witness: str, check: Callable[[Path, Path], int]) -> int:
    """Check the witness in a folder, print the result, and return the exit status."""
    gc.disable()  # millions of texts, of which none is garbage
    try:
        return check(Path(series), Path(witness))
    except NotImplementedError as stop:
        status, what = (2, *stop.args)[-2:]  # an error without a status is about what is not supported
    except WRONG as error:
        status, what = 1, f"the files cannot be read ({type(error).__name__}: {error})"
    finally:
        gc.enable()
    sys.stdout.write(f"{'not shown' if status == 1 else 'not supported'}: {what}\n")
    return int(status)
