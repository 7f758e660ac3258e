// What every file of the extension module includes: Python, NumPy's C interface, nanobind's owning references.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL asnumpy_numpy_api  // one table of NumPy's functions for all files, filled in module.cpp
#ifndef ASNUMPY_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

namespace nb = nanobind;
