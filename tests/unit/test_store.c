/* SPDX-License-Identifier: MIT */
/*
 * Two uploads of one file that meet in the store.  The first is held where it is about to change
 * what the other relies on: linked with a rename() and an unlink() of the test's own, it stands
 * still there until the other asks for the lock, or, if nothing keeps it from that, is done.  What
 * is in the store afterwards must be what one after the other would have left.
 */
#include "unit.h"

#include "server/net/store.h"

#include <ftw.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

#define HEAD "symbfile\0\1"
/* One range of 8 bytes at 0x10, whose function has a name of one letter. */
#define RANGE_BODY(name) "\x60\x10\x10\x8\x1a\1" name
#define RANGE_FRAME "\7\2"
#define RANGE(name) RANGE_FRAME RANGE_BODY(name)

enum { PUBLISHED_MAX = 256, TREE_FILES = 16 };

struct part {
	uint32_t number; /* of two */
	struct cairn_bytes bytes;
};

enum place { BEFORE_PUBLISHING, BEFORE_REMOVING };

static const struct {
	const char *name;
	struct part before[2]; /* of no bytes: none */
	struct part first;
	enum place place; /* where it is held */
	bool first_is_taken;
	struct part second, after;
	struct cairn_bytes published;
} rows[] = {
	{ "a newer part comes while the file is made",
	  { { 0, BYTES(HEAD RANGE("a")) }, { 1, BYTES(HEAD RANGE("b")) } },
	  { 0, BYTES(HEAD RANGE("c")) },
	  BEFORE_PUBLISHING,
	  true,
	  { 1, BYTES(HEAD RANGE("d")) },
	  { 0, BYTES("") },
	  BYTES(HEAD RANGE("c") RANGE("d")) },
	{ "a part that fits comes while one that does not is dropped with all",
	  { { 0, BYTES(HEAD RANGE("a") RANGE_FRAME) }, { 0, BYTES("") } },
	  { 1, BYTES("not the other half") },
	  BEFORE_REMOVING,
	  false,
	  { 1, BYTES(RANGE_BODY("b")) },
	  { 0, BYTES(HEAD RANGE("c") RANGE_FRAME) },
	  BYTES(HEAD RANGE("c") RANGE("b")) },
};

static struct {
	struct store store;
	enum place place;
	const struct part *part;
	const struct upload_refusal *refusal;
	pthread_t first, second;
	bool armed, waited; /* armed: the second thread is on its way into the store */
	sem_t held, go;
} meeting;

static void hold(enum place place)
{
	if (meeting.waited || meeting.place != place ||
	    !pthread_equal(pthread_self(), meeting.first))
		return;
	meeting.waited = true;
	sem_post(&meeting.held);
	sem_wait(&meeting.go);
}

/* The linker gives these to all that is linked here (--wrap). */
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

int __wrap_rename(const char *from, const char *to)
{
	const char *name = strrchr(to, '/');

	if (name && strcmp(name, "/ranges") == 0)
		hold(BEFORE_PUBLISHING);
	return __real_rename(from, to);
}

/* A file that was joined and is not wanted; the parts are removed after it. */
int __wrap_unlink(const char *path)
{
	if (strstr(path, "/new/"))
		hold(BEFORE_REMOVING);
	return __real_unlink(path);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	if (mutex == &meeting.store.assembly && meeting.armed &&
	    pthread_equal(pthread_self(), meeting.second))
		sem_post(&meeting.go);
	return __real_pthread_mutex_lock(mutex);
}

/* A part of the upload of that name. */
static const struct upload_refusal *take_of(const struct part *part, const char *name)
{
	struct upload upload = { .kind = UPLOAD_RANGES, .part = part->number, .parts = 2 };
	char detail[STORE_DETAIL_MAX];
	struct os_durable file;

	snprintf(upload.name, sizeof(upload.name), "%s", name);
	ck_assert_int_eq(store_begin(&meeting.store, &file), 0);
	ck_assert_int_eq(os_durable_write(&file, part->bytes), 0);
	const struct upload_refusal *no = store_accept(&meeting.store, &upload, &file, detail);
	os_durable_abandon(&file);
	return no;
}

static const struct upload_refusal *take(const struct part *part)
{
	return take_of(part, "");
}

static void *take_first(void *unused)
{
	meeting.first = pthread_self();
	meeting.refusal = take(meeting.part);
	sem_post(&meeting.held); /* if it never came to the place */
	return unused;
}

