"""Identifiers that are numbers written in one way (`17`, `000017`, `P000017`), read as these numbers at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from audit.io.texts import arrow, column_of, flags, whole

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_DIGITS = 9


class SerialNumbers(NamedTuple):
    """The texts that are a prefix and a number.

    Attributes:
        limit: numbers are those below; 0 where no text is one.
        prefix: what stands before each number.
        digits: how many digits, at most nine, each number is written with; 0 where none has leading zeros.
    """

    limit: int = 0
    prefix: str = ""
    digits: int = 0

    @classmethod
    def of(cls, texts: pa.Array, limit: int) -> SerialNumbers:
        """Return the form that all texts have, whole numbers without leading zeros first; else that of none."""
        forms = [cls(limit)]
        if len(texts):
            first = texts[0].as_py()
            digits = min(len(first) - len(first.rstrip("0123456789")), _MOST_DIGITS)
            prefix = first[: len(first) - digits]
            forms += [cls(limit, prefix, digits), cls(limit, prefix)] if digits else []
        return next((form for form in forms if (form.numbers(texts) >= 0).all()), cls())

    @property
    def plain(self) -> bool:
        """Whether they are written as integers are."""
        return not (self.prefix or self.digits)

    def numbers(self, texts: pa.Array) -> npt.NDArray[np.int64]:
        """Return the number below the limit that each text is, else -1; shape (texts,)."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = np.full(len(texts), -1, np.int64)
        if self.limit:
            least, most = (self.digits, self.digits) if self.digits else (1, _MOST_DIGITS)
            digits = pc.utf8_slice_codeunits(texts, start=len(self.prefix)) if self.prefix else texts
            length = whole(pc.binary_length(digits))
            is_one = flags(pc.and_(pc.starts_with(texts, pattern=self.prefix), pc.ascii_is_decimal(digits)))
            is_one &= (length >= least) & (length <= most)
            if not self.digits:
                is_one &= (length == 1) | ~flags(pc.starts_with(digits, pattern="0"))
            found[is_one] = whole(digits.filter(arrow(is_one)).cast(pa.int64()))
        return np.where(found < self.limit, found, -1)

    def text(self, number: int) -> str:
        """Return how a number is written."""
        return self.prefix + str(number).zfill(self.digits)

    def texts(self, numbers: pa.Array) -> pa.Array:
        """Return how integers of an Arrow column are written."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = numbers.cast(pa.string())
        texts = pc.utf8_lpad(texts, self.digits, "0") if self.digits else texts
        prefix, nothing = column_of([self.prefix, ""])
        return pc.binary_join_element_wise(prefix, texts, nothing) if self.prefix else texts
