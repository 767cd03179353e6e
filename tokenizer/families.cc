#include "tokenizer/families.h"

#include <algorithm>
#include <string>

namespace bert {
namespace {

using enum TokenizerFiles;

TokenizerFamily bert_like(std::string_view class_name, std::string_view model_type) {
  return {.class_name = class_name,
          .model_type = model_type,
          .files = kWordPiece,
          .unknown = "[UNK]",
          .separator = "[SEP]",
          .padding = "[PAD]",
          .classifier = "[CLS]",
          .mask = "[MASK]"};
}

// <s> A </s> </s> B </s>
TokenizerFamily doubly_separated(std::string_view class_name, std::string_view model_type, TokenizerFiles files) {
  return {.class_name = class_name,
          .model_type = model_type,
          .files = files,
          .unknown = "<unk>",
          .separator = "</s>",
          .padding = "<pad>",
          .classifier = "<s>",
          .mask = "<mask>",
          .mask_takes_space = true,
          .template_kind = TemplateKind::kDoubleSeparator};
}

std::vector<TokenizerFamily> make_families() {
  TokenizerFamily mpnet = doubly_separated("MPNet", "mpnet", kWordPiece);
  mpnet.unknown = "[UNK]";
  mpnet.template_kind = TemplateKind::kDoubleSeparatorTyped;

  TokenizerFamily xlm_roberta = doubly_separated("XLMRoberta", "xlm-roberta", kSentencePiece);
  xlm_roberta.pieces = {
      .leading = {{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}}, .first_piece = 3, .mask_at_end = true};

  TokenizerFamily camembert = doubly_separated("Camembert", "camembert", kSentencePiece);
  camembert.additional = {"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"};
  camembert.pieces = {
      .leading = {{"<s>NOTUSED", 0}, {"<pad>", 0}, {"</s>NOTUSED", 0}, {"<unk>", 0}, {"<unk>NOTUSED", -100}},
      .first_piece = 1,
      .mask_at_end = true};

  TokenizerFamily albert = bert_like("Albert", "albert");
  albert.files = kSentencePiece;
  albert.unknown = "<unk>";
  albert.padding = "<pad>";
  albert.mask_takes_space = true;
  albert.pieces = {.leading = {}, .prepared = true};

  return {bert_like("Bert", "bert"),
          bert_like("DistilBert", "distilbert"),
          bert_like("Electra", "electra"),
          mpnet,
          doubly_separated("Roberta", "roberta", kByteLevelBpe),
          xlm_roberta,
          camembert,
          albert};
}

template <typename Is>
const TokenizerFamily* find_family(const Is& is) {
  const auto families = tokenizer_families();
  const auto found = std::find_if(families.begin(), families.end(), is);
  return found == families.end() ? nullptr : &*found;
}

}  // namespace

const std::string_view kDoubleSeparatorProcessing = "RobertaProcessing";

std::span<const TokenizerFamily> tokenizer_families() {
  static const std::vector<TokenizerFamily> families = make_families();
  return families;
}

const TokenizerFamily* family_of_class(std::string_view tokenizer_class) {
  return find_family([&](const TokenizerFamily& family) {
    const std::string slow = std::string(family.class_name) + "Tokenizer";
    return tokenizer_class == slow || tokenizer_class == slow + "Fast";
  });
}

const TokenizerFamily* family_of_model(std::string_view model_type) {
  return find_family([&](const TokenizerFamily& family) { return family.model_type == model_type; });
}

const TokenizerFamily* default_family(TokenizerFiles files) {
  switch (files) {
    case kWordPiece:
      return family_of_model("bert");
    case kByteLevelBpe:
      return family_of_model("roberta");
    default:
      return nullptr;
  }
}

}  // namespace bert
