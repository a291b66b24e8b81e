/* SPDX-License-Identifier: MIT */
/* The GSYM decoder: headers and tables, records, and the answers, of both versions and orders. */
#include "unit.h"

#include "fixture_gsym.h"

#include "formats/gsym/gsym.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const files[][2] = { { "src", "a.c" }, { "src", "b.h" }, { NULL, NULL } };

/* Window -2..3, from line 10: 0 a.c:10, 4 a.c:11, 8 b.h:9, 16 a.c:12, 28 a.c:14. */
#define RUN_LINES "\x7e\3\12\6\x1f\1\2\x1c\1\1\x39\x50\0"

static const struct fixture_node run_nodes[] = {
	{ 0, "run", 0, 0, 1, { { 0, 0x20 } } },
	{ 1, "clamp", 1, 11, 2, { { 8, 8 }, { 0x18, 4 } } },
	{ 2, "limit", 2, 7, 1, { { 2, 2 } } },
	{ 2, "other", 2, 8, 1, { { 16, 4 } } },
	{ 1, "hidden", 1, 12, 1, { { 8, 2 } } }, /* behind its sibling */
	{ 1, "nowhere", 0, 0, 1, { { 0x1c, 2 } } },
};

static const struct fixture_function_info twins[] = {
	{ 0x1000, 0x20, "twin", BYTES("\2\2\x15\2\0\0"), .nodes = NULL },
	{ 0x1000, 0x20, "third", { NULL, 0 }, .nodes = NULL },
};

static const struct fixture_call run_calls[] = {
	{ 5, 0, { "target", NULL } },
	{ 0x10, 3, { "^ext_", "other" } },
	{ 0x1c, 0, { NULL, NULL } },
};

static const struct fixture_function_info functions[] = {
	{ 0x1000, 0x20, "run", BYTES(RUN_LINES), run_nodes, 6, twins, 2, run_calls, 3, 99 },
	{ 0x1030, 8, "stub", { NULL, 0 }, .nodes = NULL },
	{ 0x1040, 0x40, "outer", BYTES("\0\1\4\2\4\2\4\1\3\3\1\2\4\1\0\2\4\0"), .nodes = NULL },
	{ 0x1048, 4, "inner", { NULL, 0 }, .nodes = NULL },
	{ 0x1090, 0, "label", { NULL, 0 }, .nodes = NULL },
	{ 0x10a0, 4, "short", { NULL, 0 }, .nodes = NULL },
	{ 0x10a0, 0, "sizeless", { NULL, 0 }, .nodes = NULL },
	{ 0x10a0, 8, "long", { NULL, 0 }, .nodes = NULL },
	{ 0x10c0, 2, "last", { NULL, 0 }, .nodes = NULL },
};

enum { RUN, STUB, OUTER, INNER };

static const struct form {
	uint8_t version, width;
	bool big;
} forms[] = {
	{ 1, 1, false }, { 1, 2, true },  { 1, 4, false }, { 1, 8, true },
	{ 2, 1, true },  { 2, 2, false }, { 2, 4, true },  { 2, 8, false },
};

static struct fixture_gsym describe(const struct form *form)
{
	return (struct fixture_gsym){ .version = form->version,
		                      .width = form->width,
		                      .big = form->big,
		                      .base = 0x1000,
		                      .uuid = BYTES("\1\2\3\4\5\6\7\10"),
		                      .functions = functions,
		                      .count = COUNT(functions),
		                      .files = (const char *const(*)[2])files,
		                      .file_count = COUNT(files) };
}

/* What an address gives, on one line: "clamp+2 src/b.h:9, run+10 src/a.c:11". */
static const char *text_of(struct gsym_lookup *lookup)
{
	static char text[4096];
	struct cairn_location l;
	char path[256];
	size_t at = 0;

	text[0] = '\0';
	while (gsym_next_location(lookup, &l)) {
		cairn_location_path(&l, path, sizeof(path));
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s+%" PRIu64 " %s:%u",
		                       at ? ", " : "", (int)l.function.size,
		                       (const char *)l.function.data, l.offset, path, l.line);
	}
	return text;
}

