#include <gtest/gtest.h>

#include "tests/models/family_check.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(ElectraFamily, "electra", "electra-pretraining", "electra-same-size", "electra-sequence")

}  // namespace
}  // namespace bert
