/* SPDX-License-Identifier: MIT */
/*
 * Implements child.h: starts, feeds and ends the child process that answers a worker's requests,
 * parses the first members of the answers, and decides whether to retry a request.
 */
#define _GNU_SOURCE /* pipe2(), F_SETPIPE_SZ */
#include "child.h"

#include "base/bytes.h"
#include "os/channel.h"
#include "os/children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const enum request_result results[] = { REQUEST_DONE, REQUEST_NO_SYMBOLS, REQUEST_NOT_YET,
	                                       REQUEST_REJECTED, REQUEST_TRY_AGAIN };

static bool read_result(struct cairn_bytes text, enum request_result *result)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (bytes_are(text, request_result_word(results[i]))) {
			*result = results[i];
			return true;
		}
	return false;
}

static bool is_hash(struct cairn_bytes text)
{
	if (text.size != ANSWER_HASH_SIZE)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (!(text.data[i] >= '0' && text.data[i] <= '9') &&
		    !(text.data[i] >= 'a' && text.data[i] <= 'f'))
			return false;
	return true;
}

static bool take_member(const struct json_step *step, struct answer_head *head, bool *has_result)
{
	const struct json_reader_value value = { step->kind, step->text };

	if (bytes_are(step->name, "request")) {
		head->hash = step->text;
		if (step->kind == JSON_READER_NULL)
			head->hash.size = 0;
		return head->hash.size == 0 ||
		       (step->kind == JSON_READER_STRING && is_hash(step->text));
	}
	if (bytes_are(step->name, "result"))
		*has_result =
			step->kind == JSON_READER_STRING && read_result(step->text, &head->result);
	else if (bytes_are(step->name, "reason"))
		return json_reader_text(&value, head->reason, sizeof(head->reason));
	return true;
}

bool answer_head_read(struct cairn_bytes line, struct answer_head *head)
{
	struct json_walk walk = json_walk_open(line);
	struct json_step step;
	bool has_result = false;

	*head = (struct answer_head){ .hash = { line.data, 0 } };
	if (line.size == 0 || line.data[line.size - 1] != '}' || !json_walk_next(&walk, &step) ||
	    step.kind != JSON_READER_OBJECT)
		return false;
	for (unsigned i = 0; i < ANSWER_HEAD_MEMBERS; i++) {
		if (!json_walk_next(&walk, &step) || step.ends || json_step_opens(&step))
			break;
		if (!take_member(&step, head, &has_result))
			return false;
	}
	return has_result && reader_ok(&walk.in);
}

struct verdict verdict_of_result(enum request_result result, struct verdict_past past)
{
	struct verdict verdict = { VERDICT_ANSWER, 0, past };

	switch (result) {
	case REQUEST_DONE:
	case REQUEST_NO_SYMBOLS:
	case REQUEST_NOT_YET:
		break;
	case REQUEST_REJECTED:
		verdict.kind = VERDICT_DEAD;
		break;
	case REQUEST_TRY_AGAIN:
		verdict.kind = past.attempts < past.delays ? VERDICT_LATER : VERDICT_DEAD;
		verdict.delay = past.attempts;
		verdict.past.attempts++;
		break;
	}
	return verdict;
}

struct verdict verdict_of_crash(struct verdict_past past)
{
	struct verdict verdict = { VERDICT_AGAIN, 0, past };

	verdict.past.crashes++;
	if (verdict.past.crashes >= VERDICT_CRASHES) {
		verdict.kind = VERDICT_DEAD;
	} else if (past.delays > 0) {
		verdict.kind = VERDICT_LATER;
		/* once all delays have been used, repeat the longest one */
		verdict.delay = past.crashes < past.delays ? past.crashes : past.delays - 1;
	}
	return verdict;
}

enum {
	/*
	 * pipe capacity to request, in bytes; a child does not block as long as its answers fit
	 * into the pipe
	 */
	PIPE_SIZE = 1 << 20,
	READ_SIZE = 1 << 16,
	GRACE = 500, /* milliseconds to wait for a child to exit after it has closed its output */
};

