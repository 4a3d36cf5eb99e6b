"""The packages that are installed beside `audit`, and what hides one of them: a folder or file of the same name."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

SIBLINGS = ("attacks", "anonymizers", "reports")


def hidden() -> str | None:
    """Return what is wrong where Python would import another package than ours, in a line; None where all is well."""
    home = Path(__file__).resolve().parents[2]
    for name in SIBLINGS:
        try:
            spec = find_spec(name)
        except ValueError:  # a module of that name was made by hand
            spec = None
        places = (
            [] if spec is None else [*(spec.submodule_search_locations or ()), *([spec.origin] if spec.origin else ())]
        )
        if not any(Path(place).resolve().is_relative_to(home / name) for place in places):
            where = places[0] if places else name
            return (
                f"{where} hides the package `{name}` of series-audit; rename it, or take its folder out of PYTHONPATH"
            )
    return None


def check() -> None:
    """Refuse to go on with somebody else's packages.

    Raises:
        ImportError: a folder or file hides one of ours; the text says which.
    """
    if trouble := hidden():
        raise ImportError(trouble)
