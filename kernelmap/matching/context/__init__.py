"""What strategies are given (context, matching so far), and what they return (decisions)."""
