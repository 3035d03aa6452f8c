"""Rules about providers of objects (PRV)."""
