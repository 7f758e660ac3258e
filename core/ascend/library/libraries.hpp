// The libraries of one CANN, opened: which there are, and functions of theirs by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace asnumpy::ascend {

class Libraries {
public:
    // Opens those of a folder (empty: by the loader's own path), and the vendors' given by path. What keeps them from being used, or an empty text.
    std::string open(const std::string& folder, const std::vector<std::string>& vendors);
    // A function of the runtime or of any of the others; null where there is none of that name.
    void* find(const char* name) const;
    // Of an operator: a vendor's own comes before CANN's.
    void* find_operator(const char* name) const;
    // What the loader was given, and what came of it, of all that exist.
    const std::vector<std::pair<std::string, std::string>>& outcomes() const { return outcomes_; }

private:
    void* open_one(const std::string& path, bool by_the_loader, int mode);

    std::vector<void*> libraries_, vendors_;
    std::vector<std::pair<std::string, std::string>> outcomes_;
};

}  // namespace asnumpy::ascend
