/* SPDX-License-Identifier: MIT */
/*
 * Opens and locks a symbol store, stores uploaded parts, assembles files from them, and opens files
 * for download.
 */
#include "store.h"

#include "zstd_stream.h"

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

const struct upload_refusal *store_refusal(int error, char detail[STORE_DETAIL_MAX])
{
	snprintf(detail, STORE_DETAIL_MAX, "%s", strerror(error));
	if (error == ENOSPC || error == EDQUOT || error == EFBIG)
		return &upload_disk_full;
	return &upload_failed;
}

static int store_path(const struct store *store, const char *name, char path[OS_DURABLE_PATH_MAX])
{
	int length = snprintf(path, OS_DURABLE_PATH_MAX, "%s/%s", store->root, name);

	return length < 0 || length >= OS_DURABLE_PATH_MAX ? ENAMETOOLONG : 0;
}

int store_begin(struct store *store, struct os_durable *file)
{
	char path[OS_DURABLE_PATH_MAX];
	int error = store_path(store, "new", path);

	return error ? error : os_durable_begin(path, &store->quota, file);
}

/*
 * The parts of an upload are collected in a set, a directory named after the number of parts and
 * the upload. Therefore two clients can upload the same file at once even if they split it
 * differently. When the last part arrives, the file is assembled and replaces the published file. A
 * client that has received no response may repeat an upload: a part that arrives again replaces the
 * earlier copy, and the file is assembled again.
 *
 * The joined parts may be an invalid symbfile. If the set was valid before, a client is replacing
 * its parts one by one, so the published file is kept until all parts form a valid symbfile again.
 * Otherwise it is unknown which part is faulty, so all parts are removed.
 */

struct assembly {
	struct store *store;
	const struct upload *upload;
	char directory[STORE_ROOT_MAX + DOWNLOAD_DIRECTORY + 1];
	char *detail;
};

enum { PATH_MAX_HERE = OS_DURABLE_PATH_MAX };

/* Describe the fault for responses and the log: "the data ends inside a record at byte 40". */
static void assembly_describe(const struct upload_parts_view *view, char detail[STORE_DETAIL_MAX])
{
	if (view->code == SYMBFILE_VALID)
		snprintf(detail, STORE_DETAIL_MAX, "%" PRIu64 " return pads", view->pads);
	else
		snprintf(detail, STORE_DETAIL_MAX, "%s at byte %" PRIu64, view->fault.what,
		         view->fault.offset);
}

enum { SET_NAME_MAX = 64 }; /* capacity for the longest name, "returnpads.32767." and 32 digits */

/*
 * Write the name of a set's directory: the kind, the number of parts and, if known, the name of the
 * upload.
 */
static void make_set_name(const struct assembly *a, char name[SET_NAME_MAX])
{
	const struct upload *u = a->upload;

	snprintf(name, SET_NAME_MAX, "%.16s.%" PRIu32 "%s%s", upload_kind_name(u->kind), u->parts,
	         u->name[0] ? "." : "", u->name);
}

/* Write a set's path. It fits because roots are limited to STORE_ROOT_MAX. */
static void make_set_path(const struct assembly *a, char path[PATH_MAX_HERE])
{
	char name[SET_NAME_MAX];

	make_set_name(a, name);
	snprintf(path, PATH_MAX_HERE, "%s/parts/%s", a->directory, name);
}

static void make_part_path(const struct assembly *a, uint32_t part, char path[PATH_MAX_HERE])
{
	char name[SET_NAME_MAX];

	make_set_name(a, name);
	snprintf(path, PATH_MAX_HERE, "%s/parts/%s/%" PRIu32, a->directory, name, part);
}

static int place_part(const struct assembly *a, struct os_durable *part)
{
	char path[PATH_MAX_HERE];

	make_set_path(a, path);
	int error = os_durable_directories(path, &a->store->quota);
	if (error)
		return error;
	make_part_path(a, a->upload->part, path);
	return os_durable_rename(part, path);
}

