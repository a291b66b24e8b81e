/* SPDX-License-Identifier: MIT */
/*
 * DWARF 2 to 5, as much as is needed to tell which code belongs to which function: units, their
 * entries (DIEs), lists of ranges, and the line number program.  It knows neither locations nor
 * types, follows no reference by itself, and allocates nothing: memory for the abbreviations of a
 * unit is lent by the caller.
 *
 *	struct dwarf_unit unit;
 *	uint64_t at = 0;
 *	while (dwarf_read_unit(&sections, &at, &unit, &fault)) {
 *		... count = dwarf_count_abbrevs(), allocate, dwarf_read_abbrevs()
 *		struct dwarf_entries entries =
 *			dwarf_entries(&sections, &unit, &abbrevs, unit.first);
 *		while (dwarf_next_entry(&entries))
 *			... entries.abbrev->tag, dwarf_attributes(), dwarf_next_attribute()
 *	}
 *
 * Every offset counts from the first byte of its section, and so do those of faults.
 *
 * libdw has names of the same kind; a function here must not be called like one of libdw, or the
 * linker would give ours to the callers of libdw (tests/house/clashes.sh looks).
 */
#ifndef CAIRN_FORMATS_DWARF_H
#define CAIRN_FORMATS_DWARF_H

#include <cairn.h>

enum dwarf_tag {
	DWARF_TAG_ARRAY = 0x01,
	DWARF_TAG_CLASS = 0x02,
	DWARF_TAG_ENUMERATION = 0x04,
	DWARF_TAG_LABEL = 0x0a,
	DWARF_TAG_LEXICAL_BLOCK = 0x0b,
	DWARF_TAG_COMPILE_UNIT = 0x11,
	DWARF_TAG_STRUCTURE = 0x13,
	DWARF_TAG_UNION = 0x17,
	DWARF_TAG_INLINED_SUBROUTINE = 0x1d,
	DWARF_TAG_MODULE = 0x1e,
	DWARF_TAG_SUBPROGRAM = 0x2e,
	DWARF_TAG_VARIABLE = 0x34,
	DWARF_TAG_INTERFACE = 0x38,
	DWARF_TAG_NAMESPACE = 0x39,
	DWARF_TAG_PARTIAL_UNIT = 0x3c,
	DWARF_TAG_CALL_SITE = 0x48,
	DWARF_TAG_SKELETON_UNIT = 0x4a,
	DWARF_TAG_GNU_CALL_SITE = 0x4109,
};

enum dwarf_attribute_name {
	DWARF_AT_SIBLING = 0x01,
	DWARF_AT_NAME = 0x03,
	DWARF_AT_STMT_LIST = 0x10,
	DWARF_AT_LOW_PC = 0x11,
	DWARF_AT_HIGH_PC = 0x12,
	DWARF_AT_LANGUAGE = 0x13,
	DWARF_AT_COMP_DIR = 0x1b,
	DWARF_AT_ABSTRACT_ORIGIN = 0x31,
	DWARF_AT_DECL_FILE = 0x3a,
	DWARF_AT_DECL_LINE = 0x3b,
	DWARF_AT_SPECIFICATION = 0x47,
	DWARF_AT_ENTRY_PC = 0x52,
	DWARF_AT_RANGES = 0x55,
	DWARF_AT_CALL_COLUMN = 0x57,
	DWARF_AT_CALL_FILE = 0x58,
	DWARF_AT_CALL_LINE = 0x59,
	DWARF_AT_LINKAGE_NAME = 0x6e,
	DWARF_AT_STR_OFFSETS_BASE = 0x72,
	DWARF_AT_ADDR_BASE = 0x73,
	DWARF_AT_RNGLISTS_BASE = 0x74,
	DWARF_AT_DWO_NAME = 0x76,
	DWARF_AT_CALL_RETURN_PC = 0x7d,
	DWARF_AT_CALL_ORIGIN = 0x7f,
	DWARF_AT_MIPS_LINKAGE_NAME = 0x2007,
	DWARF_AT_GNU_DWO_NAME = 0x2130,
	DWARF_AT_GNU_DWO_ID = 0x2131,
	DWARF_AT_GNU_RANGES_BASE = 0x2132,
	DWARF_AT_GNU_ADDR_BASE = 0x2133,
	DWARF_AT_LLVM_STMT_SEQUENCE = 0x3e0a,
};

