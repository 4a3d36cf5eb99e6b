"""Time anonymizers beside anonypyx's Mondrian in one warm process: `python -m benchmarks.speed.publishing MICRODATA`.

The microdata only grow. The clock of ours covers `publish()`, from integer columns to groups and cells; that of
anonypyx covers its partition, from a data frame to groups. Neither reads, generalizes into texts, or writes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from anonymizers.monotonic_mondrian import MonotonicMondrianAnonymizer
from audit.io.encoding import IdentifierEncoder, Vocabulary
from audit.io.microdata import Microdata, open_microdata
from audit.model.anonymizer import Anonymizer, Draft, Form, Promise, Snapshot
from audit.model.history import PublicationHistory
from audit.principles.registry import find
from audit.publishing.publish import PublishOptions, publish

K = 10


@dataclass
class Clocked:
    """An anonymizer that notes how long each release took."""

    inner: Anonymizer
    seconds: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The method's name."""
        return self.inner.name

    @property
    def promise(self) -> Promise:
        """The method's promise."""
        return self.inner.promise

    @property
    def forms(self) -> tuple[Form, ...]:
        """The method's forms."""
        return self.inner.forms

    @property
    def links_records(self) -> bool:
        """Whether the method links records."""
        return self.inner.links_records

    @property
    def follows_updates(self) -> bool:
        """Whether the method follows updates."""
        return self.inner.follows_updates

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        """Publish, and note how long it took."""
        started = time.perf_counter()
        draft = self.inner.publish(snapshot, so_far, rng)
        self.seconds.append(time.perf_counter() - started)
        return draft


def grow(microdata: Microdata) -> list[float]:
    """Publish all snapshots by monotonic-mondrian; return the seconds of each release."""
    method = Clocked(MonotonicMondrianAnonymizer(K))
    with tempfile.TemporaryDirectory() as folder:
        publish(microdata, Path(folder) / "series", method, find("monotonic", {"k": K}), PublishOptions())
    return method.seconds


def anonypyx(microdata: Microdata, rows: int) -> float:
    """Let anonypyx partition the first rows of the first snapshot; return the seconds."""
    import pandas as pd
    from anonypyx.models import kAnonymity
    from anonypyx.mondrian import Mondrian

    snapshot = microdata.read(0, IdentifierEncoder(), Vocabulary()).snapshot
    names = [scale.name for scale in snapshot.scales]
    frame = pd.DataFrame(snapshot.point[:rows], columns=names)
    started = time.perf_counter()
    groups = Mondrian(frame, names).partition([kAnonymity(K)])
    seconds = time.perf_counter() - started
    if sum(map(len, groups)) != rows or min(map(len, groups)) < K:
        raise ValueError("anonypyx did not partition the rows")
    return seconds


def main() -> None:
    """Take turns, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("microdata", type=Path)
    parser.add_argument("--rows", type=int, default=5000, help="of anonypyx")
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    microdata = open_microdata(options.microdata)
    ours, rival = [], []
    for _ in range(options.repeat + 1):  # the first is the warm-up
        ours.append(grow(microdata))
        rival.append(anonypyx(microdata, options.rows))
    print(json.dumps({"releases": ours[1:], "anonypyx": rival[1:], "anonypyx_rows": options.rows}))


if __name__ == "__main__":
    main()
