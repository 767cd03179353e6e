// Fuzzes the header of a safetensors file. The input is the number of bytes of data as a u32, and then the file without
// its data. So the real header of a large model is a small input.
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "engine/checkpoint/safetensors.h"
#include "tests/fuzz/target.h"

namespace bert::fuzz {
namespace {

constexpr size_t kSmallData = 4096;  // smaller files are copied, so that AddressSanitizer checks their end
constexpr size_t kReserved = size_t{5} << 30;

// Returns address space for files with much data, of which only the beginning is accessed.
std::byte* reserved() {
  static void* const memory =
      mmap(nullptr, kReserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(memory != MAP_FAILED, "address space can be reserved");
  return static_cast<std::byte*>(memory);
}

void check(std::span<const std::byte> image) {
  parse_or_refuse([&] {
    const Safetensors file = parse_safetensors(image, "fuzz.safetensors");
    const std::byte* expected = nullptr;  // where the next tensor's data must begin
    for (const StoredTensor& tensor : file.tensors) {
      require(expected == nullptr || tensor.data.data() == expected, "tensors lie side by side");
      expected = tensor.data.data() + tensor.data.size();
      require(tensor.data.data() >= image.data() && expected <= image.data() + image.size(), "data lie in the image");
      size_t bits = tensor.type->bits;
      for (const size_t dimension : tensor.shape) bits *= dimension;
      require(bits == tensor.data.size() * 8, "a tensor's size is its shape's");
      require(shape_text(tensor.shape).size() >= 2, "a shape has a text");
    }
    require(expected == nullptr || expected == image.data() + image.size(), "the last tensor ends the file");
  });
}

}  // namespace
}  // namespace bert::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert::fuzz;
  uint32_t data_bytes = 0;
  if (size < sizeof(data_bytes)) return 0;
  std::memcpy(&data_bytes, data, sizeof(data_bytes));
  const uint8_t* head = data + sizeof(data_bytes);
  const size_t head_bytes = size - sizeof(data_bytes);
  if (data_bytes <= kSmallData) {
    std::vector<std::byte> image(head_bytes + data_bytes);
    if (head_bytes > 0) std::memcpy(image.data(), head, head_bytes);
    check(image);
  } else {
    static size_t used = 0;
    std::byte* const image = reserved();
    std::memset(image, 0, used);
    std::memcpy(image, head, head_bytes);
    used = head_bytes;
    check({image, head_bytes + data_bytes});
  }
  return 0;
}
