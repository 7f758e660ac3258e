// What lies between the two phases.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aclnn/call.hpp"

struct aclOpExecutor : cannsim::Object {
    explicit aclOpExecutor(int which) : Object(Type::executor), op(which) {}
    const int op;
    std::vector<cannsim::Call::Slot> slots;
    std::vector<cannsim::Call::Other> others;
    std::vector<void*> addresses;  // of the slots, as phase one saw them or as they were set since
    std::shared_ptr<const cannsim::Work> work;
    cannsim::Cost cost;
    bool repeatable = false;
    void let_go() override {
        slots.clear();
        others.clear();
        work.reset();
    }
};
