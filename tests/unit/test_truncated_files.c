/* SPDX-License-Identifier: MIT */
/* Files that somebody cuts short while they are open. */
#include "unit.h"

#include "locate/locate.h"
#include "os/file.h"
#include "os/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGES = 16, PAGE = 65536, SIZE = PAGES * PAGE - 100 };

#define TEMPLATE "/tmp/cairn-cut-XXXXXX"

static char path[] = TEMPLATE;

static void make_file(void)
{
	static uint8_t bytes[SIZE];
	strcpy(path, TEMPLATE);
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	memset(bytes, 'x', sizeof(bytes));
	ck_assert_int_eq(write(fd, bytes, sizeof(bytes)), SIZE);
	close(fd);
}

static void remove_file(void)
{
	unlink(path);
}

static void cut_file(off_t size)
{
	ck_assert_int_eq(truncate(path, size), 0);
}

/* A debugger's: nothing is mapped, so that nothing changes. */
START_TEST(a_copy_stays)
{
	struct os_file file;

	ck_assert_int_eq(os_file_open_regular(path, &file), 0);
	ck_assert(!file.mapped);
	cut_file(10);
	ck_assert_uint_eq(file.bytes.size, SIZE);
	for (size_t i = 0; i < SIZE; i++)
		ck_assert_uint_eq(file.bytes.data[i], 'x');
	os_file_close(&file);
	ck_assert_ptr_null(os_guard_truncated_path());
}
END_TEST

START_TEST(a_short_read_is_told)
{
	struct stat about;
	uint8_t byte[4];
	int fd = -1;

	ck_assert_int_eq(os_file_regular(path, &about, &fd), 0);
	cut_file(10);
	ck_assert_int_eq(os_file_read(fd, 6, byte, sizeof(byte)), 0);
	ck_assert_int_eq(os_file_read(fd, 7, byte, sizeof(byte)), OS_FILE_TRUNCATED);
	ck_assert_int_eq(os_file_read(fd, SIZE, byte, sizeof(byte)), OS_FILE_TRUNCATED);
	close(fd);
}
END_TEST

START_TEST(zeros_where_the_file_was)
{
	struct os_file file;

	ck_assert(os_guard_start());
	ck_assert_int_eq(os_file_open(path, &file), 0);
	ck_assert(file.mapped);
	ck_assert(!os_guard_is_truncated());
	cut_file(PAGE);
	ck_assert_uint_eq(file.bytes.data[PAGE - 1], 'x');
	ck_assert_uint_eq(file.bytes.data[3 * PAGE], 0);
	ck_assert_uint_eq(file.bytes.data[SIZE - 1], 0);
	ck_assert(os_guard_is_truncated());
	os_file_close(&file);
	ck_assert(!os_guard_is_truncated());
	ck_assert_str_eq(os_guard_truncated_path(), path);
}
END_TEST

/* The rest of a page is zeros without any signal. */
START_TEST(a_few_bytes_are_missed)
{
	struct os_file file;

	ck_assert(os_guard_start());
	ck_assert_int_eq(os_file_open(path, &file), 0);
	cut_file(SIZE - 1);
	ck_assert(os_guard_is_truncated());
	os_file_close(&file);
	ck_assert_str_eq(os_guard_truncated_path(), path);
}
END_TEST

START_TEST(more_files_than_are_guarded)
{
	enum { MANY = 300 };
	static struct os_file file[MANY];
	unsigned mapped = 0;

	ck_assert(os_guard_start());
	for (unsigned i = 0; i < MANY; i++) {
		ck_assert_int_eq(os_file_open(path, &file[i]), 0);
		mapped += file[i].mapped;
	}
	ck_assert_uint_eq(mapped, 256);
	cut_file(0);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert_uint_eq(file[i].bytes.data[SIZE - 1], file[i].mapped ? 0 : 'x');
	for (unsigned i = 0; i < MANY; i++)
		os_file_close(&file[i]);
	ck_assert_int_eq(os_file_open(path, &file[0]), 0);
	os_file_close(&file[0]);
}
END_TEST

