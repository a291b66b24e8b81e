/* SPDX-License-Identifier: MIT */
/* Tests code that a process has made: what is where now, what was replaced, and rules for its frames. */
#include "unit.h"

#include "symbols/jit_frames.h"

#include <stdio.h>
#include <string.h>

#define HEAD "DTiJ\1\0\0\0\x28\0\0\0\x3e\0\0\0\0\0\0\0\x34\x12\0\0TTTTTTTTFFFFFFFF"
#define WORD(a) a "\0\0\0\0\0\0\0"
#define TIME "TTTTTTTT"
/* `name` is three letters and a NUL */
#define LOAD(record, start, size, name)                                                         \
	"\0\0\0\0" record "\0\0\0" TIME "PPPPTTTT" WORD("\1") WORD(start) WORD(size) WORD("\0") \
		name "\0"
#define MOVE(old, start, size) \
	"\1\0\0\0\x40\0\0\0" TIME "PPPPTTTTVVVVVVVV" WORD(old) WORD(start) WORD(size) "IIIIIIII"

/* `now`: what there is at 10, 18 and 20; `kept`: what is not replaced, "name start+size" */
static const struct {
	const char *what;
	struct cairn_bytes file;
	const char *now, *kept;
} codes[] = {
	{ "nothing", BYTES(""), "? ? ? ", "" },
	{ "a map", BYTES("10 10 abc\n20 1 def\n"), "abc abc def ", "abc 10+10;def 20+1;" },
	{ "the same start", BYTES("10 10 abc\n10 1 def\n"), "def ? ? ", "def 10+1;" },
	{ "a later one over the end", BYTES("10 10 abc\n18 9 def\n"), "abc def def ", "def 18+9;" },
	{ "an earlier one over the start", BYTES("18 9 def\n10 10 abc\n"), "abc def def ",
	  "abc 10+10;" },
	{ "a later one inside", BYTES("10 20 abc\n18 1 def\n"), "abc def ? ", "def 18+1;" },
	{ "one over many", BYTES("10 1 abc\n18 1 def\n20 1 ghi\n8 20 jkl\n"), "abc def ghi ",
	  "jkl 8+20;" },
	{ "an old one between new ones", BYTES("10 20 abc\n10 4 def\n20 4 ghi\n"), "def ? ghi ",
	  "def 10+4;ghi 20+4;" },
	{ "a jitdump", BYTES(HEAD LOAD("\x3c", "\x10", "\x10", "abc")), "abc abc ? ",
	  "abc 10+10;" },
	{ "code that moved",
	  BYTES(HEAD LOAD("\x3c", "\x18", "\4", "abc") MOVE("\x18", "\x20", "\4")), "? abc abc ",
	  "abc 18+4;abc 20+4;" },
	{ "code that moved from where nothing was",
	  BYTES(HEAD LOAD("\x3c", "\x18", "\4", "abc") MOVE("\x10", "\x20", "\4")), "? abc ? ",
	  "abc 18+4;" },
	{ "moves one after another",
	  BYTES(HEAD LOAD("\x3c", "\x10", "\4", "abc") MOVE("\x10", "\x18", "\4")
	                MOVE("\x18", "\x20", "\4")),
	  "abc abc abc ", "abc 10+4;abc 18+4;abc 20+4;" },
};

static void print_now(const struct jit_code *code, uint64_t pc, char *text)
{
	const struct jit_function *f = jit_code_find(code, pc);

	sprintf(text, "%.*s ", f ? (int)f->name.size : 1, f ? (const char *)f->name.data : "?");
}

START_TEST(finds_what_is_there_now)
{
	static const uint64_t places[] = { 0x10, 0x18, 0x20 };
	char now[64] = "", kept[128] = "";
	struct jit_code code;

	ck_assert_int_eq(jit_code_read(&code, unit_exact(codes[_i].file), NULL), CAIRN_OK);
	for (size_t i = 0; i < COUNT(places); i++)
		print_now(&code, places[i], now + strlen(now));
	ck_assert_msg(strcmp(now, codes[_i].now) == 0, "%s: %s", codes[_i].what, now);
	jit_code_remove_replaced(&code);
	for (size_t i = 0; i < code.count; i++) {
		const struct jit_function *f = &code.function[i];
		sprintf(kept + strlen(kept), "%.*s %llx+%llx;", (int)f->name.size, f->name.data,
		        (unsigned long long)f->start, (unsigned long long)f->size);
	}
	ck_assert_msg(strcmp(kept, codes[_i].kept) == 0, "%s: %s", codes[_i].what, kept);
	jit_code_finish(&code);
}
END_TEST

