"""Rules about an apply compared with its plan (LIF), which `verify` runs."""
