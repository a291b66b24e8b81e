/* SPDX-License-Identifier: MIT */
/*
 * Reads entries of DWARF by their offset: what a few attributes say, and the names that an entry has by
 * itself or through the entries it refers to, in its own unit, another one, or the alternate file.
 */
#ifndef CAIRN_DEBUGINFO_DWARF_DIES_H
#define CAIRN_DEBUGINFO_DWARF_DIES_H

#include "debuginfo/budget/string_store.h"
#include "formats/dwarf/dwarf.h"

/* Units of one .debug_info, ascending. */
struct dies_units {
	struct dwarf_unit *unit;
	size_t count, room;
	uint64_t read; /* where the list is to go on */
};

/* One file's sections and units. */
struct dies_file {
	struct dwarf_sections sections;
	struct dies_units units;
	const struct dies_file *alt; /* its alternate file, or NULL */
	bool *missed;                /* set where a unit is not in the list; NULL: all are in it */
};

/* What an entry states about itself.  */
enum dies_attribute {
	DIES_NAME,
	DIES_LINKAGE_NAME,
	DIES_LOW,
	DIES_HIGH,
	DIES_RANGES,
	DIES_ENTRY,
	DIES_ORIGIN,
	DIES_SPECIFICATION,
	DIES_CALL_FILE,
	DIES_CALL_LINE,
	DIES_CALL_COLUMN,
	DIES_CALL_RETURN,
	DIES_CALL_ORIGIN,
	DIES_DECL_FILE,
	DIES_DECL_LINE,
	DIES_SEQUENCE,
	DIES_LINES,
	DIES_COMP_DIR,
	DIES_LANGUAGE,
	DIES_STR_OFFSETS_BASE,
	DIES_ADDR_BASE,
	DIES_LISTS_BASE,
	DIES_RANGES_BASE,
	DIES_DWO_NAME,
	DIES_DWO_ID,
	DIES_ATTRIBUTES, /* none of these */
};

struct die {
	struct dwarf_attribute at[DIES_ATTRIBUTES + 1]; /* the last one is nobody's */
	uint32_t has;                                   /* bit n: at[n] is there */
	uint16_t tag;
};

static inline bool die_has(const struct die *die, enum dies_attribute attribute)
{
	return die->has >> attribute & 1;
}

/* An entry that may hold others by whose name it is qualified. */
struct dies_scope {
	uint32_t start, end;    /* from the unit's start */
	uint32_t inner, inners; /* those right inside, once they were read */
	bool is_read;
};

/* A unit made ready to read. */
struct dies_unit {
	const struct dies_file *file; /* NULL: nothing is loaded */
	struct dwarf_unit unit;
	struct dwarf_bases bases;
	struct die root;
	struct dwarf_abbrevs abbrevs;
	struct dwarf_abbrev_storage room;
	size_t shape_room;
	struct dies_scope *scope; /* the first one, when any was asked for, is the unit's own */
	size_t scopes, scope_room;
	uint64_t used;                /* when the cache last returned it */
	enum dwarf_abbrevs_part part; /* of its abbreviations that was read */
	struct budget *budget;
};

enum {
	DIES_UNITS = 8,           /* loaded beside the one that is read */
	DIES_NAMES = 1 << 12,     /* remembered; a power of two */
	DIES_LENGTHS = 1 << 14,   /* remembered; a power of two */
	DIES_FEW = 1 << 8,        /* of both, where a few functions are read */
	DIES_NAMES_PART = 1 << 5, /* of which is noted whether one was written: about a page */
	DIES_LENGTHS_PART = 1 << 9,
	DIES_SPECS = 64, /* attributes of an entry that are looked at; compilers write below 30 */
	DIES_CHAIN_MAX = 16,          /* entries that refer to each other */
	DIES_NESTING_MAX = 64,        /* names before a qualified one */
	DIES_SCOPES_MAX = 0x7fffffff, /* of one unit, which is no larger than 4 GB */
};

/* What an entry is called. */
struct dies_names {
	const struct dies_file *file;
	uint64_t offset;
	struct cairn_bytes linkage;   /* empty: it has none */
	uint32_t path_size;           /* see dies_add_path() */
	struct cairn_bytes name;      /* see dies_name() */
	struct cairn_bytes qualified; /* when it was asked for */
	const struct dies_file *late_file;
	uint64_t late; /* the entry in the chain with DW_AT_name */
	const struct dies_file *last_file;
	uint64_t last;      /* the end of the chain: where the entry is declared */
	uint64_t decl_line; /* 0: not known */
	uint64_t decl_file;
	bool has_decl_file, has_qualified, has_path;
	bool has_late_name; /* `name` was not looked up yet */
	bool lost;          /* a name or an entry is mentioned, but is in no file that is there */
	bool is_anonymous;  /* a namespace without DW_AT_name, not one whose name is lost */
};

/* How long a text of .debug_str is. */
struct dies_length {
	uint32_t offset, size; /* offset 0: not used */
};

/* The state of one reader. */
struct dies {
	struct string_store *texts;
	const struct dies_file *program;
	struct dies_length *lengths; /* of texts of the program; length_room of them */
	struct dies_unit main;
	struct dies_unit other[DIES_UNITS];
	struct dies_names *names; /* name_room of them */
	uint32_t name_room, length_room;
	/* a part that was never written is not read either: table_memory.h explains it */
	bool names_written[DIES_NAMES / DIES_NAMES_PART];
	bool lengths_written[DIES_LENGTHS / DIES_LENGTHS_PART];
	uint64_t clock;
	struct budget *budget;
};

