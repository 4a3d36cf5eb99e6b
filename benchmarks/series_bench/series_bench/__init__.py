"""A benchmark of series of releases: methods publish, attack or prove, and are scored against a truth drawn anew.

Populations and series come from seeds. A method is given what its task is about and nothing else; the truth is drawn
again from the seed once the answers are there, so that it lies nowhere while a method runs. See docs/series-bench.md.
"""

VERSION = "2"
"""Names the tasks: the same version and seed give the same tasks, and other scores cannot be compared."""
