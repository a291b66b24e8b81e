/* SPDX-License-Identifier: MIT */
/*
 * Rules that a user adds to the built-in rules for signatures, one per line: a word and a pattern.
 *
 *	inner app::fatal*       skip these functions at the inner end: the bug is in their caller
 *	outer app::run_task     these start a thread or a task: skip them and their callers
 *	runtime libapp-rt.so*   skip unnamed frames in this library, like in the C library
 *
 * Function patterns match normal forms (name_form.h), module patterns match base names. A '*' at
 * the end of a pattern matches anything. Blank lines are ignored, and so is everything from a word
 * that begins with '#' to the end of its line.
 *
 *	struct group_rules rules = { 0 };
 *	if (!group_rules_read(&rules, bytes, &wrong))
 *		... wrong.line, wrong.what
 *	group_rules_finish(&rules);
 */
#ifndef CAIRN_GROUPS_SIGNATURE_H
#define CAIRN_GROUPS_SIGNATURE_H

#include "name_form.h"

#include "base/hash.h"
#include "base/table.h"

#include <cairn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GROUP_RULES_MAX = 1024,
	GROUP_RULES_BYTES_MAX = 1 << 20,
	GROUP_RULES_VERSION_SIZE = 32,
};

enum group_rule_kind {
	GROUP_RULE_INNER,
	GROUP_RULE_OUTER,
	GROUP_RULE_RUNTIME,
};

struct group_rule {
	enum group_rule_kind kind;
	bool is_prefix;
	struct cairn_bytes text; /* pattern without the '*', borrowed from the file */
};

struct group_rules {
	struct group_rule *rule;
	size_t count, capacity;
	/*
	 * Version of the rules: "2+" and 16 hexadecimal digits, a hash of the rules that does not
	 * depend on the order of the rules.
	 */
	char version[GROUP_RULES_VERSION_SIZE];
};

struct group_rules_fault {
	uint64_t line; /* line number, counted from 1; 0 if the fault is not in a line */
	const char *what;
};

/*
 * Read a file with rules. `bytes` are borrowed until group_rules_finish(). Return false with *fault
 * if a line is invalid or allocation fails.
 */
bool group_rules_read(struct group_rules *rules, struct cairn_bytes bytes,
                      struct group_rules_fault *fault);

void group_rules_finish(struct group_rules *rules);

/*
 * Folds recursion: a repeated sequence of calls counts only once, so that stacks which differ only
 * in recursion depth have equal signatures.
 */

enum { RECURSION_PERIOD_MAX = 8 };

/*
 * Replace each run of equal blocks by a single block. A block has 1 to RECURSION_PERIOD_MAX items.
 * `items` are sorted innermost first. Return the number of remaining items.
 *
 * A run may end with an incomplete block. The incomplete block is removed, too, and the outermost
 * complete block is kept, so that the result does not depend on where in the block the program
 * stopped. If `is_cut` is set, the outer end of the stack is missing, so the innermost block is
 * kept instead. *all_run is set if the whole stack is a single run. Such a stack may be cut at both
 * ends, so its first item is arbitrary.
 */
size_t recursion_fold(uint32_t *items, size_t count, bool is_cut, bool *all_run);

/*
 * The signature of a crash: a few names that are the same each time a given bug crashes a program,
 * so that equal crashes can be counted together. It is computed from the frames of the crashed
 * thread:
 *
 *	signature_begin(&builder);
 *	signature_add(&builder, &frame);                   innermost first, inlined calls as frames
 *	signature_make(&builder, program, signal, &signature);
 *
 * The rules are applied in this order:
 *   1. drop frames inside the outermost signal frame, which belong to signal handlers
 *      (signature_restart()), and the signal frame itself if it does not have a name;
 *   2. if there are callers of a Swift async function, drop all other frames outside the innermost
 *      of these callers, because they belong to the runtime that runs tasks, and to the thread;
 *   3. bring names to their normal form (name_form.h);
 *   4. at the outer end, drop functions that start programs and threads, and everything outside of
 *      main();
 *   5. at the inner end, drop functions that report, allocate or copy (name_form.h); keep the
 *      innermost frame if nothing else is left;
 *   6. replace a frame without a name by its module;
 *   7. fold repeated blocks;
 *   8. take the first SIGNATURE_DEPTH names.
 * If none of these frames has a function name, the signature consists of the program, the signal
 * and the addresses of the frames within their modules.
 *
 * The signature also records whether all, some or none of its names are known: a stack without
 * names lacks inlined calls, too, so its signature must never be equal to a signature with names.
 */

