/* SPDX-License-Identifier: MIT */
/*
 * The signature of a crash: few names that are the same each time that one bug ends a program, so that equal crashes are
 * counted together.  It is made of the frames of the thread that crashed:
 *
 *	signature_begin(&builder);
 *	signature_add(&builder, &frame);                   innermost first, inlined calls as frames
 *	signature_make(&builder, program, signal, &signature);
 *
 * The rules, in their order:
 *   1. frames above the last signal frame are those of a handler, and go (signature_restart()), with that frame itself if it has
 *      no name;
 *   2. names get their normal form (name_form.h);
 *   3. at the outer end what starts programs and threads goes, and what is outside of main();
 *   4. at the inner end what reports, allocates or copies goes (frame_lists.h); if nothing is left, the innermost frame stays;
 *   5. a frame without a name is its module;
 *   6. what repeats stays once (recursion.h);
 *   7. the first SIGNATURE_DEPTH names are the signature.
 * If no function's name is among these frames, the signature is program, signal, and addresses of frames in their modules.
 *
 * How many of the names are known is part of the signature: a stack that lacks names lacks inlined calls too, and is never
 * taken for a complete one.
 */
#ifndef CAIRN_GROUPS_SIGNATURE_H
#define CAIRN_GROUPS_SIGNATURE_H

#include <cairn.h>

#include "base/sha256.h"
#include "base/table/string_pool.h"
#include "name_form.h"
#include "rules.h"

enum {
	SIGNATURE_RULES = 1, /* the version of all that decides about a signature */
	SIGNATURE_DEPTH = 8, /* names */
	/* Frames of a signature of addresses, which has program and signal before them. */
	SIGNATURE_ADDRESSES = 16,
	SIGNATURE_PROGRAM = 15, /* bytes of the name of the program that count */
	SIGNATURE_NAMES_MAX = SIGNATURE_ADDRESSES + 2,
	SIGNATURE_FRAMES_MAX = 1 << 14, /* of a stack; what is outside of them is not known */
	SIGNATURE_TEXT_MAX = SIGNATURE_NAMES_MAX * (NAME_FORM_MAX + 1),
	SIGNATURE_PLACE_MAX = 32, /* bytes of an offset with a plus sign before it */
};

/* How many of the names are those of functions. */
enum signature_names {
	SIGNATURE_ALL,
	SIGNATURE_SOME,
	SIGNATURE_NONE, /* it has addresses */
};

struct signature {
	enum signature_names names;
	size_t size;                   /* of `text` */
	char text[SIGNATURE_TEXT_MAX]; /* each name with a line feed after it */
};

/* A frame as the input has it; the texts are borrowed during the call, and may be empty. */
struct signature_frame {
	struct cairn_bytes function;
	struct cairn_bytes module;   /* the last part of its path; empty: the pc is in none */
	struct cairn_bytes build_id; /* hexadecimal digits */
	bool has_offset;
	uint64_t offset; /* from the start of the module */
	bool is_null;    /* no module, and an address near 0: a call of a null pointer */
};

struct signature_step;

struct signature_builder {
	struct string_pool texts;
	struct signature_step *steps;
	size_t count, room;
	const struct group_rules *rules; /* of the user, which live as long; NULL: none */
	bool is_cut;                     /* the stack has more frames outside of these */
	bool after_handler;              /* the first frame is what a signal handler returned to */
	bool scarce;                     /* memory was short: there is no signature */
	uint32_t items[SIGNATURE_FRAMES_MAX];
	char form[NAME_FORM_GROWTH * (CAIRN_DEMANGLE_MAX + 1)];
};

/* Begins a stack; the first time, the builder is all zeros. */
void signature_begin(struct signature_builder *builder);
void signature_finish(struct signature_builder *builder);

/* Adds a frame.  A function's name has at most CAIRN_DEMANGLE_MAX bytes. */
void signature_add(struct signature_builder *builder, const struct signature_frame *frame);

/* The next frame is what a signal handler returns to: the frames so far go. */
void signature_restart(struct signature_builder *builder);

/* Returns false if there are no frames, or memory is short.  `program` is the last part of its path. */
bool signature_make(struct signature_builder *builder, struct cairn_bytes program,
                    struct cairn_bytes signal, struct signature *signature);

/* Puts one name at the end of a signature; false: there is no room for it. */
bool signature_put(struct signature *signature, struct cairn_bytes name);

/*
 * The SHA-256 of a signature's text with a line before it, which has the version of the rules, a blank, and "all", "some" or
 * "none".  `rules` may be NULL.
 */
void signature_digest(const struct group_rules *rules, enum signature_names names,
                      struct cairn_bytes text, uint8_t digest[SHA256_SIZE]);

/* The number by which a signature is known: the first 8 bytes of that. */
uint64_t signature_id(const struct group_rules *rules, enum signature_names names,
                      struct cairn_bytes text);

/* "all", "some" or "none", a constant. */
const char *signature_names_word(enum signature_names names);

#endif
