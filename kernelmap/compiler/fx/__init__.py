"""The readable text of FX graphs → nodes, and the modules they belong to."""
