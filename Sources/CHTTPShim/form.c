// Answers in the form in which others have been sent.
//
// A response of libmicrohttpd with a type and a tag takes seven allocations and several looks at each
// of its texts: a twentieth of what a tick of a slow scroll takes, the kernel's part included. Its
// length is fixed for good, but its bytes are where they are handed over: as soon as nobody is sent
// them any more, the next answer that is as long, of the same type and with the same tag, is written
// there.

#include <stdlib.h>
#include <string.h>

#include "internal.h"

// Longer answers differ in length, and take longer than their form.
static const size_t longest = 1024;

// Where the form of such an answer is, if there is one.
static http_form *place(http_loop *loop, const http_reply *reply) {
  uint64_t hash = reply->count;
  for (const char *it = reply->tag; *it; it++) hash = hash * 31 + (uint8_t)*it;
  return &loop->forms[hash * 0x9E3779B97F4A7C15u >> 56];
}

static bool suits(const http_form *form, const http_reply *reply) {
  return form->response && form->count == reply->count &&
         form->content_type == reply->content_type && form->is_read == reply->is_read &&
         strcmp(form->tag, reply->tag) == 0;
}

static void end(http_form *form) {
  if (form->response) MHD_destroy_response(form->response);
  free(form->body);
  form->response = NULL;
  form->body = NULL;
}

// Makes a form for such an answer instead of what was there; false if there is no memory.
static bool renew(http_form *form, const http_reply *reply) {
  end(form);
  form->body = malloc(reply->count);
  if (!form->body) return false;
  form->response =
      MHD_create_response_from_buffer(reply->count, form->body, MHD_RESPMEM_PERSISTENT);
  if (!form->response ||
      !http_response_describe(form->response, reply->content_type, reply->tag, reply->is_read)) {
    end(form);
    return false;
  }
  form->count = reply->count;
  form->content_type = reply->content_type;
  form->is_read = reply->is_read;
  memcpy(form->tag, reply->tag, sizeof form->tag);
  return true;
}

http_form *http_form_take(http_loop *loop, const http_reply *reply) {
  bool has_body = reply->body && reply->count > 0;
  if (!has_body || reply->count > longest || reply->field_count > 0) return NULL;
  http_form *form = place(loop, reply);
  if (form->is_used || (!suits(form, reply) && !renew(form, reply))) return NULL;
  memcpy(form->body, reply->body, reply->count);
  form->is_used = true;
  return form;
}

void http_forms_end(http_loop *loop) {
  for (unsigned i = 0; i < HTTP_FORMS; i++) end(&loop->forms[i]);
}
