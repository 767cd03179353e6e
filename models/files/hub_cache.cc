#include "models/files/hub_cache.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "engine/base/bundle.h"
#include "engine/base/file.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "engine/checkpoint/other_formats.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxRefBytes = 4096;

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::optional<std::string> variable(const Environment& environment, const char* name) {
  std::optional<std::string> value = environment(name);
  if (value && value->empty()) value.reset();
  return value;
}

// A folder of models in the working directory; and the organisation whose names the hub's own libraries complete.
constexpr std::string_view kFetched = "checkpoints", kDefaultOrganisation = "sentence-transformers";

std::string trimmed(std::string text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && is_space(text.back())) text.pop_back();
  return text;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// The names of the cache's models that end with the same part, whatever their organisation and case: for
// "all-minilm-l6-v2" "sentence-transformers/all-MiniLM-L6-v2". In the order of their names.
std::vector<std::string> names_like(const std::string& name, const fs::path& cache) {
  const std::string last = lower_case(name.substr(name.find('/') + 1));
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(cache, error), end; !error && entry != end; entry.increment(error)) {
    std::string folder = utf8(entry->path().filename());
    if (!folder.starts_with("models--")) continue;
    folder.erase(0, std::string_view("models--").size());
    const size_t organisation = folder.find("--");
    if (organisation != std::string::npos) folder.replace(organisation, 2, "/");
    if (lower_case(folder.substr(folder.find('/') + 1)) == last) names.push_back(folder);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void refuse_other_format(const fs::path& path) {
  if (const auto other = other_format(path)) {
    throw Error(ErrorCode::kUnsupported, "model " + quote_path(utf8(path)) + ": " + *other);
  }
}

// Which revisions the folder of a model has: for the error of one that it lacks.
std::string snapshots_in(const fs::path& folder) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder / "snapshots", error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(utf8(entry->path().filename()));
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (i == 0 ? ", where --revision may be " : ", ") + names[i];
  }
  return text + (names.size() > kMostNamed ? ", …" : "");
}

// What to do about a name that the cache does not have.
std::string remedy(const std::string& name, const fs::path& cache) {
  const std::vector<std::string> names = names_like(name, cache);
  if (!names.empty()) return "; there is " + quote(names.front());
  const bool is_whole = name.find('/') != std::string::npos;
  return "; fetch it with: bert-infer fetch " + (is_whole ? name : "ORGANISATION/" + name);
}

}  // namespace

bool is_hub_model_name(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return is_plain_file_name(name);
  return is_plain_file_name(name.substr(0, slash)) && is_plain_file_name(name.substr(slash + 1));
}

bool is_hub_revision(std::string_view revision) {
  while (true) {
    const size_t slash = revision.find('/');
    if (!is_plain_file_name(revision.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    revision.remove_prefix(slash + 1);
  }
}

std::string hub_folder_name(std::string_view name) {
  std::string folder = "models--" + std::string(name);
  if (const size_t slash = folder.find('/'); slash != std::string::npos) folder.replace(slash, 1, "--");
  return folder;
}

std::string expanded_path(const std::string& text, const Environment& environment) {
  std::string path = text, expanded;
  const std::optional<std::string> home = variable(environment, kHomeVariable);
  if (home && (path == "~" || path.starts_with("~/"))) path.replace(0, 1, *home);
  for (size_t i = 0; i < path.size();) {
    const size_t dollar = path.find('$', i);
    expanded += path.substr(i, dollar - i);
    if (dollar == path.npos) break;
    const bool is_braced = dollar + 1 < path.size() && path[dollar + 1] == '{';
    const size_t begin = dollar + (is_braced ? 2 : 1);
    size_t end = is_braced ? path.find('}', begin) : begin;
    while (!is_braced && end < path.size() && is_of_name(path[end])) ++end;
    const std::string name = end == path.npos ? "" : path.substr(begin, end - begin);
    i = name.empty() ? dollar + 1 : end + (is_braced ? 1 : 0);
    const std::optional<std::string> value = name.empty() ? std::nullopt : environment(name.c_str());
    expanded += value ? *value : path.substr(dollar, i - dollar);
  }
  return expanded;
}

fs::path hub_cache_directory(const Environment& environment) {
  const auto path = [&](const char* name) {
    const std::optional<std::string> value = variable(environment, name);
    return value ? std::optional(path_of(expanded_path(*value, environment))) : std::nullopt;
  };
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const auto cache = path(name)) return *cache;
  }
  if (const auto hub_home = path("HF_HOME")) return *hub_home / "hub";
  if (const auto cache = path("XDG_CACHE_HOME")) return *cache / "huggingface" / "hub";
  if (const auto home = variable(environment, kHomeVariable)) return path_of(*home) / ".cache" / "huggingface" / "hub";
  return {};
}

