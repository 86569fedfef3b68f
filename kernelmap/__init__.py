"""kernelmap: which line of the model does a GPU microsecond belong to?"""
