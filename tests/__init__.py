"""The tests: laws, oracles, and what they share."""

import os

# As the command does: threads that wait for each other after each small product take longer than one alone.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
