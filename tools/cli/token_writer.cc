#include "tools/cli/token_writer.h"

#include <vector>

#include "tools/cli/npy.h"
#include "tools/cli/results.h"

namespace bert::cli {
namespace {

// The texts of the tokens that have vectors; ids where the model has no tokenizer.
std::vector<int32_t> ids_of(const Sequence& sequence) {
  std::vector<int32_t> ids;
  for (const uint32_t token : sequence.token_vectors.tokens) ids.push_back(sequence.encoding.ids[token]);
  return ids;
}

class JsonTokens : public EmbedWriter {
 public:
  JsonTokens(Output& output, JsonResults::Layout layout, const Model& model, TextRole role)
      : results_(output, layout), model_(model), role_(role) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return results_.add(error_object(sequence));
    JsonObject object = begin_result(sequence);
    object.string("role", name(role_));
    const std::vector<int32_t> ids = ids_of(sequence);
    if (model_.has_tokenizer()) {
      append_list(object.member("tokens"), ids,
                  [&](std::string& text, int32_t id) { append_string(text, model_.tokenizer().token(id)); });
    }
    object.numbers<int32_t>("ids", ids);
    const TokenVectors& vectors = sequence.token_vectors;
    const size_t shape[] = {ids.size(), vectors.size};
    append_tensor(object.member("vectors"), vectors.values, shape);
    if (sequence.from_text) add_token_counts(object, sequence);
    results_.add(object.take());
  }

  void finish() override { results_.finish(); }

 private:
  JsonResults results_;
  const Model& model_;
  TextRole role_;
};

class NpzTokens : public EmbedWriter {
 public:
  explicit NpzTokens(Output& output) : results_(output) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return results_.add(error_arrays(sequence));
    const TokenVectors& vectors = sequence.token_vectors;
    const std::vector<int32_t> ids = ids_of(sequence);
    results_.add({make_array("ids", std::span<const int32_t>(ids), {ids.size()}),
                  make_array("vectors", std::span<const float>(vectors.values), {ids.size(), vectors.size})});
  }

  void finish() override { results_.finish(); }

 private:
  NpzResults results_;
};

}  // namespace

std::unique_ptr<EmbedWriter> make_token_writer(Output& output, const std::string& format, const Model& model,
                                               TextRole role) {
  if (format == "npz") return std::make_unique<NpzTokens>(output);
  const auto layout = format == "json" ? JsonResults::Layout::kDocument : JsonResults::Layout::kLines;
  return std::make_unique<JsonTokens>(output, layout, model, role);
}

}  // namespace bert::cli
