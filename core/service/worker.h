/* SPDX-License-Identifier: MIT */
/*
 * A worker: a confined process that reads symbol files and answers questions about them through its
 * socket. It can open files of the configured directories only. The service survives whatever a
 * file does to its worker.
 */
#ifndef CAIRN_SERVICE_WORKER_H
#define CAIRN_SERVICE_WORKER_H

#include <cairn.h>
#include <stdatomic.h>
#include <sys/types.h>

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

/*
 * A process that downloads the files of a build through debuginfod but never reads them. It can use
 * the network and write to the debuginfod cache; workers can do neither. It runs as the user nobody
 * if the service runs as root. If it hangs it is killed, which delays only requests that wait for
 * this build.
 */
enum { FETCHER_ID_MAX = 64, FETCHER_PATH_MAX = 4096 };

struct fetcher_question {
	uint32_t id_size, seconds; /* `seconds`: limit for each of the two files */
	uint8_t id[FETCHER_ID_MAX];
};

struct fetcher_answer {
	uint32_t has_program, has_debug, is_late;
};

/*
 * Return true if fetchers can write to this directory. Fetchers of a root service run as the user
 * nobody, like the workers that read the files. The calling process must have one thread.
 */
bool fetcher_can_write(const char *folder);

_Noreturn void fetcher_run(int socket);

#endif
