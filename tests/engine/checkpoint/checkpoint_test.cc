#include "engine/checkpoint/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "bert/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::floats;
using test::image_of;
using test::TemporaryDirectory;

constexpr const char* kIndex = "model.safetensors.index.json";

std::string index_of(const std::vector<std::pair<std::string, std::string>>& map, const std::string& metadata = "{}") {
  std::string text = R"({"metadata":)" + metadata + R"(,"weight_map":{)";
  for (size_t i = 0; i < map.size(); ++i) {
    text += (i > 0 ? ",\"" : "\"") + map[i].first + "\":\"" + map[i].second + "\"";
  }
  return text + "}}";
}

std::string open_error(const fs::path& directory, ErrorCode expected) {
  const std::string error = error_of(expected, [&] { Checkpoint::open(directory); });
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  return error;
}

std::map<std::string, std::string> contents(const Checkpoint& checkpoint) {
  std::map<std::string, std::string> result;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    std::string& text = result[std::string(tensor.name)];
    text = std::string(tensor.type->name) + shape_text(tensor.shape);
    text.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  }
  return result;
}

TEST(Checkpoint, OpensASingleFileAndFindsByName) {
  const TemporaryDirectory directory;
  const std::string image = image_of({floats("b", {2}), floats("a", {3, 1})});
  const fs::path path = directory.write("model.safetensors", image);
  const Checkpoint first = Checkpoint::open(directory.path());
  ASSERT_EQ(first.tensors().size(), 2u);
  EXPECT_EQ(first.tensors()[0].name, "b");
  ASSERT_NE(first.find("a"), nullptr);
  EXPECT_EQ(first.find("a")->data.size(), 12u);
  EXPECT_EQ(first.find("c"), nullptr);
  EXPECT_EQ(first.find(""), nullptr);
  EXPECT_EQ(first.files(), std::vector<std::string>{path.string()});
  EXPECT_EQ(first.source(), path.string());
  EXPECT_TRUE(first.notices().empty());
}

TEST(Checkpoint, StaysWholeWhenMoved) {
  const TemporaryDirectory directory;
  directory.write("model.safetensors", image_of({floats("a", {2})}));
  Checkpoint first = Checkpoint::open(directory.path());
  const std::byte* data = first.tensors()[0].data.data();
  const Checkpoint second = std::move(first);
  EXPECT_EQ(second.find("a")->data.data(), data);
  EXPECT_EQ(second.find("a")->name, "a");
}

TEST(Checkpoint, ReadsAnImageInMemory) {
  const std::string image = image_of({floats("a", {2})});
  const Checkpoint checkpoint = Checkpoint::from_memory(test::as_bytes(image), "built-in");
  EXPECT_EQ(checkpoint.file_of(*checkpoint.find("a")), "built-in");
  EXPECT_NE(error_of([] { Checkpoint::from_memory({}, "built-in"); }).find("'built-in': truncated at byte 0"),
            std::string::npos);
}

TEST(Checkpoint, OpensShards) {
  const TemporaryDirectory directory;
  directory.write("one.safetensors", image_of({floats("a", {2}), floats("b", {1})}));
  directory.write("two.safetensors", image_of({floats("c", {3})}));
  directory.write(kIndex, index_of({{"c", "two.safetensors"}, {"a", "one.safetensors"}, {"b", "one.safetensors"}},
                                   R"({"total_size":24})"));
  const Checkpoint checkpoint = Checkpoint::open(directory.path());
  EXPECT_EQ(checkpoint.tensors().size(), 3u);
  EXPECT_EQ(checkpoint.files().size(), 2u);
  EXPECT_EQ(checkpoint.file_of(*checkpoint.find("a")), (directory.path() / "one.safetensors").string());
  EXPECT_EQ(checkpoint.source(), (directory.path() / kIndex).string());
  EXPECT_TRUE(checkpoint.notices().empty());
}

TEST(Checkpoint, MapsItsFilesOrCopiesThem) {
  const TemporaryDirectory directory;
  directory.write("one.safetensors", image_of({floats("a", {2})}));
  directory.write(kIndex, index_of({{"a", "one.safetensors"}}, R"({"total_size":8})"));
  const Checkpoint mapped = Checkpoint::open(directory.path());
  const Checkpoint copied = Checkpoint::open(directory.path(), true);
  mapped.check_files();
  const auto bytes = [](const Checkpoint& checkpoint) {
    const auto data = checkpoint.find("a")->data;
    return std::vector<std::byte>(data.begin(), data.end());
  };
  const std::span<const std::byte> data = mapped.find("a")->data;
  EXPECT_EQ(mapped.mapped(data).data(), data.data());
  EXPECT_TRUE(copied.mapped(copied.find("a")->data).empty());
  EXPECT_TRUE(mapped.mapped({}).empty());
  const std::vector<std::byte> before = bytes(mapped);
  EXPECT_EQ(bytes(copied), before);
  std::fstream file(directory.path() / "one.safetensors", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x7F');
  file.close();
  EXPECT_EQ(bytes(copied), before);
  copied.check_files();
  std::filesystem::resize_file(directory.path() / "one.safetensors", 9);
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [&] { mapped.check_files(); }).find("one.safetensors': truncated"),
            std::string::npos);
}

