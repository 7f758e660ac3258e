// Sums for the report: tasks by name, their bytes, wall and modelled time, and the list of tasks for a timeline.
#pragma once

#include <string>

#include "runtime/model.hpp"

namespace cannsim {

struct Stream;

void count_task(const char* name, const Cost&, double modelled, const Stream&, double modelled_end);
void count_copy(const char* name, const Cost&, bool from_device, bool to_device);  // by the host itself
void count_wall(const char* name, const Stream&, double started, double ended);
void count_refusal(const char* name, int code);  // a phase of an operator that failed
void count_contested(const char* name, const char* parameter, const char* dtype);  // about which documents and sources differ
void keep_kernel(std::size_t events, std::string timeline);  // what its pipes did, as entries of a timeline
bool keeps_kernels();  // whether a timeline is asked for, and not too long already
unsigned next_kernel();  // its number in the timeline, from 1
std::string report_json();  // operators, copies, memory, findings; modelled figures are named modelled_*
std::string timeline_json();  // Chrome's trace format
void clear_statistics();

}  // namespace cannsim
