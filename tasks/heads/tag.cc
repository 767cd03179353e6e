// Token classification: converts logits to entities, by all rules of the reference's pipeline.
#include <algorithm>

#include "bert/offsets.h"
#include "bert/tasks.h"
#include "engine/base/utf8.h"
#include "tasks/heads/check_logits.h"
#include "tasks/heads/tag_path.h"

namespace bert {
namespace {

// A token or a word, with a score for each label.
struct Piece {
  std::string word;
  std::vector<double> scores;
  size_t start;
  size_t end;
  bool goes_on;  // continues the word of the previous piece
};

// Returns a word's label scores, from those of its tokens, at least one.
std::vector<double> scores_of_word(const std::vector<std::vector<double>>& tokens, Aggregation aggregation) {
  if (aggregation == Aggregation::kMax) {
    return *std::max_element(tokens.begin(), tokens.end(),
                             [](const auto& a, const auto& b) { return a[best_of(a)] < b[best_of(b)]; });
  }
  std::vector<double> scores = tokens[0];
  if (aggregation != Aggregation::kAverage) return scores;
  for (size_t label = 0; label < scores.size(); ++label) {
    double sum = 0;
    for (const std::vector<double>& token : tokens) sum += token[label];
    scores[label] = sum / static_cast<double>(tokens.size());
  }
  return scores;
}

// The letters of a tagging scheme.
struct Letters {
  char last;
  char alone;
};

constexpr Letters kBioesLetters{'E', 'S'}, kBilouLetters{'L', 'U'};

// Returns the letter before a label's kind; 0: none.
char letter_of(std::string_view label) { return label.size() > 2 && label[1] == '-' ? label[0] : '\0'; }

// Returns whether all labels use this scheme, and at least one a letter that IOB lacks.
bool has_letters(const ModelConfig& config, Letters letters) {
  bool has_own = false;
  for (size_t i = 0; i < config.labels.size(); ++i) {
    const std::string label = label_of(config, i);
    const char letter = letter_of(label);
    const bool is_own = letter == letters.last || letter == letters.alone;
    if (label != "O" && letter != 'B' && letter != 'I' && !is_own) return false;
    has_own |= is_own;
  }
  return has_own;
}

class Tagger {
 public:
  Tagger(const Model& model, std::string_view text, TagScheme scheme)
      : tokenizer_(model.tokenizer()), config_(model.config()), text_(text) {
    if (scheme == TagScheme::kFromLabels) scheme = tag_scheme(config_);
    decodes_ = scheme == TagScheme::kBioes && config_.tag_biases.has_value();
    if (scheme == TagScheme::kBioes) letters_ = kBioesLetters;
    if (scheme == TagScheme::kBilou) letters_ = kBilouLetters;
    unknown_ = tokenizer_.unknown_id();
    has_pieces_ = !tokenizer_.continuing_prefix().empty();
  }

  std::vector<Entity> entities(const TokenLogits& window, Aggregation aggregation) const {
    std::vector<Piece> pieces = pieces_of(window);
    if (aggregation != Aggregation::kNone && aggregation != Aggregation::kSimple) pieces = words(pieces, aggregation);
    const std::vector<size_t> labels = labels_of(pieces);
    std::vector<Entity> found;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      found.push_back({label_of(config_, labels[i]), piece.scores[labels[i]], piece.word, piece.start, piece.end});
    }
    if (aggregation != Aggregation::kNone) found = groups(found);
    std::erase_if(found, [](const Entity& entity) { return entity.entity == "O"; });
    return found;
  }

 private:
  std::vector<size_t> labels_of(const std::vector<Piece>& pieces) const {
    if (decodes_) {
      std::vector<std::vector<double>> scores;
      for (const Piece& piece : pieces) scores.push_back(piece.scores);
      return best_tag_path(config_, *config_.tag_biases, scores);
    }
    std::vector<size_t> labels;
    for (const Piece& piece : pieces) labels.push_back(best_of(piece.scores));
    return labels;
  }

