"""The command line under mutated input: each case in a forked child, judged by one oracle."""
