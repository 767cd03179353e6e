#include "models/encoder/panel_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "bert/pack.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/stored_tensors.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

namespace fs = std::filesystem;

class PanelFiles : public ::testing::Test {
 protected:
  PanelFiles() { test::write_tiny_model(folder_); }
  std::string name() const { return folder_.path().string(); }
  Model load(Packing packing = Packing::kAutomatic) const {
    return Model::load(name(), {.threads = 2, .gemm = GemmProvider::kNative, .packing = packing});
  }
  fs::path pack() const { return bert::pack(name(), {.threads = 2, .gemm = GemmProvider::kNative}).path; }
  static std::vector<float> vectors_of(const Model& model) {
    std::vector<int32_t> many;
    for (int i = 0; i < 20; ++i) many.push_back(4 + i % 4);
    const std::vector<int32_t> few = {2, 5, 7, 3};
    const std::vector<TokenSequence> batch = {{.ids = few}, {.ids = many}};
    return model.embed(batch);
  }
  test::TemporaryDirectory folder_;
};

TEST_F(PanelFiles, AreReadFromTheFirstPassOnWithTheSameBits) {
  const std::vector<float> expected = vectors_of(load());
  const fs::path path = pack();
  const Model model = load();
  EXPECT_EQ(model.describe().panel_file, path.string());
  EXPECT_EQ(load(Packing::kNever).describe().panel_file, path.string());  // the file needs no memory of the model
  EXPECT_TRUE(test::same_bits(vectors_of(model), expected));
  EXPECT_TRUE(test::same_bits(vectors_of(model), expected));
  EXPECT_EQ(model.describe().packed_bytes, 0u);  // the panels are the file's
  EXPECT_NO_THROW(check_packed_file(model));
#if !defined(_WIN32)  // which replaces no mapped file
  EXPECT_EQ(pack(), path);
#endif
}

TEST_F(PanelFiles, ChangeNothingIfTheyAreOfOtherWeights) {
  const fs::path path = pack();
  const test::TemporaryDirectory other;
  test::write_tiny_model(other, {}, [](test::TinyTensors& tensors) {
    for (auto& [tensor, values] : tensors) values.values.front() += 1;
  });
  const std::string other_name = other.path().string();
  const std::vector<float> expected = vectors_of(Model::load(other_name, {.gemm = GemmProvider::kNative}));
  fs::copy_file(path, other.path() / path.filename());
  const Model model = Model::load(other_name, {.gemm = GemmProvider::kNative});
  EXPECT_TRUE(test::same_bits(vectors_of(model), expected));
  EXPECT_EQ(model.describe().panel_file, "");
  ASSERT_FALSE(model.notices().empty());
  EXPECT_NE(model.notices().back().find("was made from other weights (see pack)"), std::string::npos)
      << model.notices().back();
}

// Other file times alone change nothing. One changed number between the sampled ones is noticed.
TEST_F(PanelFiles, AreNotReadAfterAnyNumberOfTheWeightsWasWrittenInPlace) {
  test::TinyModel wide{.hidden = 120, .intermediate = 240};
  test::write_tiny_model(folder_, wide);
  const fs::path path = pack(), weights = folder_.path() / "model.safetensors";
  const auto written = fs::last_write_time(weights);
  std::string bytes = test::read_file(weights);
  fs::last_write_time(weights, written + std::chrono::seconds(5));
  EXPECT_EQ(load().describe().panel_file, path.string()) << "the same numbers";
  const std::vector<test::TestTensor> tensors = test::stored_tensors(folder_.path());
  const auto tensor = std::find_if(tensors.begin(), tensors.end(), [](const test::TestTensor& one) {
    return one.name == "encoder.layer.1.output.dense.weight";
  });
  bytes[bytes.find(tensor->data) + tensor->data.size() / 4] ^= 1;
  std::fstream(weights, std::ios::in | std::ios::out | std::ios::binary) << bytes;
  std::vector<float> found;
  {
    const Model model = load();
    ASSERT_FALSE(model.notices().empty());
    EXPECT_NE(model.notices().back().find("has no panels of 1 of "), std::string::npos) << model.notices().back();
    found = vectors_of(model);
  }
  fs::remove(path);
  EXPECT_TRUE(test::same_bits(found, vectors_of(load())));
}

TEST_F(PanelFiles, AreNotReadForWeightsThatAnAdapterChanges) {
  const test::TemporaryDirectory adapter;
  test::write_tiny_adapter(adapter, "");
  const LoadOptions options{.threads = 2, .gemm = GemmProvider::kNative, .adapter = adapter.path().string()};
  const std::vector<float> expected = vectors_of(Model::load(name(), options));
  const fs::path path = pack();
  const Model model = Model::load(name(), options);
  EXPECT_EQ(model.describe().panel_file, path.string());  // for the weights that the adapter leaves
  EXPECT_TRUE(test::same_bits(vectors_of(model), expected));
  EXPECT_FALSE(test::same_bits(vectors_of(load()), expected));
  EXPECT_EQ(model.notices(), Model::load(name(), options).notices());
  EXPECT_NO_THROW(check_packed_file(model));
}

TEST_F(PanelFiles, AreNotReadForWeightsThatAreCopied) {
  pack();
  EXPECT_EQ(Model::load(name(), {.gemm = GemmProvider::kNative, .copy_weights = true}).describe().panel_file, "");
}

TEST_F(PanelFiles, AreNotReadOnAnotherCpu) {
  const fs::path path = pack();
  fs::rename(path, path.parent_path() / "panels.float32-00000000");
  const Model model = load();
  EXPECT_EQ(model.describe().panel_file, "");
  ASSERT_FALSE(model.notices().empty());
  EXPECT_NE(model.notices().back().find("has panels.float32-00000000, expected " + path.filename().string()),
            std::string::npos)
      << model.notices().back();
}

TEST_F(PanelFiles, ThatAKilledRunLeftAreNotNamed) {
  const std::vector<std::string> notices = load().notices();
  folder_.write("panels.float32-00000000.partial", "unfinished");
  EXPECT_EQ(load().notices(), notices);
}

TEST_F(PanelFiles, AreComparedWithTheWeights) {
  const fs::path path = pack();
  std::string bytes = test::read_file(path);
  bytes[bytes.size() - 64] ^= 1;
  const auto write = [&](std::string_view content) { folder_.write(path.filename().string(), content); };
  write(bytes);
  const Model model = load();
  ASSERT_EQ(model.describe().panel_file, path.string());
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { vectors_of(model); }).find("are damaged, expected those"),
              std::string::npos);
  }
  try {
    check_packed_file(model);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidFile);
    EXPECT_NE(std::string(error.what()).find("are not those of the model's weights"), std::string::npos);
  }
  write(bytes.substr(0, bytes.size() / 2));
  try {
    load();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("'" + path.string() + "': truncated at byte "), 0u) << error.what();
  }
}

#if !defined(_WIN32)  // which writes no mapped file
TEST_F(PanelFiles, WrittenMeanwhileAreAnError) {
  const fs::path path = pack();
  const Model model = load();
  vectors_of(model);
  const std::string bytes = test::read_file(path);
  std::ofstream(path, std::ios::binary) << bytes << "x";
  EXPECT_THROW(model.check_files(), Error);
}
#endif

}  // namespace
}  // namespace bert
