/* SPDX-License-Identifier: MIT */
/* Temporary files of killed processes: which ones the next writer of a folder removes. */
#include "unit.h"

#include "os/atomic_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *name;
	int age; /* seconds */
	bool directory;
	bool stays_published, stays_durable; /* after a file was written in that way */
} rows[] = {
	{ ".cairn-aB3xYz", OS_STALE_FILE_SECONDS + 60, false, false, true },
	{ ".cairn-bbbbbb", OS_STALE_FILE_SECONDS - 600, false, true,
	  true }, /* may be written still */
	{ ".cairn-cc.txt", OS_STALE_FILE_SECONDS + 60, false, true, true },
	{ ".cairn-", OS_STALE_FILE_SECONDS + 60, false, true, true },
	{ "x.cairn-dddddd", OS_STALE_FILE_SECONDS + 60, false, true, true },
	{ ".cairn-eeeeee", OS_STALE_FILE_SECONDS + 60, true, true, true },
	{ ".new-123-4", OS_STALE_FILE_SECONDS + 60, false, true, false },
	{ ".new-123-5", OS_STALE_FILE_SECONDS - 600, false, true, true },
};

static char directory[64];

static void path_of(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", directory, name);
}

static void make_rows(void)
{
	char path[256];

	snprintf(directory, sizeof(directory), "/tmp/leftover.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct timespec at = { time(NULL) - rows[i].age, 0 };
		const struct timespec times[2] = { at, at };
		path_of(rows[i].name, path);
		if (rows[i].directory)
			ck_assert_int_eq(mkdir(path, 0700), 0);
		else
			ck_assert_int_eq(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
		ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
	}
}

static void write_file(bool durable)
{
	struct cairn_bytes bytes = { (const uint8_t *)"x", 1 };
	struct os_durable file;
	char path[256];

	path_of("written", path);
	if (!durable) {
		ck_assert_int_eq(os_atomic_file_write(path, &bytes, 1), 0);
		return;
	}
	ck_assert_int_eq(os_durable_begin(directory, NULL, &file), 0);
	ck_assert_int_eq(os_durable_write(&file, bytes), 0);
	ck_assert_int_eq(os_durable_commit(&file, path), 0);
}

/* Removes what is still there, so that nothing of the test stays either. */
START_TEST(removes_what_nobody_writes)
{
	bool durable = _i == 1, stays;
	char path[256];

	make_rows();
	write_file(durable);
	for (size_t i = 0; i < COUNT(rows); i++) {
		path_of(rows[i].name, path);
		stays = durable ? rows[i].stays_durable : rows[i].stays_published;
		ck_assert_msg((access(path, F_OK) == 0) == stays, "%s", rows[i].name);
		remove(path);
	}
	path_of("written", path);
	ck_assert_int_eq(remove(path), 0);
	ck_assert_int_eq(rmdir(directory), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("leftover");
	TCase *tcase = tcase_create("leftover");

	tcase_add_loop_test(tcase, removes_what_nobody_writes, 0, 2);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
