"""Series of count tables: their manifest, their files, and their audit."""
