/* SPDX-License-Identifier: MIT */
/* `cairn symbolize`: answers symbolization requests, which core/requests parses and resolves. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "cli/symbolize.h"
#include "base/allowance.h"
#include "base/bytes.h"
#include "base/encoding.h"
#include "base/memory.h"
#include "base/path.h"
#include "cli/bt/bt.h"
#include "cli/front/cli.h"
#include "cli/front/line_reader.h"
#include "cli/front/printed.h"
#include "cli/front/rights.h"
#include "formats/markup.h"
#include "os/channel.h"
#include "os/children.h"
#include "os/debuginfod.h"
#include "os/fetched.h"
#include "os/file.h"
#include "output/json.h"
#include "output/location.h"
#include "process/capture/backtraces.h"
#include "requests/request.h"
#include "symbols/symbolizer.h"

#include <cairn/dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SYMBOLIZE_ANSWER = 1,
	/* exit status for a temporary failure, EX_TEMPFAIL in sysexits.h */
	SYMBOLIZE_TRY_AGAIN = 75,
	SYMBOLIZE_BUFFER = 1 << 16,
	/* maximum size of the JSON with the stacks in a referenced file, in bytes */
	SYMBOLIZE_STACKS_MAX = 1 << 25,
	/*
	 * Limit on the bytes of names in an answer: this minimum, plus a multiple of the request's
	 * size.
	 */
	SYMBOLIZE_PRINTED_LEAST = 1 << 26,
	SYMBOLIZE_PRINTED_TIMES = 64,
};

struct symbolize {
	const char *directories, *sysroot, *bodies;
	bool each, use_debuginfod, tell_fetches;
	struct origin origin;
	struct debuginfod debuginfod;
	struct cairn_symbolizer *symbolizer;
};

struct symbolize_answer {
	struct request request;
	bool is_read;
	bool is_hashed;
	enum request_result result;
	const char *why; /* reason for REQUEST_REJECTED or REQUEST_TRY_AGAIN, a constant string */
	bool has_offset;
	uint64_t offset;
	/* stacks in the referenced file as JSON; allocated with malloc(), and used by `request` */
	char *stacks;
};

/*
 * Maximum number of modules whose files the symbolizer keeps open between requests. The symbolizer
 * searches only the directories and servers given by the user.
 */
enum { MODULES_MAX = 1 << 8 };

static bool fetch_module_file(void *context, enum cairn_module_file wanted,
                              struct cairn_bytes build_id, char *path, size_t size)
{
	struct symbolize *run = context;
	enum debuginfod_answer answer;

	return debuginfod_fetch(&run->debuginfod, wanted, build_id, path, size, &answer);
}

enum { START_SECONDS = 30, MORE_SECONDS = 10, NUMBER_SIZE = 24 };

static uint64_t seconds_from_now(uint64_t seconds)
{
	return channel_clock() + seconds * 1000;
}

/*
 * Start the process that downloads files. Return EXIT_CLEAN, or print a diagnostic and return
 * another exit status.
 */
static int origin_start(struct origin *origin)
{
	char path[OWN_FILE_PATH], seconds[NUMBER_SIZE];
	const char *words[] = { path, NULL, NULL, NULL, NULL, NULL };
	const char **next = words + 1;
	int pair[2];

	if (!origin->url)
		return EXIT_CLEAN;
	if (!own_file_path(CAIRN_LIBEXECDIR "/cairn/cairn-net", "core/cli/cairn-net", path) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return fail_with("cairn-net", "cannot start: %s", strerror(errno));
	if (rights_are_kept())
		*next++ = RIGHTS_KEPT;
	snprintf(seconds, sizeof(seconds), "%u", (unsigned)origin->seconds);
	*next++ = "bodies";
	*next++ = origin->url;
	*next++ = seconds;
	/* the child reads requests from the socket, and prints messages on standard error */
	const struct os_program program = { .words = words,
		                            .input = pair[1],
		                            .output = STDERR_FILENO,
		                            .error = -1,
		                            .ends_with_parent = true };
	const int error = os_child_start(&program, &origin->pid);
	close(pair[1]);
	origin->socket = pair[0];
	if (!error) {
		/* wait until the child is ready; it reports problems itself */
		struct origin_answer ready;
		if (channel_receive(origin->socket, &ready, sizeof(ready), NULL,
		                    seconds_from_now(START_SECONDS)))
			return EXIT_CLEAN;
		const int status = os_child_end(origin->pid, 0, NULL);
		close(origin->socket);
		origin->pid = 0;
		return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE ? EXIT_USAGE
		                                                              : EXIT_BROKEN;
	}
	close(pair[0]);
	origin->pid = 0;
	return fail_with(path,
	                 "cannot start: %s; this program is part of cairn, so reinstall cairn",
	                 strerror(error));
}

/* Return true for characters that have no special meaning in a URL path for any parser. */
static bool is_path_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~!$&'()*+,;=:@/", c));
}

