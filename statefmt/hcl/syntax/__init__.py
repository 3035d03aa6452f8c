"""Parsing of configuration files into bodies and expressions."""
