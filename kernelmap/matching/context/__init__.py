"""What strategies are given, and the decisions that they return."""
