// The variance of the token vectors that position and word explain, over many texts: the command probe, and a part of
// the command report. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/two_way_variance.h"
#include "bert/model.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/sequences.h"

namespace bert::cli {

class ProbeExperiment {
 public:
  static constexpr size_t kDefaultWords = 2000;

  // Keeps sums of the first `max_words` words; tokens of others are left out.
  explicit ProbeExperiment(size_t max_words = kDefaultWords) : max_words_(max_words) {}

  // All results; each is counted.
  void read(Sequences& sequences, RunSummary& summary);
  // After the texts. Throws InputError if there are too few; `source` names them.
  void finish(const std::string& source);

  size_t left_out_tokens() const { return left_out_; }

  std::string answer() const;  // one sentence
  std::string text(const TextStyle& style) const;
  void add_json(JsonWriter& object) const;
  void add_to(Page& page) const;
  std::string texts() const;  // what it was measured on: "1,234 tokens of 56 texts, …"

 private:
  void add(const Encoding& encoding, const EncodedSequence& encoded);
  Table table() const;
  std::string sentence() const;

  const size_t max_words_;
  std::optional<analysis::TwoWayVariance> sums_;       // by position and word, for each layer
  std::unordered_map<int32_t, uint32_t> word_groups_;  // by id
  size_t read_ = 0;                                    // texts, including those that failed
  size_t texts_ = 0;                                   // valid ones
  size_t tokens_ = 0;
  size_t left_out_ = 0;
  size_t positions_ = 0;
  std::vector<double> position_, word_, both_, neither_;  // shares of the variance, by layer
};

}  // namespace bert::cli
