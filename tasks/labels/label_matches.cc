// Finds entities and classes by labels, which the encoder reads with each text.
#include <memory>
#include <type_traits>
#include <utility>

#include "bert/offsets.h"
#include "models/pipeline/computation.h"
#include "models/pipeline/text_sequences.h"
#include "tasks/labels/label_request.h"
#include "tasks/labels/label_results.h"

namespace bert {
namespace {

class LabelMatches : public Computation {
 public:
  LabelMatches(const Model& model, PreparedLabels labels, const TextRules& rules)
      : Computation(model),
        labels_(std::move(labels)),
        tokenize_(rules.tokenize),
        windows_(rules.windows),
        fits_stride_(rules.fits_stride),
        reserve_(rules.reserve) {}

  void run(std::span<TextResult* const> pass) const override {
    std::vector<const Encoding*> encodings;
    std::vector<std::string_view> texts;
    for (const TextResult* result : pass) {
      encodings.push_back(&result->tokens.encoding);
      texts.push_back(text_of(*result));
    }
    find_labels(*model(), batch_of(pass), encodings, texts, labels_,
                [&](size_t i, const LabelResult& found) { store(found, *pass[i]); });
  }
  bool reads_texts() const override { return true; }
  bool shares_passes_with(const Computation& other) const override {
    const PreparedLabels& labels = static_cast<const LabelMatches&>(other).labels_;
    return labels_.task == labels.task && labels_.request == labels.request;
  }

 private:
  static std::string_view text_of(const TextResult& result) {
    return result.input.part ? result.input.part->text : result.input.text;
  }

  // Labels' names are copied only here, once there is memory for them.
  void store(const LabelResult& found, TextResult& result) const {
    const std::vector<std::string>& names = shown_names(labels_.request);
    const OutputSize size{found.entities.size() + found.classes.size(), named_bytes(found, names)};
    if (reserve_ && !reserve_(result, size)) {
      result.error.emplace(ErrorCode::kOutOfMemory,
                           "not enough memory for the " + std::to_string(size.items) + " results of this text");
      return;
    }
    if (labels_.task == LabelTask::kClasses) {
      result.output = named(found.classes, names);
      return;
    }
    std::vector<Entity> entities = named(found.entities, text_of(result), names);
    for (Entity& entity : entities) {
      if (!result.input.part) break;
      entity.start += result.input.part->begin;
      entity.end += result.input.part->begin;
      entity.code_point_start += result.input.part->code_point_begin;
      entity.code_point_end += result.input.part->code_point_begin;
    }
    result.output = std::move(entities);
  }
  std::vector<TextResult> sequences(TextItem& item) const override {
    if (item.ids) throw Error(ErrorCode::kInvalidArgument, "ids, expected a text: it is read with labels");
    if (item.pair) throw Error(ErrorCode::kInvalidArgument, "a pair, expected one text: it is read with labels");
    if (windows_) return windows_of(item);
    std::vector<TextResult> results(1);
    results[0].tokens.encoding = tokenize_with_labels(*model(), item.text, labels_, tokenize_);
    results[0].input.text = std::move(item.text);
    return results;
  }

  // Offsets of a window's encoding are relative to the window.
  std::vector<TextResult> windows_of(TextItem& item) const {
    std::vector<LabelWindow> windows = label_windows(*model(), item.text, labels_, tokenize_, fits_stride_);
    const OffsetUnits points(item.text, OffsetUnit::kCodePoints);
    std::vector<TextResult> results(windows.size());
    for (size_t i = 0; i < windows.size(); ++i) {
      const auto [begin, end] = windows[i].place;
      results[i].input.window = i;
      results[i].tokens.encoding = std::move(windows[i].encoding);
      results[i].input.part = WindowText{item.text.substr(begin, end - begin), begin, points.before(begin)};
    }
    results[0].input.text = std::move(item.text);
    return results;
  }

  const PreparedLabels labels_;
  const TokenizeOptions tokenize_;
  const bool windows_, fits_stride_;
  const ReserveCallback reserve_;
};

// A LabelRequest or ClassRequest as a task of a pipeline.
template <class Request>
class RequestTask : public ModelTask {
 public:
  explicit RequestTask(Request request) : request_(std::move(request)) {}

  std::unique_ptr<const Computation> computation(const Model& model, const TextRules& rules) const override {
    return std::make_unique<LabelMatches>(model, prepare_labels(model, request_), rules);
  }
  bool finds_entities() const override { return std::is_same_v<Request, LabelRequest>; }
  bool equals(const ModelTask& other) const override {
    const auto* same = dynamic_cast<const RequestTask*>(&other);
    return same != nullptr && same->request_ == request_;
  }

 private:
  const Request request_;
};

}  // namespace

LabelRequest::operator ModelTaskPtr() const {
  return ModelTaskPtr(std::make_shared<const RequestTask<LabelRequest>>(*this));
}

ClassRequest::operator ModelTaskPtr() const {
  return ModelTaskPtr(std::make_shared<const RequestTask<ClassRequest>>(*this));
}

}  // namespace bert
