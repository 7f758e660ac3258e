// A function of Python that makes new arrays on the device of its arguments.
#pragma once

#include <utility>

#include "python/python.hpp"

namespace asnumpy::python {

// `_core.Beside(function)`: a callable that is like the function in all else. What the core computes lies beside its
// arguments anyhow; this is for arrays that the function makes on its way.
void create_beside_type(nb::module_&);

// How many of the package's functions this thread is in. What one of them cannot hold, the outermost hands to NumPy, which
// then computes the whole of what the program called.
inline thread_local int depth = 0;

// And how many of its hooks: of what they do nothing is handed to NumPy as a whole, since their callers are operators and ufuncs.
inline thread_local int hooks_entered = 0;

class InHook {
public:
    InHook() { ++hooks_entered; }
    ~InHook() { --hooks_entered; }
    InHook(const InHook&) = delete;
    InHook& operator=(const InHook&) = delete;
};

class Inside {
public:
    Inside() { ++depth; }
    ~Inside() { --depth; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

// While NumPy or a program's own function, called from within, runs: what that calls is outermost again.
class Outside {
public:
    Outside() : before_(std::exchange(depth, 0)), hooks_before_(std::exchange(hooks_entered, 0)) {}
    ~Outside() {
        depth = before_;
        hooks_entered = hooks_before_;
    }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

private:
    int before_, hooks_before_;
};

}  // namespace asnumpy::python
