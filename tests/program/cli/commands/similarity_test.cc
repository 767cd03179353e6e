// Tests the command similarity.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program/cli/program.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(Similarity, NamesTheTextThatIsWrong) {
  EXPECT_EQ(run_program({"similarity", "a", "a \xFF"}).err.substr(0, 31), "bert-infer: error: text 2: text");
  EXPECT_EQ(run_program({"similarity", "a \xFF", "a"}).err.substr(0, 31), "bert-infer: error: text 1: text");
}

TEST(Similarity, NamesTheFunctionThatTheModelsFilesName) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  write_file(folder, "modules.json",
             R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
                 {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  folder.write("1_Pooling/config.json", "{}");
  const std::string model = folder.path().string();
  write_file(folder, "config_sentence_transformers.json", R"({"similarity_fn_name": "manhattan"})");
  const ProgramResult result = run_program({"similarity", "--model", model, "--format", "json", "the fox", "dog"});
  EXPECT_LT(result.json()["similarity"], 0);
  EXPECT_EQ(result.json()["function"], "manhattan");
  EXPECT_NE(result.err.find("the similarity is manhattan"), std::string::npos) << result.err;
  write_file(folder, "config_sentence_transformers.json", R"({"similarity_fn_name": "jaccard"})");
  const ProgramResult refused = run_program({"similarity", "--model", model, "the fox", "dog"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("similarity_fn_name 'jaccard' of the model in"), std::string::npos) << refused.err;
}

TEST(Similarity, OfATextToItselfIsOne) { EXPECT_EQ(run_program({"similarity", "a dog", "a dog"}).out, "1.000000\n"); }

TEST(Similarity, TakesTwoTextsOrMore) {
  EXPECT_EQ(run_program({"similarity", "a"}).status, 2);
  EXPECT_EQ(run_program({"similarity", "--nearest", "1", "a", "b"}).status, 2);
}

TEST(Similarity, OfManyTextsIsAMatrix) {
  const ProgramResult result =
      run_program({"similarity", "--input", "-", "--format", "jsonl"}, {.standard_input = "a dog\n\xff\na cat\n"});
  EXPECT_EQ(result.status, 1);
  const std::vector<nlohmann::json> rows = result.json_lines();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[1].contains("error"));
  EXPECT_TRUE(rows[0]["similarities"][1].is_null());
  EXPECT_NEAR(rows[0]["similarities"][0].get<double>(), 1, 1e-12);
  EXPECT_EQ(rows[0]["similarities"][2], rows[2]["similarities"][0]);
  EXPECT_EQ(rows[0]["similarities"][2],
            run_program({"similarity", "--format", "json", "a dog", "a cat"}).json()["similarity"]);
}

TEST(Similarity, FindsTheNearestOfEach) {
  const std::vector<std::string> texts = {"a man plays the guitar", "the stock market fell", "someone plays a guitar"};
  const nlohmann::json rows =
      run_program({"similarity", "--nearest", "1", "--format", "json", texts[0], texts[1], texts[2]}).json();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["nearest"].size(), 1u);
  EXPECT_EQ(rows[0]["nearest"][0]["index"], 2);
  EXPECT_EQ(rows[2]["nearest"][0]["index"], 0);
  EXPECT_EQ(rows[2]["nearest"][0]["text"], texts[0]);
  const std::string text = run_program({"similarity", "--nearest", "1", texts[0], texts[1], texts[2]}).out;
  const std::string cosine = text.substr(text.find("\n", text.find("cosine")) + 1, 8);
  EXPECT_TRUE(text.starts_with(texts[0] + "\n  cosine  text\n" + cosine + "     3  " + texts[2] + "\n\n" + texts[1]))
      << text;
}

TEST(Similarity, FindsTheNearestOfTheTextsOfRecords) {
  const std::vector<std::string> nearest = {"similarity", "--nearest", "1", "--input", "-"};
  const auto with = [&](const char* form, const std::string& input) {
    std::vector<std::string> command = nearest;
    command.emplace_back(form);
    return run_program(command, {.standard_input = input});
  };
  const std::string lines = run_program(nearest, {.standard_input = "a dog\na cat\nthe market fell\n"}).out;
  const ProgramResult csv = with("--csv", "text,x\na dog,1\na cat,2\nthe market fell,3\n");
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), std::count(lines.begin(), lines.end(), '\n'));
  const ProgramResult pair = with("--jsonl", "{\"text\": \"a\", \"pair\": \"b\"}\n{\"text\": \"a\"}\n");
  EXPECT_NE(pair.err.find("a \"pair\" where the text alone must be"), std::string::npos) << pair.err;
}

