#include "program/fetch/hub.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "bert/error.h"
#include "bert/model.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"

namespace bert::fetch {
namespace {

constexpr size_t kShaDigits = 40, kSha256Digits = 64, kMostPathBytes = 1024, kMostPartBytes = 255;
constexpr std::chrono::milliseconds kFirstWait{250};
constexpr uint64_t kProgressBytes = 1u << 20;  // a failed try with this progress does not count
constexpr uint64_t kMostRepeats = 4;           // limit of how often a file's bytes repeat, for servers without ranges

bool is_hex(std::string_view text, size_t digits) {
  return text.size() == digits &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string header_of(const std::map<std::string, std::string>& headers, const char* name) {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

// Returns whether a path is below the model's folder, and its parts are valid file names on every system.
bool is_confined(std::string_view path) {
  if (path.empty() || path.size() > kMostPathBytes) return false;
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F' || c == '\\') return false;
  }
  while (true) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.size() > kMostPartBytes) return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool may_be_mended(int status) {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

// Returns what the answer says, for a message: the hub's own line, else the body's beginning.
std::string reason_of(const HttpResponse& response) {
  constexpr size_t kShown = 160;
  const std::string said = header_of(response.headers, "x-error-message");
  if (!said.empty()) return ", which says " + quote(said, kShown);
  const bool is_page = response.error_text.find('<') != std::string::npos;
  return response.error_text.empty() || is_page ? "" : ", which says " + quote(response.error_text, kShown);
}

// Returns the error of an answer that another try would not change.
Error refusal(const std::string& model, const Url& url, const HttpResponse& response, bool has_token) {
  const std::string code = header_of(response.headers, "x-error-code"), where = quote(url.text);
  const std::string answer = "answered " + std::to_string(response.status) + reason_of(response);
  const std::string about = "model " + quote(model) + ": " + where + " " + answer;
  if (code == "GatedRepo" || (response.status == 403 && code.empty())) {
    return {ErrorCode::kNotFound, about + "; the model is gated: accept its terms on its page, and give " +
                                      (has_token ? "a token that may read it" : "a token in HF_TOKEN")};
  }
  if (code == "RevisionNotFound") {
    return {ErrorCode::kNotFound, about + "; there is no such revision, expected a branch, a tag or a commit"};
  }
  if (response.status == 401 || response.status == 403 || response.status == 404 || code == "RepoNotFound") {
    return {ErrorCode::kNotFound, about + "; there is no such model, or it is private and needs " +
                                      (has_token ? "another token than this one" : "a token in HF_TOKEN")};
  }
  return {ErrorCode::kIo, about + ", expected 200"};
}

// Receives the text of an answer, up to a limit.
class TextBody : public HttpBody {
 public:
  explicit TextBody(const Url& url) : url_(url) {}

  void begin(const HttpResponse&) override { text.clear(); }
  void add(std::string_view bytes) override {
    if (text.size() + bytes.size() > Hub::kMostAnswerBytes) {
      refuse_file(url_.text, "has more than " + std::to_string(Hub::kMostAnswerBytes) + " bytes");
    }
    text += bytes;
  }

  std::string text;

 private:
  const Url& url_;
};

// Returns whether text is "bytes 100-199/200" for a request from `from` on: the bytes from there to the file's end.
bool is_range(const std::string& text, uint64_t from, uint64_t bytes) {
  return text == "bytes " + std::to_string(from) + "-" + std::to_string(bytes - 1) + "/" + std::to_string(bytes);
}

// Checks what the answer says about the file, then passes its bytes on.
class FileBody : public HttpBody {
 public:
  FileBody(const std::string& model, const RemoteFile& file, FileSink& sink)
      : model_(model), file_(file), sink_(sink) {}

  void begin(const HttpResponse& response) override {
    const std::string size = header_of(response.first_headers, "x-linked-size");
    if (!size.empty() && number_of(size) != file_.bytes) refuse("the size " + quote(size), std::to_string(file_.bytes));
    std::string tag = header_of(response.first_headers, "x-linked-etag");
    if (tag.starts_with("W/")) tag.erase(0, 2);
    std::erase(tag, '"');
    if (!tag.empty() && tag != file_.digest) refuse("the digest " + quote(tag), file_.digest);
    if (response.status == 200 && sink_.size() > 0) sink_.restart();  // the server does not support ranges
    const uint64_t from = sink_.size(), left = file_.bytes - from;
    if (response.status == 206) {
      const std::string range = header_of(response.headers, "content-range");
      if (!is_range(range, from, file_.bytes)) {
        sink_.restart();
        refuse("the range " + quote(range), "bytes " + std::to_string(from) + "-" + std::to_string(file_.bytes - 1) +
                                                "/" + std::to_string(file_.bytes));
      }
    }
    const std::string length = header_of(response.headers, "content-length");
    if (!length.empty() && number_of(length) != left) refuse("a length of " + quote(length), std::to_string(left));
  }

  void add(std::string_view bytes) override {
    received_ += bytes.size();
    if (received_ > kMostRepeats * (file_.bytes + kProgressBytes)) {
      throw Error(ErrorCode::kIo, quote(file_.path) + " of " + quote(model_) + ": " + std::to_string(received_) +
                                      " bytes came for a file of " + std::to_string(file_.bytes) +
                                      ", as the server breaks off and begins again");
    }
    if (bytes.size() > file_.bytes - sink_.size()) {
      sink_.restart();
      refuse("more than " + std::to_string(file_.bytes) + " bytes", std::to_string(file_.bytes));
    }
    sink_.add(bytes);
  }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw Error(ErrorCode::kInvalidFile,
                quote(file_.path) + " of " + quote(model_) + ": found " + found + ", expected " + expected);
  }

  const std::string& model_;
  const RemoteFile& file_;
  FileSink& sink_;
  uint64_t received_ = 0;
};

RemoteFile remote_file(const JsonObject& entry) {
  RemoteFile file;
  file.path = entry.required_string("path");
  if (!is_confined(file.path)) entry.refuse("path", "a path below the model's folder");
  const std::optional<JsonObject> stored = entry.nullable_object("lfs");
  file.bytes = (stored ? *stored : entry).required_integer("size", Hub::kMostFileBytes);
  file.digest = (stored ? *stored : entry).required_string("oid");
  const size_t digits = stored ? kSha256Digits : kShaDigits;
  if (!is_hex(file.digest, digits)) {
    (stored ? *stored : entry).refuse("oid", std::to_string(digits) + " hexadecimal digits");
  }
  return file;
}

// Returns the address of the next page from a Link header: <https://…>; rel="next". Empty: this is the last page.
std::string next_page(const HttpResponse& response) {
  const std::string link = header_of(response.headers, "link");
  const size_t rel = link.find("rel=\"next\""), begin = link.rfind('<', rel), end = link.find('>', begin);
  if (rel == link.npos || begin == link.npos || end == link.npos || end > rel) return "";
  return link.substr(begin + 1, end - begin - 1);
}

}  // namespace

Hub::Hub(const HubSettings& settings, Options options)
    : client_({.endpoint = settings.endpoint,
               .token = settings.token,
               .certificates = settings.certificates,
               .timeout_seconds = settings.timeout_seconds,
               .agent = "bert-infer/" + std::string(version())}),
      options_(std::move(options)) {}

std::string Hub::commit_of(const std::string& model, const std::string& revision) {
  const Url url = url_of("/api/models/" + escaped_path(model) + "/revision/" + escaped_part(revision));
  const std::string text = answer(model, url);
  const JsonDocument document = parse_json(text, url.text, {.max_bytes = kMostAnswerBytes});
  const JsonObject object(document.root(), url.text);
  std::string commit = object.required_string("sha");
  if (!is_hex(commit, kShaDigits)) object.refuse("sha", "a commit, 40 hexadecimal digits");
  return commit;
}

std::vector<RemoteFile> Hub::files_of(const std::string& model, const std::string& commit) {
  std::vector<RemoteFile> files;
  Url url = url_of("/api/models/" + escaped_path(model) + "/tree/" + commit + "?recursive=true");
  size_t bytes = 0;
  for (size_t pages = 1;; ++pages) {
    HttpResponse response;
    const std::string text = answer(model, url, &response);
    bytes += text.size();
    if (bytes > kMostAnswerBytes) {
      refuse_file(url.text, "has more than " + std::to_string(kMostAnswerBytes) + " bytes with the pages before it");
    }
    const JsonDocument document = parse_json(text, url.text, {.max_bytes = kMostAnswerBytes});
    if (!document.root().is_array()) {
      refuse_file(url.text, "found " + json_excerpt(document.root()) + ", expected an array of files");
    }
    size_t index = 0;
    for (const Json value : document.root().elements()) {
      const JsonObject entry(value, url.text, "[" + std::to_string(index++) + "]");
      if (entry.required_string("type") == "file") files.push_back(remote_file(entry));
    }
    const std::string next = next_page(response);
    if (next.empty()) break;
    const std::optional<Url> parsed = parse_url(next);
    // A mirror may return the hub's own address; the token is sent to neither, only to the endpoint.
    if (!parsed || (url.is_secure && !parsed->is_secure)) {
      refuse_file(url.text, "found " + quote(next) + " as the next page, expected an address of " +
                                (url.is_secure ? "https" : "http or https"));
    }
    if (pages == kMostPages) refuse_file(url.text, "has more than " + std::to_string(kMostPages) + " pages");
    url = *parsed;
  }
  std::ranges::sort(files, {}, &RemoteFile::path);
  const auto repeated = std::ranges::adjacent_find(files, {}, &RemoteFile::path);
  if (repeated != files.end()) refuse_file(url.text, "has " + quote(repeated->path) + " twice");
  return files;
}

void Hub::read(const std::string& model, const std::string& commit, const RemoteFile& file, FileSink& sink) {
  const Url url = url_of("/" + escaped_path(model) + "/resolve/" + commit + "/" + escaped_path(file.path));
  FileBody body(model, file, sink);
  if (sink.size() > file.bytes) sink.restart();
  if (sink.size() == file.bytes) return;
  request(model, url, body, {[&] { return sink.size(); }, file.bytes});
}

std::string Hub::answer(const std::string& model, const Url& url, HttpResponse* response) {
  TextBody body(url);
  const HttpResponse found = request(model, url, body, {});
  if (response != nullptr) *response = found;
  return std::move(body.text);
}

HttpResponse Hub::request(const std::string& model, const Url& url, HttpBody& body, const Extent& extent) {
  uint64_t furthest = extent.reached();  // a server without ranges starts again
  for (size_t tried = 1;; ++tried) {
    const uint64_t begin = extent.reached();
    HttpResponse response;
    std::string problem;
    try {
      response = client_.get(url, begin, body);
      if (response.status == 200 || response.status == 206) {
        if (!extent.end || extent.reached() == *extent.end) return response;
        problem = "ended after " + std::to_string(extent.reached()) + " of " + std::to_string(*extent.end) + " bytes";
      } else if (may_be_mended(response.status)) {
        problem = "answered " + std::to_string(response.status) + reason_of(response);
      } else {
        throw refusal(model, url, response, !client_.settings().token.empty());
      }
    } catch (const TransferError& error) {
      problem = error.what();
    }
    if (extent.reached() >= furthest + kProgressBytes) tried = 0;
    furthest = std::max(furthest, extent.reached());
    wait(url, problem, response, tried);
  }
}

Url Hub::url_of(const std::string& path) const {
  const std::string text = client_.settings().endpoint.text + path;
  const std::optional<Url> url = parse_url(text);
  if (!url) throw Error(ErrorCode::kInvalidArgument, quote(text) + " is no address of http or https");
  return *url;
}

void Hub::wait(const Url& url, const std::string& problem, const HttpResponse& response, size_t tried) const {
  const std::string what = quote(url.text) + ": " + problem;
  const std::optional<uint64_t> asked = number_of(header_of(response.headers, "retry-after"));
  if (tried >= options_.tries) {
    throw Error(ErrorCode::kIo, what + "; gave up after " + std::to_string(tried) + (tried == 1 ? " try" : " tries") +
                                    ", expected the hub's answer; the same command goes on");
  }
  if (asked && *asked > kLongestWaitSeconds) {
    throw Error(ErrorCode::kIo, what + "; the hub asks to wait " + std::to_string(*asked) +
                                    " seconds, expected at most " + std::to_string(kLongestWaitSeconds) +
                                    "; the same command goes on");
  }
  const std::chrono::milliseconds pause =
      asked ? std::chrono::seconds(*asked) : kFirstWait * (1u << std::min<size_t>(tried, 6));
  options_.note(what + "; next try in " + std::to_string((pause.count() + 999) / 1000) + " s");
  std::this_thread::sleep_for(pause);
}

}  // namespace bert::fetch
