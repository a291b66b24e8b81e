/* SPDX-License-Identifier: MIT */
/*
 * Questions and answers as they go through a socket. A question is a header, then `size` bytes of addresses, modules and names. An
 * answer is a header, then `size` bytes: calls, a mask of missing files for each module, the number of calls of each address, and
 * texts with their ends.
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
#ifndef CAIRN_SERVICE_QUERY_WIRE_H
#define CAIRN_SERVICE_QUERY_WIRE_H

#include "base/byte_buffer.h"
#include "base/table/string_pool.h"
#include "query.h"

enum question_kind {
	QUESTION_NAMES,   /* of addresses */
	QUESTION_PLACES,  /* where the segments of the first module's program are */
	QUESTION_PROGRAM, /* the first module's own file, which comes as a descriptor */
	QUESTION_DEBUG,   /* its separate debug file, likewise */
};

enum { QUESTION_BYTES_MAX = 1 << 25, ANSWER_BYTES_MAX = 1 << 28 };

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

struct answer_header {
	uint32_t size, module_count, address_count, call_count, text_count, text_size;
	uint32_t has_file; /* a descriptor comes with the header */
};

/* What a worker collects. */
struct answer_text {
	struct query_call *calls;
	uint32_t *missing, *counts; /* of modules, and of addresses */
	size_t call_count, call_room, module_count, module_room, address_count, address_room;
	struct string_pool texts;
	bool failed; /* memory is short, or the answer is too large */
};

/* What is missing of the next module, whose addresses have been added. */
void answer_add_module(struct answer_text *answer, unsigned missing);

/* The next address. `readable` makes a name readable; NULL: names stay. */
void answer_add_address(struct answer_text *answer, const struct cairn_symbol_answer *found,
                        struct cairn_bytes (*readable)(struct cairn_bytes name));

/* The header and the bytes after it, which are added to *out. False: it failed. */
bool answer_write(const struct answer_text *answer, struct answer_header *header,
                  struct byte_buffer *out);

/* Ready for the next question; the room stays. */
void answer_clear(struct answer_text *answer);
void answer_free(struct answer_text *answer);

/*
 * Reads an answer about the modules with these numbers into the query, which owns `memory`, of malloc(), whatever comes of it. False:
 * it is none, and nothing of it counts.
 */
bool answer_read(const struct answer_header *header, void *memory, const size_t *module,
                 size_t count, struct query *query);

#endif
