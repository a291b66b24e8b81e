/* SPDX-License-Identifier: MIT */
/* Line number programs of DWARF, opcode by opcode. */
#include "place_rows.h"
#include "unit.h"

#include "fixture_out.h"

#include "formats/dwarf/line.h"

enum { MAX_ROWS = 6, LENGTHS = 12 };

/*
 * A table of version 4 (base -3, range 12, first special opcode 13, one directory, one file) or
 * 5, then the program.  The offset where the program begins.
 */
static size_t make(struct fixture_out *out, unsigned version, struct cairn_bytes program)
{
	static const char lengths[LENGTHS] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

	*out = (struct fixture_out){ .size = 0 };
	fixture_out_put(out, 0, 4);
	fixture_out_put(out, version, 2);
	if (version >= 5)
		fixture_out_put(out, 0x0008, 2);
	size_t header = out->size;
	fixture_out_put(out, 0, 4);
	fixture_out_text(out, version >= 4 ? "\1\1\1\xfd\x0c\x0d" : "\1\1\xfd\x0c\x0d",
	                 version >= 4 ? 6 : 5);
	fixture_out_text(out, lengths, LENGTHS);
	if (version >= 5)
		fixture_out_text(out, "\1\1\x08\1d\0\2\1\x08\2\x0b\1f\0\0", 15);
	else
		fixture_out_text(out, "d\0\0f\0\1\0\0\0", 9);
	fixture_out_poke(out, header, out->size - header - 4, 4);
	size_t at = out->size;
	fixture_out_text(out, (const char *)program.data, program.size);
	fixture_out_poke(out, 0, out->size - 4, 4);
	return at;
}

static const struct {
	const char *name;
	struct cairn_bytes program;
	bool broken;
	uint64_t fault; /* in the program */
	unsigned count;
	struct {
		uint64_t va, file;
		uint32_t line;
		bool end;
	} rows[MAX_ROWS];
} programs[] = {
	{ "nothing", BYTES(""), false, 0, 0, { { 0 } } },
	{ "a sequence",
	  BYTES("\0\5\2\0\x10\0\0\1\x22\4\2\3\5\1\2\6\0\1\1"),
	  false,
	  0,
	  4,
	  { { 0x1000, 1, 1, false },
	    { 0x1001, 1, 7, false },
	    { 0x1001, 2, 12, false },
	    { 0x1007, 2, 12, true } } },
	{ "lines go back",
	  BYTES("\3\x7f\1\x0d"),
	  false,
	  0,
	  2,
	  { { 0, 1, 0, false }, { 0, 1, UINT32_MAX - 2, false } } },
	{ "constant and fixed steps",
	  BYTES("\x08\1\x09\0\1\1"),
	  false,
	  0,
	  2,
	  { { 20, 1, 1, false }, { 276, 1, 1, false } } },
	{ "what is passed over",
	  BYTES("\5\x80\1\6\7\x0a\x0b\x0c\3\1"),
	  false,
	  0,
	  1,
	  { { 0, 1, 1, false } } },
	{ "a discriminator without its number",
	  BYTES("\0\1\4\1"),
	  false,
	  0,
	  1,
	  { { 0, 1, 1, false } } },
	{ "a discriminator that is cut",
	  BYTES("\0\2\4\x80\1"),
	  false,
	  0,
	  1,
	  { { 0, 1, 1, false } } },
	{ "unknown extended", BYTES("\0\3\x80xx\1"), false, 0, 1, { { 0, 1, 1, false } } },
	{ "empty extended", BYTES("\0\0\1"), false, 0, 1, { { 0, 1, 1, false } } },
	{ "address of 8",
	  BYTES("\0\x09\2\1\0\0\0\0\0\0\x80\1"),
	  false,
	  0,
	  1,
	  { { 0x8000000000000001, 1, 1, false } } },
	{ "address of 3", BYTES("\1\0\4\2\1\2\3\1"), true, 1, 1, { { 0, 1, 1, false } } },
	{ "extended too long", BYTES("\1\0\x7f\2"), true, 1, 1, { { 0, 1, 1, false } } },
	{ "cut in a number", BYTES("\1\2\x80"), true, 1, 1, { { 0, 1, 1, false } } },
	{ "cut in a step", BYTES("\1\x09\1"), true, 1, 1, { { 0, 1, 1, false } } },
};

/* At the first row of a program, whose offset is given. */
static size_t open_program(unsigned version, struct cairn_bytes program,
                           struct dwarf_sections *sections, struct dwarf_line *line)
{
	static struct fixture_out out;
	size_t at = make(&out, version, program);
	struct cairn_bytes none = BYTES(""), section = unit_exact(fixture_out_bytes(&out));
	struct dwarf_line_entry entry;
	struct cairn_fault fault;

	*sections = (struct dwarf_sections){ none, none, section, none, none,
		                             none, none, none,    none, false };
	ck_assert_int_eq(dwarf_open_line(sections, 0, 8, line, &fault), CAIRN_OK);
	ck_assert(dwarf_next_directory(line, &entry) && *entry.path.text.data == 'd');
	ck_assert(!dwarf_next_directory(line, &entry));
	ck_assert(dwarf_next_file(line, &entry) && *entry.path.text.data == 'f');
	ck_assert_uint_eq(entry.directory, version >= 5 ? 0 : 1);
	ck_assert(!dwarf_next_file(line, &entry));
	return at;
}

