// The Matmul object by the name of its file.
#pragma once

#include "lib/matmul_intf.h"
