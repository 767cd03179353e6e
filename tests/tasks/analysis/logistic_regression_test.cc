// Compares the solver with scikit-learn 1.9.1: LogisticRegression(C=c, solver="newton-cholesky", tol=1e-12) on ten sets
// of random rows. For more than two labels, scikit-learn's intercepts are unique up to a common constant; here their
// sum is 0.
#include "tasks/analysis/logistic_regression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "tests/support/expect_error.h"

namespace bert::analysis {
namespace {

struct RegressionCase {
  size_t rows, width, labels;
  double c;
  std::vector<double> weights, intercepts;
  size_t predictions;  // the sum of each predicted label times 1, 2, …, 7, 1, …
};

const std::vector<RegressionCase>& regression_cases() {
  static const std::vector<RegressionCase> all = {
      {40, 3, 2, 1, {-0.28877864916000967, 0.5904075945800891, -0.05638250262946008}, {-0.17485810077286906}, 58},
      {60,
       5,
       2,
       0.1,
       {0.08500864871834184, 0.1305924823356764, 0.26387918612177064, -0.09872945851064842, -0.2954950407792628},
       {0.38406473317883855},
       138},
      {200,
       6,
       2,
       10,
       {-0.35423925381718785, -0.04657864350291815, 0.1464791395435679, 0.541574458758756, -0.24594503163595416,
        -0.054461154113881},
       {-0.3578991070730878},
       325},
      {30,
       8,
       2,
       1,
       {-0.6563273167999668, -0.04244991632243721, 0.12627481089540812, 0.4481400429502388, 0.16679866967323415,
        -0.1691363812342684, 0.09222375769583967, 0.2676995302957417},
       {-1.1540306590430953},
       30},
      {50,
       3,
       3,
       1,
       {0.15463245548903282, -0.13319902405601028, -0.3314037093424902, -0.042924249778204644, 0.24640899372907332,
        0.24355759900380675, -0.11170820571083005, -0.11320996967306093, 0.08784611033868411},
       {-0.1820001533587459, -0.05284478038071424, 0.2348449337394601},
       202},
      {90,
       4,
       3,
       0.5,
       {-0.07650315064579945, -0.2294913076790988, -0.18415072007426284, 0.004066457518113298, 0.27433680122656484,
        0.32273158405926344, 0.2269485688195093, 0.2023667125136626, -0.1978336505807691, -0.09324027638016459,
        -0.042797848745245524, -0.20643317003177677},
       {-0.051169560488156275, -0.09361280437024784, 0.14478236485840412},
       400},
      {120,
       6,
       4,
       1,
       {0.11738049043228595,  -0.05492635482838769, -0.22582624808638152, 0.29654970972784334,  0.15871329712599896,
        0.04873616128991113,  0.07311555559464696,  0.36630800536644087,  -0.14900913140282004, -0.1462380157444467,
        -0.02047156008659446, 0.22505821563049422,  0.11857313462473186,  -0.37530568151993443, 0.02997825906732258,
        0.1394118909430942,   0.05827169213104273,  0.06225084254692253,  -0.3090691806516611,  0.06392403098187939,
        0.3448571204218755,   -0.2897235849264933,  -0.19651342917044284, -0.3360452194673229},
       {0.2900432101241001, 0.14464364369784755, -0.48169485861403655, 0.04700800479208886},
       659},
      {80,
       5,
       5,
       2,
       {1.2009570323538525,   -0.3398025619343063,  0.19023043164292136,  -0.2841387917660091,  -0.18828835479818057,
        -0.4177373182654937,  0.0617454541507067,   -0.302752278900682,   -0.11209321928955851, 0.0645385535404703,
        -0.6124865557578133,  0.10574098856984589,  -0.09880691493979998, 0.18799860055134612,  0.4323701564307136,
        -0.13749964935372075, 0.3573767027443925,   -0.21885280723520056, 0.07764293464613399,  -0.022495137009083167,
        -0.03323350897681412, -0.18506058353064056, 0.43018156943274977,  0.13059047585809347,  -0.28612521816392683},
       {-2.6151279509241543, 0.7638155324125439, 0.7198196193720358, 0.2743874636380488, 0.8571053355015259},
       738},
      {25,
       10,
       3,
       1,
       {0.1821722437669432,     -0.531071137391833,   -0.2490154813952878, 0.30772784491094046, -0.6945892989627851,
        -0.15225706788757642,   -0.08430002923000059, 0.6933293908807765,  -0.5630508729488816, 0.14504754718679788,
        -0.14230978141758416,   0.7684074730586385,   0.18600819197434879, -0.5041424275970894, 0.5363893735408891,
        0.1584973153181669,     -0.05681682758503938, -0.0223123989326643, 0.38832731531777054, -0.08328425136174106,
        -0.039862462349359355,  -0.23733633566680543, 0.06300728942093928, 0.196414582686149,   0.15819992542189418,
        -0.0062402474305892335, 0.14111685681503955,  -0.6710169919481118, 0.17472355763111103, -0.06176329582505771},
       {1.2191733009472543, -2.188732369928383, 0.9695590689811286},
       80},
      {300,
       4,
       2,
       100,
       {-0.1444444231041928, -0.012854720758543249, -0.10172121583729922, -0.1961963866535986},
       {0.19628935547827203},
       738},
  };
  return all;
}

// Draws multiples of 1/32 with a linear congruential generator (Knuth's MMIX). The script that called scikit-learn
// draws the same.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<int64_t>((state_ >> 33) % 257) - 128) / 32;
  }

