/* SPDX-License-Identifier: MIT */
/*
 * A message of OpenTelemetry's profiles, in version 1.10 or 1.11, as JSON: the other way of json.h.
 *
 *	struct otlp_json_output out = { .put = put_piece, .context = context };
 *	if (otlp_json_write(bytes, &out, &fault) == CAIRN_OK)
 *		... the object was put, and out.unknown fields were left out
 */
#ifndef CAIRN_FORMATS_OTLP_JSON_WRITE_H
#define CAIRN_FORMATS_OTLP_JSON_WRITE_H

#include <cairn.h>

struct otlp_json_output {
	void (*put)(void *context, const void *bytes, size_t size); /* takes the next piece */
	void *context;
	uint64_t unknown; /* fields that have no member, or whose value is of another kind */
};

/*
 * Puts one object without white space. Returns MALFORMED if a field is damaged, or UNSUPPORTED if a message comes twice where
 * there is room for one, or if messages are too deep in each other, with the place in the message.
 */
CAIRN_MUST_USE enum cairn_status otlp_json_write(struct cairn_bytes message,
                                                 struct otlp_json_output *out,
                                                 struct cairn_fault *fault);

#endif
