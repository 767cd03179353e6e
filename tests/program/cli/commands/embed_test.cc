// Tests the command embed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bert/model.h"
#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(Embed, WritesALineOfNumbersATextThatReadBackAsTheSame) {
  const ProgramResult text = run_program({"embed", "a brown dog", "a cat"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.err, "");
  const std::vector<std::string> lines = lines_of(text.out);
  ASSERT_EQ(lines.size(), 2u);
  const std::vector<float> json = run_program({"embed", "--format", "json", "a brown dog"}).json()["embedding"];
  const char* at = lines[0].c_str();
  for (const float expected : json) {
    char* end;
    EXPECT_EQ(std::strtof(at, &end), expected);
    at = end;
  }
  EXPECT_EQ(*at, '\0');
}

TEST(Embed, PoolsCutsAndNormalizesAsAsked) {
  const Model model = Model::builtin();
  const auto embedding = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"embed", "--format", "json", "a brown dog"});
    return run_program(options).json()["embedding"].get<std::vector<float>>();
  };
  EXPECT_EQ(embedding({"--pooling", "cls", "--no-normalize", "--dimensions", "8"}),
            model.embed("a brown dog", {.pooling = PoolingMode::kCls, .normalize = false, .dimensions = 8}));
  EXPECT_EQ(embedding({"--pooling", "max", "--normalize"}),
            model.embed("a brown dog", {.pooling = PoolingMode::kMax, .normalize = true}));
  EXPECT_NE(run_program({"embed", "--dimensions", "100000", "a"}).status, 0);
  EXPECT_NE(run_program({"embed", "--prompt", "query", "a"}).err.find("it has no prompts"), std::string::npos);
}

TEST(Embed, HasTheDocumentedKeys) {
  const nlohmann::json object = run_program({"embed", "--format", "json", "a"}).json();
  EXPECT_EQ(object.size(), 3u);
  EXPECT_TRUE(object.contains("embedding"));
  EXPECT_EQ(object["truncated_tokens"], 0);
  EXPECT_EQ(object["unknown_tokens"], 0);
}

TEST(Embed, SaysOnceHowItPoolsWhereTheModelDoesNot) {
  BERT_TEST_DATA_OR_SKIP(path, "checkpoint/bert-tiny-own-sst2");
  const ProgramResult result = run_program({"embed", "--model", path.string(), "a", "b"});
  EXPECT_EQ(result.status, 0);
  size_t said = 0;
  for (const std::string& line : lines_of(result.err))
    said += line.find("mean over all tokens, not normalised") != std::string::npos;
  EXPECT_EQ(said, 1u) << result.err;
  EXPECT_EQ(result.err.find("--kind sparse"), std::string::npos) << result.err;
  const ProgramResult chosen = run_program({"embed", "--model", path.string(), "--pooling", "cls", "a"});
  EXPECT_EQ(chosen.err.find("mean over"), std::string::npos) << chosen.err;
}

// Without modules a SPLADE model cannot be told from any other masked language model, so the note says "if".
TEST(Embed, PointsToSparseVectorsOfAMaskedLanguageModelWithoutModules) {
  const TemporaryDirectory model;
  write_tiny_splade(model, "");
  const ProgramResult dense = run_program({"embed", "--model", model.path().string(), "a"});
  EXPECT_NE(dense.err.find("if it is a SPLADE model, its vectors are sparse (--kind sparse)"), std::string::npos)
      << dense.err;
  EXPECT_NE(run_program({"inspect", "--model", model.path().string()}).out.find("for a SPLADE model: --kind sparse"),
            std::string::npos);
  const ProgramResult sparse = run_program({"embed", "--model", model.path().string(), "--kind", "sparse", "a"});
  EXPECT_EQ(sparse.err.find("--kind sparse"), std::string::npos) << sparse.err;
}

