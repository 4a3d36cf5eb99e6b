"""The program's answers on a series, as its users get them."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import audit
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


def answer(
    series: TinySeries,
    attack: str | None = None,
    *,
    adversary: str | None = None,
    findings: int | None = 0,
    policy: Mapping[str, float] | None = None,
    group_column: bool = True,
) -> Answer:
    """Return what the program says of a series, by one attack or all that apply."""
    with tempfile.TemporaryDirectory() as name:
        folder = series.write(Path(name), group_column=group_column)
        return of_folder(folder, attack, adversary=adversary, findings=findings, policy=policy)


def of_folder(folder: Path, attack: str | None = None, **asked: Any) -> Answer:
    """Return what the program says of a series on disk."""
    loaded = audit.load(folder, kind="microdata")
    found = (loaded.audit if attack is None else lambda **how: loaded.attack(attack, **how))(reveal=True, **asked)
    report = json.loads(found.to_json())
    tags = {tag: place for place, tag in enumerate(report["series"]["releases"])}
    frame = found.risks
    risks: dict[tuple[str, str], dict[Place, float]] = {}
    columns = (frame[name].tolist() for name in ("attack", "sensitive", "individual", "release", "risk"))
    for attack_name, sensitive, person, release, risk in zip(*columns, strict=True):
        risks.setdefault((attack_name, sensitive), {})[person, tags[release]] = risk
    return Answer(found.exit_code, report, risks)
