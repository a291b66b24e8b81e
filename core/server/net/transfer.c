/* SPDX-License-Identifier: MIT */
/* Downloads an executable's symbols from a symbol server, and uploads parts of symbfiles. */
#include "transfer.h"

#include "zstd_stream.h"

#include "os/atomic_file.h"
#include "os/file.h"
#include "server/protocol/upload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_OK = 200, STATUS_NOT_FOUND = 404 };

struct transfer {
	struct os_durable file;
	struct zstd_stream_reader *packed;
	char directory[OS_DURABLE_PATH_MAX];
	uint64_t size_max, received;
	int error;
	struct http_text *answer; /* receives the server's error message if there is no file */
};

static bool fail_with_status(struct fetch_result *result, enum cairn_status status,
                             const char *what)
{
	result->status = status;
	snprintf(result->message, sizeof(result->message), "%s", what);
	return false;
}

static bool fail_by_answer(struct fetch_result *result, const struct http_request *request,
                           const struct http_text *body)
{
	struct upload_answer answer;

	if (request->status == STATUS_NOT_FOUND)
		return fail_with_status(result, CAIRN_NOT_FOUND,
		                        "the server has no symbols for this FileID");
	upload_answer_read(request->status, (struct cairn_bytes){ body->bytes, body->size },
	                   &answer);
	result->status = CAIRN_UNREADABLE;
	snprintf(result->message, sizeof(result->message), "the server answers %u%s%.120s%s%.60s",
	         request->status, answer.text[0] ? ": " : "", answer.text,
	         answer.uuid[0] ? ", uuid " : "", answer.uuid);
	return false;
}

static void set_path(char path[DOWNLOAD_PATH_MAX + 1], const struct fileid *id,
                     enum download_resource what)
{
	path[0] = '/';
	download_path(id, what, path + 1);
}

static bool fetch_metadata(struct http *http, const struct fileid *id, struct http_text *text,
                           struct fetch_result *result)
{
	char path[DOWNLOAD_PATH_MAX + 1];
	struct http_request request = {
		.path = path, .begin = http_text_begin, .take = http_text_take, .context = text
	};
	struct cairn_fault fault;

	set_path(path, id, DOWNLOAD_METADATA);
	if (!http_send(http, &request))
		return fail_with_status(result, CAIRN_UNREADABLE,
		                        request.stopped ? "metadata.json is too large"
		                                        : request.lost);
	if (request.status != STATUS_OK)
		return fail_by_answer(result, &request, text);
	enum cairn_status status = download_metadata_read(
		(struct cairn_bytes){ text->bytes, text->size }, &result->from, &fault);
	if (status == CAIRN_OK)
		return true;
	if (status == CAIRN_NOT_FOUND)
		return fail_with_status(result, status,
		                        "the server has no symbols for this FileID");
	result->status = status;
	snprintf(result->message, sizeof(result->message), "metadata.json: %s at byte %" PRIu64,
	         fault.what, fault.offset);
	return false;
}

/* Delete the partial file and deregister it from the signal cleanup. */
static void abandon_file(struct transfer *t)
{
	os_unfinished_hold();
	os_durable_abandon(&t->file);
	os_unfinished_release(NULL);
}

static int create_file(struct transfer *t)
{
	os_unfinished_hold();
	int error = os_durable_begin(t->directory, NULL, &t->file);
	os_unfinished_release(error ? NULL : t->file.path);
	return error;
}

/*
 * Commit the file in two steps. Signals are blocked only during the second step, because it is a
 * quick rename.
 */
static int finish_file(struct transfer *t, const char *path)
{
	int error = os_durable_flush(&t->file);

	if (error)
		return error;
	os_unfinished_hold();
	error = os_durable_rename(&t->file, path);
	os_unfinished_release(error ? t->file.path : NULL);
	return error;
}

static bool begin_file(void *context)
{
	struct transfer *t = context;

	zstd_stream_reader_free(t->packed);
	t->packed = NULL;
	abandon_file(t);
	t->received = 0;
	t->answer->size = 0;
	t->error = create_file(t);
	if (t->error == 0)
		t->packed = zstd_stream_reader_new(&t->file, t->size_max);
	if (t->error == 0 && !t->packed)
		t->error = ENOMEM;
	return t->error == 0;
}

static bool write_file_piece(void *context, unsigned status, struct cairn_bytes piece)
{
	struct transfer *t = context;

	if (status != STATUS_OK)
		return http_text_take(t->answer, status, piece);
	t->received += piece.size;
	if (zstd_stream_reader_put(t->packed, piece))
		return true;
	t->error = t->packed->error;
	return false;
}

