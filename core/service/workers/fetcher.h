/* SPDX-License-Identifier: MIT */
/*
 * A process that downloads the files of a build through debuginfod but never reads them. It can use
 * the network and write to the debuginfod cache; workers can do neither. It runs as the user nobody
 * if the service runs as root. If it hangs it is killed, which delays only requests that wait for
 * this build.
 */
#ifndef CAIRN_SERVICE_WORKERS_FETCHER_H
#define CAIRN_SERVICE_WORKERS_FETCHER_H

#include <cairn.h>

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
