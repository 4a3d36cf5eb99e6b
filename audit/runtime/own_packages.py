"""Own packages: find a folder or file that hides one of the packages installed beside `audit`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb

SIBLINGS = ("attacks", "anonymizers", "reports")


def is_own(attack: object) -> bool:
    """Return whether an attack is one of this program's, or such a one in a wrapper of this program."""
    package = type(attack).__module__.partition(".")[0]
    return is_own(getattr(attack, "attack", None)) if package == "audit" else package == "attacks"


def outsider(error: BaseException) -> str | None:
    """Return the package in whose code an error arose, if it is another one that brings something by an entry point."""
    from importlib.metadata import entry_points

    own = {__name__.partition(".")[0], *SIBLINGS}
    groups = [group for group in entry_points().groups if group.startswith("series_audit.")]
    others = {point.module.partition(".")[0] for group in groups for point in entry_points(group=group)}
    frames = (str(frame.f_globals.get("__name__")).partition(".")[0] for frame, _ in walk_tb(error.__traceback__))
    last = [name for name in frames if name in own | others][-1:]
    return last[0] if last and last[0] not in own else None


def hidden() -> str | None:
    """Return a line about a folder or file that Python would import instead of our package; None if there is none."""
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
    """Check that no folder or file hides one of our packages.

    Raises:
        ImportError: one does; the text says which.
    """
    if trouble := hidden():
        raise ImportError(trouble)
