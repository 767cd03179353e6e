// CamemBERT: RoBERTa with another name and another tokenizer.
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr std::string_view kCamembertAdditional[] = {"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"};
constexpr ScoredToken kCamembertLeading[] = {
    {"<s>NOTUSED", 0}, {"<pad>", 0}, {"</s>NOTUSED", 0}, {"<unk>", 0}, {"<unk>NOTUSED", -100}};

constexpr Family make_camembert() {
  Family camembert = make_sentencepiece_roberta(
      "camembert", "Camembert",
      {.leading = kCamembertLeading, .first_piece = 1, .mask_at_end = true, .unknown = UnknownPiece::kNamed});
  camembert.tokenizer.additional = kCamembertAdditional;
  camembert.tokenizer.mask_takes_space = true;
  return camembert;
}

}  // namespace

constinit const Family camembert_family = make_camembert();

}  // namespace bert
