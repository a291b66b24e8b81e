/* SPDX-License-Identifier: MIT */
/*
 * Finds the cache directory, lists and removes its files by extension, and checks the source files
 * of a cache file.
 */
#include "cache.h"

#include "base/byte_buffer.h"
#include "base/bytes.h"
#include "base/encoding.h"
#include "base/reader.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool os_cache_directory(char path[OS_CACHE_PATH])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool given = cache && cache[0] == '/';

	if (!given && (!home || home[0] != '/'))
		return false;
	int size = snprintf(path, OS_CACHE_PATH, "%s%s/cairn", given ? cache : home,
	                    given ? "" : "/.cache");
	return size > 0 && size < OS_CACHE_PATH;
}

enum { ID_LEAST = 4, ID_MAX = 64 };

bool os_cache_path(const char *directory, struct cairn_bytes id, const char *extension,
                   char path[OS_CACHE_PATH])
{
	char hex[2 * ID_MAX + 1];

	if (id.size < ID_LEAST || id.size > ID_MAX)
		return false;
	hex_encode(id, hex);
	int size = snprintf(path, OS_CACHE_PATH, "%s/%s.%s", directory, hex, extension);
	return size > 0 && size < OS_CACHE_PATH;
}

static bool is_ours(const char *name, const char *extension)
{
	size_t digits = strspn(name, "0123456789abcdef");

	return digits >= 2 * (size_t)ID_LEAST && name[digits] == '.' &&
	       strcmp(name + digits + 1, extension) == 0;
}

static bool stat_cache_file(const char *directory, const char *name, struct os_cache_file *file)
{
	char path[OS_CACHE_PATH];
	struct stat about;
	int size = snprintf(path, sizeof(path), "%s/%s", directory, name);

	if (size < 0 || size >= OS_CACHE_PATH || lstat(path, &about) != 0 ||
	    !S_ISREG(about.st_mode))
		return false;
	*file = (struct os_cache_file){ name, (uint64_t)about.st_size, about.st_mtime };
	return true;
}

bool os_cache_for_each(const char *directory, const char *extension,
                       bool (*each)(void *context, const struct os_cache_file *file), void *context)
{
	DIR *entries = opendir(directory);
	struct os_cache_file file;
	struct dirent *entry;
	bool good = true;

	if (!entries)
		return errno == ENOENT;
	while (good && (entry = readdir(entries)) != NULL)
		if (is_ours(entry->d_name, extension) &&
		    stat_cache_file(directory, entry->d_name, &file))
			good = each(context, &file);
	closedir(entries);
	return good;
}

int os_cache_remove(const char *directory, const char *name)
{
	char path[OS_CACHE_PATH];
	int size = snprintf(path, sizeof(path), "%s/%s", directory, name);

	if (size < 0 || size >= OS_CACHE_PATH)
		return ENAMETOOLONG;
	return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
}

enum {
	END_SIZE = 32,
	MARK_SIZE = 16,
	PART_SIZE = 1 << 16,
	/*
	 * Tick of the coarsest file system clock in use, in seconds. If a file changes twice within
	 * a tick, its times stay the same. Therefore the stamps of files that changed so recently
	 * are not recorded.
	 */
	TICK = 2,
};

static const uint8_t mark[MARK_SIZE] = "cairn made me";

static bool stamps_agree(const struct os_file_stamp *a, const struct os_file_stamp *b)
{
	return a->inode != 0 && a->inode == b->inode && a->device == b->device &&
	       a->modified == b->modified && a->changed == b->changed;
}

static bool is_old(const struct os_file_stamp *stamp)
{
	const int64_t second = 1000000000;
	int64_t now = (int64_t)time(NULL), last = stamp->changed / second;

	if (stamp->modified / second > last)
		last = stamp->modified / second;
	return last < now - TICK;
}

static void put_digest(struct cairn_bytes bytes, uint8_t digest[SHA256_SIZE])
{
	struct sha256 hash = sha256_open();

	sha256_put(&hash, bytes);
	sha256_finish(&hash, digest);
}

struct os_cache_origin_file os_cache_origin_of_file(const struct os_file *file)
{
	struct os_cache_origin_file made = { .size = file->bytes.size };

	if (made.size == 0)
		return made;
	if (is_old(&file->stamp))
		made.stamp = file->stamp;
	put_digest(file->bytes, made.digest);
	return made;
}

bool os_cache_origin_matches(const struct os_cache_origin_file *made, const struct os_file *file)
{
	uint8_t digest[SHA256_SIZE];

	if (made->size != file->bytes.size)
		return false;
	if (made->size == 0 || stamps_agree(&made->stamp, &file->stamp))
		return true;
	put_digest(file->bytes, digest);
	return memcmp(digest, made->digest, SHA256_SIZE) == 0;
}

