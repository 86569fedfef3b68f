"""The other files and folders in which generated code is found: code, pages, caches, packages."""
