/* SPDX-License-Identifier: MIT */
/*
 * Backtraces of a text on their way to a snapshot:
 *
 *	text.c              lines become threads of frames, those of symbolizer markup, too
 *	report.c            so do reports and recorded backtraces in JSON
 *	codable.c           and Swift's backtraces: in the Compact Backtrace Format, or encoded as JSON
 *	modules.c           frames find their modules and addresses
 *	stack.c             addresses become a stack that leads from one to the next
 *	captured.c          all of it as a snapshot, or as a minidump
 */
#ifndef CAIRN_PROCESS_CAPTURED_CAPTURED_STACKS_H
#define CAIRN_PROCESS_CAPTURED_CAPTURED_STACKS_H

#include "formats/captured_text/captured_text.h"
#include "formats/elf/elf.h"
#include "model/snapshot.h"

#include <cairn.h>

enum {
	CAPTURED_THREADS_MAX = 4096,
	CAPTURED_FRAMES_MAX = 1 << 16, /* of all threads; what is behind them is left out */
	CAPTURED_MODULES_MAX = 256,
	CAPTURED_KEPT_MAX = 1 << 24, /* bytes of paths that are packed in the text */
};

/* A frame of the text, and its address in the made program. */
struct captured_step {
	struct captured_frame frame; /* its texts are those of the input */
	uint64_t pc;                 /* as a return address, or exact */
	bool exact, known;
};

struct captured_thread {
	struct cairn_bytes name; /* a text of the input */
	size_t first, count;     /* of its steps */
	uint64_t sp, fp;         /* registers at its innermost frame */
	bool has_fp, ended;
};

struct captured_module {
	struct cairn_bytes name, id; /* as in the text; the ID as digits */
	uint64_t hash;               /* of the last part of the name */
	struct cairn_bytes build_id; /* of the file */
	struct cairn_captured_file file;
	struct elf elf;
	struct cairn_markup_file *places;
	bool has_file, has_bias;
	uint64_t
		frames_end; /* without a file: bytes from its start to the end of the page after its last frame */
	uint64_t bias, low, high; /* pcs; 0: it is not known where it was, or how large */
};

/* A text that was unpacked. */
struct captured_kept {
	struct captured_kept *next;
	uint8_t text[];
};

/* Eight bytes of a stack. */
struct captured_word {
	uint64_t address, value;
};

struct captured {
	const struct cairn_captured_options *options;
	struct captured_step *steps;
	size_t step_count, step_room;
	struct captured_thread *threads;
	size_t thread_count, thread_room;
	struct captured_module *modules;
	size_t module_count, module_room;
	struct captured_word *words;
	size_t word_count, word_room;
	struct cairn_range stacks;  /* where the words are */
	struct captured_kept *kept; /* texts that are not in the input */
	size_t kept_size;           /* their bytes */
	char *ids;               /* digits of the build IDs of the modules that the host has told */
	uint64_t lost, left_out; /* frames without an address, and those above the limits */
	bool scarce;             /* memory is short */
};

/* Is told what the lines of a text are. */
struct captured_listener {
	void *context;
	/* Takes a frame of the stack that is open, or of a new one.  False: no more lines are wanted. */
	bool (*frame)(void *context, const struct captured_frame *frame);
	void (*end)(void *context); /* the stack that is open has ended */
	/* Takes a line that is not a frame; `bytes` are all of it. */
	void (*line)(void *context, const struct captured_line *line, struct cairn_bytes bytes);
};

/* text.c: reads a text, and symbolizer markup in it, line by line. */
void captured_read_lines(struct cairn_bytes text, const struct captured_listener *listener);

/* Puts the innermost of the frames of a stack first, if the log has it last. */
void captured_order_steps(struct captured_step *steps, size_t count);

/*
 * Lines with one address are calls that were inlined there, and the function itself, which is the last of them: where those from
 * `at` on end, before `end`.
 */
size_t captured_end_of_place(const struct captured_step *steps, size_t at, size_t end);

/* Is one of these lines an inlined call, where `last` is the last of them?  The function's name again is the function, called by itself. */
bool captured_is_inlined(const struct captured_step *step, const struct captured_step *last);

/* report.c: fills threads and steps of a report in JSON; false: it is none. */
bool captured_read_report(struct captured *captured);
/* Adds a frame so many times; what is above the limits is left out. */
void captured_add_steps(struct captured *captured, struct captured_thread *thread,
                        const struct captured_frame *frame, uint64_t times);
/* Adds the thread, if it has a frame. */
void captured_add_thread(struct captured *captured, const struct captured_thread *thread);

/* A frame with an address of which nothing else is known; `data` may be anywhere in the input. */
static inline struct captured_frame captured_bare_frame(const uint8_t *data)
{
	const struct cairn_bytes none = { data, 0 };

	return (struct captured_frame){ .source = CAPTURED_DEBUGGER,
		                        .has_address = true,
		                        .text = none,
		                        .module = none,
		                        .id = none,
		                        .function = none,
		                        .file = none };
}

/* codable.c: fills steps of a thread that is not added yet; false: it has none. */
bool captured_take_cbf(struct captured *captured, struct cairn_bytes bytes,
                       struct captured_thread *thread);

/* codable.c: fills threads and steps; false: no backtrace is there. */
bool captured_read_codable(struct captured *captured);

/* modules.c: frames without a module get the one that the host has told at their address. */
void captured_place_in_modules(struct captured *captured);

/* text.c: fills threads and steps. */
void captured_read_text(struct captured *captured);

/* modules.c: fills modules, and the addresses of steps. */
void captured_find_modules(struct captured *captured);
const struct captured_module *captured_module_at(const struct captured *captured, uint64_t pc);

/* stack.c: fills words and the registers of threads. */
void captured_make_stacks(struct captured *captured);

/*
 * captured.c: fill a snapshot as cairn_captured_write() writes it, which borrows nothing. Fails as that does; then nothing has to be
 * closed. Takes both structs at their full sizes, and ignores options->write.
 */
CAIRN_MUST_USE enum cairn_status captured_snapshot_open(
	const struct cairn_captured_options *options, struct snapshot *snapshot,
	struct cairn_captured_summary *summary, struct cairn_error *error);

#endif
