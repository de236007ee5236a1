"""`attncli check`: a person's own arrays against the right computation, and which mistake fits."""