/* What a program's file tells, of its parts and of the whole. */
START_TEST(parts_tell_the_same)
{
	static struct cairn_program whole, parts;
	struct cairn_file_id id, of_parts;
	const struct cairn_bytes any = { (const uint8_t *)"", 0 };
	struct cairn_fault fault;
	struct os_sparse sparse;
	struct os_file file;
	size_t read = 0;

	ck_assert_int_eq(os_file_open("/proc/self/exe", &file), 0);
	ck_assert_int_eq(cairn_program_parse(file.bytes, &whole, &fault), CAIRN_OK);
	ck_assert_int_eq(cairn_program_read("/proc/self/exe", &parts, NULL), CAIRN_OK);
	ck_assert_mem_eq(&whole, &parts, sizeof(whole));
	ck_assert(cairn_file_id_compute(file.bytes, any, &id));
	ck_assert_int_eq(cairn_file_id_read("/proc/self/exe", any, &of_parts, NULL), CAIRN_OK);
	ck_assert_str_eq(id.text, of_parts.text);

	ck_assert_int_eq(os_sparse_open("/proc/self/exe", &sparse), 0);
	ck_assert_uint_eq(sparse.bytes.size, file.bytes.size);
	for (size_t i = 0; i < file.bytes.size; i++) {
		ck_assert(sparse.bytes.data[i] == 0 || sparse.bytes.data[i] == file.bytes.data[i]);
		read += sparse.bytes.data[i] != 0;
	}
	ck_assert_uint_lt(read, file.bytes.size / 4);
	os_sparse_close(&sparse);
	os_file_close(&file);
}
END_TEST

START_TEST(what_is_no_program)
{
	struct cairn_program program;
	struct cairn_error error;

	ck_assert_int_eq(cairn_program_read(path, &program, &error), CAIRN_MALFORMED);
	ck_assert(error.status == CAIRN_MALFORMED && error.has_offset && error.system == 0);
	ck_assert_str_eq(error.path, path);
	cut_file(0);
	ck_assert_int_eq(cairn_program_read(path, &program, &error), CAIRN_UNREADABLE);
	ck_assert_int_eq(cairn_program_read("/dev/null", &program, &error), CAIRN_UNREADABLE);
	ck_assert_str_eq(error.text, "not a regular file");
}
END_TEST

/* Each call that opens a file tells which one, and the errno value. */
START_TEST(errors_name_the_file)
{
	const struct cairn_bytes id = { (const uint8_t *)"\1\2\3", 3 };
	const struct cairn_made_code_process process = { .pid = 1, .core = "/nowhere/core" };
	static struct cairn_made_code made;
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_symbols *file;
	struct cairn_file_id file_id;
	struct cairn_error error;

	ck_assert_int_eq(cairn_symbols_open("/nowhere/at/all", NULL, &file, &error),
	                 CAIRN_UNREADABLE);
	ck_assert(error.system == ENOENT && !error.has_offset);
	ck_assert_str_eq(error.path, "/nowhere/at/all");
	ck_assert_str_eq(error.text, "no such file");
	ck_assert_int_eq(cairn_file_id_read("/proc/self/exe", id, &file_id, &error),
	                 CAIRN_MISMATCH);
	ck_assert_str_eq(error.path, "/proc/self/exe");
	ck_assert_str_eq(error.text, "belongs to another build");
	ck_assert_int_eq(cairn_symbols_open(path, NULL, &file, &error), CAIRN_MALFORMED);
	ck_assert(error.has_offset && error.system == 0);
	ck_assert_str_eq(error.path, path);
	options.build_id = id;
	ck_assert_int_eq(cairn_symbols_search("/nowhere/at/all", NULL, &options, &file, &error),
	                 CAIRN_NOT_FOUND);
	ck_assert(error.status == CAIRN_NOT_FOUND && error.path[0] == '\0');
	ck_assert_int_eq(cairn_symbols_search("/nowhere/at/all", NULL, &options, &file, NULL),
	                 CAIRN_NOT_FOUND);
	ck_assert_int_eq(cairn_symbols_search("/nowhere/at/all", NULL, NULL, &file, &error),
	                 CAIRN_NOT_FOUND);
	ck_assert_str_eq(error.text, "cannot search for symbols: the program has no build ID");
	ck_assert_str_eq(error.path, "/nowhere/at/all");
	ck_assert_int_eq(cairn_made_code_read(&process, &made, &error), CAIRN_NOT_FOUND);
	ck_assert_str_eq(error.text, "the process has neither a perf map nor a jitdump");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("files that are cut");
	TCase *cases = tcase_create("cut");

	tcase_add_checked_fixture(cases, make_file, remove_file);
	tcase_add_test(cases, a_copy_stays);
	tcase_add_test(cases, a_short_read_is_told);
	tcase_add_test(cases, zeros_where_the_file_was);
	tcase_add_test(cases, a_few_bytes_are_missed);
	tcase_add_test(cases, more_files_than_are_guarded);
	tcase_add_test(cases, parts_tell_the_same);
	tcase_add_test(cases, what_is_no_program);
	tcase_add_test(cases, errors_name_the_file);
	suite_add_tcase(suite, cases);
	return unit_run(suite);
}
