#include <gtest/gtest.h>

#include "tests/models/reference_model.h"

namespace bert {
namespace {

TEST(MobileBertFamily, IsWithinTwiceTheReferencesError) { test::ReferenceModel("mobilebert").check(); }

}  // namespace
}  // namespace bert
