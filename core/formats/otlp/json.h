/* SPDX-License-Identifier: MIT */
/*
 * Translates OpenTelemetry profiles from JSON, as written by its collector, to Protocol Buffers:
 * version 1.11, or 1.8 if there are comments. docs/formats/otlp.md has the rules.
 *
 *	const enum otlp_version version = otlp_json_version(text);
 *	struct sink out = sink_open(NULL, 0);
 *	status = otlp_json_translate(text, version, &out, &unknown, &fault);
 *	if (status == CAIRN_OK)
 *		... the same again, with a buffer of out.size bytes
 */
#ifndef CAIRN_FORMATS_OTLP_JSON_H
#define CAIRN_FORMATS_OTLP_JSON_H

#include "otlp.h"

#include "base/byte_buffer.h"

#include <cairn.h>

/*
 * Return the version by names that only older versions have: 1.5 (or 1.6) and 1.7, which cannot be
 * translated, and 1.8 with comments; otherwise 1.10. Reading stops at the first error.
 */
enum otlp_version otlp_json_version(struct cairn_bytes text);

/*
 * Write the message. The first call, with a sink without capacity, computes an upper bound of its
 * size; after the second call out->size is the actual size. *unknown is the number of unknown
 * members; they are omitted with their contents. Return CAIRN_MALFORMED, CAIRN_TRUNCATED, or
 * CAIRN_UNSUPPORTED for objects that are nested too deeply. The fault has the offset in the JSON
 * text.
 */
CAIRN_MUST_USE enum cairn_status otlp_json_translate(struct cairn_bytes text,
                                                     enum otlp_version version, struct sink *out,
                                                     uint64_t *unknown, struct cairn_fault *fault);

/*
 * Writes an OpenTelemetry profiles message, version 1.10 or 1.11, as JSON; the inverse of json.h.
 *
 *	struct otlp_json_output json = { .put = put_piece, .context = context };
 *	if (otlp_json_write(bytes, &json, &fault) == CAIRN_OK)
 *		... the object was put, and json.unknown fields were left out
 */

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
