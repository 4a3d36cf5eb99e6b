"""Simulation: draw the people of each snapshot, change their values from one to the next, and write them.

People may be drawn without replacement from a table (`read_source`). The folder appears whole or not at all.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nextafter
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from audit.io.atomic_files import check_empty, write_file
from audit.io.manifest import TRANSITIONS
from audit.io.microdata import NAME, Microdata, SnapshotFile
from audit.io.releases import IdentifierEncoder, Vocabulary
from audit.io.table_writer import write_table
from audit.io.tables import header
from audit.io.texts import arrow, column_of
from audit.io.toml import toml_document
from audit.model.arrays import Counts, Places, ragged
from audit.model.errors import InputError, Problem, Problems, UsageError
from audit.runtime.phrases import printable, printable_path
from audit.simulating.population import (
    Attribute,
    Column,
    PopulationPlan,
    SimulatedUpdates,
    SyntheticPeople,
    Updates,
    check_names,
    declared,
    generate,
    make_plan,
    moves,
    names,
    sloped_batches,
    update_sets,
)
from audit.simulating.request import QUASI_IDENTIFIERS, SENSITIVE, SimulationRequest

Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class Written:
    """The size of the written snapshots.

    Attributes:
        rows: rows of each snapshot.
        most: the largest share of one sensitive value in a snapshot.
    """

    rows: list[int]
    most: Fraction


@contextmanager
def new_folder(output: Path) -> Iterator[Path]:
    """Make a hidden folder, which is renamed to `output` at the end, or removed after an error.

    Only its owner may read it, because microdata are about people.

    Raises:
        UsageError: `output` exists and is not empty, or it cannot be written.
    """
    check_empty(output)
    whole = output.resolve()
    if whole == Path.cwd():
        shown = printable_path(output)
        raise UsageError.say("{folder}: the folder you are in cannot be replaced; name a new one in it", folder=shown)
    draft = whole.with_name(f".{whole.name}.{secrets.token_hex(6)}")
    try:
        draft.mkdir(mode=0o700)
        yield draft
        draft.rename(whole)  # replaces an empty folder; fails if files were added meanwhile
    except OSError as error:
        why = printable(error.strerror or "it cannot be written", 200)
        raise UsageError(
            f"{printable_path(output)}: {why}; check permissions and space, or name another folder"
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_microdata(
    folder: Path,
    name: str,
    people: SyntheticPeople,
    snapshots: Iterable[Places],
    sets: SimulatedUpdates | None,
    files: Sequence[str],
    watch: Watch,
) -> Written:
    """Write the snapshots into files, the transitions and the `microdata.toml` into an empty folder.

    `watch` is called with the number of snapshots written and the number of all.

    Raises:
        OSError: the folder cannot be written to.
    """
    (folder / "snapshots").mkdir()
    attributes = [*people.quasi_identifiers, people.sensitive]
    headings = [people.individual_name, *(each.name for each in attributes)]
    words = [column_of(each.values) if each.whole is None else each.whole for each in attributes]
    written = Written([], Fraction(0))
    for file, rows in zip(files, snapshots, strict=True):
        coded = zip(words, [*people.columns, people.value], strict=True)
        columns = [_texts(each, column[rows]) for each, column in coded]
        write_table(pa.table([people.individual.take(arrow(rows)), *columns], headings), folder / file)
        most = Fraction(int(np.bincount(people.value[rows]).max()), len(rows))
        written = Written([*written.rows, len(rows)], max(most, written.most))
        watch(len(written.rows), len(files))
    if sets is not None:
        write_table(_transitions(people.sensitive, sets), folder / TRANSITIONS)
    text = document(name, files, people, has_transitions=sets is not None)
    write_file(folder / NAME, text)
    return written


def _texts(words: Any, codes: Column) -> Any:  # noqa: ANN401 - Arrow has no types
    """Return the values of codes as an Arrow array: whole numbers, or texts under a dictionary."""
    if isinstance(words, np.ndarray):
        return arrow(words[codes])
    return pa.DictionaryArray.from_arrays(arrow(codes.astype(np.int32)), words)


def _transitions(sensitive: Attribute, sets: SimulatedUpdates) -> Any:  # noqa: ANN401 - Arrow has no types

    ends = np.array(list(sets.pairs()))
    words = column_of(sensitive.values)
    return pa.table({name: words.take(arrow(ends[:, end])) for end, name in enumerate(("from", "to"))})


# -- microdata.toml -----------------------------------------------------------------------------------------------


def document(name: str, files: Sequence[str], people: SyntheticPeople, *, has_transitions: bool) -> str:
    """Return the text of `microdata.toml`."""
    quasi = people.quasi_identifiers
    columns = {
        "individual": people.individual_name,
        "quasi_identifiers": [attribute.name for attribute in quasi],
        "sensitive": people.sensitive.name,
    }
    return toml_document(
        {
            "microdata": {"name": name, "snapshots": files},
            "columns": columns,
            "updates": {"transitions": TRANSITIONS if has_transitions else None},
            "domains": {attribute.name: _domain(attribute) for attribute in quasi},
        }
    )


def _domain(attribute: Attribute) -> Sequence[str | float] | None:
    """Return a domain: the ends of an interval, or the list of values; None for a single number."""
    if not attribute.is_numeric:
        return attribute.values
    low, high = (Fraction(text) for text in (attribute.values[0], attribute.values[-1]))
    return [_number(low, -inf), _number(high, inf)] if low < high else None


def _number(exact: Fraction, outwards: float) -> float:
    """Return a number as TOML has it; if no float is equal to it, the next float outwards."""
    if exact.denominator == 1:
        return exact.numerator
    near = float(exact)
    written = Fraction(str(near))
    beside = written > exact if outwards < 0 else written < exact
    return nextafter(near, outwards) if beside else near


_CLOSE = 1 << 12
"""Whole numbers in a smaller range are coded with all numbers between them, so that an age can move to the next."""


@dataclass(frozen=True)
class Source:
    """A table of people.

    Attributes:
        shown: the name of the file in messages.
        people: all of them, in the order of the rows.
    """

    shown: str
    people: SyntheticPeople

    def draw(
        self, cohorts: Sequence[int], batches: Sequence[Counts] | None, rng: np.random.Generator
    ) -> SyntheticPeople:
        """Draw people; `cohorts` and `batches` as in `generate`.

        Raises:
            InputError: the table has too few rows, or too few rows of a sensitive value.
        """
        needed = sum(cohorts)
        if needed > len(self.people.value):
            remedy = "ask for fewer with --rows, --insertions or --snapshots, or name a larger table"
            self._refuse(f"the table has {len(self.people.value):,} rows, and {needed:,} people are needed", remedy)
        order = rng.permutation(len(self.people.value))
        if batches is None:
            rows = order[:needed]
        else:
            rows = np.concatenate([order[: cohorts[0]], self._batches(order[cohorts[0] :], batches)])
        people = self.people
        columns = [column[rows] for column in people.columns]
        return replace(people, individual=people.individual.take(rows), columns=columns, value=people.value[rows])

    def _batches(self, rows: Places, batches: Sequence[Counts]) -> Places:
        """Return rows for the batches, with as many of each value as each batch needs."""
        value = self.people.value[rows]
        lanes = rows[np.argsort(value, kind="stable")]
        available = np.bincount(value, minlength=len(self.people.sensitive))
        needed = np.array(batches, dtype=np.int64).reshape(-1, len(available)).sum(axis=0)
        if (needed > available).any():
            worst = int(np.argmax(needed - available))
            sensitive = self.people.sensitive
            named = f'"{printable(sensitive.values[worst])}" in "{printable(sensitive.name)}"'
            what = f"{available[worst]:,} rows with {named} are left for the batches, which need {needed[worst]:,}"
            self._refuse(what, "choose a smaller --slope or fewer --insertions")
        nexts = np.cumsum(available) - available
        taken = []
        for counts in batches:
            taken.append(lanes[ragged(nexts, counts)])
            nexts = nexts + counts
        return np.concatenate([rows[:0], *taken])

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        raise InputError([Problem(self.shown, what, remedy)])


def read_source(path: Path, quasi_identifiers: Sequence[str], sensitive: str, individual: str) -> Source:
    """Read the named columns of a table of people.

    Raises:
        InputError: the file cannot be read, a column is missing, a cell is empty, or an identifier occurs twice.
    """
    names, encoder, problems = (*quasi_identifiers, sensitive), IdentifierEncoder(), Problems()
    file = SnapshotFile(path.name, path, str(path))
    in_file = header(path, file.shown, problems)
    problems.check()
    for name in sorted({*names, individual}.difference(in_file or ())):
        remedy = "correct its name in --quasi-identifiers, --sensitive or --individual"
        problems.add(file.shown, "the column is not in the file", remedy, column=name)
    problems.check()
    read = Microdata(path.parent, path.name, (file,), individual, names, sensitive).read(0, encoder, Vocabulary())
    numeric = [len(numbers) == len(texts) for numbers, texts in zip(read.numbers, read.texts, strict=True)]
    attributes = [Attribute(*each) for each in zip(names, read.texts, numeric, strict=True)]
    columns = [codes.astype(each.dtype) for each, codes in zip(attributes, read.snapshot.point.T, strict=True)]
    filled = [_with_all_between(*each) for each in zip(attributes[:-1], columns[:-1], strict=True)]
    people = SyntheticPeople(
        tuple(attribute for attribute, _ in filled),
        attributes[-1],
        individual,
        encoder.names(read.snapshot.person),
        [column for _, column in filled],
        columns[-1],
    )
    return Source(file.shown, people)


def _with_all_between(attribute: Attribute, column: Column) -> tuple[Attribute, Column]:
    """Add the numbers between the values to an attribute of whole numbers with a small range; return its codes, too."""
    whole = attribute.whole
    if whole is None or whole[-1] - whole[0] >= _CLOSE:
        return attribute, column
    full = Attribute(attribute.name, [str(n) for n in range(int(whole[0]), int(whole[-1]) + 1)], is_numeric=True)
    return full, (whole - whole[0]).astype(full.dtype)[column]


Draw = Callable[[Sequence[int], Sequence[Counts] | None, Any], SyntheticPeople]


@dataclass(frozen=True)
class Streams:
    """Independent random streams: with the same seed, another diameter does not change who arrives and leaves."""

    people: np.random.Generator
    batches: np.random.Generator
    exchange: np.random.Generator
    changes: np.random.Generator
    moves: np.random.Generator
    order: np.random.Generator

    @classmethod
    def of(cls, seed: int) -> Streams:
        """Return the streams of a seed."""
        return cls(*map(np.random.default_rng, np.random.SeedSequence(seed).spawn(6)))


@dataclass(frozen=True)
class Simulation:
    """Simulated people and their updates.

    Attributes:
        people: all people, with their values at the last snapshot that was yielded.
        plan: how many people arrive and leave; at each step at least `updates.changes` people must stay.
        updates: the changes of their values.
        streams: the random streams.
    """

    people: SyntheticPeople
    plan: PopulationPlan
    updates: Updates
    streams: Streams

    def snapshots(self) -> Iterator[Places]:
        """Yield the people of each snapshot, as places in `people`, in the shuffled order of its rows; intp."""
        streams = self.streams
        seen = self.plan.rows
        present, gone = np.arange(seen), np.zeros(0, dtype=np.intp)
        yield streams.order.permutation(present)
        for step in self.plan.steps:
            self._change_columns(seen)
            mixed = streams.exchange.permutation(present)
            staying, leaving = mixed[: step.staying], mixed[step.staying :]
            self._change_values(staying)
            gone = streams.exchange.permutation(gone) if step.back else gone
            back, gone = gone[: step.back], np.concatenate([gone[step.back :], leaving])
            newcomers = np.arange(seen, seen + step.newcomers)
            seen += step.newcomers
            present = np.concatenate([staying, back, newcomers])
            yield streams.order.permutation(present)

    def _change_columns(self, seen: int) -> None:
        """Change the quasi-identifiers of all people so far, also of absent ones, who grow older, too."""
        for place, move in self.updates.moves.items():
            move(self.people.columns[place][:seen], self.streams.moves)

    def _change_values(self, staying: Places) -> None:
        """Give staying people another sensitive value; absent people keep theirs.

        So a person's value changes at most once between two consecutive snapshots that contain the person.
        """
        sets, rng = self.updates.sets, self.streams.changes
        if sets is not None and self.updates.changes:
            rows = rng.choice(staying, self.updates.changes, replace=False, shuffle=False)
            self.people.value[rows] = sets.changed(self.people.value[rows], rng)


@dataclass(frozen=True)
class Simulated:
    """The result of a simulation: its plan, its updates, and what was written."""

    plan: PopulationPlan
    updates: Updates
    written: Written


def simulate(output: Path, request: SimulationRequest, watch: Callable[[int, int], None]) -> Simulated:
    """Write microdata into a new folder.

    `watch` is called with the number of snapshots written and the number of all.

    Raises:
        UsageError: options contradict each other, or the folder cannot be written.
        InputError: the table cannot be read, or holds too few people.
    """
    plan = planned(request)
    quasi, sensitive, draw = source(request)
    updates = internal_updates(request, plan, quasi, sensitive)
    streams = Streams.of(request.seed)
    slope = request.slope
    batches = None if slope is None else sloped_batches(plan, len(sensitive), slope, streams.batches)
    with new_folder(output) as folder:
        watch(0, plan.snapshots)
        simulation = Simulation(draw(plan.cohorts, batches, streams.people), plan, updates, streams)
        total = plan.snapshots
        files = [f"snapshots/{n:0{len(str(total))}d}.{request.file_type}" for n in range(1, total + 1)]
        written = write_microdata(
            folder, title(request), simulation.people, simulation.snapshots(), updates.sets, files, watch
        )
    return Simulated(plan, updates, written)


def planned(request: SimulationRequest) -> PopulationPlan:
    """Return how many people arrive and leave at each step.

    Raises:
        UsageError: a snapshot has too few rows to delete, or options contradict each other.
    """
    rows = request.rows
    insertions = rows // 10 if request.insertions is None else request.insertions
    deletions = rows // 10 if request.deletions is None else request.deletions
    plan = make_plan(rows, insertions, deletions, request.snapshots, request.returning)
    if request.slope is not None and request.returning:
        what = "--slope and --returning: people who return keep their values, which may not fit the slope"
        raise UsageError(f"{what}; leave one of them out")
    return plan


def source(request: SimulationRequest) -> tuple[Sequence[Attribute], Attribute, Draw]:
    """Return the quasi-identifiers, the sensitive attribute, and the function that draws people.

    Raises:
        UsageError: the attributes are not declared correctly.
        InputError: the table cannot be read.
    """
    if request.population is None:
        if request.individual is not None:
            raise UsageError("--individual names a column of the table of --population; name one, or leave it out")
        quasi = declared(
            QUASI_IDENTIFIERS if request.quasi_identifiers is None else request.quasi_identifiers,
            "--quasi-identifiers",
        )
        [sensitive, *others] = declared(SENSITIVE if request.sensitive is None else request.sensitive, "--sensitive")
        if others:
            raise UsageError("--sensitive: microdata have one sensitive attribute; declare one")
        check_names([attribute.name for attribute in [*quasi, sensitive]])
        return quasi, sensitive, lambda cohorts, batches, rng: generate(quasi, sensitive, cohorts, batches, rng)
    if request.quasi_identifiers is None or request.sensitive is None or request.individual is None:
        needed = {"--quasi-identifiers": request.quasi_identifiers, "--sensitive": request.sensitive}
        option = next((name for name, given in needed.items() if given is None), "--individual")
        raise UsageError(f"--population needs {option}; name the table's columns")
    chosen = names(request.quasi_identifiers, "--quasi-identifiers")
    value, who = request.sensitive.strip(), request.individual.strip()
    check_names([*chosen, value, who])
    table = read_source(request.population, chosen, value, who)
    return table.people.quasi_identifiers, table.people.sensitive, table.draw


def internal_updates(
    request: SimulationRequest, plan: PopulationPlan, quasi: Sequence[Attribute], sensitive: Attribute
) -> Updates:
    """Return how sensitive values and quasi-identifiers change at each step.

    Raises:
        UsageError: options contradict each other, more people are to change than stay, or no attribute can move.
    """
    moving = moves(quasi) if request.moving else {}
    if request.diameter == 1:
        for option in ("changes", "closed"):
            if getattr(request, option):
                what = f"--{option} says how sensitive values change, but with --diameter 1 they do not change"
                raise UsageError(f"{what}; choose a --diameter from 2 on")
        return Updates(moves=moving)
    sets = update_sets(len(sensitive), request.diameter, closed=request.closed)
    changes = request.changes
    if changes is None:
        changes = min(request.rows // 10, plan.fewest_staying)
    elif plan.steps and changes > plan.fewest_staying:
        what = f"--changes {changes}: at one step only {plan.fewest_staying:,} people stay"
        raise UsageError(f"{what}; change or delete fewer")
    return Updates(sets, changes, moving)


def title(request: SimulationRequest) -> str:
    """Return the microdata's name."""
    if request.population is None:
        return f"Simulated people, seed {request.seed}"
    return f"People drawn from {printable(request.population.name, 100)}, seed {request.seed}"
