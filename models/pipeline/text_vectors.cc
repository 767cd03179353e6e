// Vectors of texts and of their chunks: dense, sparse, of tokens, or several kinds from one pass.
#include <algorithm>
#include <utility>

#include "bert/token_vectors.h"
#include "models/model/resolved_request.h"
#include "models/pipeline/computations.h"
#include "models/pipeline/text_sequences.h"
#include "models/text/chunker.h"

namespace bert {
namespace {

class VectorsOfTexts : public Computation {
 public:
  VectorsOfTexts(const Model& model, const VectorRequest& request, const TextRules& rules)
      : Computation(model),
        request_(resolve(model, request)),
        sequences_(model, rules, request_.prompt),
        by_role_(rules.tokenize),
        windows_(rules.windows) {}

  TokenSequence sequence(const TextResult& result) const override {
    if (!result.tokens.from_text || !request_.role) return Computation::sequence(result);
    return sequence_by_role(*model(), result.tokens.encoding, result.tokens.unattended);
  }
  void run(std::span<TextResult* const> pass) const override {
    std::vector<TextRole> roles;
    for (const TextResult* result : pass) roles.push_back(result->input.role);
    set_outputs(pass, vectors_of(*model(), request_, batch_of(pass), roles));
  }
  bool shares_passes_with(const Computation& other) const override {
    return request_.has_same_kinds(static_cast<const VectorsOfTexts&>(other).request_);
  }

 private:
  std::vector<TextResult> sequences(TextItem& item) const override {
    if (item.ids || !request_.role) return sequences_.of(item);
    if (item.pair) throw Error(ErrorCode::kInvalidArgument, "a pair, expected one text: it has token vectors alone");
    const TextRole role = item.role.value_or(*request_.role);
    std::vector<TextResult> results;
    for (const std::string_view part : parts_of(item.text, role)) {
      TextResult& result = results.emplace_back();
      if (windows_) result.input.window = results.size() - 1;
      result.input.role = role;
      RoleEncoding encoded = tokenize(*model(), part, role, by_role_);
      result.tokens.encoding = std::move(encoded.encoding);
      result.tokens.unattended = encoded.unattended;
    }
    results[0].input.text = std::move(item.text);
    return results;
  }

  // A query is not divided, as in the model's own library.
  std::vector<std::string_view> parts_of(std::string_view text, TextRole role) const {
    if (!windows_ || role == TextRole::kQuery) return {text};
    const size_t most = token_vector_settings(*model()).document.max_length;
    TokenizeOptions options = by_role_;
    options.max_length = options.max_length == 0 ? most : std::min(options.max_length, most);
    return document_windows(model()->tokenizer(), text, options, [&](std::string_view part) {
      const Encoding encoding = tokenize(*model(), part, role, by_role_).encoding;
      return encoding.size() + encoding.truncated_tokens;
    });
  }

  const ResolvedRequest request_;
  const TextSequences sequences_;
  const TokenizeOptions by_role_;  // max_length 0: the role's own limit
  const bool windows_;
};

TextRules with_offsets(const TextRules& rules) {
  if (rules.windows) throw Error(ErrorCode::kInvalidArgument, "windows of texts in chunks, expected whole texts");
  TextRules changed = rules;
  changed.tokenize.only_ids = false;
  return changed;
}

// Late chunking: a text is read whole, and the vector of each chunk is made of the chunk's tokens.
class ChunkVectors : public Computation {
 public:
  ChunkVectors(const Model& model, const VectorRequest& request, const TextRules& rules)
      : Computation(model),
        request_(resolve(model, request)),
        sequences_(model, with_offsets(rules), request_.prompt) {}

  void run(std::span<TextResult* const> pass) const override {
    std::vector<std::vector<TextChunk>> chunks;
    for (const TextResult* result : pass) chunks.push_back(result->vectors().chunks);
    set_outputs(pass, vectors_of_chunks(*model(), *request_.dense, batch_of(pass), chunks));
  }
  bool shares_passes_with(const Computation& other) const override {
    return request_.has_same_kinds(static_cast<const ChunkVectors&>(other).request_);
  }

 private:
  std::vector<TextResult> sequences(TextItem& item) const override {
    if (item.ids) throw Error(ErrorCode::kInvalidArgument, "ids, expected a text: it is divided into chunks");
    if (item.pair) throw Error(ErrorCode::kInvalidArgument, "a pair, expected a text: it is divided");
    std::vector<TextResult> results = sequences_.of(item);
    TextResult& whole = results[0];
    whole.output = TextVectors{.chunks = chunks_of(whole.tokens.encoding, whole.input.text, request_.prompt.size(),
                                                   *request_.chunks, item.spans)};
    return results;
  }

  const ResolvedRequest request_;
  const TextSequences sequences_;
};

}  // namespace

ComputationPtr computation_of(const Model& model, const VectorRequest& request, const TextRules& rules) {
  if (request.chunks) return std::make_unique<ChunkVectors>(model, request, rules);
  return std::make_unique<VectorsOfTexts>(model, request, rules);
}

}  // namespace bert
