#include <gtest/gtest.h>

#include "tests/models/reference_model.h"

namespace bert {
namespace {

TEST(SqueezeBertFamily, IsWithinTwiceTheReferencesError) { test::ReferenceModel("squeezebert").check(); }

}  // namespace
}  // namespace bert
