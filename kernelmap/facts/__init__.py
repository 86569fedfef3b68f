"""What names mean: each question about a name is answered here once, and everybody asks here.

A name goes in - of a kernel on a device, of an operator or a range on the host, of an api call -
and an answer comes out. Nothing here looks at times, nesting or code; what follows from those is
decided where they are known. `docs/names.md` lists the names that libraries use, each with its
answer and the version that it was read in; the tests ask about every one of them.

- `communication`: does it move data between devices, and by which collective
- `compiling`: does the compiler work here, and at what
- `autotuning`: does the autotuner benchmark kernels here
- `api_calls`: what does an api call launch; does it wait for the device, load code, replay a graph
- `loading`: does the program load data here
- `frames`: whose work lies below a Python frame
- `counters`: what does a counter of a GPU show, and in which unit
- `families`: what kind of library work it is
"""
