/* SPDX-License-Identifier: MIT */
/* Files of several messages of OpenTelemetry's profiles: each has its length before it, in four bytes, the highest first. */
#include "profile.h"

#include "base/reader.h"

bool cairn_profile_next_message(struct cairn_bytes *rest, struct cairn_bytes *message)
{
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

/* The first length of a message that is alone would be far past its end. */
bool cairn_profile_is_stream(struct cairn_bytes bytes)
{
	struct cairn_bytes message;

	return cairn_profile_next_message(&bytes, &message) && message.size > 0 &&
	       otlp_guess(message) != OTLP_UNKNOWN;
}
