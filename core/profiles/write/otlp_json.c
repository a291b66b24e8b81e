/* SPDX-License-Identifier: MIT */
/*
 * Writes an OpenTelemetry profile as JSON, after building the complete protobuf message in memory.
 */
#include "write.h"

#include "formats/otlp/json.h"

static int append_bytes(void *context, const void *bytes, size_t size)
{
	byte_buffer_bytes(context, bytes, size);
	return 0;
}

static void put_piece(void *context, const void *bytes, size_t size)
{
	writer_bytes(context, bytes, size);
}

static void ignore_piece(void *context, const void *bytes, size_t size)
{
	(void)context;
	(void)bytes;
	(void)size;
}

static enum cairn_status make_message(const struct cairn_profile *profile,
                                      struct byte_buffer *message)
{
	const struct cairn_profile_output output = { append_bytes, message, NULL };
	struct profile_writer writer;

	writer_begin(&writer, profile, &output);
	profile_write_otlp(&writer);
	const enum cairn_status status = writer_end(&writer);
	return message->failed ? CAIRN_NO_MEMORY : status;
}

static struct cairn_bytes lend_message(const struct byte_buffer *buffer)
{
	return (struct cairn_bytes){ buffer->data ? buffer->data : (const uint8_t *)"",
		                     buffer->size };
}

enum cairn_status profile_write_otlp_json(struct profile_writer *w, struct cairn_fault *fault)
{
	struct byte_buffer message = { .limit = SIZE_MAX };
	struct otlp_json_output out = { .put = put_piece, .context = w };
	enum cairn_status status = CAIRN_OK;

	w->status = make_message(w->profile, &message);
	if (w->status == CAIRN_OK)
		status = otlp_json_write(lend_message(&message), &out, fault);
	writer_bytes(w, "\n", 1);
	byte_buffer_finish(&message);
	return status;
}

uint64_t cairn_profile_unknown_fields(const struct cairn_profile *profile)
{
	struct otlp_json_output out = { .put = ignore_piece };
	struct byte_buffer message = { .limit = SIZE_MAX };
	struct cairn_fault fault;

	if (profile->otlp != OTLP_UNKNOWN && make_message(profile, &message) == CAIRN_OK &&
	    otlp_json_write(lend_message(&message), &out, &fault) != CAIRN_OK)
		out.unknown = 0;
	byte_buffer_finish(&message);
	return out.unknown;
}
