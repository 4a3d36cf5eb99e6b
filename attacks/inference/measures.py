"""Measures of the attack by inference, which are estimates, and their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from audit.model.measures import Measures
from audit.runtime.phrases import Phrase, figure, say


@dataclass(frozen=True)
class EstimatedShare:
    """A share with its 95 % interval.

    Attributes:
        value: the share.
        low: where the interval begins.
        high: where it ends.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class InferenceMeasures(Measures):
    """How well values are guessed; an estimate, which decides nothing.

    Attributes:
        individuals: the number of people whose value was guessed.
        attack: the share of right guesses by groups and quasi-identifiers together; None if the values are unknown.
        control: the share of right guesses by quasi-identifiers alone, for people whose groups were not used for
            learning: what is true of the whole population.
        baseline: the share of right guesses by the values of the person's groups alone, all rows equally likely.
        advantage: `attack` less `control`.
    """

    individuals: int
    attack: EstimatedShare | None = None
    control: EstimatedShare | None = None
    baseline: EstimatedShare | None = None
    advantage: EstimatedShare | None = None

    has_timeline: ClassVar[bool] = False
    remedy: ClassVar[Phrase | str] = Phrase("Publish fewer or coarser quasi-identifiers beside the values.")

    @property
    def subjects(self) -> int:
        """How many people there are."""
        return self.individuals

    def found_in_words(self, *, at_least: bool) -> str:
        """Return how many guesses are right."""
        del at_least
        if self.attack is None:
            return say("an estimate; the true values are not known, so that nothing shows which guesses are right")
        return say("an estimate: {share} of the values guessed", share=figure(self.attack.value, ".1%"))

    def notes(self, attack: str) -> Iterator[str]:
        """Yield how to read the guesses."""
        if self.attack is None or self.baseline is None:
            return
        shares = {"attack": attack, "right": _said(self.attack), "baseline": _said(self.baseline)}
        if self.control is None:
            yield say(
                "{attack}: {right} of the guesses are right; with the groups' values alone, {baseline} (95% "
                "intervals). It decides no clause of the policy; what matters is how far the first figure is "
                "above the other.",
                **shares,
            )
        else:
            yield say(
                "{attack}: {right} of the guesses are right; where nothing was learnt from the person's "
                "groups, {control}; with the groups' values alone, {baseline} (95% intervals). It decides no"
                " clause of the policy; what matters is how far the first figure is above the others.",
                **shares,
                control=_said(self.control),
            )


def _said(interval: EstimatedShare) -> str:
    shown = {name: figure(getattr(interval, name), ".1%") for name in ("value", "low", "high")}
    return say("{value} ({low} to {high})", **shown)
