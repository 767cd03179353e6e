#include <gtest/gtest.h>

#include "tests/engine/kernels/isa/product_check.h"
#include "tests/engine/kernels/isa/table_check.h"

#if defined(__aarch64__)
namespace bert {
namespace {

BERT_TABLE_TESTS(NeonKernels, "neon", kNeonKernels)
BERT_ATTENTION_TESTS(NeonAttention, "neon", kNeonKernels.attention, kPortableKernels.attention)
BERT_ATTENTION_TESTS(NeonBFloat16Attention, "neon", kNeonKernels.bfloat16_attention,
                     kPortableKernels.bfloat16_attention)
BERT_FLOAT_PRODUCT_TESTS(NeonProducts, "neon", kNeonFloatProducts)
BERT_BFLOAT16_PRODUCT_TESTS(NeonBFloat16Products, "neon", kNeonBFloat16Products)
BERT_INT8_PRODUCT_TESTS(NeonInt8Products, "neon", kNeonInt8Products)

}  // namespace
}  // namespace bert
#endif
