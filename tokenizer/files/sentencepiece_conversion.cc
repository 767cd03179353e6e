#include "tokenizer/files/sentencepiece_conversion.h"

#include <string>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "tokenizer/pattern/byte_level_words.h"

namespace bert {
namespace {

// Score penalty of pieces such as "9,", if the family splits a number from its comma.
constexpr double kCommaPenalty = 100;

// Only the last two bytes matter.
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

// Returns the file's name for the unknown token, or the family's if the family has its own leading tokens.
std::string unknown_token(const SentencePieceFile& file, const TokenizerFamily& family) {
  if (family.pieces.leading.empty()) {
    for (const auto& piece : file.pieces) {
      if (piece.type == SentencePieceFile::PieceType::kUnknown) return piece.text;
    }
  }
  return std::string(family.unknown);
}

}  // namespace

std::vector<std::string> extra_tokens(size_t count) {
  std::vector<std::string> tokens;
  for (size_t i = count; i > 0; --i) tokens.push_back("<extra_id_" + std::to_string(i - 1) + ">");
  return tokens;
}

ConvertedModel convert_model(const SentencePieceFile& file, const TokenizerFamily& family, std::string_view source,
                             std::span<const std::string> extra) {
  if (file.kind != SentencePieceFile::Kind::kUnigram) {
    const char* const kind = file.kind == SentencePieceFile::Kind::kBpe    ? "BPE"
                             : file.kind == SentencePieceFile::Kind::kWord ? "words"
                                                                           : "characters";
    throw Error(ErrorCode::kUnsupported, quote_path(source) + ": a SentencePiece model of " + kind +
                                             " is not supported, expected Unigram, or a tokenizer.json");
  }
  std::vector<ScoredPiece> pieces = family_pieces(file, family);
  for (const std::string& token : extra) pieces.push_back({token, 0});
  std::vector<std::string_view> tokens;
  for (const ScoredPiece& piece : pieces) tokens.push_back(piece.text);
  ConvertedModel result{Vocabulary::from_list(tokens, source), {}};
  const std::string unknown_text = unknown_token(file, family);
  const auto unknown = result.vocabulary.id(unknown_text);
  if (!unknown) refuse_file(source, "the unknown token " + quote(unknown_text) + " is not among the pieces");
  result.settings.unknown_id = *unknown;
  for (const ScoredPiece& piece : pieces) result.settings.scores.push_back(piece.score);
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
  Normalizer& normalizer = result.normalizer;
  Metaspace words;
  if (text == PieceText::kComposed) {
    if (options.lowercase) normalizer.add(BertNormalizer{.lowercase = true});
    normalizer.add(Replacement{Pattern::regular_expression(kWhiteSpaceToJoin, "pieces"), " "});
    normalizer.add(NormalForm{.composed = true});
    normalizer.add(StrippedEnds{.left = false, .right = true});
    if (options.split_punctuation) result.pre_tokenizer.add(BertSplitRules{.isolate_punctuation = true});
    if (!options.add_prefix_space) words.prepend = Metaspace::Prepend::kFirst;
  } else {
    if (text == PieceText::kPrepared) {
      normalizer.add(Replacement{Pattern::text("``"), "\""});
      normalizer.add(Replacement{Pattern::text("''"), "\""});
      if (!options.keep_accents) {
        normalizer.add(NormalForm{.compatibility = true});
        normalizer.add(BertNormalizer{.strip_marks = true});
      }
      if (options.lowercase) normalizer.add(BertNormalizer{.lowercase = true});
    }
    if (charsmap != nullptr) normalizer.add(std::move(charsmap));
    result.pre_tokenizer.add(BertSplitRules{.split_spaces = true});
    if (!options.add_prefix_space) words.prepend = Metaspace::Prepend::kNever;
  }
  result.pre_tokenizer.add(words);
  result.decoder.steps = {MetaspaceDecoder{words.mark, words.prepend != Metaspace::Prepend::kNever}};
  return result;
}

}  // namespace bert
