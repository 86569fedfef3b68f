"""Tables: the first layer with pandas."""
