#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(AlbertFamily, "albert", "albert-groups-2", "albert-groups-2-inner-2", "albert-inner-2",
                  "albert-masked-lm", "albert-relative-key")

}  // namespace
}  // namespace bert
