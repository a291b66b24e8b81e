/* SPDX-License-Identifier: MIT */
/*
 * An answer as it comes from a worker: a header, then `size` bytes, which are calls, what is missing of each module, how many calls
 * each address has, and texts with their ends.
 */
#ifndef CAIRN_SERVICE_QUERY_ANSWER_H
#define CAIRN_SERVICE_QUERY_ANSWER_H

#include "base/byte_buffer.h"
#include "base/table/string_pool.h"
#include "formats/elf/places.h"
#include "query.h"

enum { ANSWER_BYTES_MAX = 1 << 28 };

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
