// find_communities: first counts the rows near each row; then the centres with the most rows take theirs. Equal rows
// are compared once.
#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bert/clusters.h"
#include "bert/error.h"
#include "engine/base/cpu.h"
#include "tasks/search/cluster_run.h"
#include "tasks/search/near_rows.h"

namespace bert {
namespace {

constexpr size_t kTasksAtOnce = 64;          // between two calls of progress
constexpr size_t kMembersAtOnce = 1u << 18;  // of the centres that are processed together, or of one centre
constexpr double kCountingPart = 0.8;        // approximate share of the work

// The different rows, and which rows are equal to each. Rows of zeros stay separate, because their cosine with each
// other is 0.
struct DistinctRows {
  std::vector<float> copies;                  // the different rows; empty if all rows differ
  std::vector<std::vector<uint32_t>> places;  // indices of the rows equal to each different row, ascending
};

DistinctRows distinct_rows(std::span<const float> vectors, size_t size) {
  const size_t rows = vectors.size() / size;
  DistinctRows distinct;
  std::unordered_map<std::string_view, size_t> known;
  for (size_t row = 0; row < rows; ++row) {
    const std::span<const float> numbers = vectors.subspan(row * size, size);
    const bool is_zero = std::all_of(numbers.begin(), numbers.end(), [](float number) { return number == 0; });
    size_t index = distinct.places.size();
    if (!is_zero) {
      const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
      index = known.try_emplace(bytes, index).first->second;
    }
    if (index == distinct.places.size()) distinct.places.emplace_back();
    distinct.places[index].push_back(static_cast<uint32_t>(row));
  }
  if (distinct.places.size() == rows) return distinct;
  for (const std::vector<uint32_t>& places : distinct.places) {
    const std::span<const float> numbers = vectors.subspan(places.front() * size, size);
    distinct.copies.insert(distinct.copies.end(), numbers.begin(), numbers.end());
  }
  return distinct;
}

class Communities {
 public:
  Communities(const NearRows& near, const std::vector<std::vector<uint32_t>>& places, const CommunityOptions& options,
              ThreadPool& pool)
      : near_(near), places_(places), options_(options), pool_(pool), rooms_(pool.size()) {}

  std::vector<Community> find() {
    const std::vector<uint32_t> sizes = near_sizes();
    std::vector<uint32_t> centers;
    for (uint32_t row = 0; row < sizes.size(); ++row) {
      if (sizes[row] >= options_.least_rows) centers.push_back(row);
    }
    std::stable_sort(centers.begin(), centers.end(), [&](uint32_t a, uint32_t b) { return sizes[a] > sizes[b]; });
    is_taken_.resize(sizes.size());
    std::vector<Community> communities;
    for (size_t next = 0; next < centers.size();) {
      std::vector<uint32_t> together;
      for (size_t members = 0; next < centers.size() && together.size() < NearRows::kRight; ++next) {
        if (is_taken_[centers[next]]) continue;
        members += sizes[centers[next]];
        if (members > kMembersAtOnce && !together.empty()) break;
        together.push_back(centers[next]);
      }
      take(together, communities);
      const double done = static_cast<double>(next) / static_cast<double>(centers.size());
      report(kCountingPart + (1 - kCountingPart) * done);
    }
    report(1);
    std::stable_sort(communities.begin(), communities.end(),
                     [](const Community& a, const Community& b) { return a.rows.size() > b.rows.size(); });
    return communities;
  }

  // Returns the memory for this many different rows, without what NearRows needs.
  static size_t bytes(size_t rows, size_t size, size_t threads) {
    return rows * (threads + 3) * sizeof(uint32_t) + 2 * std::max(kMembersAtOnce, rows) * sizeof(Member) +
           NearRows::kRight * size * sizeof(float);
  }

 private:
  struct Member {
    double cosine;
    uint32_t center, row;  // center: index among the centres that are processed together
  };

  void report(double done) const {
    if (options_.run.progress) options_.run.progress(done);
  }

  // Returns an upper bound of the rows of each different row's community, including itself and equal rows.
  std::vector<uint32_t> near_sizes() {
    const ConstMatrixView rows = near_.rows();
    std::vector<std::vector<uint32_t>> counts(pool_.size(), std::vector<uint32_t>(rows.rows));
    const auto count = [&](size_t task, size_t slot) {
      const size_t begin = task * NearRows::kRight, width = std::min(NearRows::kRight, rows.rows - begin);
      near_.scan(rows.row_range(0, begin + width), rows.row_range(begin, width), rooms_[slot], [&](size_t i, size_t j) {
        const size_t other = begin + j;
        if (i >= other || near_.cosines().cosine(i, other) < near_.threshold()) return;
        counts[slot][i] += static_cast<uint32_t>(places_[other].size());
        counts[slot][other] += static_cast<uint32_t>(places_[i].size());
      });
    };
    const size_t tasks = (rows.rows + NearRows::kRight - 1) / NearRows::kRight;
    for (size_t first = 0; first < tasks; first += kTasksAtOnce) {
      const size_t end = std::min(tasks, first + kTasksAtOnce);
      pool_.run(end - first, [&](size_t task, size_t slot) { count(first + task, slot); });
      const double done = static_cast<double>(end) / static_cast<double>(tasks);
      report(kCountingPart * done * done);
    }
    std::vector<uint32_t> sizes(rows.rows);
    for (size_t row = 0; row < rows.rows; ++row) {
      sizes[row] = static_cast<uint32_t>(places_[row].size());
      for (const std::vector<uint32_t>& own : counts) sizes[row] += own[row];
    }
    return sizes;
  }

