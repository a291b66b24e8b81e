/* SPDX-License-Identifier: MIT */
/* Tests what a crash report tells of a process: texts of /proc, sound and odd. */
#include "unit.h"

#include "cli/crash/process.h"

#include <stdio.h>
#include <stdlib.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TEXT(text)                                        \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}
#define NONE "{\"process\":{},\"modules\":[]}\n"
#define PROCESS(keys) "{\"process\":{" keys "},\"modules\":[]}\n"
#define MODULES(list) "{\"process\":{},\"modules\":[" list "]}\n"

/* One fact, and all that is told with it. */
static const struct {
	const char *name;
	enum crash_fact which;
	struct cairn_bytes text;
	bool cut;
	const char *expected;
} rows[] = {
	{ "name", FACT_COMM, TEXT("server\n"), false, PROCESS("\"name\":\"server\"") },
	{ "any name", FACT_COMM, TEXT("a\"\\\n\001\377\n"), false,
	  PROCESS("\"name\":\"a\\\"\\\\\\n\\u0001\\ufffd\"") },
	{ "no name", FACT_COMM, TEXT("\n"), false, NONE },
	{ "program", FACT_EXE, TEXT("/srv/x"), false,
	  PROCESS("\"program\":\"/srv/x\",\"program_deleted\":false") },
	{ "deleted program", FACT_EXE, TEXT("/srv/x (deleted)"), false,
	  PROCESS("\"program\":\"/srv/x\",\"program_deleted\":true") },
	{ "only the mark", FACT_EXE, TEXT(" (deleted)"), false,
	  PROCESS("\"program\":\" (deleted)\",\"program_deleted\":false") },
	{ "arguments", FACT_CMDLINE, TEXT("./x\0\0a b\0"), false,
	  PROCESS("\"arguments\":[\"./x\",\"\",\"a b\"]") },
	{ "arguments without an end", FACT_CMDLINE, TEXT("./x\0a"), true,
	  PROCESS("\"arguments\":[\"./x\",\"a\"],\"arguments_cut\":true") },
	{ "environment", FACT_ENVIRON, TEXT("A=1\0"), true,
	  PROCESS("\"environment\":[\"A=1\"],\"environment_cut\":true") },
	{ "user", FACT_STATUS, TEXT("Name:\tUid\nUid:\t7\t8\t9\t9\nGid:\t5\t5\t5\t5\nPPid:\t3\n"),
	  false, PROCESS("\"user\":7,\"group\":5,\"parent_pid\":3") },
	{ "no number", FACT_STATUS, TEXT("Uid:\nGid\nPPid:\tx\nUid"), false, NONE },
	{ "a number too large", FACT_STATUS, TEXT("Uid:\t18446744073709551616\n"), false, NONE },
	{ "numbers inside", FACT_STATUS, TEXT("NSpid:\t4711\t12\t3\n"), false,
	  PROCESS("\"namespace_pid\":3") },
	{ "one number", FACT_STATUS, TEXT("NSpid:\t4711\n"), false, NONE },
	{ "numbers that end", FACT_STATUS, TEXT("NSpid:\t4711\t"), false, NONE },
	{ "group", FACT_CGROUP, TEXT("2:cpu:/old\n0::/new\n"), false,
	  PROCESS("\"cgroup\":\"/new\"") },
	{ "old groups", FACT_CGROUP, TEXT("2:cpu:/a:b\n1:x:/c\n"), false,
	  PROCESS("\"cgroup\":\"/a:b\"") },
	{ "container", FACT_CGROUP, TEXT("0::/docker-" ID ".scope\n"), false,
	  PROCESS("\"cgroup\":\"/docker-" ID ".scope\",\"container\":\"" ID "\"") },
	{ "container at the end", FACT_CGROUP, TEXT("0::/" ID), false,
	  PROCESS("\"cgroup\":\"/" ID "\",\"container\":\"" ID "\"") },
	{ "one digit more", FACT_CGROUP, TEXT("0::/" ID "0"), false,
	  PROCESS("\"cgroup\":\"/" ID "0\"") },
	{ "not a group", FACT_CGROUP, TEXT("abc\n:\n::\n"), false, NONE },
	{ "age", FACT_STAT, TEXT("1 (a) b) c) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 5"), false,
	  PROCESS("\"running_nanoseconds\":5000000000") },
	{ "an age to come", FACT_STAT,
	  TEXT("1 (a) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 99999999 5"), false, NONE },
	{ "no age", FACT_STAT, TEXT("1 (a) S 1 1"), false, NONE },
	{ "no parenthesis", FACT_STAT, TEXT("1 2 3"), false, NONE },
	{ "module", FACT_MAPS,
	  TEXT("1000-2000 r--p 0 0:0 9 /x\n2000-3000 r-xp 1000 0:0 9 /x\n3000-4000 r--p 0 0:0 8 "
	       "/y\n"),
	  false, MODULES("{\"low\":\"0x1000\",\"high\":\"0x3000\",\"module\":\"/x\"}") },
	{ "deleted module", FACT_MAPS, TEXT("1000-2000 r-xp 0 0:0 9 /a\"b (deleted)"), false,
	  MODULES("{\"low\":\"0x1000\",\"high\":\"0x2000\",\"module\":\"/"
	          "a\\\"b\",\"deleted\":true}") },
	{ "a file twice", FACT_MAPS, TEXT("1000-2000 r-xp 0 0:0 9 /x\n2000-3000 r-xp 0 0:0 9 /x\n"),
	  false,
	  MODULES("{\"low\":\"0x1000\",\"high\":\"0x2000\",\"module\":\"/x\"},"
	          "{\"low\":\"0x2000\",\"high\":\"0x3000\",\"module\":\"/x\"}") },
	{ "not mappings", FACT_MAPS, TEXT("x\n1-2\n2000-1000 r-xp 0 0:0 9 /x\n"), false, NONE },
};

