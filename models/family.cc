#include "models/family.h"

namespace bert {

std::span<const Family* const> families() {
#define BERT_FAMILY(name) &name##_family(),
  static const Family* const all[] = {
#include "families.inc"
  };
#undef BERT_FAMILY
  return all;
}

const Family* find_family(std::string_view model_type) {
  for (const Family* family : families()) {
    if (family->model_type == model_type) return family;
  }
  return nullptr;
}

}  // namespace bert
