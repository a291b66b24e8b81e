/* SPDX-License-Identifier: MIT */
/* Lines into nodes, elements into values. */
#include "formats/markup.h"
#include "unit.h"

#include <stdio.h>

/* What a line consists of: T text, S colour, E element, B bad tag, O open; each with its text. */
static const struct {
	const char *line, *kept, *llvm;
} lines[] = {
	{ "", "", "" },
	{ "plain { {{ }}}", "T(plain { {{ }}})", "T(plain { {{ }}})" },
	{ "a{{{bt:0}}}b", "T(a)E({{{bt:0}}})T(b)", "T(a)E({{{bt:0}}})T(b)" },
	{ "{{{reset}}}{{{x}}}", "E({{{reset}}})E({{{x}}})", "E({{{reset}}})E({{{x}}})" },
	{ "{{{}}}{{{:x}}}", "T({{{}}}{{{:x}}})", "T({{{}}}{{{:x}}})" },
	{ "{{{{symbol:a}}}}", "T({)E({{{symbol:a}}})T(})", "B({{{{symbol:a}}})T(})" },
	{ "{{{A{{{pc:1}}}B}}}", "T({{{A)E({{{pc:1}}})T(B}}})", "B({{{A{{{pc:1}}})T(B}}})" },
	{ "{{{symbol:a{{{pc:1}}}}}}", "E({{{symbol:a{{{pc:1}}})T(}}})",
	  "E({{{symbol:a{{{pc:1}}})T(}}})" },
	{ "{{{pc:1", "T({{{pc:1)", "T({{{pc:1)" },
	{ "{{{pc {{{data:2}}}", "T({{{pc )E({{{data:2}}})", "B({{{pc {{{data:2}}})" },
	{ "x {{{hexdict: A: 1", "T(x )O({{{hexdict: A: 1)", "T(x {{{hexdict: A: 1)" },
	{ "{{{pc:1 {{{hexdict:", "T({{{pc:1 )O({{{hexdict:)", "T({{{pc:1 {{{hexdict:)" },
	{ "{{{hexdict:}}}", "E({{{hexdict:}}})", "E({{{hexdict:}}})" },
	{ "\033[1mb\033[0m", "S(\033[1m)T(b)S(\033[0m)", "S(\033[1m)T(b)S(\033[0m)" },
	{ "\033[37m\033[38m\033[2m\033[m", "S(\033[37m)T(\033[38m\033[2m\033[m)",
	  "S(\033[37m)T(\033[38m\033[2m\033[m)" },
	{ "{{{pc:\033[1m}}}", "E({{{pc:\033[1m}}})", "E({{{pc:\033[1m}}})" },
};

