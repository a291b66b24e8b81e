/* SPDX-License-Identifier: MIT */
/*
 * Signatures of stacks, rule by rule; lines that are counted and those that are not; groups, whose order of input means
 * nothing.
 */
#include "unit.h"

#include "groups/groups.h"
#include "groups/signature.h"

#include <inttypes.h>
#include <stdio.h>

static struct group_reader reader;

/* A line of JSON, for which rows have ' instead of ". */
static struct cairn_bytes make_line(const char *text)
{
	static char line[4096];
	size_t size = strlen(text);

	ck_assert_uint_lt(size, sizeof(line));
	for (size_t i = 0; i < size; i++)
		line[i] = (char)(text[i] == '\'' ? '"' : text[i]);
	return unit_exact((struct cairn_bytes){ (const uint8_t *)line, size });
}

#define F(name) "{'function':'" name "'}"
#define LIBC "{'module':'/lib/libc.so.6','module_offset':'0x9'}"
#define SERVER "{'module':'/opt/server','build_id':'00ff','module_offset':'0x205'}"
#define STACK(frames) "{'program':'/bin/server','signal':'SIGBUS','frames':[" frames "]}"
#define CUT(frames) "{'frames':[" frames "],'end':'limit'}"

static const struct {
	const char *name, *line, *names, *signature;
} stacks[] = {
	{ "plain", STACK(F("f") "," F("main") "," F("__libc_start_main") "," F("_start")), "all",
	  "f|main|" },
	{ "a thread", STACK(F("f") "," F("start_thread") "," F("clone3")), "all", "f|" },
	{ "normal forms", STACK(F("void f<int>(char)") "," F("g.part.0")), "all", "f|g|" },
	{ "abort", STACK(F("raise") "," F("abort") "," F("f")), "all", "f|" },
	{ "a part of abort", STACK(LIBC "," F("abort") "," F("f")), "all", "f|" },
	{ "a part of terminate",
	  STACK(F("abort") ",{'module':'/lib/libstdc++.so.6.0.30'}," F("std::terminate()") "," F(
		  "f")),
	  "all", "f|" },
	{ "somewhere in the C library", STACK(LIBC "," F("f")), "some", "libc.so.6|f|" },
	{ "nothing else", STACK(F("raise") "," F("abort")), "all", "raise|" },
	{ "in the middle", STACK(F("f") "," F("free") "," F("g")), "all", "f|free|g|" },
	{ "the start of a thread without names", STACK(F("f") "," LIBC "," LIBC), "all", "f|" },
	{ "outside of main", STACK(F("f") "," F("main") "," SERVER "," LIBC), "all", "f|main|" },
	{ "a module", STACK(F("f") "," SERVER "," SERVER "," F("g")), "some", "f|server|g|" },
	{ "dots", STACK(F("f") ",{'function':'?\?','module':'a.so'}"), "some", "f|a.so|" },
	{ "a null call", STACK("{'pc':'0x0'}," F("f")), "all", "(null)|f|" },
	{ "a null call of a member", STACK("{'pc':'0x00000fff'}," F("f")), "all", "(null)|f|" },
	{ "a wild call", STACK("{'pc':'0x1000'}," F("f")), "some", "(no module)|f|" },
	{ "the trampoline of a handler",
	  STACK(F("handler") ",{'module':'/lib/libc.so.6','module_offset':'0x9','signal':true}," F(
		  "f") "," F("main")),
	  "all", "f|main|" },
	{ "a trampoline with a name",
	  STACK(F("handler") ",{'function':'__restore_rt','signal':true}," F("f") "," F("main")),
	  "all", "f|main|" },
	{ "nothing but a trampoline",
	  STACK(F("handler") ",{'module':'/lib/libc.so.6','module_offset':'0x9','signal':true}"),
	  "none", "server|SIGSEGV|libc.so.6+0x9|" },
	{ "a long name of a program", "{'program':'/bin/a-program-of-20-ch','frames':[" SERVER "]}",
	  "none", "a-program-of-20|-|00ff+0x205|" },
	{ "without names", STACK("{'pc':'0x0'}," SERVER "," LIBC), "none",
	  "server|SIGSEGV|(null)|00ff+0x205|libc.so.6+0x9|" },
	{ "but for its start", STACK(SERVER "," F("__libc_start_main")), "none",
	  "server|SIGSEGV|00ff+0x205|(no module)|" },
	{ "without anything", "{'frames':[7]}", "none", "-|-|(no module)|" },
	{ "a handler",
	  STACK(F("handler") ",{'function':'in','inlined':true,'signal':true},"
	                     "{'function':'f','signal':true}," F("main")),
	  "all", "in|f|main|" },
	{ "recursion", STACK(F("f") "," F("f") "," F("f") "," F("main")), "all", "f|main|" },
	{ "two in turn", STACK(F("b") "," F("a") "," F("b") "," F("a") "," F("main")), "all",
	  "b|a|main|" },
	{ "two in turn, between",
	  STACK(F("a") "," F("b") "," F("a") "," F("b") "," F("a") "," F("main")), "all",
	  "b|a|main|" },
	{ "one call of each", STACK(F("a") "," F("b") "," F("a") "," F("main")), "all",
	  "a|b|a|main|" },
	{ "below a recursion", STACK(F("x") "," F("a") "," F("a") "," F("main")), "all",
	  "x|a|main|" },
	{ "cut at both ends", CUT(F("b") "," F("a") "," F("b") "," F("a")), "all", "a|b|" },
	{ "cut at both ends, between", CUT(F("a") "," F("b") "," F("a") "," F("b") "," F("a")),
	  "all", "a|b|" },
	{ "one of them twice",
	  CUT(F("b") "," F("a") "," F("a") "," F("b") "," F("a") "," F("a") "," F("a")), "all",
	  "a|b|" },
	{ "cut outside", CUT(F("x") "," F("b") "," F("a") "," F("b") "," F("a") "," F("b")), "all",
	  "x|b|a|" },
	{ "deep",
	  STACK(F("a") "," F("b") "," F("c") "," F("d") "," F("e") "," F("f") "," F("g") "," F(
		  "h") "," F("i")),
	  "all", "a|b|c|d|e|f|g|h|" },
	{ "unknown below the depth",
	  STACK(F("a") "," F("b") "," F("c") "," F("d") "," F("e") "," F("f") "," F("g") "," F(
		  "h") "," SERVER),
	  "all", "a|b|c|d|e|f|g|h|" },
	{ "a report",
	  "{'threads':[{'crashed':false,'frames':[" F("g") "]},{'crashed':true,'frames':[" F(
		  "f") "]}]}",
	  "all", "f|" },
	{ "a report of nobody", "{'threads':[{'frames':[" F("g") "]},{'frames':[" F("f") "]}]}",
	  "all", "g|" },
};

