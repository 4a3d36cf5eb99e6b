"""Write the files of a witness, of people or of count tables, and say what of a verdict its claims do not prove."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from audit.io.atomic_files import atomic_path, hide_from_version_control, write_file
from audit.model.errors import UsageError
from audit.model.report import ClauseReport, Report, WitnessReport
from audit.runtime.phrases import Phrase, figure, printable, say
from audit.witness.verify import Published

FILES = (
    *("statement.json", "statement.md", "proofs.json", "worlds.parquet", "findings.opb", "findings.pbp"),
    *("questions.json", "tables.parquet"),
)
_WORDS = {
    "values": Phrase(
        "of {total} people, the {sensitive} of {certain} is certain, and {two} have two possible values (in {worlds} "
        "worlds)"
    ),
    "values of people in releases": Phrase(
        "of {total} people in releases, the {sensitive} of {certain} is certain, and {two} have two possible values "
        "(in {worlds} worlds)"
    ),
    "values of classes": Phrase(
        "of {total} classes of rows that look alike, {certain} have one {sensitive} only, and {two} have several"
    ),
    "same": Phrase("{people} people certainly have a {sensitive} that somebody else certainly has, too"),
    "different": Phrase("no two of {people} people have the same {sensitive} in all worlds"),
    "close": Phrase(
        "of {total} people (or people in releases), the {sensitive} of {certain} is known to within {within}, and "
        "{two} have two possible values that differ by more"
    ),
    "close of classes": Phrase(
        "of {total} classes of rows, {certain} only have {sensitive} within {within} of each other, "
        "and {two} have two values that differ by more"
    ),
    "categories": Phrase(
        "of {total} people (or people in releases), {certain} have a {sensitive} whose category is certain, and {two} "
        "have possible ones without a common category"
    ),
    "categories of classes": Phrase(
        "of {total} classes of rows, {certain} have a {sensitive} of one category only, and {two} "
        "have values without a common category"
    ),
    "k": Phrase("each class of each release has at least {rows} rows and {people} people"),
    "min_e": Phrase("there is no equivalence of {sensitive} with fewer than {at_least} people on each side"),
    "equivalent": Phrase("two sides of an equivalence (people on each: {people}) have each {sensitive} equally often"),
    "findings": Phrase("of {people} people, the {sensitive} follows from a proof that VeriPB checks as well"),
}
_OF_COUNTS = Phrase(
    "of {questions} counts that {claim} asks about, {settled} can have several values (in {worlds} tables), and "
    "{findings} are findings"
)


@contextmanager
def supported() -> Iterator[None]:
    """Turn errors of the checkers into one line that says what they do not support or cannot read.

    Raises:
        UsageError: the checkers do not support the series.
    """
    try:
        yield
    except NotImplementedError as stop:
        raise UsageError(f"--witness: the checkers do not support: {stop.args[-1]}; leave --witness out") from None
    except (LookupError, ValueError, OSError) as error:
        what = f"the checkers cannot read the series ({type(error).__name__})"
        raise UsageError(f"--witness: {what}; leave --witness out") from error


@dataclass(frozen=True)
class Witness:
    """The contents of a witness.

    Attributes:
        series: the published series as the checkers read it.
        stated: the keys of `statement.json` besides the files of the series: `claims` are the statements, `rests` says
            in words what has no evidence.
        tables: tables of pyarrow by file name; their worlds are columns such as `world_0` or `table_0`.
        texts: the texts of the other files, by name.
        private: whether the files name people.
    """

    series: Any
    stated: Mapping[str, Any]
    tables: Mapping[str, Any]
    texts: Mapping[str, str]
    private: bool

    def write(self, folder: Path) -> WitnessReport:
        """Write the witness into a folder, readable only by its owner if private; return the part of a report about it.

        Files of an earlier witness in the folder are deleted; the statement is written last.

        Raises:
            UsageError: the folder cannot be written.
        """
        import pyarrow.parquet as pq

        series, mode = self.series, 0o600 if self.private else None
        files = {
            name: {"sha256": hashlib.sha256((series.folder / name).read_bytes()).hexdigest(), "rows": rows}
            for name, rows in series.read.items()
        }
        try:
            folder.mkdir(mode=0o700 if self.private else 0o777, parents=True, exist_ok=True)
            if self.private:
                hide_from_version_control(folder)
            for name in FILES:
                (folder / name).unlink(missing_ok=True)
            for name, table in self.tables.items():
                with atomic_path(folder / name, mode=mode) as draft:
                    pq.write_table(table, draft, compression="zstd")
            statement = json.dumps({**self.stated, "files": files}, indent=1, ensure_ascii=False)
            for name, text in {**self.texts, "statement.json": f"{statement}\n"}.items():
                write_file(folder / name, text, mode=mode)
        except OSError as error:
            raise UsageError(
                f"--witness: {error.strerror or 'the files cannot be written'}; name another folder"
            ) from error
        return self._reported()

    def _reported(self) -> WitnessReport:
        """Return in words what is stated, and what has no evidence."""
        names = [name for table in self.tables.values() for name in table.column_names]
        worlds, shown = sum(name.startswith(("world_", "table_")) for name in names), []
        for claim in self.stated["claims"]:
            words = _OF_COUNTS if "questions" in claim else _words(claim["claim"], claim.get("of", ""))
            said = {
                name: figure(each) if isinstance(each, int) else printable(str(each)) for name, each in claim.items()
            }
            shown.append(words.filled(**said, worlds=figure(worlds)))
        return WitnessReport(tuple(shown), tuple(self.stated["rests"]))


def _words(kind: str, of: str) -> Phrase:
    """Return the sentence of a claim of some kind, about sets of values `of` people or classes."""
    known = "close" if kind == "near" else kind
    keys = (f"{known} of {of}", f"{known} of {of.partition(' ')[0]}", known)
    return next(_WORDS[key] for key in keys if key in _WORDS)


def unshown(clause: ClauseReport) -> str:
    """Return a sentence that the state of a clause has no evidence."""
    limit = figure(clause.limit, "g")
    if clause.state == "holds":
        return say("that the clause {clause} of the policy ({limit}) holds", clause=clause.clause, limit=limit)
    if clause.state == "violated":
        return say("that the clause {clause} of the policy ({limit}) is violated", clause=clause.clause, limit=limit)
    return say("that the clause {clause} of the policy ({limit}) is undecided", clause=clause.clause, limit=limit)


@dataclass(frozen=True)
class StatedClaims:
    """The claims about a series, compared with the policy.

    Attributes:
        series: the series as the checkers read it.
        claims: the claims, in the form of `statement.json`.
        needed: the claims about values, categories and numbers that together show, for all that is judged, whether it
            is certain; their numbers are not read.
        report: the report of the audit.
    """

    series: Published
    claims: Sequence[dict[str, Any]]
    needed: Sequence[dict[str, Any]]
    report: Report

    def rests(self) -> Iterator[str]:
        """Yield the parts of the verdict that have no evidence, in words."""
        for claim in self.claims:
            open_ = claim["total"] - claim["certain"] - claim["two"] if claim.get("of", "").startswith("people") else 0
            if open_:
                yield say(
                    "{open} of {total} people (or people in releases), whose {sensitive} is neither proved nor "
                    "different in two worlds",
                    open=figure(open_),
                    total=figure(claim["total"]),
                    sensitive=printable(claim["sensitive"]),
                )
        for clause in self.report.policy.clauses:
            shows = {"max_risk": self._max_risk, "closeness": self._closeness, "k": self._k, "min_e": self._min_e}
            shown = clause.clause in shows and shows[clause.clause](clause)
            if clause.state in ("holds", "violated", "undecided") and not shown:
                yield unshown(clause)

    @cached_property
    def _about_sets(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        return {_key(each): each for each in self.claims if "of" in each}

    def _needed(self, *kinds: str) -> list[tuple[dict[str, Any], dict[str, Any]]] | None:
        """Return the needed claims of some kinds, each with that about single values; None if some are not stated."""
        keys = [_key(each) for each in self.needed if each["claim"] in kinds]
        if not {*keys} <= {*self._about_sets}:
            return None
        return [(self._about_sets[key], self._about_sets["values", *key[1:]]) for key in keys]

    def _about(self, *kinds: str) -> list[dict[str, Any]]:
        return [each for each in self.claims if each["claim"] in kinds]

    @property
    def _excused(self) -> bool:
        """Whether waivers or harmless values may excuse what is known."""
        return "waiver" in self.series.manifest or "harmless" in self.series.columns

    def _max_risk(self, clause: ClauseReport) -> bool:
        if clause.limit < 1:
            return False
        if clause.state == "violated":
            return any(each["certain"] for each in self._about("values", "categories")) and not self._excused
        needed = self._needed("values", "categories")
        return (
            clause.state == "holds" and bool(needed) and all(each["total"] == each["two"] for each, _ in needed or ())
        )

    def _closeness(self, clause: ClauseReport) -> bool:
        likely = any(each.clause == "max_risk" and each.limit < 1 for each in self.report.policy.clauses)
        needed = self._needed("close", "near") or []
        if clause.state == "violated":  # by a person or class whose exact number is not certain
            return any(each["certain"] > one["certain"] for each, one in needed) and not self._excused
        decided = all(one["certain"] + each["two"] == each["total"] for each, one in needed)
        return clause.state == "holds" and not likely and bool(needed) and decided

    def _k(self, clause: ClauseReport) -> bool:
        by_people = "k" in self.series.manifest.get("policy", {})  # by default rows are counted
        counted = "people" if by_people or clause.state == "violated" else "rows"
        sizes = [each[counted] for each in self._about("k")]
        if clause.state == "holds":
            return min(sizes, default=0) >= clause.limit
        return clause.state == "violated" and min(sizes, default=clause.limit) < clause.limit

    def _min_e(self, clause: ClauseReport) -> bool:
        if clause.state == "holds":
            unlike = len(self._about("different")) == len(self.series.sensitive)
            cuts = [each["at_least"] for each in self._about("min_e")]
            return (unlike and clause.limit <= 2) or max(cuts, default=0) >= clause.limit
        sides = [each["people"] for each in self._about("equivalent")] + [1] * len(self._about("same"))
        return clause.state == "violated" and not self._excused and min(sides, default=clause.limit) < clause.limit


def _key(claim: dict[str, Any]) -> tuple[Any, ...]:
    """Return what a claim about sets of values says, and of which."""
    return claim["claim"], claim["sensitive"], claim["of"]
