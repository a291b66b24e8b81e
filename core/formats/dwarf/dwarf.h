/* SPDX-License-Identifier: MIT */
/*
 * Reads the parts of DWARF 2 to 5 that map code to functions: units, their entries (DIEs), range
 * lists and the line number program. It does not interpret locations or types, and does not follow
 * references. It does not allocate; the caller supplies memory for the abbreviations of a unit.
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
 * Every offset is relative to its section, including the offsets of faults.
 *
 * libdw uses similar names. No function here may have the name of one in libdw, because the linker
 * would then resolve libdw's own calls to ours (tests/house/clashes.sh checks this).
 */
#ifndef CAIRN_FORMATS_DWARF_H
#define CAIRN_FORMATS_DWARF_H

#include "base/reader.h"

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

/* Section contents, decompressed and relocated. The size of an absent section is 0. */
struct dwarf_sections {
	struct cairn_bytes info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists;
	bool big;
};

struct dwarf_unit {
	uint64_t offset, end; /* offsets in .debug_info of the unit's start and end */
	uint64_t first;       /* offset of the unit's first entry */
	uint64_t abbrevs;     /* offset of the unit's abbreviations in .debug_abbrev */
	/* id that a split unit shares with its skeleton unit, or the signature of a type unit */
	uint64_t id;
	uint16_t version;
	uint8_t type;         /* DWARF_UT_...; always DWARF_UT_COMPILE before DWARF 5 */
	uint8_t address_size; /* 4 or 8 */
	uint8_t offset_size;  /* 4 or 8, for 32-bit or 64-bit DWARF */
};

/*
 * Read the unit at *at and move *at past it. Return false at the end, or after damage that hides
 * the start of the next unit, in which case *fault is set. A unit of an unknown version or type has
 * version 0; only its offset and end are valid.
 */
bool dwarf_read_unit(const struct dwarf_sections *sections, uint64_t *at, struct dwarf_unit *unit,
                     struct cairn_fault *fault);

/* 1. Abbreviations */

struct dwarf_spec {
	uint32_t before; /* number of bytes between the previously kept attribute and this one */
	uint16_t name, form;
	uint8_t class;       /* enum dwarf_class of the value */
	uint8_t width, size; /* enum dwarf_width of the value; its size in bytes for WIDTH_FIXED */
	/* index that dwarf_read_places() stores the attribute at; 0 unless the caller sets it */
	uint8_t place;
	/* offset from the entry's first attribute; valid if the abbreviation is `even` */
	uint32_t offset;
	/*
	 * value that is not stored in the entry: for DW_FORM_implicit_const, and 1 for
	 * DW_FORM_flag_present
	 */
	int64_t value;
};

/* A step that skips values: its enum dwarf_width, and the size in bytes for WIDTH_FIXED. */
struct dwarf_step {
	uint32_t kind, size;
};

/* Compact form of an abbreviation, for walks that skip entries. */
struct dwarf_shape {
	uint32_t size; /* total size of the attributes; unused with DWARF_MARK_STEPS */
	uint16_t marks;
	/*
	 * depth change after an entry: 1 if children follow, -1 for code 0, which ends a list of
	 * children
	 */
	int8_t deeper;
};

struct dwarf_abbrev {
	uint64_t code;
	/* slice of dwarf_abbrevs.spec: first element and number of elements */
	uint32_t spec, specs;
	/* slice of dwarf_abbrevs.step: first element and number of elements */
	uint32_t step, steps;
	uint32_t fixed; /* total size of the attributes if `steps` is 0 */
	/* total size of the attributes before DW_AT_sibling; valid if sibling_size is not 0 */
	uint32_t sibling;
	uint16_t tag;
	bool children;
	uint8_t marks;
	/* size of DW_AT_sibling; 0 if it is absent or among the kept attributes */
	uint8_t sibling_size;
	/* size of DW_AT_sibling if it is the last attribute and among the kept ones, otherwise 0 */
	uint8_t last_sibling_size;
	/*
	 * the attributes take `fixed` bytes in total, and all kept ones are numbers of at most 8
	 * bytes
	 */
	bool even;
};

/* Bit mask by which a walk selects the entries at which it stops. */
enum dwarf_mark {
	DWARF_MARK_CODE = 1,     /* a function with code addresses */
	DWARF_MARK_FUNCTION = 2, /* a function that has children */
	DWARF_MARK_INLINED = 4,
	DWARF_MARK_CALL = 8,
	/* an entry whose name qualifies the names of its children, such as a namespace */
	DWARF_MARK_SCOPE = 16,
	DWARF_MARK_STEPS = 32,  /* used only in shapes: the size of the entry varies */
	DWARF_MARK_BLOCK = 64,  /* a lexical block with code addresses */
	DWARF_MARK_INNER = 128, /* used only in shapes: a type or function with DW_AT_sibling */
	DWARF_MARK_ALL = 255,
	DWARF_MARK_TYPE = 256, /* used only in shapes: a type with DW_AT_sibling */
};

