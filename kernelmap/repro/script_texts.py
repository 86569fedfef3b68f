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

TRY_OTHERS = '''
def try_others(tries, run, recorded, written, tolerance, change=None):
    """Measure each try, under the reason that it answers; it has to compute the same.

    `change` gives the inputs another form, for calls of a library.
    """
    want, right, said = results_of(run, recorded, make_inputs(), written), True, None
    for reason, other in tries:
        if reason != said:
            print(f"  try        {reason}")
        said = reason
        try:
            inputs = change(other, make_inputs()) if change else make_inputs()
            got = results_of(run, other, inputs, written)
            for name in want:
                part = got[name][tuple(slice(size) for size in want[name].shape)]
                within = 0.05 if part.dtype == torch.bfloat16 else tolerance
                right &= compare(name, part, want[name], within)
            measure(lambda: run(other, **inputs), other)
        except Exception as error:  # a configuration that the GPU has no room for
            print(f"  failed     {other}: {error}")
    if change:
        change({}, {})
    return right


def results_of(run, config, inputs, written):
    """What a call gives back, and what it leaves in memory."""
    back = run(config, **inputs)
    results = {name: inputs[name] for name in written}
    for at, value in enumerate(back if isinstance(back, (tuple, list)) else [back]):
        results |= {f"result {at}": value} if isinstance(value, torch.Tensor) else {}
    return {name: value.clone() for name, value in results.items()}
'''

CHANGE = '''
def change(other, inputs):
    """The inputs in the form of a try, under its settings of torch; `{}` has torch's own."""
    torch.set_float32_matmul_precision(other.get("precision", "highest"))
    torch.backends.cudnn.benchmark = other.get("benchmark", False)
    torch.backends.cuda.preferred_blas_library(other.get("library", "default"))
    for name in other.get("bfloat16", ()):
        inputs[name] = inputs[name].bfloat16()
    for name in other.get("channels_last", ()):
        inputs[name] = inputs[name].contiguous(memory_format=torch.channels_last)
    for name, shape in other.get("padded", {}).items():
        made = inputs[name]
        is_transposed = made.dim() > 1 and made.stride(-1) > made.stride(-2)
        order = (*shape[:-2], shape[-1], shape[-2]) if is_transposed else shape
        inputs[name] = made.new_zeros(order)
        if is_transposed:
            inputs[name] = inputs[name].mT
        inputs[name][tuple(slice(size) for size in made.shape)] = made
    return inputs
'''
