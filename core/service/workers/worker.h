/* SPDX-License-Identifier: MIT */
/*
 * A worker: a confined process that reads symbol files and answers questions about them through its
 * socket. It can open files of the configured directories only. The service survives whatever a
 * file does to its worker.
 */
#ifndef CAIRN_SERVICE_WORKERS_WORKER_H
#define CAIRN_SERVICE_WORKERS_WORKER_H

#include <stdatomic.h>
#include <sys/types.h>

#include <cairn.h>

enum {
	WORKER_NOBODY = 65534,    /* user of workers if the service runs as root */
	WORKER_MODULES_MAX = 256, /* modules whose files are kept open */
};

/*
 * Bytes that a worker may allocate beyond the symbols that it keeps, for example to decompress
 * sections or to index a new file.
 */
#define WORKER_SPARE ((uint64_t)4 << 30)

/* Value of worker_page.module while no module is read. */
#define WORKER_IDLE UINT32_MAX

/* State that a worker shares while it runs. The worker writes it, so it is untrusted. */
struct worker_page {
	_Atomic uint32_t
		module; /* index in the question of the module being read, or WORKER_IDLE */
	_Atomic uint64_t resident;
	/* number of files opened since the start, and their total size */
	_Atomic uint64_t opened;
	_Atomic uint64_t opened_bytes;
};

struct worker_options {
	const char *folders; /* "DIR:DIR"; may be NULL */
	const char *const *programs;
	size_t program_count;
	bool use_fetched;       /* use files in the debuginfod cache */
	uint64_t memory;        /* limit of the memory for symbols of all modules */
	uint64_t address_space; /* limit in bytes; 0: unlimited */
	struct cairn_bytes (*readable)(struct cairn_bytes name); /* demangles a name */
};

_Noreturn void worker_run(const struct worker_options *options, struct worker_page *page,
                          int socket);

#endif
