"""Names of kernels, operators and libraries, as compilers and profilers spell them."""
