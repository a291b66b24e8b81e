/* SPDX-License-Identifier: MIT */
/* Breakpad lines, one by one; and what they make together. */
#include "unit.h"

#include "formats/breakpad.h"
#include "symbols/breakpad.h"

#include <stdio.h>

static const struct {
	const char *name;
	struct cairn_bytes line;
	enum breakpad_kind kind;
	const char *what; /* of a line that is wrong */
} lines[] = {
	{ "module", BYTES("MODULE Linux x86_64 000102030405060708090a0b0c0d0e0f0 a b"),
	  BREAKPAD_MODULE, NULL },
	{ "module without name", BYTES("MODULE Linux x86_64 00"), BREAKPAD_BAD,
	  "the name is missing" },
	{ "code id", BYTES("INFO CODE_ID 0a0b"), BREAKPAD_CODE_ID, NULL },
	{ "code id of no digits", BYTES("INFO CODE_ID xyz"), BREAKPAD_BAD,
	  "the ID is not hexadecimal" },
	{ "other info", BYTES("INFO GENERATOR any thing"), BREAKPAD_INFO, NULL },
	{ "leading blanks and a carriage return", BYTES("  \tFILE 7 a b.c\r"), BREAKPAD_FILE,
	  NULL },
	{ "file number over 32 bits", BYTES("FILE 4294967296 a"), BREAKPAD_BAD,
	  "a field is not a number or is too large" },
	{ "largest file number", BYTES("FILE 4294967295 /a.c"), BREAKPAD_FILE, NULL },
	{ "largest line and file", BYTES("1a 2 4294967295 4294967295"), BREAKPAD_LINE, NULL },
	{ "largest origin", BYTES("INLINE_ORIGIN 4294967295 4294967295 f"), BREAKPAD_ORIGIN, NULL },
	{ "largest depth, line, file and origin",
	  BYTES("INLINE 4294967295 4294967295 4294967295 4294967295 10 4"), BREAKPAD_INLINE, NULL },
	{ "line over 32 bits", BYTES("1a 2 4294967296 0"), BREAKPAD_BAD,
	  "a field is not a number or is too large" },
	{ "func", BYTES("FUNC 10 20 0 f(int, int)"), BREAKPAD_FUNC, NULL },
	{ "func shared", BYTES("FUNC m 10 20 0 f"), BREAKPAD_FUNC, NULL },
	{ "func to the end of addresses", BYTES("FUNC ffffffffffffff00 ff 0 f"), BREAKPAD_FUNC,
	  NULL },
	{ "func behind it", BYTES("FUNC ffffffffffffff00 100 0 f"), BREAKPAD_BAD,
	  "the range extends past the end of the address space" },
	{ "line", BYTES("1a 2 3 4"), BREAKPAD_LINE, NULL },
	{ "line with a fifth field", BYTES("1a 2 3 4 5"), BREAKPAD_BAD, "too many fields" },
	{ "line without file", BYTES("1a 2 3"), BREAKPAD_BAD, "a field is missing" },
	{ "negative line", BYTES("1a 2 -3 4"), BREAKPAD_BAD,
	  "a field is not a number or is too large" },
	{ "origin", BYTES("INLINE_ORIGIN 3 f"), BREAKPAD_ORIGIN, NULL },
	{ "origin of 2021", BYTES("INLINE_ORIGIN 3 -1 f"), BREAKPAD_ORIGIN, NULL },
	{ "inline", BYTES("INLINE 0 1 2 3 10 4 20 4"), BREAKPAD_INLINE, NULL },
	{ "inline of 2021", BYTES("INLINE 0 1 3 10 4"), BREAKPAD_INLINE, NULL },
	{ "inline without ranges", BYTES("INLINE 0 1 2 3"), BREAKPAD_BAD, "a field is missing" },
	{ "public", BYTES("PUBLIC m 10 0 f"), BREAKPAD_PUBLIC, NULL },
	{ "stack", BYTES("STACK CFI 10 .cfa: $rsp 8 +"), BREAKPAD_STACK, NULL },
	{ "unknown", BYTES("WHATEVER 1 2"), BREAKPAD_UNKNOWN, NULL },
	{ "nul", BYTES("FUNC 10 20 0 f\0g"), BREAKPAD_BAD, "the line contains a NUL byte" },
};

START_TEST(reads_a_line)
{
	struct breakpad in = breakpad_open(unit_exact(lines[_i].line));
	struct breakpad_record record;

	ck_assert_msg(breakpad_next(&in, &record), "%s", lines[_i].name);
	ck_assert_msg(record.kind == lines[_i].kind, "%s: kind %d", lines[_i].name, record.kind);
	if (lines[_i].what)
		ck_assert_str_eq(record.what, lines[_i].what);
	ck_assert(!breakpad_next(&in, &record));
}
END_TEST

