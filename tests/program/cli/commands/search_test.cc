// Tests the command search.
#include <gtest/gtest.h>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "bert/vectors.h"
#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

constexpr const char* kLines =
    "A man is playing a guitar.\nThe stock market fell.\n\nTwo dogs run on the beach.\nSomebody plays a song.\n";

std::vector<std::string> found_texts(const nlohmann::json& result) {
  std::vector<std::string> texts;
  for (const nlohmann::json& one : result["results"]) texts.push_back(one["text"]);
  return texts;
}

// The cosines are those of the command similarity, which is tested against the embeddings.
TEST(Search, RanksLinesByTheirSimilarity) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", kLines);
  const ProgramResult result = run_program({"search", "--corpus", corpus, "--format", "json", "A musician performs"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json found = result.json()["results"];
  ASSERT_EQ(found.size(), 4u) << "the empty line is not searched";
  EXPECT_NE(result.err.find("1 line is empty and not searched"), std::string::npos) << result.err;
  double before = 2;
  for (const nlohmann::json& one : found) {
    const std::string text = one["text"];
    EXPECT_NEAR(one["score"].get<double>(),
                run_program({"similarity", "--format", "json", "A musician performs", text}).json()["similarity"],
                1e-7);
    EXPECT_EQ(lines_of(kLines)[one["index"].get<size_t>()], text);
    EXPECT_LE(one["score"].get<double>(), before);
    before = one["score"];
  }
}

TEST(Search, FindsTheSameFromStandardInputAnIndexAndIntegers) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", kLines);
  const std::string index = (folder.path() / "lines.index").string();
  const std::string expected = run_program({"search", "--corpus", corpus, "--top-k", "2", "a dog"}).out;
  EXPECT_NE(expected.find("Two dogs run on the beach."), std::string::npos) << expected;
  EXPECT_EQ(run_program({"search", "--corpus", "-", "--top-k", "2", "a dog"}, {.standard_input = kLines}).out,
            expected);
  for (const char* vectors : {"float32", "int8", "binary"}) {
    for (int time = 0; time < 2; ++time) {
      const ProgramResult result =
          run_program({"search", "--corpus", corpus, "--top-k", "2", "--index", index, "--scan", vectors, "a dog"});
      EXPECT_EQ(result.out, expected) << vectors << " " << result.err;
      EXPECT_EQ(result.status, 0);
    }
  }
}

TEST(Search, MakesTheIndexAgainWhenSomethingChanged) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  const TemporaryDirectory work;
  const std::string corpus = write_file(work, "lines.txt", "the fox\ndog\n");
  const std::string index = (work.path() / "index").string();
  const auto notes = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"search", "--model", folder.path().string(), "--corpus", corpus, "--index",
                                          index,    "the dog"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    std::string note;
    for (const std::string& line : lines_of(result.err)) {
      if (line.find("is made again") != std::string::npos) note = line.substr(line.find("again"));
    }
    return note;
  };
  EXPECT_EQ(notes({}), "");
  EXPECT_EQ(notes({}), "");
  write_file(work, "lines.txt", "the fox\nthe dog\n");
  EXPECT_EQ(notes({}), "again: the corpus changed");
  EXPECT_EQ(notes({"--pooling", "cls"}), "again: the options changed");
  EXPECT_EQ(notes({"--pooling", "cls"}), "");
  write_file(folder, "config_sentence_transformers.json", "{\"similarity_fn_name\": \"cosine\"}");
  EXPECT_EQ(notes({"--pooling", "cls"}), "again: the model changed");
  write_file(work, "index", "BERTVIDX");  // a truncated index, as after a full disk
  EXPECT_EQ(notes({"--pooling", "cls"}).substr(0, 7), "again: ");
}

TEST(Search, DoesNotReplaceAFileThatIsNoIndex) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", "a dog\n");
  const std::string other = write_file(folder, "other.txt", "a text that somebody wrote");
  const ProgramResult result = run_program({"search", "--corpus", corpus, "--index", other, "a dog"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("is not an index of vectors: it is not replaced"), std::string::npos) << result.err;
  EXPECT_EQ(read_file(other), "a text that somebody wrote");
}

TEST(Search, TakesSeveralQueriesAndObjects) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.jsonl",
                                        "{\"id\": \"a\", \"text\": \"A man is playing a guitar.\"}\n"
                                        "{\"id\": \"b\"}\n{\"id\": \"c\", \"text\": \"Dogs run.\"}\n");
  const std::string queries = write_file(folder, "queries.txt", "a dog\n\xFF\nmusic on a guitar\n");
  const ProgramResult result =
      run_program({"search", "--corpus", corpus, "--jsonl", "--queries", queries, "--top-k", "1", "--format", "jsonl"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("line 2"), std::string::npos) << result.err;
  const std::vector<nlohmann::json> results = result.json_lines();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["results"][0]["id"], "c");
  EXPECT_TRUE(results[1].contains("error"));
  EXPECT_EQ(results[2]["results"][0]["id"], "a");
  EXPECT_EQ(found_texts(results[2]), (std::vector<std::string>{"A man is playing a guitar."}));
}

