// XLM-RoBERTa: RoBERTa with another name and another tokenizer.
#include "models/families/roberta.h"

namespace bert {

constinit const Family xlm_roberta_family = make_sentencepiece_roberta("xlm-roberta", "XLMRoberta", kXlmRobertaPieces);

}  // namespace bert
