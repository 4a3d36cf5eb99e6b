"""What is measured, against whom, and how good it has to be: see README.md."""