  // Returns the free rows near each of these free centres.
  std::vector<Member> members_of(const std::vector<uint32_t>& centers) {
    const ConstMatrixView rows = near_.rows();
    Matrix block(centers.size(), rows.cols);
    for (size_t i = 0; i < centers.size(); ++i) {
      std::memcpy(block.view().row(i), rows.row(centers[i]), rows.cols * sizeof(float));
    }
    std::vector<std::vector<Member>> found(pool_.size());
    pool_.run((rows.rows + NearRows::kLeft - 1) / NearRows::kLeft, [&](size_t task, size_t slot) {
      const size_t begin = task * NearRows::kLeft, count = std::min(NearRows::kLeft, rows.rows - begin);
      const ConstMatrixView right = std::as_const(block).view();
      near_.scan(rows.row_range(begin, count), right, rooms_[slot], [&](size_t i, size_t j) {
        const size_t row = begin + i;
        if (is_taken_[row] || row == centers[j]) return;
        const double cosine = near_.cosines().cosine(centers[j], row);
        if (cosine < near_.threshold()) return;
        found[slot].push_back({cosine, static_cast<uint32_t>(j), static_cast<uint32_t>(row)});
      });
    });
    for (size_t slot = 1; slot < found.size(); ++slot) {
      found.front().insert(found.front().end(), found[slot].begin(), found[slot].end());
      found[slot] = {};
    }
    return std::move(found.front());
  }

  // Adds the communities of these centres, in order.
  void take(const std::vector<uint32_t>& centers, std::vector<Community>& communities) {
    std::vector<Member> members = members_of(centers);
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.center < b.center; });
    const Member* begin = members.data();
    const Member* const all_end = begin + members.size();
    for (uint32_t center = 0; center < centers.size(); ++center) {
      const Member* const end = std::find_if(begin, all_end, [&](const Member& one) { return one.center != center; });
      if (!is_taken_[centers[center]]) add(centers[center], {begin, end}, communities);
      begin = end;
    }
  }

  void add(uint32_t center, std::span<const Member> near, std::vector<Community>& communities) {
    std::vector<std::pair<double, uint32_t>> rows;  // without the centre
    const auto put = [&](uint32_t distinct, double cosine) {
      for (const uint32_t place : places_[distinct]) rows.emplace_back(cosine, place);
    };
    put(center, 1.0);
    rows.erase(rows.begin());
    for (const Member& one : near) {
      if (!is_taken_[one.row]) put(one.row, one.cosine);
    }
    if (rows.size() + 1 < options_.least_rows) return;
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    Community& community = communities.emplace_back(Community{{places_[center].front()}, {1.0}});
    for (const auto& [cosine, row] : rows) {
      community.rows.push_back(row);
      community.cosines.push_back(cosine);
    }
    is_taken_[center] = true;
    for (const Member& one : near) is_taken_[one.row] = true;
  }

  const NearRows& near_;
  const std::vector<std::vector<uint32_t>>& places_;
  const CommunityOptions& options_;
  ThreadPool& pool_;
  std::deque<NearRows::Room> rooms_;
  std::vector<bool> is_taken_;  // for each different row
};

}  // namespace

std::vector<Community> find_communities(std::span<const float> vectors, size_t size, const CommunityOptions& options) {
  check_threshold(options.threshold);
  if (options.least_rows == 0) throw Error(ErrorCode::kInvalidArgument, "least_rows 0, expected 1 or more");
  const size_t rows = whole_vectors(vectors.size(), size);
  if (rows > std::numeric_limits<uint32_t>::max()) {
    throw Error(ErrorCode::kInvalidArgument, std::to_string(rows) + " rows, expected fewer than 2^32");
  }
  ThreadPool pool(options.run.threads == 0 ? available_cores() : options.run.threads);
  RowCosines cosines(vectors, size, pool);  // throws for a row that is not finite, and names its number
  const DistinctRows distinct = distinct_rows(vectors, size);
  if (!distinct.copies.empty()) cosines = RowCosines(distinct.copies, size, pool);
  const Shortening shortening = choose_shortening(cosines, options.threshold, 0, pool);
  check_bytes(options.run, cosines.bytes() + NearRows::bytes(cosines.rows(), size, shortening, pool.size()) +
                               distinct.copies.size() * sizeof(float) + rows * 2 * sizeof(size_t) +
                               Communities::bytes(cosines.rows(), size, pool.size()));
  const NearRows near(cosines, options.threshold, shortening, pool);
  return Communities(near, distinct.places, options, pool).find();
}

}  // namespace bert
