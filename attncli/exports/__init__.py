"""An inspection as a file that other programs read."""
