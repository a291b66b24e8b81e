/* SPDX-License-Identifier: MIT */
/*
 * Files with several OpenTelemetry messages. Each message is preceded by its length as a 32-bit
 * big-endian number, or is a JSON object, usually on a line of its own.
 */
#include "profile.h"

#include "base/json_reader.h"

#include <string.h>

/*
 * Return the size of the first object with the white space after it. A damaged object extends to
 * the end of the file, so that opening it reports the damage.
 */
static size_t measure_object(struct cairn_bytes text)
{
	struct json_walk walk = json_walk_open(text);
	struct json_step step;
	bool more = json_walk_next(&walk, &step);

	while (more && walk.depth > 0)
		more = json_walk_next(&walk, &step);
	size_t end = walk.in.at;
	while (end < text.size && text.data[end] && strchr(" \t\r\n", text.data[end]))
		end++;
	return more && end < text.size && text.data[end] == '{' ? end : text.size;
}

static struct cairn_bytes next_object(struct cairn_bytes *rest)
{
	const struct cairn_bytes object = { rest->data, measure_object(*rest) };

	rest->data += object.size;
	rest->size -= object.size;
	return object;
}

bool cairn_profile_next_message(struct cairn_bytes *rest, struct cairn_bytes *message)
{
	if (profile_is_json(*rest)) {
		*message = next_object(rest);
		return true;
	}
	struct reader r = reader_open(*rest, true);
	const uint32_t size = reader_u32(&r);
	const struct cairn_bytes body = reader_bytes(&r, size);

	if (!reader_ok(&r))
		return false;
	*message = body;
	rest->data += r.at;
	rest->size -= r.at;
	return true;
}

/*
 * A single protobuf message is not taken for a stream: its first four bytes, read as a length,
 * would be far past its end.
 */
bool cairn_profile_is_stream(struct cairn_bytes bytes)
{
	struct cairn_bytes message;

	if (profile_is_json(bytes))
		return measure_object(bytes) < bytes.size;
	return cairn_profile_next_message(&bytes, &message) && message.size > 0 &&
	       otlp_guess(message) != OTLP_UNKNOWN;
}
