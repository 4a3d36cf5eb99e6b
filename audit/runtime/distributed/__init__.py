"""Distributed work: engines, and a Dask cluster."""
