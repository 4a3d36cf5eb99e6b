"""One audit from files to report, and the impact of one release more."""
