/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as OpenTelemetry's JSON: one object, and a file of several. Always: the message takes no more than was counted, is
 * sound, and is the same again, and a fault lies in the text; the messages of a file are the file; a profile that is opened is
 * written as the message that its text has become; JSON that is made of the message has all of it, and becomes itself again.
 */
#include "fuzz.h"

#include "base/wire.h"
#include "formats/otlp/json.h"

#include <string.h>

static int take(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) != size;
}

static void put_piece(void *context, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, context);
}

static void check_sound(struct cairn_bytes message)
{
	struct wire_field field;

	while (wire_next(&message, &field))
		ALWAYS(field.type == WIRE_BYTES && field.number <= 2);
	ALWAYS(message.size == 0);
}

/* The message, in memory of its own; false: there is none. */
static bool translate(struct cairn_bytes text, struct sink *out)
{
	struct sink counted = sink_open(NULL, 0);
	struct cairn_fault fault = { .what = NULL };
	uint64_t first = 0, second = 0;

	const enum otlp_version version = otlp_json_version(text);
	if (otlp_json_translate(text, version, &counted, &first, &fault) != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= text.size);
		return false;
	}
	uint8_t *memory = malloc(counted.size + 1);
	ALWAYS(memory);
	*out = sink_open(memory, counted.size);
	if (otlp_json_translate(text, version, out, &second, &fault) == CAIRN_OK) {
		ALWAYS(out->size <= counted.size && first == second);
		return true;
	}
	ALWAYS(fault.what && fault.offset <= text.size);
	free(memory);
	return false;
}

static void check_profile(struct cairn_bytes text, struct cairn_bytes message)
{
	char *written = NULL;
	size_t size = 0;
	struct cairn_fault fault;
	struct cairn_profile *profile;

	if (cairn_profile_open(text, CAIRN_PROFILE_GUESSED, &profile, &fault) != CAIRN_OK)
		return;
	FILE *out = open_memstream(&written, &size);
	const struct cairn_profile_output output = { take, out, NULL };
	ALWAYS(cairn_profile_write(profile, CAIRN_PROFILE_OTLP, &output, &fault) == CAIRN_OK);
	fclose(out);
	/* what has comments of 1.8 is made another message */
	if (otlp_json_version(text) == OTLP_1_10)
		ALWAYS(size == message.size && memcmp(written, message.data, size) == 0);
	free(written);
	cairn_profile_close(profile);
}

/* The message as JSON; the caller frees it. */
static struct cairn_bytes write_json(struct cairn_bytes message)
{
	char *text = NULL;
	size_t size = 0;
	struct cairn_fault fault;
	FILE *file = open_memstream(&text, &size);
	struct otlp_json_output out = { .put = put_piece, .context = file };

	ALWAYS(otlp_json_write(message, &out, &fault) == CAIRN_OK);
	ALWAYS(out.unknown == 0);
	fclose(file);
	return (struct cairn_bytes){ (const uint8_t *)text, size };
}

static void check_written(struct cairn_bytes message)
{
	const struct cairn_bytes text = write_json(message);
	struct sink again;

	ALWAYS(translate(text, &again));
	ALWAYS(again.size == message.size);
	const struct cairn_bytes same = write_json((struct cairn_bytes){ again.data, again.size });
	ALWAYS(same.size == text.size && memcmp(same.data, text.data, text.size) == 0);
	free(again.data);
	free((void *)same.data);
	free((void *)text.data);
}

static void check_object(struct cairn_bytes text)
{
	struct sink out;

	if (!translate(text, &out))
		return;
	const struct cairn_bytes message = { out.data, out.size };
	check_sound(message);
	if (otlp_json_version(text) == OTLP_1_10)
		check_written(message);
	if (text.data[0] == '{')
		check_profile(text, message);
	free(out.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes rest = { data ? data : (const uint8_t *)"", size }, message;
	const uint8_t *at = rest.data;

	check_object(rest);
	if (size == 0 || data[0] != '{')
		return 0;
	while (cairn_profile_next_message(&rest, &message)) {
		ALWAYS(message.data == at && message.size > 0);
		at += message.size;
		check_object(message);
	}
	ALWAYS(rest.size == 0 && at == data + size);
	return 0;
}
