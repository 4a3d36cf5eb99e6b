"""Open a series as one adversary sees it."""

from audit.adversary.view import build_evidence
from audit.io.series import open_series


def opened(folder, adversary):
    """The series and its evidence."""
    series = open_series(folder)
    (evidence,) = build_evidence(series, adversary)
    return series, evidence