static const struct {
	uint64_t va;
	const char *text;
} answers[] = {
	{ 0xfff, "" },
	{ 0x1000, "run+0 src/a.c:10" },
	{ 0x1004, "run+4 src/a.c:11" },
	{ 0x1008, "clamp+0 src/b.h:9, run+8 src/a.c:11" },
	{ 0x100b, "limit+1 src/b.h:9, clamp+3 src/b.h:7, run+11 src/a.c:11" },
	{ 0x100c, "clamp+4 src/b.h:9, run+12 src/a.c:11" },
	{ 0x1010, "run+16 src/a.c:12" },
	{ 0x101a, "other+2 src/a.c:12, clamp+18 src/b.h:8, run+26 src/a.c:11" },
	{ 0x101d, "nowhere+1 src/a.c:14, run+29 :0" },
	{ 0x101f, "run+31 src/a.c:14" },
	{ 0x1020, "" },
	{ 0x1037, "stub+7 :0" },
	{ 0x1038, "" },
	{ 0x1040, "outer+0 :0" }, /* before the first row */
	{ 0x1044, "outer+4 src/a.c:4" },
	{ 0x104b, "inner+3 :0" },
	{ 0x104c, "outer+12 :5" }, /* behind the inner one; the empty entry keeps the line */
	{ 0x1050, "outer+16 :5" }, /* file 0 keeps it */
	{ 0x107f, "outer+63 :5" },
	{ 0x1080, "" },
	{ 0x1090, "label+0 :0" },
	{ 0x109f, "label+15 :0" },
	{ 0x10a3, "short+3 :0" },
	{ 0x10a7, "long+7 :0" },
	{ 0x10a8, "sizeless+8 :0" },
	{ 0x10c1, "last+1 :0" },
	{ 0x10c2, "" },
	{ UINT64_MAX, "" },
};

START_TEST(answers_addresses)
{
	static struct fixture_out out;
	const struct form *form = &forms[_i];
	struct fixture_gsym made = describe(form);
	struct cairn_fault fault;
	struct gsym gsym;

	fixture_gsym(&out, &made, NULL);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	ck_assert_uint_eq(gsym.functions, COUNT(functions));
	ck_assert_uint_eq(gsym.files, COUNT(files) + 1);
	ck_assert_mem_eq(gsym.uuid.data, "\1\2\3\4\5\6\7\10", 8);
	for (size_t i = 0; i < COUNT(answers); i++) {
		struct gsym_lookup lookup;
		enum cairn_status status = gsym_find(&gsym, answers[i].va, &lookup);
		ck_assert_int_eq(status, *answers[i].text ? CAIRN_OK : CAIRN_NOT_FOUND);
		ck_assert_str_eq(text_of(&lookup), answers[i].text);
		if (status == CAIRN_OK)
			ck_assert_msg(lookup.fault.status == CAIRN_OK, "0x%" PRIx64 ": %s",
			              answers[i].va, lookup.fault.what);
	}
}
END_TEST

/* A function without the line and inline details. */
START_TEST(finds_names)
{
	static struct fixture_out out;
	struct fixture_gsym made = describe(&forms[_i]);
	struct cairn_location location;
	struct cairn_fault fault;
	struct gsym gsym;

	fixture_gsym(&out, &made, NULL);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	ck_assert_int_eq(gsym_find_name(&gsym, NULL, 0x104d, &location, &fault), CAIRN_OK);
	ck_assert_uint_eq(location.function.size, 5);
	ck_assert_mem_eq(location.function.data, "outer", 5);
	ck_assert_uint_eq(location.start, 0x1040);
	ck_assert_uint_eq(location.offset, 13);
	ck_assert_uint_eq(location.size, 0x40);
	ck_assert_int_eq(gsym_find_name(&gsym, NULL, 0x1080, &location, &fault), CAIRN_NOT_FOUND);
	ck_assert_int_eq(gsym_find_nearest(&gsym, 0x104d, &(struct gsym_function){ 0 }, &fault),
	                 CAIRN_NOT_FOUND);
}
END_TEST

