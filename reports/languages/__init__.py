"""Languages of reports: catalogues of sentences in gettext's format, their reader, and the tool that updates them."""