#define LINE(address, line, file) WORD(address) line "\0\0\0\0\0\0\0" file "\0"
#define LINES(size, count, lines) "\2\0\0\0" size "\0\0\0" TIME WORD("\x10") WORD(count) lines

/* Lines whose addresses go up and down: the one before the first that is past the address counts. */
static const struct cairn_bytes lined =
	BYTES(HEAD LINES("\x69", "\4",
                         LINE("\x10", "\1", "ab") LINE("\x14", "\2", "\xff") LINE("\x12", "\3", "c")
                                 LINE("\x18", "\4", "d")) LOAD("\x3c", "\x10", "\x10", "abc")
                      LOAD("\x3c", "\x40", "\x10", "def"));

static const struct {
	uint64_t pc;
	const char *line;
} line_answers[] = {
	{ 0x10, "ab:1" }, { 0x12, "ab:1" }, { 0x13, "ab:1" }, { 0x14, "c:3" },
	{ 0x17, "c:3" },  { 0x18, "d:4" },  { 0x1f, "d:4" },  { 0x40, "?" },
};

static void print_found_line(struct jit_code *code, uint64_t pc, char *text)
{
	struct jit_line line;

	if (jit_code_find_line(code, jit_code_find(code, pc), pc, &line))
		sprintf(text, "%.*s:%u", (int)line.file.size, (const char *)line.file.data,
		        line.line);
	else
		strcpy(text, "?");
}

START_TEST(reads_lines_once)
{
	const struct cairn_bytes file = unit_exact(lined);
	uint8_t *bytes = (uint8_t *)(uintptr_t)file.data;
	struct jit_code code;
	char text[16];

	ck_assert_int_eq(jit_code_read(&code, file, NULL), CAIRN_OK);
	for (size_t i = 0; i < COUNT(line_answers); i++) {
		print_found_line(&code, line_answers[i].pc, text);
		ck_assert_msg(strcmp(text, line_answers[i].line) == 0, "%llx: %s",
		              (unsigned long long)line_answers[i].pc, text);
		/* addresses are changed after the first answer, and nobody reads them again */
		for (size_t at = sizeof(HEAD) - 1; i == 0 && at < file.size; at++)
			if (bytes[at] == 0x14)
				bytes[at] = 0x77;
	}
	jit_code_finish(&code);
}
END_TEST

/* A CIE of rsp + 8, and an FDE: + 16 from the first byte on; `start` is where it counts from. */
#define CIE "\x14\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0"
#define FDE(start, size) "\x14\0\0\0\x1c\0\0\0" start size "\0\x41\x0e\x10\0\0\0\0"
#define TABLE(size, bytes) "\4\0\0\0" size "\0\0\0" TIME WORD("\x30") WORD("\0") WORD("\0") bytes
#define CODE(record, size, code) LOAD(record, "\x10", size, "abc") code

/* `rows`: each as "start cfa fp;" with the register's number and offset */
static const struct {
	const char *what;
	struct cairn_bytes file;
	const char *rows;
} frames[] = {
	{ "a map", BYTES("10 20 abc\n"), "10 6+16 c-16;" },
	{ "code that is not at hand", BYTES(HEAD LOAD("\x3c", "\x10", "\4", "abc")), "" },
	{ "a frame pointer", BYTES(HEAD CODE("\x44", "\x8", "\x55\x48\x89\xe5\x90\x90\x5d\xc3")),
	  "10 7+8 s;11 7+16 c-16;14 6+16 c-16;17 7+8 s;" },
	{ "no frame pointer", BYTES(HEAD CODE("\x44", "\x8", "\x90\x90\x90\x90\x90\x90\x90\xc3")),
	  "" },
	{ "a push before, and code after the return",
	  BYTES(HEAD CODE("\x46", "\xa", "\x53\x55\x48\x89\xe5\xc9\xc3\x90\x90\xc3")),
	  "10 7+8 s;11 7+16 s;12 7+24 c-24;15 6+16 c-16;16 7+8 s;17 6+16 c-16;" },
	{ "a table",
	  BYTES(HEAD TABLE("\x58", CIE FDE("\xd8\xff\xff\xff", "\4\0\0\0"))
	                CODE("\x40", "\4", "\x90\x90\x90\xc3")),
	  "10 7+8 s;11 7+16 s;" },
	{ "a table for another place",
	  BYTES(HEAD TABLE("\x58", CIE FDE("\0\0\1\0", "\4\0\0\0"))
	                CODE("\x40", "\4", "\x90\x90\x90\xc3")),
	  "10 7+8 s;11 7+16 s;" },
	{ "a table for more than the code",
	  BYTES(HEAD TABLE("\x58", CIE FDE("\xd8\xff\xff\xff", "\x44\0\0\0"))
	                CODE("\x40", "\4", "\x90\x90\x90\xc3")),
	  "10 7+8 s;11 7+16 s;" },
	{ "a table for no code",
	  BYTES(HEAD TABLE("\x58", CIE FDE("\xd8\xff\xff\xff", "\0\0\0\0"))
	                CODE("\x40", "\4", "\x90\x90\x90\xc3")),
	  "" },
	{ "a table of another function",
	  BYTES(HEAD TABLE("\x58", CIE FDE("\xd8\xff\xff\xff", "\4\0\0\0")) CODE(
		  "\x40", "\4", "\x90\x90\x90\xc3") CODE("\x40", "\4", "\x90\x90\x90\xc3")),
	  "" },
	{ "a table that is damaged",
	  BYTES(HEAD TABLE("\x58", "\xff" CIE FDE("\xd8\xff\xff\xff", "\4\0\0"))
	                CODE("\x40", "\4", "\x55\x48\x89\xe5")),
	  "10 7+8 s;11 7+16 c-16;" },
	{ "an FDE without its CIE",
	  BYTES(HEAD TABLE("\x58", FDE("\xd8\xff\xff\xff", "\4\0\0\0") CIE)
	                CODE("\x40", "\4", "\x90\x90\x90\xc3")),
	  "" },
};