/*
 * Read one byte of a URL path, which may be percent-encoded. Return -1 if the byte is not allowed.
 */
static int read_path_byte(const char **at)
{
	const char *p = *at;
	uint8_t byte;

	*at = p + 1;
	if (*p != '%')
		return is_path_byte(*p) ? (unsigned char)*p : -1;
	*at = p + 3;
	if (!p[1] || !p[2] ||
	    !hex_read((struct cairn_bytes){ (const uint8_t *)p + 1, 2 }, &byte, 1))
		return -1;
	/*
	 * refuse encoded separators and control characters, because some servers decode them early
	 */
	return byte < ' ' || byte == '/' || byte == '\\' ? -1 : byte;
}

/* Return true if no component of the path is empty, "." or "..", in any encoding. */
static bool stays_below(const char *path)
{
	size_t size = 0, dots = 0;

	for (const char *at = path + 1;;) {
		const bool ends = *at == '\0' || *at == '/';
		if (ends && (size == 0 || (size == dots && dots <= 2)))
			return false;
		if (*at == '\0')
			return true;
		const int byte = read_path_byte(&at);
		if (byte < 0)
			return false;
		size = ends ? 0 : size + 1;
		dots = ends ? 0 : dots + (byte == '.');
	}
}

/*
 * Return the path in `url` relative to the origin, starting with a slash. Return NULL if the URL is
 * not below the origin, or if its path could lead out of the origin under any interpretation.
 */
static const char *origin_path(const char *origin, const char *url)
{
	size_t size = strlen(origin);

	while (size > 0 && origin[size - 1] == '/')
		size--;
	if (strncmp(url, origin, size) != 0 || url[size] != '/' || !stays_below(url + size))
		return NULL;
	return url + size;
}

static enum origin_outcome lose_origin(struct origin *origin)
{
	origin->is_lost = true;
	return ORIGIN_LOST;
}

/*
 * Download a file of `size` bytes. On success *fd is a descriptor, which the caller owns; otherwise
 * it is -1.
 */
static enum origin_outcome origin_fetch(struct origin *origin, const char *path, uint64_t size,
                                        int *fd)
{
	const struct origin_question question = { size, (uint32_t)strlen(path) };
	const uint64_t until = seconds_from_now(origin->seconds + MORE_SECONDS);
	struct origin_answer answer;

	*fd = -1;
	if (origin->is_lost ||
	    !channel_send(origin->socket, &question, sizeof(question), -1, until) ||
	    !channel_send(origin->socket, path, question.path_size, -1, until) ||
	    !channel_receive(origin->socket, &answer, sizeof(answer), fd, until))
		return lose_origin(origin);
	if (answer.outcome > ORIGIN_LOST || (answer.outcome == ORIGIN_FOUND) != (*fd >= 0))
		return lose_origin(origin);
	return (enum origin_outcome)answer.outcome;
}

static void origin_stop(struct origin *origin)
{
	if (origin->pid <= 0)
		return;
	close(origin->socket);
	(void)os_child_end(origin->pid, 0, NULL);
	origin->pid = 0;
}

