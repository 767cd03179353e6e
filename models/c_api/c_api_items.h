// The results of the calls for tasks and labels, and what these calls share. Thread safety is as in bert/bert.h.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "bert/windows.h"
#include "models/c_api/c_api.h"

struct bert_items {
  std::vector<bert_item> items;
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

// Of a bert_windows.
inline WindowOptions window_options(int32_t windows, size_t stride) {
  const size_t kind = index_of(windows, 3, "windows");
  if (kind == 0) {
    if (stride != 0) refuse("a stride of " + std::to_string(stride) + " without windows, expected 0");
    return {};
  }
  return {.stride = stride, .scores = kind == 1 ? WindowScores::kMean : WindowScores::kLargest};
}

}  // namespace bert::c_api