static struct crash_facts make_facts(void)
{
	struct crash_facts facts = { .root = -1 };

	for (unsigned i = 0; i < FACT_COUNT; i++)
		facts.fact[i].data = (const uint8_t *)"";
	return facts;
}

START_TEST(tells_what_proc_had)
{
	struct crash_facts facts = make_facts();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct json json = json_to(out);

	facts.fact[rows[_i].which] = unit_exact(rows[_i].text);
	facts.cut[rows[_i].which] = rows[_i].cut;
	json_object(&json, NULL);
	json_object(&json, "process");
	crash_print_process(&json, &facts, UINT64_C(5000000000));
	json_end(&json);
	crash_print_modules(&json, &facts);
	json_end(&json);
	fclose(out);
	ck_assert_msg(strcmp(text, rows[_i].expected) == 0, "%s: %s and not %s", rows[_i].name,
	              text, rows[_i].expected);
	free(text);
}
END_TEST

/* In a container the core has other numbers than /proc; the names follow them. */
START_TEST(numbers_threads_of_a_container)
{
	static const char first[] = "NSpid:\t100\t9\n", second[] = "Name:\tx\nNSpid:\t101\t2\n";
	static struct crash_thread threads[3] = { { .tid = 100, .name = "a", .size = 1 },
		                                  { .tid = 101, .name = "b", .size = 1 },
		                                  { .tid = 102, .name = "c", .size = 1 } };
	struct crash_facts facts = make_facts();

	memcpy(threads[0].status, first, threads[0].status_size = sizeof(first) - 1);
	memcpy(threads[1].status, second, threads[1].status_size = sizeof(second) - 1);
	facts.threads = threads;
	facts.thread_count = 3;
	crash_number_threads(&facts);
	ck_assert_int_eq(crash_facts_thread(&facts, 9).data[0], 'a');
	ck_assert_int_eq(crash_facts_thread(&facts, 2).data[0], 'b');
	ck_assert_int_eq(crash_facts_thread(&facts, 102).data[0], 'c');
	ck_assert_uint_eq(crash_facts_thread(&facts, 100).size, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("crash_process");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, tells_what_proc_had, 0, COUNT(rows));
	tcase_add_test(tc, numbers_threads_of_a_container);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