TEST(Similarity, OfTheVectorsOfAFile) {
  const TemporaryDirectory folder;
  const std::string lines = "a dog\na cat\nthe market fell\n", input = write_file(folder, "lines.txt", lines);
  const std::string vectors = (folder.path() / "lines.npy").string();
  ASSERT_EQ(run_program({"embed", "--input", input, "--output", vectors}).status, 0);
  EXPECT_EQ(run_program({"similarity", "--vectors", vectors}).out, run_program({"similarity", "--input", input}).out);
  const std::vector<std::string> nearest = {"similarity", "--nearest", "1", "--input", input};
  std::vector<std::string> read = nearest;
  read.insert(read.end(), {"--vectors", vectors});
  EXPECT_EQ(run_program(read).out, run_program(nearest).out);
  const std::string alone = run_program({"similarity", "--nearest", "1", "--vectors", vectors}).out;
  EXPECT_TRUE(alone.starts_with("vector 0\n  cosine  vector\n")) << alone;
  const ProgramResult json = run_program({"similarity", "--nearest", "1", "--vectors", vectors, "--format", "jsonl"});
  EXPECT_EQ(json.json_lines()[0]["nearest"][0]["index"], 1);
  EXPECT_FALSE(json.json_lines()[0]["nearest"][0].contains("text"));
  expect_usage_error({"similarity", "--vectors", vectors, "--kind", "sparse"}, "--vectors has neither --kind");
}

TEST(Similarity, TakesPairsFromLines) {
  const ProgramResult result = run_program(
      {"similarity", "--input", "-", "--jsonl", "--format", "jsonl"},
      {.standard_input =
           "{\"id\": 1, \"text\": \"a\", \"pair\": \"a\"}\n{\"id\": 2, \"text\": \"a\"}\n{\"ids\": [2]}\n"
           "{\"id\": 4, \"text\": \"a\", \"pair\": \"\xff\"}\n{\"id\": 5, \"text\": \"a\", \"pair\": \"b\"}\n"});
  EXPECT_EQ(result.status, 1);
  const std::vector<nlohmann::json> objects = result.json_lines();
  ASSERT_EQ(objects.size(), 5u);
  EXPECT_NEAR(objects[0]["similarity"].get<double>(), 1, 1e-12);
  EXPECT_EQ(objects[1]["line"], 2);
  EXPECT_TRUE(objects[2].contains("error"));
  EXPECT_EQ(objects[3]["id"], 4);
  EXPECT_EQ(objects[4]["id"], 5);
  EXPECT_TRUE(objects[4].contains("similarity"));
}

TEST(Similarity, WritesATable) {
  const TemporaryDirectory folder;
  const std::string pairs = write_file(folder, "a.csv", "id,text,pair\nx,a dog,a dog\ny,a dog,a \xFF\n");
  const std::vector<std::string> rows = lines_of(run_program({"similarity", "--format", "csv", "--input", pairs}).out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], "index,id,similarity,error");
  EXPECT_EQ(rows[1], "0,x,1,");
  EXPECT_TRUE(rows[2].starts_with("1,y,,\"") || rows[2].starts_with("1,y,,text")) << rows[2];
  const std::string many = run_program({"similarity", "--format", "csv", "a dog", "the market", "a dog"}).out;
  EXPECT_EQ(lines_of(many).size(), 7u) << many;
  EXPECT_EQ(lines_of(many)[0], "index,id,other,similarity,text,error");
  EXPECT_EQ(lines_of(many)[1], "0,,2,1,a dog,");
  EXPECT_EQ(lines_of(run_program({"similarity", "--format", "csv", "--nearest", "1", "a", "b", "c"}).out).size(), 4u);
  expect_usage_error({"similarity", "--explain", "--format", "csv", "a", "b"}, "--explain has no csv");
}

}  // namespace
}  // namespace bert::test