START_TEST(runs_programs)
{
	for (unsigned version = 2; version <= 5; version++) {
		struct dwarf_sections sections;
		struct dwarf_line line;
		struct dwarf_row row;
		unsigned count = 0;
		size_t at = open_program(version, programs[_i].program, &sections, &line);
		for (; dwarf_next_row(&line, &row); count++) {
			ck_assert(count < programs[_i].count);
			ck_assert_uint_eq(row.va, programs[_i].rows[count].va);
			ck_assert_uint_eq(row.file, programs[_i].rows[count].file);
			ck_assert_uint_eq(row.line, programs[_i].rows[count].line);
			ck_assert(programs[_i].rows[count].end == (row.kind == DWARF_ROW_END));
			ck_assert_uint_eq(row.sequence, at);
		}
		ck_assert_msg(count == programs[_i].count, "%s: %u", programs[_i].name, count);
		ck_assert((line.fault.status != CAIRN_OK) == programs[_i].broken);
		if (programs[_i].broken)
			ck_assert_uint_eq(line.fault.offset, at + programs[_i].fault);
	}
}
END_TEST

/* The places that are read many at once are those that the rows tell, one after the other. */
static void check_places(struct dwarf_line line, const char *what)
{
	static struct place_rows one, many;
	struct dwarf_row row;

	for (uint32_t first_file = 0; first_file < 2; first_file++) {
		one.line = many.line = line;
		one.count = many.count = one.first = many.first = 0;
		one.files = many.files = 10;
		one.first_file = many.first_file = first_file;
		while (place_rows_next(&one, &row))
			continue;
		while (place_rows_next_many(&many, &row))
			continue;
		ck_assert_msg(place_rows_agree(&one, &many), "%s: %zu, %zu", what, one.count,
		              many.count);
	}
}

START_TEST(places_are_those_of_the_rows)
{
	struct dwarf_sections sections;
	struct dwarf_line line;

	for (unsigned version = 2; version <= 5; version++) {
		open_program(version, programs[_i].program, &sections, &line);
		check_places(line, programs[_i].name);
		ck_assert_msg(place_rows_ends_agree(&line), "%s", programs[_i].name);
	}
}
END_TEST

/* Every special opcode with every range, base and first opcode that a header can have. */
START_TEST(places_divide_as_they_should)
{
	static uint8_t bytes[260];
	struct dwarf_sections sections;
	struct dwarf_line line;

	for (size_t i = 0; i < 256; i++)
		bytes[i] = (uint8_t)(255 - i);
	for (unsigned range = 0; range < 256; range++) {
		open_program(4, (struct cairn_bytes){ bytes, sizeof(bytes) }, &sections, &line);
		line.range = (uint8_t)range;
		line.base = (int8_t)(range * 7);
		line.base_opcode = (uint8_t)_i;
		line.minimum = (uint8_t)(range % 5);
		check_places(line, "a range");
	}
}
END_TEST

/* Numbers of one to four bytes and their signs, discriminators, the flags, and an index that is not read there. */
START_TEST(places_read_numbers)
{
	static const struct cairn_bytes program =
		BYTES("\3\x3f\1\3\x40\1\3\xff\x3f\1\3\x80\x40\1\3\xff\xff\x3f\1\3\x80\x80\x40\1"
	              "\3\x80\x80\x80\1\1\2\x7f\1\2\xff\x7f\1\2\xff\xff\x7f\1\2\x80\x80\x80\1\1"
	              "\4\x81\1\5\x81\1\6\x0a\0\2\4\1\x0d\x22\0\2\4\0\x22\0\3\4\x81\1\1\6\1\x0b\1"
	              "\7\1\x08\1\x09\1\0\1\0\1\1\1\1\1\1\1");
	struct dwarf_sections sections;
	struct dwarf_line line;

	open_program(4, program, &sections, &line);
	for (size_t left = program.size; left > 0; left--) {
		struct dwarf_line cut = line;
		cut.end -= program.size - left;
		check_places(cut, "a program that is cut");
		cut.operations = 4; /* and words of several operations */
		check_places(cut, "words");
	}
}
END_TEST

