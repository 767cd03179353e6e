// BERT on one page: from a text to the vectors of its tokens and the pooled output.
//   c++ -O2 -std=c++20 bert.cc && ./a.out DIRECTORY "text" ["second text"]
// DIRECTORY holds config.json, vocab.txt and model.safetensors of a BERT encoder with float32 weights.
//
// The program needs only the C++ standard library, and its loops are plain instead of fast. Each block begins with its
// formula and its place in "Attention Is All You Need" (Vaswani et al. 2017: A) or "BERT" (Devlin et al. 2018: B). The
// comment after a matrix is its shape, row-major. Weights are float, as in the file; all results are double. Start
// reading at run(), near the end: each function above it is a step of run().
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

using namespace std::string_view_literals;

[[noreturn]] void fail(const std::string& message) { throw std::runtime_error(message); }

// ---- Files: JSON, and tensors by name ----
// A JSON value of config.json or of a safetensors header.
struct Json {
  std::map<std::string, Json> members;  // of an object
  std::vector<Json> items;              // of an array
  std::string text;                     // of a string, or the letters of a number, true, false or null

  const Json& at(const std::string& key) const {
    const auto found = members.find(key);
    if (found == members.end()) fail("JSON: '" + key + "' is missing");
    return found->second;
  }
  double number() const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail("'" + text + "': expected a number");
    return value;
  }
  size_t size() const {
    const double value = number();
    if (!(value >= 0 && value < 1e15)) fail("'" + text + "': expected a size");
    return static_cast<size_t>(value);
  }
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}
  Json read(int depth = 0) {
    if (depth > 100) fail("JSON: nested too deeply");
    Json value;
    if (take('{')) {
      for (bool first = true; !take('}'); first = false) {
        if (!first) expect(',');
        expect('"');
        Json& member = value.members[read_string()];
        expect(':');
        member = read(depth + 1);
      }
    } else if (take('[')) {
      for (bool first = true; !take(']'); first = false) {
        if (!first) expect(',');
        value.items.push_back(read(depth + 1));
      }
    } else if (take('"')) {
      value.text = read_string();
    } else {
      while (at_ < text_.size() && !std::strchr(",]} \t\r\n", text_[at_])) value.text += text_[at_++];
      if (value.text.empty()) fail("JSON: expected a value at byte " + std::to_string(at_));
    }
    return value;
  }

 private:
  bool take(char wanted) {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_])) ++at_;
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail(std::string("JSON: expected '") + wanted + "' at byte " + std::to_string(at_));
  }
  // Keeps escapes as they are written: the names that are looked for have none.
  std::string read_string() {
    std::string result;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      result += text_[at_];
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) result += text_[++at_];
    }
    if (at_++ >= text_.size()) fail("JSON: a string does not end");
    return result;
  }

  std::string_view text_;
  size_t at_ = 0;
};

Json read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("'" + path + "': cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return JsonReader(text).read();
}

template <typename Number>
struct Table {
  size_t rows, columns;
  std::vector<Number> values;
  Table(size_t row_count, size_t width) : rows(row_count), columns(width), values(row_count * width) {}
  Number* row(size_t i) { return values.data() + i * columns; }
  const Number* row(size_t i) const { return values.data() + i * columns; }
};
using Matrix = Table<float>;  // of weights; a vector has one row
using Rows = Table<double>;   // what is computed, a row for each token

// A safetensors file: 8 bytes with the size of the header, the header in JSON, the numbers (little-endian).
class Weights {
 public:
  explicit Weights(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    uint64_t size = 0;
    if (!file_.read(reinterpret_cast<char*>(&size), sizeof size)) fail("'" + path + "': cannot be read");
    if (size > 100'000'000) fail("'" + path + "': not a safetensors file");
    std::string text(size, '\0');
    if (!file_.read(text.data(), static_cast<std::streamsize>(size))) fail("'" + path + "': its header is cut off");
    header_ = JsonReader(text).read();
    begin_ = sizeof size + size;
    if (header_.members.contains("bert.embeddings.word_embeddings.weight")) prefix_ = "bert.";
  }

  bool contains(const std::string& name) const { return header_.members.contains(prefix_ + name); }