/*
 * Converts the backtraces in a log to a JSON report: an object with threads. Frames keep their
 * names from the log. A frame without a name gets its module, the address in the module, and
 * whether that is an exact address or a return address.
 */

struct log_reading {
	struct json json;
	FILE *out;
	struct captured_step *steps;
	size_t count, capacity;
	/*
	 * modules that the log lists with build IDs; if a name occurs twice, the last one is used
	 */
	struct {
		struct cairn_bytes name, digits;
	} listed[CAPTURED_MODULES_MAX];
	size_t listed_count;
	size_t stacks;
	bool scarce;
};

/*
 * Return the hexadecimal build ID of the frame's module, from the frame itself or from the module
 * list.
 */
static struct cairn_bytes find_digits(const struct log_reading *l,
                                      const struct captured_frame *frame)
{
	if (frame->id.size > 0 || frame->module.size == 0)
		return frame->id;
	for (size_t i = l->listed_count; i > 0; i--)
		if (bytes_equal(l->listed[i - 1].name, base_name(frame->module)))
			return l->listed[i - 1].digits;
	return frame->id;
}

static void print_log_frame(struct log_reading *l, const struct captured_frame *frame,
                            bool is_inlined)
{
	json_object(&l->json, NULL);
	if (frame->has_address)
		json_address(&l->json, "pc", frame->address);
	uint8_t id[REQUEST_ID_MAX];
	size_t size = 0;
	if (frame->module.size > 0)
		json_text(&l->json, "module", frame->module);
	if (markup_build_id(find_digits(l, frame), id, sizeof(id), &size) && size > 0)
		json_hex(&l->json, "build_id", (struct cairn_bytes){ id, size });
	/* omit other offsets, because they cannot be resolved */
	if (frame->origin == CAPTURED_FROM_ZERO)
		json_address(&l->json, "va", frame->offset);
	else if (frame->origin == CAPTURED_FROM_MODULE)
		json_address(&l->json, "module_offset", frame->offset);
	json_bool(&l->json, "exact", frame->pc != CAPTURED_PC_RETURN);
	if (frame->function.size > 0) {
		json_text(&l->json, "function", frame->function);
		if (frame->origin == CAPTURED_FROM_SYMBOL)
			json_number(&l->json, "offset", frame->offset);
	}
	json_place(&l->json, frame->file, frame->line, 0);
	json_bool(&l->json, "inlined", is_inlined);
	json_end(&l->json);
}

static void end_stack(void *context)
{
	struct log_reading *l = context;

	captured_order_steps(l->steps, l->count);
	json_object(&l->json, NULL);
	json_array(&l->json, "frames");
	for (size_t at = 0, next; at < l->count; at = next) {
		next = captured_end_of_place(l->steps, at, l->count);
		for (; at < next && ftell(l->out) <= SYMBOLIZE_STACKS_MAX; at++)
			print_log_frame(l, &l->steps[at].frame,
			                captured_is_inlined(&l->steps[at], &l->steps[next - 1]));
	}
	json_end(&l->json);
	json_end(&l->json);
	l->stacks++;
	l->count = 0;
}

static bool take_log_frame(void *context, const struct captured_frame *frame)
{
	struct log_reading *l = context;

	l->scarce = !array_grow(&l->steps, &l->capacity, l->count + 1, sizeof(*l->steps));
	if (!l->scarce)
		l->steps[l->count++] = (struct captured_step){ .frame = *frame };
	return !l->scarce && ftell(l->out) <= SYMBOLIZE_STACKS_MAX;
}

static void list_module(void *context, const struct captured_line *line, struct cairn_bytes bytes)
{
	struct log_reading *l = context;

	(void)bytes;
	if (line->kind != CAPTURED_MODULE || l->listed_count == CAPTURED_MODULES_MAX)
		return;
	l->listed[l->listed_count].name = base_name(line->module);
	l->listed[l->listed_count++].digits = line->id;
}