enum dwarf_unit_type {
	DWARF_UT_COMPILE = 1,
	DWARF_UT_TYPE = 2,
	DWARF_UT_PARTIAL = 3,
	DWARF_UT_SKELETON = 4,
	DWARF_UT_SPLIT_COMPILE = 5,
	DWARF_UT_SPLIT_TYPE = 6,
};

/* Plain bytes, decompressed and relocated.  Those that are not there have size 0. */
struct dwarf_sections {
	struct cairn_bytes info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists;
	bool big;
};

struct dwarf_unit {
	uint64_t offset, end; /* of the unit in .debug_info */
	uint64_t first;       /* of its first entry */
	uint64_t abbrevs;     /* in .debug_abbrev */
	uint64_t id;          /* of a split unit or its skeleton, or a type's signature */
	uint16_t version;
	uint8_t type;         /* DWARF_UT_...; before DWARF 5 always DWARF_UT_COMPILE */
	uint8_t address_size; /* 4 or 8 */
	uint8_t offset_size;  /* 4 or 8: DWARF of 32 or 64 bits */
};

/*
 * The unit at *at, which moves after it.  False at the end, and at damage that hides where the
 * next unit is: then *fault is set.  A unit of an unknown version or kind has version 0, and only
 * offset and end are good.
 */
bool dwarf_read_unit(const struct dwarf_sections *sections, uint64_t *at, struct dwarf_unit *unit,
                     struct cairn_fault *fault);

/* 1. Abbreviations */

/* One attribute to read. */
struct dwarf_spec {
	uint32_t before; /* bytes of others that are passed over first */
	uint16_t name, form;
	uint8_t class;       /* DWARF_OTHER, ... */
	uint8_t width, size; /* how many bytes the value has; `size` is for fixed ones */
	uint8_t place;       /* for dwarf_read_places(); 0 unless the caller sets it */
	uint32_t
		offset; /* from the entry's first attribute; good where the abbreviation is `even` */
	int64_t value;  /* of DW_FORM_implicit_const; 1 of DW_FORM_flag_present */
};

/* One move over bytes that nobody wants. */
struct dwarf_step {
	uint32_t kind, size;
};

/* What a walk that wants nothing of an entry needs to know, in few bytes. */
struct dwarf_shape {
	uint32_t size;  /* of all attributes, unless they take steps */
	uint16_t marks; /* DWARF_MARK_... */
	int8_t deeper;  /* 1: children follow; -1: code 0, which ends the children of another one */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t spec, specs; /* first in dwarf_abbrevs.spec, and how many */
	uint32_t step, steps; /* the same with .step */
	uint32_t fixed;       /* bytes of an entry without its code, when steps is 0 */
	uint32_t sibling; /* bytes of attributes before DW_AT_sibling, when it has `sibling_size` */
	uint16_t tag;
	bool children;
	uint8_t marks;             /* DWARF_MARK_... */
	uint8_t sibling_size;      /* 0: it is not there, or among the specs */
	uint8_t last_sibling_size; /* of one among the specs, if it is the entry's last attribute */
	bool even; /* its attributes take `fixed` bytes, and each that is kept is a number of at most 8 */
};

/* What an entry may be of interest for, so that a walk need not stop at the others. */
enum dwarf_mark {
	DWARF_MARK_CODE = 1,     /* a function with addresses */
	DWARF_MARK_FUNCTION = 2, /* one without, but with entries inside */
	DWARF_MARK_INLINED = 4,
	DWARF_MARK_CALL = 8,
	DWARF_MARK_SCOPE = 16,  /* its name qualifies those of the entries inside */
	DWARF_MARK_STEPS = 32,  /* in shapes only: its size is not always the same */
	DWARF_MARK_BLOCK = 64,  /* a scope of variables with addresses */
	DWARF_MARK_INNER = 128, /* in shapes only: a type or function that names its sibling */
	DWARF_MARK_ALL = 255,
	DWARF_MARK_TYPE = 256, /* in shapes only: a type that names its sibling */
};

