#include <gtest/gtest.h>

#include "tests/engine/kernels/isa/product_check.h"

#if defined(__x86_64__)
namespace bert {
namespace {

BERT_INT8_PRODUCT_TESTS(Avx512VnniInt8Products, "avx512vnni", kAvx512VnniInt8Products)

}  // namespace
}  // namespace bert
#endif
