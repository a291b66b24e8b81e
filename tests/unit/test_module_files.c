/* SPDX-License-Identifier: MIT */
/* The files of a module, found among those that this process has open or mapped. */
#include "base/hash.h"
#include "formats/elf/elf.h"
#include "unwind/tables/program_files.h"

#include "fixture_elf.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { HEADER = 64, NOTE_ID = 3, FIRST = 0x1000, SIZE = 0x20 };

#define ID "0123456789abcdefghij"
#define OTHER "0123456789abcdefghik"

static const uint8_t frames[] = "\x0c\0\0\0\xff\xff\xff\xff\1\0\1\x78\x10\0\0\0"
				"\x14\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0";

static char path[] = "cairn-module-XXXXXX";
static int held = -1;

/* A file with this build ID and a section of frames is open from here on. */
static void open_file(const char *id, const char *section, size_t cut)
{
	static struct fixture_out file, note;
	struct fixture_elf_places places;
	const struct fixture_section sections[] = {
		{ ".note", ELF_SHT_NOTE, 0, { note.data, 0 }, 0, 0 },
		{ section, 1, 0, { frames, sizeof(frames) }, 0, 0 },
	};
	struct fixture_section given[COUNT(sections)];
	struct fixture_elf elf = { true, false, false, ELF_TYPE_DYN, ELF_EM_X86_64,
		                   0,    0,     NULL,  COUNT(given), given };

	note = (struct fixture_out){ .big = false };
	fixture_note(&note, "GNU", NOTE_ID, id, (uint32_t)strlen(id));
	memcpy(given, sections, sizeof(given));
	given[0].bytes.size = note.size;
	fixture_elf(&file, &elf, &places);
	held = mkstemp(path);
	ck_assert_int_ge(held, 0);
	ck_assert_int_eq(write(held, file.data, file.size - cut), (ssize_t)(file.size - cut));
}

static void end(void)
{
	if (held >= 0) {
		close(held);
		unlink(path);
	}
}

static struct cairn_files *find(const char *id, struct cairn_bytes headers)
{
	struct cairn_files *files = cairn_files_new(true);
	const struct cairn_module module = { .machine = CAIRN_MACHINE_AMD64,
		                             .build_id = { (const uint8_t *)id, strlen(id) },
		                             .headers = headers };

	ck_assert_ptr_nonnull(files);
	cairn_files_find(files, &module);
	return files;
}

static bool covers(const struct cairn_files *files)
{
	return files_have_cfi(files, FIRST) && files_have_cfi(files, FIRST + SIZE - 1) &&
	       !files_have_cfi(files, FIRST - 1) && !files_have_cfi(files, FIRST + SIZE);
}

static const struct cairn_bytes none = BYTES("");

START_TEST(finds_a_file_that_is_open)
{
	open_file(ID, ".debug_frame", 0);
	struct cairn_files *files = find(ID, none);

	ck_assert(covers(files) && !cairn_files_have_program(files));
	cairn_files_free(files);
}
END_TEST
/* A debugger may read the module's memory from it. */
START_TEST(records_the_table_of_another_build)
{
	open_file(OTHER, ".sframe", 0);
	struct cairn_files *files = find(ID, none);

	ck_assert_uint_eq(files->other_count, 1);
	ck_assert_uint_eq(files->others[0].hash,
	                  hash_bytes((struct cairn_bytes){ frames, sizeof(frames) }));
	cairn_files_free(files);
}
END_TEST

START_TEST(records_no_table_of_its_own_build)
{
	open_file(ID, ".sframe", 0);
	struct cairn_files *files = find(ID, none);

	ck_assert_uint_eq(files->other_count, 0);
	cairn_files_free(files);
}
END_TEST
START_TEST(takes_no_other_build)
{
	open_file(OTHER, ".debug_frame", 0);
	struct cairn_files *files = find(ID, none);

	ck_assert(!files_have_cfi(files, FIRST) && !cairn_files_have_program(files));
	cairn_files_free(files);
}
END_TEST
START_TEST(does_not_know_what_is_packed)
{
	open_file(ID, ".zdebug_frame", 0);
	struct cairn_files *files = find(ID, none);

	ck_assert(files_have_cfi(files, FIRST) && files_have_cfi(files, 0));
	cairn_files_free(files);
}
END_TEST
/* What is cut off is the table of sections, or what it names: such a file is nobody's, or unread. */
START_TEST(survives_any_cut)
{
	open_file(ID, ".debug_frame", 0);
	off_t size = lseek(held, 0, SEEK_END);

	for (off_t left = size - 1; left > 0; left--) {
		ck_assert_int_eq(ftruncate(held, left), 0);
		cairn_files_free(find(ID, none));
	}
}
END_TEST
START_TEST(waits_for_no_pipe)
{
	int pipes[2];

	ck_assert_int_eq(pipe(pipes), 0);
	cairn_files_free(find(ID, none));
	close(pipes[0]);
	close(pipes[1]);
}
END_TEST
/* Without a build ID the first bytes count: of this very program, which is mapped. */
START_TEST(finds_its_own_program_by_the_first_bytes)
{
	uint8_t first[HEADER];
	struct cairn_bytes headers = { first, sizeof(first) };
	FILE *own = fopen("/proc/self/exe", "rb");

	ck_assert_ptr_nonnull(own);
	ck_assert_uint_eq(fread(first, 1, sizeof(first), own), sizeof(first));
	fclose(own);
	bool amd64 = first[4] == 2 && first[5] == 1 && first[18] == ELF_EM_X86_64 && first[19] == 0;
	struct cairn_files *files = find("", headers);
	ck_assert_int_eq(cairn_files_have_program(files), amd64);
	cairn_files_free(files);
	first[24]++; /* of another entry point */
	files = find("", headers);
	ck_assert(!cairn_files_have_program(files));
	cairn_files_free(files);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("module_files");
	TCase *c = tcase_create("search");

	if (access("/proc/self/maps", R_OK) != 0) {
		puts("1..0 # SKIP this system does not list what a process has open");
		return 0;
	}
	tcase_add_checked_fixture(c, NULL, end);
	tcase_add_test(c, finds_a_file_that_is_open);
	tcase_add_test(c, takes_no_other_build);
	tcase_add_test(c, records_the_table_of_another_build);
	tcase_add_test(c, records_no_table_of_its_own_build);
	tcase_add_test(c, does_not_know_what_is_packed);
	tcase_add_test(c, survives_any_cut);
	tcase_add_test(c, waits_for_no_pipe);
	tcase_add_test(c, finds_its_own_program_by_the_first_bytes);
	suite_add_tcase(suite, c);
	return unit_run(suite);
}
