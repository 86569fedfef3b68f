"""What kernels, symbols and library families are called: texts in, parts of names out."""
