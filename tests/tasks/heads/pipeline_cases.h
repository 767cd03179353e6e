// The reference pipelines' cases in family/tiny-*: inputs and results.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "bert/tasks.h"
#include "tests/support/test_data.h"

namespace bert::test {

using Json = nlohmann::json;

inline Json pipeline_cases(const std::filesystem::path& folder) {
  return Json::parse(read_file(folder / "golden.json"))["cases"];
}

// Returns the place in code points, which the reference uses.
inline size_t code_points(std::string_view text, size_t bytes) {
  const std::string_view part = text.substr(0, bytes);
  return static_cast<size_t>(
      std::count_if(part.begin(), part.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Runs encodings through a head, in one batch.
inline std::vector<Logits> logits_of(const Model& model, Head head, const std::vector<Encoding>& encodings,
                                     const LogitsOptions& options = {}) {
  std::vector<TokenSequence> batch;
  for (const Encoding& encoding : encodings) batch.push_back(model.sequence(encoding));
  return model.logits(head, batch, options);
}

inline std::vector<TokenLogits> windows_of(const std::vector<Encoding>& encodings, const std::vector<Logits>& logits) {
  std::vector<TokenLogits> windows;
  for (size_t i = 0; i < encodings.size(); ++i) windows.push_back({&encodings[i], &logits[i]});
  return windows;
}

}  // namespace bert::test
