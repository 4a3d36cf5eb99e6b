"""Record ids: random, published, and the same for a person in all releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.io.encoding import NOBODY, IdentifierEncoder
from audit.io.serial_numbers import SerialNumbers
from audit.io.tables import Coded
from audit.io.texts import arrow, column_of, hexadecimal
from audit.model.arrays import Codes

if TYPE_CHECKING:
    import pyarrow as pa

_BYTES = 5  # of the numbers in record ids, which are written in hexadecimal digits after an `r`


class RecordIds:
    """The published record ids of a series: known people keep theirs, new people and counterfeits get random ones."""

    def __init__(self) -> None:
        # Numbers must not be their own codes: only published ids have a code.
        self._ids = IdentifierEncoder(SerialNumbers())
        self._of = np.full(0, -1, dtype=np.int32)

    def learn(self, person: Codes, records: Coded) -> None:
        """Take the record ids of a release's people; later ones replace earlier ones."""
        size = int(person.max(initial=-1)) + 1
        if size > len(self._of):
            self._of = np.concatenate([self._of, np.full(size - len(self._of), -1, dtype=np.int32)])
        codes = self._ids.encode_coded(records)
        real = person != NOBODY
        self._of[person[real]] = codes[real]

    def of(self, person: Codes, rng: np.random.Generator) -> pa.Array:
        """Return the record id of each row, as Arrow text."""
        import pyarrow.compute as pc

        size = len(self._of)
        known = np.where((person >= 0) & (person < size), np.append(self._of, -1)[np.minimum(person, size)], -1)
        missing = known < 0
        drawn = _texts(self._draw(int(np.count_nonzero(missing)), rng))
        return pc.replace_with_mask(self._ids.names(known), arrow(missing), drawn)

    def _draw(self, count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return distinct numbers of unused record ids; shape (count,)."""
        drawn = np.zeros(0, dtype=np.int64)
        while len(drawn) < count:
            more = rng.integers(0, 1 << 8 * _BYTES, count - len(drawn))
            drawn = np.concatenate([drawn, more[self._ids.codes(_texts(more)) < 0]])
            drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
        return drawn


def _texts(numbers: npt.NDArray[np.int64]) -> pa.Array:
    """Return numbers as record ids, as Arrow text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    data = np.ascontiguousarray(numbers.astype(">i8").view(np.uint8).reshape(-1, 8)[:, -_BYTES:])
    cells = pa.Array.from_buffers(pa.binary(_BYTES), len(numbers), [None, pa.py_buffer(data)])
    letter, nothing = column_of(["r", ""]).cast(pa.large_string())
    return pc.binary_join_element_wise(letter, hexadecimal(cells), nothing)
