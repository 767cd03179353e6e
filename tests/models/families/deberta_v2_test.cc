#include <gtest/gtest.h>

#include "tests/models/family_check.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(DebertaV2Family, "family_modern/deberta-v2", "family_modern/deberta-v2-own-keys",
                  "family_modern/deberta-v2-sequence")

}  // namespace
}  // namespace bert
