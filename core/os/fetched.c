/* SPDX-License-Identifier: MIT */
/*
 * Keeps the state that processes with a common debuginfod cache share, removes old files from the
 * cache, and reports downloads.
 */
#define _GNU_SOURCE /* open file description locks */
#include "fetched.h"

#include "base/byte_buffer.h"
#include "base/bytes.h"
#include "base/json_reader.h"
#include "base/memory.h"
#include "os/atomic_file.h"
#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, BLOCK = 512, FILES_MAX = 1 << 20 };

struct swept_file {
	char *path;
	uint64_t bytes;
	int64_t used; /* seconds since 1970 */
	bool is_unfinished;
};

struct sweep {
	struct swept_file *file;
	size_t count, capacity;
	struct sweep_totals *totals;
};

static bool is_build(const char *name)
{
	return name[0] && strspn(name, "0123456789abcdef") == strlen(name);
}

/* Return true for NAME.XXXXXX, the name of a file that the library is downloading. */
static bool is_unfinished(const char *name)
{
	return strncmp(name, "debuginfo.", 10) == 0 || strncmp(name, "executable.", 11) == 0;
}

static void list_file(struct sweep *sweep, const char *path, const char *name)
{
	struct stat about;

	if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode) || sweep->count >= FILES_MAX ||
	    !array_grow(&sweep->file, &sweep->capacity, sweep->count + 1, sizeof(*sweep->file)))
		return;
	struct swept_file *file = &sweep->file[sweep->count];
	const int64_t read = about.st_atime, written = about.st_mtime;
	*file = (struct swept_file){ .path = strdup(path),
		                     .bytes = (uint64_t)about.st_blocks * BLOCK,
		                     .used = read > written ? read : written,
		                     .is_unfinished = is_unfinished(name) };
	if (!file->path)
		return;
	sweep->count++;
	sweep->totals->bytes += file->bytes;
}

static void list_directory(struct sweep *sweep, const char *directory,
                           void (*each)(struct sweep *sweep, const char *path, const char *name))
{
	DIR *entries = opendir(directory);
	char path[PATH_SIZE];
	struct dirent *entry;

	while (entries && (entry = readdir(entries)) != NULL)
		if (entry->d_name[0] != '.' && snprintf(path, sizeof(path), "%s/%s", directory,
		                                        entry->d_name) < (int)sizeof(path))
			each(sweep, path, entry->d_name);
	if (entries)
		closedir(entries);
}

static void list_build(struct sweep *sweep, const char *path, const char *name)
{
	struct stat about;

	if (is_build(name) && lstat(path, &about) == 0 && S_ISDIR(about.st_mode))
		list_directory(sweep, path, list_file);
}

static int compare_uses(const void *a, const void *b)
{
	const struct swept_file *one = a, *other = b;

	return one->used < other->used ? -1 : one->used > other->used;
}

static void remove_file(struct sweep *sweep, struct swept_file *file)
{
	if (unlink(file->path) != 0)
		return;
	sweep->totals->bytes -= file->bytes;
	sweep->totals->removed++;
	*strrchr(file->path, '/') = '\0';
	rmdir(file->path);
}

static void remove_files(struct sweep *sweep, uint64_t most, uint64_t wanted)
{
	const int64_t now = (int64_t)time(NULL);
	const bool is_full = sweep->totals->bytes > most;

	for (size_t i = 0; i < sweep->count; i++) {
		struct swept_file *file = &sweep->file[i];
		/*
		 * If the clock has been set back, files may have timestamps in the future and would
		 * never be removed. Therefore use the absolute difference as the age.
		 */
		const int64_t age = file->used < now ? now - file->used : file->used - now;
		const bool is_stale = file->is_unfinished && age > FETCHED_STALE_SECONDS;
		const bool is_old = !file->is_unfinished && age > FETCHED_GRACE;
		if (is_stale || (is_full && is_old && sweep->totals->bytes > wanted))
			remove_file(sweep, file);
	}
}

void sweep_directory(const char *directory, uint64_t most, uint64_t wanted,
                     struct sweep_totals *totals)
{
	struct sweep sweep = { .totals = totals };

	*totals = (struct sweep_totals){ .bytes = 0 };
	list_directory(&sweep, directory, list_build);
	if (sweep.count > 0)
		qsort(sweep.file, sweep.count, sizeof(*sweep.file), compare_uses);
	remove_files(&sweep, most, wanted);
	for (size_t i = 0; i < sweep.count; i++)
		free(sweep.file[i].path);
	free(sweep.file);
}

enum {
	HEAD_SIZE = 64,
	TIME_SIZE = 8,
	RECORD_SIZE = TIME_SIZE + SHA256_SIZE,
	NUMBER_SIZE = 24,
};

/*
 * offsets of the bytes to lock: SWEEP_BYTE during a sweep, BUILD_BYTES plus a build's hash during
 * its download
 */
#define SWEEP_BYTE ((off_t)1 << 61)
#define BUILD_BYTES ((off_t)1 << 62)

