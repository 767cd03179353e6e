#include "tasks/labels/label_request.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/model/model_impl.h"
#include "tasks/labels/label_reader.h"

namespace bert {
namespace {

// Returns nullptr if the model does not read labels for the task.
const LabelReader* find_label_reader(const Model::Impl& impl, LabelTask task) {
  const auto* reader = dynamic_cast<const LabelReader*>(impl.encoder.extension.get());
  return reader != nullptr && reader->can(task) ? reader : nullptr;
}

const LabelReader& label_reader(const Model& model, LabelTask task) {
  const Model::Impl& impl = ModelAccess::impl(model);
  if (const LabelReader* reader = find_label_reader(impl, task)) return *reader;
  const bool finds = task == LabelTask::kEntities;
  throw Error(ErrorCode::kUnsupported,
              impl.model_named() + " does not read labels for " +
                  (finds ? "entities, expected a GLiNER model" : "classes, expected a GLiClass model"));
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

// Keeps each label once, with its first name.
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

Matrix encode_labels(const Model& encoder, const std::vector<std::string>& labels, PoolingMode pooling) {
  Matrix vectors(labels.size(), encoder.config().hidden_size);
  const EmbedOptions plain{.pooling = pooling, .normalize = false, .prompt_text = ""};
  for (size_t i = 0; i < labels.size(); ++i) {
    const Encoding encoding = encoder.tokenizer().tokenize(labels[i], {.max_length = encoder.max_length()});
    const TokenSequence sequence = encoder.sequence(encoding);
    const std::vector<float> vector = encoder.embed({&sequence, 1}, plain);
    std::copy(vector.begin(), vector.end(), vectors.view().row(i));
  }
  return vectors;
}

PreparedLabels prepare(const Model& model, LabelTask task, LabelRequest request) {
  label_reader(model, task);
  check_request(request);
  drop_repeated(request);
  PreparedLabels labels;
  labels.task = task;
  labels.request = std::move(request);
  return labels;
}

}  // namespace

ConstMatrixView label_vectors(const Model& model, const PreparedLabels& labels) {
  const Model* encoder = ModelAccess::impl(model).second_encoder.get();
  if (encoder == nullptr) return {};
  const PoolingMode pooling = label_reader(model, labels.task).label_pooling().value();
  return labels.vectors->get([&] { return encode_labels(*encoder, labels.request.labels, pooling); });
}

PreparedLabels prepare_labels(const Model& model, LabelRequest request) {
  return prepare(model, LabelTask::kEntities, std::move(request));
}

PreparedLabels prepare_labels(const Model& model, ClassRequest request) {
  return prepare(
      model, LabelTask::kClasses,
      {.labels = std::move(request.labels), .names = std::move(request.names), .multi_label = request.multi_label});
}

Encoding tokenize_with_labels(const Model& model, std::string_view text, const PreparedLabels& labels,
                              const TokenizeOptions& options) {
  return label_reader(model, labels.task).tokenize(model.tokenizer(), text, labels, options);
}

std::vector<LabelWindow> label_windows(const Model& model, std::string_view text, const PreparedLabels& labels,
                                       const TokenizeOptions& options, bool fits_stride) {
  return label_windows(label_reader(model, labels.task), model.tokenizer(), text, labels, options, fits_stride);
}

void find_labels(const Model& model, std::span<const TokenSequence> batch, std::span<const Encoding* const> encodings,
                 std::span<const std::string_view> texts, const PreparedLabels& labels, const LabelResultSink& give) {
  // Computed before the pass, because the labels are encoded by their own passes, which would have to wait if all
  // passes that may run had begun.
  const ConstMatrixView vectors = label_vectors(model, labels);
  ForwardPass pass = ModelAccess::forward_pass(model, batch);
  label_reader(model, labels.task).run(pass, encodings, texts, labels, vectors, give);
}

bool reads_labels(const Model& model, LabelTask task) {
  return find_label_reader(ModelAccess::impl(model), task) != nullptr;
}

}  // namespace bert
