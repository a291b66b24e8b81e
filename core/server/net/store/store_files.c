/* SPDX-License-Identifier: MIT */
/* Paths and temporary files of a store, and refusals for write errors. */
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct upload_refusal *store_refusal(int error, char detail[STORE_DETAIL_MAX])
{
	snprintf(detail, STORE_DETAIL_MAX, "%s", strerror(error));
	if (error == ENOSPC || error == EDQUOT || error == EFBIG)
		return &upload_no_room;
	return &upload_failed;
}

int store_path(const struct store *store, const char *name, char path[OS_DURABLE_PATH_MAX])
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
