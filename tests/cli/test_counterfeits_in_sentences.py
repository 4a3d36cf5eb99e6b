"""Counterfeits are no people in the sentences of a report."""

from attacks.equivalence.attack import EquivalenceMeasures
from audit.model.measures import LeastBounds


def measures(alike: int, classes: dict[str, int]) -> EquivalenceMeasures:
    return EquivalenceMeasures(
        individuals=300,
        min_e=LeastBounds(1, 1),
        compromised={"1": alike},
        classes=classes,
        pinned=0,
        ways=["linear"],
    )


def test_somebody_who_equals_a_counterfeit_does_not_equal_another_person():
    said = "1 of 300 people certainly have the same value as another person or a counterfeit"
    assert measures(1, {}).accusation("the value", at_least=False) == said
    said = "2 of 300 people certainly have the same value as another person"
    assert measures(2, {"2": 1}).accusation("the value", at_least=False) == said
