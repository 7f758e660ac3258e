// Whether two views share an element, beside a look at every element of both: never no where they do, and always no where they do not, for boxes and
// steps of one array, in any order of its axes, with axes that one of them lacks or repeats.
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>

#include "base/view.hpp"

using namespace asnumpy;

namespace {

std::mt19937 random_bits(5);
std::int64_t pick(std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random_bits); }

std::set<std::int64_t> bytes_of(const View& view, std::int64_t itemsize) {
    std::set<std::int64_t> found;
    for (std::int64_t flat = 0; flat < view.size(); ++flat) {
        std::int64_t at = view.offset, rest = flat;
        for (int axis = view.ndim() - 1; axis >= 0; --axis) {
            at += rest % view.shape[axis] * view.strides[axis];
            rest /= view.shape[axis];
        }
        for (std::int64_t b = 0; b < itemsize; ++b) found.insert(at + b);
    }
    return found;
}

bool share(const View& a, std::int64_t itemsize_a, const View& b, std::int64_t itemsize_b) {
    const std::set<std::int64_t> one = bytes_of(a, itemsize_a);
    for (const std::int64_t byte : bytes_of(b, itemsize_b))
        if (one.contains(byte)) return true;
    return false;
}

// Some of the array's elements: along each axis a range, forwards or backwards, or one; axes in any order, and repeated ones.
View part_of(const View& whole) {
    View part;
    part.offset = whole.offset;
    for (int axis = 0; axis < whole.ndim(); ++axis) {
        const std::int64_t from = pick(0, whole.shape[axis] - 1), to = pick(from, whole.shape[axis] - 1), step = whole.strides[axis];
        part.offset += from * step;
        if (from == to && pick(0, 1)) continue;
        const bool backwards = pick(0, 3) == 0;
        if (backwards) part.offset += (to - from) * step;
        part.shape.push_back(to - from + 1);
        part.strides.push_back(backwards ? -step : step);
    }
    if (pick(0, 2) == 0) {
        part.shape.push_back(pick(1, 3));
        part.strides.push_back(0);
    }
    for (int axis = part.ndim() - 1; axis > 0; --axis) {
        const int other = static_cast<int>(pick(0, axis));
        std::swap(part.shape[axis], part.shape[other]);
        std::swap(part.strides[axis], part.strides[other]);
    }
    return part;
}

std::string text(const View& view) { return std::to_string(view.offset) + " " + to_string(view.shape) + " " + to_string(view.strides); }

int wrong = 0;
void expect(bool holds, const char* what, const View& a, const View& b) {
    if (holds || ++wrong > 5) return;
    std::fprintf(stderr, "%s: %s; %s\n", what, text(a).c_str(), text(b).c_str());
}

void test_parts_of_one_array() {
    int disjoint = 0;
    for (int i = 0; i < 20000; ++i) {
        Dims shape;
        for (std::int64_t n = pick(1, 3); n > 0; --n) shape.push_back(pick(1, 5));
        const View whole = contiguous(shape, 8);
        const View a = part_of(whole), b = part_of(whole);
        const bool shared = share(a, 8, b, 8), may = may_overlap(a, 8, b, 8);
        expect(may || !shared, "views that share elements are said to be disjoint", a, b);
        expect(shared || !may, "parts of one array that share nothing are said to overlap", a, b);
        expect(may == may_overlap(b, 8, a, 8), "the order of two views decides", a, b);
        disjoint += !shared;
    }
    if (disjoint < 2000) ++wrong;
}

void test_any_views() {
    for (int i = 0; i < 20000; ++i) {
        View views[2];
        std::int64_t sizes[2];
        for (int k = 0; k < 2; ++k) {
            views[k].offset = pick(100, 160);
            for (std::int64_t n = pick(0, 3); n > 0; --n) {
                views[k].shape.push_back(pick(1, 4));
                views[k].strides.push_back(pick(0, 2) ? pick(-3, 3) * 4 : pick(-20, 20));
            }
            sizes[k] = std::int64_t{1} << pick(0, 4);
        }
        expect(may_overlap(views[0], sizes[0], views[1], sizes[1]) || !share(views[0], sizes[0], views[1], sizes[1]), "views that share bytes are said to be disjoint", views[0], views[1]);
    }
}

}  // namespace

int main() {
    test_parts_of_one_array();
    test_any_views();
    std::printf("overlap: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
