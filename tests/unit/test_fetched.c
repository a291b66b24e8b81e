/* SPDX-License-Identifier: MIT */
/* What processes with one cache of debuginfod tell each other: locks, absences, room; and what the library's log says of servers. */
#include "unit.h"

#include "os/debuginfod.h"
#include "os/fetched.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_CAPACITY = 4096, HEAD_SIZE = 64, RECORD_SIZE = 40, SIZE = 100000 };

static char directory[64];

static void begin(void)
{
	strcpy(directory, "/tmp/fetched.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	unsetenv("CAIRN_DEBUGINFOD_CACHE_MAX");
}

static void end(void)
{
	char command[PATH_CAPACITY];

	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	ck_assert_int_eq(system(command), 0);
}

static void open_one(struct fetched *fetched, const char *id, const char *servers)
{
	const struct fetched_question question = { { (const uint8_t *)id, strlen(id) },
		                                   "debuginfo",
		                                   servers };

	fetched_open(fetched, directory, &question);
	ck_assert_int_ge(fetched->fd, 0);
}

/* A file of a build in the cache that was used so many seconds ago. */
static void put_file(const char *build, const char *name, size_t size, int64_t ago)
{
	static const char bytes[SIZE];
	char path[PATH_CAPACITY];
	const struct timespec used = { time(NULL) - (time_t)ago, 0 };

	snprintf(path, sizeof(path), "%s/%s", directory, build);
	(void)mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", directory, build, name);
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	ck_assert_int_eq(futimens(fd, (struct timespec[]){ used, used }), 0);
	close(fd);
}

static bool has_path(const char *name)
{
	char path[PATH_CAPACITY];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return access(path, F_OK) == 0;
}

START_TEST(one_process_fetches)
{
	struct fetched mine, same, other;

	open_one(&mine, "0123", "http://a");
	open_one(&same, "0123", "http://b");
	open_one(&other, "4567", "http://a");
	ck_assert(fetched_lock(&mine));
	ck_assert(!fetched_lock(&same));
	ck_assert(fetched_lock(&other));
	fetched_close(&mine);
	ck_assert(fetched_lock(&same));
	fetched_close(&same);
	fetched_close(&other);
}
END_TEST

START_TEST(lock_ends_with_its_process)
{
	struct fetched mine;
	int status, said[2];
	char byte;

	ck_assert_int_eq(pipe(said), 0);
	const pid_t child = fork();
	if (child == 0) {
		open_one(&mine, "0123", "http://a");
		(void)!write(said[1], fetched_lock(&mine) ? "y" : "n", 1);
		pause();
	}
	ck_assert_int_eq(read(said[0], &byte, 1), 1);
	ck_assert_int_eq(byte, 'y');
	open_one(&mine, "0123", "http://a");
	ck_assert(!fetched_lock(&mine));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(fetched_lock(&mine));
	fetched_close(&mine);
}
END_TEST

START_TEST(remembers_absence)
{
	struct fetched mine, other;

	open_one(&mine, "0123", "http://a");
	ck_assert(!fetched_is_absent(&mine));
	fetched_note_absent(&mine);
	ck_assert(fetched_is_absent(&mine));
	open_one(&other, "0123", "http://b"); /* which may have it */
	ck_assert(!fetched_is_absent(&other));
	fetched_close(&other);
	open_one(&other, "4567", "http://a");
	ck_assert(!fetched_is_absent(&other));
	fetched_close(&other);
	fetched_close(&mine);
}
END_TEST

static void set_setting(const char *text)
{
	char path[PATH_CAPACITY];

	snprintf(path, sizeof(path), "%s/cache_miss_s", directory);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

START_TEST(forgets_absence_in_time)
{
	struct fetched mine;

	open_one(&mine, "0123", "http://a");
	fetched_note_absent(&mine);
	set_setting("0");
	ck_assert(!fetched_is_absent(&mine));
	set_setting("100\n");
	ck_assert(fetched_is_absent(&mine));
	set_setting("no number");
	ck_assert(fetched_is_absent(&mine));
	fetched_close(&mine);
}
END_TEST

/* Each byte of the one record counts: one half of which is of another process is none. */
START_TEST(damaged_record_is_none)
{
	struct fetched mine;
	struct stat about;
	uint8_t byte;

	open_one(&mine, "0123", "http://a");
	fetched_note_absent(&mine);
	ck_assert_int_eq(fstat(mine.fd, &about), 0);
	ck_assert_int_le(about.st_size, HEAD_SIZE + (off_t)FETCHED_SLOTS * RECORD_SIZE);
	for (off_t at = about.st_size - RECORD_SIZE; at < about.st_size; at++) {
		ck_assert_int_eq(pread(mine.fd, &byte, 1, at), 1);
		byte ^= 1;
		ck_assert_int_eq(pwrite(mine.fd, &byte, 1, at), 1);
		ck_assert(!fetched_is_absent(&mine));
		byte ^= 1;
		ck_assert_int_eq(pwrite(mine.fd, &byte, 1, at), 1);
	}
	ck_assert(fetched_is_absent(&mine));
	fetched_close(&mine);
}
END_TEST

START_TEST(clock_that_was_set_back_keeps_no_file)
{
	struct sweep_totals totals;

	put_file("aa", "debuginfo", SIZE, -3000);
	put_file("bb", "debuginfo.Ab12Cd", SIZE, -FETCHED_STALE_SECONDS - 100);
	put_file("cc", "debuginfo", SIZE, 0);
	sweep_directory(directory, SIZE, SIZE, &totals);
	ck_assert_uint_eq(totals.removed, 2);
	ck_assert(has_path("cc/debuginfo") && !has_path("aa") && !has_path("bb"));
}
END_TEST

START_TEST(oldest_goes_first)
{
	struct sweep_totals totals;

	put_file("aa", "debuginfo", SIZE, 3000);
	put_file("aa", "executable", SIZE, 500);
	put_file("bb", "debuginfo", SIZE, 4000);
	put_file("cc", "debuginfo", SIZE, 1000);
	put_file("dd", "debuginfo", SIZE, 0); /* in use */
	put_file("dd", "debuginfo.Ab12Cd", SIZE, 100);
	put_file("ee", "debuginfo.Ab12Cd", SIZE, FETCHED_STALE_SECONDS + 100);
	put_file("other", "debuginfo", SIZE, 9000); /* is of somebody else */
	sweep_directory(directory, 10 * SIZE, 0, &totals);
	ck_assert_uint_eq(totals.removed, 1);
	ck_assert(!has_path("ee"));
	sweep_directory(directory, 3 * SIZE, 5 * SIZE, &totals);
	ck_assert_uint_eq(totals.removed, 2);
	ck_assert(!has_path("bb") && !has_path("aa/debuginfo"));
	ck_assert(has_path("aa/executable") && has_path("cc/debuginfo"));
	sweep_directory(directory, 0, 0, &totals);
	ck_assert(!has_path("aa") && !has_path("cc"));
	ck_assert(has_path("dd/debuginfo") && has_path("dd/debuginfo.Ab12Cd"));
	ck_assert(has_path("other/debuginfo"));
}
END_TEST

START_TEST(bound_holds)
{
	struct debuginfod_counts counts = { .hits = 0 };
	struct fetched mine;

	setenv("CAIRN_DEBUGINFOD_CACHE_MAX", "250000", 1);
	open_one(&mine, "0123", "http://a");
	put_file("aa", "debuginfo", SIZE, 3000);
	fetched_count(&mine, SIZE, &counts);
	put_file("bb", "debuginfo", SIZE, 2000);
	fetched_count(&mine, SIZE, &counts);
	ck_assert(has_path("aa") && has_path("bb"));
	ck_assert_uint_eq(counts.evictions, 0);
	put_file("cc", "debuginfo", SIZE, 1000);
	fetched_count(&mine, SIZE, &counts);
	ck_assert(!has_path("aa") && has_path("bb") && has_path("cc"));
	ck_assert_uint_eq(counts.evictions, 1);
	ck_assert_uint_ge(counts.cache_bytes, 2 * SIZE);
	ck_assert_uint_le(counts.cache_bytes, 250000);
	setenv("CAIRN_DEBUGINFOD_CACHE_MAX", "0", 1);
	put_file("aa", "debuginfo", SIZE, 3000);
	fetched_count(&mine, SIZE, &counts);
	ck_assert(has_path("aa") && has_path("bb") && has_path("cc"));
	fetched_close(&mine);
}
END_TEST

START_TEST(full_disk_gives_a_quarter)
{
	struct debuginfod_counts counts = { .hits = 0 };
	struct fetched mine;

	open_one(&mine, "0123", "http://a");
	ck_assert(!fetched_free_space(&mine, &counts));
	put_file("aa", "debuginfo", SIZE, 4000);
	put_file("bb", "debuginfo", SIZE, 3000);
	put_file("cc", "debuginfo", SIZE, 2000);
	put_file("dd", "debuginfo", SIZE, 1000);
	ck_assert(fetched_free_space(&mine, &counts));
	ck_assert_uint_eq(counts.evictions, 1);
	ck_assert(!has_path("aa") && has_path("bb") && has_path("cc") && has_path("dd"));
	fetched_close(&mine);
}
END_TEST

#define LINE "{\"fetched\":{"

START_TEST(line_of_counts_is_read_again)
{
	const struct debuginfod_counts before = { 1, 2, 3, 4, 500, 6, 7000 };
	const struct debuginfod_counts now = { 2, 2, 5, 4, 900, 6, 6000 };
	struct debuginfod_counts total = before;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fetch_line_write(out, &now, &now);
	fetch_line_write(out, &now, &before);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, LINE "\"hit\":1,\"miss\":0,\"negative\":2,\"error\":0,"
	                            "\"bytes\":400,\"evictions\":0,\"cache_bytes\":6000}}\n");
	ck_assert(fetch_line_add((struct cairn_bytes){ (uint8_t *)text, size - 1 }, &total));
	ck_assert_mem_eq(&total, &now, sizeof(now));
	free(text);
}
END_TEST

static const char *const no_lines[] = {
	"",
	"{\"result\":\"done\"}",
	LINE,
	LINE "}",
	LINE "}}}",
	LINE "}} {}",
	LINE "},\"result\":\"done\"}",
	LINE "\"hit\":1}",
	LINE "\"hit\":\"1\"}}",
	LINE "\"hit\":-1}}",
	LINE "\"hit\":[1]}}",
	LINE "\"hit\":1,\"other\":1}}",
	LINE "\"hit\":1,\"miss\":281474976710657}}",
};

START_TEST(other_lines_count_nothing)
{
	const struct cairn_bytes line = { (const uint8_t *)no_lines[_i], strlen(no_lines[_i]) };
	struct debuginfod_counts total = { .hits = 7 };

	ck_assert(!fetch_line_add(line, &total));
	ck_assert_uint_eq(total.hits, 7);
}
END_TEST

#define SAID \
	"server response HTTP response code said error\nurl 0 The requested URL returned error: "

START_TEST(servers_in_the_log)
{
	static const struct {
		const char *log;
		enum server_log said;
	} rows[] = {
		{ "", SERVER_LOG_EMPTY },
		{ "url 0 http://127.0.0.1:404/buildid/00/debuginfo\nquery 1 urls in parallel\n",
		  SERVER_LOG_EMPTY },
		{ SAID "404\n", SERVER_LOG_ABSENT },
		{ SAID "404", SERVER_LOG_ABSENT },
		{ SAID "410\n", SERVER_LOG_ABSENT },
		{ SAID "404\n" SAID "404\n", SERVER_LOG_ABSENT },
		{ SAID "403\n", SERVER_LOG_REFUSED },
		{ SAID "404\n" SAID "401\n" SAID "404\n", SERVER_LOG_REFUSED },
		{ SAID "503\n", SERVER_LOG_FAILED },
		{ SAID "404\n" SAID "500\n" SAID "404\n", SERVER_LOG_FAILED },
		{ SAID "429\n", SERVER_LOG_FAILED },
		{ SAID "408\n", SERVER_LOG_FAILED },
		{ SAID "40\n", SERVER_LOG_FAILED },
		{ SAID "4O4\n", SERVER_LOG_FAILED },
		{ "server response HTTP response code said error", SERVER_LOG_FAILED },
		{ "server response HTTP response code said error\n404\n", SERVER_LOG_FAILED },
		{ "server response Server returned nothing (no headers, no data)\nurl 0 Empty "
		  "reply from server\n",
		  SERVER_LOG_FAILED },
		{ "server response Couldn't read a file:// file\nurl 0 Couldn't open file /x\n",
		  SERVER_LOG_ABSENT },
		/* a header is what a server likes */
		{ "header server response HTTP response code said error\nheader url 0 404\n",
		  SERVER_LOG_EMPTY },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct cairn_bytes log = { (const uint8_t *)rows[i].log,
			                         strlen(rows[i].log) };
		ck_assert_msg(server_log_read(log) == rows[i].said, "row %zu", i);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fetched");
	TCase *shared = tcase_create("shared");
	TCase *log = tcase_create("log");

	tcase_add_checked_fixture(shared, begin, end);
	tcase_add_test(shared, one_process_fetches);
	tcase_add_test(shared, lock_ends_with_its_process);
	tcase_add_test(shared, remembers_absence);
	tcase_add_test(shared, forgets_absence_in_time);
	tcase_add_test(shared, damaged_record_is_none);
	tcase_add_test(shared, clock_that_was_set_back_keeps_no_file);
	tcase_add_test(shared, oldest_goes_first);
	tcase_add_test(shared, bound_holds);
	tcase_add_test(shared, full_disk_gives_a_quarter);
	tcase_add_test(shared, line_of_counts_is_read_again);
	tcase_add_loop_test(shared, other_lines_count_nothing, 0,
	                    sizeof(no_lines) / sizeof(no_lines[0]));
	tcase_add_test(log, servers_in_the_log);
	suite_add_tcase(suite, shared);
	suite_add_tcase(suite, log);
	return unit_run(suite);
}
