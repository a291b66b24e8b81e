/* SPDX-License-Identifier: MIT */
/*
 * A worker: a confined process that reads symbol files and answers questions about them through a
 * socket. It can open only files in the configured directories. If a hostile file crashes a worker
 * or takes control of it, the service survives.
 */
#ifndef CAIRN_SERVICE_WORKER_H
#define CAIRN_SERVICE_WORKER_H

#include <cairn.h>
#include <stdatomic.h>
#include <sys/types.h>

enum {
	WORKER_NOBODY = 65534,    /* user ID of workers if the service runs as root */
	WORKER_MODULES_MAX = 256, /* maximum number of modules with open files */
};

/*
 * Number of bytes that a worker may allocate in addition to cached symbols, for example to
 * decompress sections or to index a new file.
 */
#define WORKER_SPARE ((uint64_t)4 << 30)

#define WORKER_IDLE UINT32_MAX

/* State that a running worker shares with the service. The worker writes it, so it is untrusted. */
struct worker_page {
	_Atomic uint32_t module; /* index of the module that is being read, or WORKER_IDLE */
	_Atomic uint64_t resident;
	/* number and total size of files opened since the worker was started */
	_Atomic uint64_t opened;
	_Atomic uint64_t opened_bytes;
};

struct worker_options {
	const char *directories; /* directories to search, as "DIR:DIR"; may be NULL */
	const char *const *programs;
	size_t program_count;
	bool use_fetched; /* also use files in the debuginfod cache */
	uint64_t memory;  /* maximum memory in bytes for the symbols of all modules */
	/* maximum size of the address space in bytes; 0 disables the limit */
	uint64_t address_space;
	struct cairn_bytes (*readable)(struct cairn_bytes name);
};

_Noreturn void worker_run(const struct worker_options *options, struct worker_page *page,
                          int socket);

/*
 * A process that downloads a build's files through debuginfod but never reads them. It can use the
 * network and write to the debuginfod cache; workers can do neither. It runs as the user nobody if
 * the service runs as root. If it hangs, it is killed; only requests that wait for its build are
 * delayed.
 */
enum { FETCHER_ID_MAX = 64, FETCHER_PATH_MAX = 4096 };

struct fetcher_question {
	uint32_t id_size, seconds; /* `seconds` is the time limit for each of the two files */
	uint8_t id[FETCHER_ID_MAX];
};

struct fetcher_answer {
	uint32_t has_program, has_debug, is_late;
};

/*
 * Return true if fetchers can write to this directory. A root service's fetchers run as the user
 * nobody, like the workers that read the files. The calling process must have only one thread.
 */
bool fetcher_can_write(const char *directory);

_Noreturn void fetcher_run(int socket);

#endif
