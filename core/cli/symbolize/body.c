/* SPDX-License-Identifier: MIT */
/*
 * Reads the file of a reference: opens it below the directory of bodies or has it fetched, checks
 * its size and hash, and reads its stacks.
 */
#include "symbolize.h"

#include "cli/bt/bt.h"
#include "os/file/beneath.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void symbolize_reject(struct symbolize_answer *answer, const char *why)
{
	answer->result = REQUEST_REJECTED;
	answer->why = why;
}

void symbolize_try_again(struct symbolize_answer *answer, const char *why)
{
	answer->result = REQUEST_TRY_AGAIN;
	answer->why = why;
}

/*
 * Choose between rejection and retry. A missing file may still appear, and errors of the system may
 * be temporary.
 */
static void explain_opening(struct symbolize_answer *answer, int error)
{
	switch (error) {
	case EXDEV:
	case ELOOP:
		symbolize_reject(answer, "the path leaves the folder of --bodies, or is a link");
		break;
	case EINVAL:
	case EISDIR:
		symbolize_reject(answer, "the path leads to no regular file");
		break;
	case ENOENT:
		symbolize_try_again(answer, "the file of the reference is not there");
		break;
	default:
		symbolize_try_again(answer, "the file of the reference cannot be opened");
	}
}

/* Hash the file in pieces to limit memory. */
static bool has_hash(int fd, uint64_t size, const uint8_t wanted[SHA256_SIZE])
{
	struct sha256 hash = sha256_open();
	uint8_t digest[SHA256_SIZE], piece[1 << 16];

	for (uint64_t at = 0; at < size;) {
		const uint64_t left = size - at;
		const size_t count = left < sizeof(piece) ? (size_t)left : sizeof(piece);
		if (os_file_read(fd, at, piece, count) != 0)
			return false;
		sha256_put(&hash, (struct cairn_bytes){ piece, count });
		at += count;
	}
	sha256_finish(&hash, digest);
	return memcmp(digest, wanted, sizeof(digest)) == 0;
}

static void print_stacks_object(FILE *out, struct bt *bt)
{
	struct json json = json_to(out);

	fputs("{\"threads\":[", out);
	for (size_t i = 0; i < bt->stack_count && ftell(out) <= SYMBOLIZE_STACKS_MAX; i++) {
		if (i > 0)
			fputc(',', out);
		bt_print_stack_json(&json, bt, &bt->stacks[i]);
	}
	fputs("]}", out);
}

/*
 * Return the stacks as JSON in the form of a report, or NULL if memory is short. The caller frees
 * the string.
 */
static char *make_stacks_text(struct bt *bt, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	print_stacks_object(out, bt);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static void take_stacks(struct symbolize_answer *answer, char *text, size_t size)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	enum cairn_status status;

	answer->stacks = text;
	if (!text) {
		symbolize_try_again(answer, "out of memory");
		return;
	}
	if (size > SYMBOLIZE_STACKS_MAX) {
		symbolize_reject(answer, "the stacks of the file are more than 32 MiB of JSON");
		return;
	}
	status = request_read_body(&answer->request,
	                           (struct cairn_bytes){ (const uint8_t *)text, size }, &fault);
	if (status == CAIRN_NO_MEMORY)
		symbolize_try_again(answer, "out of memory");
	else if (status != CAIRN_OK)
		symbolize_reject(answer, fault.what);
}

static void read_stacks(struct symbolize *run, struct symbolize_answer *answer, int fd)
{
	struct bt bt = { .options = { .form = FORM_JSON,
		                      .count = REQUEST_FRAMES_MAX,
		                      .quiet = true,
		                      .folders = run->folders,
		                      .sysroot = run->sysroot ? run->sysroot : "/dev/null",
		                      .only_folders = true,
		                      .use_debuginfod = run->use_debuginfod },
		         .debuginfod = { .deadline = run->debuginfod.deadline },
		         .path = answer->request.body.place };
	size_t size = 0;

	if (bt_input_descriptor(&bt, fd) != EXIT_CLEAN) {
		symbolize_reject(answer,
		                 "the file of the reference has no stacks that can be read");
		return;
	}
	bt_print_problems(&bt);
	if (bt_walk(&bt)) {
		bt_prepare_names(&bt);
		char *text = make_stacks_text(&bt, &size);
		take_stacks(answer, text, size);
	} else {
		symbolize_try_again(answer, "out of memory");
	}
	if (!run->debuginfod.unanswered)
		run->debuginfod.unanswered = bt.debuginfod.unanswered;
	bt_close(&bt);
}

