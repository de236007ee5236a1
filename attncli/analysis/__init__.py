"""What follows from a trace: one row derived step by step."""
