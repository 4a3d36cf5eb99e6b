"""One audit from files to report, and the impact of one more release."""
