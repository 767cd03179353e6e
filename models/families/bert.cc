#include "models/families/bert.h"

namespace bert {
namespace {

constexpr std::string_view kSameAsBert[] = {"LayoutLM", "Lxmert", "DPRContextEncoder", "DPRQuestionEncoder"};

constexpr Family make_bert() {
  Family bert = kBert;
  bert.tokenizer.same_classes = kSameAsBert;
  return bert;
}

}  // namespace

constinit const Family bert_family = make_bert();

}  // namespace bert
