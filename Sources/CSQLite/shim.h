#pragma once
#include <sqlite3.h>

/// sqlite3_db_config is variadic, which Swift does not import.
static inline int signalboxKeepLogOnClose(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