START_TEST(reads_merged_functions_and_calls)
{
	static struct fixture_out out;
	struct fixture_gsym made = describe(&forms[_i]);
	struct gsym_function function;
	struct gsym_lookup lookup, inner;
	struct cairn_fault fault;
	struct cairn_bytes text;
	struct gsym_call call;
	struct gsym gsym;

	fixture_gsym(&out, &made, NULL);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	ck_assert_int_eq(gsym_find(&gsym, 0x1004, &lookup), CAIRN_OK);
	struct gsym_merged merged = gsym_merged(&gsym, &lookup.function, &lookup.merged);
	ck_assert_uint_eq(merged.count, 2);
	ck_assert(gsym_next_merged(&merged, &function) && function.is_merged);
	gsym_lookup_in_function(&gsym, &function, 0x1004, &inner);
	ck_assert_str_eq(text_of(&inner), "twin+4 src/a.c:21");
	ck_assert(gsym_next_merged(&merged, &function));
	gsym_lookup_in_function(&gsym, &function, 0x1004, &inner);
	ck_assert_str_eq(text_of(&inner), "third+4 :0");
	ck_assert(!gsym_next_merged(&merged, &function));
	ck_assert_int_eq(merged.in.fault.status, CAIRN_OK);

	struct gsym_calls calls = gsym_calls(&gsym, &lookup.calls);
	ck_assert(gsym_next_call(&calls, &call));
	ck_assert_uint_eq(call.return_offset, 5);
	ck_assert_uint_eq(call.names, 1);
	ck_assert(gsym_next_call(&calls, &call));
	ck_assert_uint_eq(call.flags, GSYM_CALL_INTERNAL | GSYM_CALL_EXTERNAL);
	ck_assert_uint_eq(call.names, 2);
	ck_assert(gsym_string(&gsym, gsym_call_name(&gsym, &call, 1), &text));
	ck_assert_mem_eq(text.data, "other", 6);
	ck_assert(gsym_next_call(&calls, &call) && call.names == 0);
	ck_assert(!gsym_next_call(&calls, &call));
	ck_assert_int_eq(calls.in.fault.status, CAIRN_OK);
}
END_TEST

/* What a field of the file is called in the rows below. */
enum place {
	HEADER,
	DIRECTORY,
	ADDRESSES,
	INFOS,
	FILES,
	RECORD,
	LINES,
	INLINES,
	MERGED,
	CALLS,
};

static size_t place_of(enum place place, const struct fixture_gsym_places *p)
{
	switch (place) {
	case HEADER:
		return 0;
	case DIRECTORY:
		return p->directory;
	case ADDRESSES:
		return p->addresses;
	case INFOS:
		return p->infos;
	case FILES:
		return p->files;
	case RECORD:
		return p->record[RUN];
	case LINES:
		return p->lines;
	case INLINES:
		return p->inlines;
	case MERGED:
		return p->merged;
	case CALLS:
		return p->calls;
	}
	return 0;
}

