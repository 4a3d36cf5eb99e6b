"""The program's answers on a series, as the users of its command get them."""

import csv
import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.helpers.running import run_main
from tests.helpers.tiny import TinySeries

Place = tuple[str, int]
"""A person and a release, counted from 0."""


@dataclass(frozen=True)
class Answer:
    """One audit: its exit code, its JSON report, and everybody's risks by attack and attribute."""

    exit_code: int
    report: dict[str, Any]
    risks: Mapping[tuple[str, str], Mapping[Place, float]]

    def attack(self, name: str, sensitive: str | None = None) -> dict[str, Any]:
        """Return the entry of an attack that is complete."""
        [entry] = [
            entry
            for entry in self.report["attacks"]
            if entry["attack"] == name and (sensitive is None or entry["sensitive"] == sensitive)
        ]
        assert entry["status"] == "complete", entry["reason"]
        return entry

    def clause(self, name: str) -> str:
        """Return whether a clause holds, is violated or undecided."""
        [found] = [each["state"] for each in self.report["policy"]["clauses"] if each["clause"] == name]
        return found


def answer(series: TinySeries, *attacks: str, group_column: bool = True, **asked: Any) -> Answer:
    """Return what the program says of a series, by these attacks or all that apply; `asked` is as for `of_folder`."""
    with tempfile.TemporaryDirectory() as name:
        return of_folder(series.write(Path(name), group_column=group_column), *attacks, **asked)


def of_folder(
    folder: Path,
    *attacks: str,
    adversary: str | None = None,
    findings: int | str = 0,
    policy: Mapping[str, float] | None = None,
) -> Answer:
    """Return what the program says of a series on disk; `findings` is how many to show, or `all`."""
    words = [word for attack in attacks for word in ("--attack", attack)]
    words += ["--adversary", adversary] if adversary else []
    words += [word for name, limit in (policy or {}).items() for word in ("--policy", f"{name}={limit}")]
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "risks.csv"
        code, out, err = run_main(
            *(str(folder), "--format", "json", "--reveal", "--findings", str(findings), "--risks", str(file), *words)
        )
        assert code in {0, 1, 3}, err
        with file.open(newline="", encoding="utf-8") as lines:
            risks = list(csv.DictReader(lines))
    report = json.loads(out)
    tags = {tag: place for place, tag in enumerate(report["series"]["releases"])}
    found: dict[tuple[str, str], dict[Place, float]] = defaultdict(dict)
    for line in risks:
        place = line["individual"], tags[line["release"]]
        found[line["attack"], line["sensitive"]][place] = float(line["risk"])
    return Answer(code, report, found)
