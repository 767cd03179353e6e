// The results of the calls for tasks and labels, and what these calls share. Thread safety is as in bert/bert.h.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "bert/windows.h"
#include "bindings/c/c_api.h"

struct bert_items {
  std::vector<bert_item> items;
  size_t truncated_tokens = 0;
  std::deque<std::string> texts;  // whose addresses stay

  // An item with a text of its own.
  bert_item& add(std::string_view text) {
    const std::string& own = texts.emplace_back(text);
    items.push_back({});
    items.back().text = own.c_str();
    items.back().text_bytes = own.size();
    return items.back();
  }
  // One of the caller's labels.
  bert_item& add(std::string_view label, const std::vector<std::string>& labels) {
    bert_item& item = add(label);
    item.index = static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
    return item;
  }
};

namespace bert::c_api {

template <class Text>
std::vector<Text> texts_of(const bert_text* texts, size_t count, const char* name) {
  std::vector<Text> all;
  for (size_t i = 0; i < count; ++i) all.emplace_back(text_of((&need(texts, name))[i], name));
  return all;
}

// Fills new results by a call; *items is null after an error.
template <class Fill>
bert_status new_items(bert_items** items, const Fill& fill) noexcept {
  return new_object(items, "items", [&] {
    auto results = std::make_unique<bert_items>();
    fill(*results);
    return results;
  });
}

inline void set_offsets(bert_item& item, const OffsetUnits& units, size_t start, size_t end) {
  item.start = units.before(start);
  item.end = units.before(end);
}

// Of the options of a call that reads windows.
template <class Options>
WindowOptions window_options(const Options& known) {
  const size_t kind = index_of(known.windows, 3, "windows");
  WindowOptions options{.long_text = long_text_of(known.long_text),
                        .scores = kind == 2 ? WindowScores::kLargest : WindowScores::kMean,
                        .progress = progress_of(known.progress, known.progress_context)};
  if (kind != 0 || known.stride != 0) options.stride = known.stride;
  if (kind == 0 && known.stride != 0 && options.long_text != LongText::kWindows) {
    refuse("a stride of " + std::to_string(known.stride) + " without windows, expected 0");
  }
  return options;
}

}  // namespace bert::c_api
