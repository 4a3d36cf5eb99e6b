"""`audit init SERIES`: write a `series.toml` guessed from the files found, each guess with its reason."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tomllib
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from audit.cli.command import Commands, local, put
from audit.init.questions import OPEN, Question
from audit.io.atomic_files import write_file
from audit.io.manifest import NAME, is_about_tables
from audit.io.microdata import NAME as MICRODATA
from audit.model.errors import SENTENCE, UsageError
from audit.runtime.phrases import Phrase, joined, printable, printable_path, say, typed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from audit.init.guesses import Guesses, Row

_WIDTH, _WIDEST = 100, 34
_SECONDS = 5.0  # in which numbers of the tables may be found to contradict each other
_LOST = "\N{REPLACEMENT CHARACTER}"


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "init",
        description="Write a series.toml from the published files in a folder; what is guessed is marked as a guess. "
        "On a terminal it asks where it is not sure.",
    )
    parser.add_argument("series", type=local, metavar="SERIES", help="folder that holds the releases")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--yes",
        action="store_true",
        help="ask nothing; what is not certain is listed as unconfirmed, and leaves the verdict undecided",
    )
    how.add_argument(
        "--confirm",
        action="store_true",
        help="ask about what is unconfirmed, or has no role, in an existing series.toml; change nothing else in it",
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
        InputError: a file cannot be read, or an audit refuses the tables as the manifest describes them.
    """
    from audit.init.count_tables import guess_tables
    from audit.init.guess import guess, judged, refused
    from audit.init.microdata import guess_microdata
    from audit.judgement.pseudonyms import keep_key

    name = MICRODATA if arguments.microdata else NAME
    folder: Path = arguments.series.parent if arguments.series.name == name else arguments.series
    path = folder / name
    if arguments.confirm:
        return _confirm(path, microdata=arguments.microdata)
    if os.path.lexists(path):
        raise _taken(path)
    tables = guess_tables(folder) if folder.is_dir() and not arguments.microdata else None
    draft = guess_microdata(folder) if arguments.microdata else tables or guess(folder)
    for written, text in {**draft.files, draft.name: draft.text()}.items():
        (folder / written).parent.mkdir(exist_ok=True)
        write_new(folder / written, text)
    made = not arguments.microdata and keep_key(folder)
    if arguments.microdata:
        draft.doubts += refused(path)
    elif tables is None:
        draft.found[say("What can be judged")] = [(judged(path),)]
    put(summary(folder, draft))
    if made:
        made_it = say(
            "Made private/finding.key, which keeps the ids of findings the same in all reports; never publish private/."
        )
        put(f"{made_it}\n")
    if tables is not None:
        refuse_as_audit(folder)
    if arguments.yes or not sys.stdin.isatty() or not (draft.asks or arguments.microdata):
        return 0
    return _confirm(path, microdata=arguments.microdata)


def refuse_as_audit(folder: Path) -> None:
    """Refuse count tables that an audit refuses, for the same reason: the manifest is there to be corrected.

    Raises:
        InputError: the tables cannot be read, or their numbers contradict each other.
    """
    from attacks.differencing.attack import Differencing
    from audit.count_tables.judged_counts import judge
    from audit.count_tables.manifest import read_table_manifest
    from audit.count_tables.table_audit import read_published
    from audit.model.audit_options import AuditOptions

    judge(read_published(read_table_manifest(folder)), Differencing(), AuditOptions(time_limit=_SECONDS))


def _confirm(path: Path, *, microdata: bool = False) -> int:
    """Ask about what the manifest guesses or leaves out, and write the answers; if they end too early, write nothing.

    After an interrupt, the other questions are left open; if one of them needs an answer, nothing is written.

    Raises:
        UsageError: there is no such manifest, or an answer is missing.
        InputError: it cannot be read, or the answers would make it unreadable.
    """
    from audit.init.confirmation import confirmed
    from audit.init.guess import refused
    from audit.init.microdata import confirmed_microdata
    from audit.init.questions import undecided
    from audit.io.toml import UNCONFIRMED, read_text
    from audit.model.errors import Problems

    problems, ask = Problems(), _UntilInterrupted()
    first = typed(f"audit init {'--microdata ' * microdata}{printable(shlex.quote(str(path.parent)), 400)}")
    remedy = say("let `{command}` write it first", command=first)
    text = problems.checked(read_text(path.parent, path.name, remedy, problems))
    try:
        changed = (confirmed_microdata if microdata else confirmed)(path.parent, text, ask)
        if ask.asked or microdata:
            write_file(path, changed)
    except OSError as error:
        raise _unwritable(path, error) from error
    except KeyboardInterrupt:
        raise KeyboardInterrupt(ask.ended(path)) from None
    if ask.interrupted:
        raise KeyboardInterrupt(ask.ended(path))
    wrote = say("Wrote {file}.", file=printable_path(path))
    then = f"audit {'plan ' * microdata}{printable(shlex.quote(str(path.parent)), 400)}"
    left = _still_guessed(tomllib.loads(changed).get(UNCONFIRMED, {}).get("keys", []))
    lines = [wrote, left, say("Next: {command}", command=typed(then))]
    if not (ask.asked or microdata):
        lines = [say("{file}: nothing is left to confirm.", file=printable_path(path))]
    if microdata or not is_about_tables(changed):
        lines[1:1] = [_item("", each) for each in refused(path)]
    for reason in () if microdata else undecided(path.parent, changed):
        said = say("The policy stays undecided: {reason}.", reason=reason.rstrip("."))
        lines.insert(len(lines) - bool(ask.asked), _item("", said))
    put("\n\n".join(filter(None, lines)) + "\n")
    return 0


