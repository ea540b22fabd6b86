// SQLite's own interface.
#include <sqlite3.h>
