"""`audit demo [DIR]`: a series from a paper and one of count tables, audited; then simulated people, three times."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from audit.cli.command import Commands, local, put
from audit.io.atomic_files import write_file
from audit.model.errors import UsageError
from audit.runtime.phrases import NAMED, figure, say, typed

Invoke: TypeAlias = Callable[[Sequence[str]], int]
"""Takes the words of another command, runs it, and returns its exit code."""
_VERDICTS = (0, 1, 3)
_HOSPITAL = {
    "series.toml": """[series]
name = "Hospital, each release 2-diverse (Xiao and Tao, m-invariance, Tables 1b and 2b)"
releases = ["releases/1.csv", "releases/2.csv"]

[columns]
individual = "Owner"                     # the publisher's key: whose row this is
group = "Group-ID"
quasi_identifiers = ["Age", "Zipcode"]
sensitive = "Disease"
""",
    "releases/1.csv": """Owner,Group-ID,Age,Zipcode,Disease
Bob,1,"[21, 22]","[12000, 14000]",dyspepsia
Alice,1,"[21, 22]","[12000, 14000]",bronchitis
Andy,2,"[23, 24]","[18000, 25000]",flu
David,2,"[23, 24]","[18000, 25000]",gastritis
Gary,3,"[36, 41]","[20000, 27000]",flu
Helen,3,"[36, 41]","[20000, 27000]",gastritis
Jane,4,"[37, 43]","[26000, 35000]",dyspepsia
Ken,4,"[37, 43]","[26000, 35000]",flu
Linda,4,"[37, 43]","[26000, 35000]",gastritis
Paul,5,"[52, 56]","[33000, 34000]",dyspepsia
Steve,5,"[52, 56]","[33000, 34000]",gastritis
""",
    "releases/2.csv": """Owner,Group-ID,Age,Zipcode,Disease
Bob,1,"[21, 23]","[12000, 25000]",dyspepsia
David,1,"[21, 23]","[12000, 25000]",gastritis
Emily,2,"[25, 43]","[21000, 33000]",flu
Jane,2,"[25, 43]","[21000, 33000]",dyspepsia
Linda,2,"[25, 43]","[21000, 33000]",gastritis
Gary,3,"[41, 46]","[20000, 30000]",flu
Mary,3,"[41, 46]","[20000, 30000]",gastritis
Ray,4,"[54, 56]","[31000, 34000]",dyspepsia
Steve,4,"[54, 56]","[31000, 34000]",gastritis
Tom,5,"[60, 65]","[36000, 44000]",gastritis
Vince,5,"[60, 65]","[36000, 44000]",flu
""",
}

_PEOPLE = ("--rows", "12000", "--insertions", "1500", "--deletions", "1500", "--snapshots", "4", "--file-type", "csv")


def add_parser(commands: Commands) -> None:
    """Register the command."""
    command = commands.add_parser("demo", description="Make, anonymize and audit example series, in under a minute.")
    command.add_argument("folder", metavar="DIR", type=local, nargs="?", default=Path("demo-series"), help="new folder")


def run(arguments: argparse.Namespace) -> int:
    """Make the series, audit each, and say what to try next."""
    folder: Path = arguments.folder
    show = partial(_show, arguments.invoke)
    start = time.monotonic()
    _write_series(folder)
    show("audit", folder / "hospital", "--findings", "2", "--reveal")
    tables = folder / "counts"
    if not tables.exists():
        show("audit", "simulate", "--tables", "threshold", "--snapshots", "4", "--areas", "6", "--output", tables)
    show("audit", tables, "--findings", "3")
    names = ("people", "people-l-diverse", "people-m-invariant", "people-e-equivalent")
    page = folder / "hospital.html"
    show("audit", folder / "hospital", "--output", page)
    people, diverse, invariant, equivalent = (folder / name for name in names)
    if not (people / "microdata.toml").exists():
        show("audit", "simulate", "--output", people, *_PEOPLE)
    publish = partial(show, "audit", "anonymize", people, "--no-audit", "--method")
    publish("l-diversity", "--l", "4", "--output", diverse)
    show("audit", diverse, "--attack", "intersection", "--findings", "2")
    publish("m-invariance", "--m", "4", "--output", invariant)
    show("audit", "check", invariant, "--principle", "m-invariance", "--m", "4")
    show("audit", invariant, "--findings", "2")
    publish("e-equivalence", "--m", "4", "--e", "3", "--output", equivalent)
    show("audit", equivalent)
    seconds = figure(time.monotonic() - start, ".1f")
    made = say(
        "Made, published and audited in {seconds} s; everything is in {folder}/.", seconds=seconds, folder=folder
    )
    read = say("{page} is the first report as a page to read, print and sign. Try:", page=page)
    further = (
        f"audit {diverse} --format json",
        f"audit compare {diverse} {invariant} {equivalent} --microdata {people}",
        f"audit {folder / 'hospital'} --attack intersection --findings all",
    )
    put("\n".join([made, read, *(f"  {typed(each)}" for each in further), ""]))
    return 0


def _show(invoke: Invoke, *words: object) -> None:
    """Print a command and run it.

    Raises:
        UsageError: it failed, and has printed why.
    """
    language = NAMED.get()
    command = [*map(str, words), *([] if language is None else ["--language", language])]
    put(f"$ {shlex.join(command)}\n\n")
    if invoke(command[1:]) not in _VERDICTS:
        stopped = shlex.join(command)
        raise UsageError.say("the demo stopped at: {command}; name another folder, or empty this one", command=stopped)
    put("\n")


def _write_series(folder: Path) -> None:
    """Write the paper's series.

    Raises:
        UsageError: the folder cannot be written to.
    """
    try:
        for file, content in _HOSPITAL.items():
            path = folder / "hospital" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content)
    except OSError as error:
        why = error.strerror or say("it cannot be written")
        raise UsageError.say("{folder}: {why}; name another folder", folder=folder, why=why) from error
