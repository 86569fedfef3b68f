"""What is known and still open while launches are paired: the state that strategies share."""
