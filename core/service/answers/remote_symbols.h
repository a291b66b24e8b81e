/* SPDX-License-Identifier: MIT */
/*
 * A symbolizer that opens no file: a query is asked for each of its questions. For what wants a symbolizer, such as profiles.
 *
 *	struct remote_symbols remote;
 *	if (remote_symbols_open(asker, &remote))
 *		... remote.symbolizer, remote.outcome
 *	remote_symbols_close(&remote);
 */
#ifndef CAIRN_SERVICE_ANSWERS_REMOTE_SYMBOLS_H
#define CAIRN_SERVICE_ANSWERS_REMOTE_SYMBOLS_H

#include "service/query/query.h"

enum { REMOTE_PROGRAM_MAX = 8192 }; /* bytes of a program that has headers and nothing else */

struct remote_symbols {
	const struct query_asker *asker;
	struct cairn_symbolizer *symbolizer;
	struct query query; /* the last one, whose texts are in use */
	struct cairn_location *locations;
	size_t location_room;
	enum query_outcome outcome; /* the worst one */
	/* the program that was asked for last, as far as its headers go */
	uint8_t program[REMOTE_PROGRAM_MAX];
	size_t program_size;
};

/* False: memory is short; then nothing has to be closed. */
bool remote_symbols_open(const struct query_asker *asker, struct remote_symbols *remote);
void remote_symbols_close(struct remote_symbols *remote);

#endif
