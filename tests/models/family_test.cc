// The tiny seeded models of the shared data's family/: odd sizes, every activation, every file layout, against the
// reference's float64 outputs within twice its own float32 error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bert/error.h"
#include "bert/model.h"
#include "tests/models/tiny_model.h"
#include "tests/support/compare.h"
#include "tests/support/npy.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

struct FamilyCase {
  std::string id;
  int batch = -1;  // rows of one padded batch share it
  std::vector<int32_t> ids, type_ids;
  std::vector<uint8_t> mask;
  size_t row_offset, rows, index;
  TokenSequence sequence() const { return {ids, type_ids, mask}; }
};

// One folder, beside a vocabulary of the right size: the folders have no tokenizer.
class FamilyModel {
 public:
  explicit FamilyModel(const fs::path& folder)
      : folder_(folder), json_(Json::parse(test::read_file(folder / "golden.json"))) {
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
      if (file.path().extension() != ".npy") {
        fs::copy_file(file.path(), directory_.path() / file.path().filename());
      }
    }
    const Json config = Json::parse(test::read_file(folder / "config.json"));
    directory_.write("vocab.txt", test::tiny_vocabulary(config["vocab_size"]));
    for (const Json& json : json_["cases"]) {
      FamilyCase c;
      c.id = json["id"];
      if (json["batch"].is_number()) c.batch = json["batch"];
      c.ids = json["input_ids"].get<std::vector<int32_t>>();
      if (!json["token_type_ids"].is_null()) c.type_ids = json["token_type_ids"].get<std::vector<int32_t>>();
      c.mask = json["attention_mask"].get<std::vector<uint8_t>>();
      c.row_offset = json["row_offset"];
      c.rows = json["rows"];
      c.index = cases_.size();
      cases_.push_back(std::move(c));
    }
  }

  Model load(const LoadOptions& options = {}) const { return Model::load(directory_.path().string(), options); }
  const std::vector<FamilyCase>& cases() const { return cases_; }
  const Json& outputs() const { return json_["outputs"]; }
  std::string model_class() const { return json_["model_class"]; }
  test::NpyArray array(const std::string& output) const {
    return test::read_npy(folder_ / outputs()[output]["file"].get<std::string>());
  }
  // Twice the reference's own error: of each output apart where the class is BertModel; of the encoder's worst output
  // where a head's outputs stand beside it, since one pooled output of bert-pretraining is past twice its own.
  double limit(const std::string& output) const {
    double largest = 0;
    for (const char* name : {"last_hidden_state", "pooler_output", "hidden_states", "attentions"}) {
      if (!outputs().contains(name) || (model_class() == "BertModel" && output != name)) continue;
      for (const Json& error : outputs()[name]["float32_error"]) {
        if (error.is_number()) largest = std::max(largest, error.get<double>());
      }
    }
    return 2 * largest;
  }

 private:
  fs::path folder_;
  Json json_;
  test::TemporaryDirectory directory_;
  std::vector<FamilyCase> cases_;
};

// What the model says of every case, padded ones in their batch.
std::vector<EncodedSequence> encode_all(const Model& model, const std::vector<FamilyCase>& cases) {
  std::vector<EncodedSequence> results;
  for (size_t begin = 0; begin < cases.size();) {
    size_t end = begin + 1;
    while (cases[begin].batch >= 0 && end < cases.size() && cases[end].batch == cases[begin].batch) ++end;
    std::vector<TokenSequence> batch;
    for (size_t i = begin; i < end; ++i) batch.push_back(cases[i].sequence());
    for (EncodedSequence& result : model.encode(batch, {.hidden_states = true, .attentions = true})) {
      results.push_back(std::move(result));
    }
    begin = end;
  }
  return results;
}

// The largest error of each output by its limit; prints what is past it.
double check_outputs(const FamilyModel& family, const std::vector<EncodedSequence>& results) {
  double worst = 0;
  const auto compare = [&](const std::string& output, const FamilyCase& c, const auto& got, const auto& expected) {
    EXPECT_TRUE(test::within(family.limit(output), got, expected)) << output << " of " << c.id;
    if (got.size() == expected.size())
      worst = std::max(worst, test::worst_of(got, expected).error / family.limit(output));
  };
  const auto case_of = [&](const Json& id) {
    return *std::find_if(family.cases().begin(), family.cases().end(), [&](const FamilyCase& c) { return c.id == id; });
  };
  const test::NpyArray last = family.array("last_hidden_state");
  for (const FamilyCase& c : family.cases()) {
    compare("last_hidden_state", c, results[c.index].last_hidden_state, last.rows(c.row_offset, c.rows));
  }
  if (family.outputs().contains("pooler_output")) {
    const test::NpyArray pooler = family.array("pooler_output");
    for (const FamilyCase& c : family.cases()) {
      compare("pooler_output", c, results[c.index].pooler_output, pooler.rows(c.index, 1));
    }
  }
  if (!family.outputs().contains("hidden_states")) return worst;
  const test::NpyArray states = family.array("hidden_states");
  for (const Json& entry : family.outputs()["hidden_states"]["cases"]) {
    const FamilyCase c = case_of(entry["id"]);
    const size_t rows = entry["states"].get<size_t>() * entry["rows"].get<size_t>();
    compare("hidden_states", c, results[c.index].hidden_states, states.rows(entry["row_offset"], rows));
  }
  const test::NpyArray attentions = family.array("attentions");
  for (const Json& entry : family.outputs()["attentions"]["cases"]) {
    const FamilyCase c = case_of(entry["id"]);
    size_t size = 1;
    for (const Json& dimension : entry["shape"]) size *= dimension.get<size_t>();
    compare("attentions", c, results[c.index].attentions, attentions.rows(entry["offset"], size));
  }
  return worst;
}

