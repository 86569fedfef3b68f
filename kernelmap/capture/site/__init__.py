"""A folder for PYTHONPATH: the sitecustomize.py in it gets the processes of a launcher ready."""
