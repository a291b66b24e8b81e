/* SPDX-License-Identifier: MIT */
/*
 * Reads the parts of DWARF 2 to 5 that map code to functions: units, their entries (DIEs), range
 * lists and line number programs. It does not interpret locations or types, and does not follow
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
 * All offsets, including the offsets in faults, are relative to the start of their section.
 *
 * libdw uses similar names. A function with the same name as one in libdw would also be used by
 * libdw itself, because the linker resolves libdw's own calls to ours. tests/house/clashes.sh
 * checks that no names clash.
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

/* Section contents, decompressed and relocated. Absent sections are empty. */
struct dwarf_sections {
	struct cairn_bytes info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists;
	bool big;
};

struct dwarf_unit {
	uint64_t offset, end;
	uint64_t first;   /* offset of the first entry in .debug_info */
	uint64_t abbrevs; /* offset of the abbreviations in .debug_abbrev */
	/* ID of a split unit and its skeleton unit, or the signature of a type unit */
	uint64_t id;
	uint16_t version;
	uint8_t type;         /* DWARF_UT_...; always DWARF_UT_COMPILE before DWARF 5 */
	uint8_t address_size; /* 4 or 8 */
	uint8_t offset_size;  /* 4 or 8, for 32-bit or 64-bit DWARF */
};

/*
 * Read the unit at *at and advance *at past it. Return false at the end. If damage hides the start
 * of the next unit, return false and set *fault. Units of an unknown version or type get version 0;
 * only their offset and end are valid.
 */
bool dwarf_read_unit(const struct dwarf_sections *sections, uint64_t *at, struct dwarf_unit *unit,
                     struct cairn_fault *fault);

struct dwarf_spec {
	uint32_t before; /* number of bytes between the previous kept attribute and this one */
	uint16_t name, form;
	uint8_t class; /* enum dwarf_class */
	/* `width` is an enum dwarf_width, `size` the size in bytes for WIDTH_FIXED */
	uint8_t width, size;
	/*
	 * index of the element in which dwarf_read_places() stores the value; set by the caller,
	 * initially 0
	 */
	uint8_t place;
	/* offset from the entry's first attribute; valid if the abbreviation's `even` is set */
	uint32_t offset;
	/*
	 * value that is stored in the abbreviation (DW_FORM_implicit_const), or 1 for
	 * DW_FORM_flag_present
	 */
	int64_t value;
};

/*
 * Step for skipping values. `kind` is an enum dwarf_width, `size` the size in bytes for
 * WIDTH_FIXED.
 */
struct dwarf_step {
	uint32_t kind, size;
};

/* Compact copy of an abbreviation for walks that skip entries. */
struct dwarf_shape {
	uint32_t size; /* total size of the attributes; unused if DWARF_MARK_STEPS is set */
	uint16_t marks;
	/*
	 * change in depth after the entry: 1 if children follow, -1 for code 0, which ends a list
	 * of children, otherwise 0
	 */
	int8_t deeper;
};

struct dwarf_abbrev {
	uint64_t code;
	/* first element and number of elements in dwarf_abbrevs.spec and dwarf_abbrevs.step */
	uint32_t spec, specs;
	uint32_t step, steps;
	uint32_t fixed; /* total size of the attributes if `steps` is 0 */
	/* total size of the attributes before DW_AT_sibling; valid if sibling_size is not 0 */
	uint32_t sibling;
	uint16_t tag;
	bool children;
	uint8_t marks;
	/* size of DW_AT_sibling; 0 if it is absent or kept as an attribute */
	uint8_t sibling_size;
	/* size of DW_AT_sibling if it is kept and the last attribute, otherwise 0 */
	uint8_t last_sibling_size;
	/* the attributes have a fixed total size (`fixed`), and all kept attributes are integers */
	bool even;
};

/* Bits that describe an entry. A walk stops at entries that have one of the requested bits. */
enum dwarf_mark {
	DWARF_MARK_CODE = 1,
	DWARF_MARK_FUNCTION = 2,
	DWARF_MARK_INLINED = 4,
	DWARF_MARK_CALL = 8,
	/* entry whose name qualifies its children's names, for example a namespace */
	DWARF_MARK_SCOPE = 16,
	DWARF_MARK_STEPS = 32, /* set only in shapes: the size of the entry varies */
	DWARF_MARK_BLOCK = 64,
	DWARF_MARK_INNER = 128, /* set only in shapes: type or function with DW_AT_sibling */
	DWARF_MARK_ALL = 255,
	DWARF_MARK_TYPE = 256, /* set only in shapes: type with DW_AT_sibling */
};

