#include "models/config/tag_biases.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

nlohmann::json calibration() {
  return {{"operating_points",
           {{"default",
             {{"biases",
               {{"transition_bias_background_stay", 1},
                {"transition_bias_background_to_start", -0.5},
                {"transition_bias_inside_to_continue", 3.0},
                {"transition_bias_inside_to_end", 4},
                {"transition_bias_end_to_background", 5},
                {"transition_bias_end_to_start", 6}}}}}}}};
}

std::optional<TagBiases> biases_of(const nlohmann::json& json, const std::optional<std::string>& label = "S-x") {
  const test::TemporaryDirectory directory;
  directory.write("viterbi_calibration.json", json.dump());
  ModelConfig config;
  config.labels = {"O", label};
  return read_tag_biases(DirectorySource(directory.path()), config);
}

std::string biases_refusal(ErrorCode code, const nlohmann::json& json,
                           const std::optional<std::string>& label = "S-x") {
  const std::string error = test::error_of(code, [&] { biases_of(json, label); });
  return error.substr(error.find("viterbi_calibration.json"));
}

TEST(TagBiases, AreReadByTheirNames) {
  const TagBiases biases = *biases_of(calibration());
  EXPECT_EQ(biases.background_stay, 1);
  EXPECT_EQ(biases.background_to_start, -0.5);
  EXPECT_EQ(biases.inside_to_continue, 3);
  EXPECT_EQ(biases.inside_to_end, 4);
  EXPECT_EQ(biases.end_to_background, 5);
  EXPECT_EQ(biases.end_to_start, 6);
  const test::TemporaryDirectory empty;
  EXPECT_FALSE(read_tag_biases(DirectorySource(empty.path()), {}));
}

TEST(TagBiases, RefuseOtherFieldsByName) {
  nlohmann::json json = calibration();
  json["operating_points"]["strict"] = json["operating_points"]["default"];
  EXPECT_NE(biases_refusal(ErrorCode::kInvalidFile, json).find("operating_points.strict"), std::string::npos);
  for (const char* name : {"transition_bias_end_to_start", "transition_bias_inside_to_end"}) {
    json = calibration();
    json["operating_points"]["default"]["biases"].erase(name);
    EXPECT_NE(biases_refusal(ErrorCode::kInvalidFile, json).find(name), std::string::npos);
    json["operating_points"]["default"]["biases"][name] = "1";
    EXPECT_NE(biases_refusal(ErrorCode::kInvalidFile, json).find("expected a number"), std::string::npos);
  }
  json = calibration();
  json["operating_points"]["default"]["biases"]["transition_bias_start"] = 1;
  EXPECT_NE(biases_refusal(ErrorCode::kInvalidFile, json).find("transition_bias_start"), std::string::npos);
}

TEST(TagBiases, AreOfBioesLabels) {
  EXPECT_EQ(biases_refusal(ErrorCode::kUnsupported, calibration(), "L-x"),
            "viterbi_calibration.json': biases of BIOES labels, beside a model with the label 'L-x', expected O and "
            "labels that begin with B-, I-, E- or S-");
  EXPECT_NE(biases_refusal(ErrorCode::kUnsupported, calibration(), std::nullopt).find("label null"), std::string::npos);
}

}  // namespace
}  // namespace bert
