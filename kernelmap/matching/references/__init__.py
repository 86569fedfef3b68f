"""Reference runs: what they launched for which calls, and launches placed by them."""
