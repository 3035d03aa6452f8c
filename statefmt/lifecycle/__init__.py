"""Plans, schemas and stored values, and whether an apply did what its plan said. Pure functions."""
