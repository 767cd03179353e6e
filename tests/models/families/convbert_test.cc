#include <gtest/gtest.h>

#include "tests/models/reference_model.h"

namespace bert {
namespace {

TEST(ConvBertFamily, IsWithinTwiceTheReferencesError) { test::ReferenceModel("convbert").check(); }

}  // namespace
}  // namespace bert