START_TEST(tells_build_ids)
{
	static const struct {
		struct cairn_bytes line;
		const char *id;
	} rows[] = {
		{ BYTES("MODULE Linux x86 000102030405060708090A0B0C0D0E0F1 n"),
		  "030201000504070608090a0b0c0d0e0f" },
		{ BYTES("MODULE mac x86 000102030405060708090A0B0C0D0E0F1 n"),
		  "000102030405060708090a0b0c0d0e0f" },
		{ BYTES("MODULE Linux x86 short n"), "" },
		{ BYTES("INFO CODE_ID 0a0B0c"), "0a0b0c" },
		{ BYTES("INFO CODE_ID 5A9832E53000 a.exe"), "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct breakpad in = breakpad_open(rows[i].line);
		struct breakpad_record record;
		uint8_t id[BREAKPAD_ID_MAX];
		char hex[2 * BREAKPAD_ID_MAX + 1] = "";
		ck_assert(breakpad_next(&in, &record));
		size_t size = breakpad_build_id(&record, id);
		for (size_t at = 0; at < size; at++)
			snprintf(hex + 2 * at, 3, "%02x", id[at]);
		ck_assert_str_eq(hex, rows[i].id);
	}
}
END_TEST

/* Functions as text. */
static enum cairn_status write_function(void *context, const struct function *f)
{
	FILE *out = context;

	fprintf(out, "%.*s %llx+%llx", (int)f->name.size, (const char *)f->name.data,
	        (unsigned long long)f->start, (unsigned long long)f->size);
	for (size_t i = 0; i < f->row_count; i++)
		fprintf(out, " %llx=%.*s:%u", (unsigned long long)f->rows[i].va,
		        (int)f->files[f->rows[i].file].name.size,
		        (const char *)f->files[f->rows[i].file].name.data, f->rows[i].line);
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct function_inline *call = &f->inlines[i];
		fprintf(out, " %u>%.*s@%.*s:%u", call->depth, (int)call->name.size,
		        (const char *)call->name.data, (int)f->files[call->call_file].name.size,
		        (const char *)f->files[call->call_file].name.data, call->call_line);
		for (uint32_t j = 0; j < call->ranges; j++)
			fprintf(out, "[%llx,%llx)",
			        (unsigned long long)f->range[call->range + j].low,
			        (unsigned long long)f->range[call->range + j].high);
	}
	fputc('\n', out);
	return CAIRN_OK;
}

static const struct {
	const char *name, *input, *functions;
	uint64_t malformed;
} files[] = {
	{ "gaps at head, inside and at the tail", "FILE 0 a\nFUNC 10 20 0 f\n14 4 1 0\n1c 4 2 0\n",
	  "f 10+20 10=:0 14=a:1 18=:0 1c=a:2 20=:0\n", 0 },
	{ "the earlier of two lines wins", "FILE 0 a\nFUNC 10 20 0 f\n14 8 1 0\n10 20 2 0\n",
	  "f 10+20 10=a:2 14=a:1 1c=a:2\n", 0 },
	{ "files are known before they are told", "FUNC 10 4 0 f\n10 4 1 9\nFILE 9 b\n",
	  "f 10+4 10=b:1\n", 0 },
	{ "the largest numbers are numbers",
	  "FILE 4294967295 b\nFILE 0 a\nINLINE_ORIGIN 4294967295 4294967295 g\n"
	  "INLINE_ORIGIN 1 -1 h\nFUNC 10 10 0 f\nINLINE 0 4294967295 4294967295 4294967295 10 8\n"
	  "INLINE 1 2 -1 1 10 4\nINLINE 0 3 -1 1 18 4\n10 4 4294967295 0\n14 c 7 4294967295\n",
	  "f 10+10 10=a:4294967295 14=b:7 1>g@b:4294967295[10,18) 2>h@b:2[10,14) 1>h@a:3[18,1c)\n",
	  0 },
	{ "ranges are cut to those around them, and joined",
	  "FILE 0 a\nINLINE_ORIGIN 0 g\nFUNC 10 10 0 f\nINLINE 0 5 0 0 8 c 18 4 1a 2\n"
	  "INLINE 1 6 0 0 0 ff\n10 10 1 0\n",
	  "f 10+10 10=a:1 1>g@a:5[10,14)[18,1c) 2>g@a:6[10,14)[18,1c)\n", 0 },
	{ "a call of another piece is dropped with what is in it",
	  "FUNC 10 10 0 f\nINLINE 0 5 0 0 40 4\nINLINE 1 6 0 0 10 4\n", "f 10+10\n", 0 },
	{ "symbols end at what begins next", "PUBLIC 8 0 p\nFUNC 10 4 0 f\nPUBLIC 20 0 q\n",
	  "f 10+4\np 8+8\nq 20+0\n", 0 },
	{ "a symbol inside of a function", "PUBLIC 12 0 p\nFUNC 10 4 0 f\n", "f 10+4\n", 0 },
	{ "a bad FUNC ends the one before", "FILE 0 a\nFUNC 10 4 0 f\nFUNC x\n10 4 1 0\n",
	  "f 10+4\n", 2 },
	{ "a depth without the one around it", "FUNC 10 4 0 f\nINLINE 1 5 0 0 10 4\n", "f 10+4\n",
	  1 },
};

START_TEST(joins_records)
{
	struct cairn_bytes bytes = { (const uint8_t *)files[_i].input, strlen(files[_i].input) };
	struct breakpad_file *file = breakpad_file_new(unit_exact(bytes), NULL);
	struct breakpad_summary report;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct function_sink sink = { write_function, out };

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(breakpad_functions(file, 0, &sink, NULL, &report), CAIRN_OK);
	fclose(out);
	ck_assert_msg(strcmp(text, files[_i].functions) == 0, "%s:\n%s", files[_i].name, text);
	ck_assert_uint_eq(report.malformed, files[_i].malformed);
	free(text);
	breakpad_file_free(file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("breakpad");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, reads_a_line, 0, COUNT(lines));
	tcase_add_test(all, tells_build_ids);
	tcase_add_loop_test(all, joins_records, 0, COUNT(files));
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
