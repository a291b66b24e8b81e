/* SPDX-License-Identifier: MIT */
/*
 * pprof's profiles: what is refused and at which byte, what is carried over, and stacks as text. Rows without names
 * from files: the symbolizer of these tests has none.
 */
#include "made_names.h"
#include "unit.h"

#include "formats/pprof.h"
#include "profiles/profile.h"

#include <stdio.h>

#define TYPE "\x0a\4\x08\1\x10\2"                            /* "samples", "count" */
#define SAMPLE(ids, value) "\x12\6\x0a\1" ids "\x12\1" value /* one location, one value */
#define MAPPING "\x1a\6\x08\1\x10\x10\x18\x40"               /* id 1, 0x10 to 0x40 */
#define LOCATION "\x22\6\x08\1\x10\1\x18\x20"                /* id 1, mapping 1, 0x20 */
#define TEXTS                       \
	"\x32\0\x32\7samples\x32\5" \
	"count\x32\1"               \
	"f\x32\2;\n"
#define GOOD TYPE SAMPLE("\1", "\5") MAPPING LOCATION TEXTS

static const struct {
	const char *name;
	struct cairn_bytes profile;
	enum cairn_status status;
	uint64_t offset;
	const char *folded;
} rows[] = {
	{ "a profile", BYTES(GOOD), CAIRN_OK, 0, "0x20 5\n" },
	{ "texts first", BYTES(TEXTS LOCATION MAPPING SAMPLE("\1", "\5") TYPE), CAIRN_OK, 0,
	  "0x20 5\n" },
	{ "numbers that are not packed", BYTES(TYPE "\x12\4\x08\1\x10\5" MAPPING LOCATION TEXTS),
	  CAIRN_OK, 0, "0x20 5\n" },
	{ "a negative value",
	  BYTES(TYPE
	        "\x12\x0f\x0a\1\1\x12\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" MAPPING LOCATION
	                TEXTS),
	  CAIRN_OK, 0, "0x20 -1\n" },
	{ "a value of 0", BYTES(TYPE SAMPLE("\1", "\0") MAPPING LOCATION TEXTS), CAIRN_OK, 0, "" },
	{ "names, the innermost first",
	  BYTES(TYPE SAMPLE("\1", "\5") "\x22\x0a\x08\1\x22\2\x08\7\x22\2\x08\x08"
	                                "\x2a\4\x08\7\x10\3\x2a\4\x08\x08\x10\1" TEXTS),
	  CAIRN_OK, 0, "samples;f 5\n" },
	{ "names with ';' and a line end",
	  BYTES(TYPE SAMPLE("\1", "\5") "\x22\6\x08\1\x22\2\x08\7\x2a\4\x08\7\x10\4" TEXTS),
	  CAIRN_OK, 0, "__ 5\n" },
	{ "a line without a function is no name",
	  BYTES(TYPE SAMPLE("\1", "\5") "\x22\x08\x08\1\x18\x20\x22\2\x08\x63" TEXTS), CAIRN_OK, 0,
	  "0x20 5\n" },
	{ "a mapping that is not there is none",
	  BYTES(TYPE SAMPLE("\1", "\5") "\x22\6\x08\1\x10\x09\x18\x20" TEXTS), CAIRN_OK, 0,
	  "0x20 5\n" },
	{ "fields that nobody knows", BYTES(GOOD "\x9a\6\3abc\xa0\6\1\xab\6\x08\1\xac\6"), CAIRN_OK,
	  0, "0x20 5\n" },
	{ "nothing", BYTES(""), CAIRN_UNSUPPORTED, 0, NULL },
	{ "text", BYTES("main;f 3\n"), CAIRN_UNSUPPORTED, 0, NULL },
	{ "gperftools' binary form", BYTES("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"), CAIRN_UNSUPPORTED,
	  0, NULL },
	{ "gperftools' form of the heap", BYTES("heap profile: 1"), CAIRN_UNSUPPORTED, 0, NULL },
	{ "no texts", BYTES("\x1a\2\x08\1"), CAIRN_MALFORMED, 0, NULL },
	{ "the first text is not empty", BYTES("\x32\1x"), CAIRN_MALFORMED, 0, NULL },
	{ "a field that is cut",
	  BYTES(MAPPING "\x32\0\x32\5"
	                "abc"),
	  CAIRN_MALFORMED, 10, NULL },
	{ "a mapping that is damaged", BYTES("\x1a\2\x08\x80\x32\0"), CAIRN_MALFORMED, 2, NULL },
	{ "a mapping of id 0", BYTES("\x32\0\x1a\2\x10\1"), CAIRN_MALFORMED, 2, NULL },
	{ "two mappings of one id", BYTES("\x32\0\x1a\2\x08\1\x1a\2\x08\1"), CAIRN_MALFORMED, 6,
	  NULL },
	{ "two locations of one id", BYTES("\x32\0\x22\2\x08\1\x22\2\x08\1"), CAIRN_MALFORMED, 6,
	  NULL },
	{ "two functions of one id", BYTES("\x32\0\x2a\2\x08\1\x2a\2\x08\1"), CAIRN_MALFORMED, 6,
	  NULL },
	{ "a location that is not there", BYTES(TYPE "\x32\0" SAMPLE("\2", "\5") LOCATION TEXTS),
	  CAIRN_MALFORMED, 8, NULL },
	{ "location 0", BYTES(TYPE "\x32\0" SAMPLE("\0", "\5") LOCATION TEXTS), CAIRN_MALFORMED, 8,
	  NULL },
	{ "a value too many", BYTES(TYPE "\x12\7\x0a\1\1\x12\2\5\5" LOCATION TEXTS),
	  CAIRN_MALFORMED, 6, NULL },
	{ "no value", BYTES(TYPE "\x12\3\x0a\1\1" LOCATION TEXTS), CAIRN_MALFORMED, 6, NULL },
	{ "values that are damaged", BYTES(TYPE "\x12\6\x0a\1\1\x12\1\x85" LOCATION TEXTS),
	  CAIRN_MALFORMED, 6, NULL },
	{ "a path that is not there", BYTES("\x32\0\x1a\4\x08\1\x28\x09"), CAIRN_MALFORMED, 2,
	  NULL },
	{ "a function's text that is not there", BYTES("\x32\0\x2a\4\x08\1\x10\x09"),
	  CAIRN_MALFORMED, 2, NULL },
	{ "a label's text that is not there",
	  BYTES(TYPE "\x12\x0a\x0a\1\1\x12\1\5\x1a\2\x08\x09" LOCATION TEXTS), CAIRN_MALFORMED, 6,
	  NULL },
	{ "a type's text that is not there", BYTES("\x0a\2\x08\x09" LOCATION TEXTS),
	  CAIRN_MALFORMED, 0, NULL },
	{ "a default type that is not there", BYTES(LOCATION TEXTS "\x70\x63"), CAIRN_MALFORMED, 0,
	  NULL },
};

