// Matrix products in Ascend C: c = a b with what follows it, from parts that are types. For a device as for a host.
#pragma once

#include "kernel_operator.h"

#include "matmul/block/order.hpp"
#include "matmul/block/product.hpp"
#include "matmul/epilogue/epilogue.hpp"
#include "matmul/epilogue/operations.hpp"
#include "matmul/kernel/fused.hpp"
#include "matmul/kernel/plain.hpp"
#include "matmul/tile/operand.hpp"
#include "matmul/types.hpp"
