// libmicrohttpd, for CHTTPShim alone: no Swift target imports this module.
#include <microhttpd.h>