char *symbolize_read_log(struct cairn_bytes log, size_t *size)
{
	struct log_reading *l = calloc(1, sizeof(*l));
	char *text = NULL;
	bool good = false;

	if (l)
		l->out = open_memstream(&text, size);
	if (l && l->out) {
		l->json = json_to(l->out);
		const struct captured_listener listener = { l, take_log_frame, end_stack,
			                                    list_module };
		json_object(&l->json, NULL);
		json_array(&l->json, "threads");
		captured_read_lines(log, &listener);
		json_end(&l->json);
		json_end(&l->json);
		good = fclose(l->out) == 0 && !l->scarce;
		if (l->stacks == 0)
			*size = 0;
		free(l->steps);
	}
	free(l);
	if (good)
		return text;
	free(text);
	return NULL;
}

/*
 * Reads the file to which a request refers: opens it below the local directory or downloads it,
 * checks its size and hash, and reads the stacks in it.
 */

static void symbolize_reject(struct symbolize_answer *answer, const char *why)
{
	answer->result = REQUEST_REJECTED;
	answer->why = why;
}

static void symbolize_try_again(struct symbolize_answer *answer, const char *why)
{
	answer->result = REQUEST_TRY_AGAIN;
	answer->why = why;
}

/*
 * Set the result after a failure to open the file. Reject the request if it is invalid. Otherwise
 * ask the client to try again, because a missing file may still appear, and system errors may be
 * temporary.
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

/* Return true if the file has the expected SHA-256. Hashes it in pieces to limit memory use. */
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

/* Return the stacks as a JSON report, or NULL if allocation fails. The caller frees the string. */
static char *make_stacks_text(struct bt *bt, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	struct json json = json_to(out);
	fputs("{\"threads\":[", out);
	for (size_t i = 0; i < bt->stack_count && ftell(out) <= SYMBOLIZE_STACKS_MAX; i++) {
		if (i > 0)
			fputc(',', out);
		bt_print_stack_json(&json, bt, &bt->stacks[i]);
	}
	fputs("]}", out);
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
		                      .directories = run->directories,
		                      .sysroot = run->sysroot ? run->sysroot : "/dev/null",
		                      .only_directories = true,
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
	/* the file can be closed, because `text` is a copy */
	os_file_close(&file);
	if (text && size == 0) {
		free(text);
		symbolize_reject(answer, "the log has no backtrace that can be read");
		return;
	}
	take_stacks(answer, text, size);
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
		[ORIGIN_DISK_FULL] = { "no room for the file of the reference", false },
		[ORIGIN_LOST] = { "the process that fetches files has ended", false },
	};
	_Static_assert(COUNT(reasons) == ORIGIN_LOST + 1, "origin_fetch() returns no other");

	if (outcome != ORIGIN_FOUND && reasons[outcome].is_final)
		symbolize_reject(answer, reasons[outcome].why);
	else if (outcome != ORIGIN_FOUND)
		symbolize_try_again(answer, reasons[outcome].why);
}

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

/*
 * Read the file to which the request refers into answer->request. On failure, set answer->result
 * and answer->why.
 */
static void symbolize_read_body(struct symbolize *run, struct symbolize_answer *answer)
{
	struct stat about;
	int fd = -1;

	if (answer->request.body.is_url ? !fetch_body(run, answer, &fd)
	                                : !open_body(run, answer, &fd))
		return;
	if (fstat(fd, &about) == 0) {
		const struct request_body *body = &answer->request.body;
		if ((uint64_t)about.st_size != body->size)
			symbolize_reject(answer, "the file of the reference has another size");
		else if (!has_hash(fd, body->size, body->hash))
			symbolize_reject(answer, "the file of the reference has another hash");
		else if (body->kind == REQUEST_LOG)
			read_log(answer, fd);
		else
			read_stacks(run, answer, fd);
	} else
		symbolize_try_again(answer, "the file of the reference cannot be read");
	close(fd);
}

/*
 * Copies members of a request to its answer. Values are parsed and serialized again, so that the
 * output is well-formed whatever the request contains.
 */

