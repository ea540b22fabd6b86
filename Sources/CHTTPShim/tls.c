#define _DEFAULT_SOURCE  // explicit_bzero
// What libmicrohttpd leaves to be done about TLS: tickets, with which clients that come again shake hands
// without a certificate, in a quarter of the time if its key is of RSA; and to see that hands are shaken.
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "internal.h"

// Which of the two cannot be read, and why; if both can, they are not of each other, as the status says.
static const char *fault(const gnutls_datum_t *certificate, const gnutls_datum_t *key, int *status) {
  gnutls_x509_crt_t *chain;
  unsigned count;
  int imported = gnutls_x509_crt_list_import2(&chain, &count, certificate, GNUTLS_X509_FMT_PEM, 0);
  if (imported < 0) {
    *status = imported;
    return "certificate, --tls-cert";
  }
  for (unsigned i = 0; i < count; i++) gnutls_x509_crt_deinit(chain[i]);
  gnutls_free(chain);
  gnutls_privkey_t read;
  if (gnutls_privkey_init(&read) < 0) return "certificate and its key";
  imported = gnutls_privkey_import_x509_raw(read, key, GNUTLS_X509_FMT_PEM, NULL, 0);
  gnutls_privkey_deinit(read);
  if (imported >= 0) return "certificate and its key, --tls-cert and --tls-key";
  *status = imported;
  return "key, --tls-key";
}

// Whether a certificate and its key are any, and of each other: libmicrohttpd says of none what is wrong with it.
static bool check_pair(const http_server *server, char *error, size_t error_size) {
  gnutls_certificate_credentials_t credentials;
  if (gnutls_certificate_allocate_credentials(&credentials) != GNUTLS_E_SUCCESS) return false;
  gnutls_datum_t certificate = {(unsigned char *)server->certificate,
                                (unsigned)strlen(server->certificate)};
  gnutls_datum_t key = {(unsigned char *)server->key, (unsigned)strlen(server->key)};
  int status =
      gnutls_certificate_set_x509_key_mem(credentials, &certificate, &key, GNUTLS_X509_FMT_PEM);
  gnutls_certificate_free_credentials(credentials);
  if (status >= 0) return true;
  const char *name = fault(&certificate, &key, &status);
  snprintf(error, error_size, "cannot use the TLS %s: %s", name, gnutls_strerror(status));
  return false;
}

bool http_tls_start(http_server *server, char *error, size_t error_size) {
  gnutls_datum_t key;
  if (!server->certificate) return true;
  if (!check_pair(server, error, error_size)) return false;
  if (gnutls_session_ticket_key_generate(&key) != GNUTLS_E_SUCCESS) return false;
  server->ticket_key = key.data;
  server->ticket_key_size = key.size;
  return true;
}

void http_tls_end(http_server *server) {
  if (!server->ticket_key) return;
  explicit_bzero(server->ticket_key, server->ticket_key_size);
  gnutls_free(server->ticket_key);
}

void *http_tls_begin(const http_server *server, struct MHD_Connection *mhd) {
  if (!server->ticket_key) return NULL;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (!info) return NULL;
  // What is sealed with it cannot be read for long: GnuTLS derives another key every few hours.
  gnutls_datum_t key = {server->ticket_key, server->ticket_key_size};
  (void)gnutls_session_ticket_enable_server(info->tls_session, &key);
  return info->tls_session;
}

void http_tls_say(void *session, const char *text, size_t count) {
  // libmicrohttpd has nothing to send meanwhile, and says goodbye when it closes. What does not go out at once
  // never does.
  (void)gnutls_record_send(session, text, count);
}

uint64_t http_tls_count_records(void *session) {
  uint8_t number[8] = {0};
  uint64_t count = 0;
  (void)gnutls_record_get_state(session, 1, NULL, NULL, NULL, number);
  for (size_t i = 0; i < sizeof number; i++) count = count << 8 | number[i];
  return count;
}

uint64_t http_tls_first_record(void *session) {
  // The client's last word of the handshake: TLS 1.3 has other keys from then on.
  return gnutls_protocol_get_version(session) == GNUTLS_TLS1_3 ? 0 : 1;
}

unsigned http_tls_awaits(void *session) {
  return gnutls_record_get_direction(session) == 1 ? EPOLLOUT : EPOLLIN;
}

bool http_tls_has_begun(void *session) {
  // There is none until hands are shaken.
  char *description = gnutls_session_get_desc(session);
  bool has_begun = description != NULL;
  gnutls_free(description);
  return has_begun;
}
