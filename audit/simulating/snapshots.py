"""Snapshots: who is there at each time, and what has changed since the time before."""

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
        sets: which sensitive values may follow which; None where they never change.
        changes: how many of those who stay get another sensitive value.
        moves: how quasi-identifiers move with time, by their place.
    """

    sets: SimulatedUpdates | None = None
    changes: int = 0
    moves: Mapping[int, Move] = field(default_factory=dict)


@dataclass(frozen=True)
class Streams:
    """Random streams that do not touch each other: with one seed, another diameter leaves everybody where they were."""

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
    """People and what happens to them.

    Attributes:
        people: everybody; the columns hold what is true at the time of the last snapshot that was asked for.
        plan: who comes and goes; at every step at least `updates.changes` people have to stay.
        updates: what changes about them.
        streams: where chance comes from.
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
        """Move the quasi-identifiers of those who were seen, there or not: time passes for them all."""
        for place, move in self.updates.moves.items():
            move(self.people.columns[place][:seen], self.streams.moves)

    def _change_values(self, staying: Places) -> None:
        """Give some of those who stay another sensitive value; whoever is away keeps theirs.

        So between two snapshots that hold a person next to each other, there is one update at most.
        """
        sets, rng = self.updates.sets, self.streams.changes
        if sets is not None and self.updates.changes:
            rows = rng.choice(staying, self.updates.changes, replace=False, shuffle=False)
            self.people.value[rows] = sets.changed(self.people.value[rows], rng)
