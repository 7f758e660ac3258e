"""The libraries: every function is there under each library's name, and says so when it has no meaning."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cannsim import acl

DATA = Path(__file__).resolve().parents[2] / "core" / "cann" / "data"
RUNTIME = {
    name: facts for name, facts in json.loads((DATA / "runtime.json").read_text()).items() if not name.startswith("_")
}
OPERATORS = {
    name: facts for name, facts in json.loads((DATA / "operators.json").read_text()).items() if not name.startswith("_")
}
acl.sim.cannsim_operators_json.restype = ctypes.c_char_p
SIMULATED = json.loads(acl.sim.cannsim_operators_json())


def test_every_runtime_function_resolves() -> None:
    assert len(RUNTIME) == 427
    for name in RUNTIME:
        assert getattr(acl.rt, name), name


def test_every_operator_resolves_in_both_phases() -> None:
    assert len(OPERATORS) == 789
    for name in OPERATORS:
        assert getattr(acl.nn, name), name
        assert getattr(acl.nn, f"{name}GetWorkspaceSize"), name


@pytest.mark.parametrize(
    "name",
    [
        "libascendcl.so",
        "libacl_rt.so",
        "libruntime.so",
        "libnnopbase.so",
        "libopapi.so",
        "libopapi_math.so",
        "libopapi_nn.so",
        "libhccl.so",
        "libacl_op_compiler.so",
        "libge_runner.so",
        "libgraph.so",
        "libacl_tdt_channel.so",
    ],
)
def test_all_libraries_share_one_state(name: str) -> None:
    library = ctypes.CDLL(str(acl.folder() / name))
    assert (
        ctypes.cast(library.aclrtMalloc, ctypes.c_void_p).value
        == ctypes.cast(acl.sim.aclrtMalloc, ctypes.c_void_p).value
    )
    device = ctypes.c_int32(-1)
    assert library.aclrtGetDevice(ctypes.byref(device)) == 0 and device.value == 0


def test_an_operator_that_is_not_simulated_says_so() -> None:
    absent = [name for name, there in SIMULATED.items() if not there]
    for name in absent:
        reals = {"double": ctypes.c_double(0), "float": ctypes.c_float(0)}
        arguments = [reals.get(param["type"], acl.P()) for param in OPERATORS[name]]
        with acl.refused(561003, name, "not simulated"):
            acl.plan(name, *arguments)


def test_a_function_without_meaning_names_itself() -> None:
    for name in ("aclrtIpcMemClose", "aclrtSnapShotProcessLock", "aclrtMemPoolTrimTo", "aclrtGetFunctionAddr"):
        assert getattr(acl.rt, name)(acl.P(), acl.P()) == 207000
        assert name in acl.rt.aclGetRecentErrMsg().decode()


def test_a_compiled_program_links_and_runs(tmp_path: Path) -> None:
    """A C program that declares what it uses, linked with -lascendcl -lopapi -lnnopbase as programs for CANN are."""
    source = tmp_path / "program.c"
    source.write_text("""
        #include <stdint.h>
        #include <stdio.h>
        typedef struct aclTensor aclTensor; typedef struct aclOpExecutor aclOpExecutor;
        int aclInit(const char*); int aclrtSetDevice(int32_t); int aclrtMalloc(void**, size_t, int);
        int aclFinalize(void); int aclrtFree(void*);
        int aclrtMemcpy(void*, size_t, const void*, size_t, int); int aclrtSynchronizeStream(void*);
        int aclDestroyTensor(const aclTensor*);
        aclTensor* aclCreateTensor(const int64_t*, uint64_t, int, const int64_t*, int64_t, int, const int64_t*,
                                   uint64_t, void*);
        int aclnnExpGetWorkspaceSize(const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
        int aclnnExp(void*, uint64_t, aclOpExecutor*, void*);
        int main(void) {
            float in[4] = {0, 1, 2, 3}, out[4]; void *x, *y; int64_t dims[1] = {4}, step[1] = {1};
            uint64_t size; aclOpExecutor* e;
            if (aclInit(0) || aclrtSetDevice(0) || aclrtMalloc(&x, 16, 0) || aclrtMalloc(&y, 16, 0)) return 1;
            if (aclrtMemcpy(x, 16, in, 16, 1)) return 2;
            aclTensor* a = aclCreateTensor(dims, 1, 0, step, 0, 2, dims, 1, x);
            aclTensor* b = aclCreateTensor(dims, 1, 0, step, 0, 2, dims, 1, y);
            if (aclnnExpGetWorkspaceSize(a, b, &size, &e) || aclnnExp(0, 0, e, 0)) return 3;
            if (aclrtSynchronizeStream(0)) return 3;
            if (aclrtMemcpy(out, 16, y, 16, 2)) return 4;
            printf("%.4f %.4f %.4f %.4f\\n", out[0], out[1], out[2], out[3]);
            return aclDestroyTensor(a) || aclDestroyTensor(b) || aclrtFree(x) || aclrtFree(y) || aclFinalize();
        }""")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path / "program"
    subprocess.run(
        [compiler, str(source), "-o", str(program), f"-L{acl.folder()}", "-lascendcl", "-lnnopbase", "-lopapi"],
        check=True,
    )
    done = subprocess.run(
        [str(program)], env={"LD_LIBRARY_PATH": str(acl.folder())}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f"{value:.4f}" for value in np.exp([0.0, 1, 2, 3])]
    assert done.stderr == ""