fs::path find_model_in(const fs::path& cache, const std::string& name, const std::string& revision) {
  const fs::path place = path_of(name);
  if (name.find('\0') == std::string::npos && directory_exists(place)) {
    if (find_bundle(place)) check_bundle(place);
    return place;
  }
  const bool is_bare = is_plain_file_name(name);
  if (is_bare && directory_exists(fs::path(kFetched) / name)) return fs::path(kFetched) / name;
  if (is_bare && !cache.empty() && !directory_exists(cache / hub_folder_name(name))) {
    const std::string completed = std::string(kDefaultOrganisation) + "/" + name;
    if (directory_exists(cache / hub_folder_name(completed))) return find_model_in(cache, completed, revision);
  }
  const auto not_found = [](const std::string& message) { return Error(ErrorCode::kNotFound, message); };
  const bool is_file = name.find('\0') == std::string::npos && is_there(place);
  if (is_file) refuse_other_format(place);
  if (!is_hub_model_name(name) || (is_file && !directory_exists(cache / hub_folder_name(name)))) {
    throw not_found("model " + quote_path(name) + (is_file ? ": is a file" : ": no such directory") +
                    ", expected a directory with config.json and weights, or a model's name on the hub");
  }
  if (!is_hub_revision(revision)) {
    throw Error(ErrorCode::kInvalidArgument,
                "revision " + quote(revision) + ", expected the name of a branch or a tag, or a commit's hash");
  }
  const std::string model = "model " + quote(name) + ": no such directory here";
  if (cache.empty())
    throw not_found(model + ", and no cache to look in: set HF_HUB_CACHE, HF_HOME or " + kHomeVariable);
  const fs::path folder = cache / hub_folder_name(name);
  if (!directory_exists(folder)) {
    throw not_found(model + ", and none of this name in the hub's cache " + quote_path(utf8(cache)) +
                    remedy(name, cache));
  }
  const std::optional<std::string> ref = read_text_file_if_there(folder / "refs" / revision, kMaxRefBytes);
  const std::string snapshot = ref ? trimmed(*ref) : revision;
  if (ref && !is_plain_file_name(snapshot)) {
    throw Error(ErrorCode::kInvalidFile, quote_path(utf8(folder / "refs" / revision)) + ": " + quote(snapshot, 60) +
                                             ", expected a commit's hash");
  }
  const fs::path directory = folder / "snapshots" / snapshot;
  if (directory_exists(directory)) return directory;
  throw not_found(model + ", and no revision " + quote(revision) + " in the hub's cache " + quote_path(utf8(folder)) +
                  snapshots_in(folder) + "; fetch it with: bert-infer fetch " + name + " --revision " + revision);
}

std::filesystem::path find_model(const std::string& name, const std::string& revision,
                                 const std::filesystem::path& cache) {
  const auto environment = [](const char* variable) -> std::optional<std::string> {
    const char* value = std::getenv(variable);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  const fs::path directory = find_model_in(cache.empty() ? hub_cache_directory(environment) : cache, name, revision);
  const auto has = [&](const char* file) { return is_there(directory / file); };
  if (!has("config.json") && !has("modules.json") && !has("tokenizer.json")) refuse_other_format(directory);
  return directory;
}

}  // namespace bert
