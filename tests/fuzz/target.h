// Shared by the fuzz targets. Each target is a file with one LLVMFuzzerTestOneInput. libFuzzer calls it in the preset
// `fuzz`, and replay.cc calls it in every other build, so that targets compile and old findings stay fixed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bert/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace bert::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

// Reports what is wrong and ends the process, so that the fuzzer keeps the input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "finding: %s\n", what);
  std::abort();
}

// Calls a parser, which must succeed or throw Error with a message of one line. Any other exception is a finding.
template <class Parse>
void parse_or_refuse(const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    const std::string_view line = error.what();
    require(!line.empty() && line.size() < 2000, "an error's message has a line's length");
    require(line.find('\n') == std::string_view::npos, "an error's message is one line");
  }
}

}  // namespace bert::fuzz
