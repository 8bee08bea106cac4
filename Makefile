# SPDX-License-Identifier: Apache-2.0
# The front door. Everything is built by CMake (see CMakePresets.json); this file names the ways in.
PREFIX ?= /usr/local
DESTDIR ?=
OUT ?= out

.DEFAULT_GOAL := help
.PHONY: help build run test bench lint format install clean

help: ## list the targets
	@echo "Gemmill: dense matrix products on everything a machine has"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

build: ## the library (build/lib) and the command (build/bin/gemmill)
	@scripts/setup build
	@test -f build/build.ninja || cmake --preset release -DGEMMILL_TESTS=OFF -DGEMMILL_BENCH=OFF
	@cmake --build build --target gemmill tools/all

run: build ## multiply, check, print a report and draw the run into out/
	build/bin/gemmill demo --out $(OUT)
	@if command -v mpirun >/dev/null && test -x build/bin/gemmill-ranks; then \
	    echo; echo "A product over two ranks (mpirun -n 2 gemmill gemm --grid 1x2 --m 2000 --check)"; \
	    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
	        mpirun -n 2 build/bin/gemmill gemm --grid 1x2 --m 2000 --check; fi

test: ## all tests, also under the sanitizers; the last line sums up; PART=planner: of one folder
	@scripts/setup all
	@scripts/test $(if $(PART),--part $(PART))

bench: ## measure against peers
	@scripts/setup build
	@cmake --preset release $(if $(wildcard build/build.ninja),,-DGEMMILL_TESTS=OFF) -DGEMMILL_BENCH=ON >/dev/null
	@cmake --build build --target bench

lint: ## layers, format, clang-tidy, licence lines
	@scripts/setup all
	@scripts/lint

format: ## rewrite the sources in the one layout
	@scripts/setup all
	@scripts/lint --fix-format

install: build ## into PREFIX (/usr/local), below DESTDIR
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean: ## remove what was built
	rm -rf build out
