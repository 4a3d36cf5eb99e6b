"""Every shell example of the documentation is run, or says in a comment before it why not.

A block of `sh` or `bash` is run as it stands; of a `text` block that shows commands after `$ `, each line that stands
there has to be printed, whatever the seconds, ids and line breaks. `<!-- not run: reason -->` excuses a block.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers.amount import slow
from tests.helpers.running import run_main
from tests.helpers.tiny import Row, TinySeries

ROOT = Path(__file__).parents[2]
EXAMPLES, COUNTS = ROOT / "tests" / "examples", ROOT / "tests" / "count_table_examples"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "benchmarks/README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(
    r"(?:^ *<!-- not run: (?P<reason>[^>]+?) -->\n\n?)?"
    r"^(?P<indent> *)```(?P<language>sh|bash|console|text)\n(?P<body>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
NEVER_SHOWN = [(r"\b[0-9a-f]{12,16}\b", "ID"), (r"\b\d+\.\d+ s\b", "SECONDS"), (r"(?<= )\d\.\d\d(?=\n|$)", "SECONDS")]
NAME = "Hospital, each release 2-diverse (Xiao and Tao, m-invariance, Tables 1b and 2b)"


@dataclass(frozen=True)
class Example:
    """A block of a page: where it begins, what stands in it, and why it is not run."""

    page: str
    line: int
    language: str
    body: str
    reason: str | None

    @property
    def shown(self) -> bool:
        """Whether it shows commands and what they print."""
        return self.body.startswith("$ ")

    @property
    def commands(self) -> str:
        """Return what is typed."""
        return "\n".join(line for line in self.body.splitlines() if line.startswith("$ ")) if self.shown else self.body


def examples() -> list[Example]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            body = re.sub(f"(?m)^{match['indent']}", "", match["body"])
            line = text.count("\n", 0, match.start("language")) + 1
            each = Example(str(page.relative_to(ROOT)), line, match["language"], body, match["reason"])
            if each.language != "text" or each.shown:
                found.append(each)
    return found


# -- what the examples are about --------------------------------------------------------------------------------------


def hospital(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "hospital-l-diverse", folder / "hospital")
    manifest = folder / "hospital/series.toml"
    manifest.write_text(re.sub('(?m)^name = ".*"', f'name = "{NAME}"', manifest.read_text()))


def hospital_candidate(folder: Path) -> None:
    """The hospital before its second release, which lies beside it."""
    hospital(folder)
    (folder / "hospital/releases/2.csv").rename(folder / "2.csv")
    manifest = folder / "hospital/series.toml"
    manifest.write_text(re.sub(r"(?m)^releases = .*", 'releases = ["releases/*.csv"]', manifest.read_text()))


def published(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "hospital-l-diverse", folder / "published")


def my_series(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "hospital-2-invariant", folder / "my-series")
    (folder / "my-series/private").mkdir()


def tables_alone(name: str) -> Callable[[Path], None]:
    """A folder of published tables without a manifest."""

    def write(folder: Path) -> None:
        (folder / name).mkdir()
        for place in ("1", "2"):
            shutil.copy(EXAMPLES / f"hospital-l-diverse/releases/{place}.csv", folder / name)

    return write


def clinic(folder: Path, first_groups: str = "1111") -> None:
    """A series of one release, and one that is to come, with its key."""
    wide, narrow = ("[20, 60]",), ("[20, 30]",)
    values = ["flu", "gastritis", "flu", "gastritis"]
    first = [Row(f"p{n}", group, values[n], wide) for n, group in enumerate(first_groups)]
    second = [Row(f"p{n}", group, values[n], narrow) for n, group in enumerate("1223")]
    series = TinySeries([first, second], quasi_identifiers=("Age",))
    whole = series.write(folder / "whole", key="files")
    past = series.until(1).write(folder / "clinic", key="files")
    with (past / "series.toml").open("a") as manifest:
        manifest.write("\n[policy]\nmin_e = 1\n")
    shutil.copy(whole / "releases/2.csv", folder / "2024Q3.csv")
    shutil.copy(whole / "private/2.key.csv", folder / "2024Q3.key.csv")


def clinic_that_gives_somebody_away(folder: Path) -> None:
    """The same, where the release that is out has a group of one person."""
    clinic(folder, "1112")


def microdata(name: str, rows: int) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        audit(folder, "simulate", "--output", name, "--rows", str(rows), "--snapshots", "2")

    return write


def compared(folder: Path) -> None:
    microdata("people", 80)(folder)
    published = ("anonymize", "people", "--no-audit", "--method")
    audit(folder, *published, "l-diversity", "--l", "2", "--output", "plain")
    audit(folder, *published, "m-invariance", "--m", "2", "--withhold", "--output", "invariant")


def census(folder: Path) -> None:
    lines = [f"{n},{20 + n % 60},{'FM'[n % 2]},{1 + n % 17},b{n % 9},o{n % 40}" for n in range(20_000)]
    head = "Id,Age,Gender,Education,Birthplace,Occupation"
    (folder / "census.csv").write_text("\n".join([head, *lines]) + "\n")


def ward(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "ward-l-diverse", folder / "ward")


def ward_microdata(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "ward-microdata", folder / "ward")


def open_ward_microdata(folder: Path) -> None:
    """The same, where flu may become pneumonia, that may become lung cancer, and flu itself may not."""
    ward_microdata(folder)
    file = folder / "ward/transitions.csv"
    file.write_text(
        "".join(line for line in file.read_text().splitlines(keepends=True) if line.strip() != "flu,lung cancer")
    )


def count_tables(folder: Path) -> None:
    (folder / "tests").mkdir()
    shutil.copytree(COUNTS, folder / "tests/count_table_examples")
    shutil.copytree(COUNTS / "tables-one-left-out", folder / "tables-one-left-out")


def audit(folder: Path, *words: str) -> None:
    code, _, err = in_this_process(folder, words)
    assert code == 0, err


NEEDS: dict[str, tuple[Callable[[Path], None], ...]] = {
    "audit hospital ": (hospital,),
    "audit explain hospital": (hospital,),
    "audit check hospital": (hospital,),
    "audit repair hospital": (hospital_candidate,),
    "audit init my-series": (tables_alone("my-series"),),
    "audit init clinic": (tables_alone("clinic"),),
    "audit clinic/\n": (clinic,),
    "audit next clinic": (clinic,),
    "audit clinic/ --stable-ids": (clinic_that_gives_somebody_away,),
    "audit my-series --format": (my_series,),
    "audit my-series/ --output": (my_series,),
    "audit check my-series": (my_series,),
    "audit published": (published,),
    "audit compare plain": (compared,),
    "audit anonymize hospital-microdata": (microdata("hospital-microdata", 600),),
    "audit anonymize ward/ --method m-invariance": (ward_microdata,),
    "audit anonymize ward/ --method m-distinct": (open_ward_microdata,),
    "audit check ward": (ward,),
    "census.csv": (census,),
    "tables-one-left-out": (count_tables,),
}
"""What has to lie in the folder, by what an example says."""


SETTINGS = {"COLUMNS": "200", "NO_COLOR": "1"}
PLAIN = re.compile(r"audit [^|&;<>$`*?~{}\\#]*(#.*)?")
"""Lines with which a shell does nothing but call `audit`."""


def environment(folder: Path) -> dict[str, str]:
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **SETTINGS}


def in_this_process(folder: Path, words: Sequence[str]) -> tuple[int, str, str]:
    """Run a command in a folder as `run` does, but for the seconds in which another process begins."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in SETTINGS.items():
            patch.setenv(name, text)
        return run_main(*words)