static uint32_t count_parts(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	uint32_t count = 0;

	if (!directory)
		return 0;
	while ((entry = readdir(directory)))
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

/* Set *whole if each part starts with a symbfile's magic number. Returns 0 or an errno value. */
static int check_all_whole(const struct assembly *a, bool *whole)
{
	char path[PATH_MAX_HERE];
	struct os_file part;

	*whole = true;
	for (uint32_t i = 0; i < a->upload->parts && *whole; i++) {
		make_part_path(a, i, path);
		int error = os_file_open_regular(path, &part);
		if (error)
			return error;
		*whole = symbfile_has_magic(part.bytes);
		os_file_close(&part);
	}
	return 0;
}

/* Append a part. If all parts are complete symbfiles, report a damaged part by its index. */
static const struct upload_refusal *append_part(const struct assembly *a, uint32_t index,
                                                bool whole, struct os_durable *joined)
{
	char path[PATH_MAX_HERE], why[STORE_DETAIL_MAX];
	struct os_file part;

	make_part_path(a, index, path);
	int error = os_file_open_regular(path, &part);
	if (error)
		return store_refusal(error, a->detail);
	struct cairn_bytes bytes = part.bytes;
	const struct upload_refusal *no = NULL;
	if (whole && a->upload->parts > 1) {
		struct upload_parts_view view = upload_parts_view(bytes);
		no = upload_parts_check_joined(a->upload, &view);
		if (no) {
			assembly_describe(&view, why);
			snprintf(a->detail, STORE_DETAIL_MAX, "part %" PRIu32 ": %.200s", index,
			         why);
		} else if (index > 0) {
			bytes.data += view.header;
			bytes.size -= view.header;
		}
	}
	error = no ? 0 : os_durable_write(joined, bytes);
	os_file_close(&part);
	return error ? store_refusal(error, a->detail) : no;
}

static const struct upload_refusal *join_parts(const struct assembly *a, struct os_durable *joined)
{
	const struct upload_refusal *no = NULL;
	bool whole;
	int error = check_all_whole(a, &whole);

	if (error == 0)
		error = store_begin(a->store, joined);
	if (error)
		return store_refusal(error, a->detail);
	for (uint32_t i = 0; i < a->upload->parts && !no; i++)
		no = append_part(a, i, whole, joined);
	return no;
}

static int publish_file(const struct assembly *a, enum download_resource what,
                        struct cairn_bytes bytes,
                        int (*put)(struct os_durable *file, struct cairn_bytes bytes))
{
	char path[PATH_MAX_HERE], name[DOWNLOAD_PATH_MAX];
	struct os_durable file;
	int error = store_begin(a->store, &file);

	download_path(&a->upload->id, what, name);
	snprintf(path, sizeof(path), "%s/%s", a->store->root, name);
	if (error == 0)
		error = put(&file, bytes);
	if (error == 0)
		error = os_durable_commit(&file, path);
	os_durable_abandon(&file);
	return error;
}

static int publish_symbfile(const struct assembly *a, struct cairn_bytes joined)
{
	char text[256];
	struct sink out = sink_open(text, sizeof(text));

	if (a->upload->kind == UPLOAD_RETURNPADS)
		return publish_file(a, DOWNLOAD_RETURNPADS, joined, zstd_stream_write);
	const int error = publish_file(a, DOWNLOAD_RANGES, joined, zstd_stream_write);
	if (error)
		return error;
	/* write the metadata last, because clients that find it expect `ranges` to exist */
	download_metadata_write(&a->upload->id, &out);
	return publish_file(a, DOWNLOAD_METADATA, (struct cairn_bytes){ (uint8_t *)text, out.size },
	                    os_durable_write);
}

static const struct upload_refusal *check_and_publish(const struct assembly *a,
                                                      const struct os_durable *joined)
{
	struct os_file file;
	int error = os_file_open_regular(joined->path, &file);

	if (error)
		return store_refusal(error, a->detail);
	struct upload_parts_view view = upload_parts_view(file.bytes);
	const struct upload_refusal *no = upload_parts_check_joined(a->upload, &view);
	if (no)
		assembly_describe(&view, a->detail);
	else
		error = publish_symbfile(a, file.bytes);
	os_file_close(&file);
	return error ? store_refusal(error, a->detail) : no;
}

/*
 * Remove a set. Files that cannot be removed, for example because an administrator has created
 * them, still count against the quota.
 */
static void remove_set(const struct assembly *a, const char *set)
{
	DIR *directory = opendir(set);
	char path[PATH_MAX_HERE];
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", set, entry->d_name) < (int)sizeof(path))
			os_durable_remove(path, &a->store->quota);
	}
	closedir(directory);
	os_durable_remove(set, &a->store->quota);
}