  // Throws unless the tensor has this shape.
  Matrix read(const std::string& name, size_t rows, size_t columns) {
    const std::string where = "tensor '" + prefix_ + name + "' in '" + path_ + "': ";
    if (!contains(name)) fail(where + "missing");
    const Json& entry = header_.at(prefix_ + name);
    if (entry.at("dtype").text != "F32") fail(where + entry.at("dtype").text + ", expected F32");
    std::vector<size_t> shape;
    for (const Json& dimension : entry.at("shape").items) shape.push_back(dimension.size());
    if (shape.size() == 1) shape.insert(shape.begin(), 1);
    if (shape != std::vector{rows, columns}) {
      fail(where + "expected the shape [" + std::to_string(rows) + ", " + std::to_string(columns) + "]");
    }
    Matrix result(rows, columns);
    const auto bytes = static_cast<std::streamsize>(result.values.size() * sizeof(float));
    const std::vector<Json>& offsets = entry.at("data_offsets").items;
    file_.seekg(static_cast<std::streamoff>(begin_ + (offsets.empty() ? 0 : offsets[0].size())));
    if (!file_.read(reinterpret_cast<char*>(result.values.data()), bytes)) fail(where + "the file ends in it");
    return result;
  }
  Matrix read(const std::string& name, size_t length) { return read(name, 1, length); }

 private:
  std::string path_;
  std::ifstream file_;
  Json header_;
  size_t begin_ = 0;
  std::string prefix_;  // "bert." where the checkpoint has heads beside the encoder
};

// ---- The tokenizer: from a text to the ids of its word pieces (B, section 3) ----
// Returns the characters of a text. Those of ASCII and Latin-1 have one or two bytes in UTF-8; others are refused.
std::vector<unsigned> read_characters(std::string_view text) {
  std::vector<unsigned> result;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte < 0x80) {
      result.push_back(byte);
    } else if ((byte == 0xC2 || byte == 0xC3) && (next & 0xC0U) == 0x80) {
      result.push_back((byte & 3U) << 6U | (next & 0x3FU));
      ++i;
    } else {
      fail("byte " + std::to_string(i) + " of the text: expected an ASCII or a Latin-1 character");
    }
  }
  return result;
}

std::string utf8(unsigned c) {
  if (c < 0x80) return {static_cast<char>(c)};
  return {static_cast<char>(0xC0U | c >> 6U), static_cast<char>(0x80U | (c & 0x3FU))};
}

bool is_space(unsigned c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xA0; }
bool is_control(unsigned c) { return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD; }
bool is_punctuation(unsigned c) {
  if (c < 0x80) return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 0x7F);
  return c == 0xA1 || c == 0xA7 || c == 0xAB || c == 0xB6 || c == 0xB7 || c == 0xBB || c == 0xBF;
}

// Returns the character in lower case without its accent: "e" for "É". Æ, Ð, Ø, Þ and ß have no accent.
unsigned fold(unsigned c) {
  static constexpr std::string_view kBases =
      "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0\0aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0y"sv;
  if (c >= 'A' && c <= 'Z') return c + 0x20;
  if (c < 0xC0) return c;
  if (kBases[c - 0xC0] != '\0') return static_cast<unsigned char>(kBases[c - 0xC0]);
  return c < 0xDF && c != 0xD7 ? c + 0x20 : c;
}

// Returns the words of a text. Each punctuation mark is a word of its own.
std::vector<std::string> split_words(const std::vector<unsigned>& characters, bool lower_case) {
  std::vector<std::string> words;
  bool inside = false;  // of a word
  for (const unsigned c : characters) {
    if (is_space(c)) {
      inside = false;
    } else if (!is_control(c)) {
      const bool alone = is_punctuation(c);
      if (!inside || alone) words.emplace_back();
      words.back() += utf8(lower_case ? fold(c) : c);
      inside = !alone;
    }
  }
  return words;
}

class Tokenizer {
 public:
  Tokenizer(const std::string& path, bool lower_case) : lower_case_(lower_case) {
    std::ifstream file(path);
    if (!file) fail("'" + path + "': cannot be read");
    for (std::string line; std::getline(file, line); tokens.push_back(line)) {
      if (line.ends_with('\r')) line.pop_back();
      ids_[line] = tokens.size();
    }
  }

