// XLM-RoBERTa: RoBERTa with another name and another tokenizer.
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr ScoredToken kXlmRobertaLeading[] = {{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}};

}  // namespace

constinit const Family xlm_roberta_family =
    make_sentencepiece_roberta("xlm-roberta", "XLMRoberta",
                               {.leading = kXlmRobertaLeading, .first_piece = 3, .mask_at_end = true, .unknown_id = 3});

}  // namespace bert