// The model has a module after pooling that this library does not support.
TEST(Embed, SaysWhatAPoolingOfTheCallerLeavesOut) {
  const TemporaryDirectory directory;
  write_tiny_model(directory);
  directory.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
    {"type": "sentence_transformers.models.CNN", "path": "2_CNN"}])");
  std::filesystem::create_directory(directory.path() / "1_Pooling");
  directory.write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true})");
  const std::string model = directory.path().string();
  EXPECT_EQ(run_program({"embed", "--model", model, "fox"}).status, 1);
  const ProgramResult result = run_program({"embed", "--model", model, "--pooling", "mean", "fox"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("models.CNN' is not supported"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("; --pooling is done in its place"), std::string::npos) << result.err;
  const nlohmann::json pooling = run_program({"inspect", "--model", model, "--format", "json"}).json()["pooling"];
  EXPECT_EQ(pooling["declared"], false);
  EXPECT_NE(pooling["unsupported"].get<std::string>().find("models.CNN'"), std::string::npos);
}

TEST(Embed, RefusesIdsThatAPromptCannotGoBefore) {
  const TemporaryDirectory directory;
  write_tiny_model(directory);
  directory.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  directory.write("1_Pooling/config.json", "{}");
  directory.write("config_sentence_transformers.json", R"({"prompts": {"query": "the "}})");
  const std::vector<std::string> words = {
      "embed",    "--model", directory.path().string(), "--prompt", "query", "--input", "-", "--jsonl",
      "--format", "jsonl"};
  const ProgramResult result = run_program(words, {.standard_input = "{\"ids\": [1, 2]}\n{\"text\": \"fox\"}\n"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.json_lines()[0]["error"], "\"ids\" where --prompt needs a \"text\" to go before");
  EXPECT_TRUE(result.json_lines()[1].contains("embedding"));
}

// Every window of the text fails, and the counts say that one text failed.
TEST(Embed, CountsATextOfManyWindowsOnce) {
  const TemporaryDirectory directory;
  write_tiny_model(directory, {}, [](TinyTensors& tensors) {
    for (auto& [name, tensor] : tensors) {
      if (name.ends_with("word_embeddings.weight")) tensor.values.assign(tensor.values.size(), std::nanf(""));
    }
  });
  const ProgramResult result =
      run_program({"embed", "--model", directory.path().string(), "--input", "-", "--max-length", "6", "--stride", "1"},
                  {.standard_input = "fox fox fox fox fox fox fox fox fox\nfox\n"});
  EXPECT_EQ(lines_of(result.err).back(), "bert-infer: note: 2 of 2 texts failed") << result.err;
}

TEST(Embed, RefusesThePoolerOfAModelWithoutOne) {
  BERT_TEST_DATA_OR_SKIP(path, "family/bert-no-pooler");
  const TemporaryDirectory folder;
  const ProgramResult result =
      run_program({"embed", "--model", with_vocabulary(folder, path), "--pooling", "pooler", "--input", "-"},
                  {.standard_input = "a\nb\n"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("pooler"), std::string::npos) << result.err;
}

TEST(Embed, WritesATableWithKeptColumns) {
  const ProgramResult csv =
      run_program({"embed", "--csv", "--input", "-", "--keep", "title", "--dimensions", "3", "--format", "csv"},
                  {.standard_input = "title,text\nDogs,a dog\n\"a, b\"\n"});
  EXPECT_EQ(csv.status, 1);
  const std::vector<std::string> rows = lines_of(csv.out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], "index,id,title,e0,e1,e2,error");
  std::string numbers = run_program({"embed", "--dimensions", "3", "a dog"}).out;
  std::replace(numbers.begin(), numbers.end(), ' ', ',');
  EXPECT_EQ(rows[1], "0,,Dogs," + numbers.substr(0, numbers.size() - 1) + ",");
  EXPECT_EQ(rows[2], "1,,\"a, b\",,,,\"1 field, expected 2, as the first line has\"");
  const nlohmann::json kept = run_program({"embed", "--jsonl", "--input", "-", "--keep", "title", "--format", "json"},
                                          {.standard_input = "{\"title\": \"Dogs\", \"text\": \"a dog\"}\n"})
                                  .json();
  EXPECT_EQ(kept["title"], "Dogs");
  const ProgramResult windows = run_program({"embed", "--max-length", "4", "--stride", "1", "--dimensions", "1",
                                             "--format", "csv", "a dog and a cat and a fox"});
  EXPECT_TRUE(windows.out.starts_with("index,id,window,e0,error\n0,,0,")) << windows.out;
  EXPECT_NE(windows.out.find("\n0,,1,"), std::string::npos) << windows.out;
  expect_usage_error({"embed", "--kind", "sparse", "--format", "csv", "a"}, "--format csv is not for --kind sparse");
  expect_usage_error({"embed", "--chunk", "4", "--format", "csv", "a"}, "--format csv is not for --chunk");
  const TemporaryDirectory folder;
  const std::string input = write_file(folder, "a.txt", "a\n"), output = (folder.path() / "out.csv").string();
  expect_usage_error({"embed", "--input", input, "--output", output, "--resume"}, "--resume is not for --format csv");
}

TEST(Embed, KeepsTheOrderOfManyLinesWhateverTheBatch) {
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += std::to_string(i % 10) + std::string(static_cast<size_t>(i % 13), 'x') + "\n";
  const ProgramResult large = run_program({"embed", "--input", "-"}, {.standard_input = lines});
  const ProgramResult alone = run_program({"embed", "--input", "-", "--batch-tokens", "1"}, {.standard_input = lines});
  EXPECT_EQ(large.status, 0);
  EXPECT_EQ(large.out, alone.out);
  EXPECT_EQ(lines_of(large.out)[0], lines_of(large.out)[130]);
}

TEST(EmbedSparse, WritesTokensIdsAndWeights) {
  const TemporaryDirectory directory;
  write_tiny_splade(directory, R"({"pooling_strategy": "max"})");
  const std::vector<std::string> words = {"embed",        "--model", directory.path().string(), "--kind", "sparse",
                                          "--max-active", "3"};
  const auto run = [&](std::vector<std::string> more, const ProgramInput& input = {}) {
    more.insert(more.begin(), words.begin(), words.end());
    return run_program(more, input);
  };
  const nlohmann::json result = run({"--format", "json", "the quick fox"}).json();
  ASSERT_EQ(result["sparse"].size(), 3u);
  const std::vector<std::string> tokens = lines_of(tiny_vocabulary(40));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result["sparse"][i]["token"], tokens[result["sparse"][i]["id"].get<size_t>()]);
  }
  const std::string line = run({"the quick fox"}).out;
  const auto lighter = [](const nlohmann::json& a, const nlohmann::json& b) { return a["weight"] < b["weight"]; };
  const nlohmann::json heaviest = *std::max_element(result["sparse"].begin(), result["sparse"].end(), lighter);
  EXPECT_TRUE(line.starts_with(heaviest["token"].get<std::string>() + " ")) << line;
  const ProgramResult lines = run({"--input", "-", "--jsonl", "--format", "jsonl"},
                                  {.standard_input = "{\"text\": \"the quick fox\"}\n{\"text\": 1}\n"});
  EXPECT_EQ(lines.json_lines()[0]["sparse"], result["sparse"]);
  EXPECT_TRUE(lines.json_lines()[1].contains("error"));
}

