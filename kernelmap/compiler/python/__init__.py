"""Generated Python → its calls, kernels and comments."""
