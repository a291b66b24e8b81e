/* SPDX-License-Identifier: MIT */
/*
 * Reads DIEs by offset: selected attributes, and names. A DIE may inherit names from the DIEs that
 * it refers to, which may be in the same unit, in another unit, or in the alternate file.
 */
#ifndef CAIRN_DEBUGINFO_DIES_H
#define CAIRN_DEBUGINFO_DIES_H

#include "debuginfo/string_store.h"
#include "formats/dwarf/dwarf.h"

struct dies_units {
	struct dwarf_unit *unit;
	size_t count, capacity;
	uint64_t read;
};

struct dies_file {
	struct dwarf_sections sections;
	struct dies_units units;
	const struct dies_file *alt;
	/*
	 * flag to set when a unit missing from a partial list is needed; NULL if all units are
	 * listed
	 */
	bool *missed;
};

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
	/* number of attributes above, and the index in die.at that all other attributes share */
	DIES_ATTRIBUTES,
};

struct die {
	struct dwarf_attribute at[DIES_ATTRIBUTES + 1];
	uint32_t has;
	uint16_t tag;
};

static inline bool die_has(const struct die *die, enum dies_attribute attribute)
{
	return die->has >> attribute & 1;
}

/* A DIE whose name may qualify the names of its descendants. */
struct dies_scope {
	uint32_t start, end; /* offsets from the start of the unit */
	/* index of the first direct child, and number of direct children; valid if is_read */
	uint32_t inner, inners;
	bool is_read;
};

struct dies_unit {
	const struct dies_file *file;
	struct dwarf_unit unit;
	struct dwarf_bases bases;
	struct die root;
	struct dwarf_abbrevs abbrevs;
	struct dwarf_abbrev_storage capacity;
	size_t shape_capacity;
	/* scopes found so far; scope[0], if created, is the unit itself */
	struct dies_scope *scope;
	size_t scopes, scope_capacity;
	uint64_t used;
	enum dwarf_abbrevs_part part;
	struct budget *budget;
};

enum {
	DIES_UNITS = 8,       /* number of units to cache besides the main one */
	DIES_NAMES = 1 << 12, /* capacity of the name cache; a power of two */
	DIES_LENGTHS = 1 << 14,
	DIES_FEW = 1 << 8, /* capacity of both caches if only few functions are read */
	/*
	 * number of `names` elements per flag in names_written; together they occupy about a page
	 */
	DIES_NAMES_PART = 1 << 5,
	DIES_LENGTHS_PART = 1 << 9,
	DIES_SPECS = 64,       /* attribute capacity per DIE; compilers write fewer than 30 */
	DIES_CHAIN_MAX = 16,   /* maximum number of DIEs in a chain of references */
	DIES_NESTING_MAX = 64, /* maximum number of scopes in a qualified name */
	DIES_SCOPES_MAX = 0x7fffffff,
};

struct dies_names {
	const struct dies_file *file;
	uint64_t offset;
	struct cairn_bytes linkage;
	uint32_t path_size;           /* size of the path appended by dies_add_path(), or 0 */
	struct cairn_bytes name;      /* unqualified name; may be read later, see dies_name() */
	struct cairn_bytes qualified; /* name with its scopes; valid if has_qualified */
	const struct dies_file *late_file;
	uint64_t late; /* offset of the first DIE with DW_AT_name in the chain of references */
	const struct dies_file *last_file;
	/* offset of the last DIE in the chain of references: the declaration, if there is one */
	uint64_t last;
	uint64_t decl_line;
	uint64_t decl_file;
	bool has_decl_file, has_qualified, has_path;
	bool has_late_name;
	bool lost; /* a name or DIE is missing because the file that contains it was not found */
	/* the DIE is a namespace without DW_AT_name */
	bool is_anonymous;
};

struct dies_length {
	uint32_t offset, size;
};

struct dies {
	struct string_store *texts;
	const struct dies_file *program;
	struct dies_length *lengths;
	struct dies_unit main;
	struct dies_unit other[DIES_UNITS];
	struct dies_names *names;
	uint32_t name_capacity, length_capacity;
	/*
	 * Flags that mark the initialized parts of `names` and `lengths`. Other parts must not be
	 * read, because they are not cleared, to save time.
	 */
	bool names_written[DIES_NAMES / DIES_NAMES_PART];
	bool lengths_written[DIES_LENGTHS / DIES_LENGTHS_PART];
	uint64_t clock;
	struct budget *budget;
};

/*
 * Initialize a reader. `program` is the file whose units are read, and must outlive the reader.
 * Reading draws from the budget of `texts`; an exhausted budget counts as a failed allocation.
 * `few` selects small caches.
 */
bool dies_init(struct dies *dies, struct string_store *texts, const struct dies_file *program,
               bool few);
void dies_finish(struct dies *dies);

/*
 * List all units. *fault reports damage after the last readable unit. Returns false if allocation
 * fails.
 */
