// Token vectors of a late-interaction model.

#include "bert/token_vectors.h"
#include "models/encoder/finite.h"
#include "models/model/model_impl.h"
#include "models/model/resolved_request.h"

namespace bert {
namespace {

const LateInteraction& need_late(const Model& model) {
  const Model::Impl& impl = ModelAccess::impl(model);
  if (impl.sentence.late) return *impl.sentence.late;
  throw Error(ErrorCode::kNotFound, impl.model_named() +
                                        " makes no token vectors, expected a late-interaction model: ColBERT's files, "
                                        "PyLate's, those of a MultiVectorEncoder, or colbert_linear/, which "
                                        "tools/convert_weights.py makes of BGE-M3's colbert_linear.pt");
}

}  // namespace

bool makes_token_vectors(const Model& model) { return ModelAccess::impl(model).sentence.late.has_value(); }

TokenVectorSettings token_vector_settings(const Model& model) {
  const LateInteraction& late = need_late(model);
  const Model::Impl& impl = ModelAccess::impl(model);
  return {.size = impl.sentence.token_modules->token_width(),
          .modules = impl.sentence.token_modules->descriptions(),
          .query = late.settings(TextRole::kQuery),
          .document = late.settings(TextRole::kDocument),
          .mean_score = late.mean_score()};
}

RoleEncoding tokenize(const Model& model, std::string_view text, TextRole role, const TokenizeOptions& options) {
  return need_late(model).tokenize(model.tokenizer(), text, role, options);
}

TokenSequence sequence(const Model& model, const RoleEncoding& encoding) {
  return sequence_by_role(model, encoding.encoding, encoding.unattended);
}

TokenSequence sequence_by_role(const Model& model, const Encoding& encoding, size_t unattended) {
  TokenSequence sequence = model.sequence(encoding);
  sequence.attention_mask = {};
  sequence.unattended = unattended;
  return sequence;
}

std::vector<TokenVectors> token_vectors(const Model& model, ForwardPass& pass, std::span<const TextRole> roles) {
  const Model::Impl& impl = ModelAccess::impl(model);
  const Matrix all = impl.sentence.token_modules->forward_tokens(pass);
  const RaggedBatch& rows = pass.batch();
  check_finite(rows, all.view(), pass.context().pool);
  std::vector<TokenVectors> results(rows.sequences());
  for (size_t i = 0; i < results.size(); ++i) {
    TokenVectors& result = results[i];
    result.size = all.view().cols;
    for (size_t row = rows.row_starts[i]; row < rows.row_starts[i + 1]; ++row) {
      const auto place = static_cast<uint32_t>(rows.places[row]);
      if (!impl.sentence.late->has_vector(rows.ids[row], place, roles[i])) continue;
      const float* values = all.view().row(row);
      result.values.insert(result.values.end(), values, values + result.size);
      result.tokens.push_back(place);
    }
  }
  return results;
}

}  // namespace bert
