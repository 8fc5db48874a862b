# Meson and Ninja build Lanewise; this file gives the usual names to the usual wishes.
#
#   make demo      install what is needed, build, show what Lanewise does
#   make           build; the command is then build/lanewise
#   make test      install what is needed, build, tests of all kinds (also under sanitizers), lint
#   make test-all  the same, and most shares of `make test` in full: hours
#   make bench     install what we compare with, build, time everything
#   make docs      install what is needed, build, the documentation as a site: build/docs/index.html
#   make wheel     the Python wheel, with LLVM inside, in dist/
#   make deb       install what is needed, build the Debian packages, in dist/
#   make install   PREFIX=/usr/local by default, DESTDIR= for packagers

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
MESON_FLAGS ?=

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@scripts/install-deps --check build
	meson setup $(BUILD) $(MESON_FLAGS)

demo:
	@scripts/install-deps demo
	@scripts/quietly $(BUILD)/build.log "Building" scripts/build-demo $(BUILD)
	@scripts/demo $(BUILD)

test:
	scripts/install-deps test
	$(MAKE) --no-print-directory all
	@scripts/test $(BUILD)

# Parts of `make test` on their own.
test-quick: all
	tests/run -b $(BUILD)
test-asan:
	scripts/test --only asan $(BUILD)
test-tsan: all
	scripts/test --only tsan $(BUILD)

# Every kernel test on `cpu`, at each vector level, for every size of block, and each kernel of
# tests/cpu with several numbers of threads against `ref`; `make test` takes a share of them.
test-cpu: all
	scripts/test --only cpu-full $(BUILD)

# `make test`, and what it takes a share of in full: the code of every kernel, every size of block,
# 5,000 calls of the operations on each device, all pairs of their dtypes, extents and strides,
# 2,000 graphs, 16,000 random kernels, the wheel, a build with clang, mistakes that a test must
# notice. Some hours.
test-all: test test-cpu
	meson test -C $(BUILD)
	tests/run -b $(BUILD)
	LANEWISE_SCREEN=1 tests/run -b $(BUILD) tests/check
	MPI_RANKS=7 tests/run -b $(BUILD) tests/dist
	tests/aarch64/run -b $(BUILD) -s 0/24
	tests/ptx -b $(BUILD)
	python/tests/run --full $(BUILD)
	$(BUILD)/tests/robust/robust_source tests/kernel 300
	tests/freeze/run -b $(BUILD)
	tests/ops/run -b $(BUILD) -n 5000
	tests/ops/run -b $(BUILD) -p
	ninja -C $(BUILD) tests/unit/ops_graph tests/unit/ops_graph_memory tests/random/random \
		tests/planted/planted tests/planted/outside
	$(BUILD)/tests/unit/ops_graph cpu 2000
	for device in check cpu ref; do $(BUILD)/tests/unit/ops_graph_memory $$device || exit; done
	$(BUILD)/tests/random/random --programs 10000
	$(BUILD)/tests/random/random --wild --programs 3000
	$(BUILD)/tests/random/random --cuda --programs 2000
	$(BUILD)/tests/random/random --cuda --device cpu --programs 500
	$(BUILD)/tests/random/random --cuda --wild --programs 500
	$(BUILD)/tests/planted/planted --cases 6500
	$(BUILD)/tests/planted/planted --mixed --cases 5000
	$(BUILD)/tests/planted/outside --cases 5000
	tests/fuzz/run
	scripts/lint --clang $(BUILD)
	python/tests/install $(BUILD)
	python/tests/install --full
	packaging/same-ir $(BUILD) $$(packaging/zig)
	packaging/make-wheel $(BUILD)
	packaging/test-page
	packaging/test-deb
	python/tests/asan $(BUILD)
	meson test -C build-asan robust_source
	tests/mutate/language -b $(BUILD)
	tests/mutate/run -b $(BUILD)

# The kernel tests and random kernels on an NVIDIA GPU; BUILD/gpu.log has what came of it.
test-gpu: all
	ninja -C $(BUILD) tests/random/random tests/robust/robust_stop tests/robust/robust_order
	scripts/test-gpu $(BUILD)

# Every float of every maths function, doubles by the million, against MPFR: about 18 minutes of one
# core, shared by all cores. Not part of `make test`, which tries a sample.
test-maths:
	scripts/install-deps test
	scripts/test-maths

# Each row of the kernel language is taken away in turn, and small mistakes are made in the sources:
# does a test notice? MUTATE='^atomic' for some of them. Part of `make test-all`.
mutate: all
	tests/mutate/language -b $(BUILD) $(if $(MUTATE),'$(MUTATE)')
	tests/mutate/run -b $(BUILD) $(if $(MUTATE),'$(MUTATE)')

# Random kernels on all cores, until stopped; what goes wrong is shrunk and lies in BUILD/found.
fuzz: all
	ninja -C $(BUILD) tests/random/random
	$(BUILD)/tests/random/random --fuzz $(BUILD)/found

# The readers of files and words under libFuzzer, on a core each, until stopped.
fuzz-input:
	scripts/install-deps test
	tests/fuzz/run -n 0

lint:
	scripts/install-deps test
	scripts/lint --clang $(BUILD)

# Each workaround for a defect of LLVM or CUDA is left out in turn: does its test fail then? A
# minute; WORKAROUND='half_masks' for some rows. Not part of `make test`.
workarounds: all
	tests/workarounds -b $(BUILD) $(WORKAROUND)

# Set the sources as .clang-format says, all but the hand-set public headers.
format:
	find src cli examples bench python/src tests/unit tests/fuzz tests/random tests/planted \
		tests/robust tests/cpu -name '*.[ch]' | \
		xargs clang-format-19 -i

# Every row of the table with its peers, some minutes; BENCH='--quick dot24' for options and rows.
bench:
	scripts/install-deps bench || echo "Rows without their peer will say: not measured."
	$(MAKE) --no-print-directory all
	bench/run $(BUILD) $(BENCH)

install:
	@scripts/install-place '$(PREFIX)' '$(DESTDIR)'
	$(MAKE) --no-print-directory all
	meson configure $(BUILD) -Dprefix=$(PREFIX)
	ninja -C $(BUILD)
	DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

# The documentation as a static site, in BUILD/docs; Sphinx comes from PyPI.
docs:
	@scripts/install-deps docs
	$(MAKE) --no-print-directory all
	docs/site/build $(BUILD)
	@echo "The start page is $(BUILD)/docs/index.html"

# The Python wheel with all in it, in dist/.
wheel: all
	packaging/make-wheel $(BUILD)

# The Debian packages, in dist/.
deb:
	@scripts/install-deps deb
	@packaging/make-deb

clean:
	rm -rf build build-*

.PHONY: all demo test test-all test-gpu test-quick test-asan test-tsan test-cpu test-maths mutate \
	fuzz fuzz-input workarounds lint format bench install docs wheel deb clean
