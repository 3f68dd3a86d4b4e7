# SPDX-License-Identifier: Apache-2.0

# make          build build/trainjobc
# make demo     build, then render a real PyTorch job and a real MPI job
# make test     build, and the tests that need no Go, root or control plane
# make e2e      the tests against a real API server and the controllers, built from their Go modules
# make unit     build and run the unit tests only
# make dev      build build-dev/trainjobc with -Og; sources that differ from HEAD are compiled alone
# make golden   rewrite golden files, manual pages and expected texts from what the binary prints now
# make live     compare trainjobc with a control plane with the real controllers; LIVE="--random 2000 --seed 7" TRAINER=2.2 KUBERNETES=1.37 KUEUE=0.16
# make compose  run what `compose` prints, with docker compose over Docker and podman, as root
# make train    run rendered jobs with real programs, as root; TRAIN="torch openmpi" for some of them; LAUNCHERS=all: newest launchers
# make bench    measure speed;  make bench-growth  measure growth up to 10,000 jobs
# make cost     count the instructions for n and 4n items of each list and map; COST="--only Kueue" for some of them, COST="--all --screen" in minutes
# make python   build the Python module in build/python, and run its tests
# make install  build, install below PREFIX (/usr/local), below DESTDIR
# make tarball, deb, wheel, sdist   a package in build/dist;  make dist  all of them, with SHA256SUMS and an SBOM
# make wheel MACHINE=aarch64 PYTHONS="python3.12 python3.13t"  the wheels for arm64, in build-arm64/dist, with modules for these
# make image    a container image in build/dist, with buildah
# make arm64    the static binary for arm64 Linux in build-arm64, tried under qemu-user;  make macos  for arm64 macOS
# make docs     the documentation's site in build/docs/site
# make playground  the page that compiles in the browser, with emscripten, in the site of `make docs`
# make fuzz     run each fuzz target for FUZZ_SECONDS under ASan and UBSan; FUZZ_TARGETS="read merge" for some of them
# make attack   every command on 20,000 repositories from a grammar, under ASan and UBSan, and under signals; ten minutes of load on
#               the webhook. ATTACK="--seed 7 --cases 1000" for other repositories
# make coverage the lines of src that the inputs of the last `make fuzz` reach
# make mutation make 500 small mistakes in sources, one at a time, and list those that no test notices (an hour); MUTATION="--seed 2"
# make format   clang-format;  make tidy  clang-tidy;  make asan  the tests under ASan and UBSan
# make tsan     render, lint and diff with eight threads under ThreadSanitizer
# All but `make golden` and `format` install what is missing (Debian packages) first.

BUILD ?= build
BUILD_TYPE ?= Release
TRAINER ?= 2.3
KUBERNETES ?= 1.36
KUEUE ?=
LIVE ?= --random 200 --conformance
TRAIN ?= all
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?=
COST ?= --all
ATTACK ?= --cases 20000 --seconds 1200
MUTATION ?= --seed 1
CMAKE_FLAGS ?=
MACHINE ?= $(shell uname -m)
PREFIX ?= /usr/local

.PHONY: all build bootstrap demo test unit dev e2e golden live train compose bench bench-growth cost format tidy asan tsan fuzz attack coverage mutation python install tarball deb wheel sdist image dist static arm64 macos docs playground clean

all: build

bootstrap:
	@tools/bootstrap.sh

$(BUILD)/build.ninja: CMakeLists.txt | bootstrap
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) $(CMAKE_FLAGS) > $(BUILD).cmake.log 2>&1 || { cat $(BUILD).cmake.log; rm -f $(BUILD).cmake.log; exit 1; }
	@rm -f $(BUILD).cmake.log

build: bootstrap $(BUILD)/build.ninja
	@[ -e $(BUILD)/trainjobc ] || echo "building; the first time takes some minutes"
	@ninja -C $(BUILD) --quiet trainjobc

demo: build
	@tools/demo.sh $(BUILD)/trainjobc

test: bootstrap $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet
	@cd $(BUILD) && ctest --output-on-failure --parallel 2 -LE 'e2e|train'
	@echo "There is more: make e2e and make live compare with the real controllers (Go; they build Kubernetes), make train runs the pods (root; PyTorch, MPI, ssh)."

