// find_communities: all pairs that reach the threshold, then centres by their number of near rows.
#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bert/clusters.h"
#include "bert/error.h"
#include "engine/base/cpu.h"
#include "engine/search/cluster_run.h"
#include "engine/search/near_rows.h"

namespace bert {
namespace {

constexpr size_t kBytesOfPair = 16;  // in the list of pairs, and in the lists of both rows
constexpr size_t kTasksAtOnce = 64;  // between two calls of progress

struct RowPair {
  uint32_t earlier, later;
};

// All pairs of rows whose cosine reaches the threshold. Throws Error if there are more than most_pairs.
std::vector<RowPair> find_pairs(const NearRows& near, size_t most_pairs, ThreadPool& pool,
                                const std::function<void(double)>& progress) {
  const ConstMatrixView rows = near.rows();
  std::deque<NearRows::Room> rooms(pool.size());
  std::vector<std::vector<RowPair>> found(pool.size());
  std::atomic<size_t> pairs = 0;
  const auto compare = [&](size_t task, size_t slot) {
    const size_t begin = task * NearRows::kRight, count = std::min(NearRows::kRight, rows.rows - begin);
    near.scan(rows.row_range(0, begin + count), rows.row_range(begin, count), rooms[slot], [&](size_t i, size_t j) {
      if (i >= begin + j || near.cosines().cosine(i, begin + j) < near.threshold()) return;
      if (pairs.fetch_add(1, std::memory_order_relaxed) >= most_pairs) {
        throw Error(ErrorCode::kInvalidArgument,
                    "more than " + std::to_string(most_pairs) + " pairs of rows have a cosine of at least " +
                        std::to_string(near.threshold()) + ", as many as the memory allowed has room for");
      }
      found[slot].push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(begin + j)});
    });
  };
  const size_t tasks = (rows.rows + NearRows::kRight - 1) / NearRows::kRight;
  for (size_t first = 0; first < tasks; first += kTasksAtOnce) {
    const size_t end = std::min(tasks, first + kTasksAtOnce);
    pool.run(end - first, [&](size_t task, size_t slot) { compare(first + task, slot); });
    const double done = static_cast<double>(end) / static_cast<double>(tasks);
    if (progress) progress(done * done);
  }
  std::vector<RowPair> all = std::move(found.front());
  for (size_t slot = 1; slot < found.size(); ++slot) {
    all.insert(all.end(), found[slot].begin(), found[slot].end());
    found[slot] = {};
  }
  return all;
}

// The near rows of each row, itself not among them, in ascending order.
class Neighbours {
 public:
  Neighbours(size_t rows, const std::vector<RowPair>& pairs) : starts_(rows + 1), others_(2 * pairs.size()) {
    for (const RowPair& pair : pairs) {
      ++starts_[pair.earlier + 1];
      ++starts_[pair.later + 1];
    }
    for (size_t row = 0; row < rows; ++row) starts_[row + 1] += starts_[row];
    std::vector<size_t> next(starts_.begin(), starts_.end() - 1);
    for (const RowPair& pair : pairs) {
      others_[next[pair.earlier]++] = pair.later;
      others_[next[pair.later]++] = pair.earlier;
    }
    for (size_t row = 0; row < rows; ++row) std::sort(others_.data() + starts_[row], others_.data() + starts_[row + 1]);
  }

  std::span<const uint32_t> of(size_t row) const {
    return {others_.data() + starts_[row], starts_[row + 1] - starts_[row]};
  }

 private:
  std::vector<size_t> starts_;
  std::vector<uint32_t> others_;
};

// The row and those near it that are free, by descending cosine.
Community community_of(size_t center, const Neighbours& neighbours, const std::vector<bool>& is_taken,
                       const RowCosines& cosines) {
  std::vector<std::pair<double, size_t>> members;
  for (const size_t other : neighbours.of(center)) {
    if (!is_taken[other]) members.emplace_back(cosines.cosine(center, other), other);
  }
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  Community community{{center}, {1.0}};
  for (const auto& [cosine, row] : members) {
    community.rows.push_back(row);
    community.cosines.push_back(cosine);
  }
  return community;
}

}  // namespace

std::vector<Community> find_communities(std::span<const float> vectors, size_t size, const CommunityOptions& options) {
  check_threshold(options.threshold);
  if (options.least_rows == 0) throw Error(ErrorCode::kInvalidArgument, "least_rows 0, expected 1 or more");
  ThreadPool pool(options.run.threads == 0 ? available_cores() : options.run.threads);
  const RowCosines cosines(vectors, size, pool);
  const size_t rows = cosines.rows();
  if (rows > std::numeric_limits<uint32_t>::max()) {
    throw Error(ErrorCode::kInvalidArgument, std::to_string(rows) + " rows, expected fewer than 2^32");
  }
  const Shortening shortening = choose_shortening(cosines, options.threshold, 0, pool);
  const size_t before_pairs =
      cosines.bytes() + NearRows::bytes(rows, size, shortening, pool.size()) + rows * 4 * sizeof(size_t);
  check_bytes(options.run, before_pairs);
  const size_t most_pairs = options.run.most_bytes == 0 ? std::numeric_limits<size_t>::max()
                                                        : (options.run.most_bytes - before_pairs) / kBytesOfPair;
  std::vector<RowPair> pairs;
  {
    const NearRows near(cosines, options.threshold, shortening, pool);
    pairs = find_pairs(near, most_pairs, pool, options.run.progress);
  }
  const Neighbours neighbours(rows, pairs);
  pairs = {};

  std::vector<size_t> centers;
  for (size_t row = 0; row < rows; ++row) {
    if (neighbours.of(row).size() + 1 >= options.least_rows) centers.push_back(row);
  }
  const auto by_size = [](const auto& size_of) {
    return [size_of](const auto& a, const auto& b) { return size_of(a) > size_of(b); };
  };
  std::stable_sort(centers.begin(), centers.end(), by_size([&](size_t row) { return neighbours.of(row).size(); }));
  std::vector<bool> is_taken(rows);
  std::vector<Community> communities;
  for (const size_t center : centers) {
    if (is_taken[center]) continue;
    Community community = community_of(center, neighbours, is_taken, cosines);
    if (community.rows.size() < options.least_rows) continue;
    for (const size_t row : community.rows) is_taken[row] = true;
    communities.push_back(std::move(community));
  }
  std::stable_sort(communities.begin(), communities.end(),
                   by_size([](const Community& one) { return one.rows.size(); }));
  return communities;
}

}  // namespace bert
