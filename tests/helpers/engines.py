"""One audit on several engines: reports may differ only in times."""

from pathlib import Path

from tests.helpers.results import timeless

KEY = "00112233445566778899aabbccddeeff" * 2


def with_key(folder: Path) -> Path:
    """A series whose findings have the same ids in every run."""
    (folder / "private").mkdir(exist_ok=True)
    (folder / "private" / "finding.key").write_text(KEY)
    return folder


def told(folder: Path, **options: object) -> str:
    """Audit a series; return the JSON result, or the lines of the error."""
    from attacks.registry import all_attacks
    from audit.io.series import open_series
    from audit.model.audit_options import AuditOptions
    from audit.model.errors import AuditError
    from audit.pipeline.audit_run import run_audit
    from reports.formats import Json

    try:
        settings = AuditOptions(findings=None, reveal=True, stable_ids=True, **options)
        report = run_audit(open_series(folder), all_attacks(), settings)
    except AuditError as error:
        return f"{type(error).__name__}: {error}"
    return timeless(Json().render(report))
