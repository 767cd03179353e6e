// What the program shares with its server and its drawings, under its own name.
#pragma once

#include "tools/common/joined.h"
#include "tools/common/json_writer.h"
#include "tools/common/table.h"
#include "tools/common/terminal_text.h"

namespace bert::cli {

using namespace common;

}  // namespace bert::cli
