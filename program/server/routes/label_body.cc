#include "program/server/routes/label_body.h"

#include <algorithm>

#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"
#include "program/server/routes/task_fields.h"

namespace bert::server {

TaskSettings label_settings(const Call& call, const ServedModel& model, LabelTask what,
                            const std::vector<TextItem>& texts) {
  TaskSettings settings = settings_of(call);
  if (!reads_labels(model.model, what)) {
    if (!settings.has("labels")) return settings;
    throw ApiError(Fault::kInvalid,
                   "model '" + model.source.name + "' does not read labels, expected none: it has its own", "labels");
  }
  required_field(call.body, "labels");
  const std::vector<std::string> labels = settings.texts("labels");
  if (labels.empty()) throw ApiError(Fault::kInvalid, "'labels' is empty, expected at least one", "labels");
  check_labels(call, labels, texts);
  return settings;
}

void check_labels(const Call& call, const std::vector<std::string>& labels, const std::vector<TextItem>& texts) {
  size_t of_labels = 0, bytes = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    of_labels += labels[i].size();
    if (labels[i].size() <= kMaxLabelBytes) continue;
    throw ApiError(Fault::kTooLarge,
                   "labels[" + std::to_string(i) + "] has " + std::to_string(labels[i].size()) +
                       " bytes, expected at most " + std::to_string(kMaxLabelBytes),
                   "labels");
  }
  if (const size_t most = call.options().max_label_bytes; of_labels > most) {
    throw ApiError(Fault::kTooLarge,
                   "'labels' has " + std::to_string(of_labels) + " bytes, expected at most " + std::to_string(most),
                   "labels");
  }
  const std::string of_texts = "'input' has " + std::to_string(texts.size()) + " texts and 'labels' ";
  if (const size_t most = call.options().max_label_texts; labels.size() > most / std::max<size_t>(texts.size(), 1)) {
    throw ApiError(
        Fault::kTooLarge,
        of_texts + std::to_string(labels.size()) + " labels, expected a product of at most " + std::to_string(most),
        "labels");
  }
  for (const TextItem& text : texts) bytes += bytes_of(text) + of_labels;
  const size_t most = call.facts.queue.max_bytes;
  if (bytes <= most) return;
  throw ApiError(Fault::kTooLarge,
                 of_texts + std::to_string(of_labels) + " bytes, together " + std::to_string(bytes) +
                     " bytes, expected at most " + std::to_string(most),
                 "input");
}

std::vector<TextItem> only_texts(const Call& call) {
  std::vector<TextItem> texts = texts_of(call, "input");
  for (const TextItem& text : texts) {
    if (text.ids) throw ApiError(Fault::kInvalid, "'input' has token ids, expected texts", "input");
  }
  return texts;
}

std::optional<std::vector<TextItem>> words_of(const Call& call, const std::string& field) {
  const Json* given = optional_field(call.body, "words");
  if (given == nullptr) return std::nullopt;
  if (optional_field(call.body, field) != nullptr) {
    throw ApiError(Fault::kInvalid, "'words' beside '" + field + "', expected one of them", "words");
  }
  const auto words_in = [](const Json& list, const std::string& name) {
    TextItem item{.words = std::vector<std::string>()};
    if (!list.is_array()) throw_type(name, list, "a list of words");
    for (const Json& word : list) {
      if (!word.is_string()) throw_type(name + "[" + std::to_string(item.words->size()) + "]", word, "a string");
      item.words->push_back(word.get<std::string>());
    }
    return item;
  };
  if (!given->is_array()) throw_type("words", *given, "a list of words, or a list of such lists");
  if (given->empty() || given->front().is_string()) return {{words_in(*given, "words")}};
  check_count(call, given->size(), "words");
  std::vector<TextItem> texts;
  for (const Json& one : *given) texts.push_back(words_in(one, "words[" + std::to_string(texts.size()) + "]"));
  return texts;
}

std::string list_of_texts(const Job& job, const std::string& name,
                          const std::function<void(JsonWriter& object, size_t index)>& entry) {
  std::string data;
  size_t index = 0;
  append_list(data, job.outputs, [&](std::string& out, const TextOutput& output) {
    JsonWriter object;
    object.string("object", name);
    object.number("index", uint64_t{index});
    if (output.has_failed()) {
      object.string("error", error_of(job, index).what());
    } else {
      entry(object, index);
    }
    ++index;
    out += object.take();
  });
  JsonWriter object, usage;
  object.string("object", "list");
  object.string("model", job.model->source.name);
  object.member("data") += data;
  usage.number("prompt_tokens", uint64_t{usage_of(job).tokens});
  usage.number("total_tokens", uint64_t{usage_of(job).tokens});
  object.member("usage") += usage.take();
  add_compute(object, job);
  return object.take();
}

}  // namespace bert::server