  size_t id(const std::string& token) const {
    const auto found = ids_.find(token);
    if (found == ids_.end()) fail("vocab.txt: no token '" + token + "'");
    return found->second;
  }

  // WordPiece: takes the longest piece of the vocabulary that begins the word, then the longest that begins the rest,
  // and so on. The vocabulary has "##" before a piece that continues a word. A word without such pieces is [UNK].
  void append_pieces(const std::string& word, std::vector<size_t>& result) const {
    std::vector<size_t> pieces;
    const auto characters = std::count_if(word.begin(), word.end(), [](char c) { return (c & '\xC0') != '\x80'; });
    for (size_t begin = 0, end = 0; begin < word.size() && characters <= 100; begin = end) {
      auto found = ids_.end();
      for (end = word.size(); end > begin; --end) {
        found = ids_.find((begin > 0 ? "##" : "") + word.substr(begin, end - begin));
        if (found != ids_.end()) break;
      }
      if (end == begin) break;
      pieces.push_back(found->second);
      if (end == word.size()) return void(result.insert(result.end(), pieces.begin(), pieces.end()));
    }
    result.push_back(id("[UNK]"));
  }

  // The name of a special token in a text, such as "[MASK]", becomes that token.
  std::vector<size_t> read(std::string_view text) const {
    std::vector<size_t> result;
    while (true) {
      size_t end = text.size();
      std::string special;
      for (const char* name : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
        const size_t at = text.find(name);
        if (at < end && ids_.contains(name)) end = at, special = name;
      }
      for (const std::string& word : split_words(read_characters(text.substr(0, end)), lower_case_)) {
        append_pieces(word, result);
      }
      if (special.empty()) return result;
      result.push_back(id(special));
      text.remove_prefix(end + special.size());
    }
  }

  std::vector<std::string> tokens;  // by id

 private:
  std::unordered_map<std::string, size_t> ids_;
  bool lower_case_;
};

// ---- The encoder ----
struct Config {  // vocabulary, positions and segments: rows of the three tables
  size_t hidden, layers, heads, intermediate, vocabulary, positions, segments;
  double epsilon;
};

// y = x Wᵀ + b        x: [rows, in], W: [out, in], b: [out], y: [rows, out]
Rows linear(const Rows& x, const Matrix& weight, const Matrix& bias) {
  Rows y(x.rows, weight.rows);
  for (size_t i = 0; i < x.rows; ++i) {
    for (size_t out = 0; out < weight.rows; ++out) {
      double sum = bias.values[out];
      for (size_t in = 0; in < weight.columns; ++in) sum += x.row(i)[in] * weight.row(out)[in];
      y.row(i)[out] = sum;
    }
  }
  return y;
}

// y = gamma (x - mean) / sqrt(variance + epsilon) + beta, of each row (A, 5.4 cites Ba et al. 2016)
void layer_norm(Rows& x, const Matrix& gamma, const Matrix& beta, double epsilon) {
  for (size_t i = 0; i < x.rows; ++i) {
    double mean = 0, variance = 0;
    for (size_t j = 0; j < x.columns; ++j) mean += x.row(i)[j] / static_cast<double>(x.columns);
    for (size_t j = 0; j < x.columns; ++j) {
      variance += (x.row(i)[j] - mean) * (x.row(i)[j] - mean) / static_cast<double>(x.columns);
    }
    for (size_t j = 0; j < x.columns; ++j) {
      double& value = x.row(i)[j];
      value = gamma.values[j] * (value - mean) / std::sqrt(variance + epsilon) + beta.values[j];
    }
  }
}

// softmax(Q Kᵀ / sqrt(d)) V, for each head on its own d columns (A, 3.2.1 and 3.2.2)
//   query, key, value: [tokens, hidden] = [tokens, heads × d]
Rows attention(const Rows& query, const Rows& key, const Rows& value, size_t heads) {
  Rows context(query.rows, query.columns);  // [tokens, hidden]
  const size_t d = query.columns / heads;
  for (size_t head = 0; head < heads; ++head) {
    const size_t first = head * d;  // the head's first column
    for (size_t i = 0; i < query.rows; ++i) {
      std::vector<double> weights(key.rows);  // how much token i reads of each token; the sum is 1
      for (size_t j = 0; j < key.rows; ++j) {
        double dot = 0;
        for (size_t k = first; k < first + d; ++k) dot += query.row(i)[k] * key.row(j)[k];
        weights[j] = dot / std::sqrt(static_cast<double>(d));
      }
      const double largest = *std::max_element(weights.begin(), weights.end());
      double sum = 0;
      for (double& weight : weights) sum += weight = std::exp(weight - largest);
      for (size_t j = 0; j < key.rows; ++j) {
        for (size_t k = first; k < first + d; ++k) context.row(i)[k] += weights[j] / sum * value.row(j)[k];
      }
    }
  }
  return context;
}

