// An object that is never destroyed: for what other threads or static objects may still use while the process ends.
#pragma once

#include <utility>

namespace asnumpy {

template <class T> class Immortal {
public:
    template <class... A> explicit Immortal(A&&... a) : value_(std::forward<A>(a)...) {}
    ~Immortal() {}
    Immortal(const Immortal&) = delete;
    Immortal& operator=(const Immortal&) = delete;
    T& operator*() { return value_; }
    T* operator->() { return &value_; }

private:
    union { T value_; };
};

}  // namespace asnumpy
