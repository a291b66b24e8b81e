/* SPDX-License-Identifier: MIT */
/*
 * The upload protocol of symbol servers, as far as it can be decided without a network: what a
 * request says, whether it is let in, and what an answer means.  docs/formats/store.md describes
 * the protocol and what is assumed of it.  Nothing here does I/O or keeps state.
 *
 * Server:
 *
 *	const struct upload_refusal *no = upload_check(path, &headers, key, &upload);
 *	if (no)
 *		... answer no->status with upload_answer_write()
 *
 * Client:
 *
 *	upload_answer_read(status, body, &answer);
 *	if (answer.outcome == UPLOAD_RETRY)
 *		... again, after a while
 */
#ifndef CAIRN_SERVER_PROTOCOL_UPLOAD_H
#define CAIRN_SERVER_PROTOCOL_UPLOAD_H

#include "base/fileid.h"
#include "base/sink.h"

enum {
	UPLOAD_PARTS_MAX = 32767, /* upstream keeps the number in 16 bits with a sign */
	UPLOAD_KEY_MAX = 1024,
	UPLOAD_NAME_SIZE = 33, /* 32 hexadecimal digits and a NUL */
};

enum upload_kind {
	UPLOAD_RANGES,
	UPLOAD_RETURNPADS,
	UPLOAD_KINDS,
};

/* "ranges", "returnpads": in file names, paths and messages. */
const char *upload_kind_name(enum upload_kind kind);

/* "/api/symbols-ranges" */
const char *upload_kind_path(enum upload_kind kind);

/* The kind that a path is for, without its query; false for any other path. */
bool upload_path_kind(const char *path, enum upload_kind *kind);

/* One part of one file. */
struct upload {
	enum upload_kind kind;
	struct fileid id;
	uint32_t part, parts;
	char name[UPLOAD_NAME_SIZE]; /* of the upload that the part belongs to; "": not known */
};

/*
 * The name of an upload, from what makes its parts what they are: the bytes of the whole file, and at
 * what size they are cut.  The same upload has the same name when it is sent again.
 */
void upload_set_name(struct upload *upload, struct cairn_bytes whole, uint64_t part_size);

/* The name of an upload by a client that sends none: its address stands for it. */
void upload_set_sender(struct upload *upload, struct cairn_bytes address);

/* The headers that matter, as they were sent; NULL when absent. */
struct upload_headers {
	const char *file_id, *part, *parts, *authorization, *name;
	unsigned lengths; /* how many headers Content-Length there are */
};

/* Why a request is refused: the status of HTTP, a code that stays, a phrase that may change. */
struct upload_refusal {
	unsigned status;
	const char *code, *text;
};

extern const struct upload_refusal upload_no_path, upload_no_method, upload_no_key, upload_no_id,
	upload_no_length, upload_two_lengths, upload_unclear, upload_no_host, upload_repeated,
	upload_too_large, upload_truncated, upload_no_room, upload_failed;

/*
 * What a request is about, or why it is refused; NULL when it is let in.  `key` is what
 * upload_key() made, NULL when none is asked for.
 */
const struct upload_refusal *upload_check(const char *path, const struct upload_headers *headers,
                                          const char *key, struct upload *upload);

/* Is this value of the header Authorization (NULL: there is none) that of `key`?  The key may be NULL: then any is. */
bool upload_may_enter(const char *authorization, const char *key);

/*
 * The key as the header has it, from the text of a file, a variable or an argument: blanks around
 * it are dropped, and "id:key" becomes base64.  False when it is empty, too long, or has blanks or
 * controls inside, which would end the header.
 */
bool upload_key(struct cairn_bytes text, char key[UPLOAD_KEY_MAX]);

enum upload_outcome {
	UPLOAD_OK,
	UPLOAD_FAILED,
	UPLOAD_RETRY, /* failed, but the same request may succeed later */
};

/* What a server answered.  Texts are "" when it did not send them; they come from outside. */
struct upload_answer {
	enum upload_outcome outcome;
	unsigned status;
	char code[32], text[512], uuid[64];
};

/* From any body, JSON or not. */
void upload_answer_read(unsigned status, struct cairn_bytes body, struct upload_answer *answer);

/* The body of an answer. */
void upload_answer_write(const struct upload_answer *answer, struct sink *out);

#endif