e2e: build
	@ninja -C $(BUILD) --quiet
	@python3 tests/e2e/programs.py
	@cd $(BUILD) && ctest --output-on-failure -L e2e

dev: bootstrap
	@cmake -S . -B build-dev -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-Og -DCMAKE_UNITY_BUILD_BATCH_SIZE=8 -DTRAINJOBC_EDITED="$$(git diff --name-only HEAD -- src | grep 'cpp$$' | tr '\n' ';')" > build-dev.cmake.log || { cat build-dev.cmake.log; exit 1; }
	@rm -f build-dev.cmake.log
	@ninja -C build-dev --quiet trainjobc

unit: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet unit_tests
	@$(BUILD)/tests/unit_tests

golden: build
	@TRAINJOBC_UPDATE_GOLDEN=1 python3 tests/docs/man_test.py $(BUILD)/trainjobc
	@TRAINJOBC_UPDATE_GOLDEN=1 python3 tests/source/versions_test.py $(BUILD)/trainjobc
	@python3 tools/docs/terminal.py $(BUILD)/trainjobc
	@ninja -C $(BUILD) --quiet unit_tests
	@TRAINJOBC_UPDATE_GOLDEN=1 $(BUILD)/tests/unit_tests >/dev/null || true
	@ninja -C $(BUILD) --quiet unit_tests
	@$(BUILD)/tests/unit_tests

live: build
	@python3 tests/e2e/controllers_test.py $(BUILD)/trainjobc $(BUILD)/tests/e2e --trainer-version $(TRAINER) \
	  --kubernetes $(KUBERNETES) $(addprefix --kueue=,$(KUEUE)) $(LIVE)

train: build
	@tools/bootstrap.sh iproute2 openssh-server python3-torch openmpi-bin python3-mpi4py mpich python3-venv
	@LAUNCHERS=$(LAUNCHERS) tests/train/venv.sh $(abspath $(BUILD))/train
	@LAUNCHERS=$(LAUNCHERS) python3 tests/train/train_test.py $(BUILD)/trainjobc $(if $(LAUNCHERS),launcher-rows frameworks,$(TRAIN))

compose: build
	@tools/bootstrap.sh iproute2 openssh-server python3-torch openmpi-bin python3-mpi4py python3-venv busybox-static \
	  docker.io iptables podman runc netavark aardvark-dns
	@tests/train/venv.sh $(abspath $(BUILD))/train
	@cd tests/compose/docker-compose && go build -o $(abspath $(BUILD))/docker-compose github.com/docker/compose/v2/cmd
	@DOCKER_COMPOSE=$(abspath $(BUILD))/docker-compose TRAIN_VENVS=$(abspath $(BUILD))/train \
	  python3 tests/compose/compose_run_test.py $(BUILD)/trainjobc

bench: build
	@bench/run.sh $(BUILD)/trainjobc
	@python3 bench/lsp.py $(BUILD)/trainjobc

bench-growth: build
	@python3 bench/growth.py $(BUILD)/trainjobc

cost: build
	@tools/bootstrap.sh valgrind
	@python3 tests/cost/cost_test.py $(BUILD)/trainjobc $(COST)

format:
	@git ls-files --cached --others --exclude-standard '*.cpp' '*.h' | xargs clang-format -i

tidy: bootstrap
	@cmake -S . -B build-tidy -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DCMAKE_CXX_COMPILER=$$(tools/clang.sh) > /dev/null
	@tools/bootstrap.sh clang-tidy-$$(tools/clang.sh | tr -dc 0-9)
	@git ls-files 'src/*.cpp' | xargs -P 2 -n 4 clang-tidy-$$(tools/clang.sh | tr -dc 0-9) -p build-tidy --quiet

asan:
	@$(MAKE) --no-print-directory test BUILD=build-asan BUILD_TYPE=Debug CMAKE_FLAGS=-DTRAINJOBC_SANITIZE=ON

tsan: bootstrap
	@cmake -S . -B build-tsan -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTRAINJOBC_TSAN=ON > /dev/null
	@ninja -C build-tsan --quiet trainjobc
	@python3 tests/program/threads_test.py build-tsan/trainjobc

