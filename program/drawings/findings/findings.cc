#include "program/drawings/findings/findings.h"

#include <algorithm>
#include <filesystem>

#include "program/common/terminal_text.h"

namespace bert::drawings {

void Findings::add_to(Page& page) const {
  page.note(answer());
  add_main(page);
  add_details(page);
}

std::vector<std::string> token_labels(const Encoding& encoding, const Model& model) {
  std::vector<std::string> labels;
  for (const int32_t id : encoding.ids) labels.push_back(one_line(model.tokenizer().token(id)));
  return labels;
}

std::vector<std::string> readable_tokens(const Encoding& encoding, const std::string& text, const std::string& pair,
                                         const Model& model) {
  std::vector<std::string> labels = token_labels(encoding, model);
  for (size_t i = 0; i < encoding.size(); ++i) {
    const Offset at = encoding.offsets[i];
    if (encoding.ids[i] == model.tokenizer().unknown_id() && at.begin < at.end) {
      const std::string& part = encoding.sequence_ids[i] == 1 ? pair : text;
      labels[i] += " " + one_line(part.substr(at.begin, at.end - at.begin));
    }
  }
  return labels;
}

std::vector<std::string> shown_tokens(const Encoding& encoding, const std::string& text, const std::string& pair,
                                      const Model& model) {
  std::vector<std::string> labels = readable_tokens(encoding, text, pair, model);
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (!pair.empty() && encoding.sequence_ids[i] != kNoSequence)
      labels[i] += encoding.sequence_ids[i] == 1 ? " B" : " A";
  }
  return labels;
}

std::vector<std::string> distinct_labels(const std::vector<std::string>& tokens) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool is_repeated = std::count(tokens.begin(), tokens.end(), tokens[i]) > 1;
    labels.push_back((is_repeated ? std::to_string(i) + " " : "") + tokens[i]);
  }
  return labels;
}

std::string name_of_directory(const std::string& directory) {
  std::filesystem::path path = std::filesystem::path(directory).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string folder = path.parent_path().parent_path().filename().string();
  if (path.parent_path().filename() != "snapshots" || !folder.starts_with("models--")) {
    std::error_code no;
    return path.filename() == "." || path.filename() == ".." ? std::filesystem::canonical(path, no).filename().string()
                                                             : path.filename().string();
  }
  std::string name = folder.substr(std::string("models--").size());
  if (const size_t at = name.find("--"); at != std::string::npos) name.replace(at, 2, "/");
  return name;
}

std::string model_name(const Model& model) {
  const ModelDescription description = model.describe();
  return description.is_builtin ? "the built-in model" : one_line(description.source);
}

std::string name_on_page(const Model& model) {
  const ModelDescription description = model.describe();
  return description.is_builtin ? "the built-in model" : one_line(name_of_directory(description.source));
}

namespace {

// Returns the part of the text that the tokens cover, as it was written.
std::string drawn_part(const Encoding& encoding, const std::string& text, int32_t sequence) {
  size_t begin = text.size(), end = 0;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.sequence_ids[i] != sequence) continue;
    begin = std::min<size_t>(begin, encoding.offsets[i].begin);
    end = std::max<size_t>(end, encoding.offsets[i].end);
  }
  return begin < end ? text.substr(begin, end - begin) : "";
}

}  // namespace

std::string quoted_texts(const Encoding& encoding, const std::string& text, const std::string& pair) {
  std::string quoted = drawn_part(encoding, text, 0);
  if (!pair.empty()) quoted += "” (A) and “" + drawn_part(encoding, pair, 1);
  return "“" + one_line(quoted) + (pair.empty() ? "”" : "” (B)");
}

std::string page_lead(const Encoding& encoding, const std::string& text, const std::string& pair, const Model& model) {
  return quoted_texts(encoding, text, pair) + " — " + name_on_page(model) + ", " + std::to_string(encoding.size()) +
         " tokens";
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  }
  return text;
}

std::string percent(double share, int decimals) {
  std::string text = fixed(100 * share, decimals);
  if (text.find_first_of("123456789") == std::string::npos && text.front() == '-') text.erase(0, 1);  // avoids "-0"
  return text + " %";
}

}  // namespace bert::drawings
