"""Generated C++ → its calls and kernels."""
