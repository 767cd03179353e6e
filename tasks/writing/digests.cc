// Digests of files, and a digest that identifies a model.
#include <algorithm>
#include <set>

#include "bert/bundle.h"
#include "bert/model.h"
#include "bert/quantize.h"
#include "engine/base/hash/sha256.h"
#include "engine/base/mapped_file.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"

namespace bert {

namespace fs = std::filesystem;

std::string file_sha256(const fs::path& file, const std::function<bool()>& goes_on) {
  return sha256(MappedFile::open(file).bytes(), goes_on);
}

std::string file_sha256(const fs::path& file, uint64_t begin, uint64_t end) {
  const MappedFile mapped = MappedFile::open(file);
  const std::span<const std::byte> bytes = mapped.bytes();
  if (begin > end || end > bytes.size()) {
    throw Error(ErrorCode::kInvalidFile, quote_path(utf8(file)) + " has " + std::to_string(bytes.size()) +
                                             " bytes, expected at least " + std::to_string(std::max(begin, end)));
  }
  return sha256(bytes.subspan(begin, end - begin));
}

std::map<std::string, std::string> model_digests(const std::string& name, const std::string& revision) {
  if (name.empty()) return {{"built-in", std::string(version())}};
  const fs::path folder = find_model(name, revision);
  if (bundle_info(utf8(folder))) return {{utf8(folder.filename()), file_sha256(folder)}};
  static const std::set<std::string> kRead = {".json", ".safetensors", ".txt", ".model"};
  std::map<std::string, std::string> digests;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (!kRead.contains(utf8(entry.path().extension())) || !entry.is_regular_file()) continue;
      digests[generic_utf8(entry.path().lexically_relative(folder))] = file_sha256(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    const fs::path& place = error.path1().empty() ? folder : error.path1();
    throw Error(ErrorCode::kIo, quote_path(utf8(place)) + ": cannot be examined: " + error.code().message());
  }
  return digests;
}

std::string model_digest(const std::string& name, const std::string& revision) {
  std::string lines;
  for (const auto& [file, digest] : model_digests(name, revision)) lines += digest + "  " + file + "\n";
  return sha256(std::as_bytes(std::span<const char>(lines)));
}

}  // namespace bert