// This test reads the arrays itself; tests/reference/sparse_models.py reads such files with scipy.
TEST(EmbedSparse, WritesCsrArrays) {
  const TemporaryDirectory directory;
  write_tiny_splade(directory, R"({"pooling_strategy": "max"})");
  const std::string file = (directory.path() / "out.npz").string();
  const ProgramResult result = run_program(
      {"embed", "--model", directory.path().string(), "--kind", "sparse", "--output", file, "a", "the fox"});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string bytes = read_file(file);
  for (const char* name : {"indices.npy", "indptr.npy", "format.npy", "shape.npy", "data.npy"}) {
    EXPECT_NE(bytes.find(name), std::string::npos) << name;
  }
  EXPECT_NE(bytes.find("'descr': '|S3'"), std::string::npos);
}

TEST(EmbedSparse, RefusesOptionsOfTheOtherKind) {
  const auto error_of = [](std::vector<std::string> words) {
    words.insert(words.begin(), "embed");
    words.push_back("a");
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.status, 2) << result.err;
    return result.err;
  };
  EXPECT_NE(error_of({"--max-active", "3"}).find("--max-active is for --kind sparse"), std::string::npos);
  EXPECT_NE(error_of({"--kind", "sparse", "--pooling", "cls"}).find("--pooling is for dense"), std::string::npos);
  EXPECT_NE(error_of({"--kind", "sparse", "--format", "npy"}).find("text, json, jsonl and npz"), std::string::npos);
  EXPECT_NE(error_of({"--format", "npz"}).find("npz is for --kind sparse"), std::string::npos);
  const ProgramResult builtin = run_program({"embed", "--kind", "sparse", "a"});
  EXPECT_EQ(builtin.status, 0);
  EXPECT_NE(builtin.err.find("files do not say how to make sparse vectors"), std::string::npos) << builtin.err;
  const TemporaryDirectory directory;
  write_tiny_model(directory);
  const ProgramResult none = run_program({"embed", "--model", directory.path().string(), "--kind", "sparse", "a"});
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("makes no sparse vectors"), std::string::npos) << none.err;
}

