// The products of a query with many documents are matrix products in which the documents' vectors are the weights. A
// task is several documents, whose products stay in the thread's cache until their maxima are computed.
#include <algorithm>
#include <deque>
#include <string>

#include "bert/error.h"
#include "bert/vectors.h"
#include "engine/base/cpu.h"
#include "tasks/search/vector_products.h"

namespace bert {
namespace {

constexpr size_t kTaskVectors = 512;  // vectors of a task's documents, at least
constexpr size_t kLanes = 16;         // independent maxima, which the compiler keeps in vector registers

void check_starts(std::span<const size_t> starts, size_t vectors, size_t scores) {
  const bool ascends = !starts.empty() && starts.front() == 0 && starts.back() == vectors &&
                       std::is_sorted(starts.begin(), starts.end());
  if (ascends && starts.size() == scores + 1) return;
  throw Error(ErrorCode::kInvalidArgument, std::to_string(starts.size()) + " starts of documents for " +
                                               std::to_string(scores) +
                                               " scores, expected one more than scores, ascending from 0 to " +
                                               std::to_string(vectors) + ", the number of vectors");
}

float largest(const float* products, size_t count) {
  if (count < kLanes) return *std::max_element(products, products + count);
  float lanes[kLanes];
  std::copy_n(products, kLanes, lanes);
  const auto take = [&](const float* from) {
    for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = from[lane] > lanes[lane] ? from[lane] : lanes[lane];
  };
  for (size_t i = kLanes; i + kLanes <= count; i += kLanes) take(products + i);
  take(products + count - kLanes);
  return *std::max_element(lanes, lanes + kLanes);
}

}  // namespace

struct MaxSim::Impl {
  explicit Impl(size_t threads) : pool(threads == 0 ? available_cores() : threads) {}

  // Scratch memory of a thread during a call.
  struct Room {
    VectorProducts::Room of_products;
    AlignedBuffer<float> products;
  };

  // Computes room.products: [queries, rows] = query · documents[rows].
  void multiply(ConstMatrixView query, const float* documents, size_t rows, Room& room) const {
    if (room.products.size() < query.rows * rows) room.products = AlignedBuffer<float>(query.rows * rows);
    products.multiply(query, documents, {room.products.data(), query.rows, rows, rows}, room.of_products);
  }

  VectorProducts products;
  mutable ThreadPool pool;
};

MaxSim::MaxSim(size_t threads) : impl_(std::make_unique<const Impl>(threads)) {}
MaxSim::MaxSim(MaxSim&&) noexcept = default;
MaxSim& MaxSim::operator=(MaxSim&&) noexcept = default;
MaxSim::~MaxSim() = default;

void MaxSim::scores(std::span<const float> query, std::span<const float> documents, std::span<const size_t> starts,
                    size_t size, std::span<double> scores) const {
  const ConstMatrixView queries{query.data(), whole_vectors(query.size(), size, "a query"), size, size};
  check_starts(starts, whole_vectors(documents.size(), size, "documents"), scores.size());
  std::fill(scores.begin(), scores.end(), 0.0);
  if (queries.rows == 0) return;
  std::vector<size_t> firsts = {0};  // first document of each task, and the end
  for (size_t i = 0; i < scores.size(); ++i) {
    if (starts[i + 1] - starts[firsts.back()] >= kTaskVectors || i + 1 == scores.size()) firsts.push_back(i + 1);
  }
  std::deque<Impl::Room> rooms(impl_->pool.size());
  impl_->pool.run(firsts.size() - 1, [&](size_t task, size_t slot) {
    const size_t begin = starts[firsts[task]], rows = starts[firsts[task + 1]] - begin;
    if (rows == 0) return;
    impl_->multiply(queries, documents.data() + begin * size, rows, rooms[slot]);
    for (size_t row = 0; row < queries.rows; ++row) {
      const float* products = rooms[slot].products.data() + row * rows;
      for (size_t i = firsts[task]; i < firsts[task + 1]; ++i) {
        const size_t count = starts[i + 1] - starts[i];
        if (count > 0) scores[i] += static_cast<double>(largest(products + (starts[i] - begin), count));
      }
    }
  });
}

double MaxSim::score(std::span<const float> query, std::span<const float> document, size_t size) const {
  const size_t starts[] = {0, whole_vectors(document.size(), size, "a document")};
  double score = 0;
  scores(query, document, starts, size, {&score, 1});
  return score;
}

std::vector<VectorMatch> MaxSim::matches(std::span<const float> query, std::span<const float> document,
                                         size_t size) const {
  const ConstMatrixView queries{query.data(), whole_vectors(query.size(), size, "a query"), size, size};
  const size_t count = whole_vectors(document.size(), size, "a document");
  if (count == 0 || queries.rows == 0) return {};
  Impl::Room room;
  impl_->multiply(queries, document.data(), count, room);
  std::vector<VectorMatch> matches;
  for (size_t row = 0; row < queries.rows; ++row) {
    const float* products = room.products.data() + row * count;
    const auto index = static_cast<size_t>(std::max_element(products, products + count) - products);
    matches.push_back({index, products[index]});
  }
  return matches;
}

}  // namespace bert
