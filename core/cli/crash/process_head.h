/* SPDX-License-Identifier: MIT */
/*
 * Prints data from /proc as JSON: the process's identity and its mapped files. The data may be
 * hostile, so only an unprivileged process may call this.
 */
#ifndef CAIRN_CLI_CRASH_PROCESS_HEAD_H
#define CAIRN_CLI_CRASH_PROCESS_HEAD_H

#include "facts.h"

#include "output/json.h"

enum {
	CRASH_ARGUMENTS_MAX = 1024,
	/* maximum number of modules printed; real programs have up to 400 */
	CRASH_MODULES_MAX = 1024,
};

/* Renumber the threads of a container as inside the container, because the core does so too. */
void crash_number_threads(struct crash_facts *facts);

/*
 * Print the keys of the object "process". `now` is the time since boot in nanoseconds; 0 means
 * unknown.
 */
void crash_print_process(struct json *json, const struct crash_facts *facts, uint64_t now);

/* Print the array "modules": mapped executable files by address, with their build IDs. */
void crash_print_modules(struct json *json, const struct crash_facts *facts);

#endif
