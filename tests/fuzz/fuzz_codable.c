/* SPDX-License-Identifier: MIT */
/*
 * Text with JSON in it.  Always:
 *   - members lie in the text, behind the brace of their object, and a fault lies in the text;
 *   - an object takes some bytes, so that there are fewer objects than bytes;
 *   - base64 fits the room that was foreseen, and does not change when it is read once more;
 *   - hexadecimal digits make half as many bytes.
 */
#include "fuzz.h"

#include "base/encoding.h"
#include "formats/codable.h"

#include <string.h>

static void check_base64(struct cairn_bytes text)
{
	size_t capacity = base64_capacity(text);
	uint8_t *bytes = malloc(capacity), *again = malloc(capacity);

	ALWAYS(bytes && again);
	struct base64_result first = base64_decode(text, bytes);
	struct base64_result second = base64_decode(text, again);
	ALWAYS(first.size <= capacity && first.offset <= text.size);
	ALWAYS(first.size == second.size && memcmp(bytes, again, first.size) == 0);
	ALWAYS(first.offset == 0 || first.problems & BASE64_DAMAGED);
	free(bytes);
	free(again);
}

static void check_hex(struct cairn_bytes text)
{
	uint8_t *bytes = malloc(text.size / 2 + 1);
	size_t size = 0, at = 0;

	ALWAYS(bytes != NULL);
	if (hex_decode(text, bytes, &size, &at))
		ALWAYS(size <= text.size / 2);
	else
		ALWAYS(at <= text.size);
	free(bytes);
}

static void check_member(struct cairn_bytes text, size_t object,
                         const struct codable_member *member)
{
	if (!member->there)
		return;
	size_t at = (size_t)(member->text.data - text.data);
	ALWAYS(at > object && at <= text.size && member->text.size <= text.size - at);
	check_base64(member->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes text = { data ? data : (const uint8_t *)"", size };
	struct codable_object object;
	struct codable in;
	size_t count = 0;

	codable_open(&in, text);
	while (codable_next(&in, &object)) {
		ALWAYS(object.offset < size && ++count <= size);
		ALWAYS(object.backtrace.there || object.image_map.there);
		check_member(text, object.offset, &object.architecture);
		check_member(text, object.offset, &object.backtrace);
		check_member(text, object.offset, &object.image_map);
	}
	ALWAYS(in.fault.status == CAIRN_OK || in.fault.offset < size);
	check_base64(text);
	check_hex(text);
	return 0;
}
