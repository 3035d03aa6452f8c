"""From the bodies of files to declarations."""
