#include "engine/checkpoint/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/number.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "engine/checkpoint/elements.h"
#include "engine/checkpoint/other_formats.h"
#include "engine/checkpoint/shard_index.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSingleFile = "model.safetensors";
constexpr std::string_view kIndexFile = "model.safetensors.index.json";

// Returns the word quoted for a shell.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::strchr("/._-+", c);
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return one_line(word);
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return one_line(result + "'");
}

// Throws for weights in an unsupported format; the message says how to convert them.
[[noreturn]] void refuse_other_formats(const fs::path& directory) {
  const std::string where = quote_path(utf8(directory));
  for (const char* name : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
    if (!is_there(directory / name)) continue;
    throw Error(ErrorCode::kUnsupported, where + ": found '" + name + "' only, expected 'model.safetensors'; run: " +
                                             "python3 tools/convert_weights.py " + shell_word(utf8(directory)));
  }
  for (const char* name :
       {"tf_model.h5", "tf_model.h5.index.json", "flax_model.msgpack", "flax_model.msgpack.index.json",
        "bert_model.ckpt.index", "model.ckpt.index", "rust_model.ot"}) {
    if (!is_there(directory / name)) continue;
    throw Error(ErrorCode::kUnsupported, where + ": found '" + name + "' only, which is not read; expected " +
                                             "'model.safetensors' or 'model.safetensors.index.json'");
  }
  if (const auto other = other_format(directory)) {
    throw Error(ErrorCode::kUnsupported, where + ": no 'model.safetensors'; " + *other);
  }
  if (is_there(directory / "adapter_model.safetensors")) {
    throw Error(ErrorCode::kUnsupported,
                where +
                    ": found 'adapter_model.safetensors' only, an adapter (LoRA); expected 'model.safetensors' of "
                    "its base model, with the adapter beside it (--adapter)");
  }
  throw Error(ErrorCode::kNotFound,
              where + ": no weights; looked for 'model.safetensors' and 'model.safetensors.index.json'");
}

}  // namespace

Checkpoint Checkpoint::open_file(const fs::path& file, bool copied) {
  Checkpoint checkpoint(copied);
  checkpoint.source_ = utf8(file);
  checkpoint.add(parse_safetensors(checkpoint.read(RegularFile::open(file)), utf8(file)), utf8(file));
  checkpoint.sort_by_name();
  return checkpoint;
}

Checkpoint Checkpoint::open(const fs::path& directory, bool copied) {
  if (utf8(directory).find('\0') != std::string::npos || !directory_exists(directory)) {
    throw Error(ErrorCode::kNotFound, quote_path(utf8(directory)) + ": no such directory");
  }
  Checkpoint checkpoint(copied);
  const fs::path single = directory / kSingleFile;
  const fs::path index = directory / kIndexFile;
  if (std::optional<RegularFile> file = RegularFile::open_if_there(single)) {
    if (is_there(index)) {
      checkpoint.notices_.push_back("both '" + std::string(kSingleFile) + "' and '" + std::string(kIndexFile) +
                                    "' are there; the former is read");
    }
    checkpoint.add(parse_safetensors(checkpoint.read(std::move(*file)), utf8(single)), utf8(single));
    checkpoint.source_ = utf8(single);
    checkpoint.sort_by_name();
  } else if (is_there(index)) {
    checkpoint.open_shards(directory, index);
  } else {
    refuse_other_formats(directory);
  }
  return checkpoint;
}

bool Checkpoint::is_in(const fs::path& directory) {
  return is_there(directory / kSingleFile) || is_there(directory / kIndexFile);
}

Checkpoint Checkpoint::from_memory(std::span<const std::byte> image, std::string name) {
  Checkpoint checkpoint(false);
  checkpoint.source_ = name;
  Safetensors parsed = parse_safetensors(image, name);
  checkpoint.add(std::move(parsed), std::move(name));
  checkpoint.sort_by_name();
  return checkpoint;
}

std::span<const std::byte> Checkpoint::read(RegularFile file) {
  if (!copied_) return mappings_.emplace_back(MappedFile::map(std::move(file))).bytes();
  AlignedBuffer<char>& copy = copies_.emplace_back(file.size());
  read_file(file, {copy.data(), copy.size()});
  return std::as_bytes(std::span<const char>(copy.data(), copy.size()));
}

std::span<const std::byte> Checkpoint::mapped(std::span<const std::byte> bytes) const {
  const std::less_equal<const std::byte*> is_before;
  for (const MappedFile& file : mappings_) {
    const std::span<const std::byte> all = file.bytes();
    if (is_before(all.data(), bytes.data()) && is_before(bytes.data() + bytes.size(), all.data() + all.size())) {
      return bytes;
    }
  }
  return {};
}

void Checkpoint::check_files() const {
  for (const MappedFile& mapping : mappings_) mapping.check_is_unchanged();
}