  std::vector<Piece> pieces_of(const TokenLogits& window) const {
    const Encoding& encoding = *window.encoding;
    check_encoding(encoding);
    check_logits(*window.logits, encoding.size(), config_.labels.size(), "tokens");
    std::vector<Piece> pieces;
    for (size_t i = 0; i < encoding.size(); ++i) {
      if (encoding.special_tokens_mask[i] != 0) continue;
      check_offset(encoding, i, text_.size());
      const Offset offset = encoding.offsets[i];
      const std::string_view source = text_.substr(offset.begin, offset.end - offset.begin);
      const size_t outputs = window.logits->outputs;
      Piece piece{.word = std::string(tokenizer_.token(encoding.ids[i])),
                  .scores = softmax(std::span(window.logits->values).subspan(i * outputs, outputs)),
                  .start = offset.begin,
                  .end = offset.end,
                  .goes_on = false};
      // A continuation piece is longer than its text because of "##"; in vocabularies without such pieces, a
      // continuation is a piece without a space before it.
      piece.goes_on = has_pieces_
                          ? count_characters(piece.word) != count_characters(source)
                          : offset.begin > 0 && text_.substr(offset.begin - 1, 2).find(' ') == std::string::npos;
      if (encoding.ids[i] == unknown_) {
        piece.word = source;
        piece.goes_on = false;
      }
      pieces.push_back(std::move(piece));
    }
    return pieces;
  }

  std::vector<Piece> words(const std::vector<Piece>& pieces, Aggregation aggregation) const {
    std::vector<Piece> words;
    for (size_t begin = 0; begin < pieces.size();) {
      size_t end = begin + 1;
      while (end < pieces.size() && pieces[end].goes_on) ++end;
      words.push_back(
          word({pieces.begin() + static_cast<std::ptrdiff_t>(begin), pieces.begin() + static_cast<std::ptrdiff_t>(end)},
               aggregation));
      begin = end;
    }
    return words;
  }

  Piece word(const std::vector<Piece>& pieces, Aggregation aggregation) const {
    std::vector<std::string> tokens;
    std::vector<std::vector<double>> scores;
    for (const Piece& piece : pieces) {
      tokens.push_back(piece.word);
      scores.push_back(piece.scores);
    }
    return {.word = tokenizer_.join(tokens),
            .scores = scores_of_word(scores, aggregation),
            .start = pieces.front().start,
            .end = pieces.back().end,
            .goes_on = false};
  }

  // Returns whether the entity with the first label continues with the second label.
  bool goes_on(std::string_view label, std::string_view next) const {
    if (!letters_) return !begins(next) && kind(next) == kind(label);
    const char before = letter_of(label), letter = letter_of(next);
    return (before == 'B' || before == 'I') && (letter == 'I' || letter == letters_->last) &&
           next.substr(2) == label.substr(2);
  }

  // For IOB: returns whether a label begins an entity; a label without a prefix counts as "I".
  static bool begins(std::string_view label) { return label.starts_with("B-"); }
  static std::string_view kind(std::string_view label) {
    return label.starts_with("B-") || label.starts_with("I-") ? label.substr(2) : label;
  }

  std::vector<Entity> groups(const std::vector<Entity>& entities) const {
    std::vector<Entity> groups;
    for (size_t begin = 0; begin < entities.size();) {
      size_t end = begin + 1;
      while (end < entities.size() && goes_on(entities[end - 1].entity, entities[end].entity)) ++end;
      const std::string& label = entities[begin].entity;
      const size_t dash = label.find('-');
      Entity group{dash == std::string::npos ? label : label.substr(dash + 1), 0, "", entities[begin].start,
                   entities[end - 1].end};
      std::vector<std::string> tokens;
      for (size_t i = begin; i < end; ++i) {
        tokens.push_back(entities[i].word);
        group.score += entities[i].score / static_cast<double>(end - begin);
      }
      group.word = tokenizer_.join(tokens);
      groups.push_back(std::move(group));
      begin = end;
    }
    return groups;
  }

