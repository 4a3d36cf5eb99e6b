"""What the explanation of one person looks like in JSON; it names people."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.explanation import ExplainedVersion, Explanation, Said
from audit.model.json_types import Sensitive
from audit.model.report import AdversaryFacts


@dataclass(frozen=True)
class ExplainedAttribute:
    """What is known of one sensitive attribute.

    Attributes:
        sensitive: the attribute.
        versions: the person in each release.
        absent: the releases that the person is not in.
        attacks: what each attack says of the person.
    """

    sensitive: Sensitive
    versions: tuple[ExplainedVersion, ...]
    absent: tuple[str, ...]
    attacks: tuple[Said, ...]


@dataclass(frozen=True)
class ExplanationDocument:
    """What `audit explain SERIES --individual ID --format json` writes; it names people.

    Attributes:
        series: the series' name.
        individual: who.
        adversary: who was assumed to attack.
        attributes: one entry for each sensitive attribute.
    """

    series: str
    individual: str
    adversary: AdversaryFacts
    attributes: tuple[ExplainedAttribute, ...]


def explanation_document(explanation: Explanation) -> ExplanationDocument:
    """Return what is written of an explanation."""
    attributes = (ExplainedAttribute(e.sensitive, e.versions, e.absent, e.said) for e in explanation.explained)
    return ExplanationDocument(
        explanation.series, explanation.individual, explanation.adversary, attributes=tuple(attributes)
    )
