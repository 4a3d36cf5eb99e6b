"""Identifiers are numbered by one thread, while others ask about the codes that they have been given."""

import sys
from threading import Thread

import numpy as np
import pyarrow as pa
import pytest

from audit.io.encoding import COUNTERFEIT, IdentifierEncoder


@pytest.fixture
def often():
    """Threads that take turns as often as the interpreter lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("often")
def test_counterfeits_are_told_while_more_are_numbered():
    people = IdentifierEncoder()
    first = people.encode(pa.array(["ann", f"{COUNTERFEIT}c1", "bob"]))
    columns = [pa.array([f"{COUNTERFEIT}c{place}", f"name{place}"]) for place in range(2, 3000)]

    def read_on():
        for column in columns:
            people.encode(column)

    reader = Thread(target=read_on)
    reader.start()
    seen = 0
    while reader.is_alive():
        flags = people.is_counterfeit()
        assert flags[first].tolist() == [False, True, False]
        assert not flags[people.size :].any()
        seen += 1
    reader.join()
    assert seen > 1
    assert np.count_nonzero(people.is_counterfeit()) == 2999
