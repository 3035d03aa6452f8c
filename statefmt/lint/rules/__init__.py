"""The rules: a module or a folder for each prefix; in a folder, a file for each rule with a check of its own."""
