"""Request for a simulation: its options, their checks, and the simulation itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.model.errors import UsageError, printable

if TYPE_CHECKING:
    from audit.model.arrays import Counts
    from audit.simulating.attributes import Attribute
    from audit.simulating.microdata_writer import FileType, Written
    from audit.simulating.plan import PopulationPlan
    from audit.simulating.population import SyntheticPeople
    from audit.simulating.snapshots import Updates

    Draw = Callable[[Sequence[int], Sequence[Counts] | None, Any], SyntheticPeople]

QUASI_IDENTIFIERS = "Age=17..95,Gender=2,Education=1..17,Birthplace=57"
SENSITIVE = "Occupation=50"


@dataclass(frozen=True, kw_only=True)
class SimulationRequest:
    """The options of a simulation; the defaults are the setting of the m-invariance and equivalence papers.

    Attributes:
        rows: rows of the first snapshot.
        insertions, deletions: people who arrive and leave at each step; None means a tenth of `rows`.
        snapshots: the number of snapshots.
        returning: the share of absent people who return at each step; they are part of the insertions.
        slope: how many more rows of the next more frequent sensitive value are inserted; None draws values at random.
        diameter: the number of values that each sensitive value may become, itself included; 1 means no changes.
        changes: people whose value changes at each step; None means a tenth of `rows`.
        closed: whether a value may become at once all that it may become in several steps.
        moving: whether quasi-identifiers change.
        population: a table to draw people from; None makes them up.
        quasi_identifiers, sensitive, individual: columns of the table; without a table, the attributes to make up.
        seed: the seed of all random numbers; the same seed gives the same bytes.
        file_type: `parquet`, `csv` or `csv.gz`.
    """

    rows: int = 200_000
    insertions: int | None = None
    deletions: int | None = None
    snapshots: int = 21
    returning: Fraction = Fraction(0)
    slope: int | None = None
    diameter: int = 1
    changes: int | None = None
    closed: bool = False
    moving: bool = False
    population: Path | None = None
    quasi_identifiers: str | None = None
    sensitive: str | None = None
    individual: str | None = None
    seed: int = 0
    file_type: FileType = "parquet"


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
    from audit.simulating.microdata_writer import new_folder, write_microdata
    from audit.simulating.plan import sloped_batches
    from audit.simulating.snapshots import Simulation, Streams

    plan = planned(request)
    quasi, sensitive, draw = source(request)
    updates = internal_updates(request, plan, quasi, sensitive)
    streams = Streams.of(request.seed)
    slope = request.slope
    batches = None if slope is None else sloped_batches(plan, len(sensitive), slope, streams.batches)
    with new_folder(output) as folder:
        watch(0, plan.snapshots)
        simulation = Simulation(draw(plan.cohorts, batches, streams.people), plan, updates, streams)
        written = write_microdata(folder, title(request), simulation, request.file_type, watch)
    return Simulated(plan, updates, written)


def planned(request: SimulationRequest) -> PopulationPlan:
    """Return how many people arrive and leave at each step.

    Raises:
        UsageError: a snapshot has too few rows to delete, or options contradict each other.
    """
    from audit.simulating.plan import make_plan

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
    from audit.simulating.attributes import check_names, declared, names
    from audit.simulating.population import generate
    from audit.simulating.sampling import read_source

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
    if request.quasi_identifiers is None or request.sensitive is None:
        option = "--quasi-identifiers" if request.quasi_identifiers is None else "--sensitive"
        raise UsageError(f"--population needs {option}; name the table's columns")
    chosen = names(request.quasi_identifiers, "--quasi-identifiers")
    value, who = request.sensitive.strip(), (request.individual or "").strip() or None
    check_names([*chosen, value, *([who] if who else [])])
    table = read_source(request.population, chosen, value, who)
    return table.quasi_identifiers, table.sensitive, table.draw


def internal_updates(
    request: SimulationRequest, plan: PopulationPlan, quasi: Sequence[Attribute], sensitive: Attribute
) -> Updates:
    """Return how sensitive values and quasi-identifiers change at each step.

    Raises:
        UsageError: options contradict each other, more people are to change than stay, or no attribute can move.
    """
    from audit.simulating.snapshots import Updates
    from audit.simulating.update_model import moves, update_sets

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
