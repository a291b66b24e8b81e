/* SPDX-License-Identifier: MIT */
/*
 * Translates OpenTelemetry profiles from JSON, as written by the OpenTelemetry Collector, to
 * Protocol Buffers. The output has version 1.11, or 1.8 if the input has comments.
 * docs/formats/otlp.md describes the translation.
 *
 *	const enum otlp_version version = otlp_json_version(text);
 *	struct sink out = sink_open(NULL, 0);
 *	status = otlp_json_translate(text, version, &out, &unknown, &fault);
 *	if (status == CAIRN_OK)
 *		... repeat the call with a buffer of out.size bytes
 */
#ifndef CAIRN_FORMATS_OTLP_JSON_H
#define CAIRN_FORMATS_OTLP_JSON_H

#include "otlp.h"

#include "base/byte_buffer.h"

#include <cairn.h>

/*
 * Detect the version by members that only older versions have: 1.5 (or 1.6) and 1.7, which cannot
 * be translated, and 1.8 with comments. Return 1.10 if the text contains no such member. Reading
 * stops at the first error.
 */
enum otlp_version otlp_json_version(struct cairn_bytes text);

/*
 * Translate the profiles in `text`. Call this function twice. With a sink that has no capacity, it
 * sets out->size to an upper bound for the size of the message. With a buffer of that size, it
 * writes the message and sets out->size to the actual size. Unknown members are omitted with their
 * contents and counted in *unknown. Return CAIRN_MALFORMED, CAIRN_TRUNCATED, or CAIRN_UNSUPPORTED
 * for objects that are nested too deeply. The fault has the offset in the JSON text.
 */
CAIRN_MUST_USE enum cairn_status otlp_json_translate(struct cairn_bytes text,
                                                     enum otlp_version version, struct sink *out,
                                                     uint64_t *unknown, struct cairn_fault *fault);

/*
 * Writes an OpenTelemetry profiles message, version 1.10 or 1.11, as JSON.
 *
 *	struct otlp_json_output json = { .put = put_piece, .context = context };
 *	if (otlp_json_write(bytes, &json, &fault) == CAIRN_OK)
 *		... the object was written, and json.unknown fields were omitted
 */

struct otlp_json_output {
	/* called with consecutive pieces of the output */
	void (*put)(void *context, const void *bytes, size_t size);
	void *context;
	/*
	 * number of fields omitted, because they have no JSON member or a value of the wrong type
	 */
	uint64_t unknown;
};

/*
 * Write one object without white space. Return CAIRN_MALFORMED if a field is damaged, and
 * CAIRN_UNSUPPORTED if a message occurs twice where only one is allowed, or if messages are nested
 * too deeply. The fault has the offset in the message.
 */
CAIRN_MUST_USE enum cairn_status otlp_json_write(struct cairn_bytes message,
                                                 struct otlp_json_output *out,
                                                 struct cairn_fault *fault);

#endif