enum {
	/* maximum size of a member's name in bytes; members with longer names are not copied */
	NAME_MAX_SIZE = 64,
	/* maximum size of a string in bytes; longer strings are truncated */
	VALUE_MAX_SIZE = 1 << 17,
};

/*
 * Copy a member name as a C string. Return false if it is too long, or contains other characters
 * than letters, digits, '_', '-' and '.'.
 */
static bool copy_name(struct cairn_bytes name, char out[NAME_MAX_SIZE + 1])
{
	if (name.size == 0 || name.size > NAME_MAX_SIZE)
		return false;
	for (size_t i = 0; i < name.size; i++) {
		const uint8_t c = name.data[i];
		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '-' && c != '.')
			return false;
		out[i] = (char)c;
	}
	out[name.size] = '\0';
	return true;
}

static bool is_listed(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static void print_value(struct json *json, const char *name, const struct json_step *step,
                        struct allowance *printed)
{
	static char text[VALUE_MAX_SIZE];
	const struct json_reader_value value = { step->kind, step->text };

	switch (step->kind) {
	case JSON_READER_STRING:
		json_reader_text(&value, text, sizeof(text));
		json_text(json, name, printed_text(printed, borrow_string(text)));
		break;
	case JSON_READER_NUMBER:
		if (printed_take(printed, step->text.size))
			json_raw(json, name, step->text);
		break;
	case JSON_READER_TRUE:
	case JSON_READER_FALSE:
		json_bool(json, name, step->kind == JSON_READER_TRUE);
		break;
	case JSON_READER_NULL:
		json_null(json, name);
		break;
	case JSON_READER_OBJECT:
	case JSON_READER_ARRAY:
		break;
	}
}

/*
 * Copy the members of an object that are strings, numbers, true, false or null, except those whose
 * names are in `without`, which ends with NULL.
 */
static void symbolize_print_members(struct json *json, struct cairn_bytes object,
                                    const char *const *without, struct allowance *printed)
{
	struct json_walk walk = json_walk_open(object);
	char name[NAME_MAX_SIZE + 1];
	struct json_step step;

	json_walk_next(&walk, &step); /* enter the object */
	while (json_walk_next(&walk, &step) && !step.ends)
		if (json_step_opens(&step))
			json_walk_skip(&walk, &step);
		else if (copy_name(step.name, name) && !is_listed(name, without))
			print_value(json, name, &step, printed);
}

/*
 * Prints answers. An answer that exceeds the print limit is replaced by a rejection, because it
 * would look complete although names are missing.
 */

/* Members that have a meaning of their own in answers, so they are not copied from the request. */
static const char *const own_members[] = { "answer",  "request", "result",  "missing_build_ids",
	                                   "reason",  "offset",  "threads", "frames",
	                                   "results", NULL };

static const char *const own_thread_members[] = { "frames", NULL };

/*
 * Members that are not copied from a frame of the request. The first list is for frames with
 * looked-up names, the second for all others.
 */
static const char *const named_members[] = { "level", "function", "offset",  "file",
	                                     "line",  "column",   "inlined", NULL };

static const char *const kept_members[] = { "level", NULL };

struct answer_printing {
	struct json *json;
	const struct request *request;
	struct allowance printed;
};

static struct cairn_bytes text_of(const struct answer_printing *p, uint32_t number)
{
	return string_pool_get(&p->request->texts, number);
}

static void print_answer_call(struct answer_printing *p, const struct request_call *call)
{
	const struct cairn_bytes file = text_of(p, call->file);

	json_text(p->json, "function",
	          printed_text(&p->printed, demangled_name(text_of(p, call->function))));
	json_number(p->json, "offset", call->offset);
	json_place(p->json, printed_text(&p->printed, file), call->line, call->column);
	json_bool(p->json, "inlined", call->inlined);
}

static void print_frames(struct answer_printing *p, const struct request_thread *thread)
{
	size_t level = 0;

	json_array(p->json, "frames");
	for (size_t i = 0; i < thread->frame_count; i++) {
		const struct request_frame *frame = &p->request->frames[thread->frame + i];
		if (frame->call_count > 0) {
			/*
			 * Print one frame for the function at the address and for each call inlined
			 * into it, and copy the other members of the original frame to each of
			 * them.
			 */
			const struct json_reader_value *object =
				&p->request->objects[frame->object + frame->object_count - 1];
			for (size_t k = 0; k < frame->call_count; k++) {
				json_object(p->json, NULL);
				json_number(p->json, "level", level++);
				symbolize_print_members(p->json, object->text, named_members,
				                        &p->printed);
				print_answer_call(p, &p->request->calls[frame->call + k]);
				json_end(p->json);
			}
		} else {
			for (size_t k = 0; k < frame->object_count; k++) {
				json_object(p->json, NULL);
				json_number(p->json, "level", level++);
				symbolize_print_members(p->json,
				                        p->request->objects[frame->object + k].text,
				                        kept_members, &p->printed);
				json_end(p->json);
			}
		}
	}
	json_end(p->json);
}

static void print_threads(struct answer_printing *p)
{
	json_array(p->json, "threads");
	for (size_t i = 0; i < p->request->thread_count; i++) {
		const struct request_thread *thread = &p->request->threads[i];
		json_object(p->json, NULL);
		symbolize_print_members(p->json, thread->value.text, own_thread_members,
		                        &p->printed);
		print_frames(p, thread);
		json_end(p->json);
	}
	json_end(p->json);
}

static void print_results(struct answer_printing *p)
{
	json_array(p->json, "results");
	for (size_t i = 0; i < p->request->frame_count; i++) {
		const struct request_frame *frame = &p->request->frames[i];
		json_object(p->json, NULL);
		json_array(p->json, "frames");
		for (size_t k = 0; k < frame->call_count; k++) {
			json_object(p->json, NULL);
			print_answer_call(p, &p->request->calls[frame->call + k]);
			json_end(p->json);
		}
		json_end(p->json);
		json_end(p->json);
	}
	json_end(p->json);
}

static void print_parts(struct answer_printing *p)
{
	json_array(p->json, "missing_build_ids");
	for (size_t i = 0; i < p->request->missing_count; i++)
		json_hex(p->json, NULL, request_module_id(p->request->missing[i]));
	json_end(p->json);
	symbolize_print_members(p->json, p->request->top.text, own_members, &p->printed);
	switch (p->request->kind) {
	case REQUEST_THREAD:
		print_frames(p, &p->request->threads[0]);
		break;
	case REQUEST_REPORT:
	case REQUEST_REFERENCE:
		print_threads(p);
		break;
	case REQUEST_OFFSETS:
		print_results(p);
		break;
	}
}

static bool print_answer(FILE *out, const struct symbolize_answer *answer, uint64_t size)
{
	struct json json = json_to(out);
	struct answer_printing p = { .json = &json,
		                     .request = &answer->request,
		                     .printed = allowance_of(SYMBOLIZE_PRINTED_LEAST,
		                                             SYMBOLIZE_PRINTED_TIMES, size) };

	json_object(&json, NULL);
	const struct cairn_bytes hash = { answer->request.hash, sizeof(answer->request.hash) };
	json_number(&json, "answer", SYMBOLIZE_ANSWER);
	if (answer->is_hashed)
		json_hex(&json, "request", hash);
	else
		json_null(&json, "request");
	json_string(&json, "result", request_result_word(answer->result));
	if (answer->why)
		json_string(&json, "reason", answer->why);
	if (answer->has_offset)
		json_number(&json, "offset", answer->offset);
	if (answer->result != REQUEST_REJECTED && answer->result != REQUEST_TRY_AGAIN)
		print_parts(&p);
	json_end(&json);
	return !p.printed.over;
}

/* Print the answer as one line on standard output. `size` is the size of the request in bytes. */
static void symbolize_print(struct symbolize_answer *answer, uint64_t size)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out;

	/*
	 * Rejections contain no names, and there may be millions, so print them without the cost of
	 * a memory stream.
	 */
	if (answer->result == REQUEST_REJECTED || answer->result == REQUEST_TRY_AGAIN) {
		print_answer(stdout, answer, size);
		return;
	}
	out = open_memstream(&text, &length);
	const bool fits = out && print_answer(out, answer, size);
	const bool good = out && fclose(out) == 0;

	if (good && fits) {
		fwrite(text, 1, length, stdout);
	} else {
		if (good)
			symbolize_reject(answer, "the answer has too many bytes of names");
		else
			symbolize_try_again(answer, "out of memory");
		print_answer(stdout, answer, size);
	}
	free(text);
}

