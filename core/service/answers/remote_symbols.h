/* SPDX-License-Identifier: MIT */
/*
 * A symbolizer that opens no files: each lookup becomes a query. Used where a symbolizer is
 * required, such as for profiles.
 *
 *	struct remote_symbols remote;
 *	if (remote_symbols_open(asker, &remote))
 *		... remote.symbolizer, remote.outcome
 *	remote_symbols_close(&remote);
 */
#ifndef CAIRN_SERVICE_ANSWERS_REMOTE_SYMBOLS_H
#define CAIRN_SERVICE_ANSWERS_REMOTE_SYMBOLS_H

#include "service/query/query.h"

enum { REMOTE_PROGRAM_MAX = 8192 }; /* bytes of a program that consists of headers only */

struct remote_symbols {
	const struct query_asker *asker;
	struct cairn_symbolizer *symbolizer;
	struct query query; /* the latest query, whose strings are in use */
	struct cairn_location *locations;
	size_t location_room;
	enum query_outcome outcome;
	/* headers of the program that was requested last */
	uint8_t program[REMOTE_PROGRAM_MAX];
	size_t program_size;
};

/* Create the symbolizer. Returns false if memory is short; nothing has to be closed then. */
bool remote_symbols_open(const struct query_asker *asker, struct remote_symbols *remote);
void remote_symbols_close(struct remote_symbols *remote);

#endif
