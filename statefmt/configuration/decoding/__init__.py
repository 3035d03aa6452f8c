"""Decodes the bodies of configuration files into declarations."""