static struct cairn_bytes bytes(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

static void describe(const char *line, enum markup_rules rules, char *text, size_t capacity)
{
	struct markup in = markup_open(unit_exact(bytes(line)), rules);
	struct markup_node node;
	size_t at = 0;

	*text = '\0';
	while (markup_next(&in, &node))
		at += (size_t)snprintf(text + at, capacity - at, "%c(%.*s)", "TSEBO"[node.kind],
		                       (int)node.text.size, (const char *)node.text.data);
}

START_TEST(splits_a_line)
{
	char text[256];

	describe(lines[_i].line, MARKUP_KEEP, text, sizeof(text));
	ck_assert_str_eq(text, lines[_i].kept);
	describe(lines[_i].line, MARKUP_LLVM, text, sizeof(text));
	ck_assert_str_eq(text, lines[_i].llvm);
}
END_TEST

static const struct {
	const char *text;
	bool is_address, is_integer, is_decimal;
	uint64_t address, integer, decimal;
} numbers[] = {
	/* text       address integer decimal */
	{ "0", true, true, true, 0, 0, 0 },
	{ "00", true, true, true, 0, 0, 0 },
	{ "077", false, true, true, 0, 63, 77 },
	{ "079", false, false, true, 0, 0, 79 },
	{ "12", false, true, true, 0, 12, 12 },
	{ "0x", false, false, false, 0, 0, 0 },
	{ "0x1F", true, true, false, 31, 31, 0 },
	{ "0X1f", false, true, false, 0, 31, 0 },
	{ "0b101", false, true, false, 0, 5, 0 },
	{ "0B2", false, false, false, 0, 0, 0 },
	{ "0o17", false, true, false, 0, 15, 0 },
	{ "0O17", false, false, false, 0, 0, 0 },
	{ "-1", false, false, false, 0, 0, 0 },
	{ "+1", false, false, false, 0, 0, 0 },
	{ " 1", false, false, false, 0, 0, 0 },
	{ "", false, false, false, 0, 0, 0 },
	{ "1e3", false, false, false, 0, 0, 0 },
	{ "0x00000000000000000000000000000001", true, true, false, 1, 1, 0 },
	{ "0xffffffffffffffff", true, true, false, UINT64_MAX, UINT64_MAX, 0 },
	{ "0x10000000000000000", false, false, false, 0, 0, 0 },
	{ "18446744073709551615", false, true, true, 0, UINT64_MAX, UINT64_MAX },
	{ "18446744073709551616", false, false, false, 0, 0, 0 },
};

START_TEST(reads_numbers)
{
	struct cairn_bytes text = unit_exact(bytes(numbers[_i].text));
	uint64_t value = 0;

	ck_assert_int_eq(markup_address(text, &value), numbers[_i].is_address);
	ck_assert(value == numbers[_i].address);
	value = 0;
	ck_assert_int_eq(markup_integer(text, &value), numbers[_i].is_integer);
	ck_assert(value == numbers[_i].integer);
	value = 0;
	ck_assert_int_eq(markup_decimal(text, &value), numbers[_i].is_decimal);
	ck_assert(value == numbers[_i].decimal);
}
END_TEST

/* Elements that cannot be used: why, and at which byte. */
static const struct {
	const char *element, *why;
	size_t at;
} faults[] = {
	{ "{{{module}}}", "a module must have 4 fields: ID, name, type, build ID", 9 },
	{ "{{{module:1:n:elf}}}", "a module must have 4 fields: ID, name, type, build ID", 9 },
	{ "{{{module:-1:n:elf:ab}}}", "expected a module ID", 10 },
	{ "{{{module:1:n:ELF:ab}}}", "unknown module type (expected elf)", 14 },
	{ "{{{module:1:n:elf:xy}}}", "expected a build ID", 18 },
	{ "{{{mmap:0x1:1:load:0:r}}}",
	  "a mapping must have 6 fields: start, size, load, module ID, permissions, "
	  "module-relative address",
	  7 },
	{ "{{{mmap:1:1:load:0:r:0}}}", "expected an address", 8 },
	{ "{{{mmap:0x1:08:load:0:r:0}}}", "expected a size", 12 },
	{ "{{{mmap:0x1:1:map:0:r:0}}}", "unknown mapping type (expected load)", 14 },
	{ "{{{mmap:0x1:1:load:q:r:0}}}", "expected a module ID", 19 },
	{ "{{{mmap:0x1:1:load:0:xr:0}}}",
	  "invalid permissions (expected one or more of r, w and x, in this order)", 21 },
	{ "{{{mmap:0x1:1:load:0::0}}}",
	  "invalid permissions (expected one or more of r, w and x, in this order)", 21 },
	{ "{{{mmap:0x1:1:load:0:r:1}}}", "expected an address", 23 },
	{ "{{{bt:0}}}", "a frame must have at least 2 fields: number, address", 5 },
	{ "{{{bt:x:0x1}}}", "expected a frame number", 6 },
	{ "{{{bt:1:q}}}", "expected an address", 8 },
	{ "{{{pc}}}", "the address is missing", 5 },
	{ "{{{data:}}}", "expected an address", 8 },
	{ "{{{symbol}}}", "the name is missing", 9 },
};

static bool read_any(const struct markup_node *node, struct markup_fault *fault)
{
	struct markup_module module;
	struct markup_mmap mmap;
	struct markup_frame frame;
	struct cairn_bytes name;

	if (node->tag == MARKUP_MODULE)
		return markup_read_module(node, &module, fault);
	if (node->tag == MARKUP_MMAP)
		return markup_read_mmap(node, &mmap, fault);
	if (node->tag == MARKUP_SYMBOL)
		return markup_read_symbol(node, &name, fault);
	return markup_read_frame(node, &frame, fault);
}

static struct markup_node only_node(const char *element)
{
	struct markup in = markup_open(unit_exact(bytes(element)), MARKUP_KEEP);
	struct markup_node node;

	ck_assert(markup_next(&in, &node) && node.kind == MARKUP_ELEMENT);
	return node;
}

START_TEST(says_what_is_wrong_where)
{
	struct markup_node node = only_node(faults[_i].element);
	struct markup_fault fault = { .what = NULL };

	ck_assert_msg(!read_any(&node, &fault), "%s", faults[_i].element);
	ck_assert_str_eq(fault.what, faults[_i].why);
	ck_assert_uint_eq((size_t)(fault.where - node.text.data), faults[_i].at);
}
END_TEST

static const struct {
	const char *element;
	enum markup_pc kind;
	const char *message;
	bool is_odd;
} frames[] = {
	{ "{{{bt:1:0x10}}}", MARKUP_PC_UNSPECIFIED, "", false },
	{ "{{{bt:1:0x10:ra}}}", MARKUP_PC_RETURN, "", false },
	{ "{{{bt:1:0x10:pc}}}", MARKUP_PC_EXACT, "", false },
	{ "{{{bt:1:0x10:sp 0x1}}}", MARKUP_PC_UNSPECIFIED, "sp 0x1", true },
	{ "{{{bt:1:0x10:pc:a:b}}}", MARKUP_PC_EXACT, "a:b", false },
	{ "{{{bt:1:0x10:x:ra}}}", MARKUP_PC_UNSPECIFIED, "x:ra", false },
	{ "{{{bt:1:0x10:}}}", MARKUP_PC_UNSPECIFIED, "", true },
	{ "{{{bt:1:0x10:ra:}}}", MARKUP_PC_RETURN, "", false },
};

START_TEST(reads_frames)
{
	struct markup_node node = only_node(frames[_i].element);
	struct markup_fault fault;
	struct markup_frame frame;

	ck_assert(markup_read_frame(&node, &frame, &fault));
	ck_assert(frame.number == 1 && frame.address == 16);
	ck_assert_msg(frame.kind == frames[_i].kind, "%s", frames[_i].element);
	ck_assert_msg(frame.is_odd == frames[_i].is_odd, "%s", frames[_i].element);
	ck_assert_uint_eq(frame.message.size, strlen(frames[_i].message));
	ck_assert_mem_eq(frame.message.data, frames[_i].message, frame.message.size);
}
END_TEST

START_TEST(reads_build_ids)
{
	static const char digits[] = "abc", bad[] = "ag";
	uint8_t id[2];
	size_t size = 0;

	ck_assert(markup_build_id(bytes(digits), id, sizeof(id), &size));
	ck_assert(size == 2 && id[0] == 0x0a && id[1] == 0xbc);
	ck_assert(!markup_build_id(bytes(digits), id, 1, &size));
	ck_assert(!markup_build_id(bytes(bad), id, sizeof(id), &size));
}
END_TEST

/* Pieces are separated by '|'; what comes out is KEY=VALUE with a blank behind it. */
static const struct {
	const char *pieces, *pairs;
} dicts[] = {
	{ "", "" },
	{ " A: 0x1 B:0x2\tC: 0", "A=1 B=2 C=0 " },
	{ "A:| 0x1", "A=1 " },
	{ "A: x 0x1 : 0x2 B 0x3 0x4", "" },
	{ "log: A: 0x1", "A=1 " },
	{ "A: 12 B: 0x C: 0x12345678901234567", "" },
	{ "A: 0x00000000000000000000000000000000005", "A=5 " },
	{ "A:B:0x1 a:b: 0x2", "a:b=2 " },
};

START_TEST(reads_pairs)
{
	struct markup_pairs pairs = { .key_size = 0 };
	struct markup_pair pair;
	char text[128] = "";
	size_t at = 0;

	for (const char *p = dicts[_i].pieces; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL) {
		size_t size = strcspn(p, "|");
		markup_pairs_feed(&pairs, (struct cairn_bytes){ (const uint8_t *)p, size });
		while (markup_pairs_next(&pairs, &pair))
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%.*s=%x ",
			                       (int)pair.key.size, (const char *)pair.key.data,
			                       (unsigned)pair.value);
	}
	ck_assert_str_eq(text, dicts[_i].pairs);
}
END_TEST

/* The fast search and a slow one agree, wherever the bytes lie in a block. */
START_TEST(finds_what_is_plain)
{
	uint8_t text[200];

	for (size_t at = 0; at + 3 <= sizeof(text); at++) {
		struct cairn_bytes in = { text, sizeof(text) };
		memset(text, 'x', sizeof(text));
		memset(text + at, '{', 3);
		ck_assert_uint_eq(markup_plain_prefix(in), at);
		in.size = at + 2;
		ck_assert_uint_eq(markup_plain_prefix(in), in.size);
		in.size = sizeof(text);
		memset(text + at, '{', 2);
		text[at + 2] = 033;
		ck_assert_uint_eq(markup_plain_prefix(in), at + 2);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("markup");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, splits_a_line, 0, COUNT(lines));
	tcase_add_loop_test(tc, reads_numbers, 0, COUNT(numbers));
	tcase_add_loop_test(tc, says_what_is_wrong_where, 0, COUNT(faults));
	tcase_add_loop_test(tc, reads_frames, 0, COUNT(frames));
	tcase_add_test(tc, reads_build_ids);
	tcase_add_loop_test(tc, reads_pairs, 0, COUNT(dicts));
	tcase_add_test(tc, finds_what_is_plain);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
