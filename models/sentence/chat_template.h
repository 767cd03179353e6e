// The chat template of a reranker that is a language model: it makes one text of a query and a document. Templates are
// written in Jinja. This class reads what such templates use: text, the content of a role's message with a default, and
// variables for it; anything else is rejected by name. Immutable.
//
//   {%- set task = messages | selectattr("role", "eq", "system") | map(attribute="content") | first | default("…") -%}
//   <Instruct>: {{ task }}
//   <Query>: {{ (messages | selectattr("role", "eq", "query") | first).content }}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

class ChatTemplate {
 public:
  // Throws Error(kUnsupported) with source, line and what is not supported; also if the template has no query or no
  // document.
  ChatTemplate(std::string_view text, const std::string& source);

  // instruction: the system message; nullopt: the template's own default.
  std::string render(std::string_view query, std::string_view document,
                     const std::optional<std::string>& instruction = {}) const;

 private:
  enum class Role { kNone, kSystem, kQuery, kDocument };
  // A text, or the content of a role's message. For a role, the text is the default, also for an empty content if
  // is_for_empty.
  struct Piece {
    Role role = Role::kNone;
    std::string text = {};
    bool is_for_empty = false;
  };
  class Parser;

  std::vector<Piece> pieces_;
};

}  // namespace bert