void Checkpoint::add(Safetensors image, std::string name) {
  for (StoredTensor& tensor : image.tensors) {
    tensor.file = files_.size();
    tensors_.push_back(tensor);
  }
  image.tensors = {};
  images_.push_back(std::move(image));
  files_.push_back(std::move(name));
}

void Checkpoint::open_shards(const fs::path& directory, const fs::path& index_path) {
  source_ = utf8(index_path);
  const ShardIndex index = parse_shard_index(read_text_file(index_path, kMaxIndexBytes), source_);
  const auto shard_of = [&](std::string_view tensor) -> std::optional<size_t> {
    const auto place = std::lower_bound(index.tensors.begin(), index.tensors.end(), tensor,
                                        [](const auto& entry, std::string_view name) { return entry.first < name; });
    if (place == index.tensors.end() || place->first != tensor) return std::nullopt;
    return place->second;
  };
  uint64_t total_bytes = 0;
  for (size_t shard = 0; shard < index.shards.size(); ++shard) {
    const fs::path name = path_of(index.shards[shard]);
    const std::span<const std::byte> bytes = read(RegularFile::open(resolve_confined(directory, name, source_)));
    const std::string path = utf8(directory / name);
    Safetensors image = parse_safetensors(bytes, path);
    std::vector<StoredTensor> named;
    named.reserve(image.tensors.size());
    std::string extra;
    for (const StoredTensor& tensor : image.tensors) {
      const std::optional<size_t> where = shard_of(tensor.name);
      if (!where) {
        if (extra.empty()) extra = quote(tensor.name);
        continue;
      }
      if (*where != shard) {
        throw Error(ErrorCode::kInvalidFile, "tensor " + quote(tensor.name) + " in " + quote_path(path) + ": " +
                                                 quote_path(source_) + " says it lies in " +
                                                 quote(index.shards[*where]) + ", expected it there only");
      }
      total_bytes += tensor.data.size();
      named.push_back(tensor);
    }
    if (!extra.empty()) {
      notices_.push_back(quote_path(path) + ": " + std::to_string(image.tensors.size() - named.size()) +
                         " tensors are not in " + quote_path(source_) + " and not read, the first: " + extra);
    }
    image.tensors = std::move(named);
    add(std::move(image), path);
  }
  sort_by_name();
  for (const auto& [tensor, shard] : index.tensors) {
    if (find(tensor) != nullptr) continue;
    throw Error(ErrorCode::kInvalidFile, "tensor " + quote(tensor) + " in " + quote_path(files_[shard]) +
                                             ": not there, expected it because " + quote_path(source_) + " says so");
  }
  if (index.total_size_bytes && *index.total_size_bytes != total_bytes) {
    notices_.push_back(quote_path(source_) + ": total_size " + std::to_string(*index.total_size_bytes) +
                       ", the tensors have " + std::to_string(total_bytes) + " bytes");
  }
}

void Checkpoint::append(Checkpoint other) {
  const auto take = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  for (StoredTensor& tensor : other.tensors_) tensor.file += files_.size();
  take(mappings_, other.mappings_);
  take(copies_, other.copies_);
  take(images_, other.images_);
  take(tensors_, other.tensors_);
  take(files_, other.files_);
  take(notices_, other.notices_);
  sort_by_name();
}

void Checkpoint::sort_by_name() {
  by_name_.resize(tensors_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0u);
  std::sort(by_name_.begin(), by_name_.end(),
            [&](uint32_t a, uint32_t b) { return tensors_[a].name < tensors_[b].name; });
}

const StoredTensor* Checkpoint::find(std::string_view name) const {
  const auto place =
      std::lower_bound(by_name_.begin(), by_name_.end(), name,
                       [&](uint32_t index, std::string_view sought) { return tensors_[index].name < sought; });
  if (place == by_name_.end() || tensors_[*place].name != name) return nullptr;
  return &tensors_[*place];
}

void Checkpoint::refuse(const StoredTensor& tensor, ErrorCode code, const std::string& message) const {
  throw Error(code, "tensor " + quote(tensor.name) + " in " + quote_path(file_of(tensor)) + ": " + message);
}

void Checkpoint::check_numbers(const StoredTensor& tensor) const {
  if (!tensor.type->dtype || !float_format(*tensor.type->dtype)) return;
  for (size_t i = 0; i < tensor.elements(); ++i) {
    const double value = element(tensor.data.data(), *tensor.type->dtype, i);
    if (std::isfinite(static_cast<float>(value))) continue;
    const bool is_finite = std::isfinite(value);
    refuse(tensor, is_finite ? ErrorCode::kInvalidFile : ErrorCode::kNonFinite,
           shortest_text(value) + " at index " + std::to_string(i) + ", expected " +
               (is_finite ? "what a 32-bit float can hold" : "finite numbers"));
  }
}

}  // namespace bert