static const char about[] =
	"Answer a JSON request for names on standard input with one line of JSON. A request\n"
	"is a thread of 'cairn bt --json', a report of 'cairn crash',\n"
	"{\"frames\":[{\"build_id\":..,\"address\":..,\"kind\":..}]}, or a reference to a\n"
	"core, minidump or log. Only symbols in the given directories or servers are used, so\n"
	"equal requests have equal answers. Exit status 0: done; 1: no symbols, or not yet;\n"
	"3: rejected; 75: try again. With --each, 0 if all lines were answered.";

static void take_status(struct symbolize_answer *answer, enum cairn_status status,
                        const struct cairn_fault *fault, bool has_offset)
{
	if (status == CAIRN_OK)
		return;
	if (status == CAIRN_NO_MEMORY) {
		symbolize_try_again(answer, "out of memory");
		return;
	}
	symbolize_reject(answer, fault->what);
	answer->has_offset = has_offset;
	answer->offset = fault->offset;
}

static bool has_failed(const struct symbolize_answer *answer)
{
	return answer->result == REQUEST_REJECTED || answer->result == REQUEST_TRY_AGAIN;
}

static void name_request(struct symbolize *run, struct symbolize_answer *answer)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	if (answer->request.kind == REQUEST_REFERENCE)
		symbolize_read_body(run, answer);
	if (has_failed(answer))
		return;
	take_status(answer, request_ask(&answer->request, run->symbolizer, run->sysroot, &fault),
	            &fault, false);
	if (has_failed(answer))
		return;
	answer->result = request_judge(&answer->request);
	if (run->debuginfod.unanswered)
		symbolize_try_again(answer, run->debuginfod.unanswered);
}