/* One value written over the file, and what opening it gives then. */
static const struct {
	const char *name;
	struct form form;
	enum place place;
	size_t at;
	uint64_t value;
	size_t width;
	enum cairn_status status;
	enum place fault_place;
	size_t fault_at;
} damages[] = {
	{ "magic", { 1, 2, false }, HEADER, 0, 'X', 1, CAIRN_MALFORMED, HEADER, 0 },
	{ "version 0", { 1, 2, false }, HEADER, 4, 0, 2, CAIRN_UNSUPPORTED, HEADER, 4 },
	{ "version 3", { 2, 2, true }, HEADER, 4, 3, 2, CAIRN_UNSUPPORTED, HEADER, 4 },
	{ "width 0", { 1, 2, false }, HEADER, 6, 0, 1, CAIRN_MALFORMED, HEADER, 6 },
	{ "width 3", { 2, 2, false }, HEADER, 6, 3, 1, CAIRN_MALFORMED, HEADER, 6 },
	{ "UUID of 21", { 1, 2, false }, HEADER, 7, 21, 1, CAIRN_MALFORMED, HEADER, 7 },
	{ "encoding", { 2, 2, false }, HEADER, 7, 1, 1, CAIRN_UNSUPPORTED, HEADER, 7 },
	{ "functions past the end",
	  { 1, 2, false },
	  HEADER,
	  16,
	  0xffffffff,
	  4,
	  CAIRN_TRUNCATED,
	  ADDRESSES,
	  0 },
	{ "functions that nearly fit",
	  { 1, 1, false },
	  HEADER,
	  16,
	  430,
	  4,
	  CAIRN_TRUNCATED,
	  HEADER,
	  480 },
	{ "other number of functions",
	  { 2, 2, true },
	  HEADER,
	  16,
	  3,
	  4,
	  CAIRN_MALFORMED,
	  DIRECTORY,
	  12 },
	{ "files past the end",
	  { 1, 2, true },
	  FILES,
	  0,
	  0x10000000,
	  4,
	  CAIRN_TRUNCATED,
	  FILES,
	  4 },
	{ "one file too many", { 2, 2, true }, FILES, 0, 5, 4, CAIRN_TRUNCATED, FILES, 4 },
	{ "strings past the end",
	  { 1, 2, false },
	  HEADER,
	  24,
	  0xffff,
	  4,
	  CAIRN_TRUNCATED,
	  HEADER,
	  20 },
	{ "strings that wrap",
	  { 1, 2, false },
	  HEADER,
	  20,
	  0xfffffff0,
	  4,
	  CAIRN_TRUNCATED,
	  HEADER,
	  20 },
	{ "section past the end",
	  { 2, 2, false },
	  DIRECTORY,
	  4,
	  0x100000,
	  8,
	  CAIRN_TRUNCATED,
	  DIRECTORY,
	  4 },
	{ "section that wraps",
	  { 2, 2, false },
	  DIRECTORY,
	  4,
	  UINT64_MAX - 3,
	  8,
	  CAIRN_TRUNCATED,
	  DIRECTORY,
	  4 },
	{ "empty section", { 2, 2, false }, DIRECTORY, 32, 0, 8, CAIRN_MALFORMED, DIRECTORY, 32 },
	{ "section twice", { 2, 2, false }, DIRECTORY, 20, 1, 4, CAIRN_MALFORMED, DIRECTORY, 20 },
	{ "section missing",
	  { 2, 2, false },
	  DIRECTORY,
	  40,
	  77,
	  4,
	  CAIRN_MALFORMED,
	  DIRECTORY,
	  120 },
	{ "size of offsets",
	  { 2, 2, false },
	  DIRECTORY,
	  32,
	  64,
	  8,
	  CAIRN_MALFORMED,
	  DIRECTORY,
	  32 },
	{ "strings section past the end",
	  { 2, 2, false },
	  DIRECTORY,
	  72,
	  0xffff,
	  8,
	  CAIRN_TRUNCATED,
	  DIRECTORY,
	  64 },
	{ "small file section", { 2, 2, false }, DIRECTORY, 52, 3, 8, CAIRN_TRUNCATED, FILES, 4 },
};

START_TEST(refuses_damaged_tables)
{
	static struct fixture_out out;
	struct fixture_gsym made = describe(&damages[_i].form);
	struct fixture_gsym_places p;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct gsym gsym = { .version = 77 };

	fixture_gsym(&out, &made, &p);
	fixture_out_poke(&out, place_of(damages[_i].place, &p) + damages[_i].at, damages[_i].value,
	                 damages[_i].width);
	enum cairn_status status = gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault);
	ck_assert_msg(status == damages[_i].status, "%s: %s, %s", damages[_i].name,
	              cairn_status_name(status), fault.what);
	ck_assert_int_eq(fault.status, status);
	ck_assert_msg(fault.offset == place_of(damages[_i].fault_place, &p) + damages[_i].fault_at,
	              "%s: fault at %" PRIu64, damages[_i].name, fault.offset);
	ck_assert_uint_eq(gsym.version, 77);
}
END_TEST

/* Every cut of the header and the tables is TRUNCATED. */
START_TEST(refuses_what_is_cut)
{
	static struct fixture_out out;
	struct fixture_gsym made = describe(&forms[_i]);
	struct fixture_gsym_places p;
	struct cairn_fault fault;
	struct gsym gsym;

	fixture_gsym(&out, &made, &p);
	size_t tables = made.version == 1 ? p.record[0] - 4 : p.end;
	for (size_t size = 0; size < tables; size++) {
		struct cairn_bytes cut = unit_exact((struct cairn_bytes){ out.data, size });
		ck_assert_int_eq(gsym_open(cut, &gsym, &fault), CAIRN_TRUNCATED);
		ck_assert_uint_le(fault.offset, out.size);
	}
}
END_TEST

