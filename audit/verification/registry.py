"""The check of each kind of claims: code that knows nothing of how they were found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from audit.adversary.view import View
from audit.findings.disclosure import Disclosures
from audit.findings.equivalence import Equivalences
from audit.findings.ever_grave import GraveHistories
from audit.findings.homogeneous_class import HomogeneousClasses
from audit.findings.likely_value import LikelyValues
from audit.findings.linkage import Linkages
from audit.findings.narrowed import NarrowedRecords
from audit.model.finding import Claims
from audit.verification.disclosure import Check
from audit.verification.disclosure_checker import check_disclosures, check_likely_values
from audit.verification.equivalence import check_combinations
from audit.verification.group import check_classes
from audit.verification.linkage import check_linkages
from audit.verification.record import check_records

CHECKS: Mapping[type[Claims], Callable[[View, Any], Check]] = {
    Disclosures: check_disclosures,
    Equivalences: check_combinations,
    HomogeneousClasses: check_classes,
    LikelyValues: check_likely_values,
    GraveHistories: check_likely_values,
    Linkages: check_linkages,
    NarrowedRecords: check_records,
}
"""By the type of the claims: given the evidence and the claims, what checks them."""