static void read_log(struct symbolize_answer *answer, int fd)
{
	struct os_file file;
	size_t size = 0;

	if (os_file_open_descriptor(fd, answer->request.body.place, &file) != 0) {
		symbolize_try_again(answer, "the file of the reference cannot be read");
		return;
	}
	char *text = symbolize_read_log(file.bytes, &size);
	/* `text` does not borrow from the file */
	os_file_close(&file);
	if (text && size == 0) {
		free(text);
		symbolize_reject(answer, "the log has no backtrace that can be read");
		return;
	}
	take_stacks(answer, text, size);
}

static void read_body_file(struct symbolize *run, struct symbolize_answer *answer, int fd,
                           const struct stat *about)
{
	const struct request_body *body = &answer->request.body;

	if ((uint64_t)about->st_size != body->size)
		symbolize_reject(answer, "the file of the reference has another size");
	else if (!has_hash(fd, body->size, body->hash))
		symbolize_reject(answer, "the file of the reference has another hash");
	else if (body->kind == REQUEST_LOG)
		read_log(answer, fd);
	else
		read_stacks(run, answer, fd);
}

static void explain_fetching(struct symbolize_answer *answer, enum origin_outcome outcome)
{
	static const struct {
		const char *why;
		bool is_final;
	} reasons[] = {
		[ORIGIN_ABSENT] = { "the file of the reference is not there", false },
		[ORIGIN_REFUSED] = { "the origin refuses the file of the reference", false },
		[ORIGIN_REDIRECTED] = { "the origin redirects to another place, which is not asked",
		                        true },
		[ORIGIN_OTHER_SIZE] = { "the file of the reference has another size", true },
		[ORIGIN_UNREACHABLE] = { "the origin did not answer", false },
		[ORIGIN_NO_ROOM] = { "no room for the file of the reference", false },
		[ORIGIN_LOST] = { "the process that fetches files has ended", false },
	};
	_Static_assert(COUNT(reasons) == ORIGIN_LOST + 1, "origin_fetch() returns no other");

	if (outcome != ORIGIN_FOUND && reasons[outcome].is_final)
		symbolize_reject(answer, reasons[outcome].why);
	else if (outcome != ORIGIN_FOUND)
		symbolize_try_again(answer, reasons[outcome].why);
}

/* Fetch the file of a reference by URL. On failure the result and its reason are set. */
static bool fetch_body(struct symbolize *run, struct symbolize_answer *answer, int *fd)
{
	const struct request_body *body = &answer->request.body;
	const char *path;

	if (!run->origin.url) {
		symbolize_reject(answer, "references by url are not taken without --origin");
		return false;
	}
	path = origin_path(run->origin.url, body->place);
	if (!path) {
		symbolize_reject(answer, "the url is not below --origin");
		return false;
	}
	explain_fetching(answer, origin_fetch(&run->origin, path, body->size, fd));
	return *fd >= 0;
}

static bool open_body(struct symbolize *run, struct symbolize_answer *answer, int *fd)
{
	struct stat about;
	int error;

	if (!run->bodies) {
		symbolize_reject(answer, "references by path are not taken without --bodies");
		return false;
	}
	error = os_open_beneath(run->bodies, answer->request.body.place, &about, fd);
	if (error)
		explain_opening(answer, error);
	return error == 0;
}

void symbolize_read_body(struct symbolize *run, struct symbolize_answer *answer)
{
	struct stat about;
	int fd = -1;

	if (answer->request.body.is_url ? !fetch_body(run, answer, &fd)
	                                : !open_body(run, answer, &fd))
		return;
	if (fstat(fd, &about) == 0)
		read_body_file(run, answer, fd, &about);
	else
		symbolize_try_again(answer, "the file of the reference cannot be read");
	close(fd);
}
