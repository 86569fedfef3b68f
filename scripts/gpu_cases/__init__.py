"""The runs that scripts/record_gpu_samples.py records, and how a recording becomes a sample.

case.py what a case is · models.py what is compiled · cases.py the cases · record.py one case in a
process of its own · kineto_marks.py marks in its profile · truth.py the marks taken out again, as
facts · sample.py what is kept, neutral and small · findings.py what the recordings say of GPUs.
"""