TEST(Search, TakesTheVectorsOfAFile) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", kLines);
  const std::string vectors = (folder.path() / "lines.npy").string();
  ASSERT_EQ(run_program({"embed", "--input", corpus, "--output", vectors}).status, 0);
  const ProgramResult embedded = run_program({"search", "--corpus", corpus, "a musician"});
  for (const std::string& input : {corpus, std::string("-")}) {
    const ProgramResult read = run_program({"search", "--corpus", input, "--corpus-vectors", vectors, "a musician"},
                                           {.standard_input = input == "-" ? kLines : ""});
    EXPECT_EQ(read.out, embedded.out) << read.err;
    EXPECT_NE(read.err.find("1 line is not searched: empty, or without a vector"), std::string::npos) << read.err;
  }
  const std::string fewer = write_file(folder, "fewer.txt", "one\n");
  const ProgramResult wrong = run_program({"search", "--corpus", fewer, "--corpus-vectors", vectors, "a"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("has 5 vectors, expected 1, one for each line of the corpus"), std::string::npos)
      << wrong.err;
  const ProgramResult narrow =
      run_program({"search", "--corpus", corpus, "--corpus-vectors", vectors, "--dimensions", "8", "a"});
  EXPECT_NE(narrow.err.find("expected 8, as the model makes of a query"), std::string::npos) << narrow.err;
  expect_usage_error({"search", "--corpus", corpus, "--corpus-vectors", vectors, "--index", "x", "a"},
                     "--corpus-vectors are kept already");
}

TEST(Search, TakesTheQueriesVectorsOfAFile) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", kLines);
  const std::string queries = write_file(folder, "queries.txt", "a musician\nfood\n");
  const std::string vectors = (folder.path() / "queries.npy").string();
  ASSERT_EQ(run_program({"embed", "--input", queries, "--output", vectors}).status, 0);
  const auto rows = [&](const std::vector<std::string>& asked) {
    std::vector<std::string> arguments = {"search", "--corpus", corpus, "--format", "csv"};
    arguments.insert(arguments.end(), asked.begin(), asked.end());
    return run_program(arguments);
  };
  const ProgramResult read = rows({"--query-vectors", vectors});
  EXPECT_EQ(read.out, rows({"--queries", queries}).out) << read.err;
  const ProgramResult json =
      run_program({"search", "--corpus", corpus, "--query-vectors", vectors, "--format", "jsonl"});
  ASSERT_EQ(json.json_lines().size(), 2u) << json.err;
  EXPECT_FALSE(json.json_lines()[0].contains("truncated_tokens"));

  std::string bytes = test::read_file(vectors);
  bytes.replace(bytes.size() - 4, 4, std::string("\0\0\xc0\x7f", 4));  // the last number: NaN
  const ProgramResult failed = rows({"--query-vectors", write_file(folder, "nan.npy", bytes)});
  EXPECT_EQ(failed.status, 1);
  EXPECT_NE(failed.err.find("vector 2 has a NaN or an infinity"), std::string::npos) << failed.err;
  EXPECT_NE(failed.out.find("\n0,1,"), std::string::npos);
  EXPECT_EQ(failed.out.find("\n1,1,"), std::string::npos);

  const ProgramResult narrow = rows({"--query-vectors", vectors, "--dimensions", "8"});
  EXPECT_NE(narrow.err.find("expected 8, as the model makes of a text"), std::string::npos) << narrow.err;
  expect_usage_error({"search", "--corpus", corpus, "--query-vectors", vectors, "a"}, "takes the place of QUERY");
  expect_usage_error({"search", "--corpus", corpus, "--query-vectors", vectors, "--query-prompt", "q"},
                     "--query-prompt is for texts");
}

TEST(Search, LeavesOutNearDuplicatesOfBetterResults) {
  const std::string lines = "A dog runs.\nA dog runs!\nA dog runs.\nA dog runs.\nA dog is running.\nA cat sleeps.\n";
  const auto found = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"search", "--corpus", "-", "--format", "json", "a running dog"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return found_texts(run_program(arguments, {.standard_input = lines}).json());
  };
  EXPECT_EQ(found({"--top-k", "2", "--distinct", "0.999"}).size(), 2u);
  const std::vector<std::string> all = found({"--distinct", "0.999"});
  EXPECT_EQ(std::count(all.begin(), all.end(), "A dog runs."), 1);
  EXPECT_EQ(all.back(), "A cat sleeps.");
  EXPECT_EQ(found({"--distinct", "1"}).size() + 2, found({}).size()) << "the line that is there three times";
}