START_TEST(signs_stacks)
{
	struct group_entry entry;
	struct cairn_fault fault;
	char text[256] = "";

	ck_assert_msg(group_line_read(&reader, make_line(stacks[_i].line), &entry, &fault) ==
	                      GROUP_LINE_COUNTED,
	              "%s", stacks[_i].name);
	strncat(text, (const char *)entry.text.data, entry.text.size);
	for (char *at = text; *at; at++)
		*at = (char)(*at == '\n' ? '|' : *at);
	ck_assert_msg(strcmp(text, stacks[_i].signature) == 0, "%s: %s", stacks[_i].name, text);
	ck_assert_msg(strcmp(signature_names_word(entry.names), stacks[_i].names) == 0, "%s: %s",
	              stacks[_i].name, signature_names_word(entry.names));
	ck_assert_uint_eq(entry.id, signature_id(NULL, entry.names, entry.text));
	ck_assert_uint_eq(entry.count, 1);
	group_line_finish(&reader);
}
END_TEST

#define GOOD "'names':'all','count':3,'signature':['f'],"
#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define EXAMPLE "'example':{'hash':'" HASH "'}"

/* The ID of "2 all\nf\n", as sha256sum prints it. */
#define ID "'id':'1a4ab42be2171e89','rules':2,"