static int take(void *context, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, context);
	return 0;
}

/* The profile in a format, in memory to be freed. */
static char *write_profile(const struct cairn_profile *profile, enum cairn_profile_format format,
                           size_t *size)
{
	char *text = NULL;
	struct cairn_fault fault;
	FILE *out = open_memstream(&text, size);
	const struct cairn_profile_output output = { take, out, NULL };

	ck_assert(cairn_profile_write(profile, format, &output, &fault) == CAIRN_OK);
	fclose(out);
	return text;
}

START_TEST(reads_and_writes)
{
	const struct cairn_bytes bytes = unit_exact(rows[_i].profile);
	struct cairn_profile *profile = NULL;
	struct cairn_fault fault = { .offset = 0 };
	enum cairn_status status =
		cairn_profile_open(bytes, CAIRN_PROFILE_GUESSED, &profile, &fault);
	size_t size;

	ck_assert_msg(status == rows[_i].status, "%s: %s", rows[_i].name,
	              cairn_status_name(status));
	ck_assert_msg(fault.offset == rows[_i].offset, "%s: byte %u", rows[_i].name,
	              (unsigned)fault.offset);
	if (status != CAIRN_OK)
		return;
	char *text = write_profile(profile, CAIRN_PROFILE_FOLDED, &size);
	ck_assert_msg(strcmp(text, rows[_i].folded) == 0, "%s: %s", rows[_i].name, text);
	free(text);
	text = write_profile(profile, CAIRN_PROFILE_PPROF, &size);
	ck_assert_msg(size == bytes.size && memcmp(text, bytes.data, size) == 0, "%s",
	              rows[_i].name);
	free(text);
	cairn_profile_close(profile);
}
END_TEST

/* A source that knows two calls at each address, the inner one inlined. */
static void find_made(void *opened, const uint64_t *vas, size_t count,
                      const struct cairn_symbol_taker *sink)
{
	static const struct cairn_location calls[] = {
		{ BYTES("_ZN1a1bEv"), BYTES("/src"), BYTES("a.cc"), 0, 0, 7, true, 3, 0 },
		{ BYTES("bad\xff"), BYTES(""), BYTES("b.c"), 0, 0, 9, false, 0, 0 },
		{ BYTES("folded"), BYTES(""), BYTES("c.c"), 0, 0, 11, false, 0, 0 },
	};
	const struct cairn_symbol_found found = { calls, 2, 3, NULL };

	(void)opened;
	for (size_t i = 0; i < count; i++)
		if (vas[i] != 0x30)
			sink->take(sink->context, i, &found);
}

