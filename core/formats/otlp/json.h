/* SPDX-License-Identifier: MIT */
/*
 * OpenTelemetry's profiles in JSON, as its collector writes them: one object, which becomes the message of Protocol Buffers
 * that it stands for, in version 1.11, or in 1.8 if it has comments. docs/formats/otlp.md has the rules.
 *
 *	const enum otlp_version version = otlp_json_version(text);
 *	struct sink out = sink_open(NULL, 0);
 *	status = otlp_json_translate(text, version, &out, &unknown, &fault);
 *	if (status == CAIRN_OK)
 *		... the same again, with a buffer of out.size bytes
 */
#ifndef CAIRN_FORMATS_OTLP_JSON_H
#define CAIRN_FORMATS_OTLP_JSON_H

#include "base/sink.h"
#include "otlp.h"

#include <cairn.h>

/*
 * Return the version by names that only older versions have: 1.5 (or 1.6) and 1.7, which cannot be translated, 1.8 with comments, or 1.10.
 * Reads up to the first damage.
 */
enum otlp_version otlp_json_version(struct cairn_bytes text);

/*
 * Writes the message. The first time, without room, what is counted is as much as it takes at most; the second time out->size is
 * its size. *unknown is the number of members that no field is known for: they are left out, with all that is in them.
 * Returns MALFORMED, TRUNCATED, or UNSUPPORTED if objects are too deep in each other, with the place in the text.
 */
CAIRN_MUST_USE enum cairn_status otlp_json_translate(struct cairn_bytes text,
                                                     enum otlp_version version, struct sink *out,
                                                     uint64_t *unknown, struct cairn_fault *fault);

#endif
