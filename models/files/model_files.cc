#include "models/files/model_files.h"

#include <algorithm>
#include <iterator>

namespace bert {
namespace {

enum class Kind { settings, tokenizer, refused };

struct ModelFile {
  Kind kind;
  std::string_view name;
};

#define BERT_MODEL_FILE(kind, name) {Kind::kind, name},
constexpr ModelFile kFiles[] = {
#include "model_files.inc"
};
#undef BERT_MODEL_FILE

bool has_name(const ModelFile& file, std::string_view name) {
  const size_t star = file.name.find('*');
  if (star == std::string_view::npos) return file.name == name;
  return name.starts_with(file.name.substr(0, star)) && name.ends_with(file.name.substr(star + 1));
}

}  // namespace

bool is_model_file(std::string_view name) {
  return std::any_of(std::begin(kFiles), std::end(kFiles),
                     [&](const ModelFile& file) { return file.kind != Kind::refused && has_name(file, name); });
}

bool is_fetched_file(std::string_view name) {
  return std::any_of(std::begin(kFiles), std::end(kFiles), [&](const ModelFile& file) { return has_name(file, name); });
}

bool is_tokenizer_file(std::string_view name) {
  return std::any_of(std::begin(kFiles), std::end(kFiles),
                     [&](const ModelFile& file) { return file.kind == Kind::tokenizer && file.name == name; });
}

}  // namespace bert
