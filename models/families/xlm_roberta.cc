// XLM-RoBERTa: RoBERTa under another name, with another vocabulary.
#include "models/family.h"

namespace bert {

const Family& xlm_roberta_family() {
  static const Family family = [] {
    Family copy = roberta_family();
    copy.model_type = "xlm-roberta";
    copy.class_prefix = "XLMRoberta";
    copy.defaults.model_type = "xlm-roberta";
    copy.defaults.vocab_size = 30522;
    return copy;
  }();
  return family;
}

}  // namespace bert