/* The build ID is found from the header alone, and from each longer beginning of the file; there is none in what is shorter. */
START_TEST(finds_the_build_id_in_the_first_bytes)
{
	static struct fixture_out out;
	struct fixture_gsym made = describe(&forms[_i]);
	struct cairn_range place;
	bool was_found = false;

	fixture_gsym(&out, &made, NULL);
	for (size_t size = 0; size <= out.size; size++) {
		struct cairn_bytes head = unit_exact((struct cairn_bytes){ out.data, size });
		const bool found = gsym_find_uuid(head, &place);
		ck_assert_msg(found || !was_found, "not found in %zu bytes", size);
		if (found) {
			ck_assert_uint_eq(place.high - place.low, 8);
			ck_assert_mem_eq(out.data + place.low, "\1\2\3\4\5\6\7\10", 8);
		}
		was_found = found;
	}
	ck_assert(was_found);
	made.uuid.size = 0;
	out = (struct fixture_out){ .size = 0 };
	fixture_gsym(&out, &made, NULL);
	ck_assert(!gsym_find_uuid(unit_exact(fixture_out_bytes(&out)), &place));
}
END_TEST

/* Strings may lie elsewhere. */
START_TEST(takes_strings_of_another_table)
{
	static struct fixture_out out;
	struct fixture_gsym made = describe(&forms[_i]);
	struct fixture_gsym_places p;
	struct cairn_fault fault;
	struct cairn_bytes strings, text;
	uint64_t at = 0, size = 0;
	struct gsym gsym;

	fixture_gsym(&out, &made, &p);
	struct cairn_bytes all = fixture_out_bytes(&out);
	ck_assert_int_eq(gsym_strings_extent(all, &at, &size, &fault), CAIRN_OK);
	ck_assert_uint_eq(at, p.strings);
	ck_assert(bytes_slice(all, at, size, &strings));
	static uint8_t elsewhere[4096];
	memcpy(elsewhere, strings.data, strings.size);
	elsewhere[0] = ' '; /* offset 0 is the empty string all the same */
	strings.data = elsewhere;
	if (made.version == 1)
		fixture_out_poke(&out, 20, 0xfffffff0, 4);
	else
		fixture_out_poke(&out, p.directory + 64, UINT64_MAX - 7, 8);
	ck_assert_int_eq(gsym_open(all, &gsym, &fault), CAIRN_TRUNCATED);
	ck_assert_int_eq(gsym_open_with_strings(all, strings, &gsym, &fault), CAIRN_OK);
	ck_assert(gsym_string(&gsym, fixture_gsym_string("outer"), &text));
	ck_assert_mem_eq(text.data, "outer", 6);
	ck_assert(gsym_string(&gsym, 0, &text) && text.size == 0);
	ck_assert(!gsym_string(&gsym, size, &text) && text.size == 0);
}
END_TEST

START_TEST(opens_a_file_without_functions)
{
	static struct fixture_out out;
	struct fixture_gsym made = describe(&forms[_i]);
	struct gsym_lookup lookup;
	struct cairn_fault fault;
	struct gsym gsym;

	made.count = 0;
	fixture_gsym(&out, &made, NULL);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	ck_assert_int_eq(gsym_find(&gsym, 0x1000, &lookup), CAIRN_NOT_FOUND);
	ck_assert_uint_eq(gsym_reach_count(&gsym), 0);
}
END_TEST

