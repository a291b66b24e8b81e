/* SPDX-License-Identifier: MIT */
/* The signature of addresses of a thread that crashed, from a walk over its innermost frames. */
#include "address_signature.h"

#include "base/hex.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_MAX = 1024, /* frames among which the last one of a signal handler is looked for */
	SIGNAL_TEXT = 32,
};

/* The innermost frames of a stack. */
struct walked_stack {
	struct address_frame frames[LOOK_MAX];
	size_t count;
	bool is_cut; /* by a limit that the host has set */
	const char *
		handled; /* the signal of the outermost handler among them; NULL: none, or not known */
};

static void add_walked_frame(struct walked_stack *w, const struct cairn_stack_frame *frame)
{
	const bool has_module = frame->module.data != NULL;
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };

	w->frames[w->count++] = (struct address_frame){
		.pc = frame->pc,
		.is_trampoline = frame->signal,
		.has_module = has_module,
		.module = has_module ? frame->module : none,
		.build_id = has_module ? frame->build_id : none,
		.offset = frame->module_offset,
	};
	if (frame->signal)
		w->handled = cairn_signal_name(frame->handled);
}

/* What a scan of a minidump's stack has found is not a frame in its core. */
static void walk_innermost(struct walked_stack *w, struct cairn_stacks *stacks, size_t number)
{
	struct cairn_stack_frame frame;
	struct cairn_stack_end end;
	bool more = cairn_stacks_begin(stacks, number), is_certain = more;

	while (more && is_certain && w->count < LOOK_MAX) {
		cairn_stacks_frame(stacks, &frame);
		is_certain = frame.found != CAIRN_UNWIND_METHOD_SCAN;
		if (is_certain)
			add_walked_frame(w, &frame);
		more = cairn_stacks_next(stacks);
	}
	if (more)
		return;
	cairn_stacks_end(stacks, &end);
	w->is_cut = end.kind == CAIRN_STACK_LIMIT;
}

/* Does the signal end programs that do not handle it? */
static bool is_fatal(const char *signal)
{
	static const char *const fatal[] = { "SIGSEGV", "SIGBUS",  "SIGILL", "SIGFPE",
		                             "SIGABRT", "SIGTRAP", "SIGSYS" };

	for (size_t i = 0; signal && i < sizeof(fatal) / sizeof(*fatal); i++)
		if (strcmp(signal, fatal[i]) == 0)
			return true;
	return false;
}

/* The name of the signal, or the number of the exception.  False: the thread has not crashed, nor is it about to. */
static bool find_crash_word(const struct walked_stack *w, const struct cairn_stacks *stacks,
                            bool is_process, bool crashed, char word[SIGNAL_TEXT])
{
	struct cairn_crash crash;

	if (!crashed && (!is_process || !is_fatal(w->handled)))
		return false;
	cairn_stacks_crash(stacks, &crash);
	if (!crashed)
		(void)snprintf(word, SIGNAL_TEXT, "%s", w->handled);
	else if (crash.exception)
		(void)snprintf(word, SIGNAL_TEXT, "0x%" PRIx32, crash.exception);
	else
		(void)snprintf(word, SIGNAL_TEXT, "%s", crash.name ? crash.name : "");
	return true;
}

static void get_walked_frame(void *context, size_t i, struct address_frame *frame)
{
	*frame = ((const struct walked_stack *)context)->frames[i];
}

static bool make_signature(struct walked_stack *w, struct cairn_stacks *stacks, bool crashed,
                           char text[CAIRN_ADDRESS_SIGNATURE])
{
	struct cairn_process process;
	uint8_t digest[SHA256_SIZE];
	char word[SIGNAL_TEXT];

	cairn_stacks_process(stacks, &process);
	if (!find_crash_word(w, stacks, process.kind == CAIRN_STACKS_PROCESS, crashed, word) ||
	    !address_signature_make(get_walked_frame, w, w->count, w->is_cut, process.program,
	                            (struct cairn_bytes){ (const uint8_t *)word, strlen(word) },
	                            digest))
		return false;
	hex_encode((struct cairn_bytes){ digest, sizeof(digest) }, text);
	return true;
}

bool cairn_stacks_address_signature(struct cairn_stacks *stacks, size_t number,
                                    char text[CAIRN_ADDRESS_SIGNATURE])
{
	struct cairn_thread thread;
	struct walked_stack *w = NULL;
	bool made = false;

	text[0] = '\0';
	if (cairn_stacks_thread(stacks, number, &thread))
		w = calloc(1, sizeof(*w));
	if (w) {
		walk_innermost(w, stacks, number);
		made = w->count > 0 && make_signature(w, stacks, thread.crashed, text);
	}
	free(w);
	return made;
}
