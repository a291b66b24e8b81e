/* SPDX-License-Identifier: MIT */
/* Tests the parser of memory ranges in GDB's output. */
#include "queries/gdb_output.h"

#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

#define MAPPED "      0x1000             0x3000     0x2000        0x0  "

static const struct row {
	const char *name, *text, *ranges;
} rows[] = {
	{ "nothing", "", "" },
	{ "a process",
	  "process 7\nMapped address spaces:\n\n"
	  "          Start Addr           End Addr       Size     Offset  Perms  objfile\n"
	  "      0x555555554000     0x555555555000     0x1000        0x0  r--p   /bin/true\n"
	  "      0x555555558000     0x555555559000     0x1000     0x3000  rw-p   /bin/true\n"
	  "      0x7ffff7fc1000     0x7ffff7fc5000     0x4000        0x0  r--p   [vvar]\n"
	  "      0x7ffffffde000     0x7ffffffff000    0x21000        0x0  rw-p   [stack]\n",
	  "555555558000-555555559000 7ffffffde000-7ffffffff000" },
	{ "code that can be written", MAPPED "rwxp\n", "1000-3000" },
	{ "shared", MAPPED "rw-s   /dev/shm/x\n", "1000-3000" },
	{ "write only", MAPPED "-w-p\n", "" },
	{ "a device", MAPPED "rw-s   /dev/dri/card0\n", "" },
	{ "zeros", MAPPED "rw-s   /dev/zero (deleted)\n", "1000-3000" },
	{ "no last line end", MAPPED "rw-p", "1000-3000" },
	{ "no permissions", MAPPED "/bin/true\n", "" },
	{ "odd permissions", MAPPED "rz-p\n", "" },
	{ "cut permissions", MAPPED "rw-", "" },
	{ "upside down", "  0x3000 0x1000 0x2000 0x0 rw-p\n" MAPPED "rw-p\n", "1000-3000" },
	{ "too many digits", "  0x11112222333344445 0x3000 0x2000 0x0 rw-p\n", "" },
	{ "a core",
	  "      0x1000     0x3000     0x2000        0x0    /opt/demo/lantern\n"
	  "Exec file: `/x', file type elf64-x86-64.\n"
	  " [0]      0x400350->0x400374 at 0x00000350: .data ALLOC LOAD DATA HAS_CONTENTS\n"
	  "Core file: `/c', file type elf64-x86-64.\n"
	  " [0]      0x0000->0x1234 at 0x000005a8: note0 HAS_CONTENTS\n"
	  " [1]      0x5000->0x6000 at 0x00003000: load1 ALLOC LOAD HAS_CONTENTS\n"
	  " [2]      0x6000->0x7000 at 0x00003000: load2a ALLOC LOAD READONLY HAS_CONTENTS\n"
	  " [3]      0x7000->0x8000 at 0x00003000: load2b ALLOC READONLY\n"
	  " [10]     0x8000->0x9000 at 0x00004000: load3 ALLOC LOAD CODE HAS_CONTENTS\n",
	  "5000-6000 8000-9000" },
	{ "segments that say more than the core's file can have",
	  " [1] 0x1000->0x9000000000001000 at 0x3ffffff0: load1 ALLOC LOAD HAS_CONTENTS\n"
	  " [2] 0x2000->0x3000 at 0x40000000: load2 ALLOC LOAD HAS_CONTENTS\n"
	  " [3] 0x4000->0xffffffffffffffff at 0x0: load3 ALLOC LOAD HAS_CONTENTS\n"
	  " [4] 0x5000->0x6000 at 0x0: load4 ALLOC LOAD HAS_CONTENTS\n",
	  "1000-1010 4000-40003ff0" },
	{ "a section named like a segment", " [1] 0x1->0x2 at 0x0: loader ALLOC HAS_CONTENTS\n",
	  "" },
	{ "not dumped", " [1] 0x1->0x2 at 0x0: load1 ALLOC\n", "" },
	{ "no number", " 0x1->0x2 at 0x0: load1 ALLOC HAS_CONTENTS\n", "" },
	{ "an open number", " [1 0x1->0x2 at 0x0: load1 ALLOC HAS_CONTENTS\n", "" },
	{ "segments are not asked for when a process tells its mappings",
	  " [1] 0x1->0x2 at 0x0: load1 ALLOC HAS_CONTENTS\n" MAPPED "r--p\n", "" },
};

