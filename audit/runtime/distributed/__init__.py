"""Work on several machines: partitions of people, engines, a Dask cluster."""
