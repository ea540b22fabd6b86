// GnuTLS, which libmicrohttpd brings along: hashing and comparing keys.
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
