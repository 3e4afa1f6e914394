# A thin front for CMake and ctest. `make` builds; `make demo` and `make test` do everything from a fresh clone.
BUILD ?= build
JOBS ?= $(shell nproc)

.PHONY: all setup setup-dev demo test goldens bench lint sanitize install figures measured sweep test-many test-web test-slurm test-blender blender studio python fuzz clean

all: setup
	@cmake --preset default -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

setup:
	@tools/setup.sh packages.txt

setup-dev: setup
	@tools/setup.sh packages-dev.txt

# The main job on the built-in characters: pictures, measures and baked files in demo/index.html
demo: all
	$(BUILD)/pelt demo -o demo

# Warnings of gcc and clang are errors; every test, then the goldens of a clang build, the short tests of a scalar and an address-sanitizer build, and 20 s of every
# fuzzer. tools/test.sh STAGE... runs a stage alone
test: setup
	@BUILD=$(BUILD) JOBS=$(JOBS) tools/test.sh

# Writes tests/golden/goldens.txt anew and says what moved, by how much
goldens: all
	@work=$$(mktemp -d) && $(BUILD)/tests/goldens --folder $$work --renew tests/golden/goldens.txt; status=$$?; rm -rf $$work; exit $$status

# Random characters by every flesh method beside lbs, in a table; MANY="--seeds 200 --jobs 2" and more: tools/test_many.py --help
test-many: all
	tools/test_many.py --pelt $(BUILD)/pelt $(MANY)

bench: all
	$(BUILD)/pelt bench

lint: setup-dev all
	tools/lint.sh $(BUILD)

# Address and undefined behaviour: every test but the scripts and a few cases that take minutes there, which it counts. Threads: the tests that start
# any, and the goldens. tools/test.sh thread runs those alone
sanitize: setup
	@BUILD=$(BUILD) JOBS=$(JOBS) tools/test.sh sanitize thread

fuzz: setup
	tools/fuzz.sh

# Every tuning constant halved and doubled: what that changes, in docs/constants.md. Half an hour of one core; a run that is stopped goes on.
# SWEEP="--old" makes only tables that are old, SWEEP="tracking contact" these; tools/sweep.py --help
sweep: setup
	cmake --preset sweep -DPELT_TESTS=OFF >/dev/null && cmake --build build-sweep -j $(JOBS) --target pelt
	tools/sweep.py --pelt build-sweep/pelt --write $(SWEEP)

# Pictures of docs/figures, made by the program
figures: all
	tools/figures.sh $(BUILD)/pelt
	tools/figures-tracking.sh $(BUILD)/pelt
	tools/figures-layered.sh $(BUILD)/pelt
	tools/figures-projective.sh $(BUILD)/pelt
	tools/figures-body.sh $(BUILD)/pelt
	tools/figures-characters.sh $(BUILD)/pelt
	tools/figures-touching.sh $(BUILD)/pelt
	@if command -v chromium >/dev/null && command -v img2webp >/dev/null; then tools/figures-studio.sh $(BUILD)/pelt; fi

# The Python package as a wheel in build/python, by Debian's own setuptools and wheel (docs/python.md)
python: all
	@rm -rf $(BUILD)/python && mkdir -p $(BUILD)/python && cp -r python $(BUILD)/python/source
	cd $(BUILD)/python/source && PELT_LIBRARY=$(abspath $(BUILD))/libpelt.so /usr/bin/python3 setup.py --quiet bdist_wheel --dist-dir ..
	@rm -rf $(BUILD)/python/source && ls $(BUILD)/python/pelt-*.whl

# The Blender add-on as a zip in build/blender, for 3.4 and, as an extension, for 4.2 and later (docs/blender.md)
blender: all
	@mkdir -p $(BUILD)/blender && tools/blender.py $(BUILD)/libpelt.so $(BUILD)/blender/pelt_skin-0.1.0.zip && ls $(BUILD)/blender/*.zip

# The Python package and the add-on inside Blender, without a window; skips with a line where Blender is missing
test-blender: all
	@for script in test_blender test_addon; do \
	    PELT=$(abspath $(BUILD))/pelt PELT_SOURCE=$(CURDIR) bash tests/blender/$$script.sh || [ $$? -eq 77 ] || exit 1; done

# Builds and starts `pelt studio`; STUDIO="hero.glb --port 8080" and more: build/pelt studio --help
studio: all
	$(BUILD)/pelt studio $(STUDIO)

# Every table of docs/ between markers, measured anew: best on a quiet machine. TABLES="house ..." for some of them
measured: all
	tools/measured.py --pelt $(BUILD)/pelt $(TABLES)

# The browser tests of `pelt compare` and `pelt studio`: node, npm and chromium; skips where they are missing
test-web: all
	@PELT_SHARED=../shared tools/test-web.sh $(BUILD)/pelt || [ $$? = 77 ]

# A batch on a real Slurm of one node, started here; skips where Slurm is not installed
test-slurm: all
	@tools/test-slurm.sh $(BUILD)/pelt || [ $$? = 77 ]

install: all
	cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

clean:
	rm -rf build build-*
