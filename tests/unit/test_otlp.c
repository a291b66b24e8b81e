/* SPDX-License-Identifier: MIT */
/*
 * OpenTelemetry's profiles: which version a message is taken for, what is refused, what is carried over and what other versions
 * become, names, and stacks as text; the same as JSON.
 */
#include "made_names.h"
#include "unit.h"

#include "formats/otlp/otlp.h"
#include "profiles/samples.h"

#include <stdio.h>

/* Texts 1 to 8 */
#define TEXTS                                                                                 \
	"\x2a\0\x2a\x1fprocess.executable.build_id.gnu\x2a\6/bin/x\x2a\x12profile.frame.type" \
	"\x2a\6kernel\x2a\3old\x2a\7samples\x2a\5"                                            \
	"count\x2a\7"                                                                         \
	"cpython"
#define TEXTS_SIZE (2 + 33 + 8 + 20 + 8 + 5 + 9 + 7 + 9)
/* Mapping 1 with a build ID, whose addresses are linked */
#define MAPPINGS "\x0a\0\x0a\5\x20\2\x2a\1\1"
/* Code, code with a name, the kernel, and an interpreter; a field that nobody knows */
#define LOCATIONS                                                                            \
	"\x12\0\x12\x07\x08\1\x10\x20\xa0\6\1\x12\4\x1a\2\x08\1\x12\7\x08\1\x10\x21\x22\1\2" \
	"\x12\7\x08\1\x10\x22\x22\1\3"
#define FUNCTIONS "\x1a\0\x1a\2\x08\5"
#define ATTRIBUTES                         \
	"\x32\0\x32\x0a\x08\1\x12\6\x0a\4" \
	"abcd\x32\6\x08\3\x12\2\x40\4\x32\6\x08\3\x12\2\x40\x08"
#define STACKS "\x3a\0\x3a\6\x0a\4\1\2\3\4"
#define TABLES MAPPINGS LOCATIONS FUNCTIONS ATTRIBUTES STACKS
#define TABLES_SIZE (9 + 35 + 6 + 30 + 10)
#define DICTIONARY "\x12\xbf\1" TABLES TEXTS /* 0xbf, 1: 191 bytes */
#define TYPE "\x0a\4\x08\6\x10\7"
/* One resource of one scope of one profile of one sample, of so many bytes */
#define RESOURCE(outer, middle, inner, size, sample) \
	"\x0a" outer "\x12" middle "\x12" inner TYPE "\x12" size sample

/* stack 1, attribute 1, value 5; and as 1.9 has it */
#define SAMPLE_NEW "\x08\1\x12\1\1\x22\1\5"
#define SAMPLE_OLD "\x08\1\x12\1\5\x1a\1\1"
#define NEW RESOURCE("\x14", "\x12", "\x10", "\x08", SAMPLE_NEW) DICTIONARY
#define OLD RESOURCE("\x14", "\x12", "\x10", "\x08", SAMPLE_OLD) DICTIONARY
#define STACK "x+0x22;x+0x21;old;x+0x20"

_Static_assert(TABLES_SIZE + TEXTS_SIZE == 191, "the head of the dictionary has its size");

