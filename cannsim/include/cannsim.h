/* The simulator's own interface, beside CANN's: settings, faults on demand, findings, log and report. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A setting by the name of its environment variable without CANNSIM_: "STRICT", "DEVICES", "MEMORY", "CHIP", "PROFILE", "COMPUTE", "CLOCK", "LOG", "REPORT",
   "TRACE", "FINDINGS", "LAG", "THREADS", "KERNEL_SECONDS", "TASK_FAULTS"; "CORRUPT", "HANG", "CRASH": operators with commas between them, of which from now on the first element of each result is
   wrong, the work does not end, or the process ends. 0, or 100000 when there is no such setting or the value makes no sense. */
int32_t cannsim_set(const char* name, const char* value);

/* The nth call from now (1: the next, 0: every one) of the function ("*": of any) fails with the code. */
int32_t cannsim_fail(const char* function, uint64_t nth, int32_t code);
/* From now on phase one of the operator is refused with the code where its tensors are of these dtypes, in their order, as in
   "float32, float32, bool"; null: of any. */
int32_t cannsim_refuse(const char* operator_name, const char* dtypes, int32_t code);
/* The nth task from now that runs and uses memory (1: the next, 0: every one) fails with the code, on whichever stream: those of an operator or
   function ("aclnnAdd", "aclrtMemcpyAsync"), or "*": of any. What it should have written is rubbish; the code comes with the next wait,
   where lasting is not 0 with all of them: then the stream is broken, and nothing runs on it any more. */
int32_t cannsim_fail_task(const char* name, uint64_t nth, int32_t code, int32_t lasting);
/* Every later call on the device fails; -1: no device is lost any more. */
int32_t cannsim_lose_device(int32_t device);
int32_t cannsim_clear_faults(void); /* of all four kinds, and what was planned of operators */

/* How many findings there are of a kind ("use_after_free"...; null: of any). */
uint64_t cannsim_findings(const char* kind);
int32_t cannsim_clear(void); /* findings, log and sums */

/* JSON; valid until this thread asks again. Every figure named modelled_* comes from a model. */
const char* cannsim_report_json(void);
const char* cannsim_log_json(void);
const char* cannsim_timeline_json(void);
const char* cannsim_operators_json(void); /* the names of all operators: true where simulated */

double cannsim_modelled_seconds(void);
/* Where the memory lies that the next launch of a kernel by this thread may use: of an allocation of CANN's in which some of it lies,
   as in a pool's, the kernel may use nothing else. Without it every allocation is as a whole. */
int32_t cannsim_kernel_memory(const void* const* begins, const uint64_t* bytes, uint64_t count);
/* Reports what is alive now as aclFinalize would. */
int32_t cannsim_check_leaks(void);
uint64_t cannsim_memory_used(int32_t device);

#ifdef __cplusplus
}
#endif
