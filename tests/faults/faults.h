// Calls of the process that fail on purpose: memory, and the system's calls on files and threads. The functions of the
// C library are defined again in interposed_calls.cc, so whatever links it, or loads it with LD_PRELOAD, gets these.
// Any thread's calls count.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bert::test {

enum class Call { kMemory, kOpen, kRead, kWrite, kClose, kSync, kRename, kSeek, kMap, kStatus, kThread };
inline constexpr std::string_view kCallNames[] = {"memory", "open", "read", "write",  "close", "sync",
                                                  "rename", "seek", "map",  "status", "thread"};

// In place of an error number: a read or write of half the bytes.
inline constexpr int kShort = -1;

struct Fault {
  Call call = Call::kMemory;
  size_t first = 0;            // 1: the first call; 0: no call fails, they are only counted
  bool and_all_after = false;  // else only that one
  int error = 0;               // what errno becomes, or kShort
};

// The count of calls and which of them fail, as plain numbers, so that another process can share and set them while
// this one runs.
struct FaultNumbers {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> first{0};    // as in Fault
  std::atomic<uint64_t> failing{1};  // how many calls fail from `first` on
};

// The numbers of the faults to come; they outlive every call. Before start_fault.
void use_fault_numbers(FaultNumbers& numbers);

// From here to stop_faults() the calls of this kind are counted, and fail as `fault` says.
void start_fault(const Fault& fault);

// Returns the number of calls since start_fault.
size_t stop_faults();

// Reads the form "CALL:N:ERROR", with + after N for all that follow: "memory:12+:ENOMEM", "read:3:short". nullopt:
// another form.
std::optional<Fault> parse_fault(std::string_view text);

}  // namespace bert::test
