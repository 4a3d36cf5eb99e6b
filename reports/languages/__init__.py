"""Languages of reports: catalogues of sentences as gettext has them, and what reads and makes them."""
