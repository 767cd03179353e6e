#include <gtest/gtest.h>

#include "tests/models/family_check.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(DebertaV2Family, "deberta-v2", "deberta-v2-own-keys", "deberta-v2-sequence")

}  // namespace
}  // namespace bert