static void put_hashed_text(struct sha256 *hash, const char *text)
{
	/* hash the NUL too, so that "ab" and "c" hash differently from "a" and "bc" */
	sha256_put(hash, (struct cairn_bytes){ (const uint8_t *)text, strlen(text) + 1 });
}

static void hash_place(struct fetched *fetched)
{
	struct sha256 hash = sha256_open();

	put_hashed_text(&hash, fetched->question.file);
	sha256_put(&hash, fetched->question.build_id);
	sha256_finish(&hash, fetched->place);
}

void fetched_open(struct fetched *fetched, const char *directory,
                  const struct fetched_question *question)
{
	char path[PATH_SIZE];
	const int size = snprintf(path, sizeof(path), "%s/cairn_fetches", directory);

	*fetched = (struct fetched){ .fd = -1, .directory = directory, .question = *question };
	hash_place(fetched);
	if (size > 0 && size < (int)sizeof(path) && os_make_directories(directory) == 0)
		fetched->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void fetched_close(struct fetched *fetched)
{
	if (fetched->fd >= 0)
		close(fetched->fd);
	fetched->fd = -1;
}

static bool lock_byte(const struct fetched *fetched, off_t byte)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1
	};

	return fcntl(fetched->fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

bool fetched_lock(const struct fetched *fetched)
{
	const uint64_t number = bytes_u64(fetched->place, false);

	/* Do not wait if locking is unsupported, as on some network file systems. */
	return fetched->fd < 0 ||
	       lock_byte(fetched, BUILD_BYTES | (off_t)(number & ((UINT64_C(1) << 61) - 1)));
}

static off_t record_place(const struct fetched *fetched)
{
	const uint32_t slot = bytes_u32(fetched->place + 8, false) % FETCHED_SLOTS;

	return HEAD_SIZE + (off_t)slot * RECORD_SIZE;
}

static void write_record(const struct fetched *fetched, uint64_t at, uint8_t record[RECORD_SIZE])
{
	struct sink out = sink_open(record, TIME_SIZE);
	struct sha256 hash = sha256_open();

	sink_little(&out, at, TIME_SIZE);
	put_hashed_text(&hash, fetched->question.servers);
	sha256_put(&hash, (struct cairn_bytes){ record, TIME_SIZE });
	sha256_put(&hash, (struct cairn_bytes){ fetched->place, SHA256_SIZE });
	sha256_finish(&hash, record + TIME_SIZE);
}

/*
 * Read a number from a settings file in the cache directory, such as libdebuginfod's cache_miss_s.
 * Returns `usual` if the file does not exist or contains no number.
 */
static uint64_t read_setting(const struct fetched *fetched, const char *name, uint64_t usual)
{
	char path[PATH_SIZE], text[NUMBER_SIZE] = "", *end;
	struct stat about;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", fetched->directory, name) >= (int)sizeof(path) ||
	    os_file_regular(path, &about, &fd) != 0)
		return usual;
	const ssize_t got = read(fd, text, sizeof(text) - 1);
	close(fd);
	const uint64_t number = strtoull(text, &end, 10);
	return got > 0 && end > text ? number : usual;
}

bool fetched_is_absent(const struct fetched *fetched)
{
	uint8_t record[RECORD_SIZE], wanted[RECORD_SIZE];
	const uint64_t now = (uint64_t)time(NULL);

	if (fetched->fd < 0 || pread(fetched->fd, record, sizeof(record), record_place(fetched)) !=
	                               (ssize_t)sizeof(record))
		return false;
	const uint64_t at = bytes_u64(record, false);
	if (at > now || now - at >= read_setting(fetched, "cache_miss_s", FETCHED_ABSENT_SECONDS))
		return false;
	write_record(fetched, at, wanted);
	return memcmp(record, wanted, sizeof(record)) == 0;
}

void fetched_note_absent(const struct fetched *fetched)
{
	uint8_t record[RECORD_SIZE];

	if (fetched->fd < 0)
		return;
	write_record(fetched, (uint64_t)time(NULL), record);
	/* if the write fails, the answer is not cached */
	if (pwrite(fetched->fd, record, sizeof(record), record_place(fetched)) < 0)
		return;
}

static uint64_t read_bound(void)
{
	const char *text = getenv("CAIRN_DEBUGINFOD_CACHE_MAX");
	char *end;

	if (!text || *text < '0' || *text > '9')
		return FETCHED_BYTES_MAX;
	const uint64_t bound = strtoull(text, &end, 10);
	return *end ? FETCHED_BYTES_MAX : bound;
}

/*
 * The start of the shared file: the cache limit in force, the number of bytes left below it, and
 * the number of files downloaded since the last sweep.
 */
struct disk_space {
	uint64_t bound, left, files;
};

static void read_space(const struct fetched *fetched, struct disk_space *space)
{
	uint8_t head[24];

	*space = (struct disk_space){ .bound = 0 };
	if (pread(fetched->fd, head, sizeof(head), 0) == (ssize_t)sizeof(head))
		*space = (struct disk_space){ bytes_u64(head, false), bytes_u64(head + 8, false),
			                      bytes_u64(head + 16, false) };
}