/* What can be read. */
static const struct row readable_rows[] = {
	{ "mappings of a process",
	  MAPPED "---p\n"
	         "      0x4000 0x5000 0x1000 0x0  r--p\n"
	         "      0x5000 0x6000 0x1000 0x0  rw-p\n"
	         "      0x6000 0x7000 0x1000 0x0  rw-s   /dev/dri/card0\n"
	         "      0x7000 0x8000 0x1000 0x0  --xp\n",
	  "4000-5000 5000-6000" },
	{ "segments of a core, which GDB reads from files, too",
	  " [1] 0x5000->0x6000 at 0x3000: load1 ALLOC LOAD HAS_CONTENTS\n"
	  " [2] 0x6000->0x7000 at 0x4000: load2a ALLOC LOAD READONLY HAS_CONTENTS\n"
	  " [3] 0x7000->0x8000 at 0x5000: load2b ALLOC READONLY\n"
	  " [4] 0x8000->0x9000 at 0x5000: note0 HAS_CONTENTS\n",
	  "5000-6000 6000-7000 7000-8000" },
	{ "segments that say more than the core's file can have",
	  " [1] 0x1000->0x9000000000001000 at 0x3ffffff0: load1 ALLOC LOAD HAS_CONTENTS\n",
	  "1000-1010" },
};

static void check_ranges(const struct row *r, enum memory_access access)
{
	struct memory_ranges ranges = memory_ranges_open(
		unit_exact((struct cairn_bytes){ (const uint8_t *)r->text, strlen(r->text) }),
		access);
	struct cairn_range range;
	char got[256] = "";
	size_t size = 0;

	while (memory_ranges_next(&ranges, &range))
		size += (size_t)snprintf(got + size, sizeof(got) - size, "%s%" PRIx64 "-%" PRIx64,
		                         size ? " " : "", range.low, range.high);
	ck_assert_msg(strcmp(got, r->ranges) == 0, "%s: %s", r->name, got);
}

START_TEST(reads_what_gdb_prints)
{
	check_ranges(&rows[_i], MEMORY_WRITABLE);
}
END_TEST

START_TEST(reads_what_can_be_read)
{
	check_ranges(&readable_rows[_i], MEMORY_READABLE);
}
END_TEST

static struct cairn_bytes core_in(const char *text)
{
	return memory_ranges_open(
		       unit_exact((struct cairn_bytes){ (const uint8_t *)text, strlen(text) }),
		       MEMORY_WRITABLE)
	        .core;
}

START_TEST(names_the_core)
{
	struct cairn_bytes core = core_in("Core file: `/a', file type b', file type elf.\n");

	ck_assert_uint_eq(core.size, strlen("/a', file type b"));
	ck_assert_mem_eq(core.data, "/a', file type b", core.size);
	ck_assert_uint_eq(
		memory_ranges_open((struct cairn_bytes){ NULL, 0 }, MEMORY_WRITABLE).core_size,
		MEMORY_CORE_UNKNOWN);
	/* a path with a line end names no file */
	ck_assert_uint_eq(core_in("Core file: `/a\nb', file type elf.\n").size, 0);
	ck_assert_uint_eq(core_in("Core file: `/a', file type\n").size, 0);
	ck_assert_uint_eq(core_in("Exec file: `/a', file type elf.\n").size, 0);
	/* the last one counts: a program's path may have such a line */
	core = core_in("Core file: `/a', file type elf.\nCore file: `/b', file type elf.\n");
	ck_assert_mem_eq(core.data, "/b", 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ranges");
	TCase *tcase = tcase_create("ranges");

	tcase_add_loop_test(tcase, reads_what_gdb_prints, 0, COUNT(rows));
	tcase_add_loop_test(tcase, reads_what_can_be_read, 0, COUNT(readable_rows));
	tcase_add_test(tcase, names_the_core);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
