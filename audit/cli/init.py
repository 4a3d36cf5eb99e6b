"""`audit init SERIES`: write a `series.toml` guessed from the files found, each guess with its reason."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from audit.cli.arguments import local
from audit.cli.output import say
from audit.core.errors import UsageError, printable

if TYPE_CHECKING:
    from audit.guessing.guess import Guess
    from audit.reading.manifest import Manifest


def add_parser(commands: Any) -> None:  # noqa: ANN401 - argparse's class of subparsers is private
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "init",
        help="write a series.toml from the files found",
        description="Guess a series.toml from the published files in a folder; each guess is marked as one.",
    )
    parser.add_argument("series", type=local, metavar="SERIES", help="folder that holds the releases")


def run(arguments: argparse.Namespace) -> int:
    """Write the manifest, and say what was found and what to check.

    Raises:
        UsageError: there is a manifest already, or nothing to guess from.
        InputError: a file cannot be read.
    """
    from audit.guessing.guess import guess
    from audit.reading.manifest import NAME

    folder: Path = arguments.series.parent if arguments.series.name == NAME else arguments.series
    path = folder / NAME
    if os.path.lexists(path):
        raise _taken(path)
    guessed = guess(folder)
    write_new(path, guessed.text)
    say(summary(path, guessed))
    return 0


def summary(path: Path, guessed: Guess) -> str:
    """Return what was found, what to check, and the next command, for a terminal."""
    lines = [f"Wrote {printable(str(path), 200)}, guessed from the files found:", ""]
    lines += [_item(f"  {meaning:<17}  ", what) for meaning, what in _facts(guessed.manifest)]
    if guessed.doubts:
        lines += ["", "Check first:", *(_item("  - ", printable(doubt, 600)) for doubt in guessed.doubts)]
    command = f"audit {printable(shlex.quote(str(path.parent)), 400)}"
    lines += ["", f"The file says why each guess was made. When it is right: {command}", ""]
    return "\n".join(lines)


def _facts(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield each meaning and what has it."""
    tags, columns = [release.tag for release in manifest.releases], manifest.columns
    yield "releases", f"{len(tags)}: {_listed(tags if len(tags) <= 6 else [*tags[:3], '…', *tags[-2:]])}"
    yield "sensitive", _listed(columns.sensitive)
    yield "quasi-identifiers", _listed(columns.quasi_identifiers) or "none"
    for key in ("group", "individual", "record", "count"):
        if name := getattr(columns, key):
            yield key, printable(name)
    adversary = [shown for shown in (manifest.register, manifest.transitions, manifest.known) if shown]
    if beside := [*adversary, *columns.hierarchies.values(), *manifest.counterfeits.values()]:
        yield "other files", _listed(beside)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(printable, names))


def _item(head: str, text: str) -> str:
    """Return a text as an item of a list, its further lines indented as its first."""
    return fill(head + text, 100, subsequent_indent=" " * len(head), break_long_words=False, break_on_hyphens=False)


def write_new(path: Path, text: str) -> None:
    """Write a file that was not there before, and never over another; where links can be made, whole or not at all.

    Raises:
        UsageError: it is there, or cannot be written.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        try:
            os.link(draft, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except FileExistsError as error:
        raise _taken(path) from error
    except OSError as error:
        what = f"{path}: {error.strerror or 'it cannot be written'}; check the folder's permissions and space"
        raise UsageError(what) from error
    finally:
        draft.unlink(missing_ok=True)


def _taken(path: Path) -> UsageError:
    return UsageError(
        f"{path}: there is a manifest already, and `audit init` never overwrites one; "
        "edit it, or move it away to have a new one guessed"
    )
