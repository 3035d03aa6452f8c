"""What is said about speed rests on these measurements: `make bench`, and some that are run apart."""
