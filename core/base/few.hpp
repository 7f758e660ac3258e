// A list of at most N values that lie within it; only as many are constructed as there are.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace asnumpy {

template <class T, std::size_t N> class Few {
public:
    Few() = default;
    Few(const Few& o) { for (const T& value : o) emplace_back(value); }
    Few(Few&& o) noexcept { take(o); }
    Few& operator=(const Few& o) { if (this != &o) { Few copy(o); clear(); take(copy); } return *this; }
    Few& operator=(Few&& o) noexcept { if (this != &o) { clear(); take(o); } return *this; }
    ~Few() { clear(); }

    template <class... A> T& emplace_back(A&&... arguments) {
        return *std::construct_at(data() + size_++, std::forward<A>(arguments)...);
    }
    // What `make` returns, made in its place.
    template <class F> T& emplace_from(F&& make) {
        T& made = *::new (static_cast<void*>(data() + size_)) T(make());
        ++size_;
        return made;
    }
    void clear() {
        std::destroy_n(data(), size_);
        size_ = 0;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return reinterpret_cast<T*>(storage_.data()); }
    const T* data() const { return reinterpret_cast<const T*>(storage_.data()); }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    operator std::span<const T>() const { return {data(), size_}; }

private:
    void take(Few& o) {
        std::uninitialized_move_n(o.data(), o.size_, data());
        size_ = o.size_;
        o.clear();
    }

    alignas(T) std::array<std::byte, N * sizeof(T)> storage_;
    std::size_t size_ = 0;
};

}  // namespace asnumpy