static bool is_stale(const char *path)
{
	enum { DAY = 24 * 60 * 60 };
	struct stat about;

	return stat(path, &about) == 0 &&
	       difftime(time(NULL), about.st_mtime) > (double)STORE_STALE_DAYS * (double)DAY;
}

/* Remove an entry in "parts" if it is an obsolete set of the same kind. */
static void drop_if_old(const struct assembly *a, const char *name)
{
	const char *kind = upload_kind_name(a->upload->kind);
	char own[SET_NAME_MAX], path[PATH_MAX_HERE];
	size_t length = strlen(kind);

	make_set_name(a, own);
	if (strncmp(name, kind, length) != 0 || name[length] != '.' || strcmp(name, own) == 0)
		return;
	unsigned long parts = strtoul(name + length + 1, NULL, 10);
	if (parts == 0 || parts > UPLOAD_PARTS_MAX || strlen(name) >= SET_NAME_MAX)
		return;
	snprintf(path, sizeof(path), "%s/parts/%.*s", a->directory, SET_NAME_MAX, name);
	if (count_parts(path) == parts || is_stale(path))
		remove_set(a, path);
}

/*
 * Remove stale sets, and sets that the new set replaces. Keep other sets, because their uploads may
 * be in progress.
 */
static void drop_others(const struct assembly *a)
{
	char path[PATH_MAX_HERE];
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/parts", a->directory);
	DIR *directory = opendir(path);
	if (!directory)
		return;
	while ((entry = readdir(directory)))
		drop_if_old(a, entry->d_name);
	closedir(directory);
}

static const struct upload_refusal *join_and_publish(const struct assembly *a)
{
	struct os_durable joined = { .fd = -1 };
	const struct upload_refusal *no = join_parts(a, &joined);

	if (!no)
		no = check_and_publish(a, &joined);
	os_durable_abandon(&joined);
	return no;
}

/* Write the path of the marker file in a published set. No part has the same name. */
static void make_mark_path(const char *set, char path[PATH_MAX_HERE])
{
	snprintf(path, PATH_MAX_HERE, "%.4000s/.published", set);
}

/*
 * Mark a set as published. If the disk is too full for the marker, a damaged part that arrives
 * later removes the set, but not the published file.
 */
static void mark_published(const struct assembly *a, const char *set)
{
	size_t blocks = os_quota_blocks(0);
	char path[PATH_MAX_HERE];

	make_mark_path(set, path);
	if (!os_quota_take(&a->store->quota, blocks))
		return;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
	else
		os_quota_give(&a->store->quota, blocks);
}

static bool is_marked_published(const char *set)
{
	char path[PATH_MAX_HERE];

	make_mark_path(set, path);
	return access(path, F_OK) == 0;
}

static const struct upload_refusal *finish_set(const struct assembly *a)
{
	const struct upload_refusal *no = join_and_publish(a);
	char set[PATH_MAX_HERE];

	make_set_path(a, set);
	if (no && no->status >= 500)
		return no; /* keep the set after a disk error, because the client may try again */
	if (no && is_marked_published(set)) {
		snprintf(a->detail, STORE_DETAIL_MAX, "kept until the other parts fit");
		return NULL;
	}
	/* no set is needed for an upload with one part, which is itself the published file */
	if (no || a->upload->parts == 1) {
		remove_set(a, set);
	} else {
		mark_published(a, set);
	}
	if (!no)
		drop_others(a);
	return no;
}

