"""A folder for PYTHONPATH: its sitecustomize.py gets ready the processes of a program."""
