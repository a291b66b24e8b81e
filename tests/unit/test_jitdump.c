/* SPDX-License-Identifier: MIT */
/* Tests jitdump files: records of each kind, and damage. */
#include "unit.h"

#include "formats/jitdump.h"

#include <stdio.h>

#define HEAD "DTiJ\1\0\0\0\x28\0\0\0\x3e\0\0\0\0\0\0\0\x34\x12\0\0TTTTTTTTFFFFFFFF"
#define SWAPPED "JiTD\0\0\0\1\0\0\0\x28\0\0\0\x3e\0\0\0\0\0\0\x12\x34TTTTTTTTFFFFFFFF"
#define WORD(a) a "\0\0\0\0\0\0\0"
#define TIME "TTTTTTTT"
#define LOAD(size, start, bytes) \
	"\0\0\0\0" size "\0\0\0" TIME "PPPPTTTT" WORD("\1") WORD(start) WORD(bytes) WORD("\0")
#define GOOD LOAD("\x3c", "\x10", "\2") "abc\0"

/* `text`: each record as "l start+size name", "m old>start+size", "d start: address line file;..." */
static const struct {
	const char *what;
	struct cairn_bytes file;
	const char *text; /* NULL: it is not opened */
} rows[] = {
	{ "nothing", BYTES(""), NULL },
	{ "a head alone", BYTES(HEAD), "" },
	{ "another magic", BYTES("ELF!" HEAD), NULL },
	{ "a head that is cut", BYTES("DTiJ\1\0\0\0\x28\0\0\0\x3e\0\0\0"), NULL },
	{ "a head past the end",
	  BYTES("DTiJ\1\0\0\0\x29\0\0\0\x3e\0\0\0\0\0\0\0\x34\x12\0\0TTTTTTTTFFFFFFFF"), NULL },
	{ "a small head",
	  BYTES("DTiJ\1\0\0\0\x27\0\0\0\x3e\0\0\0\0\0\0\0\x34\x12\0\0TTTTTTTTFFFFFFFF"), NULL },
	{ "a larger head",
	  BYTES("DTiJ\1\0\0\0\x2a\0\0\0\x3e\0\0\0\0\0\0\0\x34\x12\0\0TTTTTTTTFFFFFFFF??" GOOD),
	  "l 10+2 abc;" },
	{ "code", BYTES(HEAD GOOD), "l 10+2 abc;" },
	{ "code with its bytes", BYTES(HEAD LOAD("\x3e", "\x10", "\2") "abc\0xy" GOOD),
	  "l 10+2 abc;l 10+2 abc;" },
	{ "big-endian",
	  BYTES(SWAPPED "\0\0\0\0\0\0\0\x3c" TIME
	                "PPPPTTTTVVVVVVVV\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\2IIIIIIIIabc\0"),
	  "l 10+2 abc;" },
	{ "no name", BYTES(HEAD LOAD("\x39", "\x10", "\2") "\0" GOOD), "l 10+2 abc;" },
	{ "a name without end", BYTES(HEAD LOAD("\x3b", "\x10", "\2") "abc"), "" },
	{ "code of no size", BYTES(HEAD LOAD("\x3c", "\x10", "\0") "abc\0" GOOD), "l 10+2 abc;" },
	{ "code past the end of memory",
	  BYTES(HEAD
	        "\0\0\0\0\x3c\0\0\0" TIME
	        "PPPPTTTTVVVVVVVV\xff\xff\xff\xff\xff\xff\xff\xff\2\0\0\0\0\0\0\0IIIIIIIIabc\0"),
	  "" },
	{ "a record of no size", BYTES(HEAD "\0\0\0\0\0\0\0\0" TIME GOOD), "" },
	{ "a record that is too small", BYTES(HEAD "\0\0\0\0\x0f\0\0\0" TIME GOOD), "" },
	{ "a record past the end", BYTES(HEAD "\0\0\0\0\xff\0\0\0" TIME GOOD), "" },
	{ "code in a record without room", BYTES(HEAD "\0\0\0\0\x10\0\0\0" TIME GOOD),
	  "l 10+2 abc;" },
	{ "a record that is cut", BYTES(HEAD GOOD "\0\0\0\0\x3c\0\0"), "l 10+2 abc;" },
	{ "an unwinding table",
	  BYTES(HEAD "\4\0\0\0\x2d\0\0\0" TIME WORD("\5") WORD("\2") WORD("\0") "abcde" GOOD),
	  "f abc;l 10+2 abc;" },
	{ "an unwinding table of no size",
	  BYTES(HEAD "\4\0\0\0\x2a\0\0\0" TIME WORD("\2") WORD("\2") WORD("\0") "ab" GOOD),
	  "l 10+2 abc;" },
	{ "an unwinding table past the end of its record",
	  BYTES(HEAD "\4\0\0\0\x2d\0\0\0" TIME WORD("\6") WORD("\2") WORD("\0") "abcde" GOOD),
	  "l 10+2 abc;" },
	{ "a header larger than its table",
	  BYTES(HEAD "\4\0\0\0\x2d\0\0\0" TIME WORD("\5") WORD("\6") WORD("\0") "abcde" GOOD),
	  "l 10+2 abc;" },
	{ "unknown records, the end, unwinding",
	  BYTES(HEAD "\3\0\0\0\x10\0\0\0" TIME "\4\0\0\0\x11\0\0\0" TIME
	             "?\x7f\0\0\0\x10\0\0\0" TIME GOOD),
	  "l 10+2 abc;" },
	{ "a move",
	  BYTES(HEAD "\1\0\0\0\x40\0\0\0" TIME "PPPPTTTTVVVVVVVV" WORD("\x10") WORD("\x20")
	                WORD("\2") "IIIIIIII"),
	  "m 10>20+2;" },
	{ "a move to nowhere",
	  BYTES(HEAD "\1\0\0\0\x40\0\0\0" TIME "PPPPTTTTVVVVVVVV" WORD("\x10") WORD("\x20")
	                WORD("\0") "IIIIIIII"),
	  "" },
	{ "lines",
	  BYTES(HEAD "\2\0\0\0\x46\0\0\0" TIME WORD("\x10") WORD("\2") WORD(
		  "\x10") "\7\0\0\0\0\0\0\0a.c\0" WORD("\x12") "\x08\0\0\0\0\0\0\0\xff\0"),
	  "d 10:10 7 a.c,12 8 a.c,;" },
	{ "a line that is cut",
	  BYTES(HEAD "\2\0\0\0\x40\0\0\0" TIME WORD("\x10") WORD("\2")
	                WORD("\x10") "\7\0\0\0\0\0\0\0a.c\0" WORD("\x12") "\x08\0\0\0"),
	  "d 10:10 7 a.c,;" },
	{ "the file of no line before",
	  BYTES(HEAD "\2\0\0\0\x32\0\0\0" TIME WORD("\x10") WORD("\1")
	                WORD("\x10") "\7\0\0\0\0\0\0\0\xff\0"),
	  "d 10:10 7 ,;" },
	{ "lines without room",
	  BYTES(HEAD "\2\0\0\0\x1f\0\0\0" TIME WORD("\x10") "\1\0\0\0\0\0\0" GOOD), "l 10+2 abc;" },
};

