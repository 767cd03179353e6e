// The calls for one text.
#include <utility>

#include "bert/text_pipeline.h"
#include "models/pipeline/computation.h"

namespace bert {
namespace {

EncodedText encoded_text(TextResult result) {
  return {std::move(std::get<EncodedSequence>(result.output)), std::move(result.tokens.encoding),
          result.tokens.unknown_tokens, result.tokens.coarse_rows()};
}

}  // namespace

const TextVectors& TextResult::vectors() const {
  static const TextVectors kNone;
  const auto* made = std::get_if<TextVectors>(&output);
  return made != nullptr ? *made : kNone;
}

TextResult run_one(const Model& model, const TextTask& task, TextItem item, const TextOptions& options) {
  if (options.windows) throw Error(ErrorCode::kInvalidArgument, "windows of one text, expected a TextPipeline");
  if (item.error) throw *item.error;
  const std::unique_ptr<const Computation> computation = make_computation(model, task, options);
  std::any tag = std::move(item.tag);
  TextResult result = std::move(computation->cut(std::move(item)).front());
  if (result.error) throw *result.error;
  result.input.tag = std::move(tag);
  TextResult* const pass = &result;
  computation->run({&pass, 1});
  if (result.error) throw *result.error;
  return result;
}

EncodedText Model::encode(std::string_view text, const EncodeOptions& options) const {
  return encoded_text(run_one(*this, options, {.text = std::string(text)}));
}

EncodedText Model::encode(std::string_view text, std::string_view pair, const EncodeOptions& options) const {
  return encoded_text(run_one(*this, options, {.text = std::string(text), .pair = std::string(pair)}));
}

std::vector<float> Model::embed(std::string_view text, const EmbedOptions& options) const {
  return vectors(text, VectorRequest{.dense = options}).dense;
}

TextVectors Model::vectors(std::string_view text, const VectorRequest& request) const {
  return run_one(*this, request, {.text = std::string(text)}, {.tokenize = ids_alone(*this, request)}).vectors();
}

}  // namespace bert
