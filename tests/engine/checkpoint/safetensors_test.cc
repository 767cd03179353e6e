#include "engine/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "bert/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using test::as_bytes;
using test::error_of;
using test::floats;
using test::image_of;
using test::length_prefix;
using test::raw_image;
using test::TestTensor;

// Returns the header {"a": {dtype, shape, data_offsets}}.
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}
const std::string kData = "12345678";
const std::string kGood = one("\"F32\"", "[2]", "[0,8]");

// Returns a header with a U8 tensor for each range [begin, end) of bytes.
std::string ranges(const std::vector<std::pair<int, int>>& list) {
  std::string header = "{";
  for (size_t i = 0; i < list.size(); ++i) {
    header += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + R"(":{"dtype":"U8","shape":[)" +
              std::to_string(list[i].second - list[i].first) + R"(],"data_offsets":[)" + std::to_string(list[i].first) +
              "," + std::to_string(list[i].second) + "]}";
  }
  return header + "}";
}

TEST(Safetensors, ReadsTensorsInTheOrderOfTheirData) {
  const std::string header =
      R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]},"a":{"shape":[2,1],"data_offsets":[0,4],"dtype":"F16"}})";
  const std::string image = raw_image(header, "123456");
  const Safetensors file = parse_safetensors(as_bytes(image), "x");
  ASSERT_EQ(file.tensors.size(), 2u);
  const StoredTensor& a = file.tensors[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.type->name, "F16");
  EXPECT_EQ(a.type->dtype, DType::kF16);
  EXPECT_EQ(std::vector<size_t>(a.shape.begin(), a.shape.end()), (std::vector<size_t>{2, 1}));
  EXPECT_EQ(a.data.data(), as_bytes(image).data() + 8 + header.size());
  EXPECT_EQ(a.data.size(), 4u);
  EXPECT_EQ(file.tensors[1].name, "b");
  EXPECT_EQ(file.tensors[1].data.size(), 2u);
}

