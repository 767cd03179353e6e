#include "program/drawings/distance_positions.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/base/joined.h"
#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"

namespace bert::drawings {

using namespace common;

namespace {

using Drawings = std::vector<Page::Figure>;

std::string number(double value) {
  return value < 100 ? fixed(value, 1) : with_commas(static_cast<size_t>(std::llround(value)));
}

// Returns the number of tokens of a whole rotation.
double turn_of(float frequency) { return 2 * std::numbers::pi / double{frequency}; }

// Returns "0.98 at distance 1 and falls below 0.5 at distance 37".
std::string course_of(const std::vector<double>& cosines) {
  const auto below = std::find_if(cosines.begin(), cosines.end(), [](double cosine) { return cosine < 0.5; });
  return fixed(cosines[std::min<size_t>(1, cosines.size() - 1)], 2) + " at distance 1 and " +
         (below == cosines.end() ? "not below 0.5 up to distance " + with_commas(cosines.size() - 1)
                                 : "falls below 0.5 at distance " + with_commas(below - cosines.begin()));
}

// Returns "In global layers", "For texts of 2,048 tokens".
std::string where_of(const Rotation& rotation) {
  if (rotation.layers.empty()) return "For sinusoids";
  if (rotation.name.starts_with("texts")) return "For " + rotation.name + " tokens";
  return "In " + rotation.name + (rotation.name == "all layers" ? "" : " layers");
}

bool is_local(const ScorePositions& part) { return part.window.has_value(); }

// Returns the distance at which an attention weight is halved.
double half_at(float slope) { return std::numbers::ln2 / double{slope}; }

// Returns -16, -4, -1, 0, 1, 4, 16, and so on, including both ends.
std::vector<ptrdiff_t> signed_distances(size_t farthest) {
  std::vector<ptrdiff_t> distances;
  for (size_t distance = 1; distance < farthest; distance *= 4) distances.push_back(static_cast<ptrdiff_t>(distance));
  if (farthest > 0) distances.push_back(static_cast<ptrdiff_t>(farthest));
  std::vector<ptrdiff_t> result;
  for (auto distance = distances.rbegin(); distance != distances.rend(); ++distance) result.push_back(-*distance);
  result.push_back(0);
  for (const ptrdiff_t distance : distances) result.push_back(distance);
  return result;
}

// Makes a table with a row for each head of each layer, and a column for some distances.
Table bias_table(const std::vector<ScorePositions>& parts, std::vector<float> DistanceBias::*values) {
  const size_t farthest = parts.front().bias->farthest;
  std::vector<Column> columns = {{"layer", Align::kRight}, {"head", Align::kRight}};
  for (const ptrdiff_t distance : signed_distances(farthest)) {
    columns.push_back({std::to_string(distance), Align::kRight});
  }
  Table table(columns);
  for (const ScorePositions& part : parts) {
    const DistanceBias& bias = *part.bias;
    for (size_t head = 0; head < bias.heads; ++head) {
      const float* row = (bias.*values).data() + head * (2 * farthest + 1) + farthest;
      std::vector<std::string> cells = {parts.size() == 1 ? "all" : std::to_string(part.layers.front() + 1),
                                        std::to_string(head + 1)};
      for (const ptrdiff_t distance : signed_distances(farthest)) {
        cells.push_back(fixed(double{row[distance]}, 2));
      }
      table.add(cells);
    }
  }
  return table;
}

}  // namespace

DistancePositions::DistancePositions(ModelConfig config, std::vector<ScorePositions> positions)
    : config_(std::move(config)), parts_(std::move(positions)) {
  for (const DistanceCosines& of : distance_cosines(config_)) {
    rotations_.push_back({name_of(of), of.layers, of.theta, of.frequencies, of.cosines});
  }
}

std::string DistancePositions::name_of(const DistanceCosines& of) const {
  if (of.layers.empty()) return "sinusoids";
  if (of.text_length) return "texts of " + with_commas(*of.text_length);
  return parts_.size() == 1 ? "all layers" : of.window ? "local" : "global";
}

DistancePositions::Section DistancePositions::cosine_section() const {
  std::vector<Column> columns = {{"distance", Align::kRight}};
  size_t farthest = 0;
  for (const Rotation& rotation : rotations_) {
    columns.push_back({rotation.name, Align::kRight});
    farthest = std::max(farthest, rotation.cosines.size() - 1);
  }
  Table table(columns);
  for (const size_t distance : doubling_distances(farthest)) {
    std::vector<std::string> cells = {with_commas(distance)};
    for (const Rotation& rotation : rotations_) {
      cells.push_back(distance < rotation.cosines.size() ? fixed(rotation.cosines[distance], 3) : "");
    }
    table.add(cells);
  }
  const bool are_sinusoids = rotations_.front().layers.empty();
  std::string sentence =
      are_sinusoids ? "The cosine of two position vectors depends on their distance only."
                    : "The score of a query and a key that are equal is multiplied by this number if all pairs of "
                      "their components have the same norm.";
  for (const Rotation& rotation : rotations_) {
    sentence +=
        " " + where_of(rotation) + " (theta " + number(rotation.theta) + ") it is " + course_of(rotation.cosines) + ".";
  }
  return {are_sinusoids ? "sinusoidal positions: mean cosine of two positions, by distance"
                        : "rotary positions: mean cosine of the turns, by distance",
          table, sentence + scaling_sentence(), [&] {
            return Drawings{{"", draw_mean_cosines(rotations_)}};
          }};
}

std::string DistancePositions::scaling_sentence() const {
  const RotaryConfig& rotary = config_.rotary;
  const std::string factor = significant(rotary.factor, 4);
  if (rotations_.front().layers.empty() || rotary.scaling == RotaryScaling::kNone) return "";
  if (rotary.scaling == RotaryScaling::kLinear) {
    return " All turns are slower by the factor " + factor + " (linear scaling).";
  }
  if (rotary.scaling == RotaryScaling::kNtk) {
    return " Scaling 'ntk' with the factor " + factor + ": the slowest pair turns " + factor +
           " times more slowly than without it, the fastest " +
           fixed(std::pow(rotary.factor, 2 / static_cast<double>(config_.head_dim())), 2) + " times.";
  }
  if (rotary.scaling == RotaryScaling::kYarn) {
    return " Pairs that turn less than " + significant(rotary.beta_slow, 4) + " times in " +
           with_commas(rotary.trained_length) + " tokens are slower by the factor " + factor + ", those of more than " +
           significant(rotary.beta_fast, 4) + " turns are not (YaRN).";
  }
  return " Theta grows with each text longer than " + with_commas(rotary.trained_length) +
         " tokens (dynamic scaling): the longer texts' turns are slower.";
}

DistancePositions::Section DistancePositions::sinusoid_section() const {
  const Rotation& rotation = rotations_.front();
  const size_t pairs = std::min<size_t>(3, rotation.frequencies.size());
  std::vector<Column> columns = {{"position", Align::kRight}};
  for (size_t pair = 0; pair < pairs; ++pair) {
    columns.push_back({"sin " + std::to_string(pair), Align::kRight});
    columns.push_back({"cos " + std::to_string(pair), Align::kRight});
  }
  Table table(columns);
  for (const size_t position : {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{10}, size_t{100}}) {
    if (position >= rotation.cosines.size()) break;
    std::vector<std::string> cells = {std::to_string(position)};
    for (size_t pair = 0; pair < pairs; ++pair) {
      const double angle = static_cast<double>(position) * double{rotation.frequencies[pair]};
      cells.push_back(fixed(std::sin(angle), 3));
      cells.push_back(fixed(std::cos(angle), 3));
    }
    table.add(cells);
  }
  return {
      "sinusoidal positions: the vectors of the first places, by pair of components", table,
      "Pair i at place p is the sine and the cosine of p times the pair's frequency. The map shows the sines of all "
      "pairs, a row for each place; the waves are those of four pairs.",
      [&] {
        return Drawings{{"Sines of each pair, by place", draw_sines(rotation)},
                        {"Waves of four pairs", draw_waves(rotation)}};
      }};
}

DistancePositions::Section DistancePositions::turn_section() const {
  std::vector<Column> columns = {{"pair", Align::kRight}};
  for (const Rotation& rotation : rotations_) columns.push_back({rotation.name, Align::kRight});
  Table table(columns);
  const size_t pairs = rotations_.front().frequencies.size(), step = (pairs + 7) / 8;
  const auto add = [&](size_t pair) {
    std::vector<std::string> cells = {std::to_string(pair)};
    for (const Rotation& rotation : rotations_) cells.push_back(number(turn_of(rotation.frequencies[pair])));
    table.add(cells);
  };
  for (size_t pair = 0; pair + 1 < pairs; pair += step) add(pair);
  add(pairs - 1);
  std::vector<std::string> counts;
  for (const Rotation& rotation : rotations_) {
    const auto slow = std::count_if(rotation.frequencies.begin(), rotation.frequencies.end(), [&](float frequency) {
      return turn_of(frequency) > static_cast<double>(rotation.cosines.size());
    });
    counts.push_back(std::to_string(slow) + " of " + std::to_string(pairs) + " (" + rotation.name + ")");
  }
  return {"tokens in a whole turn, by pair of components", table,
          "Pairs without a whole turn within the distances above: " + listed(counts) +
              ". The formula also has angles for places beyond them; config.json names " + with_commas(longest()) +
              " (max_position_embeddings).",
          [&] {
            Drawings drawings;
            for (const Rotation& rotation : rotations_) {
              drawings.push_back({"Cosine of each pair's turn, " + rotation.name, draw_turns(rotation)});
            }
            return drawings;
          }};
}

DistancePositions::Section DistancePositions::slope_section(const ScorePositions& part) const {
  std::vector<Column> columns = {{"head", Align::kRight}, {"slope", Align::kRight}, {"half at", Align::kRight}};
  std::vector<size_t> distances;
  for (size_t distance = 1; distance < longest(); distance *= 4) distances.push_back(distance);
  if (distances.empty() || distances.back() + 1 < longest()) distances.push_back(longest() - 1);
  for (const size_t distance : distances) columns.push_back({with_commas(distance), Align::kRight});
  Table table(columns);
  for (size_t head = 0; head < part.slopes.size(); ++head) {
    const float slope = part.slopes[head];
    std::vector<std::string> cells = {std::to_string(head + 1), significant(double{slope}, 4), number(half_at(slope))};
    for (const size_t distance : distances) {
      cells.push_back(fixed(std::exp(-double{slope} * static_cast<double>(distance)), 3));
    }
    table.add(cells);
  }
  const auto [lowest, highest] = std::minmax_element(part.slopes.begin(), part.slopes.end());
  return {"ALiBi: what an attention weight is multiplied by, by distance", table,
          "A score loses slope · distance, which multiplies the attention weight by e^(-slope · distance) before the "
          "weights are normalised. The steepest head halves it every " +
              number(half_at(*highest)) + " tokens, the flattest every " + number(half_at(*lowest)) +
              ". The formula holds for every distance.",
          [&] {
            return Drawings{{"", draw_slopes(part.slopes, longest())}};
          }};
}

DistancePositions::Section DistancePositions::bias_section() const {
  const ScorePositions* widest_part = nullptr;
  size_t widest_head = 0;
  double widest = -1;
  for (const ScorePositions& part : parts_) {
    const size_t count = 2 * part.bias->farthest + 1;
    for (size_t head = 0; head < part.bias->heads; ++head) {
      const auto row = part.bias->values.begin() + static_cast<ptrdiff_t>(head * count);
      const auto [lowest, highest] = std::minmax_element(row, row + static_cast<ptrdiff_t>(count));
      const double range = double{*highest} - double{*lowest};
      if (range <= widest) continue;
      widest = range;
      widest_part = &part;
      widest_head = head;
    }
  }
  const bool has_vectors = !parts_.front().bias->spread.empty();
  return {"relative positions: what a score gains by distance (place of the key minus that of the query)",
          bias_table(parts_, &DistanceBias::values),
          std::string(has_vectors ? "This is the part that is the same for all tokens, from the biases of queries and "
                                    "keys. "
                                  : "") +
              "It varies most in head " + std::to_string(widest_head + 1) +
              (parts_.size() == 1 ? "" : " of layer " + std::to_string(widest_part->layers.front() + 1)) + ": by " +
              fixed(widest, 2) + ", which changes an attention weight by a factor of " +
              significant(std::exp(widest), 3) + ". Distances beyond " + with_commas(parts_.front().bias->farthest) +
              " have the value of " + with_commas(parts_.front().bias->farthest) + ".",
          [&] {
            return Drawings{{"", draw_bias(parts_, &DistanceBias::values)}};
          }};
}

DistancePositions::Section DistancePositions::spread_section() const {
  return {"the part that depends on the tokens: its standard deviation, by distance",
          bias_table(parts_, &DistanceBias::spread),
          "For queries and keys with independent components of variance 1: the norm of the vectors for the distance, "
          "scaled as a score is.",
          [&] {
            return Drawings{{"", draw_bias(parts_, &DistanceBias::spread)}};
          }};
}

DistancePositions::Section DistancePositions::window_section() const {
  const std::vector<LayerReach> layers = layer_reach(parts_);
  const auto local = std::count_if(layers.begin(), layers.end(), [](const LayerReach& of) { return of.window; });
  Table table({{"layer", Align::kRight}, {"sees", Align::kRight}, {"reach", Align::kRight}});
  const auto cell = [](const std::optional<size_t>& places) { return places ? with_commas(*places) : "all"; };
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    table.add({std::to_string(layer + 1), cell(layers[layer].window), cell(layers[layer].reach)});
  }
  const auto all = std::find_if(layers.begin(), layers.end(), [](const LayerReach& of) { return !of.reach; });
  return {"windows: how many places away a token sees in a layer, and can depend on after it", table,
          std::to_string(local) + " of " + std::to_string(layers.size()) +
              " layers are local: a token sees those at most " + with_commas(config_.local_distance) +
              " places away there. " +
              (all == layers.end() ? "No layer is global: the last layer's vectors depend on tokens at most " +
                                         with_commas(*layers.back().reach) + " places away."
                                   : "From layer " + std::to_string(all - layers.begin() + 1) +
                                         " on, a token can depend on every other one.")};
}

