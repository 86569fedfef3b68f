"""Which graph a range or a piece of a trace is: candidates, order, and the doubts about them."""
