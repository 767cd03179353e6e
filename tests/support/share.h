// Chooses the share of cases that run under a sanitizer. A build without sanitizers runs every case. For the memory
// accesses that a sanitizer checks, a share is enough.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "tests/support/sanitizers.h"

namespace bert::test {

// Selects every step-th case, beginning with one chosen by BERT_TEST_SEED. Without BERT_TEST_SEED the seed is random,
// and is printed so that the share can be run again.
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
