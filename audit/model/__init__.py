"""Data that everything else is about; it computes nothing and imports nothing of ours."""
