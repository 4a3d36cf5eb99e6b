"""The statement of a witness that may be shown: what was audited, decided and proved; without worlds and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from audit.model.report import Report
from audit.runtime.phrases import Phrase, say
from reports.documents.sections import Document, Part, audited, verdict


class WitnessStatement(Document):
    """The statement beside a witness."""

    name: ClassVar[str] = "statement"
    title: ClassVar[Phrase] = Phrase("Statement of what an audit of a series of releases has shown")
    purpose: ClassVar[Phrase] = Phrase(
        "Anyone who has the releases and the witness can check what is proved, without trusting the program that wrote "
        "it."
    )

    def parts(self, report: Report) -> Sequence[Part]:
        """Return its sections."""
        return [(say("What was audited"), audited(report)), (say("Verdict"), verdict(report))]
