"""One audit on several engines: what is told has to be the same but for the seconds."""

from pathlib import Path
from unittest.mock import patch

from tests.helpers.results import timeless

KEY = "00112233445566778899aabbccddeeff" * 2


def with_key(folder: Path) -> Path:
    """A series whose findings have the same ids in every run."""
    (folder / "private").mkdir(exist_ok=True)
    (folder / "private" / "finding.key").write_text(KEY)
    return folder


def told(folder: Path, *, ranges: int = 4, **options: object) -> str:
    """Audit a series; return the JSON result, or the lines of the error."""
    from attacks.registry import ATTACKS
    from audit.core.errors import AuditError
    from audit.reading.series import open_series
    from audit.running import Options, run_audit
    from reports.json import Json

    try:
        with patch("audit.ranges._LEAST", ranges):
            report = run_audit(open_series(folder), ATTACKS, Options(findings=None, reveal=True, **options))
    except AuditError as error:
        return f"{type(error).__name__}: {error}"
    return timeless(Json().render(report))