/* Move a flushed part into place, and publish the file if this is the last part. */
static const struct upload_refusal *assembly_add(struct store *store, const struct upload *upload,
                                                 struct os_durable *part,
                                                 char detail[STORE_DETAIL_MAX])
{
	struct assembly a = { .store = store, .upload = upload, .detail = detail };
	char name[DOWNLOAD_DIRECTORY + 1], path[PATH_MAX_HERE];

	download_directory(&upload->id, name);
	snprintf(a.directory, sizeof(a.directory), "%s/%s", store->root, name);
	int error = place_part(&a, part);
	if (error)
		return store_refusal(error, detail);
	make_set_path(&a, path);
	return count_parts(path) == upload->parts ? finish_set(&a) : NULL;
}

/* Lock the store. The kernel releases the lock when the process ends for any reason. */
static int lock_store(struct store *store)
{
	char path[OS_DURABLE_PATH_MAX];
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int error = store_path(store, "lock", path);

	if (error)
		return error;
	store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (store->lock < 0)
		return errno;
	if (fcntl(store->lock, F_SETLK, &whole) == 0)
		return 0;
	error = errno == EACCES ? EAGAIN : errno;
	close(store->lock);
	return error;
}

/*
 * Remove a killed server's unfinished files. Because of the lock no other process is writing them.
 */
static int clear_new(const struct store *store)
{
	char path[OS_DURABLE_PATH_MAX];
	struct dirent *entry;
	int error = store_path(store, "new", path);

	if (error == 0)
		error = os_durable_directories(path, NULL);
	if (error)
		return error;
	DIR *directory = opendir(path);
	if (!directory)
		return errno;
	while ((entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(directory), entry->d_name, 0);
	closedir(directory);
	return 0;
}

int store_open(struct store *store, const char *directory, uint64_t quota)
{
	size_t length = strlen(directory);

	os_quota_init(&store->quota, quota);
	if (length == 0 || length >= sizeof(store->root))
		return length ? ENAMETOOLONG : ENOENT;
	memcpy(store->root, directory, length + 1);
	int error = os_durable_directories(directory, NULL);
	if (error == 0)
		error = lock_store(store);
	if (error)
		return error;
	error = clear_new(store);
	if (error == 0 && quota > 0)
		error = os_quota_count(&store->quota, directory);
	if (error == 0)
		error = pthread_mutex_init(&store->assembly, NULL);
	if (error)
		close(store->lock);
	return error;
}

void store_close(struct store *store)
{
	pthread_mutex_destroy(&store->assembly);
	close(store->lock);
}

static const struct upload_refusal *check_part(const struct upload *upload,
                                               const struct os_durable *file,
                                               char detail[STORE_DETAIL_MAX])
{
	struct os_file part;
	int error = os_file_open_regular(file->path, &part);

	if (error)
		return store_refusal(error, detail);
	struct upload_parts_view view = upload_parts_view(part.bytes);
	const struct upload_refusal *no = upload_parts_check(upload, part.bytes, &view);
	if (no)
		assembly_describe(&view, detail);
	os_file_close(&part);
	return no;
}

const struct upload_refusal *store_accept(struct store *store, const struct upload *upload,
                                          struct os_durable *file, char detail[STORE_DETAIL_MAX])
{
	detail[0] = '\0';
	const struct upload_refusal *no = check_part(upload, file, detail);
	if (no)
		return no;
	int error = os_durable_flush(file);
	if (error)
		return store_refusal(error, detail);
	pthread_mutex_lock(&store->assembly);
	no = assembly_add(store, upload, file, detail);
	pthread_mutex_unlock(&store->assembly);
	return no;
}

uint64_t store_size(const struct store *store)
{
	return (uint64_t)atomic_load(&store->quota.used) * OS_QUOTA_BLOCK;
}

int store_read(const struct store *store, const struct fileid *id, enum download_resource what)
{
	char name[DOWNLOAD_PATH_MAX], path[OS_DURABLE_PATH_MAX];
	struct stat about;
	int fd;

	download_path(id, what, name);
	if (store_path(store, name, path) != 0)
		return -1;
	return os_file_regular(path, &about, &fd) == 0 ? fd : -1;
}
