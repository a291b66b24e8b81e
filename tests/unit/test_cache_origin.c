/* SPDX-License-Identifier: MIT */
/* Of which files a file of the cache was made: the trailer, whole and damaged, and other files. */
#include "unit.h"

#include "os/cache.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const struct os_file program = { .bytes = BYTES("a program"), .stamp = { 1, 2, 3, 4 } };

START_TEST(knows_its_files)
{
	struct os_file other = program;
	struct os_cache_origin_file made = os_cache_origin_of_file(&program),
				    none = os_cache_origin_of_file(
					    &(struct os_file){ .memory = NULL });

	ck_assert(os_cache_origin_matches(&made, &program));
	ck_assert(!os_cache_origin_matches(&none, &program));
	other.stamp.inode++; /* a copy */
	ck_assert(os_cache_origin_matches(&made, &other));
	other.bytes = (struct cairn_bytes)BYTES("a prOgram");
	ck_assert(!os_cache_origin_matches(&made, &other));
	/* nobody but the file system says that it is the same */
	other.stamp = program.stamp;
	ck_assert(os_cache_origin_matches(&made, &other));
	other.stamp.changed++;
	ck_assert(!os_cache_origin_matches(&made, &other));
	other.stamp = program.stamp;
	other.bytes.size--;
	ck_assert(!os_cache_origin_matches(&made, &other));
}
END_TEST

/* It may change again before the clock shows it; and without a stamp no file is the same. */
START_TEST(trusts_no_fresh_file)
{
	struct os_file fresh = program;

	fresh.stamp.changed = (int64_t)time(NULL) * 1000000000;
	struct os_cache_origin_file made = os_cache_origin_of_file(&fresh);
	ck_assert_uint_eq(made.stamp.inode, 0);
	ck_assert(os_cache_origin_matches(&made, &fresh));
	fresh.bytes = (struct cairn_bytes)BYTES("a prOgram");
	ck_assert(!os_cache_origin_matches(&made, &fresh));
	fresh.stamp = (struct os_file_stamp){ 0, 0, 0, 0 };
	ck_assert(!os_cache_origin_matches(&made, &fresh));
}
END_TEST

START_TEST(stamps_what_was_fresh)
{
	struct os_cache_origin_file made = os_cache_origin_of_file(&program);
	struct os_file other = program;

	ck_assert(!os_cache_origin_stamp(&made, &program));
	made.stamp = (struct os_file_stamp){ 0, 0, 0, 0 };
	other.stamp.changed = (int64_t)time(NULL) * 1000000000;
	ck_assert(!os_cache_origin_stamp(&made, &other));
	ck_assert(os_cache_origin_stamp(&made, &program));
	ck_assert_uint_eq(made.stamp.inode, program.stamp.inode);
	other.stamp.inode = 0;
	made.stamp.inode = 0;
	ck_assert(!os_cache_origin_stamp(&made, &other));
}
END_TEST

START_TEST(reads_what_it_wrote)
{
	struct os_cache_origin made = { .file = { os_cache_origin_of_file(&program) } }, back;
	uint8_t bytes[8 + OS_CACHE_ORIGIN_SIZE] = "symbols";
	struct cairn_bytes all = { bytes, sizeof(bytes) };

	os_cache_origin_write(&made, bytes + 8);
	ck_assert_int_eq(os_cache_origin_read(all, &back), CAIRN_OK);
	for (size_t i = 0; i < OS_CACHE_ORIGIN_FILES; i++)
		ck_assert(back.file[i].size == made.file[i].size &&
		          memcmp(back.file[i].digest, made.file[i].digest, SHA256_SIZE) == 0);
	ck_assert(os_cache_origin_matches(&back.file[0], &program));
	for (size_t cut = 1; cut <= all.size; cut++) {
		struct cairn_bytes front = { bytes, all.size - cut };
		struct cairn_bytes back_end = { bytes + cut, all.size - cut };
		ck_assert_int_eq(os_cache_origin_read(unit_exact(front), &back), CAIRN_NOT_FOUND);
		ck_assert_int_eq(os_cache_origin_read(unit_exact(back_end), &back),
		                 cut <= 8             ? CAIRN_OK
		                 : back_end.size < 32 ? CAIRN_NOT_FOUND
		                                      : CAIRN_UNSUPPORTED);
	}
	bytes[sizeof(bytes) - 16]++; /* the version */
	ck_assert_int_eq(os_cache_origin_read(all, &back), CAIRN_UNSUPPORTED);
}
END_TEST

START_TEST(serves_its_program)
{
	char path[] = "/tmp/cairn-cached-XXXXXX";
	uint8_t trailer[OS_CACHE_ORIGIN_SIZE];
	struct os_cache_origin made = { .file = { os_cache_origin_of_file(&program) } };
	struct cairn_fault fault;
	int fd = mkstemp(path);

	os_cache_origin_write(&made, trailer);
	struct cairn_bytes symbols = { trailer, sizeof(trailer) };
	ck_assert_int_eq(write(fd, "a program", 9), 9);
	ck_assert_int_eq(os_cache_origin_check(symbols, path, &fault), CAIRN_OK);
	ck_assert_int_eq(pwrite(fd, "A", 1, 0), 1);
	ck_assert_int_eq(os_cache_origin_check(symbols, path, &fault), CAIRN_MISMATCH);
	ck_assert_int_eq(os_cache_origin_check(symbols, "/nowhere/at/all", &fault), CAIRN_OK);
	ck_assert_int_eq(os_cache_origin_check(symbols, "/", &fault), CAIRN_OK);
	ck_assert_int_eq(os_cache_origin_check((struct cairn_bytes)BYTES("by hand"), path, &fault),
	                 CAIRN_OK);
	trailer[sizeof(trailer) - 16]++;
	ck_assert_int_eq(os_cache_origin_check(symbols, path, &fault), CAIRN_MISMATCH);
	close(fd);
	unlink(path);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cached");
	TCase *all = tcase_create("made of");

	tcase_add_test(all, knows_its_files);
	tcase_add_test(all, trusts_no_fresh_file);
	tcase_add_test(all, stamps_what_was_fresh);
	tcase_add_test(all, reads_what_it_wrote);
	tcase_add_test(all, serves_its_program);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
