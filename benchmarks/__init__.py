"""What is said about speed rests on these measurements; `make bench` makes them all."""
