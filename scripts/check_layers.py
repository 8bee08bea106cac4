#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes follow the arrows between the layers, and the rules of docs/architecture.md
that a text search can prove.

    scripts/check_layers.py [folder of the source tree]

Prints file:line: fault for each fault and exits 1 when there is one. Warnings change nothing.
"""

import re
import sys
from pathlib import Path

# What each folder of src may include besides itself. Nothing else may be included.
DATA = ["base", "machine", "matrix", "plan"]
CANDIDATE = DATA + ["model", "task", "planner", "planner/split", "planner/shape"]
CANDIDATES = ["planner/candidate", "planner/candidate/start", "planner/candidate/move"]
RANK_BASE = ["base", "matrix", "kernel", "kernel/reference"]
RANK_OWNERS = RANK_BASE + ["rank/message", "rank/update", "rank/owners"]
RANK_SHARE = RANK_OWNERS + ["rank/share"]
RANK_PARTS = ["rank/message", "rank/update", "rank/owners", "rank/bound", "rank/share",
              "rank/program", "rank/program/emit", "rank/program/walk"]
CUDA_BASE = ["base", "matrix", "kernel"]
# Kernels for batches, from what they are built of to the sets of them that are compiled in.
CUDA_PARTS = CUDA_BASE + ["kernel/cuda/part", "kernel/cuda/launch"]
CUDA_SHAPES = CUDA_PARTS + ["kernel/cuda/tile"]
CUDA_KERNELS = {
    "kernel/cuda/part": CUDA_BASE,
    "kernel/cuda/launch": CUDA_BASE + ["kernel/cuda/part"],
    "kernel/cuda/tile": CUDA_PARTS,
    "kernel/cuda/one_shape": CUDA_SHAPES,
    "kernel/cuda/many_shapes": CUDA_SHAPES,
    "kernel/cuda/pointers": CUDA_PARTS + ["kernel/cuda/one_shape", "kernel/cuda/fitted"],
    "kernel/cuda/tuned": CUDA_BASE,
    # It asks for the list of what can be fitted, which is made where kernels are compiled in.
    "kernel/cuda/fitted": CUDA_SHAPES + ["kernel/cuda/one_shape", "kernel/cuda"],
    "kernel/cuda/compiled": CUDA_SHAPES + ["kernel/cuda/one_shape", "kernel/cuda/many_shapes",
                                           "kernel/cuda/tuned", "kernel/cuda/fitted"],
}
ARROWS = {
    "base": [],
    "machine": ["base"],
    "machine/text": ["base", "machine"],
    "machine/load": ["base", "machine"],
    "matrix": ["base", "machine"],
    "plan": ["base", "machine", "machine/load", "matrix"],
    "plan/build": ["base", "machine", "matrix", "plan"],
    "plan/check": ["base", "machine", "matrix", "plan"],
    "plan/text": ["base", "machine", "matrix", "plan"],
    "plan/draw": ["base", "machine", "matrix", "plan"],
    "task": ["base", "machine", "matrix", "plan", "plan/build", "kernel"],
    "model": DATA,
    # Below planner.cpp, which begins the search, lies what all of them share: policy, choice, draft.
    "planner/split": DATA + ["plan/build", "task", "planner"],
    "planner/route": DATA + ["model", "plan/build", "task", "planner"],
    "planner/shape": DATA + ["model", "plan/build", "task", "planner", "planner/split",
                             "planner/route"],
    "planner/candidate": CANDIDATE,
    # Neither sees the other: the search puts them together.
    "planner/candidate/start": CANDIDATE + ["planner/candidate"],
    "planner/candidate/move": CANDIDATE + ["planner/candidate"],
    "planner/search": DATA + ["model", "plan/build", "task", "planner", "planner/split",
                              "planner/shape", *CANDIDATES],
    "planner": DATA + ["model", "plan/build", "task", *CANDIDATES, "planner/search"],
    "exec": DATA,
    "schedule/memory": DATA + ["plan/build"],
    # It sees the options, which lie beside the scheduler.
    "schedule/queue": DATA + ["task", "model", "schedule/memory", "schedule"],
    "schedule": DATA + ["plan/build", "task", "model", "exec", "schedule/memory", "schedule/queue"],
    "schedule/recipe": DATA + ["plan/build", "task", "model", "exec", "schedule/memory",
                               "schedule/queue", "schedule"],
    "kernel": ["base"],
    "kernel/reference": ["base", "matrix", "kernel"],
    "kernel/cpu": ["base", "matrix", "kernel", "kernel/reference"],
    **CUDA_KERNELS,
    "kernel/cuda": CUDA_BASE + list(CUDA_KERNELS),
    "backend": DATA + ["machine/load", "exec", "kernel"],
    "backend/sim": DATA + ["exec", "model", "backend", "kernel", "kernel/reference"],
    "backend/cpu": DATA + ["machine/load", "exec", "backend", "kernel", "kernel/reference",
                           "kernel/cpu"],
    "backend/gpu": DATA + ["machine/load", "exec", "backend", "kernel", "batch"],
    "backend/joined": DATA + ["exec", "backend", "backend/cpu", "backend/gpu", "kernel", "batch"],
    "backend/cuda": DATA + ["exec", "backend", "kernel", "kernel/cuda", *CUDA_KERNELS, "batch",
                            "batch/choice"],
    "batch": ["base", "machine", "kernel", "kernel/reference", "kernel/cpu", "kernel/cuda"],
    "batch/choice": ["base", "kernel"],
    "rank/message": RANK_BASE,
    "rank/update": RANK_BASE + ["rank/message"],
    "rank/owners": RANK_BASE + ["rank/update"],
    "rank/bound": RANK_BASE + ["rank/update", "rank/owners"],
    "rank/share": RANK_OWNERS + ["rank/bound"],
    "rank/program": RANK_SHARE,
    # Neither sees the other: a program is all that they have in common.
    "rank/program/emit": RANK_SHARE + ["rank/program"],
    "rank/program/walk": RANK_SHARE + ["rank/program"],
    "rank/cluster": RANK_SHARE + ["machine", "machine/load", "rank/program", "rank/program/emit"],
    "rank": RANK_BASE + RANK_PARTS,
    # Parts of api that see neither the rest of it nor each other.
    "api/open": DATA + ["machine/load", "model", "exec", "kernel", "kernel/cpu", "backend",
                        "backend/cpu", "backend/gpu", "backend/joined"],
    "api/learn": DATA + ["task", "schedule"],
    "mpi": ["base", "machine", "matrix", "kernel", "rank", *RANK_PARTS, "api", "api/blas"],
}
ARROWS["api"] = [name for name in ARROWS if name != "mpi"]
ARROWS["api/blas"] = [*ARROWS["api"], "api"]

# The layer that implements each public header.
PUBLIC = {
    "types.hpp": "base", "half.hpp": "base", "error.hpp": "base", "options.hpp": "base",
    "version.hpp": "base", "batch.hpp": "base",
    "distribution.hpp": "matrix", "machine.hpp": "machine", "plan.hpp": "plan", "problem.hpp": "task",
    "context.hpp": "api", "gemm.hpp": "api", "level3.hpp": "api", "gemmill.hpp": "api",
    "gemmill.h": "api", "level3.h": "api", "dist.hpp": "mpi", "dist.h": "mpi",
}

# A test sees what its layer sees, and what a test of any layer may need to have something to run.
TEST_EXTRA = ["plan", "plan/build", "task", "model", "exec", "kernel", "kernel/reference", "backend",
              "backend/sim", "backend/cpu"]
# What tests of a layer see besides: plans that are made of what it says.
TEST_MORE = {"api/open": ["planner", "planner/candidate"], "api/learn": ["planner"],
             "rank/cluster": ["rank/bound"]}
# What users of the library may see beyond the public headers.
USERS = {"tools": [*ARROWS, "bench"],
         "bench": DATA + ["task", "model", "planner", "planner/shape", "planner/candidate",
                          "planner/search", "schedule", "schedule/recipe",
                          "kernel", "kernel/cpu", "kernel/cuda", *CUDA_KERNELS],
         "examples": [], "apps": []}

CUDA = re.compile(r"^(cuda|cublas|cusolver|cusparse|curand|nvml|nccl|nvtx|thrust/|cub/|cute/|"
                  r"cutlass/|cooperative_groups|mma\.h)")
THREADS = {"thread", "mutex", "shared_mutex", "condition_variable", "future", "stop_token",
           "semaphore", "latch", "barrier", "pthread.h", "hwloc.h"}
THREAD_LAYERS = re.compile(r"^(backend(/.*)?|kernel/cpu|api(/(blas|learn))?)$")
C_HEADERS = {"stddef.h", "stdint.h"}

ENVIRONMENT_FILES = {("src", "base", "options.cpp"), ("src", "base", "environment.cpp")}
ENVIRONMENT = re.compile(r"\b(getenv|secure_getenv|setenv|unsetenv|putenv|environ)\b")
# The drop-in has no other way to report that a device spoilt a caller's matrix.
ENDING_FILE = ("src", "api", "blas", "say.cpp")
OUTPUT = re.compile(r"\bstd::(cout|cerr|clog|print|println|terminate)\b|\bfmt::print\b|"
                    r"(?<![\w.>])(?:std::)?(v?f?printf|puts|fputs|putchar|perror|exit|_exit|_Exit|"
                    r"quick_exit|abort)\s*\(")

# Whoever follows a plan sees operands, a goal and opcodes, and asks for no routine of BLAS.
WITHOUT_ROUTINES = {"plan", "model", "exec", "backend"}
ROUTINE = re.compile(r"\bRoutine\b")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
    r"(?<!\w)'(?:\\.|[^'\\\n])+'", re.S)
SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".cu", ".cuh"}

LINES_WARN, LINES_MAX = 300, 500

# A class of the library's own namespace; nested ones are indented, or named with ::.
CLASS = re.compile(r"^(?:struct|class|enum class)\s+(?:GEMMILL_API\s+)?(\w+)\s*(?:final\s*)?"
                   r"(?::[^:{;][^{;]*)?\{", re.M)


def blank(match):
    """Spaces for what was matched, so that line numbers stay."""
    return re.sub(r"[^\n]", " ", match.group())


def layer_in(parts):
    """The layer of a path below src or test, the innermost one: "kernel/cpu" for
    kernel/cpu/host/host_blas.cpp."""
    folders = ("/".join(parts[:length]) for length in range(len(parts) - 1, 0, -1))
    return next((folder for folder in folders if folder in ARROWS), parts[0])


class Checker:
    def __init__(self, root):
        self.root = Path(root)
        self.faults = []
        self.warnings = []

    def run(self):
        for top in ("include", "src", "test", *USERS):
            for path in sorted((self.root / top).rglob("*")):
                if path.suffix in SUFFIXES and path.is_file():
                    self.check_file(path)
        self.find_namesakes()
        self.find_circles()
        self.find_untested()
        return self

    def fault(self, path, line, text):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def warn(self, path, text):
        self.warnings.append(f"{path.relative_to(self.root)}: warning: {text}")

    def check_file(self, path):
        parts = path.relative_to(self.root).parts
        text = path.read_text(encoding="utf-8")
        self.check_length(path, text)
        if parts[0] == "include" and parts[-1] not in PUBLIC:
            self.fault(path, 1, "public header without a layer: add it to PUBLIC in check_layers.py")
        elif parts[0] == "src" and layer_in(parts[1:]) not in ARROWS:
            self.fault(path, 1, "folder without arrows: add it to ARROWS in check_layers.py")
        for number, line in enumerate(text.splitlines(), 1):
            if include := INCLUDE.match(line):
                self.check_include(path, parts, number, *include.groups())
        if parts[0] == "src":
            self.check_code(path, parts, COMMENT_OR_TEXT.sub(blank, text))

    def check_length(self, path, text):
        lines = text.count("\n")
        if lines > LINES_MAX:
            self.fault(path, lines, f"{lines} lines, more than {LINES_MAX}: split the file")
        elif lines > LINES_WARN:
            self.warn(path, f"{lines} lines, more than {LINES_WARN}")

    def check_code(self, path, parts, code):
        for number, line in enumerate(code.splitlines(), 1):
            if ENVIRONMENT.search(line) and parts not in ENVIRONMENT_FILES:
                self.fault(path, number, "the environment is touched in src/base only")
            if ROUTINE.search(line) and parts[1] in WITHOUT_ROUTINES:
                self.fault(path, number, f"Routine: {parts[1]} asks for no routine")
            if found := OUTPUT.search(line):
                word = found.group().strip(" (")
                if word == "std::abort" and parts == ENDING_FILE:
                    continue
                self.fault(path, number, f"{word}: the library never prints and never exits")

    def check_include(self, path, parts, number, kind, name):
        if kind == "<":
            self.check_system_include(path, parts, number, name)
            return
        target = self.layer_of_include(path, name)
        if parts[0] == "include" and not name.startswith("gemmill/"):
            self.fault(path, number, f'public headers include "gemmill/..." only, not "{name}"')
            return
        if target is None:
            if CUDA.match(name) or name == "mpi.h":
                self.check_system_include(path, parts, number, name)
            return
        if parts[0] in USERS and name.startswith("gemmill/"):
            return
        if target not in self.allowed(parts):
            self.fault(path, number, f'{self.own_layer(parts)} may not include {target} ("{name}")')

    def check_system_include(self, path, parts, number, name):
        layer = self.own_layer(parts)
        if CUDA.match(name) and not {"cuda", "peers"} & set(parts[:-1]):
            self.fault(path, number, f"<{name}>: CUDA headers only in cuda and peers folders")
        elif name == "mpi.h" and layer != "mpi" and "ranks" not in parts[:-1]:
            self.fault(path, number, "<mpi.h> only in mpi, and in tools/ranks")
        elif name in THREADS and parts[0] == "src" and not THREAD_LAYERS.match(layer):
            self.fault(path, number, f"<{name}> only in backend, kernel/cpu and api")
        elif parts[0] == "include" and name != "mpi.h" and not (re.fullmatch(r"[a-z0-9_]+", name) or name in C_HEADERS):
            self.fault(path, number, f"<{name}>: public headers include the standard library only")

    def own_layer(self, parts):
        if parts[0] == "include":
            return PUBLIC.get(parts[-1], "api")
        if parts[0] in ("src", "test"):
            return layer_in(parts[1:])
        return parts[0]

    def allowed(self, parts):
        """The layers that a file may include."""
        if parts[0] in USERS:
            return {parts[0], *USERS[parts[0]]}
        layer = self.own_layer(parts)
        if parts[0] == "test":
            inner = [name for name in ARROWS if name.startswith(layer + "/")]
            seen = [below for name in [layer, *inner] for below in ARROWS.get(name, ARROWS)]
            return {layer, *inner, *seen, *TEST_EXTRA, *TEST_MORE.get(layer, []), "test"}
        return {layer, *ARROWS.get(layer, [])}

    def layer_of_include(self, path, name):
        """The layer of an included file; None when it is not a file of the project."""
        if name.startswith("gemmill/"):
            return PUBLIC.get(name.split("/", 1)[1], "api")
        roots = [self.root / top for top in ("src", "test", "bench", "tools")]
        for folder in (path.parent, *roots):
            target = (folder / name).resolve()
            if target.is_file() and self.root.resolve() in target.parents:
                parts = target.relative_to(self.root.resolve()).parts
                return "test" if parts[0] == "test" else self.own_layer(parts)
        return None

    def find_namesakes(self):
        """Two classes of one name in one library: the linker takes the functions of either."""
        first = {}
        for top in ("include", "src"):
            for path in sorted((self.root / top).rglob("*.hpp")):
                text = path.read_text(encoding="utf-8")
                for found in CLASS.finditer(text):
                    name, line = found.group(1), text.count("\n", 0, found.start()) + 1
                    if first.setdefault(name, path) != path:
                        other = first[name].relative_to(self.root)
                        self.fault(path, line, f"{name} is also the name of a class in {other}")

    def find_circles(self):
        """Folders of tools of which each includes the next, and the last one the first."""
        root = self.root / "tools"
        uses = {}
        for path in sorted(root.rglob("*.[ch]pp")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                include = INCLUDE.match(line)
                target = root / include.group(2) if include else root
                if target.is_file() and target.parent != path.parent:
                    uses.setdefault(path.parent, {}).setdefault(target.parent, (path, number))
        for folder, targets in uses.items():
            for target, place in targets.items():
                reached = {target}
                while more := {n for f in reached for n in uses.get(f, {})} - reached:
                    reached |= more
                if folder in reached:
                    self.fault(*place, f"{target.relative_to(self.root)} includes "
                                       f"{folder.relative_to(self.root)}, too, or what does")
                    return

    def find_untested(self):
        """src/backend/cpu/probe.cpp is tested by backend/cpu/probe_test or backend/cpu_probe_test."""
        untested = {}
        for path in sorted((self.root / "src").rglob("*.cpp")):
            folder, inner = path.parent.relative_to(self.root / "src"), path.parent.name
            names = [folder / f"{path.stem}_test.cpp", folder.parent / f"{inner}_{path.stem}_test.cpp"]
            if path.stem == inner:
                names.append(folder.parent / f"{inner}_test.cpp")
            if not any((self.root / "test" / name).exists() for name in names):
                untested.setdefault(path.parent, []).append(path.stem)
        for folder, stems in untested.items():
            self.warn(folder, f"no test of the same name: {', '.join(stems)}")


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    checker = Checker(root).run()
    for line in checker.warnings + checker.faults:
        print(line)
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
