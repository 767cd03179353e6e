// Fuzzes a line of --jsonl.
#include "program/cli/input/json_record.h"

#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert;
  cli::Item item;
  std::set<std::string> unused;
  cli::read_json_record(fuzz::text_of(data, size), {.text = "text", .label = "label"}, item, unused);
  const std::string error = item.error ? item.error->what() : "";
  fuzz::require(error.find('\n') == std::string::npos, "an error's message is one line");
  fuzz::require(error.size() < 2000, "an error's message has a line's length");
  if (error.empty() && item.ids.has_value()) {
    fuzz::require(item.text.empty() && !item.pair.has_value(), "a line has a text or ids");
    fuzz::require(item.type_ids.empty() || item.type_ids.size() == item.ids->size(), "a type id for each id");
  }
  return 0;
}
