// The page at /docs: swagger-ui-dist with the server's own OpenAPI document. Its files are compiled in where the build
// had them (BERT_INFER_SWAGGER_UI); nothing comes from the network. Stateless.
#pragma once

#include <string_view>

#include "tools/server/http_message.h"

namespace bert::server {

// file: "" for the page, else a file of it. Throws ApiError: kUnsupported in a build without swagger-ui-dist,
// kNotFound for an unknown file.
HttpResponse docs_page(std::string_view file);

}  // namespace bert::server