TEST(Checkpoint, NoticesExtraTensorsAndAWrongTotal) {
  const TemporaryDirectory directory;
  directory.write("one.safetensors", image_of({floats("a", {2}), floats("extra", {1}), floats("more", {1})}));
  directory.write(kIndex, index_of({{"a", "one.safetensors"}}, R"({"total_size":9})"));
  const Checkpoint checkpoint = Checkpoint::open(directory.path());
  EXPECT_EQ(checkpoint.tensors().size(), 1u);
  EXPECT_EQ(checkpoint.find("extra"), nullptr);
  ASSERT_EQ(checkpoint.notices().size(), 2u);
  EXPECT_NE(checkpoint.notices()[0].find("one.safetensors': 2 tensors are not in '"), std::string::npos);
  EXPECT_NE(checkpoint.notices()[0].find("the first: 'extra'"), std::string::npos);
  EXPECT_NE(checkpoint.notices()[1].find("total_size 9, the tensors have 8 bytes"), std::string::npos);
}

TEST(Checkpoint, RefusesShardsThatDisagreeWithTheIndex) {
  const TemporaryDirectory directory;
  directory.write("one.safetensors", image_of({floats("a", {2})}));
  directory.write("two.safetensors", image_of({floats("a", {2}), floats("b", {2})}));
  directory.write(kIndex, index_of({{"a", "one.safetensors"}, {"missing", "one.safetensors"}}));
  std::string error = open_error(directory.path(), ErrorCode::kInvalidFile);
  EXPECT_NE(error.find("tensor 'missing' in '"), std::string::npos) << error;
  EXPECT_NE(error.find("one.safetensors': not there, expected it because '"), std::string::npos) << error;

  directory.write(kIndex, index_of({{"a", "one.safetensors"}, {"b", "two.safetensors"}}));
  error = open_error(directory.path(), ErrorCode::kInvalidFile);
  EXPECT_NE(error.find("tensor 'a' in '" + (directory.path() / "two.safetensors").string()), std::string::npos)
      << error;
  EXPECT_NE(error.find("says it lies in 'one.safetensors', expected it there only"), std::string::npos) << error;

  directory.write(kIndex, index_of({{"a", "three.safetensors"}}));
  EXPECT_NE(open_error(directory.path(), ErrorCode::kNotFound).find("names 'three.safetensors', which is not there"),
            std::string::npos);

  directory.write("two.safetensors", "short");
  directory.write(kIndex, index_of({{"b", "two.safetensors"}}));
  EXPECT_NE(open_error(directory.path(), ErrorCode::kInvalidFile).find("two.safetensors': truncated at byte 5"),
            std::string::npos);
}

TEST(Checkpoint, RefusesShardsThatLeadOut) {
  const TemporaryDirectory directory;
  const std::string image = image_of({floats("a", {2})});
  directory.write("outside.safetensors", image);
  directory.write("model-2/outside.safetensors", image);
  const fs::path model = directory.path() / "model";
  fs::create_directories(model);
  const auto try_shard = [&](const std::string& name, ErrorCode code) {
    directory.write(std::string("model/") + kIndex, index_of({{"a", name}}));
    return open_error(model, code);
  };
  fs::create_symlink("../outside.safetensors", model / "relative.safetensors");
  fs::create_symlink(directory.path() / "outside.safetensors", model / "absolute.safetensors");
  fs::create_symlink("../model-2/outside.safetensors", model / "sibling.safetensors");
  fs::create_symlink("relative.safetensors", model / "twice.safetensors");
  fs::create_symlink("/dev/zero", model / "zero.safetensors");
  fs::create_symlink("/proc/self/mem", model / "memory.safetensors");
  for (const char* name : {"relative", "absolute", "sibling", "twice", "zero", "memory"}) {
    const std::string error = try_shard(std::string(name) + ".safetensors", ErrorCode::kInvalidFile);
    EXPECT_NE(error.find(std::string("names '") + name + ".safetensors', which leads to '"), std::string::npos)
        << error;
  }
  fs::create_symlink("nowhere", model / "dangling.safetensors");
  EXPECT_NE(try_shard("dangling.safetensors", ErrorCode::kNotFound).find("which is not there"), std::string::npos);
  fs::create_symlink("loop.safetensors", model / "loop.safetensors");
  EXPECT_NE(try_shard("loop.safetensors", ErrorCode::kNotFound), "");
  ASSERT_EQ(mkfifo((model / "fifo.safetensors").c_str(), 0600), 0);
  EXPECT_NE(try_shard("fifo.safetensors", ErrorCode::kInvalidFile).find("is a FIFO"), std::string::npos);
  fs::create_directory(model / "folder.safetensors");
  EXPECT_NE(try_shard("folder.safetensors", ErrorCode::kInvalidFile).find("is a directory"), std::string::npos);
  // These names lead out of the directory. shard_index_test.cc tests more of them.
  EXPECT_NE(try_shard("../outside.safetensors", ErrorCode::kInvalidFile).find("expected a plain file name"),
            std::string::npos);
  EXPECT_NE(
      try_shard(directory.path() / "outside.safetensors", ErrorCode::kInvalidFile).find("expected a plain file name"),
      std::string::npos);
}