struct dwarf_abbrevs {
	struct dwarf_abbrev *abbrev; /* sorted by code */
	struct dwarf_spec *spec;
	struct dwarf_step *step;
	/* indexed by code, 0 to `count`; valid only if `dense` */
	struct dwarf_shape *shape;
	uint32_t count;
	uint32_t widest; /* maximum total size of the attributes that a shape describes, in bytes */
	bool dense;      /* the abbreviation codes are 1, 2, 3, ... */
};

struct dwarf_abbrev_storage {
	uint32_t abbrevs, specs, steps;
};

enum dwarf_abbrevs_part {
	DWARF_ABBREVS_ALL,
	DWARF_ABBREVS_ROOT, /* stop after the abbreviation of the unit's first entry */
};

/*
 * Return the .debug_abbrev offset of the abbreviation for the unit's first entry, or unit->abbrevs
 * if it is not found. Assign the result to unit->abbrevs to avoid reading earlier abbreviations.
 */
uint64_t dwarf_find_root_abbrev(const struct dwarf_sections *sections,
                                const struct dwarf_unit *unit);

/*
 * Compute the array sizes that dwarf_read_abbrevs() needs. In a damaged table, count only the
 * abbreviations before the damage. A table that ends with the section may lack its terminator.
 */
void dwarf_count_abbrevs(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                         enum dwarf_abbrevs_part part, struct dwarf_abbrev_storage *storage);

/*
 * Read the abbreviations of a unit. The caller supplies the arrays of *abbrevs with the sizes from
 * dwarf_count_abbrevs(); .shape has one more element than .abbrev. If two abbreviations have the
 * same code, the first one wins. Return CAIRN_UNSUPPORTED for an unknown form, because the size of
 * its values is unknown.
 */
CAIRN_MUST_USE enum cairn_status dwarf_read_abbrevs(const struct dwarf_sections *sections,
                                                    const struct dwarf_unit *unit,
                                                    enum dwarf_abbrevs_part part,
                                                    struct dwarf_abbrevs *abbrevs,
                                                    struct cairn_fault *fault);

struct dwarf_entries {
	/* start of .debug_info, current position, and end of the unit */
	const uint8_t *start, *at, *end;
	const struct dwarf_abbrevs *abbrevs;
	struct dwarf_unit unit;
	bool big;
	/* abbreviation of the current entry, or NULL if code 0 ends a list of children */
	const struct dwarf_abbrev *abbrev;
	const uint8_t *entry;
	const uint8_t *attributes;
	uint64_t depth; /* 0 for the root */
	uint64_t next_depth;
	/*
	 * mark of the entries whose children are skipped with DW_AT_sibling: DWARF_MARK_INNER,
	 * DWARF_MARK_TYPE, or 0; the caller sets it before reading the first entry
	 */
	unsigned around;
	struct cairn_fault fault;
};

struct dwarf_entries dwarf_entries(const struct dwarf_sections *sections,
                                   const struct dwarf_unit *unit,
                                   const struct dwarf_abbrevs *abbrevs, uint64_t offset);

/*
 * Move to the next entry. Return false at the end of the unit or of the entry tree. After damage,
 * return false and set entries->fault.
 */
bool dwarf_next_entry(struct dwarf_entries *entries);

/*
 * Move to the next entry that has one of these marks. Also stop as soon as the depth is below
 * `above`, at an entry or at the end of a list of children. If `above` is 0, stop only at marked
 * entries.
 */
bool dwarf_next_marked(struct dwarf_entries *entries, unsigned marks, uint64_t above);

/*
 * Skip the descendants of the current entry. Return the number of bytes that had to be parsed, or 0
 * if DW_AT_sibling made that unnecessary.
 */
uint64_t dwarf_skip_children(struct dwarf_entries *entries);

/* Bounds in .debug_info of an entry with its descendants. `end` is the start of its sibling. */
struct dwarf_extent {
	uint64_t start, end;
};

/*
 * Store the extents of the next entries with this mark, at any depth below the root, skipping their
 * descendants. Return the number of extents. If this number is less than `capacity`, call
 * dwarf_next_marked() to find out whether another marked entry follows. Set *walked to the number
 * of bytes parsed between the extents.
 */
size_t dwarf_read_extents(struct dwarf_entries *entries, unsigned mark, struct dwarf_extent *extent,
                          size_t capacity, uint64_t *walked);

