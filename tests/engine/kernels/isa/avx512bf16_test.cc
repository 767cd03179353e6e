#include <gtest/gtest.h>

#include "tests/engine/kernels/isa/product_check.h"
#include "tests/engine/kernels/isa/table_check.h"

#if defined(__x86_64__)
namespace bert {
namespace {

BERT_BFLOAT16_PRODUCT_TESTS(Avx512Bf16Products, "avx512bf16", kAvx512Bf16BFloat16Products)
BERT_ATTENTION_TESTS(Avx512Bf16Attention, "avx512bf16", kAvx512Bf16Attention, kPortableKernels.bfloat16_attention)

}  // namespace
}  // namespace bert
#endif
