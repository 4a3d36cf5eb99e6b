"""k classes: the common part of methods that publish classes of at least k people as generalized cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from audit.model.anonymizer import Form
from audit.model.options import option


@dataclass(frozen=True)
class KClasses:
    """The parameter k of a method, and its form.

    Attributes:
        k: the least number of people in a class; at least 2.
    """

    k: int = option(help="the promise: number of people in a class", least=2)
    forms: ClassVar[tuple[Form, ...]] = ("generalization",)
    links_records: ClassVar[bool] = True
    follows_updates: ClassVar[bool] = False
