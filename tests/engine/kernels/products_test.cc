#include "engine/kernels/products.h"

#include <gtest/gtest.h>
#include <bit>
#include <iostream>
#include <string>
#include <vector>

#include "tests/support/isa.h"
#include "tests/support/random.h"

namespace bert {
namespace {

TEST(Products, ArePortableWithoutFeatures) {
  const ProductKernels kernels = products_for({});
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kF32)], &kPortableFloatProducts.f32);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kF16)], &kPortableFloatProducts.f16);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kBF16)], &kPortableFloatProducts.bf16);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kI8)], &kPortableInt8Products.asymmetric);
  EXPECT_EQ(kernels[static_cast<size_t>(WeightFormat::kI8Symmetric)], &kPortableInt8Products.symmetric);
}

#if defined(__x86_64__)
TEST(Products, AreTheFastestThatTheFeaturesAllow) {
  const auto f32 = [](CpuFeatures features) { return products_for(features)[static_cast<size_t>(WeightFormat::kF32)]; };
  EXPECT_EQ(f32(allowed_cpu_features("avx2")), &kAvx2FloatProducts.f32);
  EXPECT_EQ(f32(allowed_cpu_features("avxvnni")), &kAvx2FloatProducts.f32);
  EXPECT_EQ(f32(allowed_cpu_features("avx512")), &kAvx512FloatProducts.f32);
  EXPECT_EQ(f32(allowed_cpu_features("amx")), &kAvx512FloatProducts.f32);
  const auto i8 = [](CpuFeatures features) { return products_for(features)[static_cast<size_t>(WeightFormat::kI8)]; };
  EXPECT_EQ(i8(allowed_cpu_features("avx2")), &kAvx2Int8Products.asymmetric);
  EXPECT_EQ(i8(allowed_cpu_features("avxvnni")), &kAvxVnniInt8Products.asymmetric);
  EXPECT_EQ(i8(allowed_cpu_features("avx512")), &kAvx512Int8Products.asymmetric);
  EXPECT_EQ(i8(allowed_cpu_features("avx512vnni")), &kAvx512VnniInt8Products.asymmetric);
  EXPECT_EQ(i8(allowed_cpu_features("amx")), &kAvx512VnniInt8Products.asymmetric);
  std::string not_run;
  const auto rounded = [](CpuFeatures features) {
    return products_for(features)[kernel_index(WeightFormat::kBF16, ProductArithmetic::kBFloat16)];
  };
  for (const char* isa : test::kBFloat16Isas) {
    if (!test::cpu_has(isa)) not_run += std::string(" ") + isa;
    EXPECT_STREQ(rounded(allowed_cpu_features(isa))->name, isa);
  }
  EXPECT_EQ(rounded(allowed_cpu_features("avxvnni")), &kAvx2BFloat16Products.bf16);
  EXPECT_EQ(rounded(allowed_cpu_features("avx512vnni")), &kAvx512BFloat16Products.bf16);
  EXPECT_EQ(rounded(allowed_cpu_features("avx512bf16")), &kAvx512Bf16BFloat16Products.bf16);
  EXPECT_EQ(rounded(allowed_cpu_features("amx")), &kAvx512Bf16BFloat16Products.bf16);
  for (const char* isa : test::kProductIsas) {
    if (!test::cpu_has(isa)) not_run += std::string(" ") + isa;
    EXPECT_STREQ(i8(allowed_cpu_features(isa))->name, isa);
  }
  std::cout << "instruction sets whose products were not run here:" << (not_run.empty() ? " none" : not_run) << "\n";
  // The AVX-512 kernels also need AVX2.
  EXPECT_EQ(f32({CpuFeature::kAvx512}), &kPortableFloatProducts.f32);
}
#elif defined(__aarch64__)
TEST(Products, AreTheFastestThatTheFeaturesAllow) {
  const auto of = [](WeightFormat format, CpuFeatures features) {
    return products_for(features)[static_cast<size_t>(format)];
  };
  for (const char* isa : {"neon", "dotprod", "i8mm"}) {
    EXPECT_EQ(of(WeightFormat::kF32, allowed_cpu_features(isa)), &kNeonFloatProducts.f32) << isa;
  }
  EXPECT_EQ(of(WeightFormat::kI8, allowed_cpu_features("neon")), &kNeonInt8Products.asymmetric);
  EXPECT_EQ(of(WeightFormat::kI8, allowed_cpu_features("dotprod")), &kDotprodInt8Products.asymmetric);
  EXPECT_EQ(of(WeightFormat::kI8, allowed_cpu_features("i8mm")), &kI8mmInt8Products.asymmetric);
  EXPECT_EQ(of(WeightFormat::kI8Symmetric, allowed_cpu_features("i8mm")), &kI8mmInt8Products.symmetric);
  // The kernels with SMMLA also need SDOT.
  EXPECT_EQ(of(WeightFormat::kI8, {CpuFeature::kNeon, CpuFeature::kI8mm}), &kNeonInt8Products.asymmetric);
}
#endif

