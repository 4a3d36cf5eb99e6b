"""Publication plan: what each method of publishing microdata costs, and whether it keeps the policy, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from audit.model.json_types import Omittable
from audit.model.report import COUNTS, AttackReport

SEEDS = 3
"""The number of seeds with which a method is tried that may be recommended."""

FEW_INVENTED = 0.05
"""The share of counterfeits above which few officers sign a release."""


@dataclass(frozen=True)
class PlannedSeries:
    """One method with its parameters, tried on the microdata.

    Attributes:
        method, parameters: the method, and its parameters as written on the command line, such as `--m 4`.
        without: the columns that were left out.
        refused: why nothing could be published; None if something was. Only then the following fields are set.
        form: `generalization` or `anatomy`, which publishes exact quasi-identifiers.
        exit_code: the exit code of an audit with the default policy: 0 if it holds, 1 if it is violated, 3 if it is
            undecided.
        attacks: the results of the attacks, without findings.
        counterfeits, withheld: the number of counterfeits over all releases, and of people withheld at the end.
        counterfeit_share: the share of all published rows that are counterfeits.
        withheld_share: the share of the last snapshot's people who are withheld.
        ncp: the mean share of their domain that cells cover (normalized certainty penalty); None without cells.
        query_error: the median relative error of COUNT queries, averaged over the releases; None if no release has one.
        seconds: the time for publishing.
        violating: the attacks by which the policy is violated.
        undecided: why clauses of the policy are undecided.
        widths: the mean number of values, or the mean length, of a cell of each quasi-identifier.
        certain_if_unchanged: for how many people at least a value is certain if it does not change between releases;
            None unless any value may become any other.
        seeds: the number of seeds that were tried, of which this is the worst result; more than 1 only for what may be
            recommended.
        is_baseline: whether the method forms each release by itself, and promises nothing about several.
        unlinkable: the columns that are published as they are, about which audits of the new series ask.
    """

    method: str
    parameters: str
    without: tuple[str, ...] = ()
    refused: str | None = None
    form: str = ""
    exit_code: int = 3
    attacks: Annotated[tuple[AttackReport, ...], COUNTS] = ()
    counterfeits: int = 0
    withheld: int = 0
    counterfeit_share: float = 0.0
    withheld_share: float = 0.0
    ncp: float | None = None
    query_error: float | None = None
    seconds: float = 0.0
    violating: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    widths: Mapping[str, float] = field(default_factory=dict)
    certain_if_unchanged: Omittable[int] = None
    seeds: int = 1
    is_baseline: bool = False
    unlinkable: tuple[str, ...] = ()

    @property
    def keeps(self) -> bool:
        """Whether the series was published, and keeps the policy."""
        return self.refused is None and self.exit_code == 0

    @property
    def invented(self) -> float:
        """The share of counterfeits if it is more than a few, else 0."""
        return self.counterfeit_share if self.counterfeit_share > FEW_INVENTED else 0.0

    @property
    def lost(self) -> float:
        """What users lose: the sum of the query error and of the shares of range, people and rows."""
        return (self.query_error or 0.0) + (self.ncp or 0.0) + self.withheld_share + self.counterfeit_share


@dataclass(frozen=True)
class PublicationPlan:
    """The results of all methods that were tried.

    Attributes:
        microdata: the microdata's name.
        tried: the methods in the order of the registry, each with each choice of its parameters; then, if none kept the
            policy, methods without some columns.
        frequent: the most frequent value that is not harmless, if more than half of the people have it, and its share.
        changing: the number of people whose values change although the microdata have no transitions.
        transitions: the file of transitions by which each series is judged; None if values never change.
        amounts: the number of different sensitive values at first, if they are numbers that few people share; else 0.
        interrupted: whether the trials were interrupted, so that some are missing.
    """

    microdata: str
    tried: tuple[PlannedSeries, ...]
    frequent: tuple[str, float] | None = None
    changing: int = 0
    transitions: str | None = None
    amounts: int = 0
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """0, as a plan is no verdict; 130 if it was interrupted."""
        return 130 if self.interrupted else 0

    @property
    def recommended(self) -> PlannedSeries | None:
        """The most useful series that keeps the policy; None if there is none.

        It invents few rows, else the fewest, makes the fewest people's values certain if values do not change, and has
        no exact quasi-identifiers, if any such series does. Of these, it loses least.
        """
        return min((each for each in self.tried if each.keeps), key=_preference, default=None)


def _preference(each: PlannedSeries) -> tuple[float, int, bool, bool, float]:
    """Return a sort key that puts first what is to be recommended."""
    exact = each.form == "anatomy"
    return each.invented, each.certain_if_unchanged or 0, exact, each.query_error is None, each.lost
