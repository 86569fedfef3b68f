"""Plotly figures: frame in, Figure out."""
