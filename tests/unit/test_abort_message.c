/* SPDX-License-Identifier: MIT */
/* The message of an aborted program: its variable in symbol tables, and its text in memory. */
#include "unit.h"

#include "fixture_elf.h"

#include "process/snapshot/snapshot_memory.h"

enum { OBJECT = 1, FUNCTION = 2, LOW = 0x1000, MEMORY = 0x1000, VALUE = 0x2468 };

/* Both classes in both orders. */
static const struct kind {
	bool wide, big;
} kinds[] = { { false, false }, { false, true }, { true, false }, { true, true } };

static void put_symbol(struct fixture_out *table, bool wide, uint32_t name, unsigned type,
                       uint64_t size, unsigned section)
{
	fixture_out_put(table, name, 4);
	if (!wide) {
		fixture_out_put(table, VALUE, 4);
		fixture_out_put(table, size, 4);
	}
	fixture_out_put(table, type, 1);
	fixture_out_put(table, 0, 1);
	fixture_out_put(table, section, 2);
	if (wide) {
		fixture_out_put(table, VALUE, 8);
		fixture_out_put(table, size, 8);
	}
}

static const char strings[] = "\0__abort_msg\0__abort_msg2\0xx__abort_msg\0";

static const struct {
	const char *name;
	uint32_t text;
	unsigned type, section;
	int size; /* more than a word */
	bool found;
} symbols[] = {
	{ .name = "the variable", .text = 1, .type = OBJECT, .section = 1, .found = true },
	{ .name = "a function", .text = 1, .type = FUNCTION, .section = 1 },
	{ .name = "not defined", .text = 1, .type = OBJECT, .section = 0 },
	{ .name = "larger", .text = 1, .type = OBJECT, .section = 1, .size = 1 },
	{ .name = "smaller", .text = 1, .type = OBJECT, .section = 1, .size = -1 },
	{ .name = "a longer name", .text = 13, .type = OBJECT, .section = 1 },
	{ .name = "the end of a name", .text = 28, .type = OBJECT, .section = 1, .found = true },
	{ .name = "the name without its beginning", .text = 2, .type = OBJECT, .section = 1 },
	{ .name = "no name", .text = 0, .type = OBJECT, .section = 1 },
	{ .name = "past the strings", .text = 0x7fffffff, .type = OBJECT, .section = 1 },
};

/* A file with one symbol after the empty one, of this row, `cut` bytes of it missing. */
static bool find_symbol(const struct kind *kind, size_t row, size_t cut, uint64_t *va)
{
	static struct fixture_out table, file;
	struct fixture_elf_places places;
	unsigned word = kind->wide ? 8 : 4;
	struct cairn_fault fault;
	struct elf elf;

	table = (struct fixture_out){ .big = kind->big };
	put_symbol(&table, kind->wide, 0, 0, 0, 0);
	put_symbol(&table, kind->wide, symbols[row].text, symbols[row].type,
	           word + (uint64_t)symbols[row].size, symbols[row].section);
	table.size -= cut;
	const struct fixture_section sections[] = {
		{ ".dynsym", ELF_SHT_DYNSYM, 0, fixture_out_bytes(&table), 2, 1 },
		{ ".dynstr", 3, 0, BYTES(strings), 0, 0 },
	};
	struct fixture_elf made = { kind->wide, kind->big, false, ELF_TYPE_DYN, 62, 0,
		                    0,          NULL,      2,     sections };
	fixture_elf(&file, &made, &places);
	struct cairn_bytes bytes = unit_exact(fixture_out_bytes(&file));
	ck_assert_int_eq(elf_open(bytes, &elf, &fault), CAIRN_OK);
	ck_assert(!abort_message_find_variable(&elf, ".symtab", word, va));
	return abort_message_find_variable(&elf, ".dynsym", word, va);
}

START_TEST(finds_the_variable)
{
	for (size_t k = 0; k < COUNT(kinds); k++) {
		uint64_t va = 0;
		bool found = find_symbol(&kinds[k], (size_t)_i, 0, &va);
		ck_assert_msg(found == symbols[_i].found, "%s: %d", symbols[_i].name, found);
		if (found)
			ck_assert_uint_eq(va, VALUE);
		ck_assert(!find_symbol(&kinds[k], (size_t)_i, 1, &va));
	}
}
END_TEST

