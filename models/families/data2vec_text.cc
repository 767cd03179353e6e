// data2vec-text: RoBERTa with another name.
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr std::string_view kData2VecPrefixes[] = {"", "data2vec_text.", "model.", "0.auto_model."};

constexpr Family make_data2vec_text() {
  Family family = make_roberta();
  family.model_type = "data2vec-text";
  family.class_prefix = "Data2VecText";
  family.names_sentence_file = false;
  family.tokenizer.usual = false;
  family.defaults.vocab_size = 30522;
  family.weights.prefixes = kData2VecPrefixes;
  return family;
}

}  // namespace

constinit const Family data2vec_text_family = make_data2vec_text();

}  // namespace bert