TEST(Embed, WritesAVectorForEachChunk) {
  const std::string text = "The fox jumps. Ünd the dog sleeps.";
  const nlohmann::json whole = run_program({"embed", "--format", "json", text}).json();
  const nlohmann::json one = run_program({"embed", "--chunk", "100", text}).json();
  ASSERT_EQ(one["chunks"].size(), 1u);
  EXPECT_EQ(one["chunks"][0]["embedding"], whole["embedding"]);
  const nlohmann::json two = run_program({"embed", "--chunk", "sentence", "--format", "json", text}).json();
  ASSERT_EQ(two["chunks"].size(), 2u);
  EXPECT_EQ(two["chunks"][1]["start"], 15);
  EXPECT_EQ(two["chunks"][1]["end"], 35);
  EXPECT_EQ(two["chunks"][1]["code_point_end"], 34);
  const nlohmann::json utf16 =
      run_program({"embed", "--chunk", "sentence", "--format", "json", "--offsets", "utf16", text}).json();
  EXPECT_EQ(utf16["offset_unit"], "utf16");
  EXPECT_EQ(utf16["chunks"][1]["end"], 34);
  EXPECT_EQ(run_program({"embed", "--offsets", "utf16", text}).status, 2);
  EXPECT_EQ(two["chunks"][0]["embedding"].size(), whole["embedding"].size());
  EXPECT_EQ(run_program({"embed", "--chunk", "sentence,100", text}).json(), one);
  const std::string line = R"({"text": "The fox jumps. The dog sleeps.", "spans": [[0, 14], [15, 30]]})";
  const std::vector<std::string> by_spans = {"embed", "--jsonl", "--input", "-", "--chunk", "spans"};
  const nlohmann::json given = run_program(by_spans, {.standard_input = line + "\n"}).json();
  EXPECT_EQ(given["chunks"].size(), 2u);
}

TEST(Embed, RefusesChunksThatItCannotMake) {
  const auto error = [](std::vector<std::string> options, const std::string& input = "") {
    options.insert(options.begin(), "embed");
    const ProgramResult result = run_program(options, {.standard_input = input});
    EXPECT_NE(result.status, 0);
    return result.err;
  };
  EXPECT_NE(error({"--chunk", "0", "a"}).find("--chunk: found '0', expected a number of tokens"), std::string::npos);
  EXPECT_NE(error({"--chunk", "12,3", "a"}).find("--chunk: found '12,3'"), std::string::npos);
  EXPECT_NE(error({"--chunk", "8", "--format", "npy", "--output", "x.npy", "a"}).find("json and jsonl"),
            std::string::npos);
  EXPECT_NE(error({"--chunk", "8", "--stride", "2", "a"}).find("give one"), std::string::npos);
  EXPECT_NE(error({"--chunk", "8", "--kind", "sparse", "a"}).find("dense vectors alone"), std::string::npos);
  EXPECT_NE(error({"--chunk", "spans", "a"}).find("lines of JSON"), std::string::npos);
  EXPECT_NE(error({"--chunk", "8", "--pooling", "cls", "a"}).find("pooling cls reads one token"), std::string::npos);
  const std::vector<std::string> spans = {"--jsonl", "--input", "-", "--chunk", "spans"};
  for (const char* wrong :
       {R"("spans": [])", R"("spans": [[1]])", R"("spans": [1, 2])", R"("spans": "x")", R"("spans": [[0, "a"]])",
        R"("spans": [[0, 1, 2]])", R"("spans": [[-1, 2]])", R"("a": 1)"}) {
    EXPECT_NE(error(spans, R"({"text": "abc", )" + std::string(wrong) + "}\n").find("at least one [begin, end]"),
              std::string::npos)
        << wrong;
  }
}

}  // namespace
}  // namespace bert::test
