"""Distributed work: attacks on partitions of people, engines, and a Dask cluster."""
