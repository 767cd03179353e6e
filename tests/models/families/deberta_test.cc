#include <gtest/gtest.h>

#include "tests/models/reference_model.h"

namespace bert {
namespace {

TEST(DebertaFamily, IsWithinTwiceTheReferencesError) { test::ReferenceModel("deberta").check(); }

}  // namespace
}  // namespace bert