def run(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    """Run lines, in a shell if it does more than call `audit`; that a policy is violated or undecided is no failure."""
    lines = [line for line in re.sub(r"\\\n\s*", "", body).splitlines() if line.strip() and not line.startswith("#")]
    if all(map(PLAIN.fullmatch, lines)):
        told = [in_this_process(folder, shlex.split(line, comments=True)[1:]) for line in lines]
        failed = [code for code, _, _ in told if code not in (0, 1, 3)]
        texts = ("".join(each) for each in list(zip(*told, strict=True))[1:])
        return subprocess.CompletedProcess(lines, max(failed, default=0), *texts)
    command = folder / "bin" / "audit"
    command.parent.mkdir(exist_ok=True)
    python = f'"{sys.executable}" -m audit.cli.main "$@"'
    command.write_text(f"#!/bin/sh\n{python}\ncode=$?\ncase $code in 1|3) exit 0;; *) exit $code;; esac\n")
    command.chmod(0o755)
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", body]
    return subprocess.run(
        words, cwd=folder, env=environment(folder), capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def plain(text: str) -> str:
    """Return a text without what is never the same, all on one line."""
    for pattern, name in NEVER_SHOWN:
        text = re.sub(pattern, name, text)
    return " ".join(text.split())


RUN = [each for each in examples() if each.reason is None]


@slow
@pytest.mark.parametrize("example", RUN, ids=lambda each: f"{each.page}:{each.line}")
def test_the_example_runs(tmp_path, example):
    for said, needs in NEEDS.items():
        if said in example.commands:
            for need in needs:
                need(tmp_path)
    if not example.shown:
        done = run(tmp_path, example.body)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return
    for part in re.split(r"(?m)^\$ ", example.body)[1:]:
        command, _, printed = part.partition("\n")
        done = run(tmp_path, command)
        found = plain(done.stdout + done.stderr)
        # In any order: that of people is drawn anew for each report. Documented lines may be broken elsewhere.
        told = [plain(line) for line in printed.splitlines() if line.strip() != "..."]
        assert [line for line in told if line not in found] == [], done.stdout + done.stderr


def test_excuses_give_a_reason():
    assert [each for each in examples() if each.reason is not None and len(each.reason.split()) < 3] == []


def test_no_block_is_of_a_language_that_nobody_looks_for():
    known = {"sh", "bash", "console", "text", "toml", "json", "python", "pycon", "yaml", "sql", "dockerfile", "r", ""}
    languages = {name for page in PAGES for name in re.findall(r"(?m)^ *```(\S*)$", page.read_text(encoding="utf-8"))}
    assert languages <= known
