/* SPDX-License-Identifier: MIT */
/* Tests the JSON of the command line: each byte at each place of a run, and records of any size. */
#include "output/json.h"
#include "unit.h"

#include <string.h>

enum { CAPACITY = 4 * JSON_BUFFER };

static char written[CAPACITY];

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

static const char before[] = "{\"line\":", between[] = ",\"text\":\"";
static const struct json_line form = { before, between, sizeof(before) - 1, sizeof(between) - 1 };

/* One value after the other, as the lines must come out too. */
static void write_records(uint64_t number, struct cairn_bytes lines)
{
	FILE *out = open_memory();
	struct json json = json_to(out);

	for (; lines.size > 0; number++) {
		const uint8_t *end = memchr(lines.data, '\n', lines.size);
		size_t size = (size_t)(end - lines.data);
		if (size > 0) {
			json_object(&json, NULL);
			json_number(&json, "line", number);
			json_text(&json, "text", (struct cairn_bytes){ lines.data, size });
			json_end(&json);
		}
		lines.data += size + 1;
		lines.size -= size + 1;
	}
	fclose(out);
}

static void check_lines(uint64_t first, struct cairn_bytes lines, uint64_t count)
{
	static char expected[CAPACITY];

	write_records(first, lines);
	memcpy(expected, written, sizeof(expected));
	FILE *out = open_memory();
	ck_assert_uint_eq(json_lines(out, &form, first, lines), count);
	fclose(out);
	ck_assert_int_eq(memcmp(written, expected, sizeof(expected)), 0);
}

START_TEST(lines_escape_each_byte_at_each_place)
{
	/* less than a word, than a block, and some blocks */
	static const size_t sizes[] = { 1, 7, 8, 15, 16, 17, 33, 40 };
	uint8_t text[42];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t at = 0; at < sizes[i] && _i != '\n'; at++) {
			memset(text, 'a', sizeof(text));
			text[at] = (uint8_t)_i;
			text[sizes[i]] = '\n';
			check_lines(1, (struct cairn_bytes){ text, sizes[i] + 1 }, 1);
		}
}
END_TEST

START_TEST(lines_are_counted)
{
	static const uint64_t first[] = { 0, 8, 98, 998, 9999999998, UINT64_MAX - 3 };
	static const char text[] = "one\n\ntwo\n\n";

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		check_lines(first[i],
		            (struct cairn_bytes){ (const uint8_t *)text, sizeof(text) - 1 }, 4);
	check_lines(1, (struct cairn_bytes){ (const uint8_t *)text, 0 }, 0);
}
END_TEST

/* Characters of two to four bytes, and an escape, at each place of what is written at once. */
START_TEST(lines_of_any_length_keep_their_characters)
{
	static const char character[] = "\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82\"\xe2\x80\xae";
	enum { PIECE = 1024, SIZE = PIECE + 64 };
	uint8_t text[SIZE];

	for (size_t at = PIECE - 24; at < PIECE + 24; at++) {
		memset(text, 'a', sizeof(text));
		memcpy(text + at, character, sizeof(character) - 1);
		text[SIZE - 1] = '\n';
		check_lines(7, (struct cairn_bytes){ text, SIZE }, 1);
	}
}
END_TEST

START_TEST(lines_outgrow_every_buffer)
{
	enum { LINES = 40, LENGTH = 3000 };
	static uint8_t text[LINES * LENGTH];
	static char large[2 * LINES * LENGTH];
	FILE *out = fmemopen(large, sizeof(large), "w");
	const char *at = large;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % LENGTH == LENGTH - 1 ? '\n' : i % 700 == 0 ? '"' : 'b';
	ck_assert_uint_eq(json_lines(out, &form, 1, (struct cairn_bytes){ text, sizeof(text) }),
	                  LINES);
	fclose(out);
	for (size_t line = 0; line < LINES; line++) {
		check_lines(line + 1, (struct cairn_bytes){ text + line * LENGTH, LENGTH }, 1);
		ck_assert_int_eq(strncmp(at, written, strlen(written)), 0);
		at += strlen(written);
	}
	ck_assert_int_eq(*at, 0);
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
	tcase_add_loop_test(tc, lines_escape_each_byte_at_each_place, 0, 256);
	tcase_add_test(tc, lines_are_counted);
	tcase_add_test(tc, lines_of_any_length_keep_their_characters);
	tcase_add_test(tc, lines_outgrow_every_buffer);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
