# SPDX-License-Identifier: Apache-2.0
"""Each rule of check_layers.py fires on a small tree that breaks it, and only then."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import check_layers  # noqa: E402


class CheckLayers(unittest.TestCase):
    def check(self, files):
        """The faults and warnings of a tree of these files."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + "\n", encoding="utf-8")
            return check_layers.Checker(folder).run()

    def assert_clean(self, files):
        self.assertEqual(self.check(files).faults, [])

    def assert_fault(self, files, *words):
        faults = self.check(files).faults
        self.assertEqual(len(faults), 1, faults)
        for word in words:
            self.assertIn(word, faults[0])

    def test_arrows_down_are_allowed(self):
        self.assert_clean({
            "src/base/text.hpp": "",
            "src/plan/print.cpp": '#include "base/text.hpp"\n#include "gemmill/machine.hpp"',
            "src/model/engine.cpp": '#include "gemmill/plan.hpp"',
            "src/api/gemm.cpp": '#include "base/text.hpp"\n#include "gemmill/gemm.hpp"',
        })

    def test_arrows_up_are_faults(self):
        self.assert_fault({"src/planner/planner.hpp": "",
                           "src/plan/x.cpp": '#include <vector>\n#include "planner/planner.hpp"'},
                          "src/plan/x.cpp:2:", "plan may not include planner")

    def test_the_innermost_folder_with_arrows_counts(self):
        tree = {"src/kernel/cuda/part/ptx.cuh": "", "src/kernel/cuda/one_shape/run.cuh": ""}
        self.assert_clean({**tree, "src/kernel/cuda/tile/fma.cuh": '#include "kernel/cuda/part/ptx.cuh"',
                           "src/kernel/cuda/batch.cu": '#include "kernel/cuda/one_shape/run.cuh"',
                           "src/kernel/cuda/one_shape/stage/run.cuh": '#include "kernel/cuda/one_shape/run.cuh"'})
        self.assert_fault({**tree, "src/kernel/cuda/tile/fma.cuh": '#include "kernel/cuda/one_shape/run.cuh"'},
                          "kernel/cuda/tile may not include kernel/cuda/one_shape")

    def test_planner_and_exec_never_meet(self):
        tree = {"src/exec/run.hpp": "", "src/planner/planner.hpp": "", "src/backend/cpu/pool.hpp": ""}
        for file, include in (("src/planner/a.cpp", "exec/run.hpp"),
                              ("src/planner/b.cpp", "backend/cpu/pool.hpp"),
                              ("src/exec/c.cpp", "planner/planner.hpp"),
                              ("src/backend/cpu/d.cpp", "planner/planner.hpp")):
            with self.subTest(file=file, include=include):
                self.assert_fault({**tree, file: f'#include "{include}"'}, file, "may not include")

    def test_a_class_has_its_name_alone(self):
        one = {"src/plan/a.hpp": "struct Cut {\n};\nclass Cutter {\n};"}
        self.assert_clean({**one, "src/rank/b.hpp": "struct Cut;\nstruct Cut::Part {\n};\nstruct Cuts : Cut {\n};"})
        for text in ("struct Cut {\n};", "class Cut final : public Cuts {\n};", "enum class Cut : int { a };"):
            with self.subTest(text=text):
                self.assert_fault({**one, "src/rank/b.hpp": "\n" + text}, "src/rank/b.hpp:2:",
                                  "Cut is also the name of a class in src/plan/a.hpp")

    def test_parts_of_api_see_neither_it_nor_each_other(self):
        tree = {"src/api/state.hpp": "", "src/api/open/devices.hpp": "", "src/api/learn/trust.hpp": ""}
        self.assert_clean({**tree, "src/api/x.cpp": '#include "api/open/devices.hpp"\n'
                                                    '#include "api/learn/trust.hpp"'})
        for file, include in (("src/api/open/a.cpp", "api/state.hpp"),
                              ("src/api/open/b.cpp", "api/learn/trust.hpp"),
                              ("src/api/learn/c.cpp", "api/open/devices.hpp"),
                              ("src/api/learn/d.cpp", "api/state.hpp")):
            with self.subTest(file=file, include=include):
                self.assert_fault({**tree, file: f'#include "{include}"'}, file, "may not include")

    def test_a_machine_does_not_see_its_text(self):
        tree = {"src/machine/names.hpp": "", "src/machine/load/assumed.hpp": ""}
        self.assert_clean({**tree, "src/machine/text/parse.cpp": '#include "machine/names.hpp"'})
        for layer in ("machine", "machine/text"):
            self.assert_fault({**tree, f"src/{layer}/x.cpp": '#include "machine/load/assumed.hpp"'},
                              f"{layer} may not include machine/load")

    def test_some_tests_see_planners(self):
        tree = {"src/planner/planner.hpp": ""}
        include = '#include "planner/planner.hpp"'
        self.assert_clean({**tree, "test/api/learn/trust_test.cpp": include})
        self.assert_fault({**tree, "test/backend/cpu/x_test.cpp": include}, "may not include planner")

    def test_backends_do_not_see_each_other(self):
        self.assert_fault({"src/backend/cpu/pool.hpp": "",
                           "src/backend/sim/x.cpp": '#include "backend/cpu/pool.hpp"'},
                          "backend/sim may not include backend/cpu")

    def test_include_relative_to_the_file(self):
        self.assert_fault({"src/planner/planner.hpp": "",
                           "src/exec/x.cpp": '#include "../planner/planner.hpp"'},
                          "exec may not include planner")

    def test_public_headers_belong_to_layers(self):
        self.assert_fault({"src/planner/x.cpp": '#include "gemmill/context.hpp"'},
                          "planner may not include api")
        self.assert_fault({"include/gemmill/machine.hpp": '#include "gemmill/plan.hpp"'},
                          "machine may not include plan")
        self.assert_fault({"include/gemmill/strange.hpp": ""}, "public header without a layer")

    def test_public_headers_are_self_contained(self):
        self.assert_clean({"include/gemmill/plan.hpp": '#include <vector>\n#include "gemmill/types.hpp"',
                           "include/gemmill/gemmill.h": "#include <stdint.h>"})
        self.assert_fault({"include/gemmill/plan.hpp": "#include <fmt/format.h>"}, "standard library")
        self.assert_fault({"include/gemmill/plan.hpp": "#include <hwloc.h>"}, "standard library")
        self.assert_fault({"src/base/text.hpp": "",
                           "include/gemmill/plan.hpp": '#include "base/text.hpp"'}, '"gemmill/..."')

    def test_cuda_headers(self):
        self.assert_clean({"src/backend/cuda/x.cpp": "#include <cuda_runtime.h>",
                           "src/kernel/cuda/x.cu": "#include <cublas_v2.h>",
                           "bench/peers/x.cpp": "#include <cublasXt.h>",
                           "test/backend/cuda/x_test.cpp": "#include <cuda_runtime.h>"})
        self.assert_fault({"bench/gemm/x.cpp": "#include <cublasXt.h>"}, "CUDA headers")
        self.assert_fault({"tools/peers.cpp": "#include <cublasXt.h>"}, "CUDA headers")
        self.assert_fault({"src/backend/cpu/x.cpp": "#include <cuda_runtime.h>"}, "CUDA headers")
        self.assert_fault({"src/api/x.cpp": '#include "cublas_v2.h"'}, "CUDA headers")

    def test_mpi_header(self):
        self.assert_clean({"src/mpi/x.cpp": "#include <mpi.h>"})
        self.assert_fault({"src/api/x.cpp": "#include <mpi.h>"}, "only in mpi")

    def test_thread_headers(self):
        for folder in ("backend/cpu", "backend/sim", "kernel/cpu", "api", "api/learn"):
            self.assert_clean({f"src/{folder}/x.cpp": "#include <mutex>\n#include <hwloc.h>"})
        for folder in ("base", "machine", "plan", "model", "planner", "exec", "kernel/reference"):
            for header in ("thread", "mutex", "condition_variable", "hwloc.h"):
                with self.subTest(folder=folder, header=header):
                    self.assert_fault({f"src/{folder}/x.cpp": f"#include <{header}>"},
                                      f"<{header}> only in")

    def test_environment(self):
        self.assert_clean({"src/base/options.cpp": "extern char** environ;"})
        self.assert_fault({"src/base/error.cpp": 'auto x = std::getenv("HOME");'}, "environment")
        self.assert_fault({"src/api/context.cpp": "char** p = environ;"}, "environment")
        self.assert_clean({"src/api/context.cpp": "auto o = Options::from_environment();"})

    def test_output_and_exit(self):
        for code in ("std::cout << 1;", "std::cerr << 1;", 'printf("x");', 'std::printf("x");',
                     'std::fprintf(stderr, "x");', 'fmt::print("x");', "exit(1);", "std::exit(1);",
                     "std::abort();", "std::terminate();", 'puts("x");'):
            with self.subTest(code=code):
                self.assert_fault({"src/plan/x.cpp": code}, "never prints and never exits")

    def test_one_file_of_the_drop_in_may_end_the_program(self):
        self.assert_clean({"src/api/blas/say.cpp": "std::abort();"})
        self.assert_fault({"src/api/blas/other.cpp": "std::abort();"}, "never prints and never exits")
        self.assert_fault({"src/api/blas/say.cpp": "std::exit(1);"}, "never prints and never exits")

    def test_plans_know_no_routines(self):
        for folder in ("plan", "plan/check", "plan/text", "model", "exec", "backend", "backend/cuda"):
            with self.subTest(folder=folder):
                self.assert_fault({f"src/{folder}/x.cpp": "bool f(Routine r);"}, "asks for no routine")
                self.assert_clean({f"src/{folder}/x.cpp": "// Routine\nint subRoutine = routine();"})
        self.assert_clean({"src/task/x.cpp": "bool f(Routine r);", "src/planner/x.cpp": "Routine r;"})

    def test_words_that_only_look_like_output(self):
        for code in ("// exit(1) and std::cout", '/* abort() */', 'auto s = "printf(x)";',
                     "std::snprintf(p, 1, q);", "queue.exit();", "on_exit(1);",
                     'auto s = R"(std::cout)";', "auto n = 1'000'000; auto c = '\"';"):
            with self.subTest(code=code):
                self.assert_clean({"src/plan/x.cpp": code})
        self.assert_clean({"tools/main.cpp": "std::cout << 1; exit(1);"})

    def test_users_see_public_headers(self):
        tree = {"src/exec/run.hpp": "", "src/planner/planner.hpp": "", "bench/gemm/runner.hpp": ""}
        self.assert_fault({**tree, "examples/x.cpp": '#include "planner/planner.hpp"'},
                          "examples may not include planner")
        self.assert_fault({**tree, "bench/x.cpp": '#include "exec/run.hpp"'},
                          "bench may not include exec")
        self.assert_fault({**tree, "src/api/x.cpp": '#include "gemm/runner.hpp"'},
                          "api may not include bench")
        self.assert_fault({**tree, "tools/plans/make.hpp": "",
                           "bench/x.cpp": '#include "plans/make.hpp"'},
                          "bench may not include tools")
        self.assert_clean({**tree, "tools/x.cpp": '#include "exec/run.hpp"',
                           "bench/gemm/y.cpp": '#include "runner.hpp"\n#include "gemmill/gemm.hpp"',
                           "bench/plan/z.cpp": '#include "planner/planner.hpp"',
                           "tools/z.cpp": '#include "gemm/runner.hpp"', "tools/plans/make.hpp": "",
                           "tools/call/gemm.cpp": '#include "plans/make.hpp"',
                           "test/tools/make_test.cpp": '#include "plans/make.hpp"',
                           "examples/y.cpp": '#include "gemmill/gemmill.hpp"'})

    def test_folders_of_the_command_make_no_circle(self):
        tree = {"tools/plans/make.hpp": "", "tools/call/product.hpp": "", "tools/call/gemm.cpp":
                '#include "call/product.hpp"\n#include "plans/make.hpp"'}
        self.assert_clean(tree)
        self.assert_fault({**tree, "tools/plans/plan.cpp": '#include "call/product.hpp"'},
                          "tools/call/gemm.cpp:2: tools/plans includes tools/call, too")
        self.assert_fault({**tree, "tools/plans/plan.cpp": '#include "check/verify.hpp"',
                           "tools/check/verify.hpp": '#include "call/product.hpp"'},
                          "tools/call/gemm.cpp:2: tools/plans includes tools/call, too")

    def test_tests_see_their_layer_and_the_judges(self):
        tree = {"src/kernel/reference/gemm.hpp": "", "src/planner/planner.hpp": "",
                "src/backend/sim/sim.hpp": "", "src/backend/cpu/cpu.hpp": "", "test/support.hpp": ""}
        self.assert_clean({**tree, "test/planner/x_test.cpp":
                           '#include "planner/planner.hpp"\n#include "kernel/reference/gemm.hpp"\n'
                           '#include "backend/sim/sim.hpp"\n#include "support.hpp"'})
        self.assert_clean({**tree, "test/backend/x_test.cpp":
                           '#include "backend/sim/sim.hpp"\n#include "backend/cpu/cpu.hpp"'})
        self.assert_fault({**tree, "test/plan/x_test.cpp": '#include "planner/planner.hpp"'},
                          "plan may not include planner")

    def test_unknown_folder(self):
        self.assert_fault({"src/helpers/x.hpp": ""}, "folder without arrows")

    def test_long_files(self):
        self.assertEqual(len(self.check({"src/plan/x.hpp": "\n" * 310}).warnings), 1)
        self.assert_fault({"src/plan/x.hpp": "\n" * 501}, "split the file")

    def test_sources_without_a_test_are_a_warning(self):
        result = self.check({
            "src/plan/a.cpp": "", "src/plan/b.cpp": "", "src/plan/c.hpp": "",
            "src/kernel/cpu/d.cpp": "", "test/kernel/cpu/d_test.cpp": "",
            "src/backend/cpu/probe.cpp": "", "test/backend/cpu_probe_test.cpp": "",
            "src/backend/sim/sim.cpp": "", "test/backend/sim_test.cpp": ""})
        self.assertEqual(result.faults, [])
        self.assertEqual(result.warnings, ["src/plan: warning: no test of the same name: a, b"])


if __name__ == "__main__":
    unittest.main()