  const Tokenizer& tokenizer_;
  const ModelConfig& config_;
  std::string_view text_;
  std::optional<Letters> letters_;  // nullopt: IOB
  bool decodes_ = false;            // labels are decoded with config_.tag_biases
  std::optional<int32_t> unknown_;
  bool has_pieces_ = false;
};

// Lengths are compared in code points, as in the reference.
std::vector<Entity> without_overlaps(std::vector<Entity> entities) {
  const auto length_of = [](const Entity& entity) { return entity.code_point_end - entity.code_point_start; };
  std::stable_sort(entities.begin(), entities.end(),
                   [](const Entity& a, const Entity& b) { return a.start < b.start; });
  std::vector<Entity> kept;
  // The reference also compares the first entity with itself, so it lists an empty one twice; byte-level BPE's token of
  // a space can be empty.
  if (!entities.empty() && entities[0].start == entities[0].end) kept.push_back(entities[0]);
  for (Entity& entity : entities) {
    if (kept.empty() || entity.start >= kept.back().end) {
      kept.push_back(std::move(entity));
      continue;
    }
    const size_t length = length_of(entity), other = length_of(kept.back());
    if (length > other || (length == other && entity.score > kept.back().score)) kept.back() = std::move(entity);
  }
  return kept;
}

}  // namespace

TagScheme tag_scheme(const ModelConfig& config) {
  if (has_letters(config, kBioesLetters)) return TagScheme::kBioes;
  return has_letters(config, kBilouLetters) ? TagScheme::kBilou : TagScheme::kIob;
}

std::vector<Entity> find_entities(const Model& model, std::string_view text, std::span<const TokenLogits> windows,
                                  Aggregation aggregation, TagScheme scheme) {
  const Tagger tagger(model, text, scheme);
  const OffsetUnits points(text, OffsetUnit::kCodePoints);
  std::vector<Entity> all;
  for (const TokenLogits& window : windows) {
    std::vector<Entity> found = tagger.entities(window, aggregation);
    for (Entity& entity : found) {
      entity.code_point_start = points.before(entity.start);
      entity.code_point_end = points.before(entity.end);
    }
    all.insert(all.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  return windows.size() > 1 ? without_overlaps(std::move(all)) : all;
}

std::vector<WordLabel> label_words(const Model& model, const TokenLogits& sequence, size_t count,
                                   Aggregation aggregation) {
  if (aggregation == Aggregation::kNone || aggregation == Aggregation::kSimple) {
    throw Error(ErrorCode::kInvalidArgument, "words have the aggregations first, average and max, not none and simple");
  }
  const Encoding& encoding = *sequence.encoding;
  const ModelConfig& config = model.config();
  check_encoding(encoding);
  check_logits(*sequence.logits, encoding.size(), config.labels.size(), "tokens");
  std::vector<std::vector<std::vector<double>>> tokens(count);
  const size_t outputs = sequence.logits->outputs;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.special_tokens_mask[i] != 0) continue;
    const auto word = static_cast<size_t>(encoding.word_ids[i]);
    if (word >= count) {
      throw Error(ErrorCode::kInvalidArgument, "token " + std::to_string(i) + " belongs to word " +
                                                   std::to_string(encoding.word_ids[i]) + " of " +
                                                   std::to_string(count));
    }
    tokens[word].push_back(softmax(std::span(sequence.logits->values).subspan(i * outputs, outputs)));
  }
  std::vector<WordLabel> labels(count);
  for (size_t i = 0; i < count; ++i) {
    if (tokens[i].empty()) continue;
    const std::vector<double> scores = scores_of_word(tokens[i], aggregation);
    const size_t best = best_of(scores);
    labels[i] = {label_of(config, best), scores[best]};
  }
  return labels;
}

}  // namespace bert
