/* SPDX-License-Identifier: MIT */
/*
 * The stack record: a thread of a program at one moment. `cairn bt --json` prints one on a line, `cairn crash` and `cairn symbolize`
 * put several into a report, and all that take stacks as JSON read them back:
 *
 *	report = { ..., "threads": [thread, ...] }
 *	thread = { "core": text, "pid": n, "tid": n, "crashed": bool, "signal": text, ..., "frames": [frame, ...],
 *	           "complete": bool, "end": word, "why": text, "missing": text }
 *	frame  = { "level": n, "pc": "0x..", "function": text, "offset": n, "file": text, "line": n, "column": n, "va": "0x..",
 *	           "module": text, "build_id": digits, "module_offset": "0x..", "cfa": "0x..", "by": word, "found": word, ... }
 *
 * docs/cli.md has all members. Each inlined call is a frame of its own with "inlined": true; the next frame is what it is inlined
 * into. The fields of both structs are called as the members, and a member is written if its field is known. Strings of a record
 * that was read are as the JSON has them: record_text() undoes their escapes.
 */
#ifndef CAIRN_RECORDS_RECORD_H
#define CAIRN_RECORDS_RECORD_H

#include "base/json/json_reader.h"

#include <cairn.h>

/* Strings are known if their data is not NULL. */
struct record_number {
	uint64_t value; /* 0 if it is not known */
	bool known;
};

enum record_flag { RECORD_UNSAID, RECORD_NO, RECORD_YES };

static inline struct record_number record_number(uint64_t value)
{
	return (struct record_number){ value, true };
}

/* 0 counts as unknown. */
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
	struct record_number offset; /* from the start of the function */
	struct cairn_bytes file;
	struct record_number line, column;
	struct record_number va;
	struct cairn_bytes module;          /* its path */
	struct cairn_bytes build_id;        /* its bytes; in a record that was read their digits */
	struct record_number module_offset; /* from the module's first byte in memory */
	struct record_number cfa;
	struct cairn_bytes by, found; /* names of unwind methods */
	enum record_flag cfi, inlined, signal, guessed;
	enum record_flag exact;          /* of logs: the pc is no return address */
	struct json_reader_value object; /* of a record that was read; it may be no object */
};

struct record_thread {
	struct cairn_bytes core; /* path of the input, or "process PID" */
	struct cairn_bytes program, command_line;
	struct record_number pid, tid;
	struct cairn_bytes name;
	enum record_flag crashed;
	struct record_number stopped_nanoseconds;
	enum record_flag stack_cut;

	/* The crash, if the program ended in this thread. */
	struct cairn_bytes signal;
	struct record_number exception, signal_number, signal_code;
	struct cairn_bytes signal_code_name;
	struct record_number fault_address;
	struct cairn_bytes fault;                 /* description of what is at fault_address */
	struct record_number sender, sender_user; /* process that sent the signal */

	struct cairn_bytes address_signature, abort_message;
	struct record_number threads; /* number of threads with this stack */
	enum record_flag complete;
	struct cairn_bytes end, why, missing; /* struct cairn_stack_end has the same */

	/* Of a record that was read: its JSON, and the arrays of its frames and, in a report, of its threads. */
	struct json_reader_value object, frames, reported;
};

/* A member of the JSON, and its field. */
struct record_member {
	const char *name;
	enum {
		RECORD_STRING,
		RECORD_DIGITS, /* bytes as hexadecimal digits */
		RECORD_NUMBER,
		RECORD_SIGNED,
		RECORD_ADDRESS,
		RECORD_FLAG,
		RECORD_VALUE, /* an array */
	} kind;
	size_t field;
};

/* In the order in which they are written; the array of frames is where it is in the JSON. */
enum { RECORD_FRAME_MEMBERS = 19, RECORD_THREAD_MEMBERS = 27 };
extern const struct record_member record_frame_members[RECORD_FRAME_MEMBERS];
extern const struct record_member record_thread_members[RECORD_THREAD_MEMBERS];

/* JSON with records: one document, or one on each line. */
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
 * Read the next document as a thread. Return false at the end. A line that is not JSON has a fault, whose offset counts from the
 * start of the input; the next call continues after it.
 */
bool record_next_document(struct record_input *input, struct record_thread *document,
                          struct cairn_fault *fault);

/* Return the next thread of a document: each element of its "threads", or the document itself. *at is 0 at first. */
bool record_next_thread(const struct record_thread *document, size_t *at,
                        struct record_thread *thread);

/* Return the next element of "frames", innermost first. *at is 0 at first. */
bool record_next_frame(const struct record_thread *thread, size_t *at, struct record_frame *frame);

/*
 * Read a text, which is one document, as a thread and, in the same pass, `count` further members of it, at most RECORD_MORE_MAX: value[i] is
 * the one called more[i], with a text of NULL if there is none. Return MALFORMED, TRUNCATED or UNSUPPORTED with *fault if it is not JSON.
 */
enum { RECORD_MORE_MAX = 16 };
CAIRN_MUST_USE enum cairn_status record_open(struct cairn_bytes text, const char *const *more,
                                             size_t count, struct json_reader_value *value,
                                             struct record_thread *document,
                                             struct cairn_fault *fault);

/* Undo the escapes of a string, of which as much as fits is put into `buffer`. */
struct cairn_bytes record_text(struct cairn_bytes text, char *buffer, size_t room);

#endif
