"""Spreads the reading of states over this process or several: one interface, of which rows are all that travels."""
