"""Analyses of the provider configurations that a state uses, alone and against a configuration."""
