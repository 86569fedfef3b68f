"""Nsight Systems: SQLite exports, reports, and tables that `nsys stats` printed → RawTrace."""