TEST(Checkpoint, FollowsTheHubsCacheToItsBlobs) {
  const TemporaryDirectory directory;
  directory.write("models--org--name/blobs/1234", image_of({floats("a", {2})}));
  const fs::path snapshot = directory.path() / "models--org--name/snapshots/abcd";
  fs::create_directories(snapshot);
  fs::create_symlink("../../blobs/1234", snapshot / "one.safetensors");
  directory.write(std::string("models--org--name/snapshots/abcd/") + kIndex, index_of({{"a", "one.safetensors"}}));
  EXPECT_EQ(Checkpoint::open(snapshot).tensors().size(), 1u);
}

TEST(Checkpoint, FollowsTheUsersOwnLinks) {
  const TemporaryDirectory directory;
  const fs::path elsewhere = directory.write("elsewhere/weights", image_of({floats("a", {2})}));
  fs::create_directory(directory.path() / "model");
  fs::create_symlink(elsewhere, directory.path() / "model/model.safetensors");
  fs::create_directory_symlink("model", directory.path() / "link");
  EXPECT_EQ(Checkpoint::open(directory.path() / "link").tensors().size(), 1u);
}

TEST(Checkpoint, TakesTheSingleFileBeforeTheIndexAndSaysSo) {
  const TemporaryDirectory directory;
  directory.write("model.safetensors", image_of({floats("a", {2})}));
  directory.write(kIndex, "not even JSON");
  directory.write("pytorch_model.bin", "pickle");
  const Checkpoint checkpoint = Checkpoint::open(directory.path());
  ASSERT_EQ(checkpoint.notices().size(), 1u);
  EXPECT_NE(checkpoint.notices()[0].find("the former is read"), std::string::npos);
}

TEST(Checkpoint, RefusesOtherFormatsWithWhatToDo) {
  for (const std::string name : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
    const TemporaryDirectory directory;
    directory.write(name, "x");
    EXPECT_EQ(open_error(directory.path(), ErrorCode::kUnsupported),
              "'" + directory.path().string() + "': found '" + name +
                  "' only, expected 'model.safetensors'; run: python3 tools/convert_weights.py " +
                  directory.path().string());
  }
  for (const std::string name : {"tf_model.h5", "flax_model.msgpack", "bert_model.ckpt.index"}) {
    const TemporaryDirectory directory;
    directory.write(name, "x");
    EXPECT_NE(
        open_error(directory.path(), ErrorCode::kUnsupported).find("found '" + name + "' only, which is not read"),
        std::string::npos);
  }
  const TemporaryDirectory exported;
  exported.write("onnx/model.onnx", "x");
  EXPECT_EQ(open_error(exported.path(), ErrorCode::kUnsupported),
            "'" + exported.path().string() +
                "': no 'model.safetensors'; 'model.onnx' is an ONNX file, which is not read; use the model that it was "
                "converted from: a directory with config.json and model.safetensors, or what tools/convert_weights.py "
                "makes of an encoder's export");
  const TemporaryDirectory directory;
  directory.write("adapter_model.safetensors", "x");
  EXPECT_EQ(open_error(directory.path(), ErrorCode::kUnsupported),
            "'" + directory.path().string() +
                "': found 'adapter_model.safetensors' only, an adapter (LoRA); expected 'model.safetensors' of its "
                "base model, with the adapter beside it (--adapter)");
}

