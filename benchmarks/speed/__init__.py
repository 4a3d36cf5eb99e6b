"""What measures speed and memory: see ../README.md."""
