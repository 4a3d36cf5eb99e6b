"""Publishing: the next release of a series from its microdata, checked against its promise, whole or not at all."""
