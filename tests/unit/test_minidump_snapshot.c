/* SPDX-License-Identifier: MIT */
/* Tests what a snapshot takes from a minidump whose exception or processor is not as usual. */
#include "unit.h"

#include "fixture_minidump.h"

#include "process/snapshot/minidump_snapshot.h"

enum { THREAD = 7, STACK = 0x7000, OWN_PC = 0x401000, CRASH_PC = 0x402000 };

static struct fixture_minidump made;

static struct fixture_minidump_part put_context(uint64_t pc)
{
	uint64_t values[34] = { 0 };

	values[7] = STACK;
	values[33] = pc;
	return fixture_minidump_context(&made, FIXTURE_MINIDUMP_AMD64, values);
}

/* One thread, and an exception in it whose context has `size` bytes at most. */
static void open_snapshot(struct snapshot *snapshot, uint16_t processor, size_t size)
{
	struct cairn_fault fault;

	fixture_minidump_begin(&made, false);
	fixture_minidump_system(&made, processor, 0x8201);
	const struct fixture_minidump_part stack = fixture_minidump_bytes(&made, "12345678", 8);
	const struct fixture_minidump_part own = put_context(OWN_PC);
	struct fixture_minidump_part crash = put_context(CRASH_PC);
	if (crash.size > size)
		crash.size = size;
	fixture_minidump_open(&made, 3);
	fixture_out_put(&made.out, 1, 4);
	fixture_minidump_thread(&made, THREAD, STACK, stack, own);
	fixture_minidump_close(&made);
	fixture_minidump_exception(&made, THREAD, 11, 0, crash);
	ck_assert_int_eq(minidump_snapshot_open(snapshot,
	                                        unit_exact(fixture_minidump_finish(&made)), &fault),
	                 CAIRN_OK);
	ck_assert_uint_eq(snapshot->thread_count, 1);
}

static bool has_problem(const struct snapshot *snapshot, const char *what)
{
	for (size_t i = 0; i < snapshot->problem_count; i++)
		if (strcmp(snapshot->problems[i].fault.what, what) == 0)
			return true;
	return false;
}

START_TEST(takes_the_registers_of_the_crash)
{
	struct snapshot snapshot;

	open_snapshot(&snapshot, 9, SIZE_MAX);
	ck_assert(snapshot.threads[0].crashed);
	ck_assert_uint_eq(snapshot.threads[0].registers.pc, CRASH_PC);
	snapshot_close(&snapshot);
}
END_TEST

/* A thread keeps its own where those of the exception are cut, at any byte. */
START_TEST(keeps_registers_of_the_thread)
{
	struct snapshot snapshot;

	for (size_t size = 0; size < 248; size += 8) {
		open_snapshot(&snapshot, 9, size);
		ck_assert(snapshot.threads[0].crashed);
		ck_assert_uint_eq(snapshot.threads[0].registers.pc, OWN_PC);
		ck_assert_int_eq(snapshot.threads[0].registers.machine, CAIRN_MACHINE_AMD64);
		ck_assert(size == 0 || snapshot.problem_count > 0);
		snapshot_close(&snapshot);
	}
}
END_TEST

static const struct {
	uint16_t processor;
	const char *name;
} others[] = {
	{ 1, "mips" },       { 3, "ppc" },        { 6, "ia64" },
	{ 0x8001, "sparc" }, { 0x8002, "ppc64" }, { 0x8004, "mips64" },
};

/* Other machines are refused in words, even if the bytes of a context look like one of ours. */
START_TEST(refuses_other_machines)
{
	struct snapshot snapshot;

	open_snapshot(&snapshot, others[_i].processor, SIZE_MAX);
	ck_assert_str_eq(snapshot.machine_name, others[_i].name);
	ck_assert_int_eq(snapshot.machine, CAIRN_MACHINE_NONE);
	ck_assert_uint_eq(snapshot.threads[0].tid, THREAD);
	ck_assert_int_eq(snapshot.threads[0].registers.machine, CAIRN_MACHINE_NONE);
	ck_assert(has_problem(
		&snapshot, "the registers belong to a machine whose stacks cairn cannot unwind"));
	snapshot_close(&snapshot);
}
END_TEST

/* The module at 0x1000 has 0x800 bytes as the dump says, and another one may begin at `next`. */
static const struct {
	const char *name, *maps;
	uint64_t next, high;
} ends[] = {
	{ "no mappings", "", 0, 0x1800 },
	{ "one mapping", "1000-2000 r--p 0 08:01 7 /a\n", 0, 0x1800 },
	{ "all segments", "1000-2000 r--p 0 08:01 7 /a\n2000-5000 r-xp 1000 08:01 7 /a\n", 0,
	  0x5000 },
	{ "another file", "1000-2000 r--p 0 08:01 7 /a\n2000-5000 r-xp 0 08:01 8 /b\n", 0, 0x1800 },
	{ "no file", "1000-2000 r--p 0 08:01 7 /a\n2000-5000 rw-p 0 00:00 0 \n", 0, 0x1800 },
	{ "the file again, elsewhere", "1000-2000 r--p 0 08:01 7 /a\n4000-5000 r-xp 0 08:01 7 /a\n",
	  0, 0x1800 },
	{ "the next module", "1000-2000 r--p 0 08:01 7 /a\n2000-5000 r-xp 1000 08:01 7 /a\n",
	  0x3000, 0x3000 },
	{ "a module without a file",
	  "1000-2000 r-xp 0 00:00 0 [vdso]\n2000-5000 r-xp 0 00:00 0 [vdso]\n", 0, 0x1800 },
};

START_TEST(modules_end_where_their_mappings_do)
{
	const struct fixture_minidump_part none = { 0, 0 };
	struct snapshot snapshot;
	struct cairn_fault fault;

	fixture_minidump_begin(&made, false);
	fixture_minidump_system(&made, 9, 0x8201);
	const size_t name = fixture_minidump_text(&made, "/a");
	fixture_minidump_open(&made, 4);
	fixture_out_put(&made.out, ends[_i].next ? 2 : 1, 4);
	fixture_minidump_module(&made, 0x1000, 0x800, name, none);
	if (ends[_i].next)
		fixture_minidump_module(&made, ends[_i].next, 0x800, name, none);
	fixture_minidump_close(&made);
	fixture_minidump_open(&made, 0x47670009);
	fixture_out_text(&made.out, ends[_i].maps, strlen(ends[_i].maps));
	fixture_minidump_close(&made);
	ck_assert_int_eq(minidump_snapshot_open(&snapshot,
	                                        unit_exact(fixture_minidump_finish(&made)), &fault),
	                 CAIRN_OK);
	ck_assert_msg(snapshot.modules[0].high == ends[_i].high, "%s: 0x%llx", ends[_i].name,
	              (unsigned long long)snapshot.modules[0].high);
	snapshot_close(&snapshot);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("minidump_snapshot");
	TCase *c = tcase_create("snapshot");

	tcase_add_test(c, takes_the_registers_of_the_crash);
	tcase_add_test(c, keeps_registers_of_the_thread);
	tcase_add_loop_test(c, refuses_other_machines, 0, COUNT(others));
	tcase_add_loop_test(c, modules_end_where_their_mappings_do, 0, COUNT(ends));
	suite_add_tcase(suite, c);
	return unit_run(suite);
}