/* Lines and files that come again, at one address and at others, and addresses that go back by set_address and by a wrap. */
START_TEST(places_come_once)
{
	enum { OPCODES = 200, PROGRAMS = 2000 };
	static const struct cairn_bytes parts[] = {
		BYTES("\1"),
		BYTES("\2\1"),
		BYTES("\3\1"),
		BYTES("\3\x7f"),
		BYTES("\4\1"),
		BYTES("\4\2"),
		BYTES("\4\x0c"),
		BYTES("\5\3"),
		BYTES("\6"),
		BYTES("\x0a"),
		BYTES("\x08"),
		BYTES("\0\2\4\1"),
		BYTES("\x12"),
		BYTES("\x13"),
		BYTES("\x20"),
		BYTES("\0\1\1"),
		BYTES("\0\x09\2\x08\0\0\0\0\0\0\0"),
		BYTES("\0\x09\2\xff\xff\xff\xff\xff\xff\xff\xff"),
	};
	static uint8_t bytes[16 * OPCODES];
	struct dwarf_sections sections;
	struct dwarf_line line;
	uint32_t random = 1;

	for (unsigned i = 0; i < PROGRAMS; i++) {
		size_t size = 0;
		for (unsigned n = 0; n < OPCODES; n++) {
			random = random * 1664525 + 1013904223;
			const struct cairn_bytes *part = &parts[(random >> 16) % COUNT(parts)];
			memcpy(bytes + size, part->data, part->size);
			size += part->size;
		}
		open_program(4, (struct cairn_bytes){ bytes, size }, &sections, &line);
		check_places(line, "a program of any opcodes");
	}
}
END_TEST

/* A flag in the header, opcode 6 turns it, opcode 10 sets the other for one row. */
START_TEST(tells_of_statements)
{
	static const struct cairn_bytes program = BYTES("\x0a\1\1\6\1\x0a\1\x0d\6\x0a\1\0\1\1");
	static const char want[] = "bs-p-bs";
	struct dwarf_sections sections;
	struct dwarf_line line;
	struct dwarf_row row;
	size_t count = 0;

	open_program(5, program, &sections, &line);
	for (; dwarf_next_row(&line, &row); count++)
		ck_assert_int_eq(want[count],
		                 "-spb"[(row.statement ? 1 : 0) + (row.prologue_end ? 2 : 0)]);
	ck_assert_uint_eq(count, sizeof(want) - 1);
}
END_TEST

START_TEST(refuses_cut_headers)
{
	static struct fixture_out out;
	size_t end = make(&out, (unsigned)_i, (struct cairn_bytes)BYTES("\1"));

	for (size_t size = 0; size < out.size; size++) {
		struct cairn_bytes none = BYTES("");
		struct cairn_bytes section = unit_exact((struct cairn_bytes){ out.data, size });
		struct dwarf_sections sections = { none, none, section, none, none,
			                           none, none, none,    none, false };
		struct cairn_fault fault = { CAIRN_OK, 0, NULL };
		struct dwarf_line line;
		ck_assert_int_eq(dwarf_open_line(&sections, 0, 8, &line, &fault), CAIRN_TRUNCATED);
		ck_assert_uint_eq(fault.offset, 0);
	}
	ck_assert_uint_lt(end, out.size);
}
END_TEST

/* A header that says what cannot be: where in a table of version 5, and what. */
static const struct {
	const char *name;
	size_t at;
	unsigned value;
	enum cairn_status status; /* of opening */
	bool broken;              /* later */
} headers[] = {
	{ "version", 4, 6, CAIRN_UNSUPPORTED, false },
	{ "length of the header", 8, 0xff, CAIRN_MALFORMED, false },
	{ "range of 0", 16, 0, CAIRN_OK, true },
	{ "no directory formats", 30, 0, CAIRN_MALFORMED, false },
	{ "directory count", 33, 0x7f, CAIRN_OK, true },
	{ "unknown form", 32, 0x7f, CAIRN_OK, true },
	{ "form without bytes", 32, 0x19, CAIRN_OK, true },
};

START_TEST(refuses_headers)
{
	static struct fixture_out out;
	make(&out, 5, (struct cairn_bytes)BYTES("\x22"));
	fixture_out_poke(&out, headers[_i].at, headers[_i].value, 1);
	struct cairn_bytes none = BYTES(""), section = unit_exact(fixture_out_bytes(&out));
	struct dwarf_sections sections = { none, none, section, none, none,
		                           none, none, none,    none, false };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct dwarf_line_entry entry;
	struct dwarf_line line;
	struct dwarf_row row;
	enum cairn_status status = dwarf_open_line(&sections, 0, 8, &line, &fault);

	ck_assert_msg(status == headers[_i].status, "%s: %d", headers[_i].name, status);
	if (status != CAIRN_OK)
		return;
	while (dwarf_next_directory(&line, &entry))
		continue;
	while (dwarf_next_file(&line, &entry))
		continue;
	while (dwarf_next_row(&line, &row))
		continue;
	ck_assert_msg((line.fault.status != CAIRN_OK) == headers[_i].broken, "%s",
	              headers[_i].name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dwarf_line");
	TCase *tests = tcase_create("dwarf_line");

	tcase_add_loop_test(tests, runs_programs, 0, COUNT(programs));
	tcase_add_test(tests, tells_of_statements);
	tcase_add_loop_test(tests, places_are_those_of_the_rows, 0, COUNT(programs));
	tcase_add_loop_test(tests, places_divide_as_they_should, 1, 20);
	tcase_add_test(tests, places_read_numbers);
	tcase_add_test(tests, places_come_once);
	tcase_add_loop_test(tests, refuses_cut_headers, 2, 6);
	tcase_add_loop_test(tests, refuses_headers, 0, COUNT(headers));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