/* Both at once; whether the first one was taken. */
static bool meet(const struct part *first, enum place place, const struct part *second)
{
	pthread_t thread;

	meeting.place = place;
	meeting.part = first;
	meeting.second = pthread_self();
	ck_assert_int_eq(sem_init(&meeting.held, 0, 0) | sem_init(&meeting.go, 0, 0), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, take_first, NULL), 0);
	sem_wait(&meeting.held);
	ck_assert_msg(meeting.waited, "it was never held");
	meeting.armed = true;
	ck_assert_ptr_null(take(second));
	sem_post(&meeting.go);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	return !meeting.refusal;
}

static struct cairn_bytes published(void)
{
	static uint8_t bytes[PUBLISHED_MAX], packed[PUBLISHED_MAX];
	const struct fileid id = { { 0 } };
	int fd = store_read(&meeting.store, &id, DOWNLOAD_RANGES);

	ck_assert_msg(fd >= 0, "nothing is published");
	ssize_t got = read(fd, packed, sizeof(packed));
	close(fd);
	ck_assert_int_gt(got, 0);
	size_t size = ZSTD_decompress(bytes, sizeof(bytes), packed, (size_t)got);
	ck_assert(!ZSTD_isError(size));
	return (struct cairn_bytes){ bytes, size };
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
	(void)about, (void)type, (void)where;
	return remove(path);
}

static void open_store(char directory[256])
{
	const char *tmp = getenv("TMPDIR");

	snprintf(directory, 256, "%s/store.XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(store_open(&meeting.store, directory, 0), 0);
}

static void drop_store(const char *directory)
{
	store_close(&meeting.store);
	nftw(directory, remove_one, TREE_FILES, FTW_DEPTH | FTW_PHYS);
}

static void check_published(const char *name, struct cairn_bytes want)
{
	struct cairn_bytes have = published();

	ck_assert_msg(have.size == want.size && memcmp(have.data, want.data, want.size) == 0,
	              "%s: other bytes are published", name);
}

/*
 * Two uploads of one file in slices, their parts in turn.  Every mixture is a sound symbfile, so that
 * nothing but the name of the upload keeps the parts apart.
 */
START_TEST(publishes_no_mixture)
{
	static const struct part a[2] = { { 0, BYTES(HEAD RANGE("a") RANGE_FRAME) },
		                          { 1, BYTES(RANGE_BODY("a")) } };
	static const struct part b[2] = { { 0, BYTES(HEAD RANGE("b") RANGE_FRAME) },
		                          { 1, BYTES(RANGE_BODY("b")) } };
	static const char *const names[2] = { "11111111111111111111111111111111",
		                              "22222222222222222222222222222222" };
	const char *first = _i == 1 ? "" : names[0]; /* a client that sends no name */
	char directory[256];

	open_store(directory);
	ck_assert_ptr_null(take_of(&a[0], first));
	ck_assert_ptr_null(take_of(&b[0], names[1]));
	ck_assert_ptr_null(take_of(&a[1], first));
	check_published("the first", (struct cairn_bytes)BYTES(HEAD RANGE("a") RANGE("a")));
	ck_assert_ptr_null(take_of(&b[1], names[1]));
	check_published("the second", (struct cairn_bytes)BYTES(HEAD RANGE("b") RANGE("b")));
	/* the first one is dropped: a part of it alone publishes nothing */
	ck_assert_ptr_null(take_of(&a[1], first));
	check_published("a part of the first",
	                (struct cairn_bytes)BYTES(HEAD RANGE("b") RANGE("b")));
	drop_store(directory);
}
END_TEST

START_TEST(leaves_what_one_after_the_other_would)
{
	char directory[256];

	open_store(directory);
	for (size_t i = 0; i < COUNT(rows[_i].before); i++)
		if (rows[_i].before[i].bytes.size > 0)
			ck_assert_ptr_null(take(&rows[_i].before[i]));
	bool taken = meet(&rows[_i].first, rows[_i].place, &rows[_i].second);
	const struct upload_refusal *no = NULL;
	if (rows[_i].after.bytes.size > 0)
		no = take(&rows[_i].after);
	check_published(rows[_i].name, rows[_i].published);
	drop_store(directory);
	ck_assert_msg(taken == rows[_i].first_is_taken && !no, "%s", rows[_i].name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("store");
	TCase *tcase = tcase_create("store");

	tcase_add_loop_test(tcase, leaves_what_one_after_the_other_would, 0, COUNT(rows));
	tcase_add_loop_test(tcase, publishes_no_mixture, 0, 2);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
