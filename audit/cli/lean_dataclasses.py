"""Making data classes without compiling methods of them that are never called.

`dataclasses` writes the methods of a class as text and compiles each by itself: six for a frozen one, a millisecond for
a class, and an audit imports 240 classes. Most of these methods are never called in it. Python 3.13 compiles all
methods of a class at once, in another way, which this leaves alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

_Method = Callable[..., object]
_CREATE = "_create_fn"


def compile_methods_when_called() -> None:
    """Have `dataclasses` compile each method when it is called first."""
    create: Callable[..., _Method] | None = vars(dataclasses).get(_CREATE)
    if create is None:  # Python 3.13 and later
        return

    def deferred(name: str, *text: object, **names: object) -> _Method:
        made: _Method | None = None

        def method(self: object, /, *arguments: object, **named: object) -> object:
            nonlocal made
            if made is None:
                made = create(name, *text, **names)
                made.__qualname__ = method.__qualname__
                for owner in type(self).__mro__:
                    if vars(owner).get(name) is method:
                        setattr(owner, name, made)  # later calls cost what they always do
            return made(self, *arguments, **named)

        method.__name__ = name
        return method

    setattr(dataclasses, _CREATE, deferred)
