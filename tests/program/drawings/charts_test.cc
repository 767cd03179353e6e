// Counts the elements of charts in the page's source. tests/program/pages_test.py checks the layout.
#include "program/drawings/charts.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

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
  const size_t telling = count_of("<figcaption>layer ", page);  // these heads are drawn twice
  EXPECT_GE(telling, 2u);
  EXPECT_LE(telling, 4u);
  EXPECT_EQ(count_of("aria-label=\"layer ", page), 12u * 5 + telling);
  EXPECT_EQ(count_of(">dog</text>", page), 2 * (12u * 5 + telling));
  size_t titled = 0;  // cells of heatmaps that are not nearly white; they have a title
  const nlohmann::json weights = run_program({"attention", "--format", "json", "a dog"}).json()["attentions"];
  for (const nlohmann::json& layer : weights) {
    for (const nlohmann::json& head : layer) titled += head[1][2].get<double>() >= 0.005 ? 1 : 0;
  }
  EXPECT_GT(titled, 0u);
  const std::string every = page.substr(page.find("Every head"));
  EXPECT_EQ(count_of("<title>a → dog: 0.", every), titled);
  for (size_t layer = 1; layer <= 12; ++layer) {
    for (size_t head = 1; head <= 5; ++head) {
      const std::string id = "layer-" + std::to_string(layer) + "-head-" + std::to_string(head) + "\"";
      EXPECT_EQ(count_of("href=\"#" + id, page), 2u) << id;  // one per form of the overview
      EXPECT_EQ(count_of("id=\"" + id, page), 1u) << id;
    }
  }
}

double width_of(const std::string& svg) {
  const size_t at = svg.find(" width=\"") + 8;
  return std::stod(svg.substr(at, svg.find('"', at) - at));
}

// Returns the widths of the drawing's blue rectangles.
std::vector<double> bars_of(const std::string& svg) {
  std::vector<double> widths;
  for (size_t at = svg.find("<rect class=\"blue\""); at != std::string::npos;
       at = svg.find("<rect class=\"blue\"", at + 1)) {
    widths.push_back(width_of(svg.substr(at)));
  }
  return widths;
}

// In both forms, columns that do not fit side by side continue below.
TEST(Charts, PrintEveryNumberOfAHeatmapInBothForms) {
  drawings::Heatmap map{
      .title = "t", .rows_are = "token", .columns_are = "layer", .rows = {"a", "dog"}, .columns = {}, .values = {}};
  for (size_t i = 0; i < 40; ++i) map.columns.push_back(std::to_string(i + 1));
  for (size_t i = 0; i < 80; ++i) map.values.push_back(static_cast<double>(i));
  const drawings::Picture picture = drawings::draw_heatmap(map);
  for (const auto& [svg, most] : {std::pair{picture.wide, 960.0}, {picture.narrow, 336.0}}) {
    EXPECT_LE(width_of(svg), most);
    EXPECT_GT(count_of(">dog</text>", svg), 1u);
    for (size_t i = 0; i < 80; ++i) EXPECT_EQ(count_of(">" + std::to_string(i) + ".00</text>", svg), 1u) << i;
  }
}

TEST(Charts, DrawALineForEachSeriesInBothForms) {
  const std::string page = page_of({"segments", "a dog", "a cat"});
  for (const char* ink : {"blue", "orange"}) {
    EXPECT_EQ(count_of("<path class=\"pen " + std::string(ink), page), 3u) << ink;  // with the narrow legend
  }
}

// All bars have the same scale, and the narrow form shows the same shares as the wide one.
TEST(Charts, DrawBarsOfTheSameSharesInBothForms) {
  drawings::BarChart chart{.title = "t", .rows = {}};
  for (const double value : {0.69, 0.345}) {
    chart.rows.push_back({"a label of thirty letters, long", {{value, drawings::Ink::kBlue}}, std::to_string(value)});
  }
  const drawings::Picture picture = drawings::draw_bar_chart(chart);
  EXPECT_LE(width_of(picture.narrow), 336);
  for (const std::string& svg : {picture.wide, picture.narrow}) {
    const std::vector<double> bars = bars_of(svg);
    ASSERT_EQ(bars.size(), 2u);
    EXPECT_NEAR(bars[1] / bars[0], 0.5, 1e-3);
    EXPECT_EQ(count_of(">0.345000</text>", svg), 1u);
  }
}

TEST(Charts, HaveDistinctLabelsOnAnAxisOfSmallShares) {
  const std::string svg = drawings::draw_line_chart({.title = "t",
                                                     .x_axis = "x",
                                                     .y_axis = "y",
                                                     .lines = {{"a", drawings::Ink::kBlue, {0, 0.004, 0.012}}},
                                                     .percent = true})
                              .wide;
  for (const char* label : {">0.0 %</text>", ">0.5 %</text>", ">1.0 %</text>"}) EXPECT_EQ(count_of(label, svg), 1u);
}

// Of 8,192 points at most two are drawn per pixel.
TEST(Charts, LeaveOutPointsThatNoPixelShows) {
  std::vector<double> values(8192, 0.5);
  const std::string svg =
      drawings::draw_line_chart(
          {.title = "t", .x_axis = "x", .y_axis = "y", .lines = {{"a", drawings::Ink::kBlue, values}}})
          .wide;
  EXPECT_GT(count_of("L", svg), 900u);
  EXPECT_LT(svg.size(), 40000u);
}

// Returns the decoded pixels of the drawing's first mask.   [side, side]
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

// Each cell has the shade of its cosine with position 0, computed by the formula. There are 32 shades.
TEST(Charts, DrawEveryCellOfAMatrix) {
  const std::string page = page_of({"positions"});
  const std::vector<uint8_t> pixels = mask_of(page, "Cosines of all sinusoidal positions", 128);
  ASSERT_EQ(pixels.size(), 128u * 128);
  for (size_t position = 0; position < 128; ++position) {
    double sum = 0;
    for (int i = 0; i < 80; ++i) sum += std::cos(static_cast<double>(position) / std::pow(10000.0, i / 80.0));
    EXPECT_NEAR(pixels[position], 255 * sum / 80, 255 / 62.0 + 1) << position;
    EXPECT_EQ(pixels[position * 128 + position], 255) << position;
  }
}

// With more cells than pixels, a pixel is the mean of neighbouring cells: 512 columns of alternating 0 and 1 are grey.
TEST(Charts, DrawTheMeansOfTheCellsOfALargeMatrix) {
  drawings::MatrixChart chart{.title = "half", .columns_are = "x", .columns = 512, .values = {}};
  for (size_t i = 0; i < 512 * 512; ++i) chart.values.push_back(static_cast<double>(i % 2));
  const std::string svg = drawings::draw_matrix(chart).wide;
  for (const uint8_t pixel : mask_of(svg, "half", 256)) ASSERT_NEAR(pixel, 127.5, 255 / 62.0 + 1);
}

}  // namespace
}  // namespace bert::test
