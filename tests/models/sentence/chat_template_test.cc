#include "models/sentence/chat_template.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "bert/error.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

const std::string kQuery = R"({{ messages | selectattr("role", "eq", "query") | map(attribute="content") | first }})";
const std::string kDocument = "{{ (messages|selectattr('role','==','document')|first)['content'] }}";

std::string render(const std::string& text, const std::optional<std::string>& instruction = {}) {
  return ChatTemplate(text, "'file'").render("the query", "the document", instruction);
}

std::string refusal(const std::string& text) {
  return test::error_of(ErrorCode::kUnsupported, [&] { ChatTemplate(text + kQuery + kDocument, "'file'"); });
}

// The expected texts are those of Jinja 3.1 with trim_blocks and lstrip_blocks.
TEST(ChatTemplate, PutsBothTextsInPlace) {
  EXPECT_EQ(render("a " + kQuery + "\nb " + kDocument), "a the query\nb the document");
  EXPECT_EQ(render(kQuery + kDocument + kQuery + "{ %"), "the querythe documentthe query{ %");
  EXPECT_EQ(ChatTemplate(kQuery + "|" + kDocument, "").render("{{ x }}", "", {}), "{{ x }}|");
}

TEST(ChatTemplate, HasADefaultInstruction) {
  const std::string set =
      R"({% set task = messages | selectattr("role", "eq", "system") | map(attribute="content") | first | )"
      R"(default("the \"usual\"\n", true) %})";
  const std::string text = set + "\n{{ task }};" + kQuery + kDocument;
  EXPECT_EQ(render(text), "the \"usual\"\n;the querythe document");
  EXPECT_EQ(render(text, "another"), "another;the querythe document");
  EXPECT_EQ(render(text, ""), "the \"usual\"\n;the querythe document");
  const std::string plain =
      "{{ messages | selectattr('role', 'eq', 'system') | map(attribute='content') | first | default('usual') }}";
  EXPECT_EQ(render(plain + kQuery + kDocument), "usualthe querythe document");
  EXPECT_EQ(render(plain + kQuery + kDocument, ""), "the querythe document");
}

TEST(ChatTemplate, RemovesWhiteSpaceAsJinjaDoes) {
  const std::string end = kQuery + kDocument;
  const std::string texts = "the querythe document";
  EXPECT_EQ(render("a\n  {% set x = 'y' %}\nb" + end), "a\nb" + texts);
  EXPECT_EQ(render("a\n  {%- set x = 'y' -%}\n\n b" + end), "ab" + texts);
  EXPECT_EQ(render("a  {% set x = 'y' %} b" + end), "a   b" + texts);
  EXPECT_EQ(render("a\n  {%+ set x = 'y' +%}\nb" + end), "a\n  \nb" + texts);
  EXPECT_EQ(render("a\n  {# a comment #}\nb {{- 'c' -}} \n" + end), "a\nbc" + texts);
  EXPECT_EQ(render("a\r\n" + end + "\n\n"), "a\n" + texts + "\n");
}

TEST(ChatTemplate, RefusesByNameWhatItDoesNotRead) {
  EXPECT_EQ(refusal("\n{% for message in messages %}"),
            "'file': line 2 of the chat template: found the statement 'for', expected text and the contents of the "
            "messages system, query and document");
  EXPECT_NE(refusal("{{ bos_token }}").find("found 'bos_token }}"), std::string::npos);
  EXPECT_NE(refusal("{{ messages | last }}").find("found the filter 'last'"), std::string::npos);
  EXPECT_NE(refusal("{{ messages | selectattr('role', 'eq', 'user') | first }}").find("found the role 'user'"),
            std::string::npos);
  EXPECT_NE(refusal("{{ messages }}").find("found messages where their content must be"), std::string::npos);
  EXPECT_NE(refusal("{{ 'a").find("found"), std::string::npos);
  EXPECT_NE(refusal("{{ " + std::string(1000000, '(')).find("found more than 50 open parentheses"), std::string::npos);
  EXPECT_NE(refusal("{# a").find("a comment without its end"), std::string::npos);
  const std::string missing = test::error_of(ErrorCode::kUnsupported, [] { ChatTemplate(kQuery, "'file'"); });
  EXPECT_NE(missing.find("does not have the message 'document'"), std::string::npos) << missing;
}

}  // namespace
}  // namespace bert
