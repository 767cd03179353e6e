// Vectors of texts: dense, sparse, of tokens, or several of one pass.
#include <utility>

#include "bert/token_vectors.h"
#include "models/model/resolved_request.h"
#include "models/pipeline/computations.h"
#include "models/pipeline/text_sequences.h"

namespace bert {
namespace {

class VectorsOfTexts : public Computation {
 public:
  VectorsOfTexts(const Model& model, const VectorRequest& request, const TextRules& rules)
      : Computation(model),
        request_(resolve(model, request)),
        sequences_(model, rules, request_.prompt),
        by_role_(rules.tokenize) {
    if (!request_.role) return;
    if (rules.windows) throw Error(ErrorCode::kInvalidArgument, "windows of token vectors, expected whole texts");
  }

  TokenSequence sequence(const TextResult& result) const override {
    if (!result.from_text || !request_.role) return Computation::sequence(result);
    return sequence_by_role(*model(), result.encoding, result.unattended);
  }
  void run(std::span<TextResult* const> pass) const override {
    std::vector<TextRole> roles;
    for (const TextResult* result : pass) roles.push_back(result->role);
    give(pass, vectors_of(*model(), request_, batch_of(pass), roles), &TextResult::vectors);
  }
  bool shares_passes_with(const Computation& other) const override {
    return request_.has_same_kinds(static_cast<const VectorsOfTexts&>(other).request_);
  }

 private:
  std::vector<TextResult> sequences(TextItem& item) const override {
    if (item.ids || !request_.role) return sequences_.of(item);
    if (item.pair) throw Error(ErrorCode::kInvalidArgument, "a pair, expected one text: it has token vectors alone");
    std::vector<TextResult> results(1);
    TextResult& result = results[0];
    result.role = item.role.value_or(*request_.role);
    RoleEncoding encoded = tokenize(*model(), item.text, result.role, by_role_);
    result.encoding = std::move(encoded.encoding);
    result.unattended = encoded.unattended;
    result.text = std::move(item.text);
    return results;
  }

  const ResolvedRequest request_;
  const TextSequences sequences_;
  const TokenizeOptions by_role_;  // max_length 0: the role's own
};

}  // namespace

ComputationPtr computation_of(const Model& model, const VectorRequest& request, const TextRules& rules) {
  if (request.chunks) return chunk_vectors(model, request, rules);
  return std::make_unique<VectorsOfTexts>(model, request, rules);
}

}  // namespace bert
