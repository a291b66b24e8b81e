/* SPDX-License-Identifier: MIT */
/*
 * Computes the address signature of a crashed thread from its innermost frames. Equal crashes of
 * one build have equal address signatures. No symbols are needed, so a server can use address
 * signatures to count known crashes, and request only the cores of new ones. An address signature
 * is the SHA-256 of these lines:
 *
 *	2 none
 *	PROGRAM                base name, truncated to 15 bytes like in a core
 *	SIGNAL                 signal name, with SIGBUS replaced by SIGSEGV
 *	BUILD_ID+0xOFFSET      up to 16, innermost first; the module's name if it lacks a build ID
 *
 * Its first 16 digits are the ID that `cairn group` gives to a crash without names.
 */
#include "signature.h"

#include "base/encoding.h"
#include "base/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_MAX = 1024,
	SIGNAL_TEXT = 32,
	ID_SIZE = 64,
	NULL_PAGE = 0x1000 /* addresses below this are null pointers plus an offset */
};

struct walked_stack {
	struct cairn_stack_frame frames[LOOK_MAX];
	size_t count;
	bool is_cut;         /* the walk has reached the frame limit */
	const char *handled; /* signal of the outermost handler on the stack; NULL if unknown */
	struct signature_builder builder;
	struct signature signature;
};

/*
 * Walk the innermost frames. Stop at a frame found by scanning, because a scan of a minidump's
 * stack may find frames that a scan of a core of the same crash does not find.
 */
static void walk_innermost(struct walked_stack *w, struct cairn_stacks *stacks, size_t number)
{
	struct cairn_stack_end end = CAIRN_SIZED(struct cairn_stack_end);
	bool more = cairn_stacks_begin(stacks, number), is_certain = more;

	while (more && is_certain && w->count < LOOK_MAX) {
		struct cairn_stack_frame *frame = &w->frames[w->count];
		frame->size = sizeof(*frame);
		cairn_stacks_frame(stacks, frame);
		is_certain = frame->found != CAIRN_UNWIND_METHOD_SCAN;
		w->count += is_certain;
		if (is_certain && frame->signal)
			w->handled = cairn_signal_name(frame->handled);
		more = cairn_stacks_next(stacks);
	}
	if (more)
		return;
	cairn_stacks_end(stacks, &end);
	w->is_cut = end.kind == CAIRN_STACK_LIMIT;
}

static bool is_fatal(const char *signal)
{
	static const char *const fatal[] = { "SIGSEGV", "SIGBUS",  "SIGILL", "SIGFPE",
		                             "SIGABRT", "SIGTRAP", "SIGSYS" };

	for (size_t i = 0; signal && i < sizeof(fatal) / sizeof(*fatal); i++)
		if (strcmp(signal, fatal[i]) == 0)
			return true;
	return false;
}

/*
 * Write the signal name or exception number to `word`. Return false if the thread has not crashed.
 * A thread of a running process has crashed if it is handling a fatal signal.
 */
static bool find_crash_word(const struct walked_stack *w, const struct cairn_stacks *stacks,
                            bool is_process, bool crashed, char word[SIGNAL_TEXT])
{
	struct cairn_crash crash = CAIRN_SIZED(struct cairn_crash);

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

/*
 * Return the index of the frame after the outermost signal frame, or 0 if there is no signal frame.
 */
static size_t find_first_address(const struct walked_stack *w)
{
	size_t first = 0;

	for (size_t i = 0; i + 1 < w->count; i++)
		if (w->frames[i].signal)
			first = i + 1;
	return first;
}

static void add_address(struct signature_builder *builder, const struct cairn_stack_frame *frame)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	const bool has_module = frame->module.data != NULL;
	char digits[2 * ID_SIZE + 1] = "";
	struct cairn_bytes id = frame->build_id;

	id.size = !has_module ? 0 : id.size < ID_SIZE ? id.size : ID_SIZE;
	hex_encode(id, digits);
	const struct signature_frame step = {
		.function = none,
		.module = has_module ? base_name(frame->module) : none,
		.build_id = { (const uint8_t *)digits, strlen(digits) },
		.has_offset = has_module,
		.offset = frame->module_offset,
		.is_null = !has_module && frame->pc < NULL_PAGE,
		.is_async = frame->async,
	};
	signature_add(builder, &step);
}

static bool add_addresses(struct walked_stack *w, size_t first, size_t end)
{
	bool any = false;

	signature_begin(&w->builder);
	for (size_t i = first; i < end; i++) {
		add_address(&w->builder, &w->frames[i]);
		any = any || w->frames[i].module.data != NULL;
	}
	return any;
}

/*
 * Compute the digest. Fail for a truncated stack with fewer frames than a signature uses, because
 * the complete stack would have a different signature.
 */
static bool sign_addresses(struct walked_stack *w, struct cairn_bytes program,
                           struct cairn_bytes signal, uint8_t digest[SHA256_SIZE])
{
	const size_t first = find_first_address(w);
	const bool is_short = w->count - first < SIGNATURE_ADDRESSES;

	if ((w->is_cut && is_short) ||
	    !add_addresses(w, first, is_short ? w->count : first + SIGNATURE_ADDRESSES) ||
	    !signature_make(&w->builder, base_name(program), signal, &w->signature))
		return false;
	signature_digest(
		NULL, SIGNATURE_NONE,
		(struct cairn_bytes){ (const uint8_t *)w->signature.text, w->signature.size },
		digest);
	return true;
}

static bool make_signature(struct walked_stack *w, struct cairn_stacks *stacks, bool crashed,
                           char text[CAIRN_ADDRESS_SIGNATURE])
{
	struct cairn_process process = CAIRN_SIZED(struct cairn_process);
	uint8_t digest[SHA256_SIZE];
	char word[SIGNAL_TEXT];

	cairn_stacks_process(stacks, &process);
	if (!find_crash_word(w, stacks, process.kind == CAIRN_STACKS_PROCESS, crashed, word) ||
	    !sign_addresses(w, process.program,
	                    (struct cairn_bytes){ (const uint8_t *)word, strlen(word) }, digest))
		return false;
	hex_encode((struct cairn_bytes){ digest, sizeof(digest) }, text);
	return true;
}

bool cairn_stacks_address_signature(struct cairn_stacks *stacks, size_t number,
                                    char text[CAIRN_ADDRESS_SIGNATURE])
{
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);
	struct walked_stack *w = NULL;
	bool made = false;

	text[0] = '\0';
	if (cairn_stacks_thread(stacks, number, &thread))
		w = calloc(1, sizeof(*w));
	if (w) {
		walk_innermost(w, stacks, number);
		made = w->count > 0 && make_signature(w, stacks, thread.crashed, text);
		signature_finish(&w->builder);
	}
	free(w);
	return made;
}
