"""`e-equivalence`: no proof that a few people have the same values as a few others."""
