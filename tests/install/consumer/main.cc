// A user's C++ program: main MODEL_DIRECTORY EXPECTED. It does what main.c does.
#include <bert/model.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

static double worst_error(const std::vector<float>& got, std::istream& expected) {
  double worst = 0;
  for (const float number : got) {
    double value = NAN;
    expected >> value;
    if (const double error = std::abs(number - value); !(error <= worst)) worst = error;
  }
  return worst;
}

int main(int count, char** arguments) {
  std::ifstream expected(count == 3 ? arguments[2] : "");
  std::string text;
  std::size_t size = 0, hidden = 0;
  double tolerance = 0;
  std::getline(expected, text);
  expected >> size >> hidden >> tolerance;
  try {
    const bert::Model model = bert::Model::load(arguments[1]);
    const bert::EncodedText encoded = model.encode(text);
    bool good = encoded.tokens == size && encoded.hidden == hidden && encoded.pooler_output.size() == hidden;
    for (const auto id : encoded.encoding.ids) {
      int expected_id = -1;
      expected >> expected_id;
      good = good && id == expected_id;
    }
    const double worst_hidden = worst_error(encoded.last_hidden_state, expected);
    const double worst_pooled = worst_error(encoded.pooler_output, expected);
    std::printf("%zu tokens, largest error %.2e, of the pooled output %.2e, at most %.2e\n", encoded.tokens,
                worst_hidden, worst_pooled, tolerance);
    good = good && worst_hidden <= tolerance && worst_pooled <= tolerance;
    bool caught = false;
    try {
      bert::Model::load("no/such/directory");
    } catch (const bert::Error& error) {  // thrown in the shared library
      caught = error.code() == bert::ErrorCode::kNotFound;
    }
    return good && caught ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
