/* SPDX-License-Identifier: MIT */
/*
 * A question as it goes to a worker: a header, then `size` bytes of addresses, modules and names.
 *
 *	struct question_text text = { 0 };
 *	if (question_write(&query, chosen, count, &text))
 *		... send text.header and text.bytes
 *
 *	struct question question;
 *	if (question_read(&header, memory, &question))
 *		... question.modules[i]
 *	question_free(&question);
 */
#ifndef CAIRN_SERVICE_QUERY_QUESTION_H
#define CAIRN_SERVICE_QUERY_QUESTION_H

#include "base/byte_buffer.h"
#include "query.h"

enum question_kind {
	QUESTION_NAMES,   /* of addresses */
	QUESTION_PLACES,  /* where the segments of the first module's program are */
	QUESTION_PROGRAM, /* the first module's own file, which comes as a descriptor */
	QUESTION_DEBUG,   /* its separate debug file, likewise */
};

enum { QUESTION_BYTES_MAX = 1 << 25 };

struct question_header {
	uint32_t kind, size, module_count, address_count, raw_names, look_again;
};

struct question_module {
	uint8_t id[QUERY_ID_MAX];
	uint32_t id_size, is_debug_id, name_size, origin, address_count;
};

struct question {
	struct question_header header;
	uint64_t *addresses; /* of malloc(); the others lie behind them */
	struct question_module *modules;
	uint8_t *names;
};

struct question_text {
	struct question_header header;
	struct byte_buffer bytes;
};

/* A question about the modules with these numbers. False: memory is short, or it is too large. */
bool question_write(const struct query *query, const size_t *module, size_t count,
                    struct question_text *text);

/*
 * Reads what came after a header, whose size it has: the addresses, the modules, the names. `memory` is of malloc(), and is
 * freed by question_free(), or here, if it is no question: false.
 */
bool question_read(const struct question_header *header, void *memory, struct question *question);
void question_free(struct question *question);

#endif
