"""A benchmark of series of releases: methods publish or attack, and are scored against a freshly drawn truth.

Populations and series come from seeds. A method only gets the input of its task; the truth is drawn again from the seed
after the answers are complete, so that it is in no file while a method runs. See docs/series-bench.md.
"""

VERSION = "2"
"""The version of the tasks: the same version and seed give the same tasks; other scores are not comparable."""
