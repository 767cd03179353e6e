#include "program/fetch/curl_library.h"

#include <string>
#include <type_traits>

#include "bert/error.h"
#include "engine/base/shared_library.h"

namespace bert::fetch {
namespace {

constexpr long kEverything = 3;  // CURL_GLOBAL_ALL

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorCode::kUnsupported, "fetch needs libcurl: " + problem +
                                           "; without it: hf download NAME (pip install huggingface_hub) fetches a "
                                           "model into the same cache");
}

CurlLibrary load() {
  const SharedLibrary file("curl", {"4"}, "libcurl4");
  if (!file.problem().empty()) refuse(file.problem());
  CurlLibrary library;
  const auto find = [&](auto& symbol, const char* name) {
    symbol = reinterpret_cast<std::remove_reference_t<decltype(symbol)>>(file.find(name));
    if (symbol == nullptr) refuse(file.file() + " has no " + name);
  };
  int (*initialize)(long) = nullptr;
  find(initialize, "curl_global_init");
  find(library.init, "curl_easy_init");
  find(library.set, "curl_easy_setopt");
  find(library.perform, "curl_easy_perform");
  find(library.get, "curl_easy_getinfo");
  find(library.cleanup, "curl_easy_cleanup");
  find(library.message, "curl_easy_strerror");
  find(library.append, "curl_slist_append");
  find(library.free_list, "curl_slist_free_all");
  if (initialize(kEverything) != CurlLibrary::kOk) refuse(file.file() + " cannot be initialized");
  return library;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary library = load();
  return library;
}

}  // namespace bert::fetch
