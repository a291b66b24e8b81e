/* SPDX-License-Identifier: MIT */
/* Opens and locks a symbol store, writes uploaded parts to it and reads files for download. */
#include "store.h"

#include "store_assembly.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lock the store. The kernel releases the lock when the process ends, however it ends. */
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
 * Remove the unfinished files of a killed server. The lock ensures that no other process is writing
 * them.
 */
static int clear_new(const struct store *store)
{
	char path[OS_DURABLE_PATH_MAX];
	struct dirent *entry;
	int error = store_path(store, "new", path);

	if (error == 0)
		error = os_durable_folders(path, NULL);
	if (error)
		return error;
	DIR *folder = opendir(path);
	if (!folder)
		return errno;
	while ((entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(folder), entry->d_name, 0);
	closedir(folder);
	return 0;
}

int store_open(struct store *store, const char *folder, uint64_t quota)
{
	size_t length = strlen(folder);

	os_quota_init(&store->quota, quota);
	if (length == 0 || length >= sizeof(store->root))
		return length ? ENAMETOOLONG : ENOENT;
	memcpy(store->root, folder, length + 1);
	int error = os_durable_folders(folder, NULL);
	if (error == 0)
		error = lock_store(store);
	if (error)
		return error;
	error = clear_new(store);
	if (error == 0 && quota > 0)
		error = os_quota_count(&store->quota, folder);
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
