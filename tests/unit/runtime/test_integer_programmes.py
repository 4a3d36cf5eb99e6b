"""CP-SAT, asked in one place."""

import os
import signal

import pytest
from ortools.sat.python import cp_model

from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import solved


def test_after_a_programme_an_interrupt_is_still_pythons():
    """By itself the solver takes the signal, and leaves Ctrl-C to end the process."""
    model = cp_model.CpModel()
    model.maximize(model.new_int_var(0, 3, "x"))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert solved(model, 1.0, Budget())[0] == "best"
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
