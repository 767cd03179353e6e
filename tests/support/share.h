// The share of a sweep that a sanitizer runs: a build without sanitizers checks every case, and the code's memory,
// which a sanitizer checks, is reached by a share as well.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "tests/support/sanitizers.h"

namespace bert::test {

// Every step-th case, from the one that BERT_TEST_SEED chooses. Without it the seed is drawn by chance and printed, so
// that the same share can be run again.
class Share {
 public:
  explicit Share(size_t step) : step_(BERT_SANITIZED ? step : 1) {
    if (step_ == 1) return;
    const char* chosen = std::getenv("BERT_TEST_SEED");
    const size_t seed = chosen != nullptr ? std::stoul(chosen) : std::random_device()() % 1'000'000;
    std::cout << "BERT_TEST_SEED=" << seed << "\n";
    first_ = seed % step_;
  }
  bool has(size_t i) const { return i % step_ == first_; }

 private:
  size_t step_, first_ = 0;
};

}  // namespace bert::test
