// The gate: what libmicrohttpd lets through and should not. Everything is decided on raw values,
// before a byte of the body is read. The findings behind each rule were measured with 0.9.75.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

typedef struct {
  unsigned hosts, lengths, encodings;
  const char *length, *encoding;
  bool is_malformed, is_relayed, names_no_host;
  unsigned repeats;  // which fields have come more than once, by http_field
  size_t bytes;      // names, values and 4 for each field
  size_t count;
  const char *next;  // where the next field has to begin
  http_bytes *fields;
} header_census;

const char http_spare_cookie[] = "Cookie";

// What libmicrohttpd takes for a field besides its text, and what it has for a request but for the header of its
// answer: without room for that it closes the connection. (What a client has sent behind the request already
// takes of the same room.)
enum { field_bytes = 64, most_header_bytes = HTTP_CONNECTION_BYTES - 1536 };
_Static_assert(most_header_bytes == 14848, "README, openapi.yaml and the refusal say so");

// Whether a text is a name, which is given in lower case, of letters and hyphens: one bit tells the cases of
// letters apart, and those bytes alone.
static inline bool is_named(const char *text, const char *name, size_t count) {
  unsigned char difference = 0;
  for (size_t i = 0; i < count; i++)
    difference |= (unsigned char)((text[i] | (name[i] == '-' ? 0 : 0x20)) ^ name[i]);
  return difference == 0;
}
#define IS_NAMED(text, text_count, name) \
  ((text_count) == sizeof name - 1 && is_named(text, name, sizeof name - 1))

// How long a value is without the blanks behind it, which libmicrohttpd leaves.
static size_t trimmed(const char *value, size_t count) {
  while (count > 0 && (value[count - 1] == ' ' || value[count - 1] == '\t')) count--;
  return count;
}

// Which field has a name; HTTP_FIELD_COUNT if it is none that is handed over.
static http_field find_field(const char *name, size_t count) {
  if (IS_NAMED(name, count, "content-type")) return HTTP_FIELD_CONTENT_TYPE;
  if (IS_NAMED(name, count, "content-encoding")) return HTTP_FIELD_CONTENT_ENCODING;
  if (IS_NAMED(name, count, "accept")) return HTTP_FIELD_ACCEPT;
  if (IS_NAMED(name, count, "if-match")) return HTTP_FIELD_IF_MATCH;
  if (IS_NAMED(name, count, "if-none-match")) return HTTP_FIELD_IF_NONE_MATCH;
  if (IS_NAMED(name, count, "authorization")) return HTTP_FIELD_AUTHORIZATION;
  if (IS_NAMED(name, count, "origin")) return HTTP_FIELD_ORIGIN;
  if (IS_NAMED(name, count, "access-control-request-method"))
    return HTTP_FIELD_ACCESS_CONTROL_REQUEST_METHOD;
  return HTTP_FIELD_COUNT;
}

// Keeps the value of a field that is handed over, and notes where another line of it says more.
static void keep_field(header_census *census, http_field field, const char *value,
                       size_t value_count) {
  static const uint8_t lost[] = "\"\"";
  value_count = trimmed(value, value_count);
  http_bytes *kept = &census->fields[field];
  if (kept->count > 0) {
    if (value_count > 0 && kept->start != lost) census->repeats |= 1u << field;
    return;
  }
  *kept = (http_bytes){(const uint8_t *)value, value_count};
  // Who sends a condition without a tag has lost it, and must not be taken for one who sends none.
  if (field == HTTP_FIELD_IF_MATCH && value_count == 0) *kept = (http_bytes){lost, 2};
}

typedef struct {
  http_field field;
  char *end;
} field_lines;

static enum MHD_Result append_line(void *context, enum MHD_ValueKind kind, const char *name,
                                   size_t name_count, const char *value, size_t value_count) {
  (void)kind;
  field_lines *lines = context;
  value_count = trimmed(value, value_count);
  if (value_count == 0 || find_field(name, name_count) != lines->field) return MHD_YES;
  memcpy(lines->end, value, value_count);
  memcpy(lines->end + value_count, ", ", 2);
  lines->end += value_count + 2;
  return MHD_YES;
}

