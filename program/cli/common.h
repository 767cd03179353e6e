// Makes the parts that the program shares with its server and its drawings available under its own name.
#pragma once

#include "engine/base/joined.h"
#include "engine/base/json/json_writer.h"
#include "program/common/table.h"
#include "program/common/terminal_text.h"

namespace bert::cli {

using namespace common;

}  // namespace bert::cli
