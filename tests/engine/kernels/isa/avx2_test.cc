#include <gtest/gtest.h>

#include "tests/engine/kernels/isa/product_check.h"
#include "tests/engine/kernels/isa/table_check.h"

#if defined(__x86_64__)
namespace bert {
namespace {

BERT_TABLE_TESTS(Avx2Kernels, "avx2", kAvx2Kernels)
BERT_ATTENTION_TESTS(Avx2Attention, "avx2", kAvx2Kernels.attention, kPortableKernels.attention)
BERT_ATTENTION_TESTS(Avx2BFloat16Attention, "avx2", kAvx2Kernels.bfloat16_attention,
                     kPortableKernels.bfloat16_attention)
BERT_FLOAT_PRODUCT_TESTS(Avx2Products, "avx2", kAvx2FloatProducts)
BERT_BFLOAT16_PRODUCT_TESTS(Avx2BFloat16Products, "avx2", kAvx2BFloat16Products)
BERT_INT8_PRODUCT_TESTS(Avx2Int8Products, "avx2", kAvx2Int8Products)

}  // namespace
}  // namespace bert
#endif