static const struct {
	const char *name;
	struct cairn_bytes bytes;
	enum otlp_version version;
} guesses[] = {
	{ "values in field 4", BYTES(NEW), OTLP_1_10 },
	{ "attributes in field 3", BYTES(OLD), OTLP_1_9 },
	{ "a link in field 3",
	  BYTES(RESOURCE("\x13", "\x11", "\x0f", "\7", "\x08\1\x12\1\1\x18\2") DICTIONARY),
	  OTLP_1_10 },
	{ "a link in field 4",
	  BYTES(RESOURCE("\x13", "\x11", "\x0f", "\7", "\x08\1\x12\1\5\x20\2") DICTIONARY),
	  OTLP_1_9 },
	{ "numbers that are no attributes",
	  BYTES(RESOURCE("\x1b", "\x19", "\x17", "\x0f", "\x08\1\x12\1\x09\x2a\x08TTTTTTTT")
	                DICTIONARY),
	  OTLP_1_9 },
	{ "as many values as times",
	  BYTES(RESOURCE("\x1b", "\x19", "\x17", "\x0f", "\x08\1\x12\1\1\x2a\x08TTTTTTTT")
	                DICTIONARY),
	  OTLP_1_9 },
	{ "attributes and times",
	  BYTES(RESOURCE("\x1c", "\x1a", "\x18", "\x10", "\x08\1\x12\2\1\2\x2a\x08TTTTTTTT")
	                DICTIONARY),
	  OTLP_1_10 },
	{ "times alone",
	  BYTES(RESOURCE("\x18", "\x16", "\x14", "\x0c", "\x08\1\x2a\x08TTTTTTTT") DICTIONARY),
	  OTLP_1_10 },
	{ "values alone",
	  BYTES(RESOURCE("\x11", "\x0f", "\x0d", "\5", "\x08\1\x12\1\1") DICTIONARY), OTLP_1_9 },
	{ "an ID in field 8", BYTES("\x0a\x0b\x12\x09\x12\7" TYPE "\x42" DICTIONARY),
	  OTLP_UNKNOWN },
	{ "a short ID in field 8", BYTES("\x0a\x0d\x12\x0b\x12\x09" TYPE "\x42\1I" DICTIONARY),
	  OTLP_1_8 },
	{ "comments of 1.8", BYTES("\x0a\x10\x12\x0e\x12\x0c" TYPE "\x3a\1\1\x42\1I" DICTIONARY),
	  OTLP_1_8_COMMENTED },
	{ "a list in field 3 of the profile",
	  BYTES("\x0a\x0d\x12\x0b\x12\x09" TYPE "\x1a\1\1" DICTIONARY), OTLP_1_7 },
	{ "attributes with their key", BYTES("\x12\x09\x12\0\x32\5\x0a\3key"), OTLP_1_7 },
	{ "samples without stacks", BYTES("\x0a\7\x12\5\x12\3\x12\1\x08"), OTLP_UNKNOWN },
	{ "no stacks", BYTES("\x0a\x08\x12\6\x12\4\x12\2\x08\1"), OTLP_1_5 },
	{ "a dictionary alone", BYTES(DICTIONARY), OTLP_1_10 },
	{ "nothing", BYTES(""), OTLP_UNKNOWN },
	{ "a resource alone", BYTES("\x0a\0"), OTLP_UNKNOWN },
	{ "a third field", BYTES(NEW "\x1a\0"), OTLP_UNKNOWN },
};

START_TEST(guesses_versions)
{
	const enum otlp_version version = otlp_guess(unit_exact(guesses[_i].bytes));

	ck_assert_msg(version == guesses[_i].version, "%s: %d", guesses[_i].name, (int)version);
}
END_TEST

static int take(void *context, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, context);
	return 0;
}

static struct cairn_bytes write_profile(const struct cairn_profile *profile,
                                        enum cairn_profile_format format, const char *type)
{
	char *text = NULL;
	size_t size;
	struct cairn_fault fault;
	FILE *out = open_memstream(&text, &size);
	const struct cairn_profile_output output = { take, out, type };

	ck_assert(cairn_profile_write(profile, format, &output, &fault) == CAIRN_OK);
	fclose(out);
	return (struct cairn_bytes){ (uint8_t *)text, size };
}

static void check_text(const struct cairn_profile *profile, const char *wanted)
{
	const struct cairn_bytes text = write_profile(profile, CAIRN_PROFILE_FOLDED, "samples");

	ck_assert_str_eq((const char *)text.data, wanted);
	free((void *)text.data);
}

static const struct {
	const char *name;
	struct cairn_bytes input, output;
	const char *format, *folded;
} rows[] = {
	{ "1.10", BYTES(NEW), BYTES(NEW), "OpenTelemetry 1.10 or 1.11", STACK " 5\n" },
	{ "1.9", BYTES(OLD),
	  BYTES(RESOURCE("\x14", "\x12", "\x10", "\x08", "\x08\1\x22\1\5\x12\1\1") DICTIONARY),
	  "OpenTelemetry 1.9", STACK " 5\n" },
	{ "1.8", BYTES("\x0a\x18\x12\x16\x12\x14" TYPE "\x12\x08" SAMPLE_OLD "\x42\2ID" DICTIONARY),
	  BYTES("\x0a\x18\x12\x16\x12\x14" TYPE
	        "\x12\x08\x08\1\x22\1\5\x12\1\1\x3a\2ID" DICTIONARY),
	  "OpenTelemetry 1.8", STACK " 5\n" },
	{ "times are counted",
	  BYTES(RESOURCE("\x20", "\x1e", "\x1c", "\x14", "\x08\1\x2a\x10TTTTTTTTTTTTTTTT")
	                DICTIONARY),
	  BYTES(RESOURCE("\x20", "\x1e", "\x1c", "\x14", "\x08\1\x2a\x10TTTTTTTTTTTTTTTT")
	                DICTIONARY),
	  "OpenTelemetry 1.10 or 1.11", STACK " 2\n" },
	{ "a stack that is not there",
	  BYTES(RESOURCE("\x11", "\x0f", "\x0d", "\5", "\x08\7\x22\1\5") DICTIONARY),
	  BYTES(RESOURCE("\x11", "\x0f", "\x0d", "\5", "\x08\7\x22\1\5") DICTIONARY),
	  "OpenTelemetry 1.10 or 1.11", "" },
};