// The first line of a csv file is no query, whatever the corpus is.
TEST(Search, ReadsQueriesByTheEndingOfTheirFile) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", "a dog\na fox\n");
  const auto found = [&](const std::string& queries) {
    return run_program({"search", "--input", corpus, "--queries", queries, "--format", "jsonl"}).out;
  };
  const std::string expected = found(write_file(folder, "queries.txt", "a dog\na red fox\n"));
  EXPECT_EQ(found(write_file(folder, "queries.csv", "text\na dog\na red fox\n")), expected);
  EXPECT_EQ(found(write_file(folder, "queries.jsonl", "{\"text\": \"a dog\"}\n{\"text\": \"a red fox\"}\n")), expected);
  expect_usage_error({"search", "--input", corpus, "--queries", "q.json"}, "--queries 'q.json': a .json is not read");
}

TEST(Search, WritesATableOfResultsWithKeptColumns) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.csv", "id,shelf,text\nx,1,a dog\ny,2,\"a fox, red\"\n");
  const std::string queries = write_file(folder, "queries.txt", "a dog\na red fox\n");
  const std::vector<std::string> rows = lines_of(run_program({"search", "--corpus", corpus, "--queries", queries,
                                                              "--top-k", "1", "--keep", "shelf", "--format", "csv"})
                                                     .out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], "query,rank,index,id,shelf,score,text");
  EXPECT_TRUE(rows[1].starts_with("0,1,0,x,1,")) << rows[1];
  EXPECT_TRUE(rows[2].starts_with("1,1,1,y,2,")) << rows[2];
  EXPECT_TRUE(rows[2].ends_with(",\"a fox, red\"")) << rows[2];
  const nlohmann::json object =
      run_program({"search", "--corpus", corpus, "--keep", "shelf", "--format", "json", "a dog"}).json();
  EXPECT_EQ(object["results"][0]["shelf"], "1");
  expect_usage_error({"search", "--corpus", corpus, "--explain", "--format", "csv", "a"}, "--explain has no csv");
}

TEST(Search, SaysWhatIsMissing) {
  EXPECT_EQ(run_program({"search", "a"}).err,
            "bert-infer: error: search needs --input FILE, or a directory, with the lines to search\n");
  EXPECT_EQ(run_program({"search", "--corpus", "x"}).status, 2);
  EXPECT_EQ(run_program({"search", "--corpus", "x", "--candidates", "5", "a"}).status, 2);
  const ProgramResult piped = run_program({"search", "--corpus", "-", "--index", "x", "a"}, {.standard_input = "b\n"});
  EXPECT_NE(piped.err.find("--index needs an --input that is a file"), std::string::npos) << piped.err;
}

TEST(Search, RefusesADistance) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  write_file(folder, "modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
                 {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  std::filesystem::create_directory(folder.path() / "1_Pooling");
  write_file(folder, "1_Pooling/config.json", "{}");
  write_file(folder, "config_sentence_transformers.json", "{\"similarity_fn_name\": \"euclidean\"}");
  const std::string corpus = write_file(folder, "lines.txt", "a dog\n");
  const ProgramResult result = run_program({"search", "--model", folder.path().string(), "--corpus", corpus, "dog"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("name the similarity euclidean, expected cosine or dot"), std::string::npos) << result.err;
}

// The header's bytes are those that faiss-cpu 1.15.1 writes for an IndexFlatIP of 160 dimensions with 2 vectors.
TEST(FaissFile, IsAFlatIndexOfTheVectors) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", "a brown dog\nthe cat\n");
  const std::string path = (folder.path() / "index").string(), faiss = (folder.path() / "faiss").string();
  const ProgramResult result = run_program({"search", "--corpus", corpus, "--index", path, "--faiss", faiss, "dog"});
  ASSERT_EQ(result.status, 0) << result.err;
  const VectorIndex index = VectorIndex::open(path);
  ASSERT_EQ(index.size(), 160u);
  const std::string bytes = read_file(faiss);
  const std::string header(
      "IxFI\xA0\0\0\0\x02\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\x10\0\0\0\0\0\x01\0\0\0\0"
      "\x40\x01\0\0\0\0\0\0",
      45);
  ASSERT_EQ(bytes.size(), header.size() + 2 * 160 * sizeof(float));
  EXPECT_EQ(bytes.substr(0, header.size()), header);
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_EQ(std::memcmp(bytes.data() + header.size() + row * 640, index.row(row).data(), 640), 0) << row;
  }
}

}  // namespace

}  // namespace bert::test
