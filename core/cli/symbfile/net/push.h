/* SPDX-License-Identifier: MIT */
/* The two halves of `cairn symbfile push`: planning what to send, and sending it. */
#ifndef CAIRN_CLI_SYMBFILE_NET_PUSH_H
#define CAIRN_CLI_SYMBFILE_NET_PUSH_H

#include "net.h"

#include "server/protocol/symbfile_split.h"

enum { PUSH_PART_SIZE = 16 << 20 };

struct push_file {
	const char *path;
	struct os_file bytes;
	enum upload_kind kind;
	struct symbfile_split split;
	struct upload upload; /* only the name is set */
};

struct push_plan {
	struct fileid id;
	const char *executable; /* NULL if the FileID was given instead */
	struct push_file file[UPLOAD_KINDS];
	size_t count;

	const char *url, *key; /* `key` may be NULL */
	struct http *http;
	enum form form;

	/* current position, for the progress bar */
	const struct push_file *now;
	uint32_t part;
	int shown; /* columns of the bar currently on the terminal */
};

int push_print_plan(struct push_plan *plan);

/* Send all files. Stop at the first part that fails. */
int push_all(struct push_plan *plan);

void push_progress(void *context, uint64_t sent, uint64_t received, uint64_t of);
void push_print_retry(void *context, const struct http_retry *retry);

#endif