START_TEST(reads_and_writes)
{
	struct cairn_profile *profile;
	struct cairn_fault fault;
	const struct cairn_bytes input = unit_exact(rows[_i].input);

	ck_assert_msg(cairn_profile_open(input, CAIRN_PROFILE_GUESSED, &profile, &fault) ==
	                      CAIRN_OK,
	              "%s", rows[_i].name);
	ck_assert_str_eq(cairn_profile_format_text(profile), rows[_i].format);
	ck_assert(cairn_profile_format(profile) == CAIRN_PROFILE_OTLP);
	struct cairn_bytes output = write_profile(profile, CAIRN_PROFILE_OTLP, NULL);
	ck_assert_msg(output.size == rows[_i].output.size &&
	                      memcmp(output.data, rows[_i].output.data, output.size) == 0,
	              "%s", rows[_i].name);
	free((void *)output.data);
	check_text(profile, rows[_i].folded);
	cairn_profile_close(profile);
}
END_TEST

static void find_two(void *opened, const uint64_t *vas, size_t count,
                     const struct cairn_symbol_taker *sink)
{
	static const struct cairn_location calls[] = {
		{ BYTES("_ZN1a1bEv"), BYTES("/src"), BYTES("a.cc"), 0, 0, 7, true, 3, 0 },
		{ BYTES("c"), BYTES(""), BYTES("b.c"), 0, 0, 9, false, 0, 0 },
	};
	const struct cairn_symbol_found found = { calls, 2, 2, NULL };

	(void)opened;
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(vas[i], 0x20); /* neither the kernel nor the interpreter */
		sink->take(sink->context, i, &found);
	}
}

static void check_report(const struct cairn_profile *profile)
{
	struct cairn_profiled_module module = { .size = sizeof(module) };

	ck_assert(cairn_profile_module(profile, 0, &module));
	ck_assert(module.build_id.size == 4 && module.path.size == 6);
	ck_assert_uint_eq(module.named, 1);
	ck_assert_uint_eq(module.unnamed[CAIRN_PROFILE_FILELESS], 1);
	ck_assert_uint_eq(module.unnamed[CAIRN_PROFILE_OTHER_CODE], 1);
	ck_assert(cairn_profile_module(profile, 1, &module));
	ck_assert_uint_eq(module.named_before, 1);
	ck_assert_uint_eq(module.unnamed[CAIRN_PROFILE_UNMAPPED], 0);
}

/* Names are looked up, and the output has them when it is read; what was there stays. */
START_TEST(names_locations)
{
	static const char wanted[] = "x+0x22;x+0x21;old;c;a::b() 5\n";
	static const char head[] = RESOURCE("\x14", "\x12", "\x10", "\x08", SAMPLE_NEW);
	static const char line[] = "\xa0\6\1\x1a\6\x08\2\x10\7\x18\3\x1a\4\x08\3\x10\x09";
	struct cairn_symbolizer *symbolizer = made_names_symbolizer(find_two);
	struct cairn_profile *profile;
	struct cairn_fault fault;

	ck_assert(cairn_profile_open((struct cairn_bytes)BYTES(NEW), CAIRN_PROFILE_GUESSED,
	                             &profile, &fault) == CAIRN_OK);
	ck_assert(cairn_profile_symbolize(profile, symbolizer, 0) == CAIRN_OK);
	check_report(profile);
	check_text(profile, wanted);
	const struct cairn_bytes output = write_profile(profile, CAIRN_PROFILE_OTLP, NULL);
	cairn_profile_close(profile);
	ck_assert(memcmp(output.data, head, sizeof(head) - 1) == 0);
	ck_assert(memcmp(output.data + sizeof(head) - 1 + 3 + 9 + 4 + 4, line, sizeof(line) - 1) ==
	          0);
	ck_assert(cairn_profile_open(unit_exact(output), CAIRN_PROFILE_1_10, &profile, &fault) ==
	          CAIRN_OK);
	check_text(profile, wanted);
	free((void *)output.data);
	cairn_profile_close(profile);
	cairn_symbolizer_free(symbolizer);
}
END_TEST

