"""Renders reports in HTML: one file each, which a browser opens without a network."""
