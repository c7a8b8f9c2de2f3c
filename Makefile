# Every recipe is one line: the work is done in Python, so that it also runs where make is missing.
PYTHON ?= python3
LOCAL = $(PYTHON) -m deploy.local
MANAGE = $(LOCAL) python manage.py

.DEFAULT_GOAL := help
.PHONY: help run servers test test-whole test-unit trials lint types demo-data bench screenshots train next-release sbom lock logs backup restore clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run:  ## install what is missing, start everything, say where it is; Ctrl-C stops it; GPU=1 serves on the card
	@$(LOCAL) run $(if $(GPU),--gpu)

servers:  ## PostgreSQL, broker and Triton alone, for processes that you start yourself; Ctrl-C stops them
	@$(LOCAL) servers

test:  ## what one waits for: lint, types, unit, web and API tests, a journey or a kill for each promise; ARGS= goes to pytest
	@$(LOCAL) test $(ARGS)

test-whole:  ## the tests that `test` leaves out, but the long trials: with it, what must hold before a change lands
	@$(LOCAL) test-whole $(ARGS)

test-unit:  ## the quick part of it: scoring and moderation without lint, browser, killed processes, training
	@$(LOCAL) test-unit $(ARGS)

trials:  ## the long trials: full disks, stopped servers, training, and the full matrix of widths, themes and kill points
	@$(LOCAL) test -m long

lint:  ## style, import contracts and types
	@$(LOCAL) lint

types:  ## mypy alone, strict
	@$(LOCAL) types

demo-data:  ## more simulated posts for the running product
	@$(MANAGE) simulate $(ARGS)

bench:  ## the measurements of docs/benchmarks.md, against the running product
	@$(LOCAL) python-dev -m lab $(ARGS)

screenshots:  ## the pictures of the README, from the running product
	@$(LOCAL) python-dev -m docs.screenshots $(ARGS)

train:  ## train the content model anew; ARGS= names data and output
	@$(LOCAL) python-dev -m training $(ARGS)

next-release:  ## learn from the running product's decisions: a candidate, judged beside the live release
	@$(LOCAL) python-dev manage.py next_release $(ARGS)

sbom:  ## what an installation brings, as CycloneDX, in sbom.json
	@$(LOCAL) python-dev -m cyclonedx_py requirements requirements/runtime.txt --pyproject pyproject.toml --output-reproducible -o sbom.json

lock:  ## pin the dependencies of pyproject.toml; UPGRADE=1 takes the newest
	@$(LOCAL) lock $(if $(UPGRADE),--upgrade)

logs:  ## follow the logs of the running product
	@tail -n 5 -F .state/logs/*.log

backup:  ## save the running product's database and releases; ARGS= names a new folder
	@$(MANAGE) backup $(ARGS)

restore:  ## ARGS= names a backup; only into an empty state folder, before `make run`
	@$(LOCAL) restore $(ARGS)

clean:  ## delete the environments and all state, the database included
	@$(LOCAL) clean