static const struct {
	const char *name, *line;
	enum group_line_kind kind;
} lines[] = {
	{ "no JSON", "x", GROUP_LINE_WRONG },
	{ "an array", "[]", GROUP_LINE_WRONG },
	{ "something else", "{'a':1}", GROUP_LINE_WRONG },
	{ "frames of another kind", "{'frames':1}", GROUP_LINE_WRONG },
	{ "no frames", "{'frames':[]}", GROUP_LINE_NO_STACK },
	{ "another thread", "{'crashed':false,'frames':[" F("f") "]}", GROUP_LINE_NOT_CRASHED },
	{ "a report without threads", "{'crash_report':1}", GROUP_LINE_NO_STACK },
	{ "a report with none", "{'threads':[]}", GROUP_LINE_NO_STACK },
	{ "a group", "{" ID GOOD EXAMPLE "}", GROUP_LINE_COUNTED },
	{ "with times", "{" ID GOOD "'first':1,'last':1," EXAMPLE "}", GROUP_LINE_COUNTED },
	{ "with a core", "{" ID GOOD "'example':{'hash':'" HASH "','core':'a'}}",
	  GROUP_LINE_COUNTED },
	{ "of no rules", "{'id':'1a4ab42be2171e89','rules':'1'," GOOD EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "of other rules", "{'id':'1a4ab42be2171e89','rules':3," GOOD EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "of another ID", "{'id':'0000000000000000','rules':2," GOOD EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "of a short ID", "{'id':'00','rules':2," GOOD EXAMPLE "}", GROUP_LINE_WRONG },
	{ "of other names", "{" ID "'names':'some','count':3,'signature':['f']," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "of a wrong word", "{" ID "'names':'most','count':3,'signature':['f']," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "of nothing", "{" ID "'names':'all','count':0,'signature':['f']," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "of a half", "{" ID "'names':'all','count':0.5,'signature':['f']," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "of too many",
	  "{" ID "'names':'all','count':18446744073709551616,'signature':['f']," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "without names", "{" ID "'names':'all','count':3,'signature':[]," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "with a number", "{" ID "'names':'all','count':3,'signature':[1]," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "with an empty name", "{" ID "'names':'all','count':3,'signature':['']," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "with a line feed", "{" ID "'names':'all','count':3,'signature':['f\\n']," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "without an example", "{" ID GOOD "'first':1,'last':1}", GROUP_LINE_WRONG },
	{ "with a short hash", "{" ID GOOD "'example':{'hash':'00'}}", GROUP_LINE_WRONG },
	{ "with a wrong digit", "{" ID GOOD "'example':{'hash':'x" HASH "'}}", GROUP_LINE_WRONG },
	{ "with times turned round", "{" ID GOOD "'first':2,'last':1," EXAMPLE "}",
	  GROUP_LINE_WRONG },
	{ "with one time", "{" ID GOOD "'first':2," EXAMPLE "}", GROUP_LINE_WRONG },
};

START_TEST(tells_lines_apart)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct group_entry entry;
	const enum group_line_kind kind =
		group_line_read(&reader, make_line(lines[_i].line), &entry, &fault);

	ck_assert_msg(kind == lines[_i].kind, "%s: %d, %s", lines[_i].name, (int)kind,
	              fault.what ? fault.what : "");
	ck_assert((kind == GROUP_LINE_WRONG) == (fault.what != NULL));
	group_line_finish(&reader);
}
END_TEST

/* The longest name, and one that is a byte longer. */
START_TEST(bounds_names_of_groups)
{
	static char text[NAME_FORM_MAX + 512];
	struct cairn_fault fault;
	struct group_entry entry;

	for (size_t size = NAME_FORM_MAX; size <= NAME_FORM_MAX + 1; size++) {
		char *name = malloc(size + 1);
		ck_assert_ptr_nonnull(name);
		memset(name, 'f', size);
		name[size] = '\n';
		const uint64_t id = signature_id(NULL, SIGNATURE_ALL,
		                                 (struct cairn_bytes){ (uint8_t *)name, size + 1 });
		snprintf(text, sizeof(text),
		         "{'id':'%016" PRIx64
		         "','rules':2,'names':'all','count':1,'signature':['%.*s']," EXAMPLE "}",
		         id, (int)size, name);
		free(name);
		ck_assert_int_eq(group_line_read(&reader, make_line(text), &entry, &fault),
		                 size == NAME_FORM_MAX ? GROUP_LINE_COUNTED : GROUP_LINE_WRONG);
	}
}
END_TEST

/* Frames past the limit are as good as none, and the stack counts as cut. */
START_TEST(bounds_frames)
{
	const struct signature_frame frame = { .function = BYTES("f"),
		                               .module = BYTES(""),
		                               .build_id = BYTES("") };

	signature_begin(&reader.builder);
	for (size_t i = 0; i < SIGNATURE_FRAMES_MAX; i++)
		signature_add(&reader.builder, &frame);
	ck_assert(!reader.builder.is_cut);
	signature_add(&reader.builder, &frame);
	ck_assert(reader.builder.is_cut && reader.builder.count == SIGNATURE_FRAMES_MAX);
	group_line_finish(&reader);
}
END_TEST

/* All stacks of up to seven of three functions: nothing repeats afterwards, and folding again changes nothing. */
START_TEST(folds_for_good)
{
	enum { MOST = 7, CASES = 3 * 3 * 3 * 3 * 3 * 3 * 3 };
	bool all_run;

	for (unsigned number = 0; number < CASES * 2; number++) {
		uint32_t items[MOST], again[MOST];
		const bool is_cut = number % 2;
		for (unsigned i = 0, rest = number / 2; i < MOST; i++, rest /= 3)
			items[i] = rest % 3;
		const size_t count = recursion_fold(items, MOST, is_cut, &all_run);
		ck_assert(count > 0 && count <= MOST);
		for (size_t period = 1; period <= count / 2; period++)
			for (size_t at = 0; at + 2 * period <= count; at++)
				ck_assert(memcmp(items + at, items + at + period,
				                 period * sizeof(*items)) != 0);
		memcpy(again, items, sizeof(items));
		ck_assert_uint_eq(recursion_fold(again, count, is_cut, &all_run), count);
		ck_assert(memcmp(again, items, count * sizeof(*items)) == 0);
	}
}
END_TEST

