// Which devices there are, and the memory pool of each. To the runtime a device is its pool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/pool.hpp"

namespace asnumpy {

struct Device {
    enum class Kind : std::uint8_t { cpu, ascend };

    Kind kind = Kind::cpu;
    int index = 0;
    bool operator==(const Device&) const = default;
};

Device parse_device(std::string_view);  // "cpu", "ascend:1" or "npu:1", "ascend" for the first; ValueError
std::string to_string(Device);
std::vector<Device> devices();          // those that can be used now, the CPU first

// The pool of a device, made at first use, never freed. ValueError where there are fewer devices of the kind,
// DeviceFailure where there are none, with what was looked for.
Pool& pool_of(Device);
Device device_of(const Pool&);
Pool& cpu_pool();
// False: it is certain that every array of this process is the CPU's. Asks, and loads, nothing.
bool several_devices() noexcept;
std::vector<Pool*> pools_in_use();  // of all devices that pool_of() was asked for

// Where new arrays are made that have no inputs: this thread's device, else the process's, which is the first Ascend
// device where there is one, else the CPU.
Pool& default_pool();
void set_default_device(Device);
// The same by a name, which `origin` gave, and which is looked at when the device is first needed: ValueError or DeviceFailure then.
void set_default_device_later(std::string name, std::string origin);
void limit_default_device_later(std::uint64_t bytes);  // its pool's limit, from then on
// Gives this thread a device of its own (null: none), and returns what it had.
Pool* exchange_thread_pool(Pool*);

}  // namespace asnumpy
