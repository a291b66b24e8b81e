/* SPDX-License-Identifier: MIT */
/*
 * A worker: a confined process that reads files of symbols, and answers questions about them through its socket. It opens what lies
 * in the folders that were named, and nothing else. Whatever a file does to it, the service goes on without it.
 */
#ifndef CAIRN_SERVICE_WORKERS_WORKER_H
#define CAIRN_SERVICE_WORKERS_WORKER_H

#include <stdatomic.h>
#include <sys/types.h>

#include <cairn.h>

enum {
	WORKER_NOBODY = 65534,    /* the user that a worker of root becomes */
	WORKER_MODULES_MAX = 256, /* whose files are kept open */
};

/* Bytes that a worker may allocate besides those of the symbols that it keeps, as when it unpacks sections or reads a file for the first time. */
#define WORKER_SPARE ((uint64_t)4 << 30)

/* The module that no worker reads. */
#define WORKER_IDLE UINT32_MAX

/* What a worker shows while it works; written by it, so that it is not believed. */
struct worker_page {
	_Atomic uint32_t
		module; /* number of the module of the question that is read now, or WORKER_IDLE */
	_Atomic uint64_t resident; /* bytes of memory */
	_Atomic uint64_t opened;   /* files, and their bytes, since the worker was started */
	_Atomic uint64_t opened_bytes;
};

struct worker_options {
	const char *folders; /* "DIR:DIR"; NULL: none */
	const char *const *programs;
	size_t program_count;
	bool use_fetched;       /* what debuginfod has brought is in its cache */
	uint64_t memory;        /* bytes that the symbols of all modules may take */
	uint64_t address_space; /* bytes; 0: without a bound */
	struct cairn_bytes (*readable)(struct cairn_bytes name); /* makes names readable */
};

/* Answers until the socket ends. */
_Noreturn void worker_run(const struct worker_options *options, struct worker_page *page,
                          int socket);

#endif
