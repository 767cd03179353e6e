#include <gtest/gtest.h>

#include "tests/engine/kernels/isa/product_check.h"

#if defined(__aarch64__)
namespace bert {
namespace {

BERT_INT8_PRODUCT_TESTS(DotprodInt8Products, "dotprod", kDotprodInt8Products)

}  // namespace
}  // namespace bert
#endif