fuzz: bootstrap
	@cmake -S . -B build-fuzz -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTRAINJOBC_FUZZ=ON -DTRAINJOBC_WERROR=OFF \
	  -DCMAKE_CXX_COMPILER=$$(tools/clang.sh) > /dev/null
	@ninja -C build-fuzz --quiet fuzz_targets
	@python3 tests/fuzz/run.py build-fuzz/tests/fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

attack: bootstrap
	@cmake -S . -B build-asan -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTRAINJOBC_SANITIZE=ON > /dev/null
	@ninja -C build-asan --quiet attack_driver
	@python3 tests/attack/attack_test.py build-asan/tests/attack/attack_driver $(ATTACK)
	@$(MAKE) --no-print-directory build
	@python3 tests/program/signals_test.py $(BUILD)/trainjobc
	@python3 tests/program/webhook_load_test.py $(BUILD)/trainjobc --seconds 600

coverage: bootstrap
	@tools/bootstrap.sh llvm-$$(tools/clang.sh | tr -dc 0-9)
	@cmake -S . -B build-coverage -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTRAINJOBC_FUZZ=ON -DTRAINJOBC_COVERAGE=ON -DTRAINJOBC_WERROR=OFF \
	  -DCMAKE_CXX_COMPILER=$$(tools/clang.sh) > /dev/null
	@ninja -C build-coverage --quiet fuzz_targets
	@python3 tests/fuzz/coverage.py build-coverage/tests/fuzz build-fuzz/tests/fuzz $$(tools/clang.sh | tr -dc 0-9)

mutation: bootstrap
	@python3 tests/mutation/mutate.py $(MUTATION)

python: bootstrap
	@tools/python.sh $(BUILD)
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) -DTRAINJOBC_PYTHON=ON -DPython_EXECUTABLE=$(abspath $(BUILD))/python-venv/bin/python $(CMAKE_FLAGS) > /dev/null
	@ninja -C $(BUILD) --quiet trainjobc trainjobc_python
	@cd $(BUILD) && ctest --output-on-failure -R '^python$$'

install: build
	@ninja -C $(BUILD) --quiet trainjobc_library json_schemas
	@cmake --install $(BUILD) --prefix $(PREFIX) > /dev/null

static: bootstrap $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet trainjobc-static

tarball deb: static
	@tools/package.sh $@ $(BUILD)
	@ls $(BUILD)/dist/*$(if $(filter deb,$@),.deb,.tar.gz)

wheel: PACKAGED = $(if $(filter $(MACHINE),$(shell uname -m)),$(BUILD),build-arm64)
wheel: $(if $(filter $(MACHINE),$(shell uname -m)),static,arm64)
	@tools/bootstrap.sh python3-pip python3-venv python3-dev
	@tools/manylinux.sh $(MACHINE) $(BUILD)
	@PYTHONS="$${PYTHONS-python3}" tools/package.sh $@ $(PACKAGED)
	@ls $(PACKAGED)/dist/*.whl

sdist:
	@tools/bootstrap.sh python3-pip python3-venv
	@mkdir -p $(BUILD)
	@tools/package.sh $@ $(BUILD)
	@ls $(BUILD)/dist/trainjobc-?.*.?.tar.gz

image: tarball
	@tools/bootstrap.sh buildah
	@tools/package.sh $@ $(BUILD)
	@ls $(BUILD)/dist/*.oci.tar

arm64: build
	@tools/linux_arm64.sh $(BUILD)

macos: build
	@tools/macos.sh $(BUILD)

docs: build
	@tools/bootstrap.sh python3-venv
	@tools/docs/site.sh $(BUILD)
	@echo $(BUILD)/docs/site/index.html

playground: build
	@tools/playground.sh $(BUILD)
	@$(MAKE) --no-print-directory docs

dist: tarball deb wheel sdist
	@tools/package.sh sums $(BUILD)
	@cat $(BUILD)/dist/SHA256SUMS

clean:
	@rm -rf build build-asan build-tsan build-fuzz build-coverage build-mutation build-tidy build-arm64 build-macos build-manylinux-* build-playground
