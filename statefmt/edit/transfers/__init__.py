"""Copies states from one place to another, byte for byte: what may be copied (`comparison`), and how (`transfer`)."""
