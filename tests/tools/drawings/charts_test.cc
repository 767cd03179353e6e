// Counts what is drawn, in the page's source; tests/tools/pages_test.py checks the layout.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

size_t count_of(const std::string& what, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

std::string page_of(std::vector<std::string> command) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "page.html").string();
  command.insert(command.end(), {"--html", path});
  EXPECT_EQ(run_program(command).status, 0);
  return read_file(path);
}

TEST(Charts, DrawEveryHeadWithItsTokensAndValues) {
  const std::string page = page_of({"attention", "a dog"});
  EXPECT_EQ(count_of("aria-label=\"layer ", page), 12u * 5);
  EXPECT_EQ(count_of(">dog</text>", page), 2u * 12 * 5);
  size_t titled = 0;  // the cells of a heatmap that are not nearly white
  const nlohmann::json weights = run_program({"attention", "--format", "json", "a dog"}).json()["attentions"];
  for (const nlohmann::json& layer : weights) {
    for (const nlohmann::json& head : layer) titled += head[1][2].get<double>() >= 0.005 ? 1 : 0;
  }
  EXPECT_GT(titled, 0u);
  EXPECT_EQ(count_of("<title>a → dog: 0.", page), titled);
  for (size_t layer = 1; layer <= 12; ++layer) {
    for (size_t head = 1; head <= 5; ++head) {
      const std::string id = "layer-" + std::to_string(layer) + "-head-" + std::to_string(head) + "\"";
      EXPECT_EQ(count_of("href=\"#" + id, page), 1u) << id;
      EXPECT_EQ(count_of("id=\"" + id, page), 1u) << id;
    }
  }
}

TEST(Charts, PrintEveryNumberOfAHeatmap) {
  const nlohmann::json object = run_program({"explain", "--format", "json", "a dog"}).json();
  const std::string page = page_of({"explain", "a dog"});
  const size_t layers = object["moved"].size();
  EXPECT_EQ(count_of("text-anchor=\"middle\"", page), layers + layers * object["tokens"].size());
}

TEST(Charts, DrawALineForEachSeries) {
  const std::string page = page_of({"segments", "a dog", "a cat"});
  for (const char* ink : {"blue", "orange", "green"}) {
    EXPECT_EQ(count_of("<path class=\"pen " + std::string(ink), page), 1u) << ink;
  }
}

// The first mask of a drawing, decoded.   [side, side]
std::vector<uint8_t> mask_of(const std::string& page, const std::string& label, size_t side) {
  const std::string begin = "data:image/png;base64,";
  const size_t at = page.find(begin, page.find("aria-label=\"" + label + "\"")) + begin.size();
  const std::string text = page.substr(at, page.find('"', at) - at);
  std::string bytes;
  uint32_t bits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bits = bits << 6 | (text[i] == '=' ? 0 : static_cast<uint32_t>(digits.find(text[i])));
    if (i % 4 != 3) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 255);
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0) << image.message;
  EXPECT_EQ(image.width, side);
  EXPECT_EQ(image.height, side);
  image.format = PNG_FORMAT_GRAY;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0) << image.message;
  return pixels;
}

// Every cell is drawn: of 128 positions 4 by 4 pixels, in the shade of its cosine with position 0, from the formula.
TEST(Charts, DrawEveryCellOfAMatrix) {
  const std::string page = page_of({"positions"});
  const std::vector<uint8_t> pixels = mask_of(page, "Cosines of all sinusoidal positions", 512);
  ASSERT_EQ(pixels.size(), 512u * 512);
  for (size_t position = 0; position < 128; ++position) {
    double sum = 0;
    for (int i = 0; i < 80; ++i) sum += std::cos(static_cast<double>(position) / std::pow(10000.0, i / 80.0));
    for (size_t pixel = 0; pixel < 4; ++pixel) {
      EXPECT_NEAR(pixels[4 * position + pixel], 255 * sum / 80, 1) << position;
      EXPECT_EQ(pixels[(4 * position + pixel) * 512 + 4 * position + pixel], 255) << position;
    }
  }
}

}  // namespace
}  // namespace bert::test
