"""Properties that hold of every attack, anonymizer and engine."""
