"""Plans, schemas and stored values, and the verification of an apply against its plan. Pure functions."""
