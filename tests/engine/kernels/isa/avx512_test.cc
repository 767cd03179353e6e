#include <gtest/gtest.h>

#include "tests/engine/kernels/isa/product_check.h"
#include "tests/engine/kernels/isa/table_check.h"

#if defined(__x86_64__)
namespace bert {
namespace {

BERT_TABLE_TESTS(Avx512Kernels, "avx512", kAvx512Kernels)
BERT_ATTENTION_TESTS(Avx512Attention, "avx512", kAvx512Kernels.attention, kPortableKernels.attention)
BERT_ATTENTION_TESTS(Avx512BFloat16Attention, "avx512", kAvx512Kernels.bfloat16_attention,
                     kPortableKernels.bfloat16_attention)
BERT_FLOAT_PRODUCT_TESTS(Avx512Products, "avx512", kAvx512FloatProducts)
BERT_BFLOAT16_PRODUCT_TESTS(Avx512BFloat16Products, "avx512", kAvx512BFloat16Products)
BERT_INT8_PRODUCT_TESTS(Avx512Int8Products, "avx512", kAvx512Int8Products)

}  // namespace
}  // namespace bert
#endif
