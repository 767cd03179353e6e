#include "models/model/label_request.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/model/model_impl.h"

namespace bert {
namespace {

const Gliner& label_reader(const Model& model) {
  const Model::Impl& impl = ModelAccess::impl(model);
  if (impl.encoder.gliner != nullptr) return *impl.encoder.gliner;
  throw Error(ErrorCode::kUnsupported, impl.model_named() + " does not read labels, expected a GLiNER model");
}

[[noreturn]] void refuse_request(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

void check_request(const LabelRequest& request) {
  if (request.labels.empty()) refuse_request("no labels, expected at least one");
  if (!request.names.empty() && request.names.size() != request.labels.size()) {
    refuse_request(std::to_string(request.names.size()) + " names of labels, expected " +
                   std::to_string(request.labels.size()) + ", one for each");
  }
  if (std::find(request.labels.begin(), request.labels.end(), "") != request.labels.end()) {
    refuse_request("an empty label, expected text in each");
  }
  if (request.labels.size() > LabelRequest::kMaxLabels) {
    refuse_request(std::to_string(request.labels.size()) + " labels, expected at most " +
                   std::to_string(LabelRequest::kMaxLabels));
  }
  if (!(request.threshold >= 0 && request.threshold <= 1)) {
    refuse_request("threshold " + std::to_string(request.threshold) + ", expected 0 to 1");
  }
}

// Each label once, with the name that it had first.
void drop_repeated(LabelRequest& request) {
  LabelRequest once = request;
  once.labels.clear();
  once.names.clear();
  for (size_t i = 0; i < request.labels.size(); ++i) {
    if (std::find(once.labels.begin(), once.labels.end(), request.labels[i]) != once.labels.end()) continue;
    once.labels.push_back(request.labels[i]);
    if (!request.names.empty()) once.names.push_back(request.names[i]);
  }
  request = std::move(once);
}

Matrix encode_labels(const Model& encoder, const std::vector<std::string>& labels) {
  Matrix vectors(labels.size(), encoder.config().hidden_size);
  const EmbedOptions mean{.pooling = PoolingMode::kMean, .normalize = false, .prompt_text = ""};
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::vector<float> vector = encoder.embed(labels[i], mean);
    std::copy(vector.begin(), vector.end(), vectors.view().row(i));
  }
  return vectors;
}

}  // namespace

ConstMatrixView label_vectors(const Model& model, const PreparedLabels& labels) {
  const Model* encoder = ModelAccess::impl(model).label_encoder.get();
  if (encoder == nullptr) return {};
  return labels.vectors->get([&] { return encode_labels(*encoder, labels.request.labels); });
}

PreparedLabels prepare_labels(const Model& model, LabelRequest request) {
  label_reader(model);
  check_request(request);
  drop_repeated(request);
  PreparedLabels labels;
  labels.request = std::move(request);
  return labels;
}

Encoding tokenize_with_labels(const Model& model, std::string_view text, const PreparedLabels& labels,
                              const TokenizeOptions& options) {
  return label_reader(model).tokenize(model.tokenizer(), text, labels.request, options);
}

std::vector<std::vector<Entity>> entities_of(const Model& model, std::span<const TokenSequence> batch,
                                             std::span<const Encoding* const> encodings,
                                             std::span<const std::string_view> texts, const PreparedLabels& labels) {
  ForwardPass pass = ModelAccess::impl(model).forward_pass(batch);
  pass.run();
  return label_reader(model).entities(pass, encodings, texts, labels.request, label_vectors(model, labels));
}

bool reads_labels(const Model& model) { return ModelAccess::impl(model).encoder.gliner != nullptr; }

std::vector<Entity> find_entities(const Model& model, std::string_view text, const LabelRequest& request) {
  const PreparedLabels labels = prepare_labels(model, request);
  const Encoding encoding = tokenize_with_labels(model, text, labels, {.max_length = model.max_length()});
  const TokenSequence sequence = model.sequence(encoding);
  const Encoding* const encodings[] = {&encoding};
  return std::move(entities_of(model, {&sequence, 1}, encodings, {&text, 1}, labels)[0]);
}

}  // namespace bert
