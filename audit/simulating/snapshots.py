"""Snapshots: draw the people of each snapshot, and change their values from one to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from audit.model.arrays import Places
from audit.simulating.plan import PopulationPlan
from audit.simulating.population import SyntheticPeople
from audit.simulating.update_model import Move, SimulatedUpdates


@dataclass(frozen=True)
class Updates:
    """The internal updates of each step.

    Attributes:
        sets: the values that each sensitive value may become; None if they never change.
        changes: the number of staying people who get another sensitive value.
        moves: the functions that change quasi-identifiers, by the place of the attribute.
    """

    sets: SimulatedUpdates | None = None
    changes: int = 0
    moves: Mapping[int, Move] = field(default_factory=dict)


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
