"""Stores rows in a DuckDB database, and refreshes those of states that have changed."""
