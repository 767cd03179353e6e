// Checks that a kernel of products gives the same bits as the portable kernel of its format and arithmetic.
#pragma once

#include "engine/kernels/product_kernel.h"
#include "tests/engine/kernels/isa/table_check.h"
#include "tests/support/isa.h"

namespace bert::test {

void check_product(const ProductKernel& kernel, WeightFormat format,
                   ProductArithmetic arithmetic = ProductArithmetic::kOfFormat);
void check_product_of_hostile_numbers(const ProductKernel& kernel, WeightFormat format,
                                      ProductArithmetic arithmetic = ProductArithmetic::kOfFormat);

}  // namespace bert::test

// Defines tests of an instruction set's FloatProductKernels. They are skipped if the CPU lacks the set.
#define BERT_FLOAT_PRODUCT_TESTS(Suite, isa, kernels)                                                          \
  class Suite : public ::testing::Test {                                                                       \
   protected:                                                                                                  \
    void SetUp() override { BERT_TABLE_OR_SKIP(isa) }                                                          \
  };                                                                                                           \
  TEST_F(Suite, MultiplyF32WithThePortableBits) { test::check_product((kernels).f32, WeightFormat::kF32); }    \
  TEST_F(Suite, MultiplyF16WithThePortableBits) { test::check_product((kernels).f16, WeightFormat::kF16); }    \
  TEST_F(Suite, MultiplyBF16WithThePortableBits) { test::check_product((kernels).bf16, WeightFormat::kBF16); } \
  TEST_F(Suite, MultiplyHostileF32WithThePortableBits) {                                                       \
    test::check_product_of_hostile_numbers((kernels).f32, WeightFormat::kF32);                                 \
  }                                                                                                            \
  TEST_F(Suite, MultiplyHostileF16WithThePortableBits) {                                                       \
    test::check_product_of_hostile_numbers((kernels).f16, WeightFormat::kF16);                                 \
  }                                                                                                            \
  TEST_F(Suite, MultiplyHostileBF16WithThePortableBits) {                                                      \
    test::check_product_of_hostile_numbers((kernels).bf16, WeightFormat::kBF16);                               \
  }

// Defines tests of FloatProductKernels in bfloat16 arithmetic.
#define BERT_BFLOAT16_PRODUCT_TESTS(Suite, isa, kernels)                                                       \
  class Suite : public ::testing::Test {                                                                       \
   protected:                                                                                                  \
    void SetUp() override { BERT_TABLE_OR_SKIP(isa) }                                                          \
  };                                                                                                           \
  TEST_F(Suite, MultiplyWithThePortableBits) {                                                                 \
    test::check_product((kernels).f32, WeightFormat::kF32, ProductArithmetic::kBFloat16);                      \
    test::check_product((kernels).f16, WeightFormat::kF16, ProductArithmetic::kBFloat16);                      \
    test::check_product((kernels).bf16, WeightFormat::kBF16, ProductArithmetic::kBFloat16);                    \
  }                                                                                                            \
  TEST_F(Suite, MultiplyHostileNumbersWithThePortableBits) {                                                   \
    test::check_product_of_hostile_numbers((kernels).f32, WeightFormat::kF32, ProductArithmetic::kBFloat16);   \
    test::check_product_of_hostile_numbers((kernels).f16, WeightFormat::kF16, ProductArithmetic::kBFloat16);   \
    test::check_product_of_hostile_numbers((kernels).bf16, WeightFormat::kBF16, ProductArithmetic::kBFloat16); \
  }

// Defines tests of an instruction set's Int8ProductKernels.
#define BERT_INT8_PRODUCT_TESTS(Suite, isa, kernels)                                                           \
  class Suite : public ::testing::Test {                                                                       \
   protected:                                                                                                  \
    void SetUp() override { BERT_TABLE_OR_SKIP(isa) }                                                          \
  };                                                                                                           \
  TEST_F(Suite, MultiplyWithThePortableBits) { test::check_product((kernels).asymmetric, WeightFormat::kI8); } \
  TEST_F(Suite, MultiplyWithoutZeroPointWithThePortableBits) {                                                 \
    test::check_product((kernels).symmetric, WeightFormat::kI8Symmetric);                                      \
  }                                                                                                            \
  TEST_F(Suite, MultiplyHostileNumbersWithThePortableBits) {                                                   \
    test::check_product_of_hostile_numbers((kernels).asymmetric, WeightFormat::kI8);                           \
    test::check_product_of_hostile_numbers((kernels).symmetric, WeightFormat::kI8Symmetric);                   \
  }