static bool fail_by_error(const struct transfer *t, struct fetch_result *result)
{
	if (t->error == EBADMSG)
		return fail_with_status(result, CAIRN_MALFORMED,
		                        "the server sent damaged zstd data");
	if (t->error != EFBIG)
		return fail_with_status(result, CAIRN_UNREADABLE, strerror(t->error));
	result->status = CAIRN_UNSUPPORTED;
	snprintf(result->message, sizeof(result->message),
	         "the symbols are larger than %" PRIu64 " bytes; --max-size allows more",
	         t->size_max);
	return false;
}

static bool check_ranges(const struct transfer *t, struct fetch_result *result)
{
	struct os_file file;
	int error = os_file_open_regular(t->file.path, &file);

	if (error)
		return fail_with_status(result, CAIRN_UNREADABLE, strerror(error));
	struct upload_parts_view view = upload_parts_view(file.bytes);
	os_file_close(&file);
	if (view.code == SYMBFILE_VALID)
		return true;
	result->status = view.fault.status;
	snprintf(result->message, sizeof(result->message),
	         "the server sent damaged data: %s at byte %" PRIu64, view.fault.what,
	         view.fault.offset);
	return false;
}

static bool receive_ranges(struct http *http, struct transfer *t, struct fetch_result *result)
{
	char path[DOWNLOAD_PATH_MAX + 1];
	struct http_request request = {
		.path = path, .begin = begin_file, .take = write_file_piece, .context = t
	};

	set_path(path, &result->from, DOWNLOAD_RANGES);
	bool answered = http_send(http, &request);
	if (t->error)
		return fail_by_error(t, result);
	if (!answered)
		return fail_with_status(result, CAIRN_UNREADABLE,
		                        request.stopped ? "the server's answer is too large"
		                                        : request.lost);
	if (request.status != STATUS_OK)
		return fail_by_answer(result, &request, t->answer);
	if (!zstd_stream_reader_end(t->packed)) {
		t->error = t->packed->error;
		return fail_by_error(t, result);
	}
	return check_ranges(t, result);
}

static bool copy_directory(const char *path, char directory[OS_DURABLE_PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 1;

	if (length >= OS_DURABLE_PATH_MAX)
		return false;
	memcpy(directory, slash ? path : ".", length);
	directory[length] = '\0';
	return true;
}

static bool fetch_to_path(struct http *http, const struct fileid *id, struct transfer *t,
                          const char *path, struct fetch_result *result)
{
	if (!copy_directory(path, t->directory))
		return fail_with_status(result, CAIRN_UNREADABLE, strerror(ENAMETOOLONG));
	if (!fetch_metadata(http, id, t->answer, result) || !receive_ranges(http, t, result))
		return false;
	int error = finish_file(t, path);
	if (error)
		return fail_with_status(result, CAIRN_UNREADABLE, strerror(error));
	result->size = t->file.size;
	result->packed = t->received;
	return true;
}

bool fetch_symbols(struct http *http, const struct fileid *id, uint64_t size_max, const char *path,
                   struct fetch_result *result)
{
	struct transfer t = { .file = { .fd = -1 }, .size_max = size_max };

	*result = (struct fetch_result){ .status = CAIRN_OK };
	t.answer = malloc(sizeof(*t.answer));
	bool done = t.answer ? fetch_to_path(http, id, &t, path, result)
	                     : fail_with_status(result, CAIRN_NO_MEMORY, "out of memory");
	zstd_stream_reader_free(t.packed);
	abandon_file(&t);
	free(t.answer);
	return done;
}

static void set_header(struct http_request *request, const char *name, const char *value)
{
	request->headers[request->header_count++] = (struct http_header){ name, value };
}

bool push_part(struct http *http, const struct upload *upload, struct cairn_bytes bytes,
               struct push_result *result)
{
	/* static because it is too large for the stack; safe because the program has one thread */
	static struct http_text body;
	char id[FILEID_BASE64_SIZE], part[16], parts[16];
	struct http_request request = { .path = upload_kind_path(upload->kind),
		                        .post = true,
		                        .body = bytes,
		                        .begin = http_text_begin,
		                        .take = http_text_take,
		                        .context = &body };

	fileid_to_base64(&upload->id, id);
	snprintf(part, sizeof(part), "%" PRIu32, upload->part);
	snprintf(parts, sizeof(parts), "%" PRIu32, upload->parts);
	set_header(&request, "FileID", id);
	set_header(&request, "FilePart", part);
	set_header(&request, "FileParts", parts);
	if (upload->name[0])
		set_header(&request, "UploadID", upload->name);
	set_header(&request, "Content-Type", "application/octet-stream");
	*result = (struct push_result){ .answered = http_send(http, &request) };
	if (result->answered)
		upload_answer_read(request.status, (struct cairn_bytes){ body.bytes, body.size },
		                   &result->answer);
	else
		snprintf(result->lost, sizeof(result->lost), "%s",
		         request.stopped ? "the server's answer is too large" : request.lost);
	return result->answered && result->answer.outcome == UPLOAD_OK;
}
