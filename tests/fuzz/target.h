// What the fuzz targets share. Each target is a file with one LLVMFuzzerTestOneInput: libFuzzer calls it in the preset
// `fuzz`, replay.cc in every other build, so that targets compile and old findings stay fixed wherever tests run.
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

// A finding: says what is wrong and stops, so that the input is kept.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "finding: %s\n", what);
  std::abort();
}

// A parser either succeeds or throws Error with a line for a person. Anything else thrown is a finding.
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
