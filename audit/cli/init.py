"""`audit init SERIES`: write a `series.toml` guessed from the files found, each guess with its reason."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from audit.cli.arguments import Commands, local
from audit.cli.output import put
from audit.init.questions import Question
from audit.io.atomic_files import write_file
from audit.io.rules.unlinkable import Unlinkable
from audit.model.errors import UsageError, printable, printable_path

if TYPE_CHECKING:
    from audit.init.count_tables import TablesGuess
    from audit.init.guess import Guess
    from audit.model.report import ReportWarning

_WIDTH = 100


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "init",
        help="write a series.toml from the files found",
        description="Guess a series.toml from the published files in a folder; each guess is marked as one. "
        "On a terminal it asks where it is not sure.",
    )
    parser.add_argument("series", type=local, metavar="SERIES", help="folder that holds the releases")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--yes", action="store_true", help="ask nothing; what is not sure is listed as unconfirmed, and decides nothing"
    )
    how.add_argument(
        "--confirm",
        action="store_true",
        help="ask what is unconfirmed, or has no role, in the series.toml that is there; nothing else is changed in it",
    )
    parser.add_argument(
        "--microdata",
        action="store_true",
        help="the folder holds exact tables, not yet published: write a microdata.toml for `audit anonymize`",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the manifest, and say what was found and what to check.

    Raises:
        UsageError: there is a manifest already, or nothing to guess from.
        InputError: a file cannot be read.
    """
    from audit.init.count_tables import guess_tables
    from audit.init.guess import guess
    from audit.io import manifest, microdata

    name = microdata.NAME if arguments.microdata else manifest.NAME
    folder: Path = arguments.series.parent if arguments.series.name == name else arguments.series
    path = folder / name
    if arguments.confirm:
        return _confirm(path, microdata=arguments.microdata)
    if os.path.lexists(path):
        raise _taken(path)
    if arguments.microdata:
        return _microdata(path)
    if (tables := guess_tables(folder) if folder.is_dir() else None) is not None:
        open_questions = _tables(path, tables)
    else:
        guessed = guess(folder)
        for beside, text in guessed.files.items():
            write_new(folder / beside, text)
        write_new(path, guessed.text)
        put(summary(path, guessed))
        open_questions = bool(guessed.unsure or guessed.meaning.left)
    return _confirm(path) if open_questions and sys.stdin.isatty() and not arguments.yes else 0


def _confirm(path: Path, *, microdata: bool = False) -> int:
    """Ask what the manifest guesses or leaves out, and write it; nothing where the answers end too early.

    Raises:
        UsageError: there is no such manifest, or an answer is missing.
        InputError: it cannot be read, or not after what was answered.
    """
    from audit.init.confirmation import confirmed
    from audit.io.toml import read_text
    from audit.model.errors import InputError, Problems

    if microdata:
        raise UsageError("--confirm is about a series.toml; leave --microdata out")
    problems = Problems()
    text = read_text(path.parent, path.name, "let `audit init` write it first", problems)
    if text is None:
        raise InputError(problems.found)
    changed = confirmed(path.parent, text, ask_until_answered)
    if changed == text:
        put(f"{printable_path(path)}: nothing is left to confirm.\n")
        return 0
    try:
        write_file(path, changed)
    except OSError as error:
        raise _unwritable(path, error) from error
    put(f"Wrote {printable_path(path)}.\n\nNext: audit {printable(shlex.quote(str(path.parent)), 400)}\n")
    return 0


def _tables(path: Path, guessed: TablesGuess) -> bool:
    """Write a manifest of count tables; return whether some of it is to be confirmed."""
    write_new(path, guessed.text)
    lines = [f"Wrote {printable_path(path)}, guessed from the files found:", ""]
    lines += [_item(f"  {name:<17}  ", printable(text, 2_000)) for name, text in guessed.facts]
    lines += ["", "Check first:", *(_item("  - ", printable(doubt, 600)) for doubt in guessed.doubts)] * bool(
        guessed.doubts
    )
    command = f"audit {printable(shlex.quote(str(path.parent)), 400)}"
    lines += ["", f"The file says why each guess was made. When it is right: {command}", ""]
    put("\n".join(lines))
    return guessed.unsure


