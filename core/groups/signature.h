/* SPDX-License-Identifier: MIT */
/*
 * The signature of a crash: a few names that are the same each time a given bug ends a program, so
 * that equal crashes are counted together. It is made from the frames of the thread that crashed:
 *
 *	signature_begin(&builder);
 *	signature_add(&builder, &frame);                   innermost first, inlined calls as frames
 *	signature_make(&builder, program, signal, &signature);
 *
 * The rules, in their order:
 *   1. drop frames above the last signal frame, which belong to a handler (signature_restart()),
 *      and the signal frame itself if it does not have a name;
 *   2. bring names to their normal form (name_form.h);
 *   3. at the outer end, drop functions that start programs and threads, and everything outside of
 *      main();
 *   4. at the inner end, drop functions that report, allocate or copy (frame_lists.h); keep the
 *      innermost frame if nothing else is left;
 *   5. replace a frame without a name by its module;
 *   6. fold repeated blocks (recursion.h);
 *   7. take the first SIGNATURE_DEPTH names.
 * If none of these frames has a function name, the signature consists of the program, the signal
 * and the addresses of the frames within their modules.
 *
 * The signature also records whether all, some or none of its names are known: a stack without
 * names lacks inlined calls too, so it must never be equal to a complete one.
 */
#ifndef CAIRN_GROUPS_SIGNATURE_H
#define CAIRN_GROUPS_SIGNATURE_H

#include <cairn.h>

#include "base/hash.h"
#include "base/table.h"
#include "name_form.h"
#include "rules.h"

enum {
	SIGNATURE_RULES = 1, /* version of the rules; increase it when any rule or list changes */
	SIGNATURE_DEPTH = 8,
	/* Frames in a signature of addresses, which follow the program and the signal. */
	SIGNATURE_ADDRESSES = 16,
	SIGNATURE_PROGRAM = 15, /* significant bytes of the program name */
	SIGNATURE_NAMES_MAX = SIGNATURE_ADDRESSES + 2,
	SIGNATURE_FRAMES_MAX = 1 << 14, /* frames per stack; frames further out are ignored */
	SIGNATURE_TEXT_MAX = SIGNATURE_NAMES_MAX * (NAME_FORM_MAX + 1),
	SIGNATURE_PLACE_MAX = 32, /* bytes of "+0x" and an offset */
};

/* Number of function names among the names of a signature. */
enum signature_names {
	SIGNATURE_ALL,
	SIGNATURE_SOME,
	SIGNATURE_NONE, /* the signature has addresses instead */
};

struct signature {
	enum signature_names names;
	size_t size;
	char text[SIGNATURE_TEXT_MAX]; /* names, each followed by a line feed */
};

/* A frame of the input. Its strings are borrowed during the call and may be empty. */
struct signature_frame {
	struct cairn_bytes function;
	struct cairn_bytes module; /* base name; empty if no module contains the pc */
	struct cairn_bytes build_id;
	bool has_offset;
	uint64_t offset;
	/* No module contains the pc and it is near 0: a call through a null pointer. */
	bool is_null;
};

struct signature_step;

struct signature_builder {
	struct string_pool texts;
	struct signature_step *steps;
	size_t count, room;
	/* Rules of the user, which must outlive the builder, or NULL. */
	const struct group_rules *rules;
	bool is_cut;        /* the stack has more outer frames that were not added */
	bool after_handler; /* the first frame is the one that a signal interrupted */
	bool scarce;        /* memory ran out, so signature_make() fails */
	uint32_t items[SIGNATURE_FRAMES_MAX];
	char form[NAME_FORM_GROWTH * (CAIRN_DEMANGLE_MAX + 1)];
};

/* Begin a stack. Zero-initialize the builder before the first call. */
void signature_begin(struct signature_builder *builder);
void signature_finish(struct signature_builder *builder);

/* Add the next outer frame. A function name may have at most CAIRN_DEMANGLE_MAX bytes. */
void signature_add(struct signature_builder *builder, const struct signature_frame *frame);

/*
 * Drop all frames so far: they belong to a signal handler, and the next frame is the one it
 * interrupted.
 */
void signature_restart(struct signature_builder *builder);

/*
 * Make the signature of the added frames. Return false if no frames were added or memory is short.
 * `program` is a base name.
 */
bool signature_make(struct signature_builder *builder, struct cairn_bytes program,
                    struct cairn_bytes signal, struct signature *signature);

/* Append one name to a signature. Return false if it does not fit. */
bool signature_put(struct signature *signature, struct cairn_bytes name);

/*
 * Compute the SHA-256 of a signature's text, preceded by a line with the version of the rules, a
 * blank, and "all", "some" or "none". `rules` may be NULL.
 */
void signature_digest(const struct group_rules *rules, enum signature_names names,
                      struct cairn_bytes text, uint8_t digest[SHA256_SIZE]);

/* Return the first 8 bytes of signature_digest() as a number, the ID of a signature. */
uint64_t signature_id(const struct group_rules *rules, enum signature_names names,
                      struct cairn_bytes text);

/* Return "all", "some" or "none", a constant. */
const char *signature_names_word(enum signature_names names);

#endif
