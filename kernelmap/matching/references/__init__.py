"""Reference runs: what they launched for which calls, and a trace that is placed by them."""