/* Tables of texts and functions that are empty get a place 0 with the first new item. */
START_TEST(names_with_empty_tables)
{
	static const struct cairn_bytes input =
		BYTES("\x12\x0e\x0a\0\x0a\2\x08\0\x12\0\x12\4\x08\1\x10\x20");
	static const struct cairn_bytes wanted =
		BYTES("\x12\x56\x0a\0\x0a\2\x08\0\x12\0\x12\x12\x08\1\x10\x20\x1a\6\x08\1\x10\7\x18"
	              "\3\x1a\4\x08\2\x10\x09"
	              "\x1a\0\x1a\6\x08\3\x10\1\x18\2\x1a\6\x08\4\x10\4\x18\5"
	              "\x2a\0\x2a\x09_ZN1a1bEv\x2a\x09/src/a.cc\x2a\6"
	              "a::b()\x2a\1"
	              "c\x2a\3"
	              "b.c");
	struct cairn_symbolizer *symbolizer = made_names_symbolizer(find_two);
	struct cairn_profile *profile;
	struct cairn_fault fault;

	ck_assert(cairn_profile_open(input, CAIRN_PROFILE_GUESSED, &profile, &fault) == CAIRN_OK);
	profile->mappings[1].build_id = (struct cairn_bytes)BYTES("abcd");
	ck_assert(cairn_profile_symbolize(profile, symbolizer, 0) == CAIRN_OK);
	const struct cairn_bytes output = write_profile(profile, CAIRN_PROFILE_OTLP, NULL);
	ck_assert_uint_eq(output.size, wanted.size);
	ck_assert(memcmp(output.data, wanted.data, output.size) == 0);
	free((void *)output.data);
	cairn_profile_close(profile);
	cairn_symbolizer_free(symbolizer);
}
END_TEST

static const struct {
	const char *name;
	struct cairn_bytes bytes;
	enum cairn_status status;
	const char *what;
} refused[] = {
	{ "a table that is damaged", BYTES("\x12\6\x12\0\x12\2\x08\x80"), CAIRN_MALFORMED,
	  "a table of the dictionary is damaged" },
	{ "two dictionaries", BYTES(DICTIONARY "\x12\0"), CAIRN_UNSUPPORTED,
	  "there is a second dictionary" },
	{ "comments of 1.8, and two dictionaries",
	  BYTES("\x0a\x10\x12\x0e\x12\x0c" TYPE "\x3a\1\1\x42\1I" DICTIONARY DICTIONARY),
	  CAIRN_UNSUPPORTED, "there is a second dictionary" },
	{ "comments of 1.8, and a resource that is damaged",
	  BYTES("\x0a\x12\x12\x0e\x12\x0c" TYPE "\x3a\1\1\x42\1I\x08\x80" DICTIONARY),
	  CAIRN_UNSUPPORTED, "not a profile that cairn can read" },
	{ "1.7", BYTES("\x12\x09\x12\0\x32\5\x0a\3key"), CAIRN_UNSUPPORTED,
	  "an OpenTelemetry 1.7 profile (1.8 to 1.11 are supported)" },
	{ "1.5", BYTES("\x0a\x08\x12\6\x12\4\x12\2\x08\1"), CAIRN_UNSUPPORTED,
	  "an OpenTelemetry 1.5 or 1.6 profile (1.8 to 1.11 are supported)" },
};

static void put_varint(uint8_t **at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*(*at)++ = (uint8_t)(value | 0x80);
	*(*at)++ = (uint8_t)value;
}

