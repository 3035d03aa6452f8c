"""The names that expressions can refer to, and the instances of modules and resources."""
