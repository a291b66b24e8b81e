/* SPDX-License-Identifier: MIT */
/* Tests the JSON of the command line: each byte at each place of a run, and records of any size. */
#include "output/json.h"
#include "unit.h"

#include <string.h>

enum { ROOM = 4 * JSON_BUFFER };

static char written[ROOM];

static FILE *open_memory(void)
{
	FILE *out = fmemopen(written, sizeof(written), "w");

	memset(written, 0, sizeof(written));
	ck_assert_ptr_nonnull(out);
	return out;
}

/* What a byte is between others of ASCII. */
static void write_expected(uint8_t byte, char text[8])
{
	if (byte == '"' || byte == '\\')
		snprintf(text, 8, "\\%c", byte);
	else if (byte == '\n' || byte == '\t')
		snprintf(text, 8, "\\%c", byte == '\n' ? 'n' : 't');
	else if (byte >= 0x80)
		snprintf(text, 8, "\\ufffd");
	else if (byte < ' ' || byte == 0x7f)
		snprintf(text, 8, "\\u%04x", byte);
	else
		snprintf(text, 8, "%c", byte);
}

START_TEST(escapes_each_byte_at_each_place)
{
	enum { SIZE = 20 };
	char want[64], escaped[8];
	uint8_t text[SIZE];

	for (size_t at = 0; at < SIZE; at++) {
		FILE *out = open_memory();
		struct json json = json_to(out);
		memset(text, 'a', sizeof(text));
		text[at] = (uint8_t)_i;
		json_array(&json, NULL);
		json_text(&json, NULL, (struct cairn_bytes){ text, SIZE });
		json_end(&json);
		fclose(out);
		write_expected((uint8_t)_i, escaped);
		snprintf(want, sizeof(want), "[\"%.*s%s%.*s\"]\n", (int)at, "aaaaaaaaaaaaaaaaaaaa",
		         escaped, (int)(SIZE - 1 - at), "aaaaaaaaaaaaaaaaaaaa");
		ck_assert_str_eq(written, want);
	}
}
END_TEST

START_TEST(takes_values_that_are_json)
{
	FILE *out = open_memory();
	struct json json = json_to(out);

	json_object(&json, NULL);
	json_number(&json, "one", 1);
	json_raw(&json, "two", (struct cairn_bytes){ (const uint8_t *)"{\"a\":[]}", 8 });
	json_array(&json, "list");
	json_raw(&json, NULL, (struct cairn_bytes){ (const uint8_t *)"3", 1 });
	json_raw(&json, NULL, (struct cairn_bytes){ (const uint8_t *)"4", 1 });
	json_end(&json);
	json_end(&json);
	fclose(out);
	ck_assert_str_eq(written, "{\"one\":1,\"two\":{\"a\":[]},\"list\":[3,4]}\n");
}
END_TEST

START_TEST(writes_values)
{
	FILE *out = open_memory();
	struct json json = json_to(out);
	static const uint8_t id[] = { 0xca, 0x1f };

	json_object(&json, NULL);
	json_number(&json, "most", UINT64_MAX);
	json_number(&json, "none", 0);
	json_signed(&json, "least", INT64_MIN);
	json_signed(&json, "one", 1);
	json_address(&json, "start", 0x401000);
	json_hex(&json, "id", (struct cairn_bytes){ id, sizeof(id) });
	json_array(&json, "list");
	json_bool(&json, NULL, true);
	json_null(&json, NULL);
	json_end(&json);
	json_end(&json);
	fclose(out);
	ck_assert_str_eq(written, "{\"most\":18446744073709551615,\"none\":0,"
	                          "\"least\":-9223372036854775808,\"one\":1,\"start\":\"0x401000\","
	                          "\"id\":\"ca1f\",\"list\":[true,null]}\n");
}
END_TEST

/* Texts around the size of the buffer, each in a record of its own, arrive whole and in order. */
START_TEST(passes_on_what_outgrows_the_buffer)
{
	static char text[JSON_BUFFER + 64];

	memset(text, 'x', sizeof(text));
	for (size_t size = JSON_BUFFER - 64; size < JSON_BUFFER + 64; size++) {
		FILE *out = open_memory();
		struct json json = json_to(out);
		json_object(&json, NULL);
		json_number(&json, "n", 7);
		json_text(&json, "t", (struct cairn_bytes){ (const uint8_t *)text, size });
		json_end(&json);
		/* a record is passed on when it ends: others may write then */
		fputs("end", out);
		fclose(out);
		ck_assert_uint_eq(strlen(written), size + strlen("{'n':7,'t':''}\nend"));
		ck_assert_int_eq(strncmp(written, "{\"n\":7,\"t\":\"xxx", 15), 0);
		ck_assert_str_eq(written + strlen(written) - 8, "xx\"}\nend");
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, escapes_each_byte_at_each_place, 0, 256);
	tcase_add_test(tc, writes_values);
	tcase_add_test(tc, takes_values_that_are_json);
	tcase_add_test(tc, passes_on_what_outgrows_the_buffer);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
