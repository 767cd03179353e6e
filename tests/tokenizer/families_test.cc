#include "tokenizer/families.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(Families, NameTheComponentAsItsFilesDo) { EXPECT_EQ(kDoubleSeparatorProcessing, "RobertaProcessing"); }

}  // namespace
}  // namespace bert
