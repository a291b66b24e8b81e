/* SPDX-License-Identifier: MIT */
/*
 * Limits how many reports each user may create per minute, and how much each directory keeps. A
 * user who causes crashes without end only loses their own files, as long as they have the most
 * bytes.
 */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	LOCK_TRIES = 500,
	LOCK_PAUSE = 10 * 1000 * 1000,
	BUCKETS = 256, /* users whose UIDs are equal modulo this share a bucket */
	FILES_MAX = 1 << 16,
	BLOCK = 512,        /* unit of st_blocks */
	BLOCK_LEAST = 4096, /* even an empty file occupies an inode */
	REMOVED_MAX = 1000, /* removed per run; the next handler continues */
	STALE_SECONDS = 60 * 60,
};

static const uint64_t minute = 60 * (uint64_t)1000000000;

int crash_store_lock(const struct crash_store *store)
{
	const struct timespec pause = { 0, LOCK_PAUSE };
	int fd = openat(store->reports, ".crash-lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
	                0600);

	for (unsigned i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		nanosleep(&pause, NULL);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Leaky bucket of one user. `used` is in nanoseconds: each report adds a minute divided by the
 * rate, and elapsed time is subtracted.
 */
struct bucket {
	uint64_t at, used;
};

static void refill_bucket(struct bucket *bucket, uint64_t now)
{
	uint64_t gone = now > bucket->at ? now - bucket->at : 0;

	if (bucket->at > now) /* CLOCK_BOOTTIME restarted with the system */
		bucket->used = 0;
	bucket->used = bucket->used > gone ? bucket->used - gone : 0;
	bucket->at = now;
}

bool crash_store_allows(const struct crash_store *store, int lock, uint64_t rate, uint64_t now)
{
	const off_t place = (off_t)(store->user % BUCKETS * sizeof(struct bucket));
	struct bucket bucket = { 0, 0 };

	if (rate == 0)
		return true;
	if (pread(lock, &bucket, sizeof(bucket), place) != (ssize_t)sizeof(bucket))
		bucket = (struct bucket){ 0, 0 };
	refill_bucket(&bucket, now);
	const uint64_t cost = minute / rate;
	if (bucket.used > minute - cost)
		return false;
	bucket.used += cost;
	/*
	 * If the disk is full, the count cannot be stored. Allow the report, because trimming frees
	 * space.
	 */
	ssize_t wrote = pwrite(lock, &bucket, sizeof(bucket), place);
	return wrote == (ssize_t)sizeof(bucket) || errno == ENOSPC;
}

struct kept_file {
	char name[NAME_ROOM];
	uint64_t user, bytes;
	struct timespec time;
	bool gone;
};

struct kept_files {
	struct kept_file *file;
	size_t count, left;
	uint64_t bytes;
};

static bool parse_name(const char *name, uint64_t *user)
{
	static const char prefix[] = "crash-";
	const char *at = strstr(name, "-u");

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 || strlen(name) >= NAME_ROOM || !at)
		return false;
	*user = strtoull(at + 2, NULL, 10);
	return true;
}

/* Remove temporary files of handlers that were killed. */
static void remove_stale(int folder, const char *name)
{
	struct stat about;

	if ((strncmp(name, ".crash-report-", 14) == 0 || strncmp(name, ".crash-core-", 12) == 0) &&
	    fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) &&
	    difftime(time(NULL), about.st_mtime) > (double)STALE_SECONDS)
		unlinkat(folder, name, 0);
}

static void take_kept(struct kept_files *all, int folder, const char *name)
{
	struct kept_file *file = &all->file[all->count];
	struct stat about;

	if (!parse_name(name, &file->user) ||
	    fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
		return;
	memcpy(file->name, name, strlen(name) + 1);
	file->bytes = (uint64_t)about.st_blocks * BLOCK;
	file->bytes = file->bytes > BLOCK_LEAST ? file->bytes : BLOCK_LEAST;
	file->time = about.st_mtim;
	file->gone = false;
	all->bytes += file->bytes;
	all->left = ++all->count;
}

static void list_files(struct kept_files *all, int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!entries && fd >= 0)
		close(fd);
	while (entries && all->count < FILES_MAX && (entry = readdir(entries))) {
		take_kept(all, fd, entry->d_name);
		remove_stale(fd, entry->d_name);
	}
	if (entries)
		closedir(entries);
}

static int compare_kept(const void *left, const void *right)
{
	const struct kept_file *a = left, *b = right;

	if (a->user != b->user)
		return a->user < b->user ? -1 : 1;
	if (a->time.tv_sec != b->time.tv_sec)
		return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
	if (a->time.tv_nsec != b->time.tv_nsec)
		return a->time.tv_nsec < b->time.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Return the oldest file of the user with the most bytes, or NULL if there are no files. */
static struct kept_file *choose_victim(const struct kept_files *all)
{
	struct kept_file *victim = NULL, *oldest = NULL;
	uint64_t most = 0, bytes = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct kept_file *file = &all->file[i];
		if (i == 0 || file->user != all->file[i - 1].user) {
			oldest = NULL;
			bytes = 0;
		}
		if (file->gone)
			continue;
		oldest = oldest ? oldest : file;
		bytes += file->bytes;
		if (bytes > most) {
			most = bytes;
			victim = oldest;
		}
	}
	return victim;
}

size_t crash_store_trim(const struct crash_store *store, int folder,
                        const struct crash_bounds *bounds, bool at_least)
{
	struct kept_files all = { .file = calloc(FILES_MAX, sizeof(*all.file)) };
	struct kept_file *victim;
	size_t removed = 0;

	if (!all.file)
		return 0;
	list_files(&all, folder);
	qsort(all.file, all.count, sizeof(*all.file), compare_kept);
	for (size_t i = 0; i < all.count; i++) /* never remove the current report */
		all.file[i].gone |= strcmp(all.file[i].name, store->name) == 0;
	while (removed < REMOVED_MAX && (all.left > bounds->files || all.bytes > bounds->bytes ||
	                                 (at_least && removed == 0))) {
		victim = choose_victim(&all);
		if (!victim)
			break;
		removed += unlinkat(folder, victim->name, 0) == 0;
		victim->gone = true;
		all.bytes -= victim->bytes;
		all.left--;
	}
	free(all.file);
	return removed;
}