static void print_row(const struct jit_row *row, char *text)
{
	const struct cairn_rule *rule = &row->rule;

	text += sprintf(text, "%llx %u%+lld ", (unsigned long long)row->start,
	                (unsigned)rule->cfa.base, (long long)rule->cfa.offset);
	if (rule->fp.kind == CAIRN_REGISTER_MEMORY)
		sprintf(text, "c%+lld;", (long long)rule->fp.offset);
	else
		strcpy(text, rule->fp.kind == CAIRN_REGISTER_SAME_VALUE ? "s;" : "?;");
}

START_TEST(finds_rules)
{
	char text[256] = "";
	struct jit_code code;
	struct jit_frames found;
	struct jit_row row;

	ck_assert_int_eq(jit_code_read(&code, unit_exact(frames[_i].file), NULL), CAIRN_OK);
	jit_code_remove_replaced(&code);
	ck_assert_uint_eq(code.count, 1);
	if (jit_frames_open(&found, &code, &code.function[0]))
		while (jit_frames_next(&found, &row))
			print_row(&row, text + strlen(text));
	ck_assert_msg(strcmp(text, frames[_i].rows) == 0, "%s: %s", frames[_i].what, text);
	jit_code_finish(&code);
}
END_TEST

/* The row of each address is the one of all rows that holds it; a map has none. */
START_TEST(finds_the_rule_of_an_address)
{
	char one[256], expected[256];
	struct jit_code code;
	struct jit_frames found;
	struct jit_row row, single;

	ck_assert_int_eq(jit_code_read(&code, unit_exact(frames[_i].file), NULL), CAIRN_OK);
	jit_code_remove_replaced(&code);
	struct jit_frames_search search = { .code = &code };
	const bool any = code.dump && jit_frames_open(&found, &code, &code.function[0]);
	uint64_t pc = code.function[0].start;
	while (any && jit_frames_next(&found, &row)) {
		for (; pc < row.end; pc++) {
			ck_assert_msg(jit_frames_find(&search, pc, &single), "%s: %llx",
			              frames[_i].what, (unsigned long long)pc);
			ck_assert_uint_eq(single.end, row.end);
			single.start = row.start;
			print_row(&row, expected);
			print_row(&single, one);
			ck_assert_str_eq(one, expected);
		}
	}
	for (; pc < code.function[0].start + code.function[0].size; pc++)
		ck_assert(!jit_frames_find(&search, pc, &single));
	ck_assert(!jit_frames_find(&search, pc, &single));
	jit_code_finish(&code);
}
END_TEST

START_TEST(finds_so_many_rules)
{
	const struct cairn_bytes file =
		BYTES(HEAD CODE("\x44", "\x8", "\x55\x48\x89\xe5\x90\x90\x5d\xc3"));
	struct jit_code code;
	struct jit_row row;

	ck_assert_int_eq(jit_code_read(&code, unit_exact(file), NULL), CAIRN_OK);
	struct jit_frames_search search = { .code = &code };
	for (unsigned i = 0; i < JIT_FRAMES_FOUND; i++)
		ck_assert(jit_frames_find(&search, 0x14, &row));
	ck_assert(!jit_frames_find(&search, 0x14, &row));
	jit_code_finish(&code);
}
END_TEST

