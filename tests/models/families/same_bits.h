// Runs a model on every instruction set of this CPU: each text alone, and all texts in one batch.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <vector>

#include "bert/model.h"
#include "tests/support/compare.h"
#include "tests/support/environment.h"
#include "tests/support/isa.h"

namespace bert::test {

// Expects the same last hidden states in all runs. Returns those of the first batch.
inline std::vector<EncodedSequence> expect_same_bits_everywhere(const std::filesystem::path& directory,
                                                                std::span<const TokenSequence> texts,
                                                                Precision precision) {
  std::vector<EncodedSequence> first;
  std::span<const char* const> isas = kKernelIsas;
  if (precision == Precision::kInt8) isas = kProductIsas;
  if (precision == Precision::kBFloat16) isas = kBFloat16Isas;
  for (const char* isa : isas) {
    if (!cpu_has(isa)) continue;
    const WithVariable variable("BERT_INFER_ISA", isa);
    const Model model = Model::load(directory.string(), {.threads = 2, .precision = precision});
    if (first.empty()) first = model.encode(texts);
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_TRUE(same_bits(model.encode(texts.subspan(i, 1))[0].last_hidden_state, first[i].last_hidden_state)) << isa;
    }
  }
  return first;
}

}  // namespace bert::test
