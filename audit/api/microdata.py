"""Microdata from Python: simulate, plan and publish."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from audit.api.answers import PlanResult
from audit.api.methods import method_of
from audit.api.series import LoadedSeries, load
from audit.api.settings import is_shown
from audit.model.errors import UsageError, printable
from audit.simulating.request import SimulationRequest

if TYPE_CHECKING:
    from audit.io.microdata import Microdata
    from audit.model.anonymizer import Anonymizer


def load_microdata(path: str | os.PathLike[str]) -> LoadedMicrodata:
    """Open the microdata in a folder with a `microdata.toml`.

    Raises:
        InputError: the file is faulty, or snapshots or columns that it names are missing; the error lists all.
    """
    from audit.io.microdata import open_microdata

    return LoadedMicrodata(open_microdata(Path(path)))


def simulate(output: str | os.PathLike[str], /, **options: object) -> LoadedMicrodata:
    """Write microdata of people who come, go and change into a new folder, as `audit simulate` does.

    Args:
        output: the new folder.
        **options: the fields of `SimulationRequest`, such as `rows=10_000, snapshots=4, seed=1`.

    Raises:
        UsageError: an option is unknown or does not fit, or the folder cannot be written.
    """
    from audit.simulating.microdata_writer import check_output
    from audit.simulating.simulation import simulate as write

    unknown = options.keys() - {each.name for each in fields(SimulationRequest)}
    if unknown:
        raise UsageError(f"there is no option {printable(min(unknown))} of a simulation")
    check_output(Path(output))
    write(Path(output), SimulationRequest(**options), lambda _done, _total: None)  # type: ignore[arg-type]
    return load_microdata(output)


@dataclass(frozen=True, eq=False, repr=False)
class LoadedMicrodata:
    """Microdata, ready to be published; made by `load_microdata`, `simulate` or `microdata_from_frames`.

    Attributes:
        opened: what was read; do not change it.
    """

    opened: Microdata
    _files: object = None

    @property
    def name(self) -> str:
        """The microdata's name."""
        return self.opened.name

    @property
    def snapshots(self) -> tuple[str, ...]:
        """The snapshots' tags, in order."""
        return tuple(each.tag for each in self.opened.snapshots)

    def anonymize(
        self,
        method: str | Anonymizer,
        /,
        output: str | os.PathLike[str],
        *,
        seed: int | None = None,
        close: bool = False,
        **options: object,
    ) -> LoadedSeries:
        """Publish every snapshot that the series does not have yet, as `audit anonymize` does, and return the series.

        Args:
            method: its name, such as `m-invariance`, or an object of your own.
            output: the series' folder, new or to be continued.
            seed: the same seed gives the same bytes; keep it secret. None draws a secret seed.
            close: whether to complete the transitions: a value that may follow in several steps may follow in one.
            **options: the method's options, such as `m=4`.

        Raises:
            UsageError: there is no such method or option, or the series cannot be continued.
            InputError: the microdata or the series are faulty, or the promise cannot be kept.
        """
        from audit.principles import registry as principles
        from audit.publishing.publish import PublishOptions, publish

        chosen = method_of(method, options) if isinstance(method, str) else method
        principle = principles.find(chosen.promise.principle, chosen.promise.parameters)
        microdata = self.opened.closed()[0] if close else self.opened
        publish(microdata, Path(output), chosen, principle, PublishOptions(seed=seed))
        return load(output, kind="microdata")

    def plan(
        self,
        *,
        methods: Sequence[str] = (),
        queries: int = 1000,
        seed: int = 0,
        time_limit: float | None = 20.0,
        progress: bool | None = None,
    ) -> PlanResult:
        """Try methods and parameters in a temporary folder and recommend one, as `audit plan` does.

        Raises:
            UsageError: there is no such method.
            InputError: the microdata cannot be read.
        """
        from anonymizers.registry import METHODS
        from attacks.registry import all_attacks
        from audit.metrics.utility import Queries
        from audit.model.audit_options import AuditOptions
        from audit.pipeline.progress import counting
        from audit.pipeline.publication_plan import candidates, plan_publication

        options = AuditOptions(time_limit=time_limit, findings=0)
        kinds = [METHODS.load(name) for name in methods or METHODS.names]
        asked = Queries(queries, seed=seed)
        with counting("trying methods", shown=is_shown(progress)) as watch:
            return PlanResult(plan_publication(self.opened, candidates(kinds), all_attacks(), options, asked, watch))

    def __repr__(self) -> str:
        return f"LoadedMicrodata({printable(self.name, 200)!r}, {len(self.snapshots)} snapshots)"