class _UntilInterrupted:
    """Asks until an interrupt, after which questions are left open; one that cannot be left open ends it."""

    def __init__(self) -> None:
        self.asked, self.interrupted, self._keeps = list[Question](), False, True

    def __call__(self, question: Question) -> str:
        """Return the answer to a question."""
        self.asked.append(question)
        if not self.interrupted:
            try:
                return ask_until_answered(question)
            except KeyboardInterrupt:
                self.interrupted = True
        self._keeps = len(self.asked) > 1 and OPEN in (question.default, *question.answers)
        if not self._keeps:
            raise KeyboardInterrupt
        return OPEN

    def ended(self, path: Path) -> str:
        """Return what was written of the answers."""
        if self.interrupted and self._keeps:
            return say(
                "interrupted; {file} has the answers so far, and `{command}` asks the other questions again",
                file=printable_path(path),
                command=typed("audit init SERIES --confirm"),
            )
        return say(
            "interrupted, and {file} is as it was: no question has an answer, or one of the others cannot be left open",
            file=printable_path(path),
        )


def ask_until_answered(question: Question) -> str:
    """Ask a question until it is answered; an empty line takes the default, if there is one.

    Raises:
        UsageError: the input ends.
    """
    sys.stderr.write("\n" + fill(printable(question.text, SENTENCE), _WIDTH) + "\n")
    answers, names = question.answers, list(question.answers)
    if any(_LOST in text for text in (question.text, *answers, *answers.values())):
        lost = say("{sign} stands for letters that were lost when the file was saved; export it anew.", sign=_LOST)
        sys.stderr.write(fill(lost, _WIDTH) + "\n")
    labels = {name: answers[name] or name if name in ("yes", "no") else name for name in names}
    for number, (name, label) in enumerate(labels.items(), 1):
        follows = f" - {answers[name]}" if answers[name] and answers[name] != label else ""
        sys.stderr.write(f"  {number}  {printable(label)}{follows}\n")
    while True:
        default = f" [{printable(labels.get(question.default, question.default))}]" if question.default else ""
        sys.stderr.write(say("Answer{default}: ", default=default))
        sys.stderr.flush()
        given = sys.stdin.readline()
        answer = given.strip()
        if not given:
            raise UsageError.say(
                "there are fewer answers than questions, and nothing was changed; write one answer on each line"
            )
        if not names and (answer or question.default):
            return answer or question.default
        if not answer and question.default:
            return question.default
        if answer.isdigit() and 0 < int(answer) <= len(names):
            return names[int(answer) - 1]
        begins = answer.casefold()
        fitting = [name for name in names if any(e.casefold().startswith(begins) for e in (name, labels[name]))]
        if answer in names or len(fitting) == 1:
            return answer if answer in names else fitting[0]
        again = say("Write one of the answers, or its number.") if names else say("Write a text.")
        sys.stderr.write(f"{again}\n")


def summary(folder: Path, draft: Guesses) -> str:
    """Return a summary for a terminal: what was found, what to check, and the next command."""
    lines: list[str] = []
    sections: dict[str, list[Row]] = {**draft.found, say("To check"): [("-", line) for line in draft.to_check()]}
    for title, rows in sections.items():
        if rows:
            lines += [title, *_aligned(rows), ""]
    wrote = joined([printable(name) for name in (draft.name, *draft.files)])
    said = say(
        "Wrote {files} in {folder}; it says why each guess was made.", files=wrote, folder=printable_path(folder)
    )
    lines += [said, ""]
    named = printable(shlex.quote(str(folder)), 400)
    following = [draft.following.format(folder=named)]
    lines += [_still_guessed(draft.unsure), ""] if draft.unsure else []
    if draft.unsure or draft.name == MICRODATA:
        following.insert(0, f"audit init {named} {'--microdata ' * (draft.name == MICRODATA)}--confirm")
    steps = (Phrase("Next: {command}"), Phrase("Then: {command}"))
    lines += [step.filled(command=typed(command)) for step, command in zip(steps, following, strict=False)]
    return "\n".join([*lines, ""])


def _still_guessed(keys: Collection[str]) -> str:
    """Return a sentence about the keys that are guesses; an empty text if there are none."""
    listed = ", ".join(printable(key) for key in keys)
    said = say("These keys are guesses, and nothing that depends on them is decided: {keys}.", keys=listed)
    return _item("", said) if keys else ""


def _aligned(rows: Sequence[Row]) -> list[str]:
    """Return rows as aligned columns; the last cell of a row may take several lines."""
    shown = [tuple(printable(cell, SENTENCE) for cell in row) for row in rows]
    widths = [min(_WIDEST, max(len(row[place]) for row in shown)) for place in range(len(shown[0]) - 1)]
    heads = ["".join(f"{cell:{width}}  " for cell, width in zip(row[:-1], widths, strict=True)) for row in shown]
    return [_item(f"  {head}", row[-1]) for head, row in zip(heads, shown, strict=True)]


def _item(head: str, text: str) -> str:
    """Return a text as an item of a list, with its further lines indented like the first."""
    if not text:
        return head.rstrip()
    return fill(head + text, _WIDTH, subsequent_indent=" " * len(head), break_long_words=False, break_on_hyphens=False)


def write_new(path: Path, text: str) -> None:
    """Write a new file and never replace one; atomically, if the file system has hard links.

    Raises:
        UsageError: the file exists, or cannot be written.
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
    return UsageError.say(
        "{file}: there is a manifest already, and `audit init` never overwrites one; edit it, let --confirm ask "
        "what it leaves open, or move it away to have a new one guessed",
        file=path,
    )