/* The function of Swift that returns the address of its variable; 0: it is not found. */
static const struct {
	const char *name;
	uint16_t machine;
	unsigned type;
	struct cairn_bytes code; /* at VALUE */
	uint64_t va;
} functions[] = {
	{ "lea alone", 62, FUNCTION, BYTES("\x48\x8d\x05\0\1\0\0\xc3"), VALUE + 7 + 0x100 },
	{ "lea after a prologue", 62, FUNCTION,
	  BYTES("\x55\x48\x89\xe5\x48\x8d\x05\xff\xff\xff\xff\x5d\xc3"), VALUE + 4 + 7 - 1 },
	{ "lea of another register", 62, FUNCTION, BYTES("\x48\x8d\x0d\0\1\0\0\xc3"), 0 },
	{ "lea too far", 62, FUNCTION,
	  BYTES("\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	        "\x48\x8d\x05\0\1\0\0\xc3"),
	  0 },
	{ "a cut lea", 62, FUNCTION, BYTES("\x48\x8d\x05\0\1\0\0"), 0 },
	{ "a variable", 62, OBJECT, BYTES("\x48\x8d\x05\0\1\0\0\xc3"), 0 },
	{ "adrp and add", 183, FUNCTION, BYTES("\0\0\0\xd0\0\xc0\x04\x91"), 0x2000 + 0x2130 },
	{ "adrp to a lower page", 183, FUNCTION,
	  BYTES("\xfd\x7b\xbf\xa9\xe0\xff\xff\xf0\0\x10\0\x91"), 0x2000 - 0x1000 + 4 },
	{ "adrp and add of another register", 183, FUNCTION, BYTES("\0\0\0\xd0\x20\xc0\x04\x91"),
	  0 },
	{ "lea on another machine", 183, FUNCTION, BYTES("\x48\x8d\x05\0\1\0\0\xc3"), 0 },
	{ "adrp on another machine", 62, FUNCTION, BYTES("\0\0\0\xd0\0\xc0\x04\x91"), 0 },
};

START_TEST(finds_the_variable_of_swift)
{
	static struct fixture_out table, file;
	struct fixture_elf_places places;
	struct cairn_fault fault;
	struct elf elf;
	uint64_t va = 0;

	table = (struct fixture_out){ .big = false };
	put_symbol(&table, true, 0, 0, 0, 0);
	put_symbol(&table, true, 1, functions[_i].type, 16, 3);
	const struct fixture_section sections[] = {
		{ ".dynsym", ELF_SHT_DYNSYM, 0, fixture_out_bytes(&table), 2, 1 },
		{ ".dynstr", 3, 0, BYTES("\0swift_getFatalErrorMessageBuffer\0"), 0, 0 },
		{ ".text", 1, VALUE, functions[_i].code, 0, 0 },
	};
	const struct fixture_segment segment = { ELF_PT_LOAD, 5, VALUE, 0x1000, 3 };
	struct fixture_elf made = { true, false,    false, ELF_TYPE_DYN, functions[_i].machine, 0,
		                    1,    &segment, 3,     sections };
	fixture_elf(&file, &made, &places);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(&file)), &elf, &fault), CAIRN_OK);
	ck_assert(!abort_message_find_swift(&elf, ".symtab", &va));
	bool found = abort_message_find_swift(&elf, ".dynsym", &va);
	ck_assert_msg(found == (functions[_i].va != 0), "%s: %d", functions[_i].name, found);
	if (found)
		ck_assert_uint_eq(va, functions[_i].va);
}
END_TEST

/* Memory from LOW on. */
static uint8_t memory[MEMORY];

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	uint64_t at = address - LOW;

	(void)context;
	if (at > MEMORY || size > MEMORY - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, memory + at, size);
	return CAIRN_OK;
}

