"""Checks the objects of resource instances: planned ones against configurations, new ones against plans."""
