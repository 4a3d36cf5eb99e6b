"""Files: tables, manifests, releases, cells, hierarchies, microdata."""
