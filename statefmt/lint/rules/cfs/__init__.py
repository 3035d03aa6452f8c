"""Rules about configurations compared with a state (CFS)."""