// x Φ(x), Φ the distribution function of the normal distribution (B, A.2: GELU, Hendrycks and Gimpel 2016)
void gelu(Rows& x) {
  for (double& value : x.values) value *= 0.5 * (1 + std::erf(value / std::numbers::sqrt2));
}

class Bert {
 public:
  Bert(const std::string& directory, const Config& config)
      : config_(config), weights_(directory + "/model.safetensors") {}

  // LayerNorm(word + position + segment), rows of three tables that are all learned (B, figure 2)
  //   ids, segments: [tokens]; word table: [vocabulary, hidden]; position table: [positions, hidden];
  //   segment table: [2, hidden]; result: [tokens, hidden]
  Rows embed(const std::vector<size_t>& ids, const std::vector<size_t>& segments) {
    const size_t hidden = config_.hidden;
    const Matrix words = weights_.read("embeddings.word_embeddings.weight", config_.vocabulary, hidden);
    const Matrix positions = weights_.read("embeddings.position_embeddings.weight", config_.positions, hidden);
    const Matrix types = weights_.read("embeddings.token_type_embeddings.weight", config_.segments, hidden);
    Rows x(ids.size(), hidden);
    for (size_t i = 0; i < ids.size(); ++i) {
      for (size_t j = 0; j < hidden; ++j) {
        x.row(i)[j] = static_cast<double>(words.row(ids[i])[j]) + positions.row(i)[j] + types.row(segments[i])[j];
      }
    }
    normalise(x, "embeddings.");
    return x;
  }

  // x = LayerNorm(x + MultiHead(x)); x = LayerNorm(x + FFN(x)), FFN(x) = W₂ gelu(W₁ x + b₁) + b₂ (A, 3.1 and 3.3)
  //   x: [tokens, hidden], before and after
  void apply_layer(size_t number, Rows& x) {
    const std::string layer = "encoder.layer." + std::to_string(number) + ".";
    const size_t hidden = config_.hidden;
    const Rows query = apply_linear(x, layer + "attention.self.query", hidden);
    const Rows key = apply_linear(x, layer + "attention.self.key", hidden);
    const Rows value = apply_linear(x, layer + "attention.self.value", hidden);
    const Rows context = attention(query, key, value, config_.heads);  // [tokens, hidden]
    add_and_normalise(x, apply_linear(context, layer + "attention.output.dense", hidden), layer + "attention.output.");
    Rows inner = apply_linear(x, layer + "intermediate.dense", config_.intermediate);  // [tokens, intermediate]
    gelu(inner);
    add_and_normalise(x, apply_linear(inner, layer + "output.dense", hidden), layer + "output.");
  }

  bool has_pooler() const { return weights_.contains("pooler.dense.weight"); }
  // tanh(W x + b) of the first token, [CLS] (B, 3.1: the "aggregate sequence representation")
  //   x: [tokens, hidden]; result: [1, hidden]
  Rows pool(const Rows& x) {
    Rows first(1, config_.hidden);
    std::copy_n(x.row(0), config_.hidden, first.row(0));
    Rows pooled = apply_linear(first, "pooler.dense", config_.hidden);
    for (double& value : pooled.values) value = std::tanh(value);
    return pooled;
  }

