// Tests the command encode, and that its JSON is as docs/OUTPUT.md describes it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/reference_model.h"
#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

std::vector<std::string> keys_of(const nlohmann::ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(Encode, GivesADocumentedObjectForOneText) {
  const ProgramResult result = run_program({"--format", "json", "--layers", "--attentions", "a brown dog"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto object = nlohmann::ordered_json::parse(result.out);
  EXPECT_EQ(keys_of(object),
            (std::vector<std::string>{"tokens", "ids", "type_ids", "attention_mask", "special_tokens_mask", "word_ids",
                                      "offsets", "code_point_offsets", "truncated_tokens", "unknown_tokens",
                                      "last_hidden_state", "pooler_output", "hidden_states", "attentions"}));
  const nlohmann::json config = run_program({"inspect", "--format", "json"}).json()["config"];
  const size_t tokens = object["tokens"].size();
  EXPECT_EQ(tokens, 5u);
  EXPECT_EQ(object["last_hidden_state"].size(), tokens);
  EXPECT_EQ(object["last_hidden_state"][0].size(), config["hidden_size"]);
  EXPECT_EQ(object["pooler_output"].size(), config["hidden_size"]);
  EXPECT_EQ(object["hidden_states"].size(), config["num_hidden_layers"].get<size_t>() + 1);
  EXPECT_EQ(object["hidden_states"].back(), object["last_hidden_state"]);
  EXPECT_EQ(object["attentions"].size(), config["num_hidden_layers"]);
  EXPECT_EQ(object["attentions"][0].size(), config["num_attention_heads"]);
  EXPECT_EQ(object["attentions"][0][0].size(), tokens);
  EXPECT_EQ(object["attentions"][0][0][0].size(), tokens);
  EXPECT_EQ(object["word_ids"], (nlohmann::ordered_json{nullptr, 0, 1, 2, nullptr}));
  EXPECT_EQ(object["offsets"], (nlohmann::ordered_json{{0, 0}, {0, 1}, {2, 7}, {8, 11}, {0, 0}}));
}

TEST(Encode, GivesOffsetsInOneUnitWhereAsked) {
  const std::string text = "\U0001F600 dog";
  const nlohmann::json object = run_program({"--format", "json", "--offsets", "utf16", text}).json();
  EXPECT_EQ(object["offset_unit"], "utf16");
  EXPECT_EQ(object["offsets"][2], (std::vector<int>{3, 6}));
  EXPECT_NE(run_program({"--offsets", "utf16", text}).err.find("--offsets is for --format json"), std::string::npos);
}

TEST(Encode, GivesTheContactsOfAProtein) {
  const ReferenceModel esm("esm");
  const std::string ids = R"({"ids": [0, 15, 28, 4, 6, 18, 7, 29, 15, 2]})";
  std::vector<std::string> arguments = {"--model", esm.path(), "--contacts", "--input", "-", "--jsonl"};
  const std::string text = run_program(arguments, {.standard_input = ids}).out;
  arguments.insert(arguments.end(), {"--format", "jsonl"});
  const nlohmann::json contacts = run_program(arguments, {.standard_input = ids}).json()["contacts"];
  ASSERT_EQ(contacts.size(), 8U);
  ASSERT_EQ(contacts[0].size(), 8U);
  EXPECT_EQ(contacts[1][7], contacts[7][1]);
  const size_t list = text.find("contacts: the most probable ones of residues at least 6 apart\n");
  ASSERT_NE(list, std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin() + static_cast<std::ptrdiff_t>(list), text.end(), '\n'), 2 + 3);  // 8 residues

  const ProgramResult without = run_program({"--contacts", "a dog"});
  EXPECT_EQ(without.status, 1);
  EXPECT_NE(without.err.find("the built-in model has no head for contacts"), std::string::npos) << without.err;
}

TEST(Encode, TakesIdsWithoutATokenizer) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  const std::vector<std::string> arguments = {"--model", folder.path().string(), "--input", "-", "--format", "jsonl",
                                              "--jsonl"};
  const std::string ids = "{\"ids\": [2, 8, 3]}\n";
  nlohmann::json expected = run_program(arguments, {.standard_input = ids}).json_lines().at(0);
  expected.erase("tokens");
  std::filesystem::remove(folder.path() / "vocab.txt");
  const ProgramResult result = run_program(arguments, {.standard_input = ids + "{\"text\": \"the fox\"}\n"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.json_lines().at(0), expected);
  EXPECT_NE(result.json_lines().at(1)["error"].get<std::string>().find("no tokenizer"), std::string::npos);
  const ProgramResult text = run_program({"--model", folder.path().string(), "the fox"});
  EXPECT_EQ(text.status, 1);
  EXPECT_EQ(text.out, "");
  EXPECT_NE(lines_of(text.err).back().find("bert-infer: error: '" + folder.path().string() + "': no tokenizer"),
            std::string::npos)
      << text.err;
  for (const char* command : {"inspect", "positions"}) {
    EXPECT_EQ(run_program({command, "--model", folder.path().string()}).status, 0) << command;
  }
}

TEST(Encode, GivesAnArrayForSeveralTexts) {
  const nlohmann::json results = run_program({"--format", "json", "a dog", "a cat"}).json();
  ASSERT_TRUE(results.is_array());
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0], run_program({"--format", "json", "a dog"}).json());
}