/* PROFILE_COMMENTS_LEAST: each of the comments is a text of 1,000 bytes. */
START_TEST(refuses_comments_that_grow)
{
	static const struct {
		unsigned count;
		enum cairn_status status;
	} growing[] = { { 60, CAIRN_OK }, { 70, CAIRN_UNSUPPORTED }, { 60000, CAIRN_UNSUPPORTED } };
	enum { TEXT = 1000, HEADS = 64 };
	const unsigned count = growing[_i].count;
	uint8_t *memory = malloc(count + TEXT + 2 * HEADS);
	struct cairn_profile *profile;
	struct cairn_fault fault;

	ck_assert(memory);
	uint8_t *start = memory + HEADS, *at = start;
	*at++ = 0x3a;
	put_varint(&at, count);
	memset(at, 0, count);
	at += count;
	memcpy(at, "\x42\1I", 3); /* an ID, which makes it 1.8 */
	at += 3;
	for (unsigned level = 0; level < 3; level++) {
		uint8_t head[16], *end = head;
		*end++ = level < 2 ? 0x12 : 0x0a;
		put_varint(&end, (uint64_t)(at - start));
		start -= end - head;
		memcpy(start, head, (size_t)(end - head));
	}
	memcpy(at, "\x12\xeb\7\x2a\xe8\7", 6); /* a dictionary with one text */
	memset(at + 6, 'c', TEXT);
	at += 6 + TEXT;
	const struct cairn_bytes bytes = { start, (size_t)(at - start) };
	ck_assert(otlp_guess(bytes) == OTLP_1_8_COMMENTED);
	ck_assert(cairn_profile_open(bytes, CAIRN_PROFILE_GUESSED, &profile, &fault) ==
	          growing[_i].status);
	if (growing[_i].status == CAIRN_OK)
		cairn_profile_close(profile);
	else
		ck_assert_str_eq(
			fault.what,
			"its comments repeat strings until they are larger than the message");
	free(memory);
}
END_TEST

START_TEST(refuses)
{
	struct cairn_profile *profile;
	struct cairn_fault fault;

	ck_assert_msg(cairn_profile_open(unit_exact(refused[_i].bytes), CAIRN_PROFILE_GUESSED,
	                                 &profile, &fault) == refused[_i].status,
	              "%s", refused[_i].name);
	ck_assert_str_eq(fault.what, refused[_i].what);
}
END_TEST

/* A message as a profile of pprof, which is read again: values of two types, labels, links and has_ of mappings. */
static struct cairn_profile *write_as_pprof(struct cairn_bytes input, struct cairn_bytes *output)
{
	struct cairn_profile *profile;
	struct cairn_fault fault;

	ck_assert(cairn_profile_open(input, CAIRN_PROFILE_GUESSED, &profile, &fault) == CAIRN_OK);
	*output = write_profile(profile, CAIRN_PROFILE_PPROF, NULL);
	cairn_profile_close(profile);
	ck_assert(cairn_profile_open(*output, CAIRN_PROFILE_GUESSED, &profile, &fault) == CAIRN_OK);
	ck_assert(cairn_profile_format(profile) == CAIRN_PROFILE_PPROF);
	return profile;
}

static bool has_label(const struct profile_samples *s, const char *key, const char *text)
{
	for (size_t i = 0; i < s->label_count; i++)
		if (s->label[i].key.size == strlen(key) && s->label[i].text.size == strlen(text) &&
		    memcmp(s->label[i].key.data, key, strlen(key)) == 0 &&
		    memcmp(s->label[i].text.data, text, strlen(text)) == 0)
			return true;
	return false;
}

/* A resource with host=h, one profile of "samples" and one of "count"; the sample of the latter has a link. */
#define LINKED                                                                                    \
	"\x0a\x2c\x0a\x0d\x0a\x0b\x0a\4host\x12\3\x0a\1h\x12\x1b\x12\x0b\x0a\2\x08\6\x12\5\x08\1" \
	"\x22\1\5\x12\x0c\x0a\2\x08\7\x12\6\x08\1\x18\1\x22\0"                                    \
	"\x12\xd1\1\x22\0\x22\x0e\x0a\4\xab\xcd\xef\1\x12\6\1\2\3\4\5\6" TABLES TEXTS

