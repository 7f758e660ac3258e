// Splits two axes of a launch into blocks, and sets the remainders apart.
#include "cpu/blocking.hpp"

#include <algorithm>
#include <cstdlib>

#include "cpu/layout.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t smallest_launch = 16 * 1024;  // elements
// A block's column of one operand is a cache line of 4-byte elements; its rows are long enough to be tiles read in place.
constexpr std::int64_t block_rows = 16, block_columns = 256;

// The part [first, first + length) of an axis.
Launch restrict_axis(const Launch& launch, int axis, std::int64_t first, std::int64_t length) {
    Launch part = launch;
    part.shape[axis] = length;
    for (Operand& operand : part.operands) operand.data += first * operand.strides[axis];
    return part;
}

// rows and columns become four axes: blocks of rows, blocks of columns, rows of a block, columns of a block.
Launch split(const Launch& launch, const Order& order, int rows, int columns) {
    const auto rearrange = [&](const Dims& from, std::int64_t row_block, std::int64_t column_block, std::int64_t row, std::int64_t column) {
        Dims to;
        for (int i = 0; i < order.ndim; ++i)
            if (const int axis = order.axis[static_cast<std::size_t>(i)]; axis != rows && axis != columns) to.push_back(from[axis]);
        for (const std::int64_t value : {row_block, column_block, row, column}) to.push_back(value);
        return to;
    };
    Launch blocks;
    blocks.shape = rearrange(launch.shape, launch.shape[rows] / block_rows, launch.shape[columns] / block_columns, block_rows, block_columns);
    for (const Operand& operand : launch.operands) {
        const std::int64_t row = operand.strides[rows], column = operand.strides[columns];
        blocks.operands.push_back({operand.data, rearrange(operand.strides, row * block_rows, column * block_columns, row, column)});
    }
    return blocks;
}

}  // namespace

std::vector<Launch> block(const Launch& launch, int inputs, int stores) {
    std::int64_t size = 1;
    for (const std::int64_t length : launch.shape) size *= length;
    if (size < smallest_launch || launch.reduced != 0 || launch.shape.size() + 2 > max_ndim) return {};
    if (std::ranges::any_of(launch.operands, [](const Operand& operand) { return operand.turned; })) return {};  // its seams are told from its start
    const Order order = arrange(launch, inputs, stores, Arrangement::natural);
    if (order.ndim < 2) return {};
    const int columns = order.axis[static_cast<std::size_t>(order.ndim - 1)];
    if (launch.shape[columns] < shortest_row) return {};  // their tiles are blocks already
    for (const Operand& operand : launch.operands) {
        if (std::abs(operand.strides[columns]) < cache_line) continue;
        for (int i = 0; i + 1 < order.ndim; ++i) {
            const int rows = order.axis[static_cast<std::size_t>(i)];
            const std::int64_t stride = std::abs(operand.strides[rows]);
            if (stride == 0 || stride >= cache_line || launch.shape[rows] < block_rows) continue;
            const std::int64_t whole_rows = launch.shape[rows] / block_rows * block_rows;
            const std::int64_t whole_columns = launch.shape[columns] / block_columns * block_columns;
            const std::int64_t rest_rows = launch.shape[rows] - whole_rows, rest_columns = launch.shape[columns] - whole_columns;
            const Launch whole = restrict_axis(launch, rows, 0, whole_rows);
            std::vector<Launch> pieces{split(restrict_axis(whole, columns, 0, whole_columns), order, rows, columns)};
            if (rest_columns > 0) pieces.push_back(restrict_axis(whole, columns, whole_columns, rest_columns));
            if (rest_rows > 0) pieces.push_back(restrict_axis(launch, rows, whole_rows, rest_rows));
            return pieces;
        }
    }
    return {};
}

}  // namespace asnumpy::cpu
