#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "bert/error.h"
#include "bert/vectors.h"
#include "engine/base/aligned_buffer.h"
#include "engine/base/cpu.h"
#include "engine/base/file.h"
#include "engine/base/mapped_file.h"
#include "engine/base/quote.h"
#include "engine/base/thread_pool.h"
#include "engine/base/utf8_path.h"
#include "engine/kernels/products.h"
#include "tasks/search/index_file.h"
#include "tasks/search/vector_products.h"

namespace bert {

struct VectorIndex::Impl {
  explicit Impl(size_t threads)
      : kernels(scans_for(choose_cpu_features().features)), pool(threads == 0 ? available_cores() : threads) {}

  const ScanKernels& kernels;
  mutable ThreadPool pool;
  IndexContent content;  // views of the file or of the buffers
  std::optional<MappedFile> file;
  AlignedBuffer<float> floats;
  AlignedBuffer<std::byte> small;
  AlignedBuffer<Int8Row> int8_rows;
};

VectorIndex::VectorIndex(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;
VectorIndex::~VectorIndex() = default;

VectorIndex::VectorIndex(std::span<const float> vectors, size_t size, const IndexOptions& options) {
  const size_t rows = whole_vectors(vectors.size(), size);
  auto impl = std::make_unique<Impl>(options.threads);
  const size_t small_bytes = small_row_bytes(options.scan, size);
  impl->floats = AlignedBuffer<float>(rows * padded_floats(size));
  impl->small = AlignedBuffer<std::byte>(rows * small_bytes);
  impl->int8_rows = AlignedBuffer<Int8Row>(options.scan == ScanRows::kInt8 ? rows : 0);
  RowBuilder builder(options.scan, size);
  for (size_t row = 0; row < rows; ++row) {
    builder.convert(vectors.subspan(row * size, size), row);
    std::memcpy(impl->floats.data() + row * padded_floats(size), builder.floats().data(),
                builder.floats().size_bytes());
    if (small_bytes > 0) std::memcpy(impl->small.data() + row * small_bytes, builder.small().data(), small_bytes);
    if (impl->int8_rows.size() > 0) impl->int8_rows.data()[row] = builder.int8_row();
  }
  impl->content.rows = {.scan = options.scan,
                        .rows = rows,
                        .size = size,
                        .floats = impl->floats.data(),
                        .small = impl->small.data(),
                        .int8_rows = impl->int8_rows.data(),
                        .limits = builder.limits()};
  impl->content.unusable_rows = builder.unusable();
  impl_ = std::move(impl);
}

VectorIndex VectorIndex::open(const std::filesystem::path& file, size_t threads) {
  auto impl = std::make_unique<Impl>(threads);
  impl->file = MappedFile::open(file);
  const std::string name = quote_path(utf8(file));
  impl->content = parse_index(impl->file->bytes(), name);
  check_index(impl->content, name, impl->pool);
  return VectorIndex(std::move(impl));
}

size_t VectorIndex::rows() const { return impl_->content.rows.rows; }
size_t VectorIndex::size() const { return impl_->content.rows.size; }
ScanRows VectorIndex::scan() const { return impl_->content.rows.scan; }
std::string_view VectorIndex::label() const { return impl_->content.label; }

bool VectorIndex::has_checksums() const { return !impl_->content.checksums.empty(); }

size_t VectorIndex::unusable_rows() const { return impl_->content.unusable_rows; }

std::span<const float> VectorIndex::row(size_t row) const {
  if (row >= rows()) {
    throw Error(ErrorCode::kInvalidArgument, "row " + std::to_string(row) + " of " + std::to_string(rows()));
  }
  return {impl_->content.rows.floats + row * padded_floats(size()), size()};
}

std::vector<std::vector<SearchHit>> VectorIndex::search(std::span<const float> queries,
                                                        const SearchOptions& options) const {
  return search_rows(impl_->kernels, impl_->content.rows, queries, options, impl_->pool);
}

std::vector<SearchHit> VectorIndex::search_one(std::span<const float> query, const SearchOptions& options) const {
  if (query.size() != size()) {
    throw Error(ErrorCode::kInvalidArgument, "the query has " + std::to_string(query.size()) + " numbers, expected " +
                                                 std::to_string(size()) + ", as the index's vectors");
  }
  return std::move(search(query, options).front());
}

bool is_vector_index(const std::filesystem::path& file) {
  const RegularFile opened = RegularFile::open(file);
  std::string begin(std::min(opened.size(), kIndexMagic.size()), '\0');
  read_file(opened, begin);
  return begin == kIndexMagic;
}

}  // namespace bert
