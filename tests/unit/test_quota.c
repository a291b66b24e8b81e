/* SPDX-License-Identifier: MIT */
/* A folder's quota: what it counts, the last block and the one past it, and files that draw from it. */
#include "unit.h"

#include "os/atomic_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = OS_QUOTA_BLOCK, PATH_CAPACITY = 4096, DEEP = OS_QUOTA_DIRECTORIES_MAX };

static char directory[64];

static void make_path(const char *name, char path[PATH_CAPACITY])
{
	ck_assert_int_lt(snprintf(path, PATH_CAPACITY, "%s/%s", directory, name), PATH_CAPACITY);
}

static void begin(void)
{
	strcpy(directory, "/tmp/quota.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void end(void)
{
	char command[PATH_CAPACITY];

	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	ck_assert_int_eq(system(command), 0);
}

static size_t used_by(const struct os_quota *quota)
{
	return atomic_load(&quota->used);
}

START_TEST(blocks_of_sizes)
{
	static const struct {
		uint64_t size;
		size_t blocks;
	} rows[] = {
		{ 0, 1 },
		{ 1, 1 },
		{ BLOCK - 1, 1 },
		{ BLOCK, 2 },
		{ 10 * (uint64_t)BLOCK + 5, 11 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		ck_assert_uint_eq(os_quota_blocks(rows[i].size), rows[i].blocks);
	ck_assert_uint_gt(os_quota_blocks(UINT64_MAX), os_quota_blocks(UINT32_MAX - BLOCK));
}
END_TEST

START_TEST(last_block_and_one_past)
{
	struct os_quota quota;

	os_quota_init(&quota, 3 * BLOCK + BLOCK / 2);
	ck_assert(os_quota_has(&quota, 3));
	ck_assert(!os_quota_has(&quota, 4));
	ck_assert(!os_quota_take(&quota, 4));
	ck_assert(os_quota_take(&quota, 2));
	ck_assert(!os_quota_take(&quota, 2));
	ck_assert(!os_quota_take(&quota, SIZE_MAX));
	ck_assert(os_quota_take(&quota, 1));
	ck_assert(!os_quota_take(&quota, 1));
	ck_assert(os_quota_take(&quota, 0));
	os_quota_give(&quota, 1);
	ck_assert(os_quota_take(&quota, 1));
	os_quota_give(&quota, SIZE_MAX); /* more than was taken */
	ck_assert_uint_eq(used_by(&quota), 0);
	ck_assert(os_quota_take(&quota, 3));
}
END_TEST

START_TEST(no_limit)
{
	struct os_quota quota;

	os_quota_init(&quota, 0);
	ck_assert(os_quota_take(&quota, SIZE_MAX / 2));
	ck_assert(os_quota_take(NULL, SIZE_MAX));
	ck_assert(os_quota_has(NULL, SIZE_MAX));
	os_quota_give(NULL, 1);
}
END_TEST

/* Writes `size` bytes and gives the file a name, or abandons it. */
static int write_file(struct os_quota *quota, size_t size, const char *name)
{
	static const uint8_t zeros[4 * BLOCK];
	struct os_durable file;
	char path[PATH_CAPACITY];

	int error = os_durable_begin(directory, quota, &file);
	for (size_t piece = BLOCK / 2; error == 0 && size > 0; size -= piece) {
		piece = size < piece ? size : piece;
		error = os_durable_write(&file, (struct cairn_bytes){ zeros, piece });
	}
	make_path(name, path);
	if (error == 0)
		error = os_durable_commit(&file, path);
	os_durable_abandon(&file);
	return error;
}

START_TEST(files_draw)
{
	struct os_quota quota, counted;
	char path[PATH_CAPACITY];

	begin();
	os_quota_init(&quota, 4 * BLOCK);
	ck_assert_int_eq(write_file(&quota, 2 * BLOCK, "a"), 0); /* 3 blocks */
	ck_assert_uint_eq(used_by(&quota), 3);
	ck_assert_int_eq(write_file(&quota, BLOCK, "b"), EDQUOT);
	ck_assert_uint_eq(used_by(&quota), 3);
	ck_assert_int_eq(write_file(&quota, BLOCK - 1, "b"), 0);
	ck_assert_uint_eq(used_by(&quota), 4);
	ck_assert_int_eq(write_file(&quota, 0, "c"), EDQUOT);
	/* in place of another file: both are there for a moment */
	ck_assert_int_eq(write_file(&quota, 1, "a"), EDQUOT);
	make_path("b", path);
	ck_assert_int_eq(os_durable_remove(path, &quota), 0);
	ck_assert_int_eq(write_file(&quota, 1, "a"), 0);
	ck_assert_uint_eq(used_by(&quota), 1);
	os_quota_init(&counted, 1);
	ck_assert_int_eq(os_quota_count(&counted, directory), 0);
	ck_assert_uint_eq(used_by(&counted), 1);
	ck_assert(!os_quota_take(&counted, 1)); /* more is there than it may have */
	end();
}
END_TEST

START_TEST(directories_draw)
{
	struct os_quota quota, counted;
	char path[PATH_CAPACITY];

	begin();
	os_quota_init(&quota, 2 * BLOCK);
	make_path("x/y/z", path);
	ck_assert_int_eq(os_durable_directories(path, &quota), EDQUOT);
	make_path("x/y", path);
	ck_assert_int_eq(os_durable_directories(path, &quota), 0); /* they are there */
	ck_assert_uint_eq(used_by(&quota), 2);
	make_path("link", path);
	ck_assert_int_eq(symlink("/", path), 0);
	os_quota_init(&counted, 0);
	ck_assert_int_eq(os_quota_count(&counted, directory), 0);
	ck_assert_uint_eq(used_by(&counted), 3);
	make_path("x/y", path);
	ck_assert_int_eq(os_durable_remove(path, &quota), 0);
	ck_assert_uint_eq(used_by(&quota), 1);
	ck_assert_int_eq(os_durable_remove(path, &quota), ENOENT);
	end();
}
END_TEST

START_TEST(nested_directories)
{
	char path[PATH_CAPACITY];
	struct os_quota quota;

	begin();
	os_quota_init(&quota, 0);
	make_path("d", path);
	for (unsigned i = 1; i < DEEP; i++) {
		ck_assert_int_eq(mkdir(path, 0700), 0);
		strcat(path, "/d");
	}
	ck_assert_int_eq(os_quota_count(&quota, directory), 0);
	ck_assert_uint_eq(used_by(&quota), DEEP - 1);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(os_quota_count(&quota, directory), ELOOP);
	make_path("none", path);
	ck_assert_int_eq(os_quota_count(&quota, path), ENOENT);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("quota");
	TCase *tcase = tcase_create("quota");

	tcase_add_test(tcase, blocks_of_sizes);
	tcase_add_test(tcase, last_block_and_one_past);
	tcase_add_test(tcase, no_limit);
	tcase_add_test(tcase, files_draw);
	tcase_add_test(tcase, directories_draw);
	tcase_add_test(tcase, nested_directories);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
