/* SPDX-License-Identifier: MIT */
/*
 * Writes an OpenTelemetry profiles message, version 1.10 or 1.11, as JSON; the inverse of json.h.
 *
 *	struct otlp_json_output out = { .put = put_piece, .context = context };
 *	if (otlp_json_write(bytes, &out, &fault) == CAIRN_OK)
 *		... the object was put, and out.unknown fields were left out
 */
#ifndef CAIRN_FORMATS_OTLP_JSON_WRITE_H
#define CAIRN_FORMATS_OTLP_JSON_WRITE_H

#include <cairn.h>

struct otlp_json_output {
	/* callback for the next piece of output */
	void (*put)(void *context, const void *bytes, size_t size);
	void *context;
	uint64_t unknown; /* number of fields without a member, or with a value of the wrong type */
};

/*
 * Write one object without white space. Return CAIRN_MALFORMED if a field is damaged, or
 * CAIRN_UNSUPPORTED if a message occurs twice where only one is allowed, or messages are nested too
 * deeply. The fault has the offset in the message.
 */
CAIRN_MUST_USE enum cairn_status otlp_json_write(struct cairn_bytes message,
                                                 struct otlp_json_output *out,
                                                 struct cairn_fault *fault);

#endif