static int answer_request(struct symbolize *run, struct cairn_bytes text)
{
	static struct symbolize_answer answer; /* static, because it is too large for the stack */
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	answer = (struct symbolize_answer){ .is_hashed = true, .result = REQUEST_DONE };
	run->debuginfod.unanswered = NULL;
	debuginfod_recover(&run->debuginfod);
	take_status(&answer, request_open(&answer.request, text, &fault), &fault, true);
	if (!has_failed(&answer))
		name_request(run, &answer);
	symbolize_print(&answer, text.size);
	request_close(&answer.request);
	free(answer.stacks);
	switch (answer.result) {
	case REQUEST_DONE:
		return EXIT_CLEAN;
	case REQUEST_NO_SYMBOLS:
	case REQUEST_NOT_YET:
		return EXIT_MISSING;
	case REQUEST_REJECTED:
		return EXIT_BROKEN;
	case REQUEST_TRY_AGAIN:
		break;
	}
	return SYMBOLIZE_TRY_AGAIN;
}

/*
 * Answer the request on each line. An answer is flushed before the next request is read, because
 * the peer may be waiting for it. However, rejections are not flushed while further complete lines
 * are buffered, so that many rejections are written at once.
 */
static int answer_lines(struct symbolize *run)
{
	static char buffer[SYMBOLIZE_BUFFER];
	struct debuginfod_counts told = { .hits = 0 };
	struct line_reader lines = { .fd = STDIN_FILENO };
	enum line_reader_kind kind;
	struct cairn_bytes line;
	int error;

	(void)setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	while ((kind = line_reader_next(&lines, &line)) != LINE_READER_END) {
		int status = EXIT_BROKEN;
		if (kind == LINE_READER_TOO_LONG) {
			static struct symbolize_answer answer;
			answer = (struct symbolize_answer){ .result = REQUEST_DONE };
			symbolize_reject(&answer, "a line of more than 128 MiB");
			symbolize_print(&answer, 0);
		} else
			status = answer_request(run, line);
		if (run->tell_fetches)
			fetch_line_write(stdout, &run->debuginfod.counts, &told);
		told = run->debuginfod.counts;
		const bool may_wait = status == EXIT_BROKEN && line_reader_has_line(&lines);
		if ((!may_wait && fflush(stdout) != 0) || run->origin.is_lost)
			break;
	}
	error = lines.error;
	line_reader_finish(&lines);
	if (error)
		print_diagnostic("-", "cannot read: %s", strerror(error));
	return error || run->origin.is_lost ? EXIT_BROKEN : EXIT_CLEAN;
}