START_TEST(becomes_pprof)
{
	struct profile_samples s;
	struct cairn_bytes output;
	struct cairn_profile *profile = write_as_pprof((struct cairn_bytes)BYTES(LINKED), &output);

	ck_assert_uint_eq(profile->type_count, 2);
	ck_assert_uint_eq(profile->mapping_count, 1);
	ck_assert_uint_eq(profile->mappings[0].build_id.size, 4);
	ck_assert_uint_eq(profile->location_count, 4);
	profile_samples_begin(&s, profile);
	ck_assert(profile_next_sample(&s));
	ck_assert(s.count == 4 && s.value[0] == 5 && s.value[1] == 0);
	ck_assert(has_label(&s, "host", "h") && s.label_count == 1);
	ck_assert(profile_next_sample(&s));
	ck_assert(s.count == 4 && s.value[0] == 0 && s.value[1] == 0);
	ck_assert(has_label(&s, "host", "h") && has_label(&s, "trace_id", "abcdef01") &&
	          has_label(&s, "span_id", "010203040506"));
	ck_assert(!profile_next_sample(&s));
	ck_assert(profile_samples_end(&s) == CAIRN_OK);
	check_text(profile, STACK " 5\n");
	cairn_profile_close(profile);
	free((void *)output.data);
}
END_TEST

START_TEST(refuses_other_formats)
{
	static const struct cairn_bytes empty = BYTES("\x32\0\x4a\0");
	const struct cairn_profile_output output = { take, stdout, NULL };
	struct cairn_profile *profile;
	struct cairn_fault fault;

	ck_assert(cairn_profile_open(empty, CAIRN_PROFILE_GUESSED, &profile, &fault) == CAIRN_OK);
	ck_assert(cairn_profile_write(profile, CAIRN_PROFILE_OTLP, &output, &fault) ==
	          CAIRN_UNSUPPORTED);
	ck_assert_str_eq(fault.what, "a pprof profile cannot be written as OpenTelemetry");
	cairn_profile_close(profile);
}
END_TEST

/* NEW, but for the field that nobody knows, as JSON */
#define JSON_SAMPLES                                                                              \
	"\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sampleType\":{"              \
	"\"typeStrindex\":6,"                                                                     \
	"\"unitStrindex\":7},\"samples\":[{\"stackIndex\":1,\"attributeIndices\":[1],\"values\":" \
	"[\"5\"]}]}]}]}]"
#define JSON_TABLES                                                                                \
	"\"mappingTable\":[{},{\"filenameStrindex\":2,\"attributeIndices\":[1]}],"                 \
	"\"locationTable\":["                                                                      \
	"{},{\"mappingIndex\":1,\"address\":\"32\",\"unknown\":[1,{}]},{\"lines\":[{"              \
	"\"functionIndex\":1}]},{\"mappingIndex\":1,\"address\":33,\"attributeIndices\":[2]},{"    \
	"\"mappingIndex\":1,\"address\":34,\"attributeIndices\":[3]}],\"functionTable\":[{},{"     \
	"\"nameStrindex\":5}],\"attributeTable\":[{},{\"keyStrindex\":1,\"value\":{"               \
	"\"stringValue\":"                                                                         \
	"\"abcd\"}},{\"keyStrindex\":3,\"value\":{\"stringValueStrindex\":4}},{\"keyStrindex\":3," \
	"\"value\":{\"stringValueStrindex\":8}}]"
#define JSON_STACKS ",\"stackTable\":[{},{\"locationIndices\":[1,2,3,4]}]"
#define JSON_TEXTS                                                               \
	",\"stringTable\":[\"\",\"process.executable.build_id.gnu\",\"/bin/x\"," \
	"\"profile.frame.type\",\"kernel\",\"old\",\"samples\",\"count\",\"cpython\"]"
#define JSON "{" JSON_SAMPLES ",\"dictionary\":{" JSON_TABLES JSON_STACKS JSON_TEXTS "}}"

START_TEST(json_is_the_same)
{
	struct cairn_bytes output, other;
	struct cairn_profile *profile;
	struct cairn_fault fault;

	cairn_profile_close(write_as_pprof((struct cairn_bytes)BYTES(NEW), &output));
	profile = write_as_pprof((struct cairn_bytes)BYTES(JSON), &other);
	check_text(profile, STACK " 5\n");
	cairn_profile_close(profile);
	ck_assert(output.size == other.size && memcmp(output.data, other.data, other.size) == 0);
	free((void *)output.data);
	free((void *)other.data);
	ck_assert(cairn_profile_open((struct cairn_bytes)BYTES(JSON), CAIRN_PROFILE_1_9, &profile,
	                             &fault) == CAIRN_OK);
	ck_assert_str_eq(cairn_profile_format_text(profile), "JSON of OpenTelemetry");
	ck_assert(cairn_profile_format(profile) == CAIRN_PROFILE_OTLP_JSON);
	ck_assert_uint_eq(cairn_profile_left_out(profile), 1);
	ck_assert_uint_eq(cairn_profile_unknown_fields(profile), 0);
	cairn_profile_close(profile);
}
END_TEST

