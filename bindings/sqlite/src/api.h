// SQLite's functions for a loadable extension, which calls them through the table that SQLite gives it.
#pragma once

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3
