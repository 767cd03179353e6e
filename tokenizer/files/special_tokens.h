// Reads added and special tokens from the side files of a vocabulary.
// Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json/json_object.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/family.h"

namespace bert {

// An added token with the id that a file lists. If the vocabulary gives another id, that one is used, and a notice says
// so.
struct ListedToken {
  AddedToken token;
  std::optional<uint64_t> id;
};

// Reads {"content": "[CLS]", "lstrip": false, ...}. Without `normalized`, a special token is not normalized.
AddedToken read_added_token(const JsonObject& object, bool special_by_default);

// Reads added_tokens_decoder of tokenizer_config.json: {"101": {"content": "[CLS]", ...}}, in the order of the ids.
std::vector<ListedToken> read_added_tokens_decoder(const JsonObject& config);

class SpecialTokens {
 public:
  AddedToken beginning, end, unknown, separator, padding, classifier, mask;  // content "": no such token
  std::vector<std::pair<std::string, AddedToken>> others;                    // by key, such as image_token
  bool mask_takes_space = false;                                             // the mask token includes the white space
                                                                             // before it

  // Returns a family's defaults, which match the raw text.
  static SpecialTokens of(const TokenizerFamily& family);

  // Replaces the tokens that the object sets: unk_token, ..., additional_special_tokens, extra_special_tokens; null
  // removes one. special_tokens_map.json must be read after tokenizer_config.json.
  enum class File { kConfig, kMap };
  void read(const JsonObject& object, File file);

  // Sets the special tokens that a SentencePiece file lists; they replace additional_special_tokens and the family's
  // tokens.
  void set_additional(const std::vector<AddedToken>& tokens);
  // Returns the contents that the files name by a key or in extra_special_tokens. additional_special_tokens of
  // special_tokens_map.json and objects of tokenizer_config.json do not count, as in the reference.
  std::set<std::string> named_contents() const;
  // Returns the contents of the tokens that have a key.
  std::set<std::string> contents_with_keys() const;
  // Returns the tokens that are not among `known`, in the order in which they get ids.
  std::vector<AddedToken> missing_in(const std::vector<AddedToken>& known) const;
  // Appends the listed tokens, special if a token with a key has the same content, then the tokens of missing_in().
  void append_to(std::vector<AddedToken>& tokens, const std::vector<ListedToken>& listed) const;

 private:
  // A token, and whether the file gives it as an object or a string, because the reference compares tokens by this too.
  struct GivenToken {
    AddedToken token;
    bool is_object = false;
    bool is_named = false;  // see named_contents()
    bool operator==(const GivenToken& other) const { return is_object == other.is_object && token == other.token; }
  };
  static std::vector<GivenToken> read_list(const JsonObject& object, const std::string& key, File file);
  std::vector<GivenToken> with_keys() const;
  // Returns the tokens without a key: extra_special_tokens, else additional_special_tokens, else the family's.
  const std::vector<GivenToken>& additional() const;
  void read_additional_of_config(const JsonObject& config);
  void read_additional_of_map(const JsonObject& map);
  void take_others(const JsonObject& object);
  void take_other(const std::string& key, const JsonObject& owner, Json value);

  std::map<std::string, size_t> places_in_others_;  // by key
  std::map<std::string, std::string> named_by_key_;
  std::set<std::string, std::less<>> keys_of_objects_;
  std::optional<std::vector<GivenToken>> extra_, additional_;  // as the files give them
  std::vector<GivenToken> usual_additional_;
};

// Reads added_tokens.json, {"[ENT]": 30522}, in the order of the ids; tokens that `special` names are special.
std::vector<ListedToken> read_added_tokens_file(const JsonObject& file, const SpecialTokens& special);

}  // namespace bert
