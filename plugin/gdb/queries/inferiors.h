/* SPDX-License-Identifier: MIT */
/*
 * GDB's inferiors, as it lists them:
 *
 *	  Num  Description       Connection           Executable
 *	* 1    process 24457     1 (native)           /srv/app
 *	  2    process 1         2 (core)             /srv/app
 */
#ifndef CAIRN_GDB_QUERIES_INFERIORS_H
#define CAIRN_GDB_QUERIES_INFERIORS_H

#include <stdbool.h>
#include <stdint.h>

struct inferior_row {
	uint64_t number;
	bool is_current;
	bool is_core;
	uint64_t process; /* pid of its process, or 0 */
};

/* The command whose output is parsed here. */
#define INFERIORS_QUESTION "info inferiors\n"

/* Read the next row; *at begins at the output. Returns false at the end. */
bool inferiors_next(const char **at, struct inferior_row *row);

#endif