 private:
  uint64_t state_;
};

struct RandomRows {
  std::vector<float> values;
  std::vector<uint32_t> labels;
};

// Returns random rows. A row's label is that of its largest score. A score is a planted linear function plus noise.
RandomRows rows_of(const RegressionCase& one, uint64_t seed) {
  Numbers numbers(seed);
  std::vector<double> planted(one.labels * one.width);
  for (double& value : planted) value = numbers.next();
  RandomRows rows;
  for (size_t row = 0; row < one.rows; ++row) {
    const size_t begin = rows.values.size();
    for (size_t i = 0; i < one.width; ++i) rows.values.push_back(static_cast<float>(numbers.next()));
    double largest = -std::numeric_limits<double>::infinity();
    uint32_t label = 0;
    for (uint32_t k = 0; k < one.labels; ++k) {
      double score = 0;
      for (size_t i = 0; i < one.width; ++i) score += planted[k * one.width + i] * rows.values[begin + i];
      score += 8 * numbers.next();
      if (score <= largest) continue;
      largest = score;
      label = k;
    }
    rows.labels.push_back(label);
  }
  return rows;
}

LabelledRows labelled(const RegressionCase& one, const RandomRows& rows) {
  return {.rows = rows.values, .width = one.width, .labels = rows.labels, .label_count = one.labels};
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

TEST(LogisticRegression, HasScikitLearnsCoefficientsAndPredictions) {
  double farthest = 0;
  for (size_t i = 0; i < regression_cases().size(); ++i) {
    const RegressionCase& one = regression_cases()[i];
    const RandomRows rows = rows_of(one, i + 1);
    const LogisticRegression found = minimize_logistic_loss(labelled(one, rows), one.c);
    ASSERT_EQ(found.weights.size(), one.weights.size());
    const double scale = largest_of(one.weights);
    for (size_t w = 0; w < one.weights.size(); ++w) {
      farthest = std::max(farthest, std::abs(found.weights[w] - one.weights[w]) / scale);
    }
    for (size_t v = 0; v < one.intercepts.size(); ++v) {
      farthest = std::max(farthest, std::abs(found.intercepts[v] - one.intercepts[v]) / scale);
    }
    const std::vector<uint32_t> labels = predict_labels(found, rows.values);
    size_t sum = 0;
    for (size_t row = 0; row < labels.size(); ++row) sum += labels[row] * (row % 7 + 1);
    EXPECT_EQ(sum, one.predictions) << i;
  }
  EXPECT_LT(farthest, 1e-9);
  std::printf("the largest relative difference from scikit-learn's coefficients: %.1e\n", farthest);
}

TEST(LogisticRegression, HasTheSameBitsEachTime) {
  for (const size_t i : {size_t{1}, size_t{6}}) {
    const RandomRows rows = rows_of(regression_cases()[i], i + 1);
    const LogisticRegression one = minimize_logistic_loss(labelled(regression_cases()[i], rows), 1),
                             other = minimize_logistic_loss(labelled(regression_cases()[i], rows), 1);
    EXPECT_EQ(one.weights, other.weights);
    EXPECT_EQ(one.intercepts, other.intercepts);
  }
}

// A plane separates the labels, so that only the penalty keeps the weights finite.
TEST(LogisticRegression, ConvergesOnRowsThatAPlaneSeparates) {
  const std::vector<float> rows = {-3, -2, -1, 1, 2, 3};
  const std::vector<uint32_t> labels = {0, 0, 0, 1, 1, 1};
  const LogisticRegression found =
      minimize_logistic_loss({.rows = rows, .width = 1, .labels = labels, .label_count = 2}, 1e6);
  EXPECT_GT(found.weights[0], 5);
  EXPECT_NEAR(found.intercepts[0], 0, 1e-6);  // the rows are symmetric around 0
  // At the minimum the derivatives of the penalty and of the losses add up to 0.
  double derivative = found.weights[0];
  for (size_t i = 0; i < rows.size(); ++i) {
    const double probability = 1 / (1 + std::exp(-found.weights[0] * static_cast<double>(rows[i])));
    derivative += 1e6 * (probability - labels[i]) * static_cast<double>(rows[i]);
  }
  EXPECT_NEAR(derivative, 0, 1e-4);
}

TEST(LogisticRegression, RefusesANaN) {
  const std::vector<float> rows = {1, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<uint32_t> labels = {0, 1};
  EXPECT_EQ(test::error_of(
                ErrorCode::kNonFinite,
                [&] { minimize_logistic_loss({.rows = rows, .width = 1, .labels = labels, .label_count = 2}, 1); }),
            "a NaN or an infinity in the rows to fit, expected finite numbers");
}

TEST(LogisticRegression, HasItsOwnExpAndLog) {
  for (double x = 0; x > -745; x -= 0.37) {
    if (x > -708) {
      EXPECT_NEAR(exp_of_negative(x) / std::exp(x), 1, 1e-15) << x;
    } else {
      EXPECT_EQ(exp_of_negative(x), 0);
    }
  }
  for (double x = 1; x < 1e6; x *= 1.01) EXPECT_NEAR(log_from_one(x), std::log(x), 1e-15 * (1 + std::log(x))) << x;
}

}  // namespace
}  // namespace bert::analysis