static inline uint64_t dwarf_entry_offset(const struct dwarf_entries *entries)
{
	return (uint64_t)(entries->entry - entries->start);
}

enum dwarf_class {
	/* any other value, which cairn does not need, for example a block or a type signature */
	DWARF_OTHER,
	DWARF_CONSTANT,
	DWARF_ADDRESS,
	DWARF_ADDRESS_INDEX, /* index in the unit's contribution to .debug_addr */
	DWARF_OFFSET,        /* offset in the section to which the attribute refers */
	DWARF_LIST_INDEX,    /* index in the unit's contribution to .debug_rnglists */
	DWARF_REFERENCE,
	DWARF_ALT_REFERENCE, /* offset in .debug_info of the alternate file (.gnu_debugaltlink) */
	DWARF_STRING,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_ALT_STR,   /* offset in .debug_str of the alternate file */
	DWARF_STR_INDEX, /* index in the unit's contribution to .debug_str_offsets */
};

struct dwarf_attribute {
	uint16_t name;
	uint8_t class;
	uint64_t number;
	struct cairn_bytes text;
};

/*
 * Iterator over those attributes of one entry whose names are in enum dwarf_attribute_name. It may
 * omit DW_AT_sibling; use dwarf_skip_children() instead.
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
 * Read the first `count` kept attributes into at[spec->place]. If several attributes have the same
 * `place`, the last one wins. Return a bit mask of the elements written; it has 32 bits, so each
 * `place` must be less than 32.
 */
uint32_t dwarf_read_places(const struct dwarf_entries *entries, unsigned count,
                           struct dwarf_attribute *at);

struct dwarf_bases {
	uint64_t str_offsets, addr, rnglists;
	uint64_t ranges; /* base of .debug_ranges offsets in split DWARF before version 5 */
	uint64_t low_pc;
};

/*
 * Read entry `index` of the unit's addresses in .debug_addr. Return false if it lies outside the
 * section.
 */
bool dwarf_address(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                   const struct dwarf_bases *bases, uint64_t index, uint64_t *address);

/*
 * Get the string value of an attribute. Return false if the value is not a string or is stored in
 * the alternate file (DWARF_ALT_STR).
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
	/* fault.offset is relative to .debug_rnglists or, before DWARF 5, .debug_ranges */
	struct cairn_fault fault;
};

/* Open the range list that DW_AT_ranges refers to, by offset or by index (DWARF_LIST_INDEX). */
struct dwarf_ranges dwarf_open_ranges(const struct dwarf_sections *sections,
                                      const struct dwarf_unit *unit,
                                      const struct dwarf_bases *bases,
                                      const struct dwarf_attribute *attribute);
bool dwarf_next_range(struct dwarf_ranges *ranges, struct cairn_range *range);

/* Return the highest address for the unit's address size. Linkers assign it to discarded code. */
static inline uint64_t dwarf_highest(const struct dwarf_unit *unit)
{
	return unit->address_size == 4 ? UINT32_MAX : UINT64_MAX;
}

/*
 * Reads .debug_aranges (DWARF 5, section 6.1.2), which maps addresses to units. Compilers may omit
 * units from the table, so an address that is not in it may still belong to a unit.
 *
 *	struct dwarf_aranges aranges = dwarf_aranges_open(section, big);
 *	struct dwarf_arange range;
 *	while (dwarf_aranges_next(&aranges, &range))
 *		... range.low, range.high, range.unit
 */

struct dwarf_arange {
	uint64_t low, high;
	uint64_t unit; /* .debug_info offset of the unit */
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

/* Like dwarf_aranges_next(), but return only ranges that overlap `near`. */
bool dwarf_aranges_next_near(struct dwarf_aranges *aranges, struct cairn_range near,
                             struct dwarf_arange *range);

/*
 * A unit's contributions to the sections of a package file (.dwp), which contains the split units
 * of a program. Missing contributions are empty.
 */
struct dwarf_package_unit {
	struct cairn_range info, abbrev, str_offsets, rnglists;
	/* number of hash table slots read during the search, set even if the unit was not found */
	uint32_t looked;
};

/*
 * Find a split unit by id in .debug_cu_index. Return CAIRN_NOT_FOUND if the package does not
 * contain the unit.
 */
CAIRN_MUST_USE enum cairn_status dwarf_find_in_package(struct cairn_bytes index, bool big,
                                                       uint64_t id, struct dwarf_package_unit *unit,
                                                       struct cairn_fault *fault);

#endif