TEST(Encode, TakesAPair) {
  const nlohmann::json object = run_program({"--format", "json", "--pair", "It barked.", "The dog saw a fox."}).json();
  const std::vector<int> types = object["type_ids"];
  EXPECT_EQ(types.front(), 0);
  EXPECT_EQ(types.back(), 1);
}

TEST(Encode, PutsOneObjectOnALine) {
  const ProgramResult result = run_program({"--format", "jsonl", "a dog", "a cat"});
  EXPECT_EQ(result.json_lines().size(), 2u);
  EXPECT_EQ(result.json_lines()[1], run_program({"--format", "json", "a cat"}).json());
}

TEST(Encode, GivesWindowsAResultEach) {
  const ProgramResult result = run_program({"--format", "json", "--max-length", "5", "--stride", "1", "a b c d e"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json windows = result.json();
  ASSERT_EQ(windows.size(), 2u);  // the tokens a b c and c d e
  EXPECT_EQ(windows[0]["window"], 0);
  EXPECT_EQ(windows[1]["window"], 1);
  EXPECT_EQ(windows[0]["tokens"][3], windows[1]["tokens"][1]);
  EXPECT_EQ(windows[0]["truncated_tokens"], 0);
  EXPECT_EQ(result.err, "");
}

TEST(Encode, HasNullForAPoolerThatIsNotThere) {
  BERT_TEST_DATA_OR_SKIP(path, "family/bert-no-pooler");
  const TemporaryDirectory folder;
  const ProgramResult result = run_program({"--model", with_vocabulary(folder, path), "--format", "json", "a b"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.json()["pooler_output"].is_null());
  EXPECT_NE(result.err.find("no pooler"), std::string::npos) << result.err;
}

TEST(Encode, NamesAModelThatIsNotThere) {
  const ProgramResult result =
      run_program({"--model", "no/such/model", "a"}, {.environment = {{"HF_HUB_CACHE", "/nowhere"}}});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("no/such/model"), std::string::npos) << result.err;
  EXPECT_EQ(lines_of(result.err).size(), 1u);
}

TEST(Encode, RefusesABrokenCheckpoint) {
  BERT_TEST_DATA_OR_SKIP(path, "checkpoint");
  const TemporaryDirectory folder;
  std::filesystem::copy(path / "bert-tiny-own" / "config.json", folder.path());
  std::filesystem::copy(path / "bert-tiny-own" / "vocab.txt", folder.path());
  std::filesystem::copy(path / "negative" / "all-MiniLM-L6-v2.truncated-851968.safetensors",
                        folder.path() / "model.safetensors");
  const ProgramResult result = run_program({"--model", folder.path().string(), "a"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
}

TEST(Encode, SaysThatItsPositionsAreAnExperiment) {
  const ProgramResult none = run_program({"--positions", "none", "--format", "json", "a dog a dog"});
  EXPECT_EQ(none.status, 0);
  EXPECT_NE(none.err.find("an experiment: positions none in place of the model's own, learned"), std::string::npos);
  const nlohmann::json object = none.json();
  EXPECT_EQ(object["positions"], "none");
  EXPECT_EQ(object["last_hidden_state"][1], object["last_hidden_state"][3]);  // equal words have equal vectors
  EXPECT_FALSE(run_program({"--format", "json", "a"}).json().contains("positions"));
}

TEST(EncodeText, IsATableOfTokensAndThePooledOutput) {
  const ProgramResult result = run_program({"a brown dog"});
  EXPECT_EQ(result.status, 0);
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 9u) << result.out;
  for (const char* title : {"token", "id", "segment", "norm", "first of"}) {
    EXPECT_NE(lines[0].find(title), std::string::npos) << lines[0];
  }
  EXPECT_NE(lines[1].find("[CLS]"), std::string::npos);
  EXPECT_NE(lines[3].find("brown"), std::string::npos);
  EXPECT_EQ(lines[6], "");
  EXPECT_TRUE(lines[7].starts_with("pooled output: norm ")) << lines[7];
}

TEST(EncodeText, TitlesSeveralResults) {
  const ProgramResult words = run_program({"a", "b"});
  EXPECT_TRUE(words.out.starts_with("text 1\n")) << words.out;
  EXPECT_NE(words.out.find("\n\ntext 2\n"), std::string::npos) << words.out;
  const ProgramResult lines =
      run_program({"--input", "-", "--jsonl"}, {.standard_input = "{\"id\": \"x\", \"text\": \"a\"}"});
  EXPECT_TRUE(lines.out.starts_with("line 1, id \"x\"\n")) << lines.out;
}

TEST(EncodeText, HasALineForEveryLayerAndHead) {
  const ProgramResult result = run_program({"--layers", "--attentions", "a brown dog"});
  EXPECT_NE(result.out.find("hidden states (layer 0: the embeddings)"), std::string::npos);
  EXPECT_NE(result.out.find("2.32: uniform"), std::string::npos) << "log2(5)";
}

TEST(EncodeText, HasNoColorsInAPipe) { EXPECT_EQ(run_program({"a"}).out.find('\x1b'), std::string::npos); }

}  // namespace

}  // namespace bert::test