TEST(Checkpoint, HasTheFilesOfAnotherAfterItsOwn) {
  const TemporaryDirectory directory;
  directory.write("a.safetensors", test::image_of({test::floats("x", {2}), test::floats("y", {1})}));
  directory.write("b.safetensors", test::image_of({test::floats("z", {3})}));
  Checkpoint checkpoint = Checkpoint::open_file(directory.path() / "a.safetensors");
  checkpoint.append(Checkpoint::open_file(directory.path() / "b.safetensors", true));
  ASSERT_EQ(checkpoint.tensors().size(), 3u);
  EXPECT_EQ(checkpoint.source(), (directory.path() / "a.safetensors").string());
  EXPECT_EQ(checkpoint.file_of(*checkpoint.find("y")), checkpoint.source());
  EXPECT_EQ(checkpoint.file_of(*checkpoint.find("z")), (directory.path() / "b.safetensors").string());
  EXPECT_EQ(checkpoint.find("z")->shape[0], 3u);
}

TEST(Checkpoint, GivesTheCommandInAFormThatAShellTakes) {
  const TemporaryDirectory directory;
  directory.write("it's a model/pytorch_model.bin", "x");
  const std::string error = open_error(directory.path() / "it's a model", ErrorCode::kUnsupported);
  EXPECT_NE(error.find("convert_weights.py '" + directory.path().string() + "/it'\\''s a model'"), std::string::npos)
      << error;
}

TEST(Checkpoint, SaysWhatItLookedFor) {
  const TemporaryDirectory directory;
  EXPECT_EQ(open_error(directory.path(), ErrorCode::kNotFound),
            "'" + directory.path().string() +
                "': no weights; looked for 'model.safetensors' and 'model.safetensors.index.json'");
  EXPECT_NE(open_error(directory.path() / "x", ErrorCode::kNotFound).find("no such directory"), std::string::npos);
  const fs::path file = directory.write("file", "");
  EXPECT_NE(open_error(file, ErrorCode::kNotFound).find("no such directory"), std::string::npos);
  EXPECT_NE(open_error(std::string("a\0b", 3), ErrorCode::kNotFound), "");
  EXPECT_NE(open_error("", ErrorCode::kNotFound), "");
}

TEST(Checkpoint, RefusesModelFilesThatAreNoRegularFile) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "model.safetensors";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(open_error(directory.path(), ErrorCode::kInvalidFile).find("is a FIFO"), std::string::npos);
  fs::remove(path);
  fs::create_symlink("/dev/zero", path);
  EXPECT_NE(open_error(directory.path(), ErrorCode::kInvalidFile).find("is a character device"), std::string::npos);
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_NE(open_error(directory.path(), ErrorCode::kInvalidFile).find("is a directory"), std::string::npos);
  fs::remove(path);
  fs::create_symlink("missing", path);
  EXPECT_NE(open_error(directory.path(), ErrorCode::kNotFound).find("is a link to a file that is not there"),
            std::string::npos);
  fs::remove(path);
  ASSERT_EQ(mkfifo((directory.path() / kIndex).c_str(), 0600), 0);
  EXPECT_NE(open_error(directory.path(), ErrorCode::kInvalidFile).find("is a FIFO"), std::string::npos);
}

TEST(Checkpoint, RefusesASparseFileThatClaimsTerabytes) {
  const TemporaryDirectory directory;
  const std::string header = R"({"a":{"dtype":"U8","shape":[4398046511103],"data_offsets":[0,4398046511103]}})";
  const fs::path path = directory.write("model.safetensors", test::raw_image(header, ""));
  fs::resize_file(path, uintmax_t{1} << 42);
  EXPECT_NE(error_of([&] { Checkpoint::open(directory.path()); }), "");
}

TEST(Checkpoint, ReadsTheShardsOfARealWriter) {
  BERT_TEST_DATA_OR_SKIP(single, "family/bert-odd-1");
  BERT_TEST_DATA_OR_SKIP(sharded, "family/bert-odd-1-sharded");
  const Checkpoint shards = Checkpoint::open(sharded);
  EXPECT_EQ(shards.files().size(), 2u);
  EXPECT_EQ(contents(Checkpoint::open(single)), contents(shards));
  EXPECT_TRUE(shards.notices().empty()) << shards.notices()[0];
}

TEST(Checkpoint, OpensEveryModelOfTheFamily) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  size_t opened = 0;
  for (const auto& entry : fs::directory_iterator(family)) {
    if (!entry.is_directory()) continue;
    const std::string error = error_of([&] { Checkpoint::open(entry.path()); });
    opened += error.empty();
    const bool is_bin = entry.path().filename().string().find("-bin") != std::string::npos;
    EXPECT_EQ(error.find("convert_weights.py") != std::string::npos, is_bin) << error;
  }
  EXPECT_GE(opened, 66u);
}

}  // namespace
}  // namespace bert
