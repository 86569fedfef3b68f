"""What runs beside the user's program: the only place with torch and nvtx."""
