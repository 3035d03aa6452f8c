"""Turns the bytes of one state into rows of all tables, without sensitive values. Pure: it reads and writes nothing."""