bool dies_read_units(struct dies_file *file, struct budget *budget, struct cairn_fault *fault);

/* List more units, up to the first one that ends at or after `until`. */
bool dies_read_units_until(struct dies_file *file, uint64_t until, struct budget *budget,
                           struct cairn_fault *fault);

/*
 * Append the unit at `offset`, which must follow all units listed so far. Returns false if no unit
 * starts there.
 */
bool dies_add_unit(struct dies_file *file, uint64_t offset, struct budget *budget);
void dies_free_units(struct dies_file *file);

/*
 * Load a unit into `loaded`. Returns UNSUPPORTED if it uses unknown attribute forms. Fault offsets
 * are relative to .debug_info or, for abbreviations, to .debug_abbrev; *where is set to the name of
 * that section.
 */
CAIRN_MUST_USE enum cairn_status dies_load(struct dies_unit *loaded, const struct dies_file *file,
                                           const struct dwarf_unit *unit, struct cairn_fault *fault,
                                           const char **where);
void dies_unload(struct dies_unit *loaded);

/* Load only the root of a unit. This is faster because abbreviations of other DIEs are not read. */
CAIRN_MUST_USE enum cairn_status dies_load_root(struct dies_unit *loaded,
                                                const struct dies_file *file,
                                                const struct dwarf_unit *unit,
                                                struct cairn_fault *fault, const char **where);

void dies_read(const struct dwarf_entries *entries, struct die *die);

struct cairn_bytes dies_text(const struct dies_unit *unit, const struct dwarf_attribute *attribute);

/* Prefetch the cached names of a DIE that will be needed soon. */
void dies_names_soon(const struct dies *dies, const struct dies_file *file, uint64_t offset);

/*
 * Return the names of the DIE at `offset`, or NULL if no DIE starts there. Valid until the next
 * call.
 */
struct dies_names *dies_names_at(struct dies *dies, const struct dies_file *file, uint64_t offset);

/*
 * Return DW_AT_name, or an empty string. The attribute is read on demand because it is seldom
 * needed if there is a linkage name.
 */
struct cairn_bytes dies_name(struct dies *dies, struct dies_names *names);

bool dies_follow(const struct dies_unit *unit, const struct dwarf_attribute *reference,
                 const struct dies_file **file, uint64_t *offset);

/*
 * Set *qualified to the DIE's name with its scopes, in C++ notation, or to an empty string if the
 * DIE has no name. If the name of a scope is missing, only the DIE's own name is used, because a
 * partial path would name another entity. Returns false if allocation fails.
 */
bool dies_qualify(struct dies *dies, struct dies_names *names, struct cairn_bytes *qualified);

/*
 * Append the qualified name of a Rust DIE to its linkage name, or to its plain name, in the format
 * of function_path(). Appends nothing if the linkage name already contains the qualified name, as
 * `_ZN1a1b17h0123456789abcdefE` contains a::b. Returns false if allocation fails.
 */
bool dies_add_path(struct dies *dies, struct dies_names *names);

/*
 * Sets of languages, including all their versions. DIES_CPLUSPLUS also includes languages that
 * qualify names with `::`.
 */
enum dies_languages { DIES_C, DIES_CPLUSPLUS, DIES_RUST };

bool dies_is_in(uint64_t language, enum dies_languages set);

static inline uint64_t dies_language(const struct die *root)
{
	return die_has(root, DIES_LANGUAGE) ? root->at[DIES_LANGUAGE].number : 0;
}

#define DIES_ANONYMOUS "(anonymous namespace)"

/* Store a component of a qualified name, with `<lambda()>` changed to `{lambda()}`. */
bool dies_store_part(struct string_store *texts, struct cairn_bytes part, struct cairn_bytes *kept);

/*
 * Return the bases for a unit without base attributes. The tables of a split unit, for example,
 * begin after the first header in their section.
 */
struct dwarf_bases dies_default_bases(const struct dwarf_unit *unit);

enum { DIE_RANGE_BYTES = 4 }; /* number of range list bytes that cost one step of the work budget */

/* Read an address attribute. Returns false if it is missing or its index is out of range. */
bool die_address(const struct dies_unit *unit, const struct die *die, enum dies_attribute which,
                 uint64_t *address);

/* Read DW_AT_low_pc and DW_AT_high_pc, which may be encoded as an offset from DW_AT_low_pc. */
bool die_pc_bounds(const struct dies_unit *unit, const struct die *die, struct cairn_range *range);

/*
 * Return true if DW_AT_ranges refers to a range list, by offset or by index. Before DWARF 4, the
 * offset had the form of a plain number.
 */
bool die_has_range_list(const struct die *die);

/*
 * Return true if the DIE's code overlaps one of `count` ranges. Returns false if unit->budget is
 * exhausted.
 */
bool die_touches(const struct dies_unit *unit, const struct die *die,
                 const struct cairn_range *asked, size_t count);

#endif
