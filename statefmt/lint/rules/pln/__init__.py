"""Rules about plans (PLN)."""
