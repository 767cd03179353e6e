#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr std::string_view kSameAsRoberta[] = {"Longformer", "Bart"};

constexpr Family make_family() {
  Family roberta = make_roberta();
  roberta.tokenizer.same_classes = kSameAsRoberta;
  return roberta;
}

}  // namespace

constinit const Family roberta_family = make_family();

}  // namespace bert
