"""A trace and what follows from it, as rich renderables. Nothing is computed here."""