// Puts what stands on several lines of one name into one, with commas between (RFC 9110, section 5.3). Of what is
// no list, a key for instance, neither the first nor the last counts then: whoever is in front may have looked at
// the other. False if there is no memory.
static bool join_lines(http_exchange *exchange, const header_census *census) {
  // Names and what is counted for each line take more than the commas do.
  exchange->joined = malloc(census->bytes);
  if (!exchange->joined) return false;
  field_lines lines = {.end = exchange->joined};
  for (unsigned i = 0; i < HTTP_FIELD_COUNT; i++) {
    if (!(census->repeats & 1u << i)) continue;
    const char *start = lines.end;
    lines.field = (http_field)i;
    MHD_get_connection_values_n(exchange->mhd, MHD_HEADER_KIND, append_line, &lines);
    census->fields[i] = (http_bytes){(const uint8_t *)start, (size_t)(lines.end - start) - 2};
  }
  return true;
}

// What a byte is good for.
enum { IN_TOKEN = 1, IN_PATH = 2, IN_PLAIN_PATH = 4, IN_HOST = 8 };
#define PLAIN (IN_TOKEN | IN_PATH | IN_PLAIN_PATH)
#define NAME (PLAIN | IN_HOST)
#define SEPARATOR (IN_PATH | IN_PLAIN_PATH)
#define DELIMITER (SEPARATOR | IN_HOST)
static const unsigned char byte_class[256] = {
    ['0' ... '9'] = NAME, ['A' ... 'Z'] = NAME, ['a' ... 'z'] = NAME,
    ['!'] = NAME, ['#'] = PLAIN, ['$'] = NAME, ['&'] = NAME, ['\''] = NAME, ['*'] = NAME,
    ['+'] = NAME, ['-'] = NAME, ['^'] = PLAIN, ['_'] = NAME, ['`'] = PLAIN, ['|'] = PLAIN,
    ['~'] = NAME,
    // Dots and percent signs say more than themselves in a path.
    ['%'] = IN_TOKEN | IN_PATH | IN_HOST, ['.'] = IN_TOKEN | IN_PATH | IN_HOST,
    // The rest of visible ASCII.
    ['"'] = SEPARATOR, ['('] = DELIMITER, [')'] = DELIMITER, [','] = DELIMITER,
    ['/'] = SEPARATOR, [':'] = DELIMITER, [';'] = DELIMITER, ['<'] = SEPARATOR,
    ['='] = DELIMITER, ['>'] = SEPARATOR, ['?'] = SEPARATOR, ['@'] = SEPARATOR,
    ['['] = DELIMITER, ['\\'] = SEPARATOR, [']'] = DELIMITER, ['{'] = SEPARATOR,
    ['}'] = SEPARATOR,
};

// Whether all bytes are in a class.
static bool are_all(const char *text, size_t count, unsigned char class) {
  unsigned char all = class;
  for (size_t i = 0; i < count; i++) all &= byte_class[(unsigned char)text[i]];
  return all == class;
}

static bool is_token(const char *name, size_t count) {
  return count > 0 && are_all(name, count, IN_TOKEN);
}

// Whether a line ended here with CR LF. libmicrohttpd has overwritten both, or a LF alone, with 0. Where that
// stands beside a NUL, or beside the colon of a line that begins with it, which is overwritten too and ends the
// header for it, nobody can tell what was sent: proxies pass on neither.
static bool is_line_end(const char *text) { return text[0] == 0 && text[1] == 0; }

