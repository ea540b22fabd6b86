// Redis' client library; by name, because pkg-config warns on every build.
#include <hiredis/hiredis.h>