constexpr size_t kRowCounts[] = {1, 2, 3, 4, 5, 9};

const ScanKernels& scans_of(const char* isa) { return scans_for(allowed_cpu_features(isa)); }

// Calls check(kernels) for each instruction set of the CPU that has kernels.
template <class Check>
void for_each_isa(const Check& check) {
  std::string not_run;
  for (const char* isa : test::kProductIsas) {
    SCOPED_TRACE(isa);
    if (test::cpu_has(isa)) {
      check(scans_of(isa));
    } else {
      not_run += std::string(" ") + isa;
    }
  }
  ::testing::Test::RecordProperty("isas_not_run", not_run);
}

TEST(Scans, AreThoseOfTheInstructionSetAskedFor) {
  for (const char* isa : test::kKernelIsas) EXPECT_STREQ(scans_of(isa).name, isa);
}

TEST(Scans, DotTakesEachProductOnce) {
  // Sums of small integers are exact in any order, so the expected value is computed in integers.
  for_each_isa([](const ScanKernels& kernels) {
    for (const size_t size : {16, 32, 48, 64, 80, 128, 144, 384}) {
      std::vector<float> query(size), rows(3 * size);
      for (size_t i = 0; i < size; ++i) query[i] = static_cast<float>(i % 7) - 3;
      for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i % 11) - 5;
      std::vector<float> sums(3);
      kernels.dot(query.data(), rows.data(), size, 3, sums.data());
      for (size_t row = 0; row < 3; ++row) {
        int expected = 0;
        for (size_t i = 0; i < size; ++i) {
          expected += (static_cast<int>(i % 7) - 3) * (static_cast<int>((row * size + i) % 11) - 5);
        }
        EXPECT_EQ(sums[row], static_cast<float>(expected)) << size << " numbers, row " << row;
      }
    }
  });
}

TEST(Scans, DotHasThePortableBits) {
  test::Random random(1);
  for_each_isa([&](const ScanKernels& kernels) {
    for (const size_t size : {16, 48, 64, 80, 384, 400}) {
      for (const size_t count : kRowCounts) {
        std::vector<float> query(size), rows(count * size), sums(count), expected(count);
        for (float& value : query) value = random.number();
        for (float& value : rows) value = random.number();
        kernels.dot(query.data(), rows.data(), size, count, sums.data());
        scans_of("portable").dot(query.data(), rows.data(), size, count, expected.data());
        for (size_t i = 0; i < count; ++i) {
          EXPECT_EQ(std::bit_cast<uint32_t>(sums[i]), std::bit_cast<uint32_t>(expected[i])) << size << " row " << i;
        }
      }
    }
  });
}

TEST(Scans, Int8DotIsExact) {
  test::Random random(2);
  for_each_isa([&](const ScanKernels& kernels) {
    for (const size_t size : {64, 128, 384, 1024}) {
      for (const size_t count : kRowCounts) {
        std::vector<int8_t> query(size), rows(count * size);
        for (int8_t& value : query) value = static_cast<int8_t>(random.below(255) - 127);
        for (int8_t& value : rows) value = static_cast<int8_t>(random.below(255) - 127);
        std::fill_n(query.begin(), 32, int8_t{127});  // the largest products
        std::fill_n(rows.begin(), 32, int8_t{127});
        std::vector<float> prepared(size);
        kernels.prepare_int8(query.data(), size, prepared.data());
        std::vector<int32_t> sums(count);
        kernels.dot_int8(prepared.data(), rows.data(), size, count, sums.data());
        for (size_t row = 0; row < count; ++row) {
          int32_t expected = 0;
          for (size_t i = 0; i < size; ++i) expected += (query[i] + 128) * rows[row * size + i];
          EXPECT_EQ(sums[row], expected) << size << " numbers, row " << row;
        }
      }
    }
  });
}

TEST(Scans, HammingCountsDifferentBits) {
  test::Random random(3);
  for_each_isa([&](const ScanKernels& kernels) {
    for (const size_t words : {1, 2, 6, 12, 16, 17}) {
      for (const size_t count : kRowCounts) {
        std::vector<uint64_t> query(words), rows(count * words);
        for (uint64_t& word : query) word = random.bits();
        for (uint64_t& word : rows) word = random.bits();
        std::vector<int32_t> distances(count);
        kernels.hamming(query.data(), rows.data(), words, count, distances.data());
        for (size_t row = 0; row < count; ++row) {
          int32_t expected = 0;
          for (size_t bit = 0; bit < words * 64; ++bit) {
            expected += (query[bit / 64] >> bit % 64 & 1) != (rows[row * words + bit / 64] >> bit % 64 & 1);
          }
          EXPECT_EQ(distances[row], expected) << words << " words, row " << row;
        }
      }
    }
  });
}

}  // namespace

}  // namespace bert