bool os_cache_origin_stamp(struct os_cache_origin_file *made, const struct os_file *file)
{
	if (made->size == 0 || made->stamp.inode != 0 || file->stamp.inode == 0 ||
	    !is_old(&file->stamp))
		return false;
	made->stamp = file->stamp;
	return true;
}

static int read_digest(int fd, uint64_t size, uint8_t digest[SHA256_SIZE])
{
	struct sha256 hash = sha256_open();
	uint8_t part[PART_SIZE];
	int error = 0;

	for (uint64_t at = 0; at < size && error == 0;) {
		size_t count = size - at < PART_SIZE ? (size_t)(size - at) : PART_SIZE;
		error = os_file_read(fd, at, part, count);
		sha256_put(&hash, (struct cairn_bytes){ part, count });
		at += count;
	}
	sha256_finish(&hash, digest);
	return error;
}

/*
 * Compare the file at `path` with the recorded source file, reading the file piece by piece.
 * Returns NOT_FOUND if `path` is not a readable regular file, and MISMATCH if the contents differ.
 */
static enum cairn_status compare_origin_path(const struct os_cache_origin_file *made,
                                             const char *path)
{
	uint8_t digest[SHA256_SIZE];
	struct stat about;
	int fd, error = 0;

	if (os_file_regular(path, &about, &fd) != 0)
		return CAIRN_NOT_FOUND;
	struct os_file_stamp stamp = os_file_stamp(&about);
	bool same = (uint64_t)about.st_size == made->size;
	if (same && !stamps_agree(&made->stamp, &stamp)) {
		error = read_digest(fd, made->size, digest);
		same = error == 0 && memcmp(digest, made->digest, SHA256_SIZE) == 0;
	}
	close(fd);
	return same ? CAIRN_OK : error ? CAIRN_NOT_FOUND : CAIRN_MISMATCH;
}

void os_cache_origin_write(const struct os_cache_origin *made,
                           uint8_t trailer[OS_CACHE_ORIGIN_SIZE])
{
	struct sink out = sink_open(trailer, OS_CACHE_ORIGIN_SIZE);

	for (unsigned i = 0; i < OS_CACHE_ORIGIN_FILES; i++) {
		const struct os_cache_origin_file *file = &made->file[i];
		sink_little(&out, file->size, 8);
		sink_little(&out, file->stamp.device, 8);
		sink_little(&out, file->stamp.inode, 8);
		sink_little(&out, (uint64_t)file->stamp.modified, 8);
		sink_little(&out, (uint64_t)file->stamp.changed, 8);
		sink_bytes(&out, file->digest, SHA256_SIZE);
	}
	sink_bytes(&out, mark, MARK_SIZE);
	sink_little(&out, OS_CACHE_ORIGIN_VERSION, 8);
	sink_zeros(&out, 8);
}

enum cairn_status os_cache_origin_read(struct cairn_bytes bytes, struct os_cache_origin *made)
{
	if (bytes.size < END_SIZE ||
	    memcmp(bytes.data + bytes.size - END_SIZE, mark, MARK_SIZE) != 0)
		return CAIRN_NOT_FOUND;
	if (bytes.size < OS_CACHE_ORIGIN_SIZE ||
	    bytes_u64(bytes.data + bytes.size - END_SIZE + MARK_SIZE, false) !=
	            OS_CACHE_ORIGIN_VERSION)
		return CAIRN_UNSUPPORTED;
	struct reader in = reader_open(bytes, false);
	reader_seek(&in, bytes.size - OS_CACHE_ORIGIN_SIZE);
	for (unsigned i = 0; i < OS_CACHE_ORIGIN_FILES; i++) {
		struct os_cache_origin_file *file = &made->file[i];
		file->size = reader_u64(&in);
		file->stamp.device = reader_u64(&in);
		file->stamp.inode = reader_u64(&in);
		file->stamp.modified = (int64_t)reader_u64(&in);
		file->stamp.changed = (int64_t)reader_u64(&in);
		memcpy(file->digest, reader_bytes(&in, SHA256_SIZE).data, SHA256_SIZE);
	}
	return CAIRN_OK;
}

enum cairn_status os_cache_origin_check(struct cairn_bytes symbols, const char *path,
                                        struct cairn_fault *fault)
{
	struct os_cache_origin made;
	enum cairn_status status = os_cache_origin_read(symbols, &made);

	if (status == CAIRN_NOT_FOUND)
		return CAIRN_OK;
	*fault = (struct cairn_fault){ CAIRN_MISMATCH, symbols.size - END_SIZE,
		                       "made by another version of cairn" };
	if (status != CAIRN_OK)
		return CAIRN_MISMATCH;
	fault->what = "made from another program with the same build ID";
	return compare_origin_path(&made.file[0], path) == CAIRN_MISMATCH ? CAIRN_MISMATCH
	                                                                  : CAIRN_OK;
}
