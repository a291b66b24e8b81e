/* SPDX-License-Identifier: MIT */
/*
 * Translates a JSON profile to the equivalent protobuf message. The first pass measures the message
 * and the second writes it.
 */
#include "profile.h"

#include "base/error.h"

#include "formats/otlp/json.h"

enum cairn_status profile_translate_json(struct cairn_bytes text, struct cairn_profile *p,
                                         struct cairn_fault *fault)
{
	struct sink out = sink_open(NULL, 0);
	const enum otlp_version version = otlp_json_version(text);
	enum cairn_status status = otlp_json_translate(text, version, &out, &p->left_out, fault);

	if (status != CAIRN_OK)
		return status;
	p->translated = malloc(out.size > 0 ? out.size : 1);
	if (!p->translated) {
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	}
	out = sink_open(p->translated, out.size);
	status = otlp_json_translate(text, version, &out, &p->left_out, fault);
	p->otlp = version;
	p->bytes = (struct cairn_bytes){ p->translated, out.size };
	return status;
}
