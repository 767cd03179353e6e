// Measures the variance of the token vectors that position and word explain, over many texts: for the command probe,
// and for a part of the command report. Used by one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "bert/experiments.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/input/sequences.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {

class ProbeExperiment {
 public:
  explicit ProbeExperiment(size_t max_words = VarianceProbe::kDefaultWords) : probe_(max_words) {}

  // Reads and counts all results.
  void read(Sequences& sequences, RunSummary& summary);
  // Call after the last text. Throws InputError or Error if there are too few texts; `source` names them.
  void finish(const std::string& source);

  size_t left_out_tokens() const { return shares_.left_out_tokens; }

  const Findings& findings() const { return *findings_; }  // a view of this object
  void add_json(JsonWriter& object) const;
  std::string texts() const { return described_texts(shares_); }

 private:
  VarianceProbe probe_;
  VarianceShares shares_;
  std::unique_ptr<Findings> findings_;
  size_t read_ = 0;   // texts, including failed ones
  size_t valid_ = 0;  // texts that did not fail
};

}  // namespace bert::cli