struct dwarf_abbrevs {
	struct dwarf_abbrev *abbrev; /* in ascending order of code */
	struct dwarf_spec *spec;
	struct dwarf_step *step;
	/* shapes indexed by code, 0 to `count`; filled in only if `dense` */
	struct dwarf_shape *shape;
	uint32_t count;
	uint32_t widest; /* size in bytes of the largest entry that a shape describes */
	bool dense;      /* the abbreviation codes are 1, 2, 3, ... */
};

/* Array sizes that dwarf_read_abbrevs() needs. */
struct dwarf_abbrev_storage {
	uint32_t abbrevs, specs, steps;
};

enum dwarf_abbrevs_part {
	DWARF_ABBREVS_ALL,
	DWARF_ABBREVS_ROOT, /* read abbreviations up to that of the unit's first entry */
};

/*
 * Return the .debug_abbrev offset of the abbreviation that the unit's first entry uses, or
 * unit->abbrevs if it is not found. Setting unit->abbrevs to the result avoids reading the
 * abbreviations before it.
 */
uint64_t dwarf_find_root_abbrev(const struct dwarf_sections *sections,
                                const struct dwarf_unit *unit);

/*
 * Compute the array sizes for dwarf_read_abbrevs(). In a damaged table, only the abbreviations
 * before the damage are counted. A table may lack its terminator if it ends with the section.
 */
void dwarf_count_abbrevs(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                         enum dwarf_abbrevs_part part, struct dwarf_abbrev_storage *room);

/*
 * Read the abbreviations of a unit. The caller supplies the arrays of *abbrevs with the sizes from
 * dwarf_count_abbrevs(); .shape has one more element than .abbrev. If two abbreviations have the
 * same code, the first one is used. Return CAIRN_UNSUPPORTED if a form is unknown, because entries
 * cannot be delimited then.
 */
CAIRN_MUST_USE enum cairn_status dwarf_read_abbrevs(const struct dwarf_sections *sections,
                                                    const struct dwarf_unit *unit,
                                                    enum dwarf_abbrevs_part part,
                                                    struct dwarf_abbrevs *abbrevs,
                                                    struct cairn_fault *fault);

/* 2. Entries */

/* Iterator over all entries of a unit in file order. */
struct dwarf_entries {
	/* start of .debug_info, current position, and end of the unit */
	const uint8_t *start, *at, *end;
	const struct dwarf_abbrevs *abbrevs;
	struct dwarf_unit unit;
	bool big;
	/* abbreviation of the current entry; NULL if the entry ends a list of children */
	const struct dwarf_abbrev *abbrev;
	const uint8_t *entry;
	const uint8_t *attributes; /* start of the entry's attributes, after its code */
	uint64_t depth;            /* depth of the entry in the tree; the root has 0 */
	uint64_t next_depth;
	/*
	 * Mark of entries whose children are skipped with DW_AT_sibling: DWARF_MARK_INNER,
	 * DWARF_MARK_TYPE, or 0. Set it before reading the first entry.
	 */
	unsigned around;
	struct cairn_fault fault;
};

struct dwarf_entries dwarf_entries(const struct dwarf_sections *sections,
                                   const struct dwarf_unit *unit,
                                   const struct dwarf_abbrevs *abbrevs, uint64_t offset);

/*
 * Move to the next entry. Return false at the end of the unit or its tree, or after damage, which
 * ->fault describes.
 */
bool dwarf_next_entry(struct dwarf_entries *entries);

/*
 * Move to the next entry that has one of these marks. Stop earlier at an entry, or at the end of a
 * list of children, whose depth is below `above`. With above = 0, only marked entries are found.
 */
bool dwarf_next_marked(struct dwarf_entries *entries, unsigned marks, uint64_t above);

/*
 * Skip the children of the current entry. Return the number of bytes that had to be walked over, or
 * 0 if DW_AT_sibling made that unnecessary.
 */
uint64_t dwarf_skip_children(struct dwarf_entries *entries);

/*
 * Bounds in .debug_info of an entry including its descendants. `end` is the start of its sibling.
 */
struct dwarf_extent {
	uint64_t start, end;
};

/*
 * Store the bounds of the next entries with this mark, at any depth below the root, skipping their
 * descendants. Return their number. If it is less than `room`, call dwarf_next_marked() to find out
 * whether another entry follows. *walked is set to the number of bytes read.
 */
size_t dwarf_read_extents(struct dwarf_entries *entries, unsigned mark, struct dwarf_extent *extent,
                          size_t room, uint64_t *walked);

static inline uint64_t dwarf_entry_offset(const struct dwarf_entries *entries)
{
	return (uint64_t)(entries->entry - entries->start);
}

enum dwarf_class {
	/* a value that cairn does not need, such as a block or type signature */
	DWARF_OTHER,
	DWARF_CONSTANT,
	DWARF_ADDRESS,
	DWARF_ADDRESS_INDEX, /* index in the unit's part of .debug_addr */
	DWARF_OFFSET,        /* offset in the section that the attribute's name implies */
	DWARF_LIST_INDEX,    /* index in the unit's part of .debug_rnglists */
	DWARF_REFERENCE,     /* offset in .debug_info */
	DWARF_ALT_REFERENCE, /* offset in .debug_info of the alternate file (.gnu_debugaltlink) */
	DWARF_STRING,        /* inline string, in `text` */
	DWARF_STR,           /* offset in .debug_str */
	DWARF_LINE_STR,      /* offset in .debug_line_str */
	DWARF_ALT_STR,       /* offset in .debug_str of the alternate file */
	DWARF_STR_INDEX,     /* index in the unit's part of .debug_str_offsets */
};

