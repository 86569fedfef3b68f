"""The runs that scripts/record_gpu_samples.py records, and how a recording becomes a sample.

case.py what a case is · models.py, layers.py, reasons.py what is compiled · cases.py the cases ·
record.py one case in a process of its own · kineto_marks.py marks in its profile · truth.py the
marks taken out again, as facts · replays.py which call made a node of a CUDA graph · sample.py what
is kept, neutral and small · beside.py what else is recorded: measured.py memory and time without a
profiler, captured.py captures without marks, counters of the GPU · findings.py what the recordings
say of GPUs.
"""
