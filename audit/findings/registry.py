"""All kinds of findings, in the order of the schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from audit.findings.close_numbers import CloseNumbers, SimilarValues
from audit.findings.count import COUNT_KINDS
from audit.findings.disclosure import Disclosure, EverGrave, LikelyValue
from audit.findings.equivalence import Equivalence, Pinned
from audit.findings.rows import HomogeneousClass, Linkage, Narrowed
from audit.model.finding import Finding

KINDS: Sequence[type[Finding[Any]]] = (
    Disclosure,
    Narrowed,
    Equivalence,
    Pinned,
    HomogeneousClass,
    LikelyValue,
    EverGrave,
    CloseNumbers,
    SimilarValues,
    Linkage,
    *COUNT_KINDS.values(),
)