static int answer_whole(struct symbolize *run)
{
	struct os_file file;

	if (!input_open("-", &file))
		return EXIT_BROKEN;
	const int status = answer_request(run, file.bytes);
	os_file_close(&file);
	return status;
}

static int run_symbolize(struct symbolize *run)
{
	int status = EXIT_BROKEN;

	if (!run->directories && !run->sysroot && !run->bodies && !run->use_debuginfod)
		rights_expect_files(0);
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	options.directories = run->directories;
	options.skip = CAIRN_SKIP_SYSTEM | CAIRN_SKIP_CACHE;
	options.modules_max = MODULES_MAX;
	if (run->use_debuginfod) {
		options.fetch = fetch_module_file;
		options.fetch_context = run;
	}
	run->symbolizer = cairn_symbolizer_new(&options);
	if (!(run->symbolizer &&
	      cairn_symbolizer_add(run->symbolizer, &breakpad_tree_source) == CAIRN_OK &&
	      cairn_symbolizer_add(run->symbolizer, cairn_dwarf_source()) == CAIRN_OK))
		print_diagnostic(NULL, "out of memory");
	else
		status = run->each ? answer_lines(run) : answer_whole(run);
	cairn_symbolizer_free(run->symbolizer);
	debuginfod_close(&run->debuginfod);
	return status;
}

static int start_origin(void *context)
{
	struct symbolize *run = context;

	if (run->origin.seconds == 0 || run->origin.seconds > ORIGIN_SECONDS_MAX) {
		print_diagnostic(NULL, "--origin-deadline must be from 1 to 3600");
		return EXIT_USAGE;
	}
	return origin_start(&run->origin);
}

int verb_symbolize(int argc, char **argv)
{
	struct symbolize run = { .origin = { .seconds = ORIGIN_SECONDS },
		                 .debuginfod = { .deadline = DEBUGINFOD_DEADLINE } };
	const struct option options[] = {
		OPTION_FLAG("each", "answer each line of standard input", &run.each),
		OPTION_DIRECTORY(&run.directories),
		OPTION_SYSROOT("find module files at their paths below DIR", &run.sysroot),
		OPTION_TEXT("bodies", "DIR", "read referenced files below DIR", &run.bodies),
		OPTION_TEXT("origin", "URL", "fetch referenced files below URL", &run.origin.url),
		OPTION_NUMBER("origin-deadline", "SECONDS", "seconds for each referenced file (30)",
		              &run.origin.seconds),
		OPTION_DEBUGINFOD("also ask the servers in DEBUGINFOD_URLS", &run.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&run.debuginfod.deadline),
		OPTION_FLAG("fetches",
		            "with --each: print a line about fetched files after each answer",
		            &run.tell_fetches),
	};
	const struct command command =
		COMMAND("cairn symbolize [OPTION...]", about, options, .rights = 0);
	const struct options_before before = { start_origin, &run };
	int status = EXIT_CLEAN;

	if (!options_parse_then(&command, &argc, argv, &before, &status))
		return status;
	status = run_symbolize(&run);
	origin_stop(&run.origin);
	return status;
}
