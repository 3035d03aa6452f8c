"""Relates a plan to a configuration and a state: provider instances, and whether the plan is for that state."""
