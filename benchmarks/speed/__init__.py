"""Speed: measurements of time and memory; see ../README.md."""