static void print_record(const struct jitdump *dump, const struct jitdump_record *r, char *out)
{
	struct jitdump_line line = { .address = 0 };
	struct cairn_bytes lines = r->lines;

	if (r->kind == JITDUMP_FRAMES) {
		sprintf(out, "f %.*s;", (int)r->frames.size, r->frames.data);
		return;
	}
	if (r->kind == JITDUMP_LOAD) {
		sprintf(out, "l %llx+%llx %.*s;", (unsigned long long)r->start,
		        (unsigned long long)r->size, (int)r->name.size, r->name.data);
		return;
	}
	if (r->kind == JITDUMP_MOVE) {
		sprintf(out, "m %llx>%llx+%llx;", (unsigned long long)r->old,
		        (unsigned long long)r->start, (unsigned long long)r->size);
		return;
	}
	out += sprintf(out, "d %llx:", (unsigned long long)r->start);
	while (jitdump_line(dump, &lines, &line))
		out += sprintf(out, "%llx %u %.*s,", (unsigned long long)line.address, line.line,
		               (int)line.file.size,
		               line.file.size ? (const char *)line.file.data : "");
	strcpy(out, ";");
}

START_TEST(reads_records)
{
	char text[256] = "";
	struct jitdump dump;
	struct jitdump_record record;
	bool opened = jitdump_open(unit_exact(rows[_i].file), &dump);

	ck_assert_msg(opened == (rows[_i].text != NULL), "%s", rows[_i].what);
	if (!opened)
		return;
	ck_assert_uint_eq(dump.pid, 0x1234);
	ck_assert_uint_eq(dump.machine, 0x3e);
	while (jitdump_next(&dump, &record))
		print_record(&dump, &record, text + strlen(text));
	ck_assert_msg(strcmp(text, rows[_i].text) == 0, "%s: %s", rows[_i].what, text);
	ck_assert(!jitdump_next(&dump, &record));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jitdump");
	TCase *tcase = tcase_create("jitdump");

	tcase_add_loop_test(tcase, reads_records, 0, COUNT(rows));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
