"""The source step: kernels found, launches made calls, specialisations that g++ takes, and all else left as it was."""

from __future__ import annotations

import ctypes

import pytest

from asnumpy import cannsim

LIBRARY = cannsim.folder("9.0") / "libcannsim.so"
pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason="this build has no simulator")


def step(source: str) -> tuple[str, list[str]]:
    """The unit, and a line a kernel: name, kind, parameters."""
    library = ctypes.CDLL(str(LIBRARY))
    library.cannsim_ascendc_source.restype = ctypes.c_char_p
    kernels = ctypes.c_char_p()
    text = library.cannsim_ascendc_source(source.encode(), ctypes.byref(kernels)).decode()
    assert kernels.value is not None
    return text, kernels.value.decode().splitlines()


@pytest.mark.parametrize(
    ("source", "kernels"),
    [
        ('extern "C" __global__ __aicore__ void add(GM_ADDR x, uint32_t n) { }', ["add 0 | GM_ADDR x | uint32_t n"]),
        ("__global__ __vector__ void f(__gm__ float* x) { }", ["f 0 | __gm__ float* x"]),
        ("__cube__ __global__ void f() { }", ["f 1"]),
        ("__global__ __mix__(1, 2) void f(Pair<int, float> p) { }", ["f 3 | Pair<int,float> p"]),
        ("__global__ __mix__(1,1) void f() { }", ["f 2"]),
        ("namespace a::b { namespace { __global__ void f(int) { } } }", ["a::b::f 0 | int argument0"]),
        ("template <class T, int N = (3 > 2)> __global__ __aicore__ void f(T* x) { }", ["f 0 template | T* x"]),
        ("__global__ void f(int n);\n__global__ void f(int n) { { } }", ["f 0 | int n"]),
        ("__global__ void f() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1); }", ["f 2"]),
        ("__global__ void f() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); }", ["f 1"]),
        ("struct K { void go() { Mmad(a, b, c); } };\n__global__ void f() { K k; k.go(); }\n__global__ void g() { }",
         ["f 1", "g 0"]),
        ("struct K { TQue<VECIN, 1> q; Matmul<A> m; };\nusing L = K;\n__global__ void f() { L l; }", ["f 3"]),
        ("// __global__ void f() { }\n/* __global__ void g() {} */ auto s = R\"x(__global__ void h() { })x\";", []),
        ("const char* s = \"__global__ void f() { }\"; char c = '\"'; int n = 1'000; __global__ void f() { }", ["f 0"]),
    ],
)  # fmt: skip
def test_kernels(source, kernels):
    assert step(source)[1] == kernels


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("f<<<1, nullptr, s>>>(x, y);", "::ascendc::launch<&f, 0>(1, nullptr, s)(x, y);"),
        ("a::b::f<T, 3><<<n * 2, 0, s>>>();", "::ascendc::launch<&a::b::f<T, 3>, 0>(n * 2, 0, s)();"),
        ("f<A<B<C>>><<<g<int>(3), 0, s>>>(x);", "::ascendc::launch<&f<A<B<C>>>, 0>(g<int>(3), 0, s)(x);"),
        ("f\n<<<1,\n 0, s>>>\n(x);", "::ascendc::launch<&f\n, 0>(1,\n 0, s)(\nx);"),
    ],
)
def test_launches(source, call):
    assert step(source)[0] == call


@pytest.mark.parametrize(
    "text",
    [
        "int n = a << b >> c; x <<= 3; if (a < b && c > d) { }",
        'auto s = "f<<<1, 2, 3>>>(x)"; // f<<<1, 2, 3>>>(x)',
        "auto s = R\"(f<<<1, 2, 3>>>(x)\n__global__)\";",
        "template <> struct A<int> { }; template <> void f<int>() { }",
        "#pragma once __global__\n# 7 \"a.cpp\"\nint n;",
    ],
)  # fmt: skip
def test_what_is_left_alone(text):
    assert step(text) == (text, [])


def test_lines_stay_where_they_are():
    source = "\n\n__global__\n__mix__(1,\n2)\nvoid f()\n{\n}\nint last;\n"
    assert step(source)[0].split("int last")[0].count("\n") == source.split("int last")[0].count("\n")


def test_explicit_specialisations_in_a_class_become_overloads():
    text, _ = step(
        "struct S { template <int C = kind> void f(int); template <> void f<A>(int n) { }"
        " template <> void f<B>(int n) { } };"
    )
    assert "template <>" not in text and "f<A>" not in text and text.count("::ascendc::when<") == 2, text
    text, _ = step("struct S { template <class T> struct I { }; template <> struct I<int> { int n; }; };")
    assert "template <class ascendc_any>" in text and "I<int, ascendc_any>" in text, text


LIBRARY_TEXT = (
    '# 1 "library.hpp" 1 3\nnamespace AscendC { template <class T> void Muls(T); template <class T> void Add(T); }\n'
    '# 2 "kernel.cpp" 2\n'
)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("void f() { Muls<float>(a); Add<T>(b); }", "Add Muls"),
        ("void f() { AscendC::Muls<float>(a); b.Add<T>(b); c->template Add<T>(c); }", ""),
        ("class Add { }; void f() { Add<float>(a); }", ""),
        ("void f() { if (Muls < 3) { } Mine<float>(a); }", ""),
    ],
)
def test_functions_that_their_arguments_find_are_declared(source, names):
    text, _ = step(LIBRARY_TEXT + source)
    declared = "".join(f"template <::ascendc_never*> void {name}(); " for name in names.split())
    assert text == (f"struct ascendc_never; {declared}\n" if names else "") + LIBRARY_TEXT + source


def test_launches_are_declared_by_nobody():
    assert "ascendc_never" not in step(LIBRARY_TEXT + "void f() { Muls<<<1, 2, 3>>>(a); }")[0]


def test_a_kernel_takes_the_structure_that_was_registered_for_it():
    registered = "namespace a { namespace b { using ascendc_tiling_of_ScaleRows = T; } }\n"
    asks = "__global__ void scale_rows() { get<ascendc_tiling_of_this_kernel>(); }"
    taken = "{ using ascendc_tiling_of_this_kernel = ::a::b::ascendc_tiling_of_ScaleRows; get<"
    assert taken in step(registered + asks)[0]
    assert "::a::b::" not in step(registered + asks.replace("scale_rows", "scale_columns"))[0]
    says = asks.replace("{ get", "{ using ascendc_tiling_of_this_kernel = Own; get")
    assert "::a::b::" not in step(registered + says)[0]
