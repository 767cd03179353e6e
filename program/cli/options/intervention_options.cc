#include "program/cli/options/intervention_options.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "program/cli/common.h"

namespace bert::cli {
namespace {

// Returns two numbers >= 0 with `between` between them.
std::optional<std::pair<size_t, size_t>> two_numbers(std::string_view text, char between) {
  std::pair<size_t, size_t> numbers;
  const size_t at = text.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  const auto read = [](std::string_view digits, size_t& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  if (!read(text.substr(0, at), numbers.first) || !read(text.substr(at + 1), numbers.second)) return std::nullopt;
  return numbers;
}

std::vector<HeadChoice> heads_of(std::string_view list) {
  std::vector<HeadChoice> heads;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    const auto numbers = two_numbers(one, '.');
    if (!numbers) {
      throw ValueError("--without-heads",
                       in_quotes(std::string(one)) + ": expected LAYER.HEAD with commas between, counted from 0");
    }
    heads.push_back({numbers->first, numbers->second});
    list.remove_prefix(std::min(one.size() + 1, list.size()));
  }
  return heads;
}

// "LAYER.POSITION", or "LAYER.POSITION=OTHER", where OTHER is the position in the other text.
struct PatchPlace {
  size_t layer, position, other;
};
PatchPlace place_of(const std::string& text) {
  const size_t equals = text.find('=');
  const auto numbers = two_numbers(std::string_view(text).substr(0, equals), '.');
  size_t other = numbers ? numbers->second : 0;
  bool is_read = numbers.has_value();
  if (equals != std::string::npos) {
    const auto [end, error] = std::from_chars(text.data() + equals + 1, text.data() + text.size(), other);
    is_read = is_read && error == std::errc() && end == text.data() + text.size();
  }
  if (is_read) return {numbers->first, numbers->second, other};
  throw ValueError("--patch", in_quotes(text) + ": expected LAYER.POSITION or LAYER.POSITION=POSITION, counted from 0");
}

Patch patch_of(const PatchPlace& place, const EncodedText& other, const Model& model) {
  const size_t layers = model.config().num_hidden_layers;
  if (place.layer > layers) {
    throw Error(ErrorCode::kInvalidArgument, "--patch: layer " + std::to_string(place.layer) +
                                                 ", expected 0 (the embeddings) to " + std::to_string(layers));
  }
  if (place.other >= other.tokens) {
    throw Error(ErrorCode::kInvalidArgument, "--patch: token " + std::to_string(place.other) +
                                                 " of --patch-from, expected 0 to " + std::to_string(other.tokens - 1));
  }
  const auto begin = other.hidden_states.begin() +
                     static_cast<std::ptrdiff_t>((place.layer * other.tokens + place.other) * other.hidden);
  return {place.layer, place.position, {begin, begin + static_cast<std::ptrdiff_t>(other.hidden)}};
}

}  // namespace

void declare_ablation(OptionTable& table, Ablation& ablation, const std::string& help) {
  table.choice<Ablation>("--ablation", {{"zero", Ablation::kZero}, {"mean", Ablation::kMean}}, ablation, help);
}

void declare_interventions(OptionTable& table, InterventionOptions& chosen) {
  table.begin_group("Experiments");
  table.text("--without-heads", chosen.heads, "LAYER.HEAD,…",
             "the outputs of these attention heads are removed; both numbers count from 0");
  declare_ablation(table, chosen.ablation,
                   "what takes the place of removed outputs: zeros, or their mean over the text's tokens (default: "
                   "zero)");
  table.texts("--patch", chosen.patches, "LAYER.POSITION",
              "after this layer (0: the embeddings) the token at this position, counted from 0, gets the vector that "
              "--patch-from has there; LAYER.POSITION=OTHER takes that of its token OTHER");
  table.text("--patch-from", chosen.patch_text, "TEXT", "the text that --patch takes vectors of");
}

Model changed_model(Model model, const InterventionOptions& chosen) {
  if (chosen.patches.empty() != !chosen.patch_text) throw UsageError("--patch and --patch-from belong together");
  if (chosen.ablation != Ablation::kZero && chosen.heads.empty()) throw UsageError("--ablation is for --without-heads");
  if (chosen.heads.empty() && chosen.patches.empty()) return model;
  Interventions interventions{.heads = heads_of(chosen.heads), .ablation = chosen.ablation};
  std::vector<PatchPlace> places;
  for (const std::string& patch : chosen.patches) places.push_back(place_of(patch));
  if (!places.empty()) {
    const EncodedText other = model.encode(*chosen.patch_text, EncodeOptions{.hidden_states = true});
    for (const PatchPlace& place : places) interventions.patches.push_back(patch_of(place, other, model));
  }
  return intervene(model, std::move(interventions));
}

}  // namespace bert::cli
