// Late chunking: a text is read whole, and the vector of each chunk is made of the chunk's tokens.
#include <utility>

#include "models/model/resolved_request.h"
#include "models/pipeline/computations.h"
#include "models/pipeline/text_sequences.h"
#include "models/text/chunker.h"

namespace bert {
namespace {

TextRules with_offsets(const TextRules& rules) {
  if (rules.windows) throw Error(ErrorCode::kInvalidArgument, "windows of texts in chunks, expected whole texts");
  TextRules changed = rules;
  changed.tokenize.only_ids = false;
  return changed;
}

class ChunkVectors : public Computation {
 public:
  ChunkVectors(const Model& model, const VectorRequest& request, const TextRules& rules)
      : Computation(model),
        request_(resolve(model, request)),
        sequences_(model, with_offsets(rules), request_.prompt) {}

  void run(std::span<TextResult* const> pass) const override {
    std::vector<std::vector<TextChunk>> chunks;
    for (const TextResult* result : pass) chunks.push_back(result->vectors().chunks);
    give(pass, vectors_of_chunks(*model(), *request_.dense, batch_of(pass), chunks));
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

ComputationPtr chunk_vectors(const Model& model, const VectorRequest& request, const TextRules& rules) {
  return std::make_unique<ChunkVectors>(model, request, rules);
}

}  // namespace bert
