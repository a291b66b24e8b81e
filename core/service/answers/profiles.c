/* SPDX-License-Identifier: MIT */
/* Adds names to the locations of an exported profile, and writes it for the next collector. */
#include "parts.h"
#include "remote_symbols.h"

#include "base/wire.h"
#include "unpack/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char protobuf_type[] = "application/x-protobuf", json_type[] = "application/json";

/* Codes of google.rpc.Status, which OTLP uses for errors. */
enum { CODE_INVALID = 3, CODE_TOO_LARGE = 8, CODE_UNAVAILABLE = 14 };

static unsigned choose_code(unsigned status)
{
	if (status >= SERVICE_FAILED)
		return CODE_UNAVAILABLE;
	return status == SERVICE_TOO_LARGE ? CODE_TOO_LARGE : CODE_INVALID;
}

static void give_bytes(struct byte_buffer *bytes, struct service_answer *answer)
{
	answer->body = (char *)bytes->data;
	answer->size = bytes->size;
	bytes->data = NULL;
}

/* message Status { int32 code = 1; string message = 2; } */
static void write_status(unsigned code, const char *why, struct service_answer *answer)
{
	struct byte_buffer out = { .limit = 4096 };

	wire_buffer_number(&out, 1, code);
	wire_buffer_bytes(&out, 2, (struct cairn_bytes){ (const uint8_t *)why, strlen(why) });
	give_bytes(&out, answer);
	byte_buffer_finish(&out);
}

static void write_json_status(unsigned code, const char *why, struct service_answer *answer)
{
	struct answer_body body;

	if (!answer_body_begin(&body, 0, NULL, answer))
		return;
	json_object(&body.json, NULL);
	json_number(&body.json, "code", code);
	json_string(&body.json, "message", why);
	json_end(&body.json);
	answer_body_end(&body, answer);
}

void service_profiles_refuse(bool is_json, unsigned status, const char *why,
                             struct service_answer *answer)
{
	*answer = (struct service_answer){ .status = status };
	if (is_json)
		write_json_status(choose_code(status), why, answer);
	else
		write_status(choose_code(status), why, answer);
	answer->status = status;
	answer->type = is_json ? json_type : protobuf_type;
	answer->why = why;
}

/* Answer that all profiles were accepted: a response without partial_success. */
static void take_profiles(bool is_json, struct service_answer *answer)
{
	struct byte_buffer out = { .limit = 2 };

	if (is_json)
		byte_buffer_bytes(&out, "{}", 2);
	*answer = (struct service_answer){ .status = SERVICE_OK,
		                           .type = is_json ? json_type : protobuf_type };
	give_bytes(&out, answer);
	byte_buffer_finish(&out);
}

static struct cairn_bytes give_whole_body(void *context)
{
	struct cairn_bytes *left = context;
	const struct cairn_bytes piece = *left;

	left->size = 0;
	return piece;
}

static const char *unpack_all(struct unpack_pieces *pieces, size_t limit, struct byte_buffer *out)
{
	enum { PIECE = 1 << 16 };
	size_t got = PIECE;

	out->limit = limit;
	while (got == PIECE) {
		uint8_t *at = byte_buffer_extend(out, PIECE);
		if (!at)
			return "the profile is larger than 64 MiB when it is unpacked";
		got = unpack_pieces_read(pieces, at, PIECE);
		out->size -= PIECE - got;
	}
	return pieces->end.status == CAIRN_OK ? NULL : "the body is not sound gzip";
}

/* Decompress *body into *out if it is compressed. Returns NULL, or the reason of a failure. */
static const char *unpack_body(struct cairn_bytes *body, struct byte_buffer *out)
{
	const struct unpack_method *method = unpack_find_method(*body);
	struct unpack_pieces pieces;
	struct cairn_fault fault;
	struct cairn_bytes left = *body;

	if (!method)
		return NULL;
	if (method != &unpack_gzip ||
	    unpack_pieces_open(&pieces, method, give_whole_body, &left, &fault) != CAIRN_OK)
		return "the body is packed in another way than gzip";
	const char *why = unpack_all(&pieces, SERVICE_PROFILE_MAX, out);
	unpack_pieces_close(&pieces);
	*body = byte_buffer_view(out);
	return why;
}

