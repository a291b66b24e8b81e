/* SPDX-License-Identifier: MIT */
/* Tests the parser of GDB's `info files` output and its module limit. */
#include "queries/gdb_output.h"

#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

#define PROGRAM(type) "\t`/srv/app/prog', file type " type ".\n"
#define TEXT "\t0x0000000000001000 - 0x0000000000002000 is .text\n"
#define IN(name) "\t0x00007f0000001000 - 0x00007f0000002000 is .text in " name "\n"

static struct info_files files;

/*
 * The modules as text: P (program) or L, T when the name is the target's, name, machine, low-high,
 * then t, s, h, f with a range for the sections that are there.
 */
static void put_range(FILE *out, const char *letter, struct cairn_range range)
{
	if (range.low != range.high)
		fprintf(out, " %s%" PRIx64 "-%" PRIx64, letter, range.low, range.high);
}

static const char *machine_name(const struct info_files_module *m)
{
	switch (m->host.machine) {
	case CAIRN_MACHINE_AMD64:
		return "amd64";
	case CAIRN_MACHINE_AARCH64:
		return m->host.big_endian ? "aarch64_be" : "aarch64";
	case CAIRN_MACHINE_S390X:
		return "s390x";
	case CAIRN_MACHINE_I386:
	case CAIRN_MACHINE_ARM:
	case CAIRN_MACHINE_PPC64:
	case CAIRN_MACHINE_RISCV64:
	case CAIRN_MACHINE_X32:
	case CAIRN_MACHINE_S390:
	case CAIRN_MACHINE_PPC:
	case CAIRN_MACHINE_NONE:
		break;
	}
	return "none";
}

static const char *modules_text(void)
{
	static char text[4096];
	FILE *out = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(out);
	text[0] = '\0';
	for (size_t i = 0; i < files.count; i++) {
		const struct info_files_module *m = &files.modules[i];
		fprintf(out, "%s%s%s %.*s %s", i ? "; " : "", m->program ? "P" : "L",
		        m->on_target ? "T" : "", (int)m->host.name.size,
		        (const char *)m->host.name.data, machine_name(m));
		put_range(out, "", (struct cairn_range){ m->host.low, m->host.high });
		put_range(out, "t", m->host.text);
		put_range(out, "s", m->host.sframe);
		put_range(out, "h", m->host.eh_frame_hdr);
		put_range(out, "f", m->host.eh_frame);
	}
	fclose(out);
	return text;
}