/* What one unit's abbreviations mean for entries of its shape. */
struct dwarf_abbrevs {
	struct dwarf_abbrev *abbrev; /* ascending by code */
	struct dwarf_spec *spec;
	struct dwarf_step *step;
	struct dwarf_shape *shape; /* by code, 0 to `count`, when `dense` */
	uint32_t count;
	uint32_t widest; /* bytes of the largest shape */
	bool dense;      /* the codes are 1, 2, 3, ... */
};

/* How many of each dwarf_read_abbrevs() may write; .specs grows with what it reads. */
struct dwarf_abbrev_storage {
	uint32_t abbrevs, specs, steps;
};

/* Says how much of the table of a unit is read. */
enum dwarf_abbrevs_part {
	DWARF_ABBREVS_ALL,
	DWARF_ABBREVS_ROOT, /* up to the abbreviation of the unit's first entry */
};

/*
 * Where in .debug_abbrev the abbreviation of the unit's first entry is, so that with unit->abbrevs set to that
 * those before it need not be read; unit->abbrevs as it is when there is none.
 */
uint64_t dwarf_find_root_abbrev(const struct dwarf_sections *sections,
                                const struct dwarf_unit *unit);

/*
 * Room for dwarf_read_abbrevs(); of a damaged table, for what comes before the damage.  The table ends where its section
 * ends, too.
 */
void dwarf_count_abbrevs(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                         enum dwarf_abbrevs_part part, struct dwarf_abbrev_storage *room);

/*
 * The arrays of *abbrevs have at least that room, .shape for one more than .abbrev.  Two of one
 * code: the first counts.  UNSUPPORTED: a form is unknown, so that the unit's entries cannot be told
 * apart.
 */
CAIRN_MUST_USE enum cairn_status dwarf_read_abbrevs(const struct dwarf_sections *sections,
                                                    const struct dwarf_unit *unit,
                                                    enum dwarf_abbrevs_part part,
                                                    struct dwarf_abbrevs *abbrevs,
                                                    struct cairn_fault *fault);

/* 2. Entries */

/* A walk over all entries of a unit in the order they are written. */
struct dwarf_entries {
	const uint8_t *start, *at, *end; /* of .debug_info; the unit's end */
	const struct dwarf_abbrevs *abbrevs;
	struct dwarf_unit unit;
	bool big;
	const struct dwarf_abbrev *abbrev; /* of the entry; NULL: it ends a list of children */
	const uint8_t *entry;              /* where it begins */
	const uint8_t *attributes;         /* after its code */
	uint64_t depth;                    /* of the entry; the unit's own has 0 */
	uint64_t next_depth;
	/* Entries inside of such shapes are passed over: DWARF_MARK_INNER, DWARF_MARK_TYPE, or 0; set before the first entry. */
	unsigned around;
	struct cairn_fault fault;
};

struct dwarf_entries dwarf_entries(const struct dwarf_sections *sections,
                                   const struct dwarf_unit *unit,
                                   const struct dwarf_abbrevs *abbrevs, uint64_t offset);

/* False at the end of the unit or of its tree, and at damage, which ->fault describes. */
bool dwarf_next_entry(struct dwarf_entries *entries);

/*
 * The next entry with one of these marks; or any, also the end of a list, that is at a depth
 * below `above`.  0: only marked ones.
 */
bool dwarf_next_marked(struct dwarf_entries *entries, unsigned marks, uint64_t above);

/*
 * Go on after the children of the entry that was reached.  Returns how many bytes were walked over
 * for that, 0 when the entry names its sibling.
 */
uint64_t dwarf_skip_children(struct dwarf_entries *entries);

/* An entry and those inside of it, from its first byte on; `end` is where its sibling begins. */
struct dwarf_extent {
	uint64_t start, end;
};

