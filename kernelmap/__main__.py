"""`python -m kernelmap`: the command line, where no `kernelmap` is on PATH."""

from kernelmap.cli import main

if __name__ == "__main__":
    main()
