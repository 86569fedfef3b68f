"""The functions that every script has as they are: they make tensors, compare and measure."""

from __future__ import annotations

MAKE_TENSOR = '''
def tensor(shape, stride, dtype, device=DEVICE, below=None):
    """A tensor of random values that lies in memory as the recorded one did.

    Whole numbers are indices `below` a number, or 0 where the recording states none.
    """
    size = 1 + sum((n - 1) * step for n, step in zip(shape, stride)) if all(shape) else 0
    if dtype.is_floating_point or dtype.is_complex:
        memory = torch.randn(size, device=device).to(dtype)
    else:
        below = 2 if dtype == torch.bool else below or 1
        memory = torch.randint(0, below, (size,), device=device).to(dtype)
    return memory.as_strided(shape, stride)
'''

COMPARE = '''
def compare(name, got, want, tolerance):
    """Whether a result is that of eager PyTorch, up to rounding: in parts of its largest value."""
    got, want = got.reshape(want.shape).cpu().double(), want.cpu().double()
    same = (got == want) | (got.isnan() & want.isnan())
    scale = want[want.isfinite()].abs().max().item() if want.isfinite().any() else 1
    apart = torch.where(same, 0, (got - want).abs())
    off = apart.max().item() / (scale or 1) if apart.numel() else 0
    is_right = off <= tolerance
    print(f"  {'right' if is_right else 'WRONG'}      {name} is off by {off:.1e} of {scale:.3g}")
    return is_right
'''

MEASURE_ON_GPU = '''
def measure(function, config):
    """Print the time that do_bench measures, and that of the kernels alone, as a profile has it.

    do_bench empties the cache before each run, and counts what passes between two events.
    """
    try:
        bench = do_bench(function, return_mode="median") * 1000
    except Exception as error:  # a configuration that the GPU has no room for
        print(f"  failed     {config}: {error}")
        return
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(20):
            function()
        torch.cuda.synchronize()
    alone = sum(event.self_device_time_total for event in profile.key_averages()) / 20
    print(f"  do_bench {bench:10.2f} us, kernels alone {alone:.2f} us  {config or ''}")
'''

MEASURE_ON_CPU = '''
def measure(function, config):
    """Print the median time of one run."""
    times = []
    for _ in range(50):
        begin = time.perf_counter()
        function()
        times.append((time.perf_counter() - begin) * 1e6)
    print(f"  measured {sorted(times)[25]:10.2f} us, median of 50")
'''
