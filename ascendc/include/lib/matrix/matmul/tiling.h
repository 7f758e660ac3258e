// The division of a product, by the name of its file.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
