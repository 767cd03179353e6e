#include "bert/windows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "bert/error.h"

namespace bert {
namespace {

// An entity of one window, and its distance in bytes from the window's edges inside the text.
struct Reading {
  size_t window;
  size_t distance;
  Entity entity;
};

std::vector<Reading> readings_of(std::vector<WindowEntities> windows) {
  std::vector<Reading> readings;
  for (size_t i = 0; i < windows.size(); ++i) {
    const Offset place = windows[i].place;
    for (Entity& entity : windows[i].entities) {
      const size_t before = i == 0 ? SIZE_MAX : entity.start - std::min(entity.start, place.begin);
      const size_t after = i + 1 == windows.size() ? SIZE_MAX : place.end - std::min(place.end, entity.end);
      readings.push_back({i, std::min(before, after), std::move(entity)});
    }
  }
  return readings;
}

// The kept entities, sorted by their beginnings. Only those that begin within the longest one's length can overlap
// another.
class Kept {
 public:
  bool conflicts(const Reading& reading) const {
    const size_t first = reading.entity.start - std::min(reading.entity.start, longest_);
    for (auto at = by_start_.lower_bound(first); at != by_start_.end() && at->first < reading.entity.end; ++at) {
      const Reading& other = *at->second;
      if (other.window != reading.window && other.entity.end > reading.entity.start) return true;
    }
    return false;
  }
  void add(const Reading& reading) {
    by_start_.emplace(reading.entity.start, &reading);
    longest_ = std::max(longest_, reading.entity.end - reading.entity.start);
  }

 private:
  std::multimap<size_t, const Reading*> by_start_;
  size_t longest_ = 0;
};

}  // namespace

std::vector<Entity> merge_windows(std::vector<WindowEntities> windows) {
  if (windows.size() == 1) return std::move(windows.front().entities);
  std::vector<Reading> readings = readings_of(std::move(windows));
  std::stable_sort(readings.begin(), readings.end(), [](const Reading& a, const Reading& b) {
    return a.distance != b.distance ? a.distance > b.distance : a.entity.score > b.entity.score;
  });
  Kept kept;
  std::vector<bool> stays(readings.size());
  for (size_t i = 0; i < readings.size(); ++i) {
    stays[i] = !kept.conflicts(readings[i]);
    if (stays[i]) kept.add(readings[i]);
  }
  std::vector<Reading*> in_order;
  for (size_t i = 0; i < readings.size(); ++i) {
    if (stays[i]) in_order.push_back(&readings[i]);
  }
  std::stable_sort(in_order.begin(), in_order.end(), [](const Reading* a, const Reading* b) {
    return std::pair(a->entity.start, a->entity.end) < std::pair(b->entity.start, b->entity.end);
  });
  std::vector<Entity> entities;
  for (Reading* reading : in_order) entities.push_back(std::move(reading->entity));
  return entities;
}

std::vector<LabelScore> merge_windows(std::span<const std::vector<LabelScore>> windows, WindowScores how) {
  if (windows.empty()) throw Error(ErrorCode::kInvalidArgument, "no windows, expected at least one");
  std::vector<LabelScore> merged = windows.front();
  if (windows.size() == 1) return merged;
  std::multimap<std::string, LabelScore*> by_label;  // equal labels are in the first window's order
  for (LabelScore& label : merged) by_label.emplace(label.label, &label);
  for (const std::vector<LabelScore>& window : windows.subspan(1)) {
    std::map<std::string, size_t> seen;
    for (const LabelScore& label : window) {
      const auto [first, end] = by_label.equal_range(label.label);
      auto found = first;
      for (size_t i = seen[label.label]++; found != end && i > 0; --i) ++found;
      if (found == end || window.size() != merged.size()) {
        throw Error(ErrorCode::kInvalidArgument, "windows with other labels, expected those of the first window");
      }
      double& score = found->second->score;
      score = how == WindowScores::kMean ? score + label.score : std::max(score, label.score);
    }
  }
  if (how == WindowScores::kMean) {
    for (LabelScore& label : merged) label.score /= static_cast<double>(windows.size());
  }
  std::stable_sort(merged.begin(), merged.end(),
                   [](const LabelScore& a, const LabelScore& b) { return a.score > b.score; });
  return merged;
}

}  // namespace bert