 private:
  Rows apply_linear(const Rows& x, const std::string& name, size_t out) {
    return linear(x, weights_.read(name + ".weight", out, x.columns), weights_.read(name + ".bias", out));
  }
  void add_and_normalise(Rows& x, const Rows& y, const std::string& name) {
    for (size_t i = 0; i < x.values.size(); ++i) x.values[i] += y.values[i];
    normalise(x, name);
  }
  // Checkpoints of 2018 have the names gamma and beta, later ones weight and bias.
  void normalise(Rows& x, const std::string& name) {
    const bool is_old = weights_.contains(name + "LayerNorm.gamma");
    const Matrix gamma = weights_.read(name + (is_old ? "LayerNorm.gamma" : "LayerNorm.weight"), x.columns);
    layer_norm(x, gamma, weights_.read(name + (is_old ? "LayerNorm.beta" : "LayerNorm.bias"), x.columns),
               config_.epsilon);
  }

  Config config_;
  Weights weights_;
};

// ---- The whole program ----
// Reads config.json. Refuses a model whose settings ask for a computation that is not on this page.
Config read_config(const std::string& path) {
  const Json config = read_json(path);
  const std::map<std::string, std::string> settings = {
      {"model_type", "bert"}, {"hidden_act", "gelu"}, {"position_embedding_type", "absolute"}, {"is_decoder", "false"}};
  for (const auto& [key, expected] : settings) {
    const auto found = config.members.find(key);
    if (found == config.members.end() || found->second.text == expected) continue;
    fail("'" + path + "': " + key + " is '" + found->second.text + "', expected '" + expected + "'");
  }
  const auto size = [&](const std::string& key) { return config.at(key).size(); };
  const Config result{.hidden = size("hidden_size"),
                      .layers = size("num_hidden_layers"),
                      .heads = size("num_attention_heads"),
                      .intermediate = size("intermediate_size"),
                      .vocabulary = size("vocab_size"),
                      .positions = size("max_position_embeddings"),
                      .segments = size("type_vocab_size"),
                      .epsilon = config.at("layer_norm_eps").number()};
  if (result.heads == 0 || result.hidden % result.heads != 0) {
    fail("'" + path + "': hidden_size is not a multiple of num_attention_heads");
  }
  return result;
}

// Cased models say do_lower_case: false in tokenizer_config.json.
bool is_lower_case(const std::string& path) {
  return !std::ifstream(path) || read_json(path).members["do_lower_case"].text != "false";
}

void print(const std::string& name, const double* values, size_t count) {
  std::printf("%s", name.c_str());
  for (size_t i = 0; i < count; ++i) std::printf(" %.8g", values[i]);
  std::printf("\n");
}

void run(const std::string& directory, const std::vector<std::string>& texts) {
  const Config config = read_config(directory + "/config.json");
  const Tokenizer tokenizer(directory + "/vocab.txt", is_lower_case(directory + "/tokenizer_config.json"));

  // [CLS] first text [SEP] second text [SEP]: a token's segment is the number of its text, 0 or 1 (B, figure 2)
  std::vector<size_t> ids = {tokenizer.id("[CLS]")}, segments = {0};
  for (size_t text = 0; text < texts.size(); ++text) {
    for (const size_t id : tokenizer.read(texts[text])) ids.push_back(id);
    ids.push_back(tokenizer.id("[SEP]"));
    segments.resize(ids.size(), text);
  }
  if (ids.size() > config.positions) {
    fail(std::to_string(ids.size()) + " tokens, expected at most " + std::to_string(config.positions));
  }
  if (segments.back() >= config.segments) fail("a second text, and the model has one segment");
  for (const size_t id : ids) {
    if (id >= config.vocabulary) fail("vocab.txt: token " + std::to_string(id) + " has no row in the model");
  }

  Bert bert(directory, config);
  Rows x = bert.embed(ids, segments);  // [tokens, hidden]
  for (size_t layer = 0; layer < config.layers; ++layer) bert.apply_layer(layer, x);
  for (size_t i = 0; i < x.rows; ++i) print(tokenizer.tokens[ids[i]], x.row(i), x.columns);
  if (!bert.has_pooler()) return void(std::fprintf(stderr, "bert: the checkpoint has no pooler: no pooled output\n"));
  print("pooled", bert.pool(x).row(0), x.columns);
}

int main(int count, char** arguments) {
  if (count != 3 && count != 4) {
    std::fprintf(stderr, "usage: bert DIRECTORY TEXT [SECOND_TEXT]\n");
    return 2;
  }
  try {
    run(arguments[1], {arguments + 2, arguments + count});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bert: error: %s\n", error.what());
    return 1;
  }
}
