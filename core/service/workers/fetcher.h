/* SPDX-License-Identifier: MIT */
/*
 * A process that asks debuginfod for files of a build, and reads none of them: it has the network and its cache, and workers have
 * neither. It is of the user nobody if the service is of root. One that hangs is ended, and costs those who wait for this build.
 */
#ifndef CAIRN_SERVICE_WORKERS_FETCHER_H
#define CAIRN_SERVICE_WORKERS_FETCHER_H

#include <cairn.h>

enum { FETCHER_ID_MAX = 64, FETCHER_PATH_MAX = 4096 };

struct fetcher_question {
	uint32_t id_size, seconds; /* for each of the two files */
	uint8_t id[FETCHER_ID_MAX];
};

struct fetcher_answer {
	uint32_t has_program, has_debug, is_late;
};

/*
 * May the processes that fetch write into this folder? Those of root are of the user nobody, as the workers are, who read what they
 * bring. For a process with one thread.
 */
bool fetcher_can_write(const char *folder);

/* Answers until the socket ends. */
_Noreturn void fetcher_run(int socket);

#endif
