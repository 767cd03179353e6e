#include "tokenizer/files/tokenizer_json_loader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/quote.h"
#include "tokenizer/files/special_tokens.h"
#include "tokenizer/files/tokenizer_class.h"
#include "tokenizer/files/tokenizer_json.h"

namespace bert {
namespace {

// Returns added_tokens_decoder of tokenizer_config.json; if absent, added_tokens.json and the tokens of tokenizer.json,
// which replace tokens with the same id.
std::vector<ListedToken> listed_tokens(const SideFiles& files, const TokenizerJson& file,
                                       const SpecialTokens& special) {
  if (files.config && files.config->object().has("added_tokens_decoder")) {
    return read_added_tokens_decoder(files.config->object());
  }
  std::map<uint64_t, ListedToken> by_id;
  if (files.added_tokens) {
    for (const auto& entry : read_added_tokens_file(files.added_tokens->object(), special)) by_id[*entry.id] = entry;
  }
  for (const ListedToken& entry : file.added_tokens) by_id[*entry.id] = entry;
  std::vector<ListedToken> listed;
  for (const auto& [id, entry] : by_id) listed.push_back(entry);
  return listed;
}

// Returns all added tokens in the order in which those outside the vocabulary get ids: from tokenizer.json, unless
// `rebuilt` (the class uses only the vocabulary); tokens that files list, whose flags win; special tokens that neither
// has.
std::vector<AddedToken> all_added_tokens(const std::vector<ListedToken>& listed, const TokenizerJson& file,
                                         const SpecialTokens& special, bool rebuilt) {
  std::vector<AddedToken> tokens;
  if (!rebuilt) {
    for (const ListedToken& entry : file.added_tokens) tokens.push_back(entry.token);
  }
  special.append_to(tokens, listed);
  return tokens;
}

void note_added(const std::vector<AddedToken>& tokens, const std::vector<ListedToken>& listed,
                const TokenizerJson& file, TokenizerSettings& settings) {
  std::set<std::string> seen = {""}, noted;
  const auto note_id = [&](const ListedToken& entry) {
    const auto id = settings.added_tokens.id(entry.token.content);
    if (!id || !entry.id || static_cast<uint64_t>(*id) == *entry.id) return;
    settings.notices.push_back("added token " + quote(entry.token.content) + " is listed with id " +
                               std::to_string(*entry.id) + ", but has " + std::to_string(*id) +
                               ", as in the reference");
  };
  std::set<std::pair<std::string_view, std::optional<uint64_t>>> listed_ids;
  for (const ListedToken& entry : listed) {
    note_id(entry);
    listed_ids.emplace(entry.token.content, entry.id);
  }
  for (const ListedToken& entry : file.added_tokens) {
    const std::string& content = entry.token.content;
    seen.insert(content);
    if (!listed_ids.contains({content, entry.id})) note_id(entry);
    const auto id = settings.added_tokens.id(content);
    const AddedToken* const token = id ? settings.added_tokens.token(*id) : nullptr;
    if (token == nullptr) continue;
    AddedToken own = entry.token;
    own.special |= token->special;  // a token with a key is always special
    if (own == *token || !noted.insert(content).second) continue;
    settings.notices.push_back("'tokenizer.json': the flags of added token " + quote(content) +
                               " are replaced by those of the files next to it, as in the reference");
  }
  for (const AddedToken& token : tokens) {
    if (settings.vocabulary.id(token.content) || !seen.insert(token.content).second) continue;
    const auto id = settings.added_tokens.id(token.content);
    settings.notices.push_back("added token " + quote(token.content) +
                               " is not in 'tokenizer.json'; it is added with id " + std::to_string(*id) +
                               ", as in the reference");
  }
}

// Returns a special token that no file names: `usual`, else the token of the first family whose token is in the
// vocabulary.
std::string usual_token(const TokenizerFamilies& families, const TokenizerJson& file, const std::string& usual,
                        std::string_view TokenizerFamily::*of_family) {
  const auto known = [&](std::string_view token) {
    const auto& listed = file.added_tokens;
    return file.settings.vocabulary.id(token).has_value() ||
           std::any_of(listed.begin(), listed.end(), [&](const auto& entry) { return entry.token.content == token; });
  };
  if (known(usual)) return usual;
  for (const NamedTokenizer& named : families.all()) {
    if (known(named.family->*of_family)) return std::string(named.family->*of_family);
  }
  return usual;
}

}  // namespace

TokenizerSettings settings_from_tokenizer_json(std::string_view text, const FileSource& source,
                                               const TokenizerFamilies& families, const SideFiles& files,
                                               const TokenizerOptions& options) {
  std::vector<std::string> class_notices;
  const TokenizerClass loaded_class =
      options.of_static_model ? TokenizerClass() : class_beside_json(source, files, families, class_notices);
  const TokenizerFamily* const family = loaded_class.family;
  const bool makes_pieces = family != nullptr && family->files == TokenizerFiles::kSentencePiece;
  TokenizerJson file = read_tokenizer_json(text, source.display_name(kTokenizerJson), families,
                                           makes_pieces ? ScoreNumbers::kNearest : ScoreNumbers::kReference);
  TokenizerSettings& settings = file.settings;
  if (!file.unapplied.empty() && !options.of_static_model) {
    settings.remarks.push_back(quote_path(settings.source) + ": its own " + file.unapplied +
                               " is not applied; length and padding are the caller's");
  }
  SpecialTokens special = SpecialTokens::of(*families.usual(TokenizerFiles::kWordPiece));
  special.padding.content = usual_token(families, file, file.pad_token, &TokenizerFamily::padding);
  special.mask.content = usual_token(families, file, special.mask.content, &TokenizerFamily::mask);
  special.unknown.content = usual_token(families, file, special.unknown.content, &TokenizerFamily::unknown);
  std::optional<JsonObject> config;
  if (files.config) config.emplace(files.config->object());
  settings.notices.insert(settings.notices.end(), class_notices.begin(), class_notices.end());
  settings.has_segments = loaded_class.has_segments;
  const bool rebuilt = rebuilds(family, settings);
  note_unapplied_text(loaded_class.unapplied_text, config ? &*config : nullptr, settings);
  SpecialTokens added = rebuilt ? SpecialTokens::of(*family) : SpecialTokens();
  for (SpecialTokens* const tokens : {&special, &added}) {
    if (config) tokens->read(*config, SpecialTokens::File::kConfig);
    if (files.special_tokens_map && !(config && config->has("added_tokens_decoder"))) {
      tokens->read(files.special_tokens_map->object(), SpecialTokens::File::kMap);
    }
  }
  if (rebuilt) {
    rebuild(*family, config ? &*config : nullptr, added, file);
  } else if (config) {
    note_unapplied_switches(*config, settings);
  }
  if (config) read_call_defaults(*config, settings);
  const bool lowers = settings.normalizer.lowercases() || options.lowercase_first;
  check_lowercase_option(options, lowers, quote_path(settings.source) + " says lowercase " + true_or_false(lowers));
  const std::vector<ListedToken> listed = listed_tokens(files, file, added);
  const std::vector<AddedToken> tokens = all_added_tokens(listed, file, added, rebuilt);
  settings.added_tokens = AddedTokens(settings.vocabulary, settings.normalizer, tokens, settings.source,
                                      rebuilt ? 0 : file.added_tokens.size());
  note_added(tokens, listed, file, settings);
  if (rebuilt && !family->keeps_json_template) {
    PostProcessor made = class_template(*family, added, settings);
    if (made.single != settings.post_processor.single || made.pair != settings.post_processor.pair) {
      settings.post_processor = std::move(made);
      settings.notices.push_back(
          "'tokenizer.json': its template is replaced by the one of the reference's tokenizer class");
    }
  }
  if (const auto pad = settings.id(special.padding.content)) settings.pad_token.id = *pad;
  settings.mask_id = settings.id(special.mask.content);
  settings.unknown_id = settings.id(special.unknown.content);
  if (options.of_static_model) settings.model_max_length = file.truncation_length;
  return std::move(file.settings);
}

}  // namespace bert