std::vector<DistancePositions::Section> DistancePositions::sections() const {
  std::vector<Section> sections;
  if (!rotations_.empty()) {
    sections.push_back(cosine_section());
    if (rotations_.front().layers.empty()) sections.push_back(sinusoid_section());
    sections.push_back(turn_section());
  }
  const ScorePositions& first = parts_.front();
  if (!first.slopes.empty()) sections.push_back(slope_section(first));
  if (first.bias) sections.push_back(bias_section());
  if (first.bias && !first.bias->spread.empty()) sections.push_back(spread_section());
  if (std::any_of(parts_.begin(), parts_.end(), is_local)) sections.push_back(window_section());
  return sections;
}

std::string DistancePositions::answer() const {
  std::vector<std::string> kinds;
  if (!rotations_.empty()) {
    kinds.push_back(rotations_.front().layers.empty() ? "sinusoidal positions" : "rotary positions");
  }
  if (!parts_.front().slopes.empty()) kinds.push_back("ALiBi");
  if (parts_.front().bias) kinds.push_back("relative positions");
  if (std::any_of(parts_.begin(), parts_.end(), is_local)) kinds.push_back("windows");
  return "The distance enters the score by " + listed(kinds) + ".";
}

std::string DistancePositions::text(const TextStyle& style) const {
  return joined(sections(), "\n\n", [&](const Section& section) {
    return section.title + "\n" + section.table.text(style) + "\n" + section.sentence;
  });
}

void DistancePositions::add_section(Page& page, const Section& section) {
  std::string title = section.title;
  if (title.front() >= 'a' && title.front() <= 'z') title.front() += 'A' - 'a';
  page.section(title, section.sentence);
  if (section.drawings) page.drawings(section.drawings());
  page.table(section.table);
}

void DistancePositions::add_main(Page& page) const { add_section(page, sections().front()); }

void DistancePositions::add_details(Page& page) const {
  const std::vector<Section> all = sections();
  for (size_t i = 1; i < all.size(); ++i) add_section(page, all[i]);
}

}  // namespace bert::drawings
