#include <gtest/gtest.h>

#include "tests/models/reference_model.h"

namespace bert {
namespace {

TEST(XmodFamily, IsWithinTwiceTheReferencesError) { test::ReferenceModel("xmod").check(); }

}  // namespace
}  // namespace bert
