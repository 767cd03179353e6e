// Fuzzes the body of a request. The first byte selects a route of the server, the rest is the body.
#include <vector>

#include "tests/fuzz/target.h"
#include "tests/program/server/test_service.h"

namespace {

bert::server::ServiceOptions fuzz_options() {
  bert::server::ServiceOptions options;
  options.api.accept_token_ids = true;
  options.api.max_texts = 8;
  return options;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert;
  static test::TestService service({{"built-in", ""}}, fuzz_options());
  static const std::vector<std::string> paths = [] {
    std::vector<std::string> found;
    for (const server::Route& route : server::routes()) {
      if (route.method == std::string_view("POST")) found.emplace_back(route.path);
    }
    return found;
  }();
  if (size == 0) return 0;
  const std::string& path = paths[data[0] % paths.size()];
  const server::HttpResponse response = service.post(path, std::string(fuzz::text_of(data + 1, size - 1)));
  const bool is_error = response.status >= 400;
  fuzz::require(response.status == 200 || is_error, "a body has an answer or an error");
  fuzz::require(response.status != 500, "a body is no error of the server");
  const auto body = nlohmann::json::parse(response.body, nullptr, false);
  fuzz::require(!body.is_discarded(), "the answer is JSON");
  fuzz::require(!is_error || response.body.size() < 4000, "an error has a line's length");
  return 0;
}
