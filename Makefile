# Each target does all set-up by itself, in .venv (scripts/setup.sh); needed: make and Python 3.11 or later.
# Plain enough for GNU make 3.81 and BSD make.

# Empty values keep another environment's packages and plugins out, and let Python keep what it compiled: a command
# that compiles all of its modules again takes twice as long.
VENV = PYTHONPATH= PYTHONHOME= PYTHONDONTWRITEBYTECODE= .venv/bin
# One for each core, up to four; each has a PostgreSQL server of its own.
TEST_PROCESSES = -n auto --maxprocesses 4 --dist worksteal

.PHONY: help setup tour test coverage style lint check bench bench-ci peers fix clean

help:
	@echo 'make tour    see an agent run become evidence, a decision state and a verdict'
	@echo 'make test    all checks and all tests'
	@echo 'make coverage  the tests with branch coverage, which takes half as long again'
	@echo 'make check   lint, types, layers, tidy and documentation tests'
	@echo 'make bench   the figures, each beside what it is compared with'
	@echo 'make peers   Heedful beside other memory systems, which it installs apart into .venv-peers'
	@echo 'make fix     format, and mend what the linter can mend'
	@echo 'make clean   remove everything that these made'

setup:
	@sh scripts/setup.sh

tour: setup
	@$(VENV)/heedful tour

# Types are checked beside the tests, which leave a core idle now and then; either of them fails it.
test: style
	$(VENV)/mypy & types=$$!; $(VENV)/python -m pytest -rs $(TEST_PROCESSES); tests=$$?; wait $$types && exit $$tests

coverage: setup
	$(VENV)/python -m pytest -rs $(TEST_PROCESSES) --cov --cov-report=term:skip-covered

style: setup
	$(VENV)/ruff format --check src tests bench scripts
	$(VENV)/ruff check src tests bench scripts
	$(VENV)/lint-imports

lint: style
	$(VENV)/mypy

check: lint
	$(VENV)/python -m pytest -rs $(TEST_PROCESSES) tests/tidy tests/docs

# Each file in bench/ also runs by itself and prints both sides of its ratios; one that starts with _ is shared.
bench: setup
	@$(VENV)/python bench/all.py

# Fewer rounds, five minutes at most; it fails where something is lost or wrong, or a speed is beyond its floor.
bench-ci: setup
	@$(VENV)/python bench/all.py --ci

# The others are no dependencies of ours, so they get an environment of their own.
peers: setup
	@sh scripts/peers.sh
	@$(VENV)/python -m bench peers

# What the linter finds in scripts/ is mended by hand: what they print and import tells how the weights were made.
fix: setup
	$(VENV)/ruff format src tests bench scripts
	$(VENV)/ruff check --fix src tests bench

clean:
	rm -rf .venv .venv-peers .uv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* build dist
