// Tests the command inspect.
#include <gtest/gtest.h>

#include <algorithm>

#include "bert/quantize.h"
#include "tests/program/cli/program.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(Inspect, EndsWithTheCountOfTheEncodersTensors) {
  const ProgramResult text = run_program({"inspect"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.err, "");
  const nlohmann::json object = run_program({"inspect", "--format", "json"}).json();
  EXPECT_NE(lines_of(text.out).back().find(std::to_string(object["used"]["tensors"].get<size_t>()) + " tensors, "),
            std::string::npos);
}

TEST(Inspect, CountsParametersByTheArchitecture) {
  const nlohmann::json object = run_program({"inspect", "--format", "json"}).json();
  const nlohmann::json& config = object["config"];
  const auto size = [&](const char* name) { return config[name].get<size_t>(); };
  const size_t hidden = size("hidden_size");
  const size_t wide = size("intermediate_size");
  const size_t layer = 4 * hidden * hidden + 2 * hidden * wide + 9 * hidden + wide;
  const size_t tables = size("vocab_size") + size("max_position_embeddings") + size("type_vocab_size") + 2;
  EXPECT_EQ(object["used"]["parameters"],
            tables * hidden + size("num_hidden_layers") * layer + hidden * hidden + hidden);
  EXPECT_EQ(object["used"]["tensors"], 5 + 16 * size("num_hidden_layers") + 2);
}

// The file has twelve layers in alphabetical order, with layer 10 before layer 2.
TEST(Inspect, ListsLayersInNumericOrder) {
  const nlohmann::json object = run_program({"inspect", "--format", "json"}).json();
  std::vector<int> layers;
  for (const nlohmann::json& tensor : object["tensors"]) {
    const std::string name = tensor["name"], before = "encoder.layer.";
    if (const size_t at = name.find(before); at != std::string::npos) {
      layers.push_back(std::stoi(name.substr(at + before.size())));
    }
  }
  EXPECT_EQ(layers.size(), 12u * 16);
  EXPECT_TRUE(std::is_sorted(layers.begin(), layers.end()));
}

TEST(Inspect, NamesAnAdapterAndItsMemory) {
  const TemporaryDirectory base, adapter;
  write_tiny_model(base);
  write_tiny_adapter(adapter, "somewhere");
  const std::vector<std::string> arguments = {"inspect", "--model", base.path().string(), "--adapter",
                                              adapter.path().string()};
  const ProgramResult text = run_program(arguments);
  EXPECT_NE(
      text.out.find("adapter             " + adapter.path().string() + ", weights that it changes: 4.6 KB of memory"),
      std::string::npos)
      << text.out;
  EXPECT_NE(text.err.find("the adapter (LoRA) is merged into 2 weights, in 4608 bytes of memory"), std::string::npos)
      << text.err;
  std::vector<std::string> as_json = arguments;
  as_json.insert(as_json.end(), {"--format", "json"});
  const nlohmann::json object = run_program(as_json).json();
  EXPECT_EQ(object["adapter"], adapter.path().string());
  EXPECT_EQ(object["adapter_bytes"], 4608);
  EXPECT_FALSE(run_program({"inspect", "--format", "json"}).json().contains("adapter"));
}

TEST(Inspect, GivesTheDigestsOfTheWeightFiles) {
  BERT_TEST_DATA_OR_SKIP(path, "family/bert-odd-1-sharded");
  const nlohmann::json digests =
      run_program({"inspect", "--model", path.string(), "--digests", "--format", "json"}).json();
  EXPECT_GT(digests.size(), 1u);
  for (const auto& [file, digest] : digests.items()) EXPECT_EQ(digest, file_sha256(file)) << file;
  const ProgramResult unknown = run_program({"inspect", "--model", path.string(), "--check"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.err.find("verify.json': no golden vectors"), std::string::npos) << unknown.err;
  EXPECT_EQ(run_program({"inspect", "--digests"}).status, 2);
}

TEST(Inspect, SaysWhatIsUsedOfTheMachine) {
  const nlohmann::json object =
      run_program({"inspect", "--format", "json", "--threads", "1", "--gemm", "portable"}).json();
  EXPECT_EQ(object["threads"], 1);
  EXPECT_EQ(object["gemm"], "portable");
  for (const char* key : {"isa", "isa_reason", "gemm_reason", "source"}) EXPECT_TRUE(object[key].is_string()) << key;
  ASSERT_EQ(object["cost"].size(), 3u);
  EXPECT_GT(object["cost"][2]["flops"], object["cost"][1]["flops"]);
}

TEST(Inspect, ListsWhatTheEncoderLeavesOnALineOfItsOwn) {
  BERT_TEST_DATA_OR_SKIP(path, "checkpoint/bert-tiny-own");
  const std::vector<std::string> lines = lines_of(run_program({"inspect", "--model", path.string()}).out);
  EXPECT_NE(lines.at(lines.size() - 2).find("not used by the encoder: "), std::string::npos);
}

// Control characters of the model's files and folder do not reach a terminal.
TEST(Inspect, KeepsControlCharactersFromTheTerminal) {
  BERT_TEST_DATA_OR_SKIP(path, "family/bert-odd-1");
  const TemporaryDirectory folder;
  nlohmann::json config = nlohmann::json::parse(read_file(with_vocabulary(folder, path) + "/config.json"));
  config["architectures"] = {"BertModel", "\x1b[2J"};
  std::filesystem::remove(folder.path() / "config.json");  // the copy may be read-only
  folder.write("config.json", config.dump());
  const std::string odd = (folder.path().parent_path() / (folder.path().filename().string() + "\n\x1b[1m")).string();
  std::filesystem::create_directory_symlink(folder.path(), odd);
  const ProgramResult result = run_program({"inspect", "--model", odd});
  std::filesystem::remove(odd);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << result.out.substr(0, 300);
  EXPECT_NE(lines_of(result.out).at(0).find("\\x0a\\x1b[1m"), std::string::npos) << result.out.substr(0, 300);
  EXPECT_NE(result.out.find("BertModel, \\x1b[2J"), std::string::npos) << result.out.substr(0, 600);
}

TEST(Inspect, NamesLocalLayersAndSharedKeys) {
  BERT_TEST_DATA_OR_SKIP(model, "family_modern/ultrabert");
  const std::string text = run_program({"inspect", "--model", model.string()}).out;
  EXPECT_NE(text.find("attention heads     4, each of 12; 2 of keys and values\n"), std::string::npos) << text;
  EXPECT_NE(text.find("positions           300, rotary, theta 2560000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("local layers        3, which see 10 tokens to each side, theta 10000\n"), std::string::npos)
      << text;
  const nlohmann::json config =
      run_program({"inspect", "--format", "json", "--model", model.string()}).json()["config"];
  EXPECT_EQ(config["num_key_value_heads"], 2);
  EXPECT_EQ(config["local_layers"], (std::vector<size_t>{0, 1, 3}));
  EXPECT_EQ(config["local_distance"], 10);
  EXPECT_EQ(config["rotary_theta"], 2560000);
}

TEST(Inspect, TakesNoText) { EXPECT_EQ(run_program({"inspect", "a"}).status, 2); }

}  // namespace
}  // namespace bert::test
