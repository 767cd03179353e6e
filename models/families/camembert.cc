// CamemBERT: RoBERTa under another name, with another vocabulary.
#include "models/family.h"

namespace bert {

const Family& camembert_family() {
  static const Family family = [] {
    Family copy = roberta_family();
    copy.model_type = "camembert";
    copy.class_prefix = "Camembert";
    copy.defaults.model_type = "camembert";
    copy.defaults.vocab_size = 30522;
    return copy;
  }();
  return family;
}

}  // namespace bert
