/* SPDX-License-Identifier: MIT */
/* The two halves of `cairn symbfile push`: what is to be sent, and sending it. */
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
	struct upload upload; /* its name */
};

struct push_plan {
	struct fileid id;
	const char *executable; /* NULL when the FileID was given */
	struct push_file file[UPLOAD_KINDS];
	size_t count;

	const char *url, *key; /* key: NULL for none */
	struct http *http;
	enum form form;

	/* what is being sent, for the progress bar */
	const struct push_file *now;
	uint32_t part;
	int shown; /* columns of the bar that stand on the terminal */
};

/* Prints what would be sent. */
int push_print_plan(struct push_plan *plan);

/* Sends everything, up to the first part that is refused. */
int push_all(struct push_plan *plan);

void push_progress(void *context, uint64_t sent, uint64_t received, uint64_t of);
void push_print_retry(void *context, const struct http_retry *retry);

#endif