/*
 * The next ones with this mark, below the entry that was reached first, passing over what is inside of them; returns how many.
 * Fewer than `room`: dwarf_next_marked() is to find the next one, if there is any.  *walked: bytes that were read.
 */
size_t dwarf_read_extents(struct dwarf_entries *entries, unsigned mark, struct dwarf_extent *extent,
                          size_t room, uint64_t *walked);

static inline uint64_t dwarf_entry_offset(const struct dwarf_entries *entries)
{
	return (uint64_t)(entries->entry - entries->start);
}

enum dwarf_class {
	DWARF_OTHER, /* there, but nothing that describes functions: blocks, signatures */
	DWARF_CONSTANT,
	DWARF_ADDRESS,
	DWARF_ADDRESS_INDEX, /* in .debug_addr */
	DWARF_OFFSET,        /* in a section that the attribute's name implies */
	DWARF_LIST_INDEX,    /* in .debug_rnglists */
	DWARF_REFERENCE,     /* an offset in .debug_info */
	DWARF_ALT_REFERENCE, /* the same of the alternate file */
	DWARF_STRING,        /* `text` */
	DWARF_STR,           /* an offset in .debug_str */
	DWARF_LINE_STR,      /* in .debug_line_str */
	DWARF_ALT_STR,       /* in .debug_str of the alternate file */
	DWARF_STR_INDEX,     /* in .debug_str_offsets */
};

struct dwarf_attribute {
	uint16_t name;
	uint8_t class; /* DWARF_... */
	uint64_t number;
	struct cairn_bytes text;
};

/*
 * Those attributes of one entry that enum dwarf_attribute_name has.  DW_AT_sibling may be missing:
 * dwarf_skip_children() knows.
 */
struct dwarf_attributes {
	const uint8_t *at, *end;
	const struct dwarf_spec *spec, *specs_end;
	struct dwarf_unit unit;
	bool big;
	bool broken; /* stopped because of damage */
};

struct dwarf_attributes dwarf_attributes(const struct dwarf_entries *entries);
bool dwarf_next_attribute(struct dwarf_attributes *attributes, struct dwarf_attribute *attribute);

/*
 * The first `count` of them at once, each to at[its place]; of those with one place the last is
 * left.  A bit for each place that was written, which are below 32.
 */
uint32_t dwarf_read_places(const struct dwarf_entries *entries, unsigned count,
                           struct dwarf_attribute *at);

/* 3. What attributes point to */

/* Where the indices of a unit count from. */
struct dwarf_bases {
	uint64_t str_offsets, addr, rnglists;
	uint64_t ranges; /* added to offsets in .debug_ranges (split DWARF before 5) */
	uint64_t low_pc; /* of the unit */
};

/* False when the index leads out of its section. */
bool dwarf_address(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                   const struct dwarf_bases *bases, uint64_t index, uint64_t *address);

/* The text of a string attribute but DWARF_ALT_STR; false when there is none. */
bool dwarf_text(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                const struct dwarf_bases *bases, const struct dwarf_attribute *attribute,
                struct cairn_bytes *text);

/* A list of ranges.  Pairs come as they are: empty, reversed, and marked as dead ones as well. */
struct dwarf_ranges {
	const struct dwarf_sections *sections; /* that .debug_addr and the list are in */
	struct dwarf_unit unit;
	struct dwarf_bases bases;
	uint64_t at, base;
	struct cairn_fault fault; /* in .debug_rnglists, or before DWARF 5 in .debug_ranges */
};

/* The list that DW_AT_ranges names (an offset, or an index of DWARF_LIST_INDEX). */
struct dwarf_ranges dwarf_open_ranges(const struct dwarf_sections *sections,
                                      const struct dwarf_unit *unit,
                                      const struct dwarf_bases *bases,
                                      const struct dwarf_attribute *attribute);
bool dwarf_next_range(struct dwarf_ranges *ranges, struct cairn_range *range);

/* The highest address that the unit's words hold; linkers put it where code was dropped. */
static inline uint64_t dwarf_highest(const struct dwarf_unit *unit)
{
	return unit->address_size == 4 ? UINT32_MAX : UINT64_MAX;
}

#endif
