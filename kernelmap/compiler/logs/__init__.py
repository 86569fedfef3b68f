"""TORCH_TRACE logs → generated code with everything the log says of it."""