/*
 * `program` is the file whose units are read, and outlives the reader.  All that is read is drawn
 * from the budget of `texts`: where this is used up, it is as if memory were short.
 */
bool dies_init(struct dies *dies, struct string_store *texts, const struct dies_file *program,
               bool few);
void dies_finish(struct dies *dies);

/* All units of a file.  *fault reports damage after the last one; false: memory is short. */
bool dies_read_units(struct dies_file *file, struct budget *budget, struct cairn_fault *fault);

/* The next ones, up to the first that ends at `until` or after it. */
bool dies_read_units_until(struct dies_file *file, uint64_t until, struct budget *budget,
                           struct cairn_fault *fault);

/* The one at `offset` alone, which is to be after those that are in the list.  False: it is not one. */
bool dies_add_unit(struct dies_file *file, uint64_t offset, struct budget *budget);
void dies_free_units(struct dies_file *file);

/* The unit that holds `offset`, or NULL. */
const struct dwarf_unit *dies_unit_at(const struct dies_file *file, uint64_t offset);

/*
 * Makes `loaded` that unit.  UNSUPPORTED: it has forms that we do not know.  What is wrong with its
 * abbreviations is an offset in .debug_abbrev (*where is set to that name), else in .debug_info.
 */
CAIRN_MUST_USE enum cairn_status dies_load(struct dies_unit *loaded, const struct dies_file *file,
                                           const struct dwarf_unit *unit, struct cairn_fault *fault,
                                           const char **where);
void dies_unload(struct dies_unit *loaded);

/* The same for the root alone, which is faster: abbreviations of other entries are not read. */
CAIRN_MUST_USE enum cairn_status dies_load_root(struct dies_unit *loaded,
                                                const struct dies_file *file,
                                                const struct dwarf_unit *unit,
                                                struct cairn_fault *fault, const char **where);

/*
 * The unit that holds an entry, loaded, until a few others have been; NULL when there is none or
 * it is damaged.
 */
struct dies_unit *dies_loaded(struct dies *dies, const struct dies_file *file, uint64_t offset);

/* The attributes of the entry that was reached. */
void dies_read(const struct dwarf_entries *entries, struct die *die);

/* A text attribute, also one of the alternate file; false when what it refers to is not there. */
bool dies_find_text(const struct dies_unit *unit, const struct dwarf_attribute *attribute,
                    struct cairn_bytes *text);

/* The same; empty when there is none. */
struct cairn_bytes dies_text(const struct dies_unit *unit, const struct dwarf_attribute *attribute);

/* These names will be asked for, but not at once. */
void dies_names_soon(const struct dies *dies, const struct dies_file *file, uint64_t offset);

/* The names of the entry at `offset` of a file; lent until the next call.  NULL: there is none. */
struct dies_names *dies_names_at(struct dies *dies, const struct dies_file *file, uint64_t offset);

/* DW_AT_name, which is seldom asked for where there is a linkage name; empty: it has none. */
struct cairn_bytes dies_name(struct dies *dies, struct dies_names *names);

/* Where a reference leads; false when it leads nowhere. */
bool dies_follow(const struct dies_unit *unit, const struct dwarf_attribute *reference,
                 const struct dies_file **file, uint64_t *offset);

/*
 * The name by which C++ distinguishes an entry from others, with the names around it.  Where one of these
 * is lost it is the entry's own name alone: half of a path would be the name of something else.
 * Empty when it has none.  False: memory is short.
 */
bool dies_qualify(struct dies *dies, struct dies_names *names, struct cairn_bytes *qualified);

/*
 * Puts the qualified name of an entry of Rust behind its linkage name, or its plain one, as function_path() has it,
 * unless the linkage name shows it: `_ZN1a1b17h0123456789abcdefE` is a::b.  False: memory is short.
 */
bool dies_add_path(struct dies *dies, struct dies_names *names);

/* Languages of whatever year; C++ and what qualifies names by `::` as it does. */
enum dies_languages { DIES_C, DIES_CPLUSPLUS, DIES_RUST };

bool dies_is_in(uint64_t language, enum dies_languages set);

/* Returns the language of the unit that begins with this entry; 0: the entry names none. */
static inline uint64_t dies_language(const struct die *root)
{
	return die_has(root, DIES_LANGUAGE) ? root->at[DIES_LANGUAGE].number : 0;
}

/* What compilers and debuggers write for a namespace that has no name. */
#define DIES_ANONYMOUS "(anonymous namespace)"

/* One part of a qualified name: `<lambda()>` becomes `{lambda()}`. */
bool dies_store_part(struct string_store *texts, struct cairn_bytes part, struct cairn_bytes *kept);

/* Without a base the tables of a split unit begin after their first header. */
struct dwarf_bases dies_default_bases(const struct dwarf_unit *unit);

enum { DIE_RANGE_BYTES = 4 }; /* of a list, that are read in one step */

/* An address attribute; false when it is not there, or its index leads nowhere. */
bool die_address(const struct dies_unit *unit, const struct die *die, enum dies_attribute which,
                 uint64_t *address);

/* DW_AT_low_pc and DW_AT_high_pc, which is an address or counts from the first. */
bool die_pc_bounds(const struct dies_unit *unit, const struct die *die, struct cairn_range *range);

/* Before DWARF 4 an offset in a section was written as a number. */
bool die_has_range_list(const struct die *die);

/* Does the entry's code touch one of `count` ranges?  False as well when unit->budget is used up. */
bool die_touches(const struct dies_unit *unit, const struct die *die,
                 const struct cairn_range *asked, size_t count);

#endif