def _microdata(path: Path) -> int:
    from audit.init.guess import guess_microdata

    draft, found, meaning = guess_microdata(path.parent)
    write_new(path, draft.text)
    facts = {
        "snapshots": ", ".join(release.tag for release in found.releases),
        "individual": draft.individual,
        "quasi-identifiers": ", ".join(draft.quasi_identifiers) or "none",
        "sensitive": draft.sensitive,
    }
    left = {**meaning.left, **meaning.rules[Unlinkable].reasons}
    left.pop(draft.individual, None)
    lines = [f"Wrote {printable_path(path)}, guessed from the tables found:", ""]
    lines += [_item(f"  {key:<17}  ", printable(text, 2_000)) for key, text in facts.items()]
    lines += [_item(f"  {'not published':<17}  ", printable(f'"{name}": {why}', 300)) for name, why in left.items()]
    lines += [_item(f"  {'NOT USED':<17}  ", printable(f"{shown}: {why}", 300)) for shown, why in found.unused.items()]
    folder = printable(shlex.quote(str(path.parent)), 400)
    command = f"audit anonymize {folder} --method m-invariance --m 2 --output SERIES"
    lines += ["", "Columns that are not named are not published. When it is right:", f"  {command}", ""]
    put("\n".join(lines))
    return 0


def ask_until_answered(question: Question) -> str:
    """Ask a question until it is answered; an empty line is the default, where there is one.

    Raises:
        UsageError: the input ends.
    """
    sys.stderr.write("\n" + fill(printable(question.text, 600), _WIDTH) + "\n")
    names = list(question.answers)
    for number, (answer, follows) in enumerate(question.answers.items(), 1):
        sys.stderr.write(f"  {number}  {printable(answer)}{f' - {follows}' if follows else ''}\n")
    while True:
        sys.stderr.write(f"Answer [{printable(question.default)}]: ")
        sys.stderr.flush()
        given = sys.stdin.readline()
        answer = given.strip()
        if not given:
            what = "the answers end before the questions do, and nothing was changed; answer each, on a line"
            raise UsageError(what)
        if not names and (answer or question.default):
            return answer or question.default
        if not answer and question.default:
            return question.default
        if answer.isdigit() and 0 < int(answer) <= len(names):
            return names[int(answer) - 1]
        fitting = [name for name in names if name.casefold().startswith(answer.casefold())]
        if answer in names or len(fitting) == 1:
            return answer if answer in names else fitting[0]
        sys.stderr.write("Write one of the answers, or its number.\n" if names else "Write a text.\n")


def summary(path: Path, guessed: Guess) -> str:
    """Return what was found, what to check, and the next command, for a terminal."""
    from audit.init.summary import aligned, column_rows, file_rows, judged, written_rows

    lines = ["Files", *(_item(*pair) for pair in aligned(file_rows(guessed)))]
    lines += ["", "Columns, with how many different cells", *(_item(*pair) for pair in aligned(column_rows(guessed)))]
    if written := written_rows(guessed):
        lines += ["", f"Written into {path.name} for what was found", *(_item(*pair) for pair in aligned(written))]
    looked = [_item("  - ", _warned(warning)) for warning in guessed.warnings]
    looked += [_item("  - ", printable(doubt, 600)) for doubt in guessed.doubts]
    if looked:
        lines += ["", "Look at", *looked]
    lines += ["", "What can be judged", _item("  ", judged(guessed.manifest, guessed.found.keys))]
    wrote = " and ".join(printable(name) for name in (path.name, *guessed.files))
    series = printable(shlex.quote(str(path.parent)), 400)
    lines += ["", f"Wrote {wrote} in {printable_path(path.parent)}; it says why each guess was made.", ""]
    if guessed.unsure:
        told = "These keys are guesses, and nothing that rests on them is decided: "
        lines += [_item("", told + ", ".join(printable(key) for key in guessed.unsure) + "."), ""]
        lines += [f"Next: audit init {series} --confirm", f"Then: audit {series}"]
        return "\n".join([*lines, ""])
    return "\n".join([*lines, f"Next: audit {series}", ""])


def _warned(warning: ReportWarning) -> str:
    examples = f" ({'; '.join(printable(example, 200) for example in warning.examples)})" if warning.examples else ""
    return f"{printable(warning.text, 600)}{examples}."


def _item(head: str, text: str) -> str:
    """Return a text as an item of a list, its further lines indented as its first."""
    if not text:
        return head.rstrip()
    return fill(head + text, _WIDTH, subsequent_indent=" " * len(head), break_long_words=False, break_on_hyphens=False)


def write_new(path: Path, text: str) -> None:
    """Write a file that was not there before, and never over another; where links can be made, whole or not at all.

    Raises:
        UsageError: it is there, or cannot be written.
    """
    try:
        write_file(path, text, new=True)
    except FileExistsError as error:
        raise _taken(path) from error
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path}: {error.strerror or 'it cannot be written'}; check the folder's permissions and space")


def _taken(path: Path) -> UsageError:
    return UsageError(
        f"{path}: there is a manifest already, and `audit init` never overwrites one; "
        "edit it, let --confirm ask what it leaves open, or move it away to have a new one guessed"
    )
