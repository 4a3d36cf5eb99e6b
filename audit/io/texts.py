"""Texts: convert and strip Arrow columns of text without a Python object for each cell."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# What `str.strip` removes.
SPACES = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + ("\u2028\u2029\u202f\u205f\u3000")
)
_EXACT_FLOATS = 2**53
_MOST_BYTES = 2**31 - 1


def column_of(names: Iterable[str]) -> pa.Array:
    """Return texts as an Arrow column; `pyarrow.array` would import pandas.

    Half a surrogate pair, which no file can contain, becomes bytes that are not UTF-8, and so equals no cell.
    """
    if isinstance(names, pa.Array):
        return names
    cells = [text.encode("utf-8", "surrogatepass") for text in names]
    ends = np.cumsum([0, *map(len, cells)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(cells), pa.py_buffer(ends), pa.py_buffer(b"".join(cells)))


def arrow(numbers: npt.NDArray[np.generic]) -> pa.Array:
    """Return integers or flags as an Arrow column, without a copy of integers; `pyarrow.array` would import pandas."""
    if numbers.dtype == np.bool_:
        bits = np.packbits(numbers.view(np.uint8), bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), len(numbers), [None, pa.py_buffer(bits)])
    numbers = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [None, pa.py_buffer(numbers)])


def flags(column: pa.Array) -> npt.NDArray[np.bool_]:
    """Return the flags of an Arrow column without nulls; shape (rows,)."""
    return whole(column.cast("uint8")).view(np.bool_)


def used_texts(array: pa.Array) -> pa.Array:
    """Return a column without the texts of its dictionary that no row has."""
    if not pa.types.is_dictionary(array.type):
        return array
    rows = whole(array.indices.drop_null()).astype(np.intp, copy=False)  # `np.bincount` refuses unsigned 64-bit numbers
    used = np.bincount(rows, minlength=len(array.dictionary))
    return array if used.all() else array.dictionary_decode().dictionary_encode()


def texts_of(array: pa.Array) -> tuple[pa.Array, npt.NDArray[np.integer] | None]:
    """Return a column's cells as stripped texts, and None; a null becomes an empty text.

    A dictionary is returned as its stripped texts, which may repeat, and the index of each row; shape (rows,).
    """
    if not pa.types.is_dictionary(array.type):
        return stripped(_text(array)), None
    texts, indices = stripped(_text(array.dictionary)), array.indices
    if indices.null_count:
        indices = indices.fill_null(len(texts))
        texts = pa.concat_arrays([texts, column_of([""]).cast(texts.type)])
    return texts, np.asarray(whole(indices))


def stripped(texts: pa.Array) -> pa.Array:
    """Return texts without spaces at their ends, and without the formula `="..."` around them; nulls become empty.

    Spreadsheets keep a cell such as `="007"` as the text that it quotes.
    """
    found = pc.utf8_trim(texts.fill_null("") if texts.null_count else texts, characters=SPACES)
    if not flags(pc.starts_with(found, pattern='="')).any():
        return found
    return pc.utf8_trim(pc.replace_substring_regex(found, '^="([^"]*)"$', r"\1"), characters=SPACES)


def _text(array: pa.Array) -> pa.Array:
    """Return cells of any plain type as text; whole floating-point numbers are written without `.0`."""
    if pa.types.is_floating(array.type):
        return _float_texts(array)
    if pa.types.is_string(array.type) or array.nbytes > _MOST_BYTES:
        return array
    return array.cast(pa.string())


def _float_texts(array: pa.Array) -> pa.Array:

    wide = array.cast(pa.float64())  # `_EXACT_FLOATS` has no 32-bit representation
    exact = pc.and_(pc.equal(pc.floor(wide), wide), pc.less(pc.abs(wide), _EXACT_FLOATS)).fill_null(True)
    if pc.all(exact, min_count=0).as_py():
        return wide.cast(pa.int64()).cast(pa.string())
    # The shortest text that denotes this number at its width: 0.1, not 0.10000000149011612.
    narrow = {pa.float16(): np.float16, pa.float32(): np.float32}.get(array.type, float)
    cells = wide.to_pylist()
    return column_of("" if c is None else str(int(c)) if c.is_integer() else str(narrow(c)) for c in cells)


def hexadecimal(array: pa.Array) -> pa.Array:
    """Return cells of bytes as hexadecimal text."""
    cells = array.cast(pa.large_binary())
    _, offset_buffer, data_buffer = cells.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64, len(cells) + 1, cells.offset * 8)
    data = np.frombuffer(data_buffer or b"", np.uint8)[offsets[0] : offsets[-1]]
    texts = pa.LargeStringArray.from_buffers(
        len(cells), pa.py_buffer(2 * (offsets - offsets[0])), pa.py_buffer(data.tobytes().hex().encode())
    )
    return pc.if_else(cells.is_valid(), texts, None) if cells.null_count else texts


def whole(array: pa.Array) -> npt.NDArray[np.integer]:
    """Return an integer column without nulls as an array, not copied; `to_numpy` would import pandas."""
    kind = np.dtype(str(array.type))
    if not len(array):
        return np.zeros(0, dtype=kind)
    return np.frombuffer(array.buffers()[1], dtype=kind, count=len(array), offset=array.offset * kind.itemsize)
