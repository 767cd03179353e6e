#include "bert/bundle.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bert/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

class BundleTest : public ::testing::Test {
 protected:
  BundleTest() { test::write_tiny_model(source_); }
  // Appends the model to a small program, because this test's own program has hundreds of megabytes under a sanitizer.
  static WrittenBundle write(const std::string& model, const std::string& file) {
    return write_bundle(model, file, {}, "/bin/true");
  }
  std::string source() const { return source_.path().string(); }
  std::string out(const std::string& name = "out") const { return (folder_.path() / name).string(); }
  // Returns a bundle in which the byte `from_end` bytes before its end is changed.
  std::string with_changed_byte(size_t from_end) const {
    std::string bytes = test::read_file(out());
    bytes[bytes.size() - from_end] ^= 1;
    return folder_.write("changed", bytes).string();
  }
  void expect_refused(const std::string& file, const std::string& says) const {
    const std::string message = test::error_of(ErrorCode::kInvalidFile, [&] { Model::load(file); });
    EXPECT_NE(message.find(says), std::string::npos) << message;
  }

  TemporaryDirectory source_, folder_;
};

TEST_F(BundleTest, LoadsAsTheDirectoryDoes) {
  source_.write("NOTICE", "whose it is");
  source_.write("notes.bin", "not a part of a model");
  const WrittenBundle written = write(source(), out());
  EXPECT_EQ(written.bytes, fs::file_size(out()));
  EXPECT_EQ(written.files, 4u);
  EXPECT_EQ(written.not_copied, std::vector<std::string>{"notes.bin"});
  EXPECT_FALSE(fs::exists(out() + ".partial"));
  const Model model = Model::load(out()), expected = Model::load(source());
  EXPECT_EQ(model.embed("the fox"), expected.embed("the fox"));
  EXPECT_EQ(model.describe().files, std::vector<std::string>{out() + "/model.safetensors"});
  EXPECT_EQ(bundle_info(out())->files, 4u);
  EXPECT_FALSE(bundle_info(source()).has_value());
  EXPECT_FALSE(bundled_model().has_value()) << "this test's own file has none";
}

TEST_F(BundleTest, HasModulesInFoldersAndShards) {
  const TemporaryDirectory m3;
  test::write_tiny_m3(m3);
  write(m3.path().string(), out());
  const Model model = Model::load(out()), expected = Model::load(m3.path().string());
  EXPECT_EQ(model.embed("the fox"), expected.embed("the fox"));
  EXPECT_EQ(model.notices(), expected.notices());
}

TEST_F(BundleTest, TakesThePlaceOfTheOneThatTheProgramHas) {
  const WrittenBundle first = write(source(), out());
  const WrittenBundle second = write_bundle(source(), out("second"), {}, out());
  EXPECT_EQ(second.program_bytes, first.program_bytes);
  EXPECT_EQ(test::read_file(out("second")), test::read_file(out()));
}

TEST_F(BundleTest, IsRefusedWhenItWasDamaged) {
  write(source(), out());
  expect_refused(with_changed_byte(20), "the index of a bundle is damaged");
  expect_refused(with_changed_byte(100), "the index of a bundle is damaged");
  expect_refused(with_changed_byte(4096), "damaged: its XXH64 is not the ");
  folder_.write("long", "x" + test::read_file(out()));
  expect_refused(out("long"), " bytes, expected ");
  const std::string whole = test::read_file(out());
  folder_.write("short", std::string_view(whole).substr(0, whole.size() - 1));
  const std::string message =
      test::error_of(ErrorCode::kInvalidFile, [&] { write_bundle(source(), out("x"), {}, out("short")); });
  EXPECT_NE(message.find("expected nothing or a whole bundle after it: it was truncated or altered"), std::string::npos)
      << message;
}

TEST_F(BundleTest, NeedsANewFileAProgramAndAModel) {
  folder_.write("there", "x");
  EXPECT_NE(test::error_of(ErrorCode::kInvalidArgument, [&] { write(source(), out("there")); })
                .find("there': exists, expected the name of a new file"),
            std::string::npos);
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { write_bundle(source(), out(), {}, out("there")); })
                .find("there': expected a program for Linux (ELF, 64 bits)"),
            std::string::npos);
  test::error_of(ErrorCode::kNotFound, [&] { write(out("none"), out()); });
  test::error_of(ErrorCode::kNotFound, [&] { write_bundle(source(), out(), {}, out("none")); });
  EXPECT_FALSE(fs::exists(out()));
  write(source(), out());
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported, [&] { write(out(), out("again")); })
                .find("a program with a model in it, expected a model's directory"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
