#include "models/encoder/plan.h"

#include <algorithm>

namespace bert {
namespace {

// Calls use(weight) for each weight of a product.
template <class Use>
void for_each_weight(const EncoderPlan& plan, const Use& use) {
  const auto use_all = [&](const Linear& linear) {
    for (const LinearPart& part : linear.parts) use(part.weight);
  };
  if (plan.embeddings.projection) use_all(*plan.embeddings.projection);
  if (plan.embeddings.word_projection) use_all(*plan.embeddings.word_projection);
  for_each_layer_product(plan, use_all);
  if (plan.pooler) use_all(plan.pooler->dense);
  for (const HeadSpec& head : plan.heads) {
    for (const Linear& dense : head.layers.dense) use_all(dense);
    use_all(head.layers.output);
  }
}

}  // namespace

const HeadSpec* EncoderPlan::find(Head head) const {
  const auto found = std::find_if(heads.begin(), heads.end(), [&](const HeadSpec& spec) { return spec.head == head; });
  return found == heads.end() ? nullptr : &*found;
}

size_t wide_columns(const EncoderPlan& plan) {
  size_t columns = plan.embeddings.projection ? plan.embeddings.width() : 0;
  if (plan.embeddings.word_projection) columns = plan.embeddings.word_projection->parts.front().weight.cols;
  if (plan.convolution) columns = std::max(columns, plan.convolution->dense.parts.front().weight.cols);
  for (const LayerSpec& layer : plan.layers) {
    columns = std::max(columns, layer.attention.wide_columns());
    for (const FeedForwardBlock& block : layer.feed_forwards) columns = std::max(columns, block.network.wide_columns());
  }
  for (const HeadSpec& head : plan.heads) {
    for (const Linear& dense : head.layers.dense) columns = std::max(columns, dense.outs());
  }
  return columns;
}

bool has_8_bit_products(const EncoderPlan& plan) {
  bool found = false;
  for_each_weight(plan, [&](const WeightView& weight) { found = found || weight.scales != nullptr; });
  return found;
}

size_t prepared_inputs(const EncoderPlan& plan) {
  size_t inputs = 0;
  for_each_weight(plan, [&](const WeightView& weight) {
    if (weight.has_prepared_rows()) inputs = std::max(inputs, weight.cols);
  });
  return inputs;
}

WorkspaceShape workspace_shape(const EncoderPlan& plan, size_t tokens, size_t longest, size_t span, size_t threads) {
  if (plan.layers.empty()) return {.tokens = tokens, .hidden = plan.embeddings.width(), .threads = threads};
  const SelfAttention& attention = plan.layers.front().attention;
  // The probabilities of routers and convolutions are computed by attention's kernel, with as many keys as they have.
  size_t keys = longest, outputs = 0;
  const std::optional<SpanConvolution>& convolution = plan.layers.front().convolution;
  if (convolution) keys = std::max(keys, convolution->width);
  size_t beside = convolution ? convolution->columns(plan.layers.front().hidden()) : 0;
  if (plan.layers.front().bottleneck) beside = plan.layers.front().bottleneck->width();
  for (const LayerSpec& layer : plan.layers) {
    outputs = std::max(outputs, layer.mixed_outputs());
    for (const auto& [before, network, of_output, after] : layer.feed_forwards) {
      if (network.experts) keys = std::max(keys, network.experts->router.outs());
    }
  }
  return {.tokens = tokens,
          .longest = keys,
          .span = attention.relative ? span : 0,
          .hidden = plan.layers.front().hidden(),
          .heads = outputs,
          .wide = wide_columns(plan),
          .head_dim = attention.head_dim,
          .rotary_tables = plan.rotary.size(),
          .keeps_input = plan.convolution.has_value(),
          .beside = beside,
          .threads = threads,
          .prepared_inputs = prepared_inputs(plan)};
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
