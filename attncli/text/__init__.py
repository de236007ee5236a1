"""From a sentence to tokens, and from any text to something safe to print."""
