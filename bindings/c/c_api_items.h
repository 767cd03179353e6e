// Items of results, which own their texts. Also functions that the calls with texts share. Thread safety is as in
// bert/bert.h.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/c/c_api.h"

namespace bert::c_api {

struct Items {
  std::vector<bert_item> list;
  std::forward_list<std::string> texts;  // a list, because the texts' addresses must not change

  // Adds an item and a copy of its text.
  bert_item& add(std::string_view text) {
    const std::string& own = texts.emplace_front(text);
    list.push_back({});
    list.back().text = own.c_str();
    list.back().text_bytes = own.size();
    return list.back();
  }
};

template <class Text>
std::vector<Text> texts_of(const bert_text* texts, size_t count, const char* name) {
  std::vector<Text> all;
  for (size_t i = 0; i < count; ++i) all.emplace_back(text_of((&need(texts, name))[i], name));
  return all;
}

inline void set_offsets(bert_item& item, const OffsetUnits& units, size_t start, size_t end) {
  item.start = units.before(start);
  item.end = units.before(end);
}

}  // namespace bert::c_api