/* A value written over one record, what a lookup at 0x100b in it gives, and what the check says. */
static const struct {
	const char *name;
	enum place place;
	size_t at;
	uint64_t value;
	size_t width;
	enum cairn_status found; /* of the lookup as a whole */
	const char *text;
	enum cairn_status flaw;
	enum place flaw_place;
	size_t flaw_at;
} flaws[] = {
	{ "record past the end", INFOS, 0, 0xffffff, 4, CAIRN_MALFORMED, "", CAIRN_MALFORMED, INFOS,
	  0 },
	{ "no name", RECORD, 4, 0, 4, CAIRN_MALFORMED, "", CAIRN_MALFORMED, RECORD, 4 },
	{ "name past the end", RECORD, 4, 0xffff, 4, CAIRN_OK,
	  "limit+1 src/b.h:9, clamp+3 src/b.h:7, +11 src/a.c:11", CAIRN_MALFORMED, RECORD, 4 },
	{ "block past the end", RECORD, 12, 0xffff, 4, CAIRN_OK, "run+11 :0", CAIRN_TRUNCATED,
	  RECORD, 12 },
	{ "lines without end", LINES, 4, 4, 4, CAIRN_OK, "run+11 src/a.c:10", CAIRN_TRUNCATED,
	  LINES, 12 },
	{ "window backwards", LINES, 9, 0x7d, 1, CAIRN_OK,
	  "limit+1 :0, clamp+3 src/b.h:7, run+11 src/a.c:11", CAIRN_MALFORMED, LINES, 11 },
	{ "file of a row", LINES, 14, 9, 1, CAIRN_OK,
	  "limit+1 :9, clamp+3 src/b.h:7, run+11 src/a.c:11", CAIRN_MALFORMED, LINES, 8 },
	{ "tree cut", INLINES, 30, 0x7f, 1, CAIRN_OK, "run+11 src/b.h:9", CAIRN_TRUNCATED, INLINES,
	  72 },
	{ "name of a call", INLINES, 24, 0xffff, 4, CAIRN_OK,
	  "limit+1 src/b.h:9, +3 src/b.h:7, run+11 src/a.c:11", CAIRN_MALFORMED, INLINES, 24 },
	{ "file of a call", INLINES, 28, 9, 1, CAIRN_OK,
	  "limit+1 src/b.h:9, clamp+3 src/b.h:7, run+11 :11", CAIRN_MALFORMED, INLINES, 24 },
};

START_TEST(keeps_what_stands_before_a_flaw)
{
	static struct fixture_out out;
	struct fixture_gsym made = describe(&(struct form){ 1, 2, false });
	struct fixture_gsym_places p;
	struct cairn_fault fault;
	struct gsym_lookup lookup;
	struct gsym gsym;

	/* Alone, so that nothing stands behind what is damaged. */
	struct fixture_function_info alone = functions[RUN];
	alone.merged_count = alone.call_count = alone.unknown = 0;
	made.functions = &alone;
	made.count = 1;
	fixture_gsym(&out, &made, &p);
	fixture_out_poke(&out, place_of(flaws[_i].place, &p) + flaws[_i].at, flaws[_i].value,
	                 flaws[_i].width);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	ck_assert_int_eq(gsym_find(&gsym, 0x100b, &lookup), flaws[_i].found);
	const char *text = text_of(&lookup);
	ck_assert_msg(strcmp(text, flaws[_i].text) == 0, "%s: %s", flaws[_i].name, text);
	ck_assert_msg(lookup.fault.status == flaws[_i].flaw, "%s: %s", flaws[_i].name,
	              cairn_status_name(lookup.fault.status));
	ck_assert_msg(lookup.fault.offset == place_of(flaws[_i].flaw_place, &p) + flaws[_i].flaw_at,
	              "%s: %s at %" PRIu64, flaws[_i].name, lookup.fault.what, lookup.fault.offset);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("gsym");
	TCase *sound = tcase_create("sound files");
	TCase *damaged = tcase_create("damaged files");

	tcase_add_loop_test(sound, answers_addresses, 0, COUNT(forms));
	tcase_add_loop_test(sound, finds_names, 0, COUNT(forms));
	tcase_add_loop_test(sound, reads_merged_functions_and_calls, 0, COUNT(forms));
	tcase_add_loop_test(sound, finds_the_build_id_in_the_first_bytes, 0, COUNT(forms));
	tcase_add_loop_test(sound, takes_strings_of_another_table, 0, COUNT(forms));
	tcase_add_loop_test(sound, opens_a_file_without_functions, 0, COUNT(forms));
	tcase_add_loop_test(damaged, refuses_damaged_tables, 0, COUNT(damages));
	tcase_add_loop_test(damaged, refuses_what_is_cut, 0, COUNT(forms));
	tcase_add_loop_test(damaged, keeps_what_stands_before_a_flaw, 0, COUNT(flaws));
	suite_add_tcase(s, sound);
	suite_add_tcase(s, damaged);
	return s;
}

int main(void)
{
	return unit_run(suite());
}