// Whether a field is all there was of its line, and its line follows the one before. If not, then
// libmicrohttpd has read something else than what was sent: a value ends at a NUL, a line at a bare
// LF, the header at a line that begins with NUL, and a folded line moves the name elsewhere. Who is
// in front may have read it otherwise, and so take one request for two.
static bool is_whole_line(header_census *census, const char *name, size_t name_count,
                          const char *value, size_t value_count) {
  if (name != census->next) return false;
  for (const char *gap = name + name_count + 1; gap < value; gap++)
    if (*gap != ' ' && *gap != '\t') return false;
  census->next = value + value_count + 2;
  return is_line_end(value + value_count);
}

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    size_t name_count, const char *value, size_t value_count) {
  (void)kind;
  if (name == http_spare_cookie) return MHD_YES;
  header_census *census = context;
  census->bytes += name_count + value_count + 4;
  census->count++;
  if (!value || !is_whole_line(census, name, name_count, value, value_count)) {
    census->is_malformed = true;
    return MHD_NO;
  }
  http_field field;
  if (IS_NAMED(name, name_count, "host")) {
    census->hosts++;
    census->names_no_host = !are_all(value, trimmed(value, value_count), IN_HOST);
  } else if (IS_NAMED(name, name_count, "content-length")) {
    census->lengths++;
    census->length = value;
  } else if (IS_NAMED(name, name_count, "transfer-encoding")) {
    census->encodings++;
    census->encoding = value;
  } else if (IS_NAMED(name, name_count, "via")) {
    census->is_relayed = true;
  } else if ((field = find_field(name, name_count)) != HTTP_FIELD_COUNT) {
    keep_field(census, field, value, value_count);
  } else if (!is_token(name, name_count)) {
    census->is_malformed = true;
    return MHD_NO;
  }
  return MHD_YES;
}

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Whether a raw path says the same to everybody on the way: no encoded separators, no dot segments.
static const char *path_fault(const char *path, size_t count) {
  if (count == 0 || path[0] != '/') return "the request target must be a path";
  if (are_all(path, count, IN_PLAIN_PATH)) return NULL;
  size_t segment = 0, dots = 0;  // bytes of the segment, and how many of them are dots
  for (size_t i = 0; i <= count; i++) {
    unsigned char c = i < count ? (unsigned char)path[i] : '/';
    if (!(byte_class[c] & IN_PATH)) return "the path holds a byte that must be percent-encoded";
    if (c == '/') {
      if (segment > 0 && segment == dots && dots <= 2) return "the path has a dot segment";
      segment = dots = 0;
      continue;
    }
    if (c == '%') {
      int high = i + 2 < count ? hex(path[i + 1]) : -1;
      int low = i + 2 < count ? hex(path[i + 2]) : -1;
      if (high < 0 || low < 0) return "the path has a malformed percent-encoding";
      c = (unsigned char)(high << 4 | low);
      if (c == 0 || c == '/' || c == '\\') return "the path has an encoded separator";
      i += 2;
    }
    segment++;
    if (c == '.') dots++;
  }
  return NULL;
}

// A length: digits only. One that is too long for a number is longer than any body may be.
static bool parse_length(const char *text, uint64_t *length) {
  if (*text == 0) return false;
  uint64_t value = 0;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    value = value < UINT64_MAX / 10 ? value * 10 + (uint64_t)(*text - '0') : UINT64_MAX;
  }
  *length = value;
  return true;
}

static http_method find_method(const char *name, size_t count) {
#define IS(text) (memcmp(name, text, sizeof text - 1) == 0)
  switch (count) {
    case 3: return IS("GET") ? HTTP_METHOD_GET : IS("PUT") ? HTTP_METHOD_PUT : HTTP_METHOD_OTHER;
    case 4: return IS("POST") ? HTTP_METHOD_POST : IS("HEAD") ? HTTP_METHOD_HEAD : HTTP_METHOD_OTHER;
    case 5: return IS("PATCH") ? HTTP_METHOD_PATCH : HTTP_METHOD_OTHER;
    case 6: return IS("DELETE") ? HTTP_METHOD_DELETE : HTTP_METHOD_OTHER;
    case 7: return IS("OPTIONS") ? HTTP_METHOD_OPTIONS : HTTP_METHOD_OTHER;
    default: return HTTP_METHOD_OTHER;
  }
#undef IS
}

// Whether the request line was "method SP target SP version CR LF", no byte more or less: a NUL
// would have cut one of them.
static bool is_whole_request_line(const http_exchange *exchange, const char *method,
                                  size_t method_count, const char *version, const char *end) {
  const char *target_end =
      exchange->read_target + exchange->origin_count + exchange->target_count;
  return exchange->read_target == method + method_count + 1 && version == target_end + 1 &&
         is_line_end(end);
}

// Whether the header ended where the last field did, and holds no CR but those of its line ends.
static bool is_whole_header(const char *method, size_t size, const char *next) {
  return method + size == next + 2 && is_line_end(next) && !memchr(method, '\r', size);
}

static unsigned refuse(http_gate_result *result, unsigned status, const char *detail) {
  result->detail = detail;
  return status;
}

