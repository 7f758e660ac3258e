// A child of fork() finds the programs of single rows usable, whatever other threads of its parent were making at that moment.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "arrays.hpp"
#include "runtime/single.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

// Of every loop of every row, from some row on; each is made once in a process.
void make_programs(std::size_t from, const std::atomic<bool>& ends) {
    for (std::size_t k = 0; k < rows().size() && !ends; ++k) {
        const auto id = static_cast<RowId>((from + k) % rows().size());
        if (row(id).kind != RowKind::elementwise) continue;
        for (int loop = 0; loop < static_cast<int>(row(id).loops.size()); ++loop) single_program(cpu_pool(), Work::elementwise, id, loop);
    }
}

}  // namespace

int main() {
    constexpr int children = 40;
    std::atomic<bool> ends{false};
    single_program(cpu_pool(), Work::elementwise, find_row("add"), 0);  // the tables, which a program finds made when it has imported the module
    std::thread maker([&] { make_programs(0, ends); });
    for (int n = 0; n < children; ++n) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);  // a lock that nobody gives back would be waited for without end
            const std::atomic<bool> never{false};
            make_programs(rows().size() * static_cast<std::size_t>(n) / children, never);
            _exit(0);
        }
        int status = 0;
        expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child makes programs of its own");
    }
    ends = true;
    maker.join();
    return 0;
}