static const struct {
	const char *name;
	uint64_t variable, pointer; /* what the variable holds */
	struct cairn_bytes message; /* what the pointer leads to, the size before it */
	unsigned word;              /* 0: 8 and 4 */
	const char *text;
} messages[] = {
	{ .name = "a message",
	  .variable = LOW,
	  .pointer = LOW + 16,
	  .message = BYTES("\x10\0\0\0a: failed.\n"),
	  .text = "a: failed." },
	{ .name = "newlines alone",
	  .variable = LOW,
	  .pointer = LOW + 16,
	  .message = BYTES("\x10\0\0\0\n\n\n"),
	  .text = "" },
	{ .name = "a size that is not true",
	  .variable = LOW,
	  .pointer = LOW + 16,
	  .message = BYTES("\xff\xff\xff\xffx\ny"),
	  .text = "x\ny" },
	{ .name = "no message", .variable = LOW, .pointer = 0, .text = "" },
	{ .name = "a pointer past memory", .variable = LOW, .pointer = LOW + MEMORY, .text = "" },
	{ .name = "the text is past memory",
	  .variable = LOW,
	  .pointer = LOW + MEMORY - 4,
	  .text = "" },
	{ .name = "the end of memory",
	  .variable = LOW,
	  .pointer = LOW + MEMORY - 6,
	  .message = BYTES("\0\0\0\0zz"),
	  .text = "zz" },
	{ .name = "a pointer at the end of addresses",
	  .variable = LOW,
	  .pointer = UINT64_MAX - 3,
	  .word = 8,
	  .text = "" },
	{ .name = "the variable is cut", .variable = LOW + MEMORY - 2, .pointer = LOW, .text = "" },
	{ .name = "the variable is not there", .variable = UINT64_MAX, .pointer = LOW, .text = "" },
	{ .name = "an address of 2 bytes",
	  .variable = LOW,
	  .pointer = LOW + 16,
	  .word = 2,
	  .text = "" },
	{ .name = "an address of no size",
	  .variable = LOW,
	  .pointer = LOW + 16,
	  .word = 9,
	  .text = "" },
};

static void check_message(size_t row, unsigned word, bool big)
{
	struct snapshot snapshot = { .word = word,
		                     .big_endian = big,
		                     .memory.read_memory = read_memory };
	uint8_t text[CAIRN_ABORT_MESSAGE];
	uint64_t at = messages[row].variable - LOW, to = messages[row].pointer - LOW;

	memset(memory, 0, sizeof(memory));
	for (unsigned i = 0; i < word && at < MEMORY && i < MEMORY - at; i++)
		memory[at + i] =
			(uint8_t)(messages[row].pointer >> 8 * ((big ? word - 1 - i : i) % 8));
	if (to < MEMORY && messages[row].message.size > 0 &&
	    messages[row].message.size <= MEMORY - to)
		memcpy(memory + to, messages[row].message.data, messages[row].message.size);
	struct cairn_bytes found =
		abort_message_read(&snapshot, messages[row].variable, ABORT_MESSAGE_HEAD, text);
	ck_assert_msg(found.size == strlen(messages[row].text), "%s: %zu", messages[row].name,
	              found.size);
	ck_assert_int_eq(memcmp(found.data, messages[row].text, found.size), 0);
}

START_TEST(reads_the_text)
{
	for (unsigned word = 4; word <= 8; word += 4)
		for (unsigned big = 0; big <= 1; big++)
			if (messages[_i].word == 0 || messages[_i].word == word)
				check_message((size_t)_i, word, big);
	if (messages[_i].word % 4 != 0)
		check_message((size_t)_i, messages[_i].word, false);
}
END_TEST

START_TEST(cuts_long_texts)
{
	struct snapshot snapshot = { .word = 8, .memory.read_memory = read_memory };
	uint8_t text[CAIRN_ABORT_MESSAGE];

	memset(memory, 'x', sizeof(memory));
	memset(memory, 0, 8);
	memory[0] = 16;
	memory[1] = LOW >> 8;
	struct cairn_bytes found = abort_message_read(&snapshot, LOW, ABORT_MESSAGE_HEAD, text);
	ck_assert_uint_eq(found.size, CAIRN_ABORT_MESSAGE);
	memory[16 + 4 + CAIRN_ABORT_MESSAGE - 1] = 0;
	found = abort_message_read(&snapshot, LOW, ABORT_MESSAGE_HEAD, text);
	ck_assert_uint_eq(found.size, CAIRN_ABORT_MESSAGE - 1);
	memory[16 + 3] = 0; /* Swift's message begins with its text */
	found = abort_message_read(&snapshot, LOW, 0, text);
	ck_assert_uint_eq(found.size, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("abort_message");
	TCase *tests = tcase_create("abort_message");

	tcase_add_loop_test(tests, finds_the_variable, 0, COUNT(symbols));
	tcase_add_loop_test(tests, finds_the_variable_of_swift, 0, COUNT(functions));
	tcase_add_loop_test(tests, reads_the_text, 0, COUNT(messages));
	tcase_add_test(tests, cuts_long_texts);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