static int take_bytes(void *context, const void *bytes, size_t size)
{
	struct byte_buffer *out = context;

	byte_buffer_bytes(out, bytes, size);
	return out->failed ? ENOMEM : 0;
}

static enum cairn_status write_profile(const struct cairn_profile *profile, bool is_json,
                                       struct byte_buffer *out, struct cairn_fault *fault)
{
	const struct cairn_profile_output output = { .write = take_bytes, .context = out };

	out->limit = (size_t)4 * SERVICE_PROFILE_MAX;
	return cairn_profile_write(profile, is_json ? CAIRN_PROFILE_OTLP_JSON : CAIRN_PROFILE_OTLP,
	                           &output, fault);
}

static void name_profile(const struct query_asker *asker, struct cairn_profile *profile,
                         bool is_json, struct service_answer *answer)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct byte_buffer out = { .size = 0 };
	struct remote_symbols *remote = malloc(sizeof(*remote));
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (remote && remote_symbols_open(asker, remote)) {
		status = cairn_profile_symbolize(profile, remote->symbolizer, 0);
		if (status == CAIRN_OK)
			status = write_profile(profile, is_json, &out, &fault);
		if (status == CAIRN_OK && remote->outcome == QUERY_LATE)
			status = CAIRN_UNREADABLE;
		remote_symbols_close(remote);
	}
	free(remote);
	*answer = (struct service_answer){ .status = SERVICE_OK,
		                           .type = is_json ? json_type : protobuf_type };
	if (status == CAIRN_OK)
		give_bytes(&out, answer);
	else if (status == CAIRN_UNSUPPORTED)
		service_profiles_refuse(is_json, SERVICE_TOO_LARGE, fault.what, answer);
	else
		service_profiles_refuse(is_json, SERVICE_TRY_AGAIN,
		                        status == CAIRN_UNREADABLE
		                                ? "the files of symbols took longer to read than a "
		                                  "request may wait: try again"
		                                : "out of memory",
		                        answer);
	byte_buffer_finish(&out);
}

static void answer_profile(const struct query_asker *asker, struct cairn_bytes body, bool is_json,
                           struct service_answer *answer)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct cairn_profile *profile;
	const enum cairn_status status =
		cairn_profile_open(body, CAIRN_PROFILE_GUESSED, &profile, &fault);

	if (status == CAIRN_NO_MEMORY) {
		service_profiles_refuse(is_json, SERVICE_TRY_AGAIN, "out of memory", answer);
		return;
	}
	if (status != CAIRN_OK) {
		service_profiles_refuse(is_json, SERVICE_BAD, fault.what, answer);
		return;
	}
	if (cairn_profile_format(profile) !=
	    (is_json ? CAIRN_PROFILE_OTLP_JSON : CAIRN_PROFILE_OTLP))
		service_profiles_refuse(
			is_json, SERVICE_BAD_TYPE,
			"the body is no profile of OpenTelemetry in the encoding that "
			"Content-Type names",
			answer);
	else
		name_profile(asker, profile, is_json, answer);
	cairn_profile_close(profile);
}

/* Answer a request; an empty message is a request without profiles. */
void service_profiles(const struct query_asker *asker, struct cairn_bytes body, bool is_json,
                      struct service_answer *answer)
{
	struct byte_buffer unpacked = { .size = 0 };
	const char *why = unpack_body(&body, &unpacked);

	if (why)
		service_profiles_refuse(is_json, unpacked.failed ? SERVICE_TOO_LARGE : SERVICE_BAD,
		                        why, answer);
	else if (body.size == 0)
		take_profiles(is_json, answer);
	else
		answer_profile(asker, body, is_json, answer);
	byte_buffer_finish(&unpacked);
}
