/* SPDX-License-Identifier: MIT */
/*
 * Encodes questions and answers for the socket. A question is a header followed by `size` bytes of
 * addresses, modules and names. An answer is a header followed by `size` bytes: calls, a mask of
 * missing files per module, the number of calls per address, and strings with their end offsets.
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
#include "base/table.h"
#include "query.h"

enum question_kind {
	QUESTION_NAMES,
	QUESTION_PLACES,  /* segments of the first module's program */
	QUESTION_PROGRAM, /* program of the first module, as a descriptor */
	QUESTION_DEBUG,   /* separate debug file of the first module, as a descriptor */
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
	uint64_t *addresses; /* allocated with malloc(); the other arrays lie in the same block */
	struct question_module *modules;
	uint8_t *names;
};

struct question_text {
	struct question_header header;
	struct byte_buffer bytes;
};

/*
 * Encode a question about the modules with these indices. Returns false if memory is short or the
 * question is too large.
 */
bool question_write(const struct query *query, const size_t *module, size_t count,
                    struct question_text *text);

/*
 * Decode the bytes after a header: addresses, modules and names. Takes ownership of `memory`,
 * allocated with malloc(): question_free() frees it, or this function if the question is invalid
 * and it returns false.
 */
bool question_read(const struct question_header *header, void *memory, struct question *question);
void question_free(struct question *question);

struct answer_header {
	uint32_t size, module_count, address_count, call_count, text_count, text_size;
	uint32_t has_file; /* a descriptor is sent with the header */
};

struct answer_text {
	struct query_call *calls;
	uint32_t *missing, *counts; /* one element per module; one element per address */
	size_t call_count, call_room, module_count, module_room, address_count, address_room;
	struct string_pool texts;
	bool failed;
};

/* Add the next module, whose addresses have been added, and the mask of its missing files. */
void answer_add_module(struct answer_text *answer, unsigned missing);

/* Add the next address. `readable` demangles a name; NULL keeps linkage names. */
void answer_add_address(struct answer_text *answer, const struct cairn_symbol_answer *found,
                        struct cairn_bytes (*readable)(struct cairn_bytes name));

/* Append the encoded answer to *out and set *header. Returns false if the answer has failed. */
bool answer_write(const struct answer_text *answer, struct answer_header *header,
                  struct byte_buffer *out);

/* Prepare for the next question. Keeps the allocated memory of the arrays. */
void answer_clear(struct answer_text *answer);
void answer_free(struct answer_text *answer);

/*
 * Decode an answer about the modules with these indices into the query. Takes ownership of
 * `memory`, allocated with malloc(), in any case. Returns false and leaves the query unchanged if
 * the answer is invalid.
 */
bool answer_read(const struct answer_header *header, void *memory, const size_t *module,
                 size_t count, struct query *query);

#endif
