#define _DEFAULT_SOURCE  // explicit_bzero
// Tickets, with which clients of TLS that come again shake hands without a certificate: in a quarter of the
// time if its key is of RSA. libmicrohttpd offers none.
#include <gnutls/gnutls.h>
#include <string.h>

#include "internal.h"

bool http_tickets_start(http_server *server) {
  gnutls_datum_t key;
  if (!server->certificate) return true;
  if (gnutls_session_ticket_key_generate(&key) != GNUTLS_E_SUCCESS) return false;
  server->ticket_key = key.data;
  server->ticket_key_size = key.size;
  return true;
}

void http_tickets_end(http_server *server) {
  if (!server->ticket_key) return;
  explicit_bzero(server->ticket_key, server->ticket_key_size);
  gnutls_free(server->ticket_key);
}

void http_tickets_offer(const http_server *server, struct MHD_Connection *mhd) {
  if (!server->ticket_key) return;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  // What is sealed with it cannot be read for long: GnuTLS derives another key every few hours.
  gnutls_datum_t key = {server->ticket_key, server->ticket_key_size};
  if (info) (void)gnutls_session_ticket_enable_server(info->tls_session, &key);
}
