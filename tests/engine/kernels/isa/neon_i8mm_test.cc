#include <gtest/gtest.h>

#include "tests/engine/kernels/isa/product_check.h"

#if defined(__aarch64__)
namespace bert {
namespace {

BERT_INT8_PRODUCT_TESTS(I8mmInt8Products, "i8mm", kI8mmInt8Products)

}  // namespace
}  // namespace bert
#endif
