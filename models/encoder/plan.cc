#include "models/encoder/plan.h"

#include <algorithm>

namespace bert {

const HeadSpec* EncoderPlan::find(Head head) const {
  const auto found = std::find_if(heads.begin(), heads.end(), [&](const HeadSpec& spec) { return spec.head == head; });
  return found == heads.end() ? nullptr : &*found;
}

size_t wide_columns(const EncoderPlan& plan) {
  size_t columns = plan.embeddings.projection ? plan.embeddings.width() : 0;
  if (plan.convolution) columns = std::max(columns, plan.convolution->dense.parts.front().weight.cols);
  for (const LayerSpec& layer : plan.layers) {
    columns = std::max({columns, layer.attention.qkv.outs(), layer.feed_forward.wide_columns()});
  }
  for (const HeadSpec& head : plan.heads) {
    for (const Linear& dense : head.layers.dense) columns = std::max(columns, dense.outs());
  }
  return columns;
}

size_t int8_inputs(const EncoderPlan& plan) {
  size_t inputs = 0;
  const auto count = [&](const Linear& linear) {
    for (const LinearPart& part : linear.parts) {
      if (part.weight.scales != nullptr) inputs = std::max(inputs, part.weight.cols);
    }
  };
  if (plan.embeddings.projection) count(*plan.embeddings.projection);
  for_each_layer_product(plan, count);
  if (plan.pooler) count(plan.pooler->dense);
  for (const HeadSpec& head : plan.heads) {
    for (const Linear& dense : head.layers.dense) count(dense);
    count(head.layers.output);
  }
  return inputs;
}

WorkspaceShape workspace_shape(const EncoderPlan& plan, size_t tokens, size_t longest, size_t span, size_t threads) {
  if (plan.layers.empty()) return {.tokens = tokens, .hidden = plan.embeddings.width(), .threads = threads};
  const SelfAttention& attention = plan.layers.front().attention;
  // A router's probabilities are made as attention's are, of as many keys as there are experts.
  size_t keys = longest;
  for (const LayerSpec& layer : plan.layers) {
    if (layer.feed_forward.experts) keys = std::max(keys, layer.feed_forward.experts->router.outs());
  }
  return {.tokens = tokens,
          .longest = keys,
          .span = attention.relative ? span : 0,
          .hidden = plan.layers.front().attention_output.outs(),
          .heads = attention.outputs(),
          .wide = wide_columns(plan),
          .head_dim = attention.head_dim,
          .rotary_tables = plan.rotary.size(),
          .keeps_input = plan.convolution.has_value(),
          .threads = threads,
          .int8_inputs = int8_inputs(plan)};
}

std::string_view name(Head head) {
  switch (head) {
    case Head::kMaskedLm:
      return "masked LM";
    case Head::kSequenceClassification:
      return "sequence classification";
    case Head::kTokenClassification:
      return "token classification";
    case Head::kQuestionAnswering:
      return "question answering";
    case Head::kNextSentence:
      return "next sentence";
    case Head::kMultipleChoice:
      return "multiple choice";
    case Head::kReplacedTokens:
      return "replaced tokens";
  }
  return "";
}

}  // namespace bert
