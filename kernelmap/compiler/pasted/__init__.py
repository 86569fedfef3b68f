"""TORCH_LOGS text, as terminals show it and people paste it → generated code."""