int child_start(const struct child_options *options, struct child *child)
{
	int input[2] = { -1, -1 }, output[2] = { -1, -1 };
	int error = pipe2(input, O_CLOEXEC) || pipe2(output, O_CLOEXEC) ? errno : 0;

	*child = (struct child){ .input = input[1], .output = output[0] };
	if (!error) {
		const struct os_program program = { .words = options->command,
			                            .input = input[0],
			                            .output = output[1],
			                            .error = -1,
			                            .memory = options->memory,
			                            .ends_with_parent = true,
			                            .owns_group = true };
		error = os_child_start(&program, &child->pid);
	}
	if (input[0] >= 0)
		close(input[0]);
	if (output[1] >= 0)
		close(output[1]);
	if (error) {
		char why[CHILD_WHY_MAX];
		child->pid = 0;
		child_end(child, true, why);
		return error;
	}
	const int ends[] = { child->input, child->output };
	for (unsigned i = 0; i < 2; i++) {
		fcntl(ends[i], F_SETFL, fcntl(ends[i], F_GETFL) | O_NONBLOCK);
		(void)fcntl(ends[i], F_SETPIPE_SZ, PIPE_SIZE);
	}
	return 0;
}

ssize_t child_write(const struct child *child, const struct iovec *parts, int count)
{
	const ssize_t size = writev(child->input, parts, count);

	if (size >= 0)
		return size;
	return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

static enum child_state make_text_capacity(struct child *child)
{
	if (child->at > 0) {
		child->size -= child->at;
		child->looked -= child->at;
		memmove(child->text, child->text + child->at, child->size);
		child->at = 0;
	}
	if (child->size > CHILD_ANSWER_MAX)
		/*
		 * all complete lines have been taken, so the rest is the start of a line that is
		 * too long
		 */
		return CHILD_TOO_LONG;
	if (child->capacity - child->size >= READ_SIZE)
		return CHILD_QUIET;
	const size_t capacity = child->capacity * 2 + READ_SIZE;
	uint8_t *text = realloc(child->text, capacity);
	if (!text)
		return CHILD_NO_MEMORY;
	child->text = text;
	child->capacity = capacity;
	return CHILD_QUIET;
}

enum child_state child_read(struct child *child)
{
	enum child_state state = make_text_capacity(child);
	ssize_t size;

	while (state == CHILD_QUIET) {
		size = read(child->output, child->text + child->size,
		            child->capacity - child->size);
		if (size > 0) {
			child->is_drained = (size_t)size < child->capacity - child->size;
			child->size += (size_t)size;
			/*
			 * let the caller take the complete lines before reading more, to limit the
			 * buffer's size
			 */
			return CHILD_SAYS;
		} else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
			state = CHILD_ENDED;
		} else if (errno == EAGAIN) {
			break;
		}
	}
	return state;
}

bool child_line(struct child *child, struct cairn_bytes *line)
{
	const size_t left = child->size - child->looked;
	const uint8_t *end = left > 0 ? memchr(child->text + child->looked, '\n', left) : NULL;

	if (!end) {
		child->looked = child->size;
		return false;
	}
	*line = (struct cairn_bytes){ child->text + child->at,
		                      (size_t)(end - child->text) - child->at };
	child->at = child->looked = (size_t)(end - child->text) + 1;
	return true;
}

void child_end(struct child *child, bool now, char why[CHILD_WHY_MAX])
{
	snprintf(why, CHILD_WHY_MAX, "ended");
	if (child->input >= 0)
		close(child->input);
	if (child->output >= 0)
		close(child->output);
	if (child->pid > 0) {
		if (!now)
			(void)os_child_await(child->pid, channel_clock() + GRACE);
		kill(-child->pid, SIGKILL);
		const int status = os_child_end(child->pid, 0, NULL);
		if (WIFSIGNALED(status))
			snprintf(why, CHILD_WHY_MAX, "ended by signal %d", WTERMSIG(status));
		else
			snprintf(why, CHILD_WHY_MAX, "ended with status %d", WEXITSTATUS(status));
	}
	free(child->text);
	*child = (struct child){ .input = -1, .output = -1 };
}
