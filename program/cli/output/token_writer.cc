#include "program/cli/output/token_writer.h"

#include <vector>

#include "program/cli/output/npy.h"
#include "program/cli/output/results.h"

namespace bert::cli {
namespace {

// The texts of the tokens that have vectors; their ids if the model has no tokenizer.
std::vector<int32_t> ids_of(const Sequence& sequence) {
  std::vector<int32_t> ids;
  for (const uint32_t token : sequence.vectors().tokens.tokens) ids.push_back(sequence.tokens.encoding.ids[token]);
  return ids;
}

class NpzTokens : public EmbedWriter {
 public:
  explicit NpzTokens(Output& output) : results_(output) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return results_.add(error_arrays(sequence));
    const TokenVectors& vectors = sequence.vectors().tokens;
    const std::vector<int32_t> ids = ids_of(sequence);
    results_.add({make_array("ids", std::span<const int32_t>(ids), {ids.size()}),
                  make_array("vectors", std::span<const float>(vectors.values), {ids.size(), vectors.size})});
  }

  void finish() override { results_.finish(); }

 private:
  NpzResults results_;
};

}  // namespace

AddVectors add_tokens(const Model& model) {
  return [&model](JsonWriter& object, const Sequence& sequence) {
    const std::vector<int32_t> ids = ids_of(sequence);
    if (model.has_tokenizer()) {
      append_list(object.member("tokens"), ids,
                  [&](std::string& text, int32_t id) { append_string(text, model.tokenizer().token(id)); });
    }
    object.numbers<int32_t>("ids", ids);
    const TokenVectors& vectors = sequence.vectors().tokens;
    const size_t shape[] = {ids.size(), vectors.size};
    append_tensor(object.member("vectors"), vectors.values, shape);
  };
}

std::unique_ptr<EmbedWriter> make_token_writer(Output& output, OutputFormat format, const Model& model, TextRole role) {
  if (format == OutputFormat::kNpz) return std::make_unique<NpzTokens>(output);
  const auto add_role = [role](JsonWriter& object, const Sequence&) { object.string("role", name(role)); };
  return make_json_writer(output, format, {add_role, add_tokens(model)});
}

}  // namespace bert::cli
