/* SPDX-License-Identifier: MIT */
/*
 * What /proc had of the process, as JSON: who it was, and which files it had mapped. All of it is
 * hostile, and only a process without privileges calls this.
 */
#ifndef CAIRN_CLI_CRASH_PROCESS_HEAD_H
#define CAIRN_CLI_CRASH_PROCESS_HEAD_H

#include "facts.h"

#include "output/json.h"

enum {
	CRASH_ARGUMENTS_MAX =
		1024,             /* arguments, or variables of the environment, that are written */
	CRASH_MODULES_MAX = 1024, /* modules that are written; a program has up to 400 */
};

/* Gives threads of a container the numbers that they have inside, which are those of its core. */
void crash_number_threads(struct crash_facts *facts);

/* The keys of the object "process". `now` is nanoseconds since the system started; 0: not known. */
void crash_print_process(struct json *json, const struct crash_facts *facts, uint64_t now);

/* The array "modules": programs and libraries by address, with the build IDs of their files. */
void crash_print_modules(struct json *json, const struct crash_facts *facts);

#endif
