"""m-invariance: all groups of a person have the same set of sensitive values, in every release.

Every group has at least m rows, all with different sensitive values; a person's set of values is the *signature*. New
people, or counterfeits, fill the gaps of people who left. Source: Xiao and Tao, *m-invariance* (SIGMOD 2007), Section
4, whose phases are division, balancing, assignment and split.

Differences from the paper: People who return after an absence keep their signature. Balancing needs the fewest possible
counterfeits, whatever the order of the buckets. Assignment fills existing buckets before it forms new ones. If too many
new people share a value, as few as possible can be withheld until a later release.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonymizers.balancing import Slots, assignments, divide, newcomers
from anonymizers.splitting import SlotBuckets, split
from audit.model.anonymizer import COUNTERFEIT, Bounds, Draft, Form, Promise, PublicationHistory, RefusalError, Snapshot
from audit.model.arrays import Codes, Numbers
from audit.model.options import option
from audit.runtime.phrases import say


@dataclass(frozen=True)
class MInvarianceAnonymizer:
    """Publish m-invariant releases.

    Attributes:
        m: the least number of rows, and so of sensitive values, in a group; at least 2.
        withhold: instead of refusing, withhold as few new people as possible if too many share a value.
    """

    m: int = option(help="the promise: number of values in a group", least=2)
    withhold: bool = option(False, help="if needed, hold back as few rows as possible until a later release")
    name: ClassVar[str] = "m-invariance"
    forms: ClassVar[tuple[Form, ...]] = ("generalization", "anatomy")
    links_records: ClassVar[bool] = False
    follows_updates: ClassVar[bool] = False
    constant_values: ClassVar[bool] = True

    @property
    def promise(self) -> Promise:
        """Return m-invariance with the parameter m (Definition 17)."""
        return Promise("m-invariance", {"m": self.m})

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        """Return the next release: all people who were published before, and the new people unless withheld.

        Raises:
            RefusalError: a person's last group is too small or lacks the value, too many new
                people share a value, or no one would be published.
        """
        signature = so_far.signatures_of(snapshot.person)
        back = np.flatnonzero(signature >= 0)
        slots, home, _ = divide(snapshot, so_far.signatures, signature, back, self.m)
        new = newcomers(snapshot, signature, self.m, rng, withhold=self.withhold)
        if not len(back) and not len(new):
            raise RefusalError(say("nobody would be published"), say("publish the next snapshot instead"))
        slots, people, counterfeits = self._place(slots, home, snapshot.value[new])
        row = np.concatenate([back, new, np.full(counterfeits.sum(), COUNTERFEIT)])
        home = np.concatenate([home, slots.by_value(people), np.repeat(np.arange(len(slots)), counterfeits)])
        return _split(snapshot, slots, row, home)

    def _place(self, slots: Slots, home: Numbers, value: Codes) -> tuple[Slots, Numbers, Numbers]:
        """Return the slots of all buckets, with the number of new people and of counterfeits in each.

        Balancing and assignment, Sections 4.1 and 4.2.

        Args:
            slots: the slots of the buckets of known people.
            home: the slot of each known person.
            value: the values of the new people that are published.
        """
        held = np.bincount(home, minlength=len(slots))
        height = slots.height(held)
        # A bucket gets the height of its highest list, which then has no counterfeits: see `split`.
        short = slots.spread(height) - held
        counts = np.bincount(value, minlength=int(slots.value.max(initial=-1)) + 1)
        left, people = slots.balance(counts, short, self.m)
        layers = dict.fromkeys(slots.signatures, 0)
        highest_first = [slots.signatures[bucket] for bucket in np.argsort(-height, kind="stable")]
        for signature, rows in assignments(left, self.m, highest_first):
            layers[signature] = layers.get(signature, 0) + rows
        everywhere = Slots.of(list(layers))
        created = (0, len(everywhere) - len(slots))
        assigned = everywhere.spread(np.array(list(layers.values()), dtype=np.int64))
        return everywhere, np.pad(people, created) + assigned, np.pad(short - people, created)


def _split(snapshot: Snapshot, slots: Slots, row: Numbers, home: Numbers) -> Draft:
    """Split balanced buckets into groups, and return the release; `home` holds the slot of each row."""
    order = np.argsort(home.astype(np.min_scalar_type(len(slots))), kind="stable")
    row, home = row[order], home[order]
    size = np.bincount(home, minlength=len(slots))
    height = size[slots.start]
    point = np.where((row == COUNTERFEIT)[:, np.newaxis], np.int32(-1), snapshot.point[row])
    order = split(SlotBuckets(slots.width(), height, point, snapshot.places()[row]))
    row, point = row[order], point[order]
    layer = np.arange(len(row)) - (np.cumsum(size) - size)[home]
    group = slots.spread(np.cumsum(height) - height)[home] + layer
    return Draft(
        row=row.astype(np.int32),
        group=group.astype(np.int32),
        value=slots.value[home].astype(np.int32),
        cells=Bounds.of(point[row != COUNTERFEIT], group[row != COUNTERFEIT], int(height.sum())),
    )