static const struct {
	const char *name, *text, *modules;
} rows[] = {
	{ "nothing", "", "" },
	{ "a program without sections", PROGRAM("elf64-x86-64"), "" },
	{ "a program", PROGRAM("elf64-x86-64") TEXT, "P /srv/app/prog amd64 1000-2000 t1000-2000" },
	{ "the last line without its end", PROGRAM("elf64-x86-64") "\t0x1000 - 0x2000 is .text",
	  "P /srv/app/prog amd64 1000-2000 t1000-2000" },
	{ "sections without a program", TEXT, "" },
	{ "aarch64", PROGRAM("elf64-littleaarch64") TEXT,
	  "P /srv/app/prog aarch64 1000-2000 t1000-2000" },
	{ "aarch64_be", PROGRAM("elf64-bigaarch64") TEXT,
	  "P /srv/app/prog aarch64_be 1000-2000 t1000-2000" },
	{ "s390x", PROGRAM("elf64-s390") TEXT, "P /srv/app/prog s390x 1000-2000 t1000-2000" },
	{ "a system's name behind the type", PROGRAM("elf64-x86-64-freebsd") TEXT,
	  "P /srv/app/prog amd64 1000-2000 t1000-2000" },
	{ "x32", PROGRAM("elf32-x86-64") TEXT, "P /srv/app/prog none 1000-2000 t1000-2000" },
	{ "a longer name of another type", PROGRAM("elf64-s390x") TEXT,
	  "P /srv/app/prog none 1000-2000 t1000-2000" },
	{ "translated words", "\t`/srv/app/prog', Dateityp elf64-x86-64.\n" TEXT,
	  "P /srv/app/prog amd64 1000-2000 t1000-2000" },
	{ "all tables",
	  PROGRAM("elf64-x86-64") TEXT "\t0x2000 - 0x2010 is .sframe\n"
	                               "\t0x2010 - 0x2020 is .eh_frame_hdr\n"
	                               "\t0x2020 - 0x2040 is .eh_frame\n"
	                               "\t0x0500 - 0x0510 is .interp\n"
	                               "\t0x3000 - 0x3000 is .nothing\n"
	                               "\t0x4000 - 0x3000 is .backwards\n",
	  "P /srv/app/prog amd64 500-2040 t1000-2000 s2000-2010 h2010-2020 f2020-2040" },
	{ "names that only begin like tables",
	  PROGRAM("elf64-x86-64") "\t0x1000 - 0x1010 is .text.hot\n"
	                          "\t0x1010 - 0x1020 is .sframe2\n"
	                          "\t0x1020 - 0x1030 is .eh_frame_\n",
	  "P /srv/app/prog amd64 1000-1030" },
	{ "with offsets, as verbose",
	  PROGRAM("elf64-x86-64") "\t0x1000 - 0x2000 @ 0x00000350 is .text\n",
	  "P /srv/app/prog amd64 1000-2000 t1000-2000" },
	{ "an offset without digits", PROGRAM("elf64-x86-64") "\t0x1 - 0x2 @ 0x is .text\n", "" },
	{ "32 bits wide", PROGRAM("elf32-i386") "\t0x08048000 - 0x08049000 is .text\n",
	  "P /srv/app/prog none 8048000-8049000 t8048000-8049000" },
	{ "the whole address space",
	  PROGRAM("elf64-x86-64") "\t0x0 - 0xffffffffffffffff is .text\n",
	  "P /srv/app/prog amd64 0-ffffffffffffffff t0-ffffffffffffffff" },
	{ "too many digits", PROGRAM("elf64-x86-64") "\t0x00000000000001000 - 0x2000 is .text\n",
	  "" },
	{ "no digits", PROGRAM("elf64-x86-64") "\t0x - 0x2000 is .text\n", "" },
	{ "capital digits", PROGRAM("elf64-x86-64") "\t0xA000 - 0xB000 is .text\n", "" },
	{ "no tab", PROGRAM("elf64-x86-64") "0x1000 - 0x2000 is .text\n", "" },
	{ "cut in an address", PROGRAM("elf64-x86-64") "\t0x1000 - 0x20", "" },
	{ "cut behind the addresses", PROGRAM("elf64-x86-64") "\t0x1000 - 0x2000 i", "" },
	{ "a block without a type", "\t`/srv/app/prog', file\n" TEXT, "" },
	{ "a block without an end of its name", "\t`/srv/app/prog, file type elf64-x86-64.\n" TEXT,
	  "" },
	{ "libraries",
	  PROGRAM("elf64-x86-64") TEXT IN("/lib/libc.so.6") IN("/lib/my lib in two.so"),
	  "P /srv/app/prog amd64 1000-2000 t1000-2000; "
	  "L /lib/libc.so.6 amd64 7f0000001000-7f0000002000 t7f0000001000-7f0000002000; "
	  "L /lib/my lib in two.so amd64 7f0000001000-7f0000002000 t7f0000001000-7f0000002000" },
	{ "a name of the target's", PROGRAM("elf64-x86-64") IN("target:/lib/libc.so.6"),
	  "LT /lib/libc.so.6 amd64 7f0000001000-7f0000002000 t7f0000001000-7f0000002000" },
	{ "the kernel's", PROGRAM("elf64-x86-64") IN("system-supplied DSO at 0x7ffff7fc8000"),
	  "L system-supplied DSO at 0x7ffff7fc8000 amd64 7f0000001000-7f0000002000 "
	  "t7f0000001000-7f0000002000" },
	{ "a core before its program",
	  "\t`/srv/app/core', file type elf64-x86-64.\n"
	  "\t0x1000 - 0x2000 is load1\n"
	  "\t0x2000 - 0x3000 is load2a\n"
	  "\t0x3000 - 0x4000 is load2b\n" PROGRAM("elf64-x86-64") TEXT,
	  "P /srv/app/prog amd64 1000-2000 t1000-2000" },
	{ "sections with names like a core's",
	  PROGRAM("elf64-x86-64") "\t0x1000 - 0x2000 is load\n"
	                          "\t0x2000 - 0x3000 is load1c\n"
	                          "\t0x3000 - 0x4000 is load1 in lib.so\n",
	  "P /srv/app/prog amd64 1000-3000; L lib.so amd64 3000-4000" },
	{ "everything twice",
	  PROGRAM("elf64-x86-64") TEXT IN("/lib/a") IN("/lib/b") "\tWhile running this\n" PROGRAM(
		  "elf64-x86-64") TEXT IN("/lib/a") IN("/lib/b"),
	  "P /srv/app/prog amd64 1000-2000 t1000-2000; "
	  "L /lib/a amd64 7f0000001000-7f0000002000 t7f0000001000-7f0000002000; "
	  "L /lib/b amd64 7f0000001000-7f0000002000 t7f0000001000-7f0000002000" },
	{ "the second list knows more",
	  PROGRAM("elf64-x86-64")
	          TEXT PROGRAM("elf64-x86-64") "\t0x0800 - 0x0900 is .init\n" TEXT
	                                       "\t0x2000 - 0x2010 is .sframe\n"
	                                       "\t0x2010 - 0x2020 is .eh_frame\n"
	                                       "\t0x2020 - 0x2030 is .eh_frame_hdr\n",
	  "P /srv/app/prog amd64 800-2030 t1000-2000 s2000-2010 h2020-2030 f2010-2020" },
	{ "one file at two places",
	  PROGRAM("elf64-x86-64") "\t0x1000 - 0x1010 is .note in lib.so\n"
	                          "\t0x1010 - 0x1020 is .sframe in lib.so\n"
	                          "\t0x8000 - 0x8010 is .note in lib.so\n"
	                          "\t0x8010 - 0x8020 is .sframe in lib.so\n",
	  "L lib.so amd64 1000-1020 s1010-1020; L lib.so amd64 8000-8020 s8010-8020" },
	{ "a library with the program's name",
	  PROGRAM("elf64-x86-64") TEXT "\t0x1000 - 0x2000 is .text in /srv/app/prog\n",
	  "P /srv/app/prog amd64 1000-2000 t1000-2000; L /srv/app/prog amd64 1000-2000 "
	  "t1000-2000" },
	{ "two programs", PROGRAM("elf64-x86-64") TEXT "\t`other', file type elf64-s390.\n" TEXT,
	  "P /srv/app/prog amd64 1000-2000 t1000-2000; P other s390x 1000-2000 t1000-2000" },
};

