#include "engine/checkpoint/safetensors_writer.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "bert/new_file.h"
#include "engine/base/json/json.h"

namespace bert {
namespace {

constexpr size_t kDataAlignment = 64;

// Returns the alignment of the bytes after a tensor of this size.
size_t alignment_after(size_t size_bytes) {
  return size_bytes == 0 ? kDataAlignment : std::min<size_t>(kDataAlignment, size_t{1} << std::countr_zero(size_bytes));
}

std::string header_of(const std::vector<TensorToWrite>& tensors) {
  // transformers requires this member.
  std::string header = R"({"__metadata__":{"format":"pt"})";
  size_t offset = 0;
  for (const TensorToWrite& tensor : tensors) {
    header += ',' + json_string(tensor.name) + R"(:{"dtype":)" + json_string(tensor.type) + R"(,"shape":[)";
    for (size_t i = 0; i < tensor.shape.size(); ++i) header += (i > 0 ? "," : "") + std::to_string(tensor.shape[i]);
    header += R"(],"data_offsets":[)" + std::to_string(offset);
    offset += tensor.data.size();
    header += ',' + std::to_string(offset) + "]}";
  }
  header += '}';
  while ((8 + header.size()) % kDataAlignment != 0) header += ' ';
  return header;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const TensorToWrite& a, const TensorToWrite& b) {
    return alignment_after(a.data.size()) > alignment_after(b.data.size());
  });
  const std::string header = header_of(tensors);
  std::string size;
  for (int byte = 0; byte < 8; ++byte) size += static_cast<char>(static_cast<uint64_t>(header.size()) >> 8 * byte);
  NewFile file(path, NewFile::Existing::kReplace);
  file.write(size + header);
  for (const TensorToWrite& tensor : tensors) file.write(tensor.data);
  file.publish();
}

}  // namespace bert