static void write_space(const struct fetched *fetched, const struct disk_space *space)
{
	uint8_t head[24];
	struct sink out = sink_open(head, sizeof(head));

	sink_little(&out, space->bound, 8);
	sink_little(&out, space->left, 8);
	sink_little(&out, space->files, 8);
	/* if the write fails, the next download sweeps the cache */
	if (pwrite(fetched->fd, head, sizeof(head), 0) < 0)
		return;
}

/* Sweep down to seven eighths of the limit, so that not every download triggers another sweep. */
static void sweep_to_bound(const struct fetched *fetched, struct disk_space *space,
                           struct debuginfod_counts *counts)
{
	struct sweep_totals totals;

	sweep_directory(fetched->directory, space->bound, space->bound - space->bound / 8, &totals);
	space->left = space->bound > totals.bytes ? space->bound - totals.bytes : 0;
	space->files = 0;
	counts->evictions += totals.removed;
}

void fetched_count(const struct fetched *fetched, uint64_t bytes, struct debuginfod_counts *counts)
{
	const uint64_t bound = read_bound();
	struct disk_space space;

	if (fetched->fd < 0 || bound == 0 || !lock_byte(fetched, SWEEP_BYTE))
		return; /* the lock's owner or the next download will account for this file */
	read_space(fetched, &space);
	if (space.bound != bound || space.left < bytes || space.files >= FETCHED_SWEEP) {
		space.bound = bound;
		sweep_to_bound(fetched, &space, counts);
	} else {
		space.left -= bytes;
		space.files++;
	}
	counts->cache_bytes = bound - space.left;
	write_space(fetched, &space);
}

bool fetched_free_space(const struct fetched *fetched, struct debuginfod_counts *counts)
{
	struct sweep_totals totals;

	if (fetched->fd < 0 || !lock_byte(fetched, SWEEP_BYTE))
		return false;
	sweep_directory(fetched->directory, UINT64_MAX, UINT64_MAX, &totals);
	sweep_directory(fetched->directory, 0, totals.bytes - totals.bytes / 4, &totals);
	counts->evictions += totals.removed;
	return totals.removed > 0;
}

static const char beginning[] = "{\"fetched\":{";

/* The last member, cache_bytes, is the current size of the cache; all other counts are summed. */
static const struct {
	const char *name;
	size_t at;
} members[] = {
	{ "hit", offsetof(struct debuginfod_counts, hits) },
	{ "miss", offsetof(struct debuginfod_counts, misses) },
	{ "negative", offsetof(struct debuginfod_counts, negatives) },
	{ "error", offsetof(struct debuginfod_counts, errors) },
	{ "bytes", offsetof(struct debuginfod_counts, bytes) },
	{ "evictions", offsetof(struct debuginfod_counts, evictions) },
	{ "cache_bytes", offsetof(struct debuginfod_counts, cache_bytes) },
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]), COUNTED = MEMBERS - 1 };

static uint64_t get_member(const struct debuginfod_counts *counts, size_t i)
{
	uint64_t value;

	memcpy(&value, (const char *)counts + members[i].at, sizeof(value));
	return value;
}

static void set_member(struct debuginfod_counts *counts, size_t i, uint64_t value)
{
	memcpy((char *)counts + members[i].at, &value, sizeof(value));
}

void fetch_line_write(FILE *out, const struct debuginfod_counts *now,
                      const struct debuginfod_counts *before)
{
	if (memcmp(now, before, sizeof(*now)) == 0)
		return;
	for (size_t i = 0; i < MEMBERS; i++) {
		const uint64_t old = i < COUNTED ? get_member(before, i) : 0;
		fprintf(out, "%s\"%s\":%" PRIu64, i == 0 ? beginning : ",", members[i].name,
		        get_member(now, i) - old);
	}
	fputs("}}\n", out);
}

static bool add_member(const struct json_step *step, struct debuginfod_counts *counts)
{
	const struct json_reader_value value = { step->kind, step->text };
	uint64_t number;

	for (size_t i = 0; i < MEMBERS; i++) {
		if (!bytes_are(step->name, members[i].name))
			continue;
		if (!json_reader_whole(&value, &number) || number > FETCH_COUNT_MAX)
			return false;
		set_member(counts, i, number + (i < COUNTED ? get_member(counts, i) : 0));
		return true;
	}
	return false;
}

bool fetch_line_add(struct cairn_bytes line, struct debuginfod_counts *total)
{
	const size_t head = sizeof(beginning) - 1;
	struct debuginfod_counts sum = *total;
	struct json_step step = { .ends = false };

	if (line.size < head || memcmp(line.data, beginning, head) != 0)
		return false;
	struct json_walk walk = json_walk_open(line);
	if (!json_walk_next(&walk, &step) || !json_walk_next(&walk, &step))
		return false;
	while (json_walk_next(&walk, &step) && !step.ends)
		if (!add_member(&step, &sum))
			return false;
	/* require the end of the outer object and of the input */
	if (!json_walk_next(&walk, &step) || json_walk_next(&walk, &step) || !reader_ok(&walk.in))
		return false;
	*total = sum;
	return true;
}
