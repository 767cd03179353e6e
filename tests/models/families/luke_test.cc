#include <gtest/gtest.h>

#include "tests/models/reference_model.h"

namespace bert {
namespace {

TEST(LukeFamily, IsWithinTwiceTheReferencesError) { test::ReferenceModel("luke").check(); }

}  // namespace
}  // namespace bert
