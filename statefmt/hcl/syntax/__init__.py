"""From the bytes of a configuration file to bodies and expressions."""
