/* SPDX-License-Identifier: MIT */
/*
 * Turns textual backtraces into a snapshot, in these steps:
 *
 *	backtraces_text.c      lines, including symbolizer markup, become threads of frames
 *	backtraces.c           JSON reports, recorded and Swift backtraces become threads of frames
 *	backtraces_modules.c   frames are assigned to modules and addresses
 *	backtraces_stack.c     addresses become a stack that leads from each frame to the next
 *	backtraces.c           the result becomes a snapshot or a minidump
 */
#ifndef CAIRN_PROCESS_CAPTURE_BACKTRACES_H
#define CAIRN_PROCESS_CAPTURE_BACKTRACES_H

#include "base/snapshot.h"
#include "formats/captured_text.h"
#include "formats/elf/elf.h"

#include <cairn.h>

enum {
	CAPTURED_THREADS_MAX = 4096,
	/* maximum number of frames in all threads; further frames are dropped */
	CAPTURED_FRAMES_MAX = 1 << 16,
	CAPTURED_MODULES_MAX = 256,
	CAPTURED_IMAGES_MAX = 4096,
	/*
	 * maximum number of bytes for strings that are not in the input verbatim, such as encoded
	 * paths
	 */
	CAPTURED_KEPT_MAX = 1 << 24,
};

/* A frame from the input, and its address in the reconstructed program. */
struct captured_step {
	struct captured_frame frame;
	uint64_t pc; /* the exact pc if `exact` is set, otherwise a return address */
	bool exact, known;
};

struct captured_thread {
	struct cairn_bytes name;
	bool crashed;
	size_t report; /* index of the report that contains this thread */
	uint64_t next; /* level of the next frame in a JSON report */
	size_t first, count;
	uint64_t sp, fp;
	bool has_fp, ended;
};

struct captured_module {
	/* name and build ID as printed in the input; `id` consists of hexadecimal digits */
	struct cairn_bytes name, id;
	uint64_t hash;
	struct cairn_bytes build_id;
	struct cairn_captured_file file;
	struct elf elf;
	struct cairn_markup_file *places;
	bool has_file, has_bias;
	/*
	 * presumed end of a module without a file: one page after the page of its highest frame
	 * address
	 */
	uint64_t frames_end;
	uint64_t bias, low, high; /* `low` and `high` are 0 if the location or size is unknown */
};

/* A module that a report lists with its location. */
struct captured_image {
	uint64_t base, end;
	struct cairn_bytes path, id;
	size_t report;
};

struct captured_kept {
	struct captured_kept *next;
	uint8_t text[];
};

struct captured_word {
	uint64_t address, value;
};

struct captured {
	const struct cairn_captured_options *options;
	struct captured_step *steps;
	size_t step_count, step_capacity;
	struct captured_thread *threads;
	size_t thread_count, thread_capacity;
	struct captured_module *modules;
	size_t module_count, module_capacity;
	struct captured_image *images;
	size_t image_count, image_capacity;
	/* indices of the current report, and of its first step and image */
	size_t report, report_step, report_image;
	struct captured_word *words;
	size_t word_count, word_capacity;
	struct cairn_range stacks;
	struct captured_kept *kept;
	size_t kept_size;
	char *ids; /* hexadecimal build IDs of the modules that the host supplied */
	/*
	 * modified copy of the input, and the options that refer to it; the copy is made to remove
	 * color sequences or to complete a truncated report
	 */
	uint8_t *plain;
	struct cairn_captured_options plain_options;
	/* numbers of frames without an address, and of frames dropped because of a limit */
	uint64_t lost, left_out;
	bool scarce;
};

struct captured_listener {
	void *context;
	/*
	 * Called for each frame. The frame belongs to the current stack or begins a new one.
	 * Returns false to stop.
	 */
	bool (*frame)(void *context, const struct captured_frame *frame);
	void (*end)(void *context);
	/* called for each line that is not a frame; `bytes` is the whole line */
	void (*line)(void *context, const struct captured_line *line, struct cairn_bytes bytes);
};

/* Read a log line by line, including any symbolizer markup in it. */
void captured_read_lines(struct cairn_bytes text, const struct captured_listener *listener);

/* Reverse a stack that the log lists from the outermost frame to the innermost. */
void captured_order_steps(struct captured_step *steps, size_t count);

/*
 * Return the index after the consecutive steps that begin at `at` and have the same address: the
 * calls inlined at the address, and then the function that contains them. The result is at most
 * `end`.
 */
size_t captured_end_of_place(const struct captured_step *steps, size_t at, size_t end);

/*
 * Return true if `step` is an inlined call. `last` is the last step with the same address. A step
 * that repeats the name of the containing function is a recursive call instead.
 */
bool captured_is_inlined(const struct captured_step *step, const struct captured_step *last);

/* Add a frame `times` times. Frames beyond the limits are counted in left_out instead. */
void captured_add_steps(struct captured *captured, struct captured_thread *thread,
                        const struct captured_frame *frame, uint64_t times);
void captured_add_thread(struct captured *captured, const struct captured_thread *thread);

/* Return a frame that consists only of an address. `data` may point anywhere into the input. */
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

/*
 * Read the threads of a text in any of the formats, and assign their frames to the images that a
 * report lists. Sets captured->scarce if allocation fails. Free the result with captured_close().
 */
void captured_read(struct captured *captured, const struct cairn_captured_options *options);
void captured_close(struct captured *captured);

void captured_add_image(struct captured *captured, const struct captured_image *image);

/* Match each frame read since the last call with an image listed in the same report. */
void captured_end_report(struct captured *captured);

/* Assign frames by address to the modules that the host supplied. */
void captured_place_in_modules(struct captured *captured);

void captured_read_text(struct captured *captured);

void captured_find_modules(struct captured *captured);
const struct captured_module *captured_module_at(const struct captured *captured, uint64_t pc);

/* Fill in the contents of each stack, and each thread's stack and frame pointer. */
void captured_make_stacks(struct captured *captured);

/*
 * Open a snapshot with the contents that cairn_captured_write() would write to a file. The snapshot
 * borrows nothing from `options`; options->write is ignored. Fails for the same reasons as
 * cairn_captured_write(); after a failure there is nothing to close. `options` and `summary` must
 * have the sizes that this version defines.
 */
CAIRN_MUST_USE enum cairn_status captured_snapshot_open(
	const struct cairn_captured_options *options, struct snapshot *snapshot,
	struct cairn_captured_summary *summary, struct cairn_error *error);

#endif