/* What a profile of a few bytes is not worth: too many calls, and too long a name. */
static void find_too_much(void *opened, const uint64_t *vas, size_t count,
                          const struct cairn_symbol_taker *sink)
{
	static struct cairn_location calls[2 * PROFILE_LINES_LEAST];
	static uint8_t name[PROFILE_TEXT_LEAST + 256 * PROFILE_TEXT_TIMES];
	const struct cairn_location named = { .function = { name, sizeof(name) },
		                              .directory = BYTES(""),
		                              .file = BYTES("") };
	const struct cairn_symbol_found many = { calls, COUNT(calls), COUNT(calls), NULL },
					large = { &named, 1, 1, NULL };

	(void)opened;
	memset(name, 'n', sizeof(name));
	for (size_t i = 0; i < COUNT(calls); i++)
		calls[i] = (struct cairn_location){ .function = BYTES("f"),
			                            .directory = BYTES(""),
			                            .file = BYTES("") };
	for (size_t i = 0; i < count; i++)
		sink->take(sink->context, i, vas[i] == 0x20 ? &many : &large);
}

/* A mapping whose addresses are those of the file, and what its two locations become. */
START_TEST(names_locations)
{
	static const struct cairn_bytes input =
		BYTES(TYPE SAMPLE("\1", "\5") "\x1a\4\x08\1\x28\3"
	                                      "\x22\x09\x08\1\x10\1\x18\x20\xa0\6\1\x22\6\x08\2\x10"
	                                      "\1\x18\x30\x2a\2\x08\1" TEXTS);
	/* the new lines, is_folded; functions 2 and 3; their texts from 5 on */
	static const struct cairn_bytes output = BYTES(TYPE SAMPLE(
		"\1", "\5") "\x1a\4\x08\1\x28\3"
	                    "\x22\x19\x08\1\x10\1\x18\x20\xa0\6\1\x22\6\x08\2\x10\7\x18\3\x22\4\x08"
	                    "\3\x10\x09\x28\1"
	                    "\x22\6\x08\2\x10\1\x18\x30\x2a\2\x08\1" TEXTS
	                    "\x2a\x08\x08\2\x10\7\x18\5\x20\6\x2a\x08\x08\3\x10\x08\x18\x08\x20\x09"
	                    "\x32\x09_ZN1a1bEv\x32\x09/src/a.cc\x32\x06"
	                    "a::b()\x32\6bad\xef\xbf\xbd\x32\3"
	                    "b.c");
	struct cairn_symbolizer *symbolizer = made_names_symbolizer(find_made);
	struct cairn_profile *profile;
	struct cairn_fault fault;
	struct cairn_profiled_module module = { .size = sizeof(module) };
	size_t size;

	ck_assert(cairn_profile_open(unit_exact(input), CAIRN_PROFILE_GUESSED, &profile, &fault) ==
	          CAIRN_OK);
	ck_assert(cairn_profile_module(profile, 0, &module));
	ck_assert_uint_eq(module.unnamed[CAIRN_PROFILE_NOT_ASKED], 2);
	ck_assert(cairn_profile_symbolize(profile, symbolizer, 0) == CAIRN_OK);
	char *text = write_profile(profile, CAIRN_PROFILE_PPROF, &size);
	ck_assert_uint_eq(size, output.size);
	ck_assert(memcmp(text, output.data, size) == 0);
	free(text);
	text = write_profile(profile, CAIRN_PROFILE_FOLDED, &size);
	ck_assert_str_eq(text, "bad\xef\xbf\xbd;a::b() 5\n");
	free(text);
	ck_assert(cairn_profile_module(profile, 0, &module));
	ck_assert(module.named == 1 && module.named_before == 0);
	ck_assert(cairn_profile_module(profile, 1, &module));
	ck_assert(module.path.size == 0 && module.named == 0);
	ck_assert(!cairn_profile_module(profile, 2, &module));
	cairn_profile_close(profile);
	cairn_symbolizer_free(symbolizer);
}
END_TEST

