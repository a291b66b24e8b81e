/* SPDX-License-Identifier: MIT */
/*
 * The parts of the upload protocol that need no network: parses requests, authorizes them and
 * interprets responses. docs/formats/store.md describes the protocol and our assumptions about it.
 * These functions do no I/O and keep no state.
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
 *		... send the request again later
 */
#ifndef CAIRN_SERVER_PROTOCOL_UPLOAD_H
#define CAIRN_SERVER_PROTOCOL_UPLOAD_H

#include "base/byte_buffer.h"
#include "base/fileid.h"
#include "formats/symbfile.h"

enum {
	/* maximum number of parts; Elastic's server stores the number in a signed 16-bit integer */
	UPLOAD_PARTS_MAX = 32767,
	UPLOAD_KEY_MAX = 1024,
	UPLOAD_NAME_SIZE = 33,
};

enum upload_kind {
	UPLOAD_RANGES,
	UPLOAD_RETURNPADS,
	UPLOAD_KINDS,
};

/* Return the kind's name in file names, paths and messages: "ranges" or "returnpads". */
const char *upload_kind_name(enum upload_kind kind);

/* Return the kind's URL path, such as "/api/symbols-ranges". */
const char *upload_kind_path(enum upload_kind kind);

/* Find the kind with this URL path (without a query). Returns false if the path is unknown. */
bool upload_path_kind(const char *path, enum upload_kind *kind);

struct upload {
	enum upload_kind kind;
	struct fileid id;
	uint32_t part, parts;
	/* name of the upload to which the part belongs; empty if unknown */
	char name[UPLOAD_NAME_SIZE];
};

/*
 * Derive an upload's name from the bytes of the whole file and the part size. Repeating the upload
 * gives the same name.
 */
void upload_set_name(struct upload *upload, struct cairn_bytes whole, uint64_t part_size);

/* Derive an upload's name from the client's address, because some clients send no name. */
void upload_set_sender(struct upload *upload, struct cairn_bytes address);

/* Headers of an upload request, unchanged; NULL if absent. */
struct upload_headers {
	const char *file_id, *part, *parts, *authorization, *name;
	unsigned lengths; /* number of Content-Length headers */
};

/*
 * The reason for a refusal: an HTTP status, a stable code, and a description that may change
 * between versions.
 */
struct upload_refusal {
	unsigned status;
	const char *code, *text;
};

extern const struct upload_refusal upload_no_path, upload_no_method, upload_no_key, upload_no_id,
	upload_no_length, upload_two_lengths, upload_unclear, upload_no_host, upload_repeated,
	upload_too_large, upload_truncated, upload_disk_full, upload_failed;

/*
 * Parse and authorize a request. Returns NULL if it is accepted, otherwise the refusal. `key` is
 * the result of upload_key(), or NULL if no key is required.
 */
const struct upload_refusal *upload_check(const char *path, const struct upload_headers *headers,
                                          const char *key, struct upload *upload);

/* Return true if the Authorization header (NULL if absent) contains `key`, or if `key` is NULL. */
bool upload_may_enter(const char *authorization, const char *key);

/*
 * Convert a key from a file, variable or argument to its form in the Authorization header: strip
 * surrounding spaces and encode "ID:KEY" in base64. Returns false if the key is empty, too long, or
 * contains spaces or control characters, because these would end the header.
 */
bool upload_key(struct cairn_bytes text, char key[UPLOAD_KEY_MAX]);

enum upload_outcome {
	UPLOAD_OK,
	UPLOAD_FAILED,
	UPLOAD_RETRY,
};

/* A server's parsed response. Absent strings are empty; all strings are untrusted. */
struct upload_answer {
	enum upload_outcome outcome;
	unsigned status;
	char code[32], text[512], uuid[64];
};

void upload_answer_read(unsigned status, struct cairn_bytes body, struct upload_answer *answer);

void upload_answer_write(const struct upload_answer *answer, struct sink *out);

/*
 * The parts of an uploaded symbfile. There are two ways to split a file, and the protocol does not
 * indicate which one is used:
 *
 * - Each part is a complete symbfile with its own header and string tables. To join them, the
 *   headers of all parts but the first are omitted. This works because a string table replaces the
 *   previous one, and the first record of a file has an absolute address.
 * - The parts are arbitrary byte ranges of one file.
 *
 * The first bytes distinguish the two ways: if all parts start with the magic number, they are
 * complete symbfiles.
 */

/* Result of analyzing a part, or the joined parts. */
struct upload_parts_view {
	bool magic;
	size_t header; /* offset of the first message after the header; 0 without a header */
	enum symbfile_code code;
	struct cairn_fault fault; /* location of the fault; not set if `code` is VALID */
	uint64_t ranges, pads, tables;
};

/* Return the size of the magic number and header, or 0 if there is no header. */
size_t upload_parts_header(struct cairn_bytes bytes);

struct upload_parts_view upload_parts_view(struct cairn_bytes bytes);

/*
 * Check whether the bytes can be the part that `upload` describes. Returns NULL or the refusal.
 * Accepts any part that may be a slice, because slices can be checked only when all parts have
 * arrived.
 */
const struct upload_refusal *upload_parts_check(const struct upload *upload,
                                                struct cairn_bytes bytes,
                                                const struct upload_parts_view *view);

const struct upload_refusal *upload_parts_check_joined(const struct upload *upload,
                                                       const struct upload_parts_view *view);

#endif
