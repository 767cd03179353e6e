// The variance of the token vectors that position and word explain, over many texts: the command probe, and a part of
// the command report. Used by one thread.
#pragma once

#include <cstddef>
#include <string>

#include "bert/experiments.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/sequences.h"

namespace bert::cli {

class ProbeExperiment {
 public:
  explicit ProbeExperiment(size_t max_words = VarianceProbe::kDefaultWords) : probe_(max_words) {}

  // All results; each is counted.
  void read(Sequences& sequences, RunSummary& summary);
  // After the texts. Throws InputError or Error if there are too few; `source` names them.
  void finish(const std::string& source);

  size_t left_out_tokens() const { return shares_.left_out_tokens; }

  std::string answer() const;  // one sentence
  std::string text(const TextStyle& style) const;
  void add_json(JsonWriter& object) const;
  void add_to(Page& page) const;
  std::string texts() const;  // what it was measured on: "1,234 tokens of 56 texts, …"

 private:
  Table table() const;
  std::string sentence() const;

  VarianceProbe probe_;
  VarianceShares shares_;
  size_t read_ = 0;   // texts, including those that failed
  size_t valid_ = 0;  // texts
};

}  // namespace bert::cli
