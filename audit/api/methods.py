"""Methods of publishing by their names, and what the method of a series promises."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from audit.model.errors import UsageError

if TYPE_CHECKING:
    from audit.io.manifest import Manifest
    from audit.model.anonymizer import Anonymizer
    from audit.principles.principle import Principle


def method_of(name: str, options: Mapping[str, object]) -> Anonymizer:
    """Return a method with its options.

    Raises:
        UsageError: there is no such method or option, or one is missing.
    """
    from anonymizers.registry import METHODS
    from audit.model.options import made

    return made(METHODS.load(name), name, options)


def declared_principle(manifest: Manifest) -> Principle | None:
    """Return the principle that the method of a manifest promises; None if no known method published the series."""
    from audit.principles import registry as principles

    if manifest.anonymized is None:
        return None
    name, *words = manifest.anonymized.split()
    numbers = {flag[2:].replace("-", "_"): int(n) for flag, n in pairwise(words) if n.isdecimal()}
    try:
        promise = method_of(name, numbers).promise
        return principles.find(promise.principle, promise.parameters)
    except UsageError:  # a method of a package that is not installed, or parameters that this version does not know
        return None