enum {
	SIGNATURE_RULES = 2, /* version of the rules; increase it when any rule or list changes */
	SIGNATURE_DEPTH = 8,
	/* number of frames in an address signature, in addition to the program and the signal */
	SIGNATURE_ADDRESSES = 16,
	SIGNATURE_PROGRAM = 15, /* number of significant bytes in the program's name */
	SIGNATURE_NAMES_MAX = SIGNATURE_ADDRESSES + 2,
	/* maximum number of frames per stack; further outer frames are ignored */
	SIGNATURE_FRAMES_MAX = 1 << 14,
	SIGNATURE_TEXT_MAX = SIGNATURE_NAMES_MAX * (NAME_FORM_MAX + 1),
	SIGNATURE_PLACE_MAX = 32, /* maximum size of "+0x" and an offset */
};

/* Tells whether the names in a signature are function names. */
enum signature_names {
	SIGNATURE_ALL,
	SIGNATURE_SOME,
	SIGNATURE_NONE, /* there are no function names, so the signature consists of addresses */
};

struct signature {
	enum signature_names names;
	size_t size;
	char text[SIGNATURE_TEXT_MAX];
};

/* An input frame. Its strings are borrowed during the call and may be empty. */
struct signature_frame {
	struct cairn_bytes function;
	struct cairn_bytes module; /* base name of the module; empty if no module contains the pc */
	struct cairn_bytes build_id;
	bool has_offset;
	uint64_t offset;
	/* true for a call through a null pointer: the pc is near 0 and no module contains it */
	bool is_null;
	bool is_async; /* caller of a Swift async function */
};

struct signature_step;

struct signature_builder {
	struct string_pool texts;
	struct signature_step *steps;
	size_t count, capacity;
	/* must outlive the builder; may be NULL */
	const struct group_rules *rules;
	bool is_cut;        /* outermost frames are missing */
	bool after_handler; /* the first frame was interrupted by a signal */
	bool in_async; /* an async caller has been added; plain frames outside it are dropped */
	bool scarce;   /* an allocation has failed, so signature_make() will fail */
	uint32_t items[SIGNATURE_FRAMES_MAX];
	char form[NAME_FORM_GROWTH * (CAIRN_DEMANGLE_MAX + 1)];
};

/* Begin a stack. Zero-initialize the builder before the first call. */
void signature_begin(struct signature_builder *builder);
void signature_finish(struct signature_builder *builder);

/*
 * Add the caller of the previous frame. A function name may have at most CAIRN_DEMANGLE_MAX bytes.
 */
void signature_add(struct signature_builder *builder, const struct signature_frame *frame);

/*
 * Drop all frames added so far, because they belong to a signal handler. The next frame is the
 * interrupted one.
 */
void signature_restart(struct signature_builder *builder);

/*
 * Compute the signature of the added frames. `program` is a base name. Return false if no frames
 * were added or allocation fails.
 */
bool signature_make(struct signature_builder *builder, struct cairn_bytes program,
                    struct cairn_bytes signal, struct signature *signature);

bool signature_put(struct signature *signature, struct cairn_bytes name);

/*
 * Compute the SHA-256 of a signature's text. The text is preceded by a line with the version of the
 * rules, a blank, and "all", "some" or "none". `rules` may be NULL.
 */
void signature_digest(const struct group_rules *rules, enum signature_names names,
                      struct cairn_bytes text, uint8_t digest[SHA256_SIZE]);

/* Return the ID of a signature: the first 8 bytes of signature_digest() as a number. */
uint64_t signature_id(const struct group_rules *rules, enum signature_names names,
                      struct cairn_bytes text);

const char *signature_names_word(enum signature_names names);

#endif
