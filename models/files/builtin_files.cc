#include "models/files/builtin_files.h"

#include <string_view>

#include "bert/error.h"

#ifdef BERT_INFER_BUILTIN_BESIDE
#include <filesystem>

#include "engine/base/mapped_file.h"
#include "engine/base/program_file.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#endif

#ifdef BERT_INFER_HAS_BUILTIN
// The table that cmake/BertInferHelpers.cmake writes; it ends with a null name.
struct BertBuiltinFile {
  const char* name;
  const std::byte* begin;
  const std::byte* end;
};
extern "C" __attribute__((visibility("hidden"))) const BertBuiltinFile bert_builtin_files[];
#endif

namespace bert {
namespace {

constexpr std::string_view kWeights = "model.safetensors";
constexpr std::string_view kName = "built-in";

[[noreturn]] [[maybe_unused]] void refuse() {
  throw Error(ErrorCode::kNotFound, "this library was built without its built-in model, expected a model's directory");
}

#ifdef BERT_INFER_HAS_BUILTIN
std::map<std::string, std::string_view> files() {
  std::map<std::string, std::string_view> result;
  for (const BertBuiltinFile* file = bert_builtin_files; file->name != nullptr; ++file) {
    result.emplace(file->name, std::string_view(reinterpret_cast<const char*>(file->begin),
                                                static_cast<size_t>(file->end - file->begin)));
  }
  return result;
}
#elif defined(BERT_INFER_BUILTIN_BESIDE)
namespace fs = std::filesystem;

std::map<std::string, MappedFile> map_files() {
  static const char kHere = 0;
  const fs::path binary = binary_of(&kHere);
  if (binary.empty()) refuse();
  const fs::path folder = fs::absolute(binary).parent_path();
  std::map<std::string, MappedFile> mapped;
  for (const fs::path& place : {folder / "builtin", folder.parent_path() / "builtin"}) {
    if (!fs::is_regular_file(place / kWeights)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place)) {
      if (!entry.is_regular_file()) continue;
      mapped.emplace(generic_utf8(entry.path().lexically_relative(place)), MappedFile::open(entry.path()));
    }
    return mapped;
  }
  throw Error(ErrorCode::kNotFound, quote_path(utf8(folder / "builtin")) +
                                        ": no such folder here or one above, expected the built-in model's files");
}

std::map<std::string, std::string_view> files() {
  static const std::map<std::string, MappedFile> mapped = map_files();
  std::map<std::string, std::string_view> result;
  for (const auto& [name, file] : mapped) {
    result.emplace(name, std::string_view(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()));
  }
  return result;
}
#else
std::map<std::string, std::string_view> files() { refuse(); }
#endif

}  // namespace

MemorySource builtin_files() { return MemorySource(files(), std::string(kName)); }

std::span<const std::byte> builtin_safetensors() {
  const auto all = files();
  const auto place = all.find(std::string(kWeights));
  if (place == all.end()) refuse();
  return std::as_bytes(std::span<const char>(place->second.data(), place->second.size()));
}

}  // namespace bert