TEST(Safetensors, AcceptsWhatTheFormatAllows) {
  const std::string scalar = one("\"F64\"", "[]", "[0,8]");
  const std::string zero = R"({"a":{"dtype":"F32","shape":[0,5],"data_offsets":[0,0]},)"
                           R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                           R"("c":{"dtype":"F4","shape":[0],"data_offsets":[8,8]}})";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{}", ""},                   // has no tensor
      {"  \n\t\r {} \n\t\r ", ""},  // has white space on both sides
      {kGood, kData},
      {scalar, kData},                                // has one element
      {zero, kData},                                  // has no elements
      {one("\"F4\"", "[16]", "[0,8]"), kData},        // two elements per byte
      {one("\"F6_E3M2\"", "[4,1]", "[0,3]"), "123"},  // four elements in three bytes
      {one("\"C64\"", "[1]", "[0,8]"), kData},
      {one("\"BOOL\"", "[1,2,1,2,1,2,1,1]", "[0,8]"), kData},  // eight dimensions
      {R"({"__metadata__":{},"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", kData},
      {R"({"__metadata__":null,"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", kData},
      {R"({"\u0061\ud83d\ude00":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", kData},
      {R"({"":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", kData},
  };
  for (const auto& [header, data] : cases) {
    const std::string image = raw_image(header, data);
    EXPECT_EQ(error_of([&] { parse_safetensors(as_bytes(image), "x"); }), "") << header;
  }
}

TEST(Safetensors, KnowsEveryTypeOfTheFormat) {
  // The names and bits are those of tensor.rs in safetensors 0.6.
  const std::vector<std::pair<std::string, size_t>> types = {
      {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
      {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
      {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64}};
  for (const auto& [name, bits] : types) {
    const std::string image =
        raw_image(one("\"" + name + "\"", "[8]", "[0," + std::to_string(bits) + "]"), std::string(bits, 'x'));
    const Safetensors file = parse_safetensors(as_bytes(image), "x");
    EXPECT_EQ(file.tensors.at(0).type->name, name);
    EXPECT_EQ(file.tensors.at(0).type->bits, bits);
    if (const auto dtype = file.tensors.at(0).type->dtype) {
      EXPECT_EQ(size_bytes(*dtype) * 8, bits);
    }
  }
}

TEST(Safetensors, TakesMetadataForNoTensor) {
  const std::string image = raw_image(R"({"__metadata__":{"format":"pt","a\n":"\u00e9"}})", "");
  EXPECT_TRUE(parse_safetensors(as_bytes(image), "x").tensors.empty());
}

TEST(Safetensors, ViewsStayWhenTheValueIsMoved) {
  const std::string image = image_of({floats("a", {2})});
  Safetensors first = parse_safetensors(as_bytes(image), "x");
  const Safetensors second = std::move(first);
  EXPECT_EQ(second.tensors[0].name, "a");
  EXPECT_EQ(second.tensors[0].shape[0], 2u);
}

struct BadFile {
  std::string rule;  // a rule of the reference reader, or of this library
  std::string image;
  std::string found;  // a part of the error's message
  std::string expected;
};

std::vector<BadFile> bad_files() {
  std::vector<BadFile> files;
  const auto add = [&](std::string rule, std::string image, std::string found, std::string expected) {
    files.push_back({std::move(rule), std::move(image), std::move(found), std::move(expected)});
  };
  // Adds a case of this header and 8 bytes of data.
  const auto header = [&](std::string rule, const std::string& text, std::string found, std::string expected) {
    add(std::move(rule), raw_image(text, kData), std::move(found), std::move(expected));
  };
  const auto huge_length = [&](uint64_t length) { return length_prefix(length) + "{}"; };
  const std::string f32 = "\"F32\"";

  // Rule 1: the file has the header's length.
  add("1 empty file", "", "truncated at byte 0", "expected 8 bytes");
  add("1 seven bytes", std::string(7, '\0'), "truncated at byte 7", "expected 8 bytes");
  // Rules 2 and R1: the length has a limit.
  add("2 above the limit", huge_length(100'000'001), "a header of 100000001 bytes", "at most 100000000");
  add("2 2^63", huge_length(uint64_t{1} << 63), "a header of 9223372036854775808 bytes", "at most 100000000");
  add("2 2^64 - 1", huge_length(~uint64_t{0}), "a header of 18446744073709551615 bytes", "at most 100000000");
  add("2 2^64 - 8, which overflows with the length's own 8", huge_length(~uint64_t{0} - 7), "18446744073709551608",
      "at most 100000000");
  // Rule 3: the header ends in the file.
  add("3 at the limit, not in the file", huge_length(100'000'000), "truncated at byte 10", "expected 100000008 bytes");
  add("3 one byte missing", length_prefix(3) + "{}", "truncated at byte 10", "expected 11 bytes");
  add("3 no header", length_prefix(2), "truncated at byte 8", "expected 10 bytes");
  // Rule 4: the header is UTF-8.
  header("4 a lone continuation byte", "{\"a\x80\":1}", "byte 11: byte '\\x80'", "expected UTF-8");
  header("4 overlong", "{\"\xC0\xAF\":1}", "byte 10: byte '\\xc0'", "expected UTF-8");
  header("4 a surrogate", "{\"\xED\xA0\x80\":1}", "byte 10: byte '\\xed'", "expected UTF-8");
  header("4 above U+10FFFF", "{\"\xF4\x90\x80\x80\":1}", "byte 10: byte '\\xf4'", "expected UTF-8");
  header("4 cut", "{\"\xE2\x82", "byte 10: byte '\\xe2'", "expected UTF-8");
  header("4 outside of a string", "{}\xFF", "byte 10: byte '\\xff'", "expected UTF-8");
  // Rules 5, R2 and R3: the header is JSON of the right form.
  add("5 empty header", raw_image("", ""), "byte 8: found the end of the text", "expected the header's opening brace");
  header("5 white space only", "   ", "byte 11: found the end of the text", "expected the header's opening brace");
  header("5 an array", "[]", "byte 8: found '[]'", "expected the header's opening brace");
  header("5 null", "null", "found 'null'", "expected the header's opening brace");
  header("5 byte order mark", "\xEF\xBB\xBF{}", "byte 8: found", "expected the header's opening brace");
  header("5 cut", "{\"a\":", "byte 13: tensor 'a': found the end of the text", "expected an object with dtype");
  header("5 no closing brace", "{", "byte 9: found the end of the text", "expected a key");
  header("5 a comma at the end", kGood.substr(0, kGood.size() - 1) + ",}", "found '}'", "expected a key");
  header("5 a key without quotes", "{a:1}", "byte 9: found 'a:1}'", "expected a key");
  header("5 single quotes", "{'a':1}", "byte 9: found ''a':1}'", "expected a key");
  header("5 a comment", "{/**/}", "byte 9: found '/**/}'", "expected a key");
  header("5 a NUL behind the object", std::string("{}\0", 3), "byte 10: found '\\x00'", "only white space");
  header("5 a second object", "{}{}", "byte 10: found '{}'", "only white space");
  header("5 a tensor that is a number", R"({"a":1})", "byte 13: tensor 'a': found '1}'",
         "expected an object with dtype");
  header("5 a tensor that is null", R"({"a":null})", "found 'null}'", "expected an object with dtype");
  header("5 a tensor that is a string", R"({"a":"F32"})", "found '\"F32\"}'", "an object with dtype");
  header("5 a tensor that is an array", R"({"a":[]})", "found '[]}'", "expected an object with dtype");
  header("5 no dtype", R"({"a":{"shape":[2],"data_offsets":[0,8]}})", "tensor 'a': no 'dtype'", "expected one");
  header("5 no shape", R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", "tensor 'a': no 'shape'", "expected one");
  header("5 no offsets", R"({"a":{"dtype":"F32","shape":[2]}})", "tensor 'a': no 'data_offsets'", "expected one");
  header("5 an empty entry", R"({"a":{}})", "tensor 'a': no 'dtype'", "expected one");
  header("5 unknown dtype", one("\"F128\"", "[2]", "[0,8]"), "tensor 'a': dtype 'F128'", "expected one of F32, F16");
  header("5 lower case dtype", one("\"f32\"", "[2]", "[0,8]"), "tensor 'a': dtype 'f32'", "expected one of F32, F16");
  header("5 empty dtype", one("\"\"", "[2]", "[0,8]"), "tensor 'a': dtype ''", "expected one of F32, F16");
  header("5 dtype with a NUL", one("\"F32\\u0000\"", "[2]", "[0,8]"), "dtype 'F32\\x00'", "expected one of F32, F16");
  header("5 dtype that is a number", one("32", "[2]", "[0,8]"), "found '32,", "expected a string, the dtype");
  header("5 dtype null", one("null", "[2]", "[0,8]"), "found 'null,", "expected a string, the dtype");
  header("5 shape that is a number", one(f32, "2", "[0,8]"), "found '2,", "expected an array, the shape");
  header("5 shape null", one(f32, "null", "[0,8]"), "found 'null,", "expected an array, the shape");
  header("5 shape that is a string", one(f32, "\"[2]\"", "[0,8]"), "found", "expected an array, the shape");
  header("5 negative dimension", one(f32, "[-2]", "[0,8]"), "found '-2]", "a dimension");
  header("5 float dimension", one(f32, "[2.0]", "[0,8]"), "found '2.0]", "a dimension");
  header("5 exponent", one(f32, "[2e0]", "[0,8]"), "found '2e0]", "a dimension");
  header("R2 leading zero", one(f32, "[02]", "[0,8]"), "found '02]", "a dimension");
  header("R2 2^63", one(f32, "[9223372036854775808]", "[0,8]"), "found '9223372036854775",
         "an integer of 0 to 2^63 - 1");
  header("5 2^64", one(f32, "[18446744073709551616]", "[0,8]"), "found '1844674407370955",
         "an integer of 0 to 2^63 - 1");
  header("5 2^64 + 2, which wraps to 2", one(f32, "[18446744073709551618]", "[0,8]"), "found '18446744",
         "an integer of 0 to 2^63 - 1");
  header("5 a string in the shape", one(f32, "[\"2\"]", "[0,8]"), "found '\"2\"]", "a dimension");
  header("5 an array in the shape", one(f32, "[[2]]", "[0,8]"), "found '[2]]", "a dimension");
  header("5 a comma in the shape's end", one(f32, "[2,]", "[0,8]"), "found '],", "a dimension");
  header("5 no comma in the shape", one(f32, "[1 2]", "[0,8]"), "found '2]", "a comma or a closing bracket");
  header("5 offsets that are an object", one(f32, "[2]", "{}"), "found '{}", "an array, the data_offsets");
  header("5 no offset", one(f32, "[2]", "[]"), "tensor 'a': 0 data_offsets", "expected two");
  header("5 one offset", one(f32, "[2]", "[8]"), "tensor 'a': 1 data_offsets", "expected two");
  header("5 three offsets", one(f32, "[2]", "[0,8,8]"), "tensor 'a': more than two data_offsets", "expected two");
  header("5 negative offset", one(f32, "[2]", "[-8,0]"), "found '-8,0]", "an offset");
  header("5 offset of 2^64", one(f32, "[2]", "[0,18446744073709551616]"), "found '18446744", "an offset");
  header("5 float offset", one(f32, "[2]", "[0,8.0]"), "found '8.0]", "an offset");
  header("5 offset true", one(f32, "[2]", "[0,true]"), "found 'true]", "an offset");
  header("R2 unknown key", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", "tensor 'a': key 'x'",
         "expected 'dtype', 'shape' and 'data_offsets' only");
  header("R2 a key in other case", R"({"a":{"Dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
         "tensor 'a': key 'Dtype'", "expected 'dtype', 'shape' and 'data_offsets' only");
  header("R2 dtype twice", R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
         "tensor 'a': duplicate key 'dtype'", "");
  header("R2 shape twice, once escaped", R"({"a":{"shape":[2],"sh\u0061pe":[2],"dtype":"F32","data_offsets":[0,8]}})",
         "tensor 'a': duplicate key 'shape'", "");
  header("R2 offsets twice", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"data_offsets":[0,8]}})",
         "tensor 'a': duplicate key 'data_offsets'", "");
  header(
      "R2 tensor twice",
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
      "duplicate key 'a'", "");
  header(
      "R2 tensor twice, once escaped",
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"\u0061":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
      "duplicate key 'a'", "");
  header("R2 metadata twice", R"({"__metadata__":{},"__metadata__":{}})", "duplicate key '__metadata__'", "");
  header("R2 a key of the metadata twice", R"({"__metadata__":{"a":"1","b":"2","a":"1"}})", "duplicate key 'a'", "");
  header("5 metadata that is a string", R"({"__metadata__":"pt"})", "found '\"pt\"}'",
         "an object after '__metadata__'");
  header("5 a number in the metadata", R"({"__metadata__":{"a":1}})", "found '1}}'", "a string after 'a'");
  header("5 an object in the metadata", R"({"__metadata__":{"a":{}}})", "found '{}}}'", "a string after 'a'");
  header("R2 lone high surrogate", R"({"\ud800":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
         "half of a surrogate pair", "");
  header("R2 lone low surrogate", R"({"\udc00":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
         "half of a surrogate pair", "");
  header("R2 name of 1,025 bytes",
         R"({")" + std::string(1025, 'n') + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
         "a tensor's name of 1025 bytes", "expected at most 1024");
  header("R2 nine dimensions", one(f32, "[1,1,1,1,1,1,1,1,2]", "[0,8]"), "tensor 'a': more than 8 dimensions",
         "expected at most 8");
  header("R2 a million dimensions", one(f32, "[1" + std::string(1'000'000, '1') + "]", "[0,8]"),
         "found '1111111111111111", "an integer of 0 to 2^63 - 1");
  header("R2 nesting", R"({"a":)" + std::string(100'000, '['), "found '[[[[[[[[[[[[[[[[", "an object with dtype");
  header("R2 nesting in the shape", R"({"a":{"shape":)" + std::string(100'000, '['), "found '[[[[[[[[[[[[[[[[",
         "a dimension");
  // Rules 6 and R4: the tensors cover the data.
  header("6 a gap at the begin", ranges({{1, 8}}), "tensor 't0' in 'x.safetensors': its data begin at 1",
         "expected 0 (a gap)");
  header("6 a gap between", ranges({{0, 3}, {4, 8}}), "tensor 't1' in 'x.safetensors': its data begin at 4",
         "expected 3 (a gap)");
  header("6 an overlap", ranges({{0, 5}, {4, 8}}), "its data begin at 4", "expected 5 (an overlap)");
  header("6 the same data twice", ranges({{0, 8}, {0, 8}}), "tensor 't1' in 'x.safetensors': its data begin at 0",
         "expected 8 (an overlap)");
  header("6 one inside another", ranges({{0, 8}, {2, 4}}), "its data begin at 2", "expected 8 (an overlap)");
  header("6 ten overlapping", ranges({{0, 8}, {0, 8}, {0, 8}, {0, 8}, {0, 8}, {0, 8}, {0, 8}, {0, 8}, {0, 8}, {0, 8}}),
         "its data begin at 0", "expected 8 (an overlap)");
  header("6 a gap in front of an empty tensor", ranges({{0, 8}, {9, 9}}), "its data begin at 9", "expected 8 (a gap)");
  header("6 end before begin", one(f32, "[2]", "[8,0]"), "tensor 'a' in 'x.safetensors': data_offsets [8, 0]",
         "expected the end after the begin");
  // Rule 7: no size overflows.
  header("7 the product of the shape", one(f32, "[4294967296,4294967296]", "[0,8]"),
         "shape [4294967296, 4294967296] of F32", "expected a size below 2^64 bits");
  header("7 three dimensions that wrap to 0", one("\"U8\"", "[4294967296,4294967296,1]", "[0,0]"),
         "tensor 'a' in 'x.safetensors': shape", "expected a size below 2^64 bits");
  header("7 the product by the type's bits", one(f32, "[4611686018427387904]", "[0,8]"),
         "shape [4611686018427387904] of F32", "expected a size below 2^64 bits");
  header("7 bits that wrap to 64", one("\"F32\"", "[576460752303423490]", "[0,8]"), "shape [576460752303423490] of F32",
         "expected a size below 2^64 bits");
  header("7 overflow in front of a 0", one(f32, "[4294967296,4294967296,0]", "[0,0]"), "shape",
         "expected a size below 2^64 bits");
  // Rule 8: a tensor has whole bytes.
  header("8 F4", one("\"F4\"", "[15]", "[0,8]"), "shape [15] of F4, 60 bits", "expected whole bytes");
  header("8 F6", one("\"F6_E2M3\"", "[10]", "[0,8]"), "shape [10] of F6_E2M3, 60 bits", "expected whole bytes");
  // Rule 9: a tensor has the size of its shape.
  header("9 too few bytes", one(f32, "[3]", "[0,8]"), "data_offsets [0, 8], 8 bytes",
         "expected 12 for shape [3] of F32");
  header("9 too many bytes", one(f32, "[1]", "[0,8]"), "data_offsets [0, 8], 8 bytes",
         "expected 4 for shape [1] of F32");
  header("9 another type", one("\"F16\"", "[2]", "[0,8]"), "data_offsets [0, 8], 8 bytes",
         "expected 4 for shape [2] of F16");
  header("9 a scalar", one(f32, "[]", "[0,8]"), "data_offsets [0, 8], 8 bytes", "expected 4 for shape [] of F32");
  header("9 a dimension of 0", one(f32, "[0,2]", "[0,8]"), "data_offsets [0, 8], 8 bytes",
         "expected 0 for shape [0, 2]");
  // Rule 10: the file ends with the data.
  add("10 a byte too many", raw_image(kGood, kData + "x"), "bytes after the last tensor: the file ends at byte 71",
      "expected 62 + 8 bytes");
  add("10 a byte too few", raw_image(kGood, "1234567"), "truncated at byte 69", "expected 62 + 8 bytes");
  add("10 no data at all", raw_image(kGood, ""), "truncated at byte 62", "expected 62 + 8 bytes");
  add("10 data without a tensor", raw_image("{}", kData), "bytes after the last tensor: the file ends at byte 18",
      "expected 10 + 0 bytes");
  add("10 an archive after the tensors", raw_image(kGood, kData + "PK\x03\x04"), "bytes after the last tensor",
      "expected 62 + 8 bytes");
  add("10 2^62 bytes", raw_image(one("\"U8\"", "[4611686018427387904]", "[0,4611686018427387904]"), kData),
      "tensor 'a' in 'x.safetensors': shape [4611686018427387904] of U8", "expected a size below 2^64 bits");
  add("10 2^60 bytes", raw_image(one("\"U8\"", "[1152921504606846976]", "[0,1152921504606846976]"), kData),
      "truncated at byte", "+ 1152921504606846976 bytes");
  // Files of other formats have this name.
  add("a zip archive", "PK\x03\x04" + std::string(100, 'z'), "a header of", "at most 100000000");
  add("a pickle", "\x80\x02}q\x01(" + std::string(100, 'z'), "a header of", "at most 100000000");
  add("a web page", "<!DOCTYPE html><html></html>", "a header of", "at most 100000000");
  add("a pointer to large storage", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
      "a Git LFS pointer", "the file itself");
  return files;
}

TEST(Safetensors, RefusesEveryBadFileByName) {
  const std::vector<BadFile> files = bad_files();
  EXPECT_GE(files.size(), 80u);
  for (const BadFile& file : files) {
    const std::string error =
        error_of(ErrorCode::kInvalidFile, [&] { parse_safetensors(as_bytes(file.image), "x.safetensors"); });
    EXPECT_NE(error.find("'x.safetensors'"), std::string::npos) << file.rule << ": " << error;
    EXPECT_NE(error.find(file.found), std::string::npos) << file.rule << ": " << error;
    EXPECT_NE(error.find(file.expected), std::string::npos) << file.rule << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << file.rule << ": " << error;
    EXPECT_LT(error.size(), 700u) << file.rule;
  }
}

TEST(Safetensors, NamesAGitLfsPointer) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 437951328\n";
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [&] { parse_safetensors(test::as_bytes(pointer), "m"); }),
            "'m': a Git LFS pointer, expected the file itself: run git lfs pull where it was cloned");
}

TEST(Safetensors, LimitsTheNumberOfTensors) {
  std::vector<TestTensor> tensors(4, {"", "U8", {0}, ""});
  for (size_t i = 0; i < tensors.size(); ++i) tensors[i].name = std::to_string(i);
  const std::string image = image_of(tensors);
  EXPECT_EQ(error_of([&] { parse_safetensors(as_bytes(image), "x", {.max_tensors = 4}); }), "");
  EXPECT_NE(error_of([&] { parse_safetensors(as_bytes(image), "x", {.max_tensors = 3}); }).find("more than 3 tensors"),
            std::string::npos);
  EXPECT_NE(error_of([&] { parse_safetensors(as_bytes(image), "x", {.max_header_bytes = 20}); }).find("at most 20"),
            std::string::npos);
}

std::string four_kilobytes() {
  return image_of({floats("embeddings.word_embeddings.weight", {11, 16}),
                   floats("embeddings.LayerNorm.weight", {16}),
                   {"embeddings.position_ids", "I64", {1, 8}, std::string(64, '\1')},
                   floats("encoder.layer.0.attention.self.query.weight", {16, 16}),
                   {"half", "F16", {3, 5}, std::string(30, 'h')},
                   floats("encoder.layer.0.output.dense.weight", {16, 32})});
}

TEST(Safetensors, RefusesEveryPrefixOfAFile) {
  const std::string image = four_kilobytes();
  EXPECT_EQ(error_of([&] { parse_safetensors(as_bytes(image), "x"); }), "");
  for (size_t size = 0; size < image.size(); ++size) {
    const std::string cut(image, 0, size);  // a copy, so that a sanitizer finds reads past the end
    ASSERT_NE(error_of([&] { parse_safetensors(as_bytes(cut), "x"); }), "") << size;
  }
}

TEST(Safetensors, RefusesEveryFlippedBitOfAHeaderOrReadsWhatItSays) {
  const std::string image = four_kilobytes();
  const size_t header_end = image.size() - parse_safetensors(as_bytes(image), "x").tensors.back().data.size();
  size_t accepted = 0;
  for (size_t at = 0; at < header_end; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = image;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      try {
        // The file is accepted only if the flip changes a name, the data, or a type to one of the same size.
        const Safetensors file = parse_safetensors(as_bytes(flipped), "x");
        ++accepted;
        size_t bytes = 0;
        for (const StoredTensor& tensor : file.tensors) bytes += tensor.data.size();
        ASSERT_EQ(file.tensors.size(), 6u) << at << " " << bit;
        ASSERT_EQ(bytes, 11 * 64 + 64 + 64 + 1024 + 30 + 2048u) << at << " " << bit;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::kInvalidFile);
      }
    }
  }
  EXPECT_LT(accepted, header_end * 8);
}

TEST(Safetensors, RefusesTheCutFilesOfARealModel) {
  for (const char* name : {"truncated-1835008", "truncated-851968"}) {
    BERT_TEST_DATA_OR_SKIP(path, std::string("checkpoint/negative/all-MiniLM-L6-v2.") + name + ".safetensors");
    const std::string image = test::read_file(path);
    const std::string error = error_of([&] { parse_safetensors(as_bytes(image), "model.safetensors"); });
    EXPECT_NE(error.find("'model.safetensors': truncated at byte " + std::to_string(image.size())), std::string::npos)
        << error;
  }
}

TEST(Safetensors, ReadsARealHeader) {
  BERT_TEST_DATA_OR_SKIP(path, "checkpoint/negative/all-MiniLM-L6-v2.real_header.bin");
  std::string image = test::read_file(path);
  if (image[0] == '{') image = length_prefix(image.size()) + image;
  const std::string error = error_of([&] { parse_safetensors(as_bytes(image), "x"); });
  EXPECT_NE(error.find("'x': truncated at byte " + std::to_string(image.size())), std::string::npos) << error;
}

TEST(Safetensors, IsFastForRealAndForLargestHeaders) {
  std::vector<TestTensor> tensors;
  for (size_t i = 0; i < 400; ++i) {
    tensors.push_back({"encoder.layer." + std::to_string(i) + ".attention.output.dense.weight", "U8", {1, 2}, "12"});
  }
  const auto milliseconds = [](const std::string& image) {
    const auto begin = std::chrono::steady_clock::now();
    parse_safetensors(as_bytes(image), "x");
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  };
  RecordProperty("tensors_400_us", static_cast<int>(milliseconds(image_of(tensors)) * 1000));
  tensors.assign(100'000, {"", "U8", {0}, ""});
  for (size_t i = 0; i < tensors.size(); ++i) tensors[i].name = std::to_string(i);
  const double largest = milliseconds(image_of(tensors));
  RecordProperty("tensors_100000_ms", static_cast<int>(largest));
  EXPECT_LT(largest, 5000);  // a quadratic reader would take minutes
}

}  // namespace
}  // namespace bert
