#include <gtest/gtest.h>

#include "tests/models/reference_model.h"

namespace bert {
namespace {

TEST(EsmFamily, IsWithinTwiceTheReferencesError) { test::ReferenceModel("esm").check(); }

}  // namespace
}  // namespace bert
