"""Values that releases publish and the transitions say nothing of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from audit.io.releases import Release
from audit.io.series import Series
from audit.model.errors import InputError, Problem


def check_listed(series: Series, release: Release, sensitive: str, listed: npt.NDArray[np.bool_]) -> None:
    """Refuse a release with a value of which the transitions do not say what may follow it.

    Args:
        series: the series, whose manifest names the transitions.
        release: one of its releases, published or about to be.
        sensitive: the sensitive attribute.
        listed: whether they say it of each value; shape (values,). Values beyond were not known to them.

    Raises:
        InputError: there is one.
    """
    values = np.flatnonzero(np.bincount(release.entry_value[sensitive]))
    known = np.append(listed, False)
    silent = values[~known[np.minimum(values, len(listed))]]
    if len(silent):
        name = series.vocabularies[sensitive].names[silent[0]]
        what = f'no line says what may follow "{name}", which release {release.tag} publishes'
        remedy = "add lines that do, one to the value itself if it may stay"
        raise InputError([Problem(str(series.manifest.transitions), what, remedy, column="from")])