/* A frame pointer, then code of one byte each: the last address that is followed, and the one after it. */
START_TEST(follows_so_much_code)
{
	static uint8_t text[2 * JIT_FRAMES_FOLLOWED];
	static const uint8_t prologue[] = { 0x55, 0x48, 0x89, 0xe5 };
	struct jit_details details[2] = { [1] = { .code = { text, sizeof(text) } } };
	struct jit_function function = {
		.start = 0x1000, .size = sizeof(text), .name = BYTES("abc"), .details = 1
	};
	const struct jit_code code = { .function = &function,
		                       .count = 1,
		                       .details = details,
		                       .details_count = 2,
		                       .dump = true };
	struct jit_frames_search search = { .code = &code };
	struct jit_row row;

	memset(text, 0x90, sizeof(text));
	memcpy(text, prologue, sizeof(prologue));
	ck_assert(jit_frames_find(&search, function.start + JIT_FRAMES_FOLLOWED - 1, &row));
	ck_assert_int_eq(row.rule.cfa.base, 6);
	ck_assert(!jit_frames_find(&search, function.start + JIT_FRAMES_FOLLOWED, &row));
}
END_TEST

static enum cairn_status open_jit(struct cairn_bytes file, uint64_t pid,
                                  struct cairn_symbols **symbols, struct cairn_fault *fault)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;

	options.format = CAIRN_SYMBOLS_JIT;
	options.pid = pid;
	return cairn_symbols_open_bytes(file, &options, symbols, fault);
}

START_TEST(belongs_to_a_process)
{
	const struct cairn_bytes dump = BYTES(HEAD LOAD("\x3c", "\x10", "\4", "abc"));
	const struct cairn_bytes map = BYTES("10 4 abc\n"), nothing = BYTES("abc\n");
	struct cairn_symbols *symbols;
	struct cairn_fault fault;

	ck_assert_int_eq(open_jit(dump, 0x1235, &symbols, &fault), CAIRN_MISMATCH);
	ck_assert_str_eq(fault.what, "the jitdump of another process");
	ck_assert_int_eq(open_jit(nothing, 0, &symbols, &fault), CAIRN_NOT_FOUND);
	ck_assert_int_eq(open_jit(dump, 0x1234, &symbols, &fault), CAIRN_OK);
	ck_assert_int_eq(cairn_symbols_format(symbols), CAIRN_SYMBOLS_JIT);
	cairn_symbols_free(symbols);
	ck_assert_int_eq(open_jit(map, 0x1235, &symbols, &fault), CAIRN_OK);
	cairn_symbols_free(symbols);
}
END_TEST

static bool has_text(struct cairn_bytes bytes, const char *text)
{
	size_t size = strlen(text) + 1;

	for (size_t i = 0; i + size <= bytes.size; i++)
		if (memcmp(bytes.data + i, text, size) == 0)
			return true;
	return false;
}

START_TEST(leaves_out_what_modules_have)
{
	const struct cairn_bytes map = BYTES("1000 4 in_module\n2000 4 made_code\n");
	const struct cairn_range module = { 0xff0, 0x1001 };
	const struct cairn_object_options options = { .size = sizeof(options),
		                                      .machine = 62,
		                                      .jit = map,
		                                      .excluded = &module,
		                                      .excluded_count = 1 };
	struct cairn_symbols *symbols;
	struct cairn_object object;
	struct cairn_fault fault;

	ck_assert_int_eq(open_jit(map, 0, &symbols, &fault), CAIRN_OK);
	ck_assert_int_eq(cairn_object_make(symbols, &options, &object), CAIRN_OK);
	ck_assert_uint_eq(object.functions, 1);
	ck_assert(has_text(object.bytes, "made_code"));
	ck_assert(!has_text(object.bytes, "in_module"));
	cairn_object_free(&object);
	cairn_symbols_free(symbols);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jit_code");
	TCase *tcase = tcase_create("jit_code");

	tcase_add_test(tcase, reads_lines_once);
	tcase_add_loop_test(tcase, finds_what_is_there_now, 0, COUNT(codes));
	tcase_add_loop_test(tcase, finds_rules, 0, COUNT(frames));
	tcase_add_loop_test(tcase, finds_the_rule_of_an_address, 0, COUNT(frames));
	tcase_add_test(tcase, finds_so_many_rules);
	tcase_add_test(tcase, follows_so_much_code);
	tcase_add_test(tcase, belongs_to_a_process);
	tcase_add_test(tcase, leaves_out_what_modules_have);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
