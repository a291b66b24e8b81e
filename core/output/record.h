/* SPDX-License-Identifier: MIT */
/*
 * The stack record: the state of one thread at one moment. `cairn bt --json` prints one per line,
 * `cairn crash` and `cairn symbolize` put several into a report, and every command that takes
 * stacks as JSON reads them back:
 *
 *	report = { ..., "threads": [thread, ...] }
 *	thread = { "core": text, "pid": n, "tid": n, "crashed": bool, "signal": text, ..., "frames": [frame, ...],
 *	           "complete": bool, "end": word, "why": text, "missing": text }
 *	frame  = { "level": n, "pc": "0x..", "function": text, "offset": n, "file": text, "line": n, "column": n, "va": "0x..",
 *	           "module": text, "build_id": digits, "module_offset": "0x..", "cfa": "0x..", "by": word, "found": word, ... }
 *
 * docs/cli.md lists all members. Each inlined call is a frame of its own with "inlined": true; the
 * next frame is the function it is inlined into. The fields of both structs have the names of the
 * JSON members, and only known fields are written. Strings of a record that was read from JSON
 * still contain JSON escapes; record_text() decodes them.
 */
#ifndef CAIRN_OUTPUT_RECORD_H
#define CAIRN_OUTPUT_RECORD_H

#include "base/json_reader.h"

#include <cairn.h>
#include <string.h>

/* A number that may be unknown. A string is known if its data is not NULL. */
struct record_number {
	uint64_t value;
	bool known;
};

enum record_flag { RECORD_UNSAID, RECORD_NO, RECORD_YES };

static inline struct record_number record_number(uint64_t value)
{
	return (struct record_number){ value, true };
}

static inline struct record_number record_count(uint64_t value)
{
	return (struct record_number){ value, value > 0 };
}

static inline enum record_flag record_flag(bool value)
{
	return value ? RECORD_YES : RECORD_NO;
}

struct record_frame {
	struct record_number level, pc;
	struct cairn_bytes function;
	struct record_number offset; /* offset in bytes from the start of the function */
	struct cairn_bytes file;
	struct record_number line, column;
	struct record_number va;
	struct cairn_bytes module;
	/* raw bytes, or hexadecimal digits if the record was read from JSON */
	struct cairn_bytes build_id;
	/* offset in bytes from the start of the module in memory */
	struct record_number module_offset;
	struct record_number cfa;
	struct cairn_bytes by, found; /* names of unwind methods */
	enum record_flag cfi, inlined, signal, guessed;
	/* set only in stacks from logs: the pc is an exact address, not a return address */
	enum record_flag exact;
	/* the frame is a caller of a Swift async function and is not on the stack */
	enum record_flag async;
	/* JSON value of the frame if the record was read from JSON; need not be an object */
	struct json_reader_value object;
};

struct record_thread {
	struct cairn_bytes core; /* path of the core or log, or "process PID" */
	struct cairn_bytes program, command_line;
	struct record_number pid, tid;
	struct cairn_bytes name;
	enum record_flag crashed;
	struct record_number stopped_nanoseconds;
	enum record_flag stack_cut;

	/*
	 * The fields from here to `sender_user` are set only if the program crashed in this thread.
	 */
	struct cairn_bytes signal;
	struct record_number exception, signal_number, signal_code;
	struct cairn_bytes signal_code_name;
	struct record_number fault_address;
	struct cairn_bytes fault;
	struct record_number sender, sender_user;

	struct cairn_bytes address_signature, abort_message;
	struct record_number threads; /* number of threads with this stack */
	enum record_flag complete;
	struct cairn_bytes end, why, missing; /* same fields as in struct cairn_stack_end */

	/*
	 * "task" if the record describes a Swift task; `tid` is then the thread that runs the task.
	 * In a thread's record, `task` is the task that the thread runs, and the other fields of
	 * tasks are not set.
	 */
	struct cairn_bytes kind;
	struct record_number task;
	struct cairn_bytes state; /* state of the task: "running", "waiting" or "enqueued" */
	struct record_number parent, priority;
	/* kind of object for which the task waits: "task", "continuation", "group" or "executor" */
	struct cairn_bytes waits_for;
	struct record_number on;
	struct cairn_bytes actor;
	enum record_flag cancelled;

	/*
	 * JSON values of the thread, its "frames" and, in a report, "threads". Set only if the
	 * record was read from JSON.
	 */
	struct json_reader_value object, frames, reported;
};

static inline bool record_is_task(const struct record_thread *thread)
{
	return thread->kind.size == 4 && memcmp(thread->kind.data, "task", 4) == 0;
}

struct record_member {
	const char *name;
	enum {
		RECORD_STRING,
		RECORD_DIGITS,
		RECORD_NUMBER,
		RECORD_SIGNED,
		RECORD_ADDRESS,
		RECORD_FLAG,
		RECORD_VALUE,
	} kind;
	size_t field;
};

enum { RECORD_FRAME_MEMBERS = 20, RECORD_THREAD_MEMBERS = 36 };
extern const struct record_member record_frame_members[RECORD_FRAME_MEMBERS];
extern const struct record_member record_thread_members[RECORD_THREAD_MEMBERS];

/* Input for record_next_document(): a single JSON document, or one document per line. */
struct record_input {
	struct cairn_bytes rest;
	const uint8_t *start;
	bool by_line;
};

static inline struct record_input record_input_of(struct cairn_bytes text)
{
	return (struct record_input){ text, text.data, false };
}

/*
 * Read the next document as a thread. Return false at the end of the input. If a line is not JSON,
 * set *fault, whose offset counts from the start of the input; the next call continues with the
 * next line.
 */
bool record_next_document(struct record_input *input, struct record_thread *document,
                          struct cairn_fault *fault);

/*
 * Return the next thread of a document: an element of its "threads" or, if it has no such array,
 * the document itself. Set *at to 0 before the first call.
 */
bool record_next_thread(const struct record_thread *document, size_t *at,
                        struct record_thread *thread);

/* Get the next element of "frames", innermost first. Set *at to 0 before the first call. */
bool record_next_frame(const struct record_thread *thread, size_t *at, struct record_frame *frame);

/*
 * Parse `text` as one JSON document and read it as a thread. Reads `count` (at most
 * RECORD_MORE_MAX) further members in the same pass: value[i] is the member named more[i], with
 * text.data == NULL if it is absent. Return MALFORMED, TRUNCATED or UNSUPPORTED with *fault if
 * `text` is not JSON.
 */
enum { RECORD_MORE_MAX = 16 };
CAIRN_MUST_USE enum cairn_status record_open(struct cairn_bytes text, const char *const *more,
                                             size_t count, struct json_reader_value *value,
                                             struct record_thread *document,
                                             struct cairn_fault *fault);

/* Decode the JSON escapes in a string into `buffer`, truncating the result to `capacity` bytes. */
struct cairn_bytes record_text(struct cairn_bytes text, char *buffer, size_t capacity);

#endif
