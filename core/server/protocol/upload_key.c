/* SPDX-License-Identifier: MIT */
/* Trims an API key and encodes one that contains a colon in base64. */
#include "upload.h"

#include "base/bytes.h"
#include "base/encoding.h"

#include <string.h>

static bool is_printable(struct cairn_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] <= ' ' || text.data[i] >= 0x7f)
			return false;
	return text.size > 0;
}

/* Encode in base64 with padding, like Elastic's clients. */
static void encode_base64(struct cairn_bytes text, struct sink *out)
{
	char group[4];

	for (size_t at = 0; at < text.size; at += 3) {
		const size_t left = text.size - at;
		base64_encode_group((struct cairn_bytes){ text.data + at, left < 3 ? left : 3 },
		                    group);
		sink_bytes(out, (const uint8_t *)group, sizeof(group));
	}
}

bool upload_key(struct cairn_bytes text, char key[UPLOAD_KEY_MAX])
{
	struct sink out = sink_open(key, UPLOAD_KEY_MAX);

	text = bytes_trim(text, BYTES_WHITE, BYTES_WHITE);
	if (!is_printable(text))
		return false;
	if (memchr(text.data, ':', text.size))
		encode_base64(text, &out);
	else
		sink_bytes(&out, text.data, text.size);
	sink_u8(&out, '\0');
	return sink_fits(&out);
}
