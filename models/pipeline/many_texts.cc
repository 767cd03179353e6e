// The calls for many texts: runs of a TextPipeline whose results are collected.
#include <algorithm>
#include <limits>
#include <utility>

#include "bert/text_pipeline.h"
#include "models/pipeline/computation.h"

namespace bert {
namespace {

TextReport report_of(const TextResult& result) {
  return {result.tokens.encoding.size(), result.tokens.encoding.truncated_tokens, result.tokens.unknown_tokens,
          result.tokens.coarse_rows(), result.error};
}

TextOptions options_of(const Model& model, const VectorRequest& request, const ProgressCallback& progress,
                       Truncation truncation) {
  TextOptions options{.tokenize = ids_alone(model, request), .progress = progress};
  options.tokenize->truncation = truncation;
  return options;
}

// Moves out the outputs; a failed text has an empty one.
template <class Output>
Output take(TextResult& result) {
  auto* const made = std::get_if<Output>(&result.output);
  return made != nullptr ? std::move(*made) : Output{};
}

}  // namespace

std::vector<EncodedText> Model::encode(std::span<const std::string_view> texts, const EncodeOptions& options,
                                       const ProgressCallback& progress) const {
  Texts source(texts);
  TextPipeline pipeline(*this, options, source, {.progress = progress});
  std::vector<EncodedText> all;
  all.reserve(texts.size());
  for (TextResult result; pipeline.next(result);) {
    all.push_back({take<EncodedSequence>(result), std::move(result.tokens.encoding), result.tokens.unknown_tokens,
                   result.tokens.coarse_rows(), std::move(result.error)});
  }
  return all;
}

EmbeddedTexts Model::embed(std::span<const std::string_view> texts, const EmbedOptions& options,
                           const ProgressCallback& progress) const {
  EmbeddedTexts all;
  all.vectors.resize(texts.size() * embedding_size(options));
  all.reports.resize(texts.size());
  embed(texts, all.vectors, all.reports, options, progress);
  return all;
}

void Model::embed(std::span<const std::string_view> texts, std::span<float> vectors, std::span<TextReport> reports,
                  const EmbedOptions& options, const ProgressCallback& progress, Truncation truncation) const {
  const size_t size = embedding_size(options);
  if (vectors.size() != texts.size() * size || reports.size() != texts.size()) {
    throw Error(ErrorCode::kInvalidArgument, "memory for " + std::to_string(vectors.size()) + " floats and " +
                                                 std::to_string(reports.size()) + " reports, expected " +
                                                 std::to_string(texts.size() * size) + " and " +
                                                 std::to_string(texts.size()));
  }
  std::fill(vectors.begin(), vectors.end(), std::numeric_limits<float>::quiet_NaN());
  std::fill(reports.begin(), reports.end(),
            TextReport{.error = Error(ErrorCode::kCancelled, "not computed: the run was cancelled")});
  Texts source(texts);
  const VectorRequest request{.dense = options};
  TextPipeline pipeline(*this, request, source, options_of(*this, request, progress, truncation));
  for (TextResult result; pipeline.next(result);) {
    std::copy(result.vectors().dense.begin(), result.vectors().dense.end(),
              vectors.subspan(result.input.index * size).begin());
    reports[result.input.index] = report_of(result);
  }
}

VectorTexts Model::vectors(std::span<const std::string_view> texts, const VectorRequest& request,
                           const ProgressCallback& progress, Truncation truncation) const {
  Texts source(texts);
  TextPipeline pipeline(*this, request, source, options_of(*this, request, progress, truncation));
  VectorTexts all;
  for (TextResult result; pipeline.next(result);) {
    all.vectors.push_back(take<TextVectors>(result));
    all.reports.push_back(report_of(result));
  }
  return all;
}

}  // namespace bert
