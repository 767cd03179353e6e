// Checks that each function of an instruction set's table gives the portable table's bits, for sizes around every tile
// and block, at any alignment, and for usual and extreme numbers.
#pragma once

#include <vector>

#include "engine/kernels/kernel_table.h"
#include "tests/support/isa.h"

namespace bert::test {

inline constexpr WeightFormat kAllFormats[] = {WeightFormat::kF32, WeightFormat::kF16, WeightFormat::kBF16,
                                               WeightFormat::kI8};

// Returns every value of Activation.
const std::vector<Activation>& all_activations();

// An instruction set's attention, and the portable one in the same arithmetic.
struct AttentionPair {
  const AttentionKernels& kernels;
  const AttentionKernels& portable;
};

void check_epilogue(const KernelTable& table);
void check_attention(const AttentionPair& pair);
void check_attention_of_hostile_numbers(const AttentionPair& pair);
void check_attention_probabilities(const AttentionPair& pair);
void check_attention_with_bias(const AttentionPair& pair);
void check_relative_attention_bias(const KernelTable& table);
void check_attention_with_a_window(const AttentionPair& pair);
void check_norms(const KernelTable& table);
void check_gate(const KernelTable& table);
void check_rotate(const KernelTable& table);
void check_add_row(const KernelTable& table, WeightFormat format);
void check_copy_row(const KernelTable& table, WeightFormat format);
void check_sum_rows(const KernelTable& table, WeightFormat format);
void check_activate(const KernelTable& table, Activation activation);

}  // namespace bert::test

// Defines tests of one table. They are skipped if the CPU lacks the instruction set.
#define BERT_TABLE_OR_SKIP(isa)                                                                                \
  if (!test::cpu_has(isa)) {                                                                                   \
    GTEST_SKIP() << "SKIPPED, not run: the CPU has no " << isa << ", it has " << names(detect_cpu_features()); \
  }

#define BERT_TABLE_TESTS(Suite, isa, table)                                                              \
  class Suite : public ::testing::Test {                                                                 \
   protected:                                                                                            \
    void SetUp() override { BERT_TABLE_OR_SKIP(isa) }                                                    \
  };                                                                                                     \
  TEST_F(Suite, EndsProductsWithThePortableBits) { test::check_epilogue(table); }                        \
  TEST_F(Suite, GivesRelativeBiasWithThePortableBits) { test::check_relative_attention_bias(table); }    \
  TEST_F(Suite, NormalizesWithThePortableBits) { test::check_norms(table); }                             \
  TEST_F(Suite, GatesWithThePortableBits) { test::check_gate(table); }                                   \
  TEST_F(Suite, RotatesWithThePortableBits) { test::check_rotate(table); }                               \
  TEST_F(Suite, AddsRowsWithThePortableBits) {                                                           \
    for (const WeightFormat format : test::kAllFormats) test::check_add_row(table, format);              \
  }                                                                                                      \
  TEST_F(Suite, CopiesRowsWithThePortableBits) {                                                         \
    for (const WeightFormat format : test::kAllFormats) test::check_copy_row(table, format);             \
  }                                                                                                      \
  TEST_F(Suite, SumsRowsWithThePortableBits) {                                                           \
    for (const WeightFormat format : test::kAllFormats) test::check_sum_rows(table, format);             \
  }                                                                                                      \
  TEST_F(Suite, ActivatesWithThePortableBits) {                                                          \
    for (const Activation activation : test::all_activations()) test::check_activate(table, activation); \
  }

// Defines tests that compare an instruction set's attention in one arithmetic with the portable attention.
#define BERT_ATTENTION_TESTS(Suite, isa, of_set, of_portable)                                            \
  class Suite : public ::testing::Test {                                                                 \
   protected:                                                                                            \
    void SetUp() override { BERT_TABLE_OR_SKIP(isa) }                                                    \
    const test::AttentionPair pair_{of_set, of_portable};                                                \
  };                                                                                                     \
  TEST_F(Suite, HasThePortableBits) { test::check_attention(pair_); }                                    \
  TEST_F(Suite, HasThePortableBitsOfHostileNumbers) { test::check_attention_of_hostile_numbers(pair_); } \
  TEST_F(Suite, GivesProbabilitiesWithThePortableBits) { test::check_attention_probabilities(pair_); }   \
  TEST_F(Suite, HasThePortableBitsWithABias) { test::check_attention_with_bias(pair_); }                 \
  TEST_F(Suite, HasThePortableBitsWithAWindow) { test::check_attention_with_a_window(pair_); }
