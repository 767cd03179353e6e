// Makes calls of the process fail on purpose: memory, and the system's calls on files and threads. interposed_calls.cc
// defines these functions of the C library again, so a program that links it, or loads it with LD_PRELOAD, uses them.
// Calls of all threads count.
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

// Used instead of an error number: a read or write transfers half the bytes.
inline constexpr int kShort = -1;

struct Fault {
  Call call = Call::kMemory;
  size_t first = 0;            // number of the first call that fails, from 1; 0: calls are only counted
  bool and_all_after = false;  // all later calls fail too
  int error = 0;               // the value of errno, or kShort
};

// Counts calls and says which of them fail, in plain numbers, so that another process can share and set them.
struct FaultNumbers {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> first{0};    // as in Fault
  std::atomic<uint64_t> failing{1};  // how many calls fail from `first` on
};

// Sets the numbers for later faults; they must outlive every call. Call it before start_fault.
void use_fault_numbers(FaultNumbers& numbers);

// From now until stop_faults(), calls of this kind are counted and fail as `fault` says.
void start_fault(const Fault& fault);

// Returns the number of calls since start_fault.
size_t stop_faults();

// Reads a fault from "CALL:N:ERROR"; + after N means all later calls too: "memory:12+:ENOMEM", "read:3:short". Returns
// nullopt for any other form.
std::optional<Fault> parse_fault(std::string_view text);

}  // namespace bert::test
