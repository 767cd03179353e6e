// Makes the process's calls for memory, files and threads fail on purpose, in all threads. interposed_calls.cc replaces
// these functions of the C library in a program that links it or loads it with LD_PRELOAD.
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
  size_t first = 0;            // the number of the first failing call, from 1; 0: calls are only counted
  bool and_all_after = false;  // all later calls fail too
  int error = 0;               // the value of errno, or kShort
};

// Counts calls and says which of them fail, in plain numbers, so that another process can share and set them.
struct FaultNumbers {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> first{0};    // Fault::first
  std::atomic<uint64_t> failing{1};  // how many calls fail from `first` on
};

// Sets the numbers for later faults, which must outlive every call. Must be called before start_fault.
void use_fault_numbers(FaultNumbers& numbers);

// Until stop_faults(), calls of this kind are counted, and fail as `fault` says.
void start_fault(const Fault& fault);

// Returns the number of calls since start_fault.
size_t stop_faults();

// Reads a fault from "CALL:N:ERROR", such as "read:3:short". With + after N all later calls fail too:
// "memory:12+:ENOMEM". Returns nullopt for any other form.
std::optional<Fault> parse_fault(std::string_view text);

}  // namespace bert::test