START_TEST(reads_what_gdb_prints)
{
	struct cairn_bytes text = { (const uint8_t *)rows[_i].text, strlen(rows[_i].text) };

	info_files_read(unit_exact(text), &files);
	ck_assert_msg(strcmp(modules_text(), rows[_i].modules) == 0, "%s: got %s", rows[_i].name,
	              modules_text());
	ck_assert(!files.cut);
}
END_TEST

/* One module more than there is room for. */
START_TEST(keeps_to_its_bound)
{
	size_t size = 0, capacity = (INFO_FILES_MODULES + 2) * 64;
	char *text = malloc(capacity);

	ck_assert_ptr_nonnull(text);
	size += (size_t)snprintf(text, capacity, PROGRAM("elf64-x86-64"));
	for (unsigned i = 0; i < INFO_FILES_MODULES; i++)
		size += (size_t)snprintf(text + size, capacity - size,
		                         "\t0x1 - 0x2 is .text in %u\n", i);
	info_files_read((struct cairn_bytes){ (const uint8_t *)text, size }, &files);
	ck_assert_uint_eq(files.count, INFO_FILES_MODULES);
	ck_assert(!files.cut);
	size += (size_t)snprintf(text + size, capacity - size, "\t0x1 - 0x2 is .text in more\n");
	info_files_read((struct cairn_bytes){ (const uint8_t *)text, size }, &files);
	ck_assert_uint_eq(files.count, INFO_FILES_MODULES);
	ck_assert(files.cut);
	free(text);
}
END_TEST

START_TEST(makes_a_report)
{
	static const char text[] =
		PROGRAM("elf64-bigaarch64") TEXT "\t0x2000 - 0x2010 is .sframe\n"
						 "\t0x2010 - 0x2020 is .eh_frame_hdr\n"
						 "\t0x2020 - 0x2040 is .eh_frame\n";

	info_files_read((struct cairn_bytes){ (const uint8_t *)text, sizeof(text) - 1 }, &files);
	ck_assert_uint_eq(files.count, 1);
	const struct cairn_host_module report = files.modules[0].host;
	ck_assert_mem_eq(report.name.data, "/srv/app/prog", 13);
	ck_assert_uint_eq(report.name.size, 13);
	ck_assert(report.low == 0x1000 && report.high == 0x2040);
	ck_assert(report.machine == CAIRN_MACHINE_AARCH64 && report.big_endian);
	ck_assert(report.text.low == 0x1000 && report.text.high == 0x2000);
	ck_assert(report.sframe.low == 0x2000 && report.sframe.high == 0x2010);
	ck_assert(report.eh_frame_hdr.low == 0x2010 && report.eh_frame_hdr.high == 0x2020);
	ck_assert(report.eh_frame.low == 0x2020 && report.eh_frame.high == 0x2040);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("files");
	TCase *tcase = tcase_create("files");

	tcase_add_loop_test(tcase, reads_what_gdb_prints, 0, COUNT(rows));
	tcase_add_test(tcase, keeps_to_its_bound);
	tcase_add_test(tcase, makes_a_report);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
