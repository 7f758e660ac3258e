// A part of the device's library that kernels include by its own name: here one header has all of it.
#pragma once

#include "kernel_operator.h"
