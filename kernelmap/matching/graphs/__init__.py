"""Graph spans and the graphs that ran in them: candidates, order, contradictions."""