// Calls check(name, folder) for each folder of a BERT with the position type.
template <class Check>
void for_each_bert(const fs::path& family, const std::string& positions, const Check& check) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(family)) {
    if (!fs::exists(entry.path() / "golden.json") || !fs::exists(entry.path() / "config.json")) continue;
    const Json config = Json::parse(test::read_file(entry.path() / "config.json"));
    const Json golden = Json::parse(test::read_file(entry.path() / "golden.json"));
    if (config["model_type"] != "bert" || config.value("position_embedding_type", "absolute") != positions) continue;
    if (golden.contains("outputs")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    SCOPED_TRACE(folder.filename().string());
    check(folder);
  }
}

bool has_safetensors(const fs::path& folder) {
  return fs::exists(folder / "model.safetensors") || fs::exists(folder / "model.safetensors.index.json");
}

// Folders whose class has a head count too: their encoder is the same and the head's tensors are left alone.
TEST(Family, IsWithinTwiceTheReferencesErrorInEveryOutput) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  size_t folders = 0, bert_models = 0;
  for_each_bert(family, "absolute", [&](const fs::path& folder) {
    if (!has_safetensors(folder)) return;
    const FamilyModel model(folder);
    const double worst = check_outputs(model, encode_all(model.load({.threads = 2}), model.cases()));
    std::printf("%s: at most %.2f of the limit\n", folder.filename().c_str(), worst);
    ++folders;
    if (model.model_class() == "BertModel") ++bert_models;
  });
  EXPECT_EQ(bert_models, 31u);
  RecordProperty("folders", static_cast<int>(folders));
}

TEST(Family, HasTheSameBitsOnEveryInstructionSetProviderAndThreadCount) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  for_each_bert(family, "absolute", [&](const fs::path& folder) {
    if (!has_safetensors(folder)) return;
    const FamilyModel model(folder);
    const auto expected = encode_all(model.load({.threads = 1, .gemm = GemmProvider::kPortable}), model.cases());
    const auto got = encode_all(model.load({.threads = 3, .gemm = GemmProvider::kOwn}), model.cases());
    for (const FamilyCase& c : model.cases()) {
      EXPECT_TRUE(test::same_bits(got[c.index].hidden_states, expected[c.index].hidden_states)) << c.id;
      EXPECT_TRUE(test::same_bits(got[c.index].attentions, expected[c.index].attentions)) << c.id;
      EXPECT_TRUE(test::same_bits(got[c.index].pooler_output, expected[c.index].pooler_output)) << c.id;
    }
  });
}

TEST(Family, IsNearWithOpenBlas) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  try {
    for_each_bert(family, "absolute", [&](const fs::path& folder) {
      if (!has_safetensors(folder)) return;
      const FamilyModel model(folder);
      check_outputs(model, encode_all(model.load({.gemm = GemmProvider::kOpenBlas}), model.cases()));
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    GTEST_SKIP() << "SKIPPED, " << error.what();
  }
}

TEST(Family, IsRefusedWithTheConvertersCommandWithoutSafetensors) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  for (const char* name : {"bert-odd-1-bin", "bert-odd-1-bin-legacy"}) {
    const FamilyModel model(family / name);
    try {
      model.load();
      ADD_FAILURE() << name << " was loaded";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << error.what();
      EXPECT_NE(std::string(error.what()).find("pytorch_model.bin"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("convert_weights.py"), std::string::npos) << error.what();
    }
  }
}

TEST(Family, IsRefusedByNameWithRelativePositions) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  for (const std::string positions : {"relative_key", "relative_key_query"}) {
    size_t folders = 0;
    for_each_bert(family, positions, [&](const fs::path& folder) {
      ++folders;
      const FamilyModel model(folder);
      try {
        model.load();
        ADD_FAILURE() << "was loaded";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << error.what();
        EXPECT_NE(std::string(error.what()).find("'" + positions + "'"), std::string::npos) << error.what();
      }
    });
    EXPECT_EQ(folders, 1u) << positions;
  }
}

}  // namespace
}  // namespace bert
