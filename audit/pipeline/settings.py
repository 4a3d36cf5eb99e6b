"""The options of an audit, stated once; the arguments of Python and of the command line are made from them.

Type checkers read the classes (PEP 692), the command line reads the annotation of each type.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypedDict, get_type_hints

from audit.model.adversary import AdversaryKind
from audit.model.audit_options import AuditOptions
from audit.runtime.engine import Engine


@dataclass(frozen=True)
class Setting:
    """The default of an option, and its help on the command line; options of Python alone have no help."""

    default: Any = None
    help: str = ""
    metavar: str | None = None


class CountSettings(TypedDict, total=False):
    """The settings of all audits.

    Seconds for each attack (None means no limit), clauses that replace the manifest's, the number of findings to show
    (None means all), and whether to show progress.
    """

    time_limit: Annotated[float | None, Setting(AuditOptions.time_limit, "seconds per attack", "S")]
    policy: Annotated[
        Mapping[str, float] | None,
        Setting(
            None,
            "set a limit of the policy, on which the verdict depends: max_risk (default 1), min_e (2), k (2), "
            "max_ever_risk, closeness (0.1); of count tables: min_count (2), min_width (2), min_labels (2)",
            "CLAUSE=LIMIT",
        ),
    ]
    findings: Annotated[int | None, Setting(AuditOptions.findings, "findings shown", "N|all")]
    progress: Annotated[bool | None, Setting()]


class Settings(CountSettings, total=False):
    """The settings of audits of people; `max_e` and `history` are options of `equivalence`, `seed` of `joint`."""

    adversary: Annotated[
        AdversaryKind | None,
        Setting(None, "the adversary to assume; default: the worst case that the series allows"),
    ]
    engine: Annotated[Engine | None, Setting()]
    reveal: Annotated[bool, Setting(False, "name people; never publish such a report")]
    stable_ids: Annotated[
        bool,
        Setting(
            False,
            "use the same ids and pseudonyms in every such report, by a key in the series' private/; waivers need them",
        ),
    ]
    max_e: int
    history: bool
    seed: int


AnyPath: TypeAlias = str | os.PathLike[str] | None


class _Beside(TypedDict, total=False):
    """The file that an audit compares with, and the evidence that it writes."""

    baseline: Annotated[
        AnyPath,
        Setting(
            None,
            "an earlier report (--format json --stable-ids --findings all): fail only for what is new",
            "REPORT.json",
        ),
    ]
    witness: Annotated[
        AnyPath,
        Setting(
            None,
            "write the evidence that proves the verdict, for `audit verify SERIES FOLDER`; it names people, except "
            "for count tables",
            "FOLDER",
        ),
    ]


class WholeCountAudit(CountSettings, _Beside, total=False):
    """The settings of `audit SERIES` for count tables."""


class WholeAudit(Settings, _Beside, total=False):
    """The settings of `audit SERIES` for people."""

    risks: Annotated[
        AnyPath,
        Setting(
            None, "write the risk of each person in each release to a CSV or Parquet file, which names people", "FILE"
        ),
    ]
    proofs: Annotated[
        Literal["veripb"] | None,
        Setting(
            None, "write the findings as a pseudo-Boolean formula and proof beside the witness, which VeriPB checks"
        ),
    ]


SETTINGS: dict[str, tuple[Any, Setting]] = {
    name: (hint.__origin__, hint.__metadata__[0])
    for name, hint in get_type_hints(WholeAudit, include_extras=True).items()
    if hasattr(hint, "__metadata__")
}
"""Each option with its type and its setting; options of attacks are fields of the attacks."""
OF_WHOLE = WholeAudit.__annotations__.keys() - Settings.__annotations__.keys()
"""The options of `audit SERIES` alone."""
