#include "tokenizer/sentencepiece_conversion.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "bert/error.h"
#include "engine/base/json_object.h"
#include "engine/base/quote.h"
#include "tokenizer/byte_level_words.h"

namespace bert {
namespace {

using Kind = SentencePieceFile::Kind;

// Score penalty of "9," and the like if the family splits a number from its comma.
constexpr double kCommaPenalty = 100;

// Only the last two bytes count.
bool is_number_with_comma(std::string_view piece) {
  if (piece.size() < 2 || piece.back() != ',') return false;
  const char before = piece[piece.size() - 2];
  return before >= '0' && before <= '9';
}

struct ScoredPiece {
  std::string text;
  double score;
};

std::vector<ScoredPiece> family_pieces(const SentencePieceFile& file, const TokenizerFamily& family) {
  std::vector<ScoredPiece> result;
  for (const ScoredToken& own : family.pieces.leading) result.push_back({std::string(own.token), own.score});
  for (size_t i = family.pieces.first_piece; i < file.pieces.size(); ++i) {
    const auto& piece = file.pieces[i];
    const double penalty =
        family.pieces.text == PieceText::kPrepared && is_number_with_comma(piece.text) ? kCommaPenalty : 0;
    result.push_back({piece.text, piece.score - penalty});
  }
  if (family.pieces.mask_at_end) result.push_back({std::string(family.mask), 0});
  return result;
}

// The file's name of it, or the family's for a Unigram with leading family tokens.
std::string unknown_token(const SentencePieceFile& file, const TokenizerFamily& family) {
  if (file.kind == Kind::kBpe || family.pieces.leading.empty()) {
    for (const auto& piece : file.pieces) {
      if (piece.type == SentencePieceFile::PieceType::kUnknown) return piece.text;
    }
  }
  return std::string(family.unknown);
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// A piece can be the merge of any two pieces it consists of; the higher its score, the earlier the merge.
std::vector<std::pair<std::string, std::string>> merges_of(const std::vector<ScoredPiece>& pieces,
                                                           const SentencePieceFile& file) {
  std::unordered_map<std::string_view, size_t> ids;
  for (size_t id = 0; id < file.pieces.size(); ++id) ids[file.pieces[id].text] = id;
  struct Merge {
    std::string_view left, right;
    double score;
    size_t left_chars, right_chars;
    size_t left_id, right_id;
  };
  std::vector<Merge> merges, of_piece;
  for (const ScoredPiece& piece : pieces) {
    const std::string_view text = piece.text;
    const auto chars = static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_character));
    of_piece.clear();
    size_t left_chars = 0;
    for (size_t i = 1; i < text.size(); ++i) {
      if (!starts_character(text[i])) continue;
      ++left_chars;
      const auto left = ids.find(text.substr(0, i)), right = ids.find(text.substr(i));
      if (left == ids.end() || right == ids.end()) continue;
      of_piece.push_back({text.substr(0, i), text.substr(i), piece.score, left_chars, chars - left_chars, left->second,
                          right->second});
    }
    std::sort(of_piece.begin(), of_piece.end(), [](const Merge& a, const Merge& b) {
      return std::pair(a.left_id, a.right_id) < std::pair(b.left_id, b.right_id);
    });
    merges.insert(merges.end(), of_piece.begin(), of_piece.end());
  }
  std::stable_sort(merges.begin(), merges.end(), [](const Merge& a, const Merge& b) {
    return std::tuple(a.score, a.left_chars, a.right_chars) > std::tuple(b.score, b.left_chars, b.right_chars);
  });
  std::vector<std::pair<std::string, std::string>> result;
  result.reserve(merges.size());
  for (const Merge& merge : merges) result.emplace_back(merge.left, merge.right);
  return result;
}

}  // namespace

ConvertedModel convert_model(const SentencePieceFile& file, const TokenizerFamily& family, std::string_view source) {
  if (file.kind != Kind::kUnigram && file.kind != Kind::kBpe) {
    throw Error(ErrorCode::kUnsupported, quote(source) + ": a SentencePiece model of " +
                                             (file.kind == Kind::kWord ? "words" : "characters") +
                                             " is not supported, expected Unigram or BPE");
  }
  const std::vector<ScoredPiece> pieces = family_pieces(file, family);
  std::vector<std::string_view> tokens;
  for (const ScoredPiece& piece : pieces) tokens.push_back(piece.text);
  ConvertedModel result{Vocabulary::from_list(tokens, source), {}};
  const std::string unknown_text = unknown_token(file, family);
  const auto unknown = result.vocabulary.id(unknown_text);
  if (!unknown) refuse_file(source, "the unknown token " + quote(unknown_text) + " is not among the pieces");
  if (file.kind == Kind::kBpe) {
    result.settings =
        BpeSettings{.merges = merges_of(pieces, file), .unknown_token = unknown_text, .fuse_unknown = true};
    return result;
  }
  UnigramSettings settings{.unknown_id = *unknown};
  for (const ScoredPiece& piece : pieces) settings.scores.push_back(piece.score);
  result.settings = std::move(settings);
  return result;
}

PieceTextOptions read_piece_text_options(const JsonObject* config, PieceText text) {
  PieceTextOptions options;
  options.lowercase = text == PieceText::kPrepared;
  if (config == nullptr) return options;
  if (text != PieceText::kPlain) {
    options.lowercase = config->nullable_boolean("do_lower_case").value_or(options.lowercase);
  }
  options.keep_accents = config->nullable_boolean("keep_accents").value_or(false);
  options.add_prefix_space = config->nullable_boolean("add_prefix_space").value_or(true);
  options.split_punctuation = config->nullable_boolean("split_by_punct").value_or(false);
  return options;
}

PieceTextSettings piece_text_settings(PieceText text, const PieceTextOptions& options,
                                      std::shared_ptr<const Charsmap> charsmap) {
  PieceTextSettings result;
  TextNormalizer& normalizer = result.normalizer;
  Metaspace words;
  if (text == PieceText::kComposed) {
    if (options.lowercase) normalizer.add(Normalizer{.lowercase = true});
    normalizer.add(Replacement{Pattern::regular_expression(kWhiteSpaceToJoin, "pieces"), " "});
    normalizer.add(NormalForm{.composed = true});
    normalizer.add(StrippedEnds{.left = false, .right = true});
    if (options.split_punctuation) result.splitter.add(PreTokenizer{.isolate_punctuation = true});
    if (!options.add_prefix_space) words.prepend = Metaspace::Prepend::kFirst;
  } else {
    if (text == PieceText::kPrepared) {
      normalizer.add(Replacement{Pattern::text("``"), "\""});
      normalizer.add(Replacement{Pattern::text("''"), "\""});
      if (!options.keep_accents) {
        normalizer.add(NormalForm{.compatibility = true});
        normalizer.add(Normalizer{.strip_marks = true});
      }
      if (options.lowercase) normalizer.add(Normalizer{.lowercase = true});
    }
    if (charsmap != nullptr) normalizer.add(std::move(charsmap));
    result.splitter.add(PreTokenizer{.split_spaces = true});
    if (!options.add_prefix_space) words.prepend = Metaspace::Prepend::kNever;
  }
  result.splitter.add(words);
  result.decoder.steps = {MetaspaceDecoder{words.mark, words.prepend != Metaspace::Prepend::kNever}};
  return result;
}

}  // namespace bert