START_TEST(takes_objects)
{
	struct cairn_bytes rest = BYTES(JSON "\r\n" JSON " " JSON "\n{"), message;
	struct cairn_profile *profile;
	struct cairn_fault fault;

	ck_assert(cairn_profile_is_stream(rest));
	for (size_t i = 0; i < 3; i++) {
		ck_assert(cairn_profile_next_message(&rest, &message));
		ck_assert(!cairn_profile_is_stream(message));
		ck_assert(cairn_profile_open(unit_exact(message), CAIRN_PROFILE_GUESSED, &profile,
		                             &fault) == CAIRN_OK);
		cairn_profile_close(profile);
	}
	ck_assert(cairn_profile_next_message(&rest, &message) && rest.size == 0);
	ck_assert(cairn_profile_open(message, CAIRN_PROFILE_GUESSED, &profile, &fault) ==
	          CAIRN_TRUNCATED);
	ck_assert_uint_eq(fault.offset, 1);
	ck_assert(!cairn_profile_next_message(&rest, &message));
}
END_TEST

#define JSON_OLDER                                                                \
	"\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sample\":[{" \
	"\"locations_start_index\":1}]}]}]}]"

static const struct {
	const char *name;
	struct cairn_bytes text;
	enum cairn_status status;
	uint64_t offset;
	const char *what;
} refused_json[] = {
	{ "other JSON", BYTES("{\"resourceSpans\":[{}]}"), CAIRN_UNSUPPORTED, 0,
	  "not a profile that cairn can read" },
	{ "no stacks", BYTES("{" JSON_SAMPLES ",\"dictionary\":{" JSON_TABLES "}}"),
	  CAIRN_UNSUPPORTED, 0, "samples have stacks that no table contains" },
	{ "1.5", BYTES("{" JSON_OLDER "}"), CAIRN_UNSUPPORTED, 0,
	  "an OpenTelemetry 1.5 or 1.6 profile (1.8 to 1.11 are supported)" },
	{ "1.7", BYTES("{" JSON_OLDER ",\"dictionary\":{}}"), CAIRN_UNSUPPORTED, 0,
	  "an OpenTelemetry 1.7 profile (1.8 to 1.11 are supported)" },
	{ "units of 1.7",
	  BYTES("{\"dictionary\":{\"attributeUnits\":[{\"attributeKeyStrindex\":1}]}}"),
	  CAIRN_UNSUPPORTED, 0, "an OpenTelemetry 1.7 profile (1.8 to 1.11 are supported)" },
	{ "text behind it", BYTES("{}\n\nabc"), CAIRN_MALFORMED, 4,
	  "more text follows the JSON value" },
	{ "a wrong type", BYTES("{\"dictionary\":7}"), CAIRN_MALFORMED, 14, "expected an object" },
};

START_TEST(refuses_json)
{
	struct cairn_profile *profile;
	struct cairn_fault fault;

	ck_assert(!cairn_profile_is_stream(refused_json[_i].text));
	ck_assert_msg(cairn_profile_open(unit_exact(refused_json[_i].text), CAIRN_PROFILE_GUESSED,
	                                 &profile, &fault) == refused_json[_i].status,
	              "%s", refused_json[_i].name);
	ck_assert_str_eq(fault.what, refused_json[_i].what);
	ck_assert_uint_eq(fault.offset, refused_json[_i].offset);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("otlp");
	TCase *profiles = tcase_create("profiles");

	tcase_add_loop_test(profiles, guesses_versions, 0, COUNT(guesses));
	tcase_add_loop_test(profiles, reads_and_writes, 0, COUNT(rows));
	tcase_add_test(profiles, names_locations);
	tcase_add_test(profiles, names_with_empty_tables);
	tcase_add_loop_test(profiles, refuses, 0, COUNT(refused));
	tcase_add_loop_test(profiles, refuses_comments_that_grow, 0, 3);
	tcase_add_test(profiles, becomes_pprof);
	tcase_add_test(profiles, refuses_other_formats);
	tcase_add_test(profiles, json_is_the_same);
	tcase_add_test(profiles, takes_objects);
	tcase_add_loop_test(profiles, refuses_json, 0, COUNT(refused_json));
	suite_add_tcase(suite, profiles);
	return unit_run(suite);
}
