// What a user sets for all Ascend devices: how long is waited for them, how exactly floats are multiplied, whether results repeat.
#pragma once

#include <cstdint>

namespace asnumpy::ascend {

// How products of float32 are computed; the values are those of CANN's parameter cubeMathType.
enum class MatmulPrecision : std::int8_t { float32 = 0, float16 = 2, hf32 = 3 };

// Seconds after which a wait gives up, and CANN an operator; 0: none of ours, and CANN's own.
void set_wait_limit(double seconds);
double wait_limit();
std::int32_t wait_milliseconds();  // the same as CANN's functions take it
void set_matmul_precision(MatmulPrecision);
MatmulPrecision matmul_precision();
// Whether operators may add up in whichever order is quickest.
void set_deterministic(bool);
bool deterministic();

// How memory for arrays is allocated from now on: one of CANN's aclrtMemMallocPolicy.
void set_memory_policy(int);
int memory_policy();

// Tells CANN what was set, for the context of this thread; what was never set stays as it is, since others share the context.
void apply_wait_limit();
void apply_deterministic();
// Waits as long as is allowed: CANN's code, of which gave_up() is true for one.
int synchronize_stream(void* stream);
int synchronize_event(void* event);
bool gave_up(int code);

}  // namespace asnumpy::ascend
