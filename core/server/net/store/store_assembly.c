/* SPDX-License-Identifier: MIT */
/*
 * Parts wait in a folder named by how many there are and by their upload: two clients that send the
 * same file at once, cut in their own ways, do not mix.  Whenever one has come and all are there, the
 * file is made anew from all of them and put in place of the one before: a part that comes again
 * replaces itself, and a client that was not answered may send all again.
 *
 * When what is joined is not a symbfile, it depends on whether these parts were one before.  If they
 * were, somebody is sending other parts, of the same number, in place of them: what is published
 * stays until the last one fits.  If not, nobody knows which one is wrong, and all are dropped.
 */
#include "store_assembly.h"

#include "server/net/packed/zstd_stream.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct assembly {
	struct store *store;
	const struct upload *upload;
	char folder[STORE_ROOT_MAX + DOWNLOAD_FOLDER + 1]; /* of the FileID */
	char *detail;
};

enum { PATH_MAX_HERE = OS_DURABLE_PATH_MAX };

void assembly_describe(const struct upload_parts_view *view, char detail[STORE_DETAIL_MAX])
{
	if (view->code == SYMBFILE_VALID)
		snprintf(detail, STORE_DETAIL_MAX, "%" PRIu64 " return pads", view->pads);
	else
		snprintf(detail, STORE_DETAIL_MAX, "%s at byte %" PRIu64, view->fault.what,
		         view->fault.offset);
}

enum { SET_NAME_MAX = 64 }; /* bytes, at most: "returnpads.32767." and 32 digits */

/* The folder of a set is named by the kind, the number of parts, and the upload if that is known. */
static void make_set_name(const struct assembly *a, char name[SET_NAME_MAX])
{
	const struct upload *u = a->upload;

	snprintf(name, SET_NAME_MAX, "%.16s.%" PRIu32 "%s%s", upload_kind_name(u->kind), u->parts,
	         u->name[0] ? "." : "", u->name);
}

/* Paths fit: STORE_ROOT_MAX leaves room for all names after the root. */
static void make_set_path(const struct assembly *a, char path[PATH_MAX_HERE])
{
	char name[SET_NAME_MAX];

	make_set_name(a, name);
	snprintf(path, PATH_MAX_HERE, "%s/parts/%s", a->folder, name);
}

static void make_part_path(const struct assembly *a, uint32_t part, char path[PATH_MAX_HERE])
{
	char name[SET_NAME_MAX];

	make_set_name(a, name);
	snprintf(path, PATH_MAX_HERE, "%s/parts/%s/%" PRIu32, a->folder, name, part);
}

static int place_part(const struct assembly *a, struct os_durable *part)
{
	char path[PATH_MAX_HERE];

	make_set_path(a, path);
	int error = os_durable_folders(path, &a->store->quota);
	if (error)
		return error;
	make_part_path(a, a->upload->part, path);
	return os_durable_rename(part, path);
}

/* Files in the folder of a set, which are its parts. */
static uint32_t count_parts(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	uint32_t count = 0;

	if (!folder)
		return 0;
	while ((entry = readdir(folder)))
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}

/* Do all parts begin as a symbfile does? */
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

/* A damaged part among whole ones is reported by its number. */
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

/* Puts bytes by `put` into a file that gets its name when all of it is there. */
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
	/* last, because it promises the other */
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

/* What cannot be removed still counts; an administrator may have put it there. */
static void remove_set(const struct assembly *a, const char *set)
{
	DIR *folder = opendir(set);
	char path[PATH_MAX_HERE];
	struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", set, entry->d_name) < (int)sizeof(path))
			os_durable_remove(path, &a->store->quota);
	}
	closedir(folder);
	os_durable_remove(set, &a->store->quota);
}

static bool is_stale(const char *path)
{
	enum { DAY = 24 * 60 * 60 };
	struct stat about;

	return stat(path, &about) == 0 &&
	       difftime(time(NULL), about.st_mtime) > (double)STORE_STALE_DAYS * (double)DAY;
}

/* One entry of "parts": another set of this kind. */
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
	snprintf(path, sizeof(path), "%s/parts/%.*s", a->folder, SET_NAME_MAX, name);
	if (count_parts(path) == parts || is_stale(path))
		remove_set(a, path);
}

/* Sets that this one replaces, or that nobody completed.  Others may still be coming. */
static void drop_others(const struct assembly *a)
{
	char path[PATH_MAX_HERE];
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/parts", a->folder);
	DIR *folder = opendir(path);
	if (!folder)
		return;
	while ((entry = readdir(folder)))
		drop_if_old(a, entry->d_name);
	closedir(folder);
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

/* Remembers that the parts in this folder were a file once; the name is none of a part. */
static void make_mark_path(const char *set, char path[PATH_MAX_HERE])
{
	snprintf(path, PATH_MAX_HERE, "%.4000s/.published", set);
}

/* Without room for it a damaged part that comes later drops its set, but not what is published. */
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

/* All parts are there. */
static const struct upload_refusal *finish_set(const struct assembly *a)
{
	const struct upload_refusal *no = join_and_publish(a);
	char set[PATH_MAX_HERE];

	make_set_path(a, set);
	if (no && no->status >= 500)
		return no; /* the disk: the same part may be sent again */
	if (no && is_marked_published(set)) {
		snprintf(a->detail, STORE_DETAIL_MAX, "kept until the other parts fit");
		return NULL;
	}
	if (no || a->upload->parts == 1) { /* an only part is the file itself */
		remove_set(a, set);
	} else {
		mark_published(a, set);
	}
	if (!no)
		drop_others(a);
	return no;
}

const struct upload_refusal *assembly_add(struct store *store, const struct upload *upload,
                                          struct os_durable *part, char detail[STORE_DETAIL_MAX])
{
	struct assembly a = { .store = store, .upload = upload, .detail = detail };
	char name[DOWNLOAD_FOLDER + 1], path[PATH_MAX_HERE];

	download_folder(&upload->id, name);
	snprintf(a.folder, sizeof(a.folder), "%s/%s", store->root, name);
	int error = place_part(&a, part);
	if (error)
		return store_refusal(error, detail);
	make_set_path(&a, path);
	return count_parts(path) == upload->parts ? finish_set(&a) : NULL;
}
