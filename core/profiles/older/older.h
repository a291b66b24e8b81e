/* SPDX-License-Identifier: MIT */
/*
 * Messages of OpenTelemetry's profiles from before stacks had a table, which are made messages of 1.11:
 *
 *	1.5, 1.6  each profile has tables of its own
 *	1.7       the message has a dictionary; a profile has a list of locations, of which samples take pieces
 *
 * Tables are joined, with their place 0 for none, which those versions do not have. A profile of several types of values becomes several.
 * Flags of mappings and locations, and comments, become the attributes that stand for those of pprof.
 *
 *	tables.c    items of tables and of the list of stacks
 *	messages.c  samples, profiles, and what they are in
 *	comments.c  of 1.8, which has stacks and no other difference that is made here
 */
#ifndef CAIRN_PROFILES_OLDER_OLDER_H
#define CAIRN_PROFILES_OLDER_OLDER_H

#include "base/wire_buffer.h"
#include "formats/otlp/otlp.h"

enum {
	OLDER_TYPES_MAX = 64,                /* of values of one profile */
	OLDER_STACK_LOCATIONS_MAX = 1 << 26, /* of all stacks together */
	OLDER_UNITS_MAX = 256,               /* of attributes, of one list of tables */
	OLDER_BYTES_MAX = 1 << 30,           /* of the message that is made */
	OLDER_UNITS = OTLP_STACK + 1,        /* the table that 1.11 does not have */
	OLDER_TABLES,
};

/* Texts that are in the new dictionary before all others; attributes of the flags have the same numbers. */
enum older_text {
	OLDER_HAS_FUNCTIONS = 1,
	OLDER_HAS_FILENAMES,
	OLDER_HAS_LINE_NUMBERS,
	OLDER_HAS_INLINE_FRAMES,
	OLDER_IS_FOLDED,
	OLDER_COMMENT,
	OLDER_TEXTS,
	OLDER_FLAGS = OLDER_COMMENT,
};

struct older {
	struct byte_buffer dictionary; /* the new one */
	uint64_t made[OLDER_TABLES];   /* how many items each of its tables has */
	/* the tables that are read: where their items are in the new ones, and how many there are */
	uint64_t base[OLDER_TABLES], count[OLDER_TABLES];
	struct cairn_bytes *texts; /* of them */
	size_t text_room;
	struct {
		uint64_t key, unit; /* texts of them */
	} units[OLDER_UNITS_MAX];
	size_t unit_count;
	uint64_t *locations; /* the list of the profile */
	size_t location_count, location_room;
	uint64_t stack_locations;               /* of all stacks so far */
	struct byte_buffer item, part, numbers; /* what is being made */
	bool no_memory;
	const char *why; /* it cannot be read; NULL: it can */
};

void older_begin(struct older *o);
void older_finish(struct older *o);

/* The next field; at damage it says so. */
bool older_next(struct older *o, struct cairn_bytes *body, struct wire_field *part);

/* Puts the messages in field 2 of a scope or a resource anew, by `put`, and copies all else, into *to, which is emptied first. */
void older_put_level(struct older *o, struct cairn_bytes body, struct byte_buffer *to,
                     void (*put)(void *context, struct cairn_bytes body), void *context);

/* Where an item of a table that is read is in the new one; 0: there is none. */
uint64_t older_move(const struct older *o, unsigned table, uint64_t number);

/* The numbers of a field, moved, as field `number` of *b. */
void older_put_moved(struct older *o, struct byte_buffer *b, uint32_t number,
                     const struct wire_field *part, unsigned table);

/* Adds the tables of a message: table[n] is the table that its field n holds, below `fields`; 0: none. */
void older_add_tables(struct older *o, struct cairn_bytes body, const uint8_t *table,
                      uint32_t fields);

/* Adds a stack of locations of the list. */
void older_add_stack(struct older *o, uint64_t first, uint64_t count);

/* Adds the texts of a field of comments to the values in o->part. */
void older_add_comment_texts(struct older *o, const struct wire_field *part);

/* Adds an attribute to the dictionary, whose name is text number `key`, with these values. */
void older_put_comments(struct older *o, uint64_t key);

/* How the making of a message has ended. */
enum cairn_status older_conclude(const struct older *o, const struct byte_buffer *out,
                                 struct cairn_fault *fault);

/*
 * Makes a message of `version`, 1.5 or 1.7, one of 1.11 in *out, which the caller frees. MALFORMED; UNSUPPORTED: a limit is
 * exceeded; NO_MEMORY.
 */
CAIRN_MUST_USE enum cairn_status older_translate(struct cairn_bytes bytes,
                                                 enum otlp_version version, struct byte_buffer *out,
                                                 struct cairn_fault *fault);

/*
 * Makes comments of a message of 1.8 attributes, as older_translate() does, in a message of 1.8 again. MALFORMED, UNSUPPORTED or
 * NO_MEMORY, likewise.
 */
CAIRN_MUST_USE enum cairn_status older_move_comments(struct cairn_bytes bytes,
                                                     struct byte_buffer *out,
                                                     struct cairn_fault *fault);

#endif
