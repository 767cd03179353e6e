// The checks that every instruction set's table must pass: the same bits as the portable table, function by function,
// over sizes around every tile and block, at any alignment, for ordinary and for hostile numbers.
#pragma once

#include <vector>

#include "engine/kernels/kernel_table.h"
#include "tests/support/isa.h"

namespace bert::test {

// Every value of Activation.
const std::vector<Activation>& all_activations();

void check_gemm(const KernelTable& table, WeightType type);
void check_gemm_of_hostile_numbers(const KernelTable& table, WeightType type);
void check_epilogue(const KernelTable& table);
void check_attention(const KernelTable& table);
void check_attention_of_hostile_numbers(const KernelTable& table);
void check_attention_probabilities(const KernelTable& table);
void check_attention_with_terms(const KernelTable& table);
void check_relative_terms(const KernelTable& table);
void check_layer_norm(const KernelTable& table);
void check_add_row(const KernelTable& table, WeightType type);
void check_copy_row(const KernelTable& table, WeightType type);
void check_activate(const KernelTable& table, Activation activation);

}  // namespace bert::test

// The tests of one table. The test says aloud when the CPU lacks the instruction set.
#define BERT_TABLE_OR_SKIP(isa)                                                                                \
  if (!test::cpu_has(isa)) {                                                                                   \
    GTEST_SKIP() << "SKIPPED, not run: the CPU has no " << isa << ", it has " << names(detect_cpu_features()); \
  }

#define BERT_TABLE_TESTS(Suite, isa, table)                                                                            \
  class Suite : public ::testing::Test {                                                                               \
   protected:                                                                                                          \
    void SetUp() override { BERT_TABLE_OR_SKIP(isa) }                                                                  \
  };                                                                                                                   \
  TEST_F(Suite, MultipliesF32WithThePortableBits) { test::check_gemm(table, kWeightF32); }                             \
  TEST_F(Suite, MultipliesF16WithThePortableBits) { test::check_gemm(table, kWeightF16); }                             \
  TEST_F(Suite, MultipliesBF16WithThePortableBits) { test::check_gemm(table, kWeightBF16); }                           \
  TEST_F(Suite, MultipliesHostileF32WithThePortableBits) { test::check_gemm_of_hostile_numbers(table, kWeightF32); }   \
  TEST_F(Suite, MultipliesHostileF16WithThePortableBits) { test::check_gemm_of_hostile_numbers(table, kWeightF16); }   \
  TEST_F(Suite, MultipliesHostileBF16WithThePortableBits) { test::check_gemm_of_hostile_numbers(table, kWeightBF16); } \
  TEST_F(Suite, EndsProductsWithThePortableBits) { test::check_epilogue(table); }                                      \
  TEST_F(Suite, AttendsWithThePortableBits) { test::check_attention(table); }                                          \
  TEST_F(Suite, AttendsToHostileNumbersWithThePortableBits) { test::check_attention_of_hostile_numbers(table); }       \
  TEST_F(Suite, GivesAttentionProbabilitiesWithThePortableBits) { test::check_attention_probabilities(table); }        \
  TEST_F(Suite, AttendsByDistanceWithThePortableBits) { test::check_attention_with_terms(table); }                     \
  TEST_F(Suite, GivesTermsOfDistancesWithThePortableBits) { test::check_relative_terms(table); }                       \
  TEST_F(Suite, NormalizesWithThePortableBits) { test::check_layer_norm(table); }                                      \
  TEST_F(Suite, AddsRowsWithThePortableBits) {                                                                         \
    for (const WeightType type : {kWeightF32, kWeightF16, kWeightBF16}) test::check_add_row(table, type);              \
  }                                                                                                                    \
  TEST_F(Suite, CopiesRowsWithThePortableBits) {                                                                       \
    for (const WeightType type : {kWeightF32, kWeightF16, kWeightBF16}) test::check_copy_row(table, type);             \
  }                                                                                                                    \
  TEST_F(Suite, ActivatesWithThePortableBits) {                                                                        \
    for (const Activation activation : test::all_activations()) test::check_activate(table, activation);               \
  }
