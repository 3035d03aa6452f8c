"""Read-only SQL over an index, and the queries that are saved with statetool."""
