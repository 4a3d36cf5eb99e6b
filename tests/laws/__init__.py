"""Laws: what must hold of every attack and adversary, whatever the series."""
