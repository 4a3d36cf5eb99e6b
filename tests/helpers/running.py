"""Run the command line in this process, and return what it printed."""

import io
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.init.questions import OPEN, Question
from tests.helpers.schemas import fits
from tests.helpers.structure import assert_complete
from tests.helpers.tiny import TinySeries

DECIDED_BY_ANOTHER = {0, 3}
"""No violation: exit 3 if a clause of the policy needs an attack that was not requested."""


def run_main(*argv: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one command, without estimates, which differ by machine."""
    from audit.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(argv))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 2
    said = re.sub(r"^audit: One audit takes about .*\n", "", err.getvalue(), flags=re.MULTILINE)
    return code, out.getvalue(), said


def agreed(question: Question) -> str:
    """The answer of a publisher for whom every guess is right, to a question of `audit init --confirm`."""
    stated = re.search(r'\b(?:columns\.(?=\w+ = )|table\.over_time = ")(\w+)', question.text)
    if stated and stated[1] in question.answers:
        return stated[1]
    if OPEN in question.answers and "yes" in question.answers:
        return "yes"
    if question.default not in ("", OPEN):
        return question.default
    if not question.answers:
        return question.text.rpartition(": ")[2].strip(".⟦⟧")  # the releases in the order of the manifest
    return next(
        (answer for answer in ("never", "quasi_identifiers", "episodes") if answer in question.answers),
        question.default,
    )


def printed(*argv: str) -> tuple[int, str]:
    """Exit code of a command, and all that it printed in one line."""
    code, out, err = run_main(*argv)
    return code, " ".join((out + err).split())


def asks(series: Path, said: str) -> int:
    """Return the exit code of an audit, which says something exactly where it is undecided."""
    code, out = printed(str(series))
    assert (said in out) == (code == 3), out
    return code


def refused(*argv: str) -> str:
    """Standard error of a command that exits with 2 and prints nothing else."""
    code, out, err = run_main(*argv)
    assert (code, out) == (2, ""), err
    assert err.startswith("audit: "), err
    return err


def done(*argv: str) -> str:
    """Standard output of a command that exits with 0 and complains of nothing."""
    code, out, err = run_main(*argv)
    assert (code, err) == (0, ""), err
    return out


def drafted(folder: Path, *words: str, refused: bool = False) -> str:
    """Return the manifest that `audit init` writes for a folder without a question; an audit of it may be `refused`."""
    code, _, err = run_main("init", str(folder), "--yes", *words)
    assert code == 2 * refused, err
    return (folder / "series.toml").read_text(encoding="utf-8")


def run_audit(path: Path, *args: str) -> tuple[int, dict[str, Any] | None, str]:
    """Audit a series: exit code, the JSON result (None when there is none) and standard error.

    If the series has a folder for their key, ids are stable.
    """
    stable = ["--stable-ids"] if (path / "private").is_dir() else []
    code, out, err = run_main(str(path), "--format", "json", *stable, *args)
    if not out.strip():
        return code, None, err
    result = json.loads(out, parse_constant=_no_constant)
    if code == 2:
        assert fits("error", result), result
        return code, None, err
    assert_complete(result)
    return code, result, err


def read_audit(folder: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Audit a series that can be read; return the exit code and the result."""
    code, result, err = run_audit(folder, *words)
    assert result is not None, f"exit {code}: {err}"
    return code, result


@dataclass(frozen=True)
class Audited:
    """One audit: its exit code and its attacks by name."""

    code: int
    result: dict[str, Any]

    def attack(self, name: str) -> dict[str, Any]:
        [entry] = [entry for entry in self.result["attacks"] if entry["attack"] == name]
        return entry

    def measures(self, name: str) -> dict[str, Any]:
        entry = self.attack(name)
        assert entry["status"] == "complete", entry["reason"]
        return entry["measures"]

    def findings(self, name: str) -> list[dict[str, Any]]:
        return self.attack(name)["findings"]


def attacks_for(series: TinySeries) -> list[str]:
    """The per-person attacks that apply."""
    return ["update-graph"] if series.transitions is not None else ["intersection", "update-graph"]


def audit(series: TinySeries, *args: str, adversary: str = "linked", key: str = "column", **form: bool) -> Audited:
    """Write a series, run the per-person attacks on it, and show everything."""
    with written(series, key=key, **form) as folder:
        return audit_folder(folder, attacks_for(series), "--adversary", adversary, *args)


def audit_folder(folder: Path, attacks: list[str], *args: str) -> Audited:
    """Run some attacks on a series on disk, and show everything."""
    named = [word for name in attacks for word in ("--attack", name)]
    return Audited(*read_audit(folder, *named, "--reveal", "--findings", "all", *args))


@contextmanager
def written(series: TinySeries, *, key: str = "column", **form: bool) -> Iterator[Path]:
    """The series in a folder of its own, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as name:
        yield series.write(Path(name), key=key, **form)


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")
