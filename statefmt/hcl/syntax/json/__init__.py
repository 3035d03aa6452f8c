"""HCL's JSON syntax."""
