"""What text is written on: how wide it is, and how numbers, names and signs come out there."""
