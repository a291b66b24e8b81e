/* SPDX-License-Identifier: MIT */
/*
 * Reads symbolizer markup, {{{tag:field:...}}} in log lines (docs/formats/markup.md).
 *
 * A line is split into text, color sequences (SGR) and elements, and an element into its values:
 *
 *	struct markup in = markup_open(line, MARKUP_KEEP);
 *	struct markup_node node;
 *	while (markup_next(&in, &node))
 *		if (node.tag == MARKUP_BT && markup_read_frame(&node, &frame, &damage))
 *			...
 *
 * All strings are borrowed from the line. Nothing is allocated, and no state is kept between lines.
 * The code in markup/ remembers the modules and mappings for later lines, and joins lines: every
 * element ends on the line on which it starts, except a hexdict, which may continue on later lines
 * (MARKUP_OPEN).
 */
#ifndef CAIRN_FORMATS_MARKUP_H
#define CAIRN_FORMATS_MARKUP_H

#include <cairn.h>

/* Treatment of text that starts like an element but is not valid. */
enum markup_rules {
	/*
	 * treat it as plain text, but search again from its second brace, so that in a run of four
	 * or more braces the last three may start an element
	 */
	MARKUP_KEEP,
	/* like llvm-symbolizer: treat everything up to }}} as an element with an invalid tag */
	MARKUP_LLVM,
};

enum markup_kind {
	MARKUP_TEXT,
	MARKUP_SGR,     /* color sequence */
	MARKUP_ELEMENT, /* the tag consists of lower-case letters, but need not be a known one */
	MARKUP_BAD_TAG, /* the tag contains other characters; used only with MARKUP_LLVM */
	MARKUP_OPEN,    /* a hexdict element that does not end on this line */
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
	unsigned sgr; /* MARKUP_SGR: parameter of the sequence: 0 reset, 1 bold, 30 to 37 colors */
	struct cairn_bytes text; /* the complete node, including braces */
	struct cairn_bytes name;
	struct cairn_bytes fields; /* everything between the colon after the tag and }}} */
	/* a colon follows the tag, so there is at least one field, possibly empty */
	bool has_fields;
};

struct markup {
	struct cairn_bytes line;
	enum markup_rules rules;
	size_t at;
	/* bounds of the next element; both are the line size if no more elements follow */
	size_t element, end;
	bool unclosed; /* the rest of the line contains no }}} */
	struct markup_node next;
};

/* Open a line. `line` is borrowed and must not include the line feed. */
struct markup markup_open(struct cairn_bytes line, enum markup_rules rules);
bool markup_next(struct markup *markup, struct markup_node *node);

/*
 * Return the length of the prefix that contains neither {{{ nor ESC and is therefore plain text.
 * However, its last one or two bytes may be braces that start an element together with the
 * following text.
 */
size_t markup_plain_prefix(struct cairn_bytes text);

bool markup_is_space(uint8_t byte);

/* Return true for an element that affects later elements: a module, a mapping or a reset. */
static inline bool markup_is_context(const struct markup_node *node)
{
	return node->kind == MARKUP_ELEMENT && node->tag >= MARKUP_RESET;
}

/* Reason why an element is invalid, and its location in the line. */
struct markup_fault {
	const char *what; /* error message such as "expected an address" */
	/* text of the invalid field; empty if the number of fields is wrong */
	struct cairn_bytes found;
	const uint8_t *where;
};

/* number of fields in the longest element, mmap; further fields are counted but not stored */
enum { MARKUP_FIELDS = 6 };

struct markup_fields {
	size_t count;
	struct cairn_bytes field[MARKUP_FIELDS];
};

void markup_split(const struct markup_node *node, struct markup_fields *fields);

/* Parse a number. Return false if the string is not a number or its value is too large. */
bool markup_address(struct cairn_bytes text, uint64_t *value);
bool markup_integer(struct cairn_bytes text, uint64_t *value);
bool markup_decimal(struct cairn_bytes text, uint64_t *value);

struct markup_module {
	uint64_t id;
	struct cairn_bytes name;
	/* build ID in hexadecimal digits, possibly an odd number, possibly empty */
	struct cairn_bytes build_id;
};

enum { MARKUP_READ = 1, MARKUP_WRITE = 2, MARKUP_EXECUTE = 4 };

struct markup_mmap {
	uint64_t start, size, module, relative;
	unsigned mode;                  /* mask of MARKUP_READ, MARKUP_WRITE and MARKUP_EXECUTE */
	struct cairn_bytes module_text; /* module field as written, for messages */
};

/* Meaning of a frame's address, from the suffix :ra or :pc. */
enum markup_pc {
	MARKUP_PC_UNSPECIFIED,
	MARKUP_PC_RETURN,
	MARKUP_PC_EXACT,
};

/* Contents of a bt, pc or data element. Only bt elements have a frame number. */
struct markup_frame {
	uint64_t number, address;
	enum markup_pc kind;
	struct cairn_bytes address_text;
	struct cairn_bytes message; /* additional fields after the address, joined by colons */
	/*
	 * the only field after the address is neither "ra" nor "pc", so llvm-symbolizer would
	 * reject it
	 */
	bool is_odd;
	size_t fields;
};

/*
 * Convert the hexadecimal digits of a build ID to bytes. Return false if the digits are invalid or
 * do not fit into `capacity` bytes.
 */
bool markup_build_id(struct cairn_bytes digits, uint8_t *bytes, size_t capacity, size_t *size);

/*
 * Read an element, which must have the matching tag. Return false and set *fault if the element is
 * invalid.
 */
bool markup_read_module(const struct markup_node *node, struct markup_module *module,
                        struct markup_fault *fault);
bool markup_read_mmap(const struct markup_node *node, struct markup_mmap *mmap,
                      struct markup_fault *fault);
bool markup_read_frame(const struct markup_node *node, struct markup_frame *frame,
                       struct markup_fault *fault);
bool markup_read_symbol(const struct markup_node *node, struct cairn_bytes *name,
                        struct markup_fault *fault);

/*
 * Iterator over the pairs in a hexdict, whose contents may be supplied in several pieces, for
 * example lines. A word ends at white space or at the end of a piece.
 */
enum { MARKUP_KEY_MAX = 64 }; /* longer keys are truncated */

struct markup_pairs {
	struct cairn_bytes rest;
	uint8_t key[MARKUP_KEY_MAX];
	size_t key_size; /* size of the pending key; 0 if the previous word was not a key */
};

struct markup_pair {
	struct cairn_bytes key; /* borrowed from the iterator until the next pair */
	uint64_t value;
};

/*
 * Continue with the next piece of the dump. If the previous piece ended with a key, this piece
 * starts with the value.
 */
void markup_pairs_feed(struct markup_pairs *pairs, struct cairn_bytes piece);
bool markup_pairs_next(struct markup_pairs *pairs, struct markup_pair *pair);

#endif
