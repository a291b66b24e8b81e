/* SPDX-License-Identifier: MIT */
/*
 * Symbolizer markup: {{{tag:field:...}}} in the lines of a log, after docs/formats/markup.md.
 *
 * One line is split into text, colours (SGR) and elements, and an element into its values:
 *
 *	struct markup in = markup_open(line, MARKUP_KEEP);
 *	struct markup_node node;
 *	while (markup_next(&in, &node))
 *		if (node.tag == MARKUP_BT && markup_read_frame(&node, &frame, &damage))
 *			...
 *
 * All that comes out is borrowed from the line; nothing is allocated and nothing remembered.  What
 * modules and mappings mean for the lines after them is the business of markup/, as is the joining
 * of lines: an element ends on its line, and only the dump of a hexdict goes on (MARKUP_OPEN).
 */
#ifndef CAIRN_FORMATS_MARKUP_H
#define CAIRN_FORMATS_MARKUP_H

#include <cairn.h>

/* How elements that are none are read. */
enum markup_rules {
	MARKUP_KEEP, /* all of it is text, and its second brace may begin an element */
	MARKUP_LLVM, /* as llvm-symbolizer: up to }}} it is an element with a bad tag */
};

enum markup_kind {
	MARKUP_TEXT,
	MARKUP_SGR,     /* one of the ten colours */
	MARKUP_ELEMENT, /* with a tag of lower-case letters, known or not */
	MARKUP_BAD_TAG, /* of other characters; with MARKUP_LLVM only */
	MARKUP_OPEN,    /* a hexdict that does not end on this line, up to the line's end */
};

enum markup_tag {
	MARKUP_UNKNOWN,
	MARKUP_SYMBOL,
	MARKUP_PC,
	MARKUP_DATA,
	MARKUP_BT,
	MARKUP_HEXDICT,
	MARKUP_DUMPFILE,
	MARKUP_RESET,
	MARKUP_MODULE,
	MARKUP_MMAP,
};

struct markup_node {
	enum markup_kind kind;
	enum markup_tag tag;
	unsigned sgr;              /* of a colour: 0 reset, 1 bold, 30 to 37 */
	struct cairn_bytes text;   /* all of it, with braces */
	struct cairn_bytes name;   /* the tag */
	struct cairn_bytes fields; /* between the colon and }}} */
	bool has_fields;           /* there is a colon: at least one field, be it empty */
};

struct markup {
	struct cairn_bytes line;
	enum markup_rules rules;
	size_t at;           /* of what comes next */
	size_t element, end; /* of the next element; the line's size when there is none */
	bool unclosed;       /* no }}} is ahead */
	struct markup_node next;
};

/* `line` is lent, without its line feed. */
struct markup markup_open(struct cairn_bytes line, enum markup_rules rules);
bool markup_next(struct markup *markup, struct markup_node *node);

/*
 * How many bytes from the beginning hold neither {{{ nor ESC: they are text whatever follows,
 * except that braces at the very end may become an element with what follows.
 */
size_t markup_plain_prefix(struct cairn_bytes text);

/* Is it blank, tab or the like? */
bool markup_is_space(uint8_t byte);

/* Modules, mappings and resets: what changes the meaning of the elements after them. */
static inline bool markup_is_context(const struct markup_node *node)
{
	return node->kind == MARKUP_ELEMENT && node->tag >= MARKUP_RESET;
}

/* Why an element cannot be used, and where in the line. */
struct markup_fault {
	const char *what;         /* "expected an address" */
	struct cairn_bytes found; /* empty for wrong numbers of fields */
	const uint8_t *where;
};

enum { MARKUP_FIELDS = 6 }; /* of the longest element, mmap; more are only counted */

struct markup_fields {
	size_t count;
	struct cairn_bytes field[MARKUP_FIELDS];
};

void markup_split(const struct markup_node *node, struct markup_fields *fields);

/* The numbers of the format.  False when the text is none, or does not fit. */
bool markup_address(struct cairn_bytes text, uint64_t *value);
bool markup_integer(struct cairn_bytes text, uint64_t *value);
bool markup_decimal(struct cairn_bytes text, uint64_t *value);

struct markup_module {
	uint64_t id;
	struct cairn_bytes name;
	struct cairn_bytes build_id; /* as hexadecimal digits, an odd count too; may be empty */
};

enum { MARKUP_READ = 1, MARKUP_WRITE = 2, MARKUP_EXECUTE = 4 };

struct markup_mmap {
	uint64_t start, size, module, relative;
	unsigned mode;                  /* MARKUP_READ and so on */
	struct cairn_bytes module_text; /* for messages */
};

/* What the address of a frame is. */
enum markup_pc {
	MARKUP_PC_UNSPECIFIED, /* not given */
	MARKUP_PC_RETURN,      /* :ra */
	MARKUP_PC_EXACT,       /* :pc */
};

/* What a bt, a pc and a data element say; only bt has a number. */
struct markup_frame {
	uint64_t number, address;
	enum markup_pc kind;
	struct cairn_bytes address_text;
	struct cairn_bytes message; /* all fields that are neither ra nor pc, with their colons */
	bool is_odd;                /* llvm-symbolizer refuses the last field */
	size_t fields;              /* as they are */
};

/* The bytes of a build ID; false when `room` is too small or the digits are none. */
bool markup_build_id(struct cairn_bytes digits, uint8_t *bytes, size_t room, size_t *size);

/* False: the element cannot be used, *fault gives the reason.  `node` has the tag that is asked for. */
bool markup_read_module(const struct markup_node *node, struct markup_module *module,
                        struct markup_fault *fault);
bool markup_read_mmap(const struct markup_node *node, struct markup_mmap *mmap,
                      struct markup_fault *fault);
bool markup_read_frame(const struct markup_node *node, struct markup_frame *frame,
                       struct markup_fault *fault);
bool markup_read_symbol(const struct markup_node *node, struct cairn_bytes *name,
                        struct markup_fault *fault);

/*
 * The pairs of a hexdict, which may come in pieces: lines, or what is between the braces of one.
 * Words are split at white space, and end where a piece ends.
 */
enum { MARKUP_KEY_MAX = 64 }; /* longer keys are cut */

struct markup_pairs {
	struct cairn_bytes rest;
	uint8_t key[MARKUP_KEY_MAX];
	size_t key_size; /* 0: the word before was not a key */
};

struct markup_pair {
	struct cairn_bytes key; /* borrowed from the pairs, until the next one */
	uint64_t value;
};

/* Go on with this piece; the last word of the one before may have been a key. */
void markup_pairs_feed(struct markup_pairs *pairs, struct cairn_bytes piece);
bool markup_pairs_next(struct markup_pairs *pairs, struct markup_pair *pair);

#endif