// What is wrong with the request line, whose version ends at `end`.
static unsigned check_target(const http_exchange *exchange, const char *method, size_t method_count,
                             const char *version, const char *end, http_gate_result *result) {
  const char *target = exchange->target;
  size_t count = exchange->target_count;
  if (count > exchange->loop->server->options.max_target_bytes)
    return refuse(result, 414, "the URL is longer than --max-url-bytes allows");
  if (!is_token(method, method_count)) return refuse(result, 400, "the method is malformed");
  if (!is_whole_request_line(exchange, method, method_count, version, end))
    return refuse(result, 400, "the request line is malformed");
  size_t path_count = exchange->path_count;
  // Balancers ask so whether anybody is there (RFC 9110, section 9.3.7).
  bool is_for_all =
      exchange->request.method == HTTP_METHOD_OPTIONS && count == 1 && target[0] == '*';
  const char *fault = is_for_all ? NULL : path_fault(target, path_count);
  if (fault) return refuse(result, 400, fault);
  if (!are_all(target + path_count, count - path_count, IN_PATH))
    return refuse(result, 400, "the query holds a byte that must be percent-encoded");
  return 0;
}

const char http_body_is_too_long[] =
    "the body is longer than --max-body-mib allows, or than 16 KiB where none is asked for";

bool http_takes_body(const http_request *request) {
  return request->method == HTTP_METHOD_POST || request->method == HTTP_METHOD_PUT ||
         request->method == HTTP_METHOD_PATCH;
}

size_t http_longest_body(const http_exchange *exchange) {
  size_t longest = exchange->loop->server->options.max_body_bytes;
  if (http_takes_body(&exchange->request) || longest < HTTP_SHORT_BODY_BYTES) return longest;
  return HTTP_SHORT_BODY_BYTES;
}

unsigned http_gate(http_exchange *exchange, const char *method, const char *version,
                   http_gate_result *result) {
  http_request *request = &exchange->request;
  const http_options *options = &exchange->loop->server->options;
  size_t method_count = strlen(method);
  request->method = find_method(method, method_count);
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(exchange->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  *result = (http_gate_result){.header_size = info ? info->header_size : 0};
  size_t version_count = strlen(version);
  const char *end = version + version_count;
  header_census census = {.fields = request->fields, .next = end + 2};
  // Before anything is refused: a page may read a refusal if its origin is known.
  MHD_get_connection_values_n(exchange->mhd, MHD_HEADER_KIND, count_header, &census);
  exchange->is_relayed = census.is_relayed;
  unsigned status = check_target(exchange, method, method_count, version, end, result);
  if (status) return status;
  if (census.bytes > options->max_header_bytes)
    return refuse(result, 431, "the header fields are longer than --max-header-bytes allows");
  if (result->header_size + census.count * field_bytes > most_header_bytes)
    return refuse(result, 431, "the header, with 64 bytes for each of its fields, is longer than 14,848 bytes");
  if (census.is_malformed || !is_whole_header(method, result->header_size, census.next))
    return refuse(result, 400, "a header field is malformed");
  // HTTP/1.0 knew no Host, and no chunks.
  bool is_old = version_count == 8 && memcmp(version, "HTTP/1.0", 8) == 0;
  if (census.hosts > 1 || (census.hosts == 0 && !is_old))
    return refuse(result, 400, "a request needs exactly one Host");
  if (census.names_no_host) return refuse(result, 400, "Host is malformed");
  if (census.lengths > 1 || census.encodings > 1 || (census.lengths && census.encodings))
    return refuse(result, 400, "the length of the body is given more than once");
  if (census.encodings && (is_old || strcasecmp(census.encoding, "chunked") != 0))
    return refuse(result, 400, "the only transfer encoding is chunked");
  if (census.lengths && !parse_length(census.length, &result->length))
    return refuse(result, 400, "Content-Length is malformed");
  result->is_chunked = census.encodings > 0;
  // Without either there is no body (RFC 9112, section 6.3); whether one is needed the handler knows.
  request->has_length = census.lengths || census.encodings;
  if (result->length > http_longest_body(exchange))
    return refuse(result, 413, http_body_is_too_long);
  if (census.repeats && !join_lines(exchange, &census))
    return refuse(result, 503, "there is no memory for the header fields");
  return 0;
}