struct dwarf_attribute {
	uint16_t name;
	uint8_t class; /* enum dwarf_class */
	uint64_t number;
	struct cairn_bytes text;
};

/*
 * Iterator over the attributes of one entry, limited to those in enum dwarf_attribute_name. It may
 * omit DW_AT_sibling; use dwarf_skip_children().
 */
struct dwarf_attributes {
	const uint8_t *at, *end;
	const struct dwarf_spec *spec, *specs_end;
	struct dwarf_unit unit;
	bool big;
	bool broken;
};

struct dwarf_attributes dwarf_attributes(const struct dwarf_entries *entries);
bool dwarf_next_attribute(struct dwarf_attributes *attributes, struct dwarf_attribute *attribute);

/*
 * Read the first `count` kept attributes into at[spec->place]. If several have the same place, the
 * last one wins. Return a bit mask of the places that were written; places must be less than 32.
 */
uint32_t dwarf_read_places(const struct dwarf_entries *entries, unsigned count,
                           struct dwarf_attribute *at);

/* 3. Values of attributes */

struct dwarf_bases {
	uint64_t str_offsets, addr, rnglists;
	uint64_t ranges; /* base of offsets in .debug_ranges, for split DWARF before version 5 */
	uint64_t low_pc;
};

/* Read entry `index` of .debug_addr. Return false if it lies outside the section. */
bool dwarf_address(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                   const struct dwarf_bases *bases, uint64_t index, uint64_t *address);

/*
 * Get the string value of an attribute. Return false if the value is not a string or is in the
 * alternate file (DWARF_ALT_STR).
 */
bool dwarf_text(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                const struct dwarf_bases *bases, const struct dwarf_attribute *attribute,
                struct cairn_bytes *text);

/*
 * Iterator over a range list. Ranges are not filtered: they may be empty, reversed, or marked as
 * discarded by the linker.
 */
struct dwarf_ranges {
	const struct dwarf_sections *sections;
	struct dwarf_unit unit;
	struct dwarf_bases bases;
	uint64_t at, base;
	/* the offset is in .debug_rnglists or, before DWARF 5, in .debug_ranges */
	struct cairn_fault fault;
};

/* Open the range list that DW_AT_ranges refers to, as an offset or a DWARF_LIST_INDEX. */
struct dwarf_ranges dwarf_open_ranges(const struct dwarf_sections *sections,
                                      const struct dwarf_unit *unit,
                                      const struct dwarf_bases *bases,
                                      const struct dwarf_attribute *attribute);
bool dwarf_next_range(struct dwarf_ranges *ranges, struct cairn_range *range);

/*
 * Return the highest address that the unit's address size can express. Linkers use it as the
 * address of discarded code.
 */
static inline uint64_t dwarf_highest(const struct dwarf_unit *unit)
{
	return unit->address_size == 4 ? UINT32_MAX : UINT64_MAX;
}

/*
 * Reads .debug_aranges (DWARF 5, section 6.1.2), which maps addresses to units. Compilers may omit
 * it for a unit, so an address that is not found may still belong to one.
 *
 *	struct dwarf_aranges aranges = dwarf_aranges_open(section, big);
 *	struct dwarf_arange range;
 *	while (dwarf_aranges_next(&aranges, &range))
 *		... range.low, range.high, range.unit
 */

struct dwarf_arange {
	uint64_t low, high;
	uint64_t unit; /* .debug_info offset of the unit that covers the range */
};

struct dwarf_aranges {
	struct reader in;
	size_t end;
	uint64_t unit;
	bool wide; /* the current set has 8-byte addresses */
};

struct dwarf_aranges dwarf_aranges_open(struct cairn_bytes section, bool big);

/* Read the next nonempty range. Return false at the end or if a set is damaged. */
bool dwarf_aranges_next(struct dwarf_aranges *aranges, struct dwarf_arange *range);

/* Read the next nonempty range that overlaps `near`. */
bool dwarf_aranges_next_near(struct dwarf_aranges *aranges, struct cairn_range near,
                             struct dwarf_arange *range);

/*
 * Contributions of a unit to the sections of a package file (.dwp), which contains the split units
 * of a program. A missing contribution is empty.
 */
struct dwarf_package_unit {
	struct cairn_range info, abbrev, str_offsets, rnglists;
	/* number of index slots that the search read, whether successful or not */
	uint32_t looked;
};

/*
 * Find a split unit by its id in .debug_cu_index. Return CAIRN_NOT_FOUND if the package does not
 * contain it.
 */
CAIRN_MUST_USE enum cairn_status dwarf_find_in_package(struct cairn_bytes index, bool big,
                                                       uint64_t id, struct dwarf_package_unit *unit,
                                                       struct cairn_fault *fault);

#endif