START_TEST(bounds_names)
{
	static const struct cairn_bytes input = BYTES(
		"\x1a\4\x08\1\x28\3\x22\6\x08\1\x10\1\x18\x20\x22\6\x08\2\x10\1\x18\x30" TEXTS);
	struct cairn_symbolizer *symbolizer = made_names_symbolizer(find_too_much);
	struct cairn_profiled_module module = { .size = sizeof(module) };
	struct cairn_profile *profile;
	struct cairn_fault fault;
	size_t size;

	ck_assert_uint_gt(PROFILE_LINES_LEAST, PROFILE_LINES_TIMES * input.size);
	ck_assert(cairn_profile_open(unit_exact(input), CAIRN_PROFILE_GUESSED, &profile, &fault) ==
	          CAIRN_OK);
	ck_assert(cairn_profile_symbolize(profile, symbolizer, 0) == CAIRN_OK);
	ck_assert(cairn_profile_module(profile, 0, &module));
	ck_assert_uint_eq(module.unnamed[CAIRN_PROFILE_TOO_MANY], 2);
	char *text = write_profile(profile, CAIRN_PROFILE_FOLDED, &size);
	free(text);
	cairn_profile_close(profile);
	cairn_symbolizer_free(symbolizer);
}
END_TEST

/* Samples of one stack are one line, where the first of them is; values that add up to nothing are none. */
START_TEST(adds_up_equal_lines)
{
	static const struct cairn_bytes input = BYTES(
		"\x0a\2\x08\1\x0a\2\x08\2\x12\7\x0a\1\1\x12\2\5\6"
		"\x12\7\x0a\1\2\x12\2\7\6"
		"\x12\7\x0a\1\1\x12\2\5\6" LOCATION "\x22\6\x08\2\x10\1\x18\x30" TEXTS "\x70\1");
	struct cairn_profile *profile;
	struct cairn_fault fault;
	size_t size;

	ck_assert(cairn_profile_open(unit_exact(input), CAIRN_PROFILE_GUESSED, &profile, &fault) ==
	          CAIRN_OK);
	char *text = write_profile(profile, CAIRN_PROFILE_FOLDED, &size);
	ck_assert_str_eq(text, "0x20 10\n0x30 7\n");
	free(text);
	cairn_profile_close(profile);
}
END_TEST

START_TEST(counts_the_value_asked_for)
{
	static const struct cairn_bytes input =
		BYTES("\x0a\2\x08\1\x0a\2\x08\2\x12\7\x0a\1\1\x12\2\5\6" LOCATION TEXTS "\x70\1");
	static const struct {
		const char *type, *text;
	} asked[] = { { NULL, "0x20 5\n" }, { "count", "0x20 6\n" }, { "bytes", NULL } };
	struct cairn_profile *profile;
	struct cairn_fault fault;
	char *text = NULL;
	size_t size;

	ck_assert(cairn_profile_open(unit_exact(input), CAIRN_PROFILE_GUESSED, &profile, &fault) ==
	          CAIRN_OK);
	for (size_t i = 0; i < COUNT(asked); i++) {
		FILE *out = open_memstream(&text, &size);
		const struct cairn_profile_output output = { take, out, asked[i].type };
		enum cairn_status status =
			cairn_profile_write(profile, CAIRN_PROFILE_FOLDED, &output, &fault);
		fclose(out);
		ck_assert(status == (asked[i].text ? CAIRN_OK : CAIRN_NOT_FOUND));
		ck_assert_str_eq(text, asked[i].text ? asked[i].text : "");
		free(text);
	}
	cairn_profile_close(profile);
}
END_TEST

static int refuse(void *context, const void *bytes, size_t size)
{
	(void)context;
	(void)bytes;
	return size > 0;
}

START_TEST(reports_what_is_not_written)
{
	const struct cairn_profile_output output = { refuse, NULL, NULL };
	struct cairn_profile *profile;
	struct cairn_fault fault;

	ck_assert(cairn_profile_open((struct cairn_bytes)BYTES(GOOD), CAIRN_PROFILE_GUESSED,
	                             &profile, &fault) == CAIRN_OK);
	ck_assert(cairn_profile_write(profile, CAIRN_PROFILE_PPROF, &output, &fault) ==
	          CAIRN_UNREADABLE);
	cairn_profile_close(profile);
	cairn_profile_close(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pprof");
	TCase *profiles = tcase_create("profiles");

	tcase_add_loop_test(profiles, reads_and_writes, 0, COUNT(rows));
	tcase_add_test(profiles, names_locations);
	tcase_add_test(profiles, bounds_names);
	tcase_add_test(profiles, adds_up_equal_lines);
	tcase_add_test(profiles, counts_the_value_asked_for);
	tcase_add_test(profiles, reports_what_is_not_written);
	suite_add_tcase(suite, profiles);
	return unit_run(suite);
}
