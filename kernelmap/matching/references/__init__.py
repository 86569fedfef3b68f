"""What one run teaches about another, or about itself elsewhere, and what is made of it."""