enum { ENTRIES = 12 };

/* Three signatures, with times and hashes that are neither in order nor the same. */
static struct group_entry make_entry(unsigned i)
{
	static const struct cairn_bytes texts[] = { BYTES("f\n"), BYTES("g\nmain\n"),
		                                    BYTES("f\nmain\n") };
	struct group_entry entry = { .names = i % 5 == 0 ? SIGNATURE_SOME : SIGNATURE_ALL,
		                     .has_time = i % 4 != 0,
		                     .text = texts[i % 3],
		                     .count = 1 + i % 2,
		                     .first = 100 + i * 7 % 12,
		                     .core = BYTES("core") };

	entry.last = entry.first + i % 3;
	entry.id = signature_id(NULL, entry.names, entry.text);
	memset(entry.hash, (int)(i * 5 % 6), sizeof(entry.hash));
	if (i % 3 == 1)
		entry.core.size = i < 6 ? 3 : 1; /* of two with one hash the lesser path */
	return entry;
}

static void check_same(const struct groups *a, const struct groups *b)
{
	ck_assert_uint_eq(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct group_entry *one = &a->group[i], *other = &b->group[i];
		ck_assert(one->id == other->id && one->count == other->count);
		ck_assert(one->names == other->names && one->has_time == other->has_time);
		ck_assert(!one->has_time ||
		          (one->first == other->first && one->last == other->last));
		ck_assert(memcmp(one->hash, other->hash, sizeof(one->hash)) == 0);
		ck_assert(one->core.size == other->core.size);
	}
}

static void add_rotated(struct groups *groups, unsigned from, unsigned to, unsigned turn)
{
	for (unsigned i = from; i < to; i++) {
		const struct group_entry entry = make_entry(from + (i - from + turn) % (to - from));
		ck_assert(groups_add(groups, &entry));
	}
}

/* Each rotation of the input, and each way to count it in two parts whose groups are added up. */
START_TEST(counts_in_any_order)
{
	struct groups whole = { 0 };

	add_rotated(&whole, 0, ENTRIES, 0);
	groups_sort(&whole);
	ck_assert_uint_gt(whole.count, 3);
	for (unsigned turn = 1; turn < ENTRIES; turn++) {
		struct groups turned = { 0 }, parts[2] = { { 0 } }, sum = { 0 };
		add_rotated(&turned, 0, ENTRIES, turn);
		groups_sort(&turned);
		check_same(&whole, &turned);
		add_rotated(&parts[0], 0, turn, 0);
		add_rotated(&parts[1], turn, ENTRIES, 1);
		for (unsigned part = 2; part-- > 0;)
			for (size_t i = 0; i < parts[part].count; i++)
				ck_assert(groups_add(&sum, &parts[part].group[i]));
		groups_sort(&sum);
		check_same(&whole, &sum);
		groups_finish(&turned);
		groups_finish(&parts[0]);
		groups_finish(&parts[1]);
		groups_finish(&sum);
	}
	for (size_t i = 1; i < whole.count; i++)
		ck_assert(whole.group[i - 1].count >= whole.group[i].count);
	groups_finish(&whole);
}
END_TEST

START_TEST(counts_up_to_the_end)
{
	struct group_entry entry = make_entry(1);
	struct groups groups = { 0 };

	entry.count = UINT64_MAX - 1;
	ck_assert(groups_add(&groups, &entry));
	entry.count = 1;
	ck_assert(groups_add(&groups, &entry));
	ck_assert_uint_eq(groups.group[0].count, UINT64_MAX);
	ck_assert(groups_add(&groups, &entry));
	ck_assert_uint_eq(groups.group[0].count, UINT64_MAX);
	groups_finish(&groups);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("groups");
	TCase *tests = tcase_create("groups");

	tcase_add_loop_test(tests, signs_stacks, 0, COUNT(stacks));
	tcase_add_loop_test(tests, tells_lines_apart, 0, COUNT(lines));
	tcase_add_test(tests, bounds_names_of_groups);
	tcase_add_test(tests, bounds_frames);
	tcase_add_test(tests, folds_for_good);
	tcase_add_test(tests, counts_in_any_order);
	tcase_add_test(tests, counts_up_to_the_end);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
