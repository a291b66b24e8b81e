/* SPDX-License-Identifier: MIT */
/*
 * Reads ELF files (System V gABI, chapters 4 and 5):
 *
 *	file     = header ... (program header)[phnum] ... (section header)[shnum]
 *	header   = "\177ELF" class order version ... type machine version entry phoff shoff flags
 *	           ehsize phentsize phnum shentsize shnum shstrndx
 *
 * A count that does not fit into its 16-bit field is stored in section header 0.
 */
#include "elf.h"

#include "base/bytes.h"
#include "base/machine.h"
#include "base/reader.h"
#include "base/sort.h"

#include <string.h>

enum {
	MAGIC = 4,
	CLASS_32 = 1,
	CLASS_64 = 2,
	ORDER_LITTLE = 1,
	ORDER_BIG = 2,
	MANY_SEGMENTS = 0xffff, /* PN_XNUM: the count is stored in section header 0 */
	MANY_NAMES = 0xffff,    /* SHN_XINDEX: the index is stored in section header 0 */
	/*
	 * maximum number of segments; core files have one per mapping, and administrators can raise
	 * the kernel's limit on mappings
	 */
	MAX_SEGMENTS = 1 << 20,
	MAX_SECTIONS = 1 << 20,
	/* maximum length of a section name; bounds the search for the terminating NUL */
	MAX_NAME = 4096,
};

static size_t segment_size(const struct elf *elf)
{
	return elf->wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
}

static size_t section_size(const struct elf *elf)
{
	return elf->wide ? ELF_SECTION_WIDE : ELF_SECTION_NARROW;
}

bool elf_has_magic(struct cairn_bytes bytes)
{
	return bytes.size >= MAGIC && memcmp(bytes.data, "\177ELF", MAGIC) == 0;
}

static void read_identity(struct reader *in, struct elf *elf)
{
	if (!elf_has_magic(reader_bytes(in, MAGIC)) && reader_ok(in))
		reader_fail(in, CAIRN_MALFORMED, "not an ELF file");
	uint8_t class = reader_u8(in);
	if (class != CLASS_32 && class != CLASS_64)
		reader_fail(in, CAIRN_UNSUPPORTED, "neither a 32-bit nor a 64-bit ELF file");
	elf->wide = class == CLASS_64;
	uint8_t order = reader_u8(in);
	if (order != ORDER_LITTLE && order != ORDER_BIG)
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown byte order in the ELF header");
	elf->big = in->big = order == ORDER_BIG;
	reader_skip(in, 10); /* version, ABI, padding */
}

static void read_header(struct reader *in, struct elf *elf)
{
	read_identity(in, elf);
	elf->type = reader_u16(in);
	elf->machine = reader_u16(in);
	reader_u32(in);
	elf->entry = reader_word(in, elf->wide);
	elf->segments_at = reader_word(in, elf->wide);
	elf->sections_at = reader_word(in, elf->wide);
	reader_u32(in);
	reader_u16(in);
	uint16_t segment = reader_u16(in);
	elf->segments = reader_u16(in);
	if (elf->segments && segment != segment_size(elf))
		reader_fail(in, CAIRN_UNSUPPORTED, "program headers have an unexpected size");
	uint16_t section = reader_u16(in);
	elf->sections = reader_u16(in);
	if (elf->sections && section != section_size(elf))
		reader_fail(in, CAIRN_UNSUPPORTED, "section headers have an unexpected size");
	elf->names = reader_u16(in);
}

static bool open_at(const struct elf *elf, uint64_t offset, uint64_t size, struct reader *in)
{
	struct cairn_bytes item;
	if (!bytes_slice(elf->bytes, offset, size, &item))
		return false;
	*in = reader_open(item, elf->big);
	return true;
}

/* Read counts and indices that do not fit into 16 bits from section header 0. */
static void read_extended_counts(struct elf *elf)
{
	struct elf_section first;
	bool hidden = elf->sections == 0 && elf->sections_at != 0;

	if (!hidden && elf->segments != MANY_SEGMENTS && elf->names != MANY_NAMES)
		return;
	elf->sections = hidden ? 1 : elf->sections;
	bool have = elf_section(elf, 0, &first);
	if (hidden)
		elf->sections = have && first.size <= MAX_SECTIONS ? (uint32_t)first.size : 0;
	if (elf->segments == MANY_SEGMENTS) {
		elf->uncounted = !have || first.info > MAX_SEGMENTS;
		elf->segments = elf->uncounted ? MANY_SEGMENTS : first.info;
	}
	if (elf->names == MANY_NAMES && have)
		elf->names = first.link;
}

enum cairn_status elf_open(struct cairn_bytes bytes, struct elf *elf, struct cairn_fault *fault)
{
	struct elf result = { .bytes = bytes };
	struct reader in = reader_open(bytes, false);

	read_header(&in, &result);
	if (!reader_ok(&in)) {
		*fault = in.fault;
		return in.fault.status;
	}
	read_extended_counts(&result);
	*elf = result;
	return CAIRN_OK;
}

enum cairn_machine elf_machine(const struct elf *elf)
{
	return machine_of_elf(elf->machine, elf->wide);
}

static bool find_table_item(uint64_t table, uint32_t index, size_t size, uint64_t *offset)
{
	*offset = table + (uint64_t)index * size;
	return *offset >= table;
}

bool elf_segment(const struct elf *elf, uint32_t index, struct elf_segment *segment)
{
	struct reader in;
	struct elf_segment s = { 0 };
	uint64_t offset;

	if (index >= elf->segments ||
	    !find_table_item(elf->segments_at, index, segment_size(elf), &offset) ||
	    !open_at(elf, offset, segment_size(elf), &in))
		return false;
	s.type = reader_u32(&in);
	if (elf->wide)
		s.flags = reader_u32(&in);
	s.offset = reader_word(&in, elf->wide);
	s.va = reader_word(&in, elf->wide);
	reader_word(&in, elf->wide); /* physical address */
	s.file_size = reader_word(&in, elf->wide);
	s.memory_size = reader_word(&in, elf->wide);
	if (!elf->wide)
		s.flags = reader_u32(&in);
	s.align = reader_word(&in, elf->wide);
	*segment = s;
	return true;
}

static struct cairn_bytes find_section_names(const struct elf *elf)
{
	struct elf_section names;

	if (elf->names == 0 || !elf_section(elf, elf->names, &names))
		return (struct cairn_bytes){ elf->bytes.data, 0 };
	return elf_section_bytes(elf, &names);
}

static struct cairn_bytes read_section_name(const struct elf *elf, uint32_t at)
{
	struct cairn_bytes text = find_section_names(elf), none = { elf->bytes.data, 0 };

	if (at > text.size || !bytes_slice(text, at, text.size - at, &text))
		return none;
	text.size = text.size < MAX_NAME ? text.size : MAX_NAME;
	struct reader in = reader_open(text, elf->big);
	struct cairn_bytes name = reader_string(&in);
	return reader_ok(&in) ? name : none;
}

/* Read a section header, except for the name, which requires the section name table. */
static bool read_section(const struct elf *elf, uint32_t index, struct elf_section *section,
                         uint32_t *name)
{
	struct reader in;
	struct elf_section s = { .index = index };
	uint64_t offset;

	if (index >= elf->sections ||
	    !find_table_item(elf->sections_at, index, section_size(elf), &offset) ||
	    !open_at(elf, offset, section_size(elf), &in))
		return false;
	*name = reader_u32(&in);
	s.type = reader_u32(&in);
	s.flags = reader_word(&in, elf->wide);
	s.va = reader_word(&in, elf->wide);
	s.offset = reader_word(&in, elf->wide);
	s.size = reader_word(&in, elf->wide);
	s.link = reader_u32(&in);
	s.info = reader_u32(&in);
	s.alignment = reader_word(&in, elf->wide);
	s.entry_size = reader_word(&in, elf->wide);
	s.name = (struct cairn_bytes){ elf->bytes.data, 0 };
	*section = s;
	return true;
}

bool elf_section(const struct elf *elf, uint32_t index, struct elf_section *section)
{
	uint32_t name;

	if (!read_section(elf, index, section, &name))
		return false;
	if (index != elf->names)
		section->name = read_section_name(elf, name);
	return true;
}

/*
 * Set *at to the offset of a section's name in the section name table. Return false if the section
 * header lies outside the file.
 */
static bool find_name_of_section(const struct elf *elf, uint32_t index, uint32_t *at)
{
	struct cairn_bytes header;
	uint64_t offset;

	if (!find_table_item(elf->sections_at, index, section_size(elf), &offset) ||
	    !bytes_slice(elf->bytes, offset, section_size(elf), &header))
		return false;
	*at = bytes_u32(header.data, elf->big);
	return true;
}

/*
 * Callers search the same file for a dozen sections, so for speed compare the names first, and read
 * a complete header only if its name matches.
 */
bool elf_find_section(const struct elf *elf, const char *name, struct elf_section *section)
{
	const struct cairn_bytes names = find_section_names(elf);
	const size_t size = strlen(name) + 1;
	uint32_t at;

	for (uint32_t i = 1; i < elf->sections && find_name_of_section(elf, i, &at); i++)
		if (i != elf->names && size <= MAX_NAME && at <= names.size &&
		    names.size - at >= size && memcmp(names.data + at, name, size) == 0)
			return elf_section(elf, i, section);
	return false;
}

bool elf_find_section_of_type(const struct elf *elf, uint32_t type, struct elf_section *section)
{
	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, section) && section->type == type)
			return true;
	return false;
}

bool elf_has_one_text(const struct elf *elf)
{
	enum { CODE = ELF_SHF_ALLOC | ELF_SHF_EXECUTE };
	struct elf_section section;
	unsigned texts = 0;

	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, &section) && (section.flags & CODE) == CODE)
			texts += section.size > 0;
	return texts < 2;
}

struct cairn_bytes elf_section_bytes(const struct elf *elf, const struct elf_section *section)
{
	struct cairn_bytes bytes;

	if (section->type == ELF_SHT_NOBITS ||
	    !bytes_slice(elf->bytes, section->offset, section->size, &bytes))
		return (struct cairn_bytes){ elf->bytes.data, 0 };
	return bytes;
}

struct cairn_bytes elf_segment_bytes(const struct elf *elf, const struct elf_segment *segment)
{
	struct cairn_bytes bytes;

	if (!bytes_slice(elf->bytes, segment->offset, segment->file_size, &bytes))
		return (struct cairn_bytes){ elf->bytes.data, 0 };
	return bytes;
}

bool elf_by_clang(const struct elf *elf)
{
	static const char word[] = "clang version";
	/*
	 * each compiler appends one line, so .comment is short, and searching its first bytes
	 * suffices
	 */
	enum { SIZE = sizeof(word) - 1, LOOK_MAX = 1 << 16 };
	struct elf_section section;
	struct cairn_bytes text = { NULL, 0 };

	if (elf_find_section(elf, ".comment", &section))
		text = elf_section_bytes(elf, &section);
	for (size_t i = 0; i + SIZE <= text.size && i < LOOK_MAX; i++)
		if (memcmp(text.data + i, word, SIZE) == 0)
			return true;
	return false;
}

bool elf_unwinds(const struct elf *elf)
{
	static const char *const names[] = { ".eh_frame", ".debug_frame", ".sframe" };
	struct elf_section section;
	struct elf_segment segment;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (elf_find_section(elf, names[i], &section))
			return true;
	/*
	 * Sections may have other names, but the program itself finds its unwind table through
	 * PT_GNU_EH_FRAME. objcopy leaves that segment empty when it removes the section, so an
	 * empty segment does not count.
	 */
	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++)
		if (segment.type == ELF_PT_GNU_EH_FRAME && segment.file_size > 0)
			return true;
	return false;
}

/*
 * Lists the file ranges that identify a file (headers, tables, notes, .comment), so that a caller
 * can read them without the rest of the file.
 */

enum step {
	STEP_HEADER,
	STEP_FIRST,
	STEP_SEGMENTS,
	STEP_SECTIONS,
	STEP_NAMES,
	STEP_NOTES,
	STEP_REST
};

static struct cairn_range clip_to_file(struct cairn_bytes bytes, uint64_t offset, uint64_t size)
{
	if (offset >= bytes.size)
		return (struct cairn_range){ 0, 0 };
	uint64_t left = bytes.size - offset;
	return (struct cairn_range){ offset, offset + (size < left ? size : left) };
}

static struct cairn_range names_part(const struct elf *elf)
{
	struct elf_section names;

	if (elf->names == 0 || !elf_section(elf, elf->names, &names))
		return (struct cairn_range){ 0, 0 };
	return clip_to_file(elf->bytes, names.offset, names.size);
}

static struct cairn_range table_part(const struct elf *elf, enum step step)
{
	const uint64_t segment = elf->wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	const uint64_t section = elf->wide ? ELF_SECTION_WIDE : ELF_SECTION_NARROW;

	switch (step) {
	case STEP_FIRST:
		return clip_to_file(elf->bytes, elf->sections_at, section);
	case STEP_SEGMENTS:
		return clip_to_file(elf->bytes, elf->segments_at, elf->segments * segment);
	case STEP_SECTIONS:
		return clip_to_file(elf->bytes, elf->sections_at, elf->sections * section);
	case STEP_NAMES:
		return names_part(elf);
	case STEP_HEADER:
	case STEP_NOTES:
	case STEP_REST:
		break;
	}
	return (struct cairn_range){ 0, 0 };
}

/*
 * Limit a range to the size that elf_build_id() searches in one note section or segment. The same
 * limit applies to .comment.
 */
static struct cairn_range clip_run(const struct elf *elf, uint64_t offset, uint64_t size)
{
	return clip_to_file(elf->bytes, offset, size < ELF_NOTES_SIZE ? size : ELF_NOTES_SIZE);
}

static bool next_note_segment(const struct elf *elf, struct elf_parts *parts,
                              struct cairn_range *part)
{
	struct elf_segment s;

	while (parts->runs < ELF_NOTES_RUNS && elf_segment(elf, parts->index, &s)) {
		parts->index++;
		parts->runs += s.type == ELF_PT_NOTE;
		*part = clip_run(elf, s.offset, s.file_size);
		if (s.type == ELF_PT_NOTE && part->low < part->high)
			return true;
	}
	return false;
}

static bool next_section(const struct elf *elf, struct elf_parts *parts, struct cairn_range *part)
{
	struct elf_section s;

	while (parts->index < elf->sections) {
		bool there = elf_section(elf, parts->index++, &s);
		bool notes = there && s.type == ELF_SHT_NOTE && parts->runs < ELF_NOTES_RUNS;
		if (!notes && !(there && bytes_are(s.name, ".comment") && !parts->comment))
			continue;
		parts->runs += notes;
		parts->comment = parts->comment || !notes;
		*part = clip_run(elf, s.offset, s.size);
		if (part->low < part->high)
			return true;
	}
	return false;
}

/* Return the next range from the program headers or, after these, from the section headers. */
static bool next_listed(const struct elf *elf, struct elf_parts *parts, struct cairn_range *part)
{
	if (parts->step == STEP_NOTES) {
		if (next_note_segment(elf, parts, part))
			return true;
		parts->step = STEP_REST;
		parts->index = 1;
	}
	return next_section(elf, parts, part);
}

bool elf_next_part(struct cairn_bytes bytes, struct elf_parts *parts, struct cairn_range *part)
{
	struct elf elf;

	if (parts->step == STEP_HEADER) {
		parts->step++;
		*part = clip_to_file(bytes, 0, ELF_HEADER_MAX);
		return part->low < part->high;
	}
	if (!elf_opens(bytes, &elf))
		return false;
	while (parts->step < STEP_NOTES) {
		*part = table_part(&elf, (enum step)parts->step++);
		if (part->low < part->high)
			return true;
	}
	return next_listed(&elf, parts, part);
}

bool elf_load_span(const struct elf *elf, struct cairn_range *span)
{
	struct elf_segment s;

	*span = (struct cairn_range){ 0, 0 };
	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || s.memory_size == 0 ||
		    s.memory_size > UINT64_MAX - s.va)
			continue;
		const uint64_t high = s.va + s.memory_size;
		const bool first = span->low == span->high;
		span->low = first || s.va < span->low ? s.va : span->low;
		span->high = first || high > span->high ? high : span->high;
	}
	return span->low < span->high;
}

/*
 * Reads a symbol from a symbol table:
 *
 *	symbol = name value size info other shndx (32 bits), name info other shndx value size (64)
 */

enum {
	SYMBOL_WIDE = 24,
	SYMBOL_NARROW = 16,
	TYPE = 0x0f,
	BINDING = 4, /* st_info >> BINDING is the binding; local symbols have STB_LOCAL, 0 */
	/* maximum length of a symbol name; bounds the search for the terminating NUL */
	NAME_MAX_SIZE = 4096,
};

bool elf_symbol(const struct elf *elf, const struct elf_section *table, uint64_t index,
                struct elf_symbol *symbol)
{
	const uint64_t size = elf->wide ? SYMBOL_WIDE : SYMBOL_NARROW;
	const struct cairn_bytes bytes = elf_section_bytes(elf, table);
	struct cairn_bytes entry;

	if (index >= bytes.size / size || !bytes_slice(bytes, index * size, size, &entry))
		return false;
	struct reader in = reader_open(entry, elf->big);
	symbol->name = reader_u32(&in);
	if (!elf->wide) {
		symbol->va = reader_u32(&in);
		symbol->size = reader_u32(&in);
	}
	const uint8_t info = reader_u8(&in);
	symbol->type = info & TYPE;
	symbol->local = info >> BINDING == 0;
	reader_u8(&in);
	symbol->section = reader_u16(&in);
	if (elf->wide) {
		symbol->va = reader_u64(&in);
		symbol->size = reader_u64(&in);
	}
	return true;
}

struct cairn_bytes elf_symbol_name(const struct elf *elf, const struct elf_section *table,
                                   const struct elf_symbol *symbol)
{
	const struct cairn_bytes none = { elf->bytes.data, 0 };
	struct elf_section strings;
	struct cairn_bytes text;

	if (!elf_section(elf, table->link, &strings))
		return none;
	text = elf_section_bytes(elf, &strings);
	if (symbol->name > text.size ||
	    !bytes_slice(text, symbol->name, text.size - symbol->name, &text))
		return none;
	text.size = text.size < NAME_MAX_SIZE ? text.size : NAME_MAX_SIZE;
	struct reader in = reader_open(text, elf->big);
	struct cairn_bytes name = reader_string(&in);
	return reader_ok(&in) ? name : none;
}

bool elf_find_symbol(const struct elf *elf, const char *table, const char *name, unsigned type,
                     uint64_t size, struct elf_symbol *symbol)
{
	struct elf_section symbols;

	if (!elf_find_section(elf, table, &symbols))
		return false;
	for (uint64_t i = 0; elf_symbol(elf, &symbols, i, symbol); i++)
		if (symbol->type == type && symbol->section != 0 && symbol->size >= size &&
		    bytes_are(elf_symbol_name(elf, &symbols, symbol), name))
			return true;
	return false;
}

/*
 * Reads the relocations for one section of a relocatable file:
 *
 *	rela   = offset info addend      info = symbol << 32 | type (64 bits)
 *	                                 info = symbol << 8 | type (32 bits)
 *	rel    = offset info             the addend is in the relocated bytes
 */

enum { RELOCATION_NONE = 0 };

static bool find_relocations(const struct elf *elf, uint32_t target, uint32_t *index)
{
	struct elf_section s;

	for (uint32_t i = 1; i < elf->sections && elf_section(elf, i, &s); i++)
		if ((s.type == ELF_SHT_RELA || s.type == ELF_SHT_REL) && s.info == target) {
			*index = i;
			return true;
		}
	return false;
}

bool elf_next_relocation(const struct elf *elf, uint32_t target, uint32_t *relocations,
                         uint64_t *at, struct elf_relocation *relocation)
{
	struct elf_section table;
	struct cairn_bytes entry;
	size_t word = elf->wide ? 8 : 4;

	if (*at == 0 && !find_relocations(elf, target, relocations))
		return false;
	if (!elf_section(elf, *relocations, &table))
		return false;
	bool in_place = table.type == ELF_SHT_REL;
	size_t size = in_place ? 2 * word : 3 * word;
	while (bytes_slice(elf_section_bytes(elf, &table), *at, size, &entry)) {
		struct reader in = reader_open(entry, elf->big);
		uint64_t offset = reader_word(&in, elf->wide);
		uint64_t info = reader_word(&in, elf->wide);
		uint64_t addend = in_place ? 0 : reader_word(&in, elf->wide);
		uint32_t symbol = (uint32_t)(info >> (elf->wide ? 32 : 8));
		struct elf_relocation r = { .offset = offset, .in_place = in_place };
		*at += size;
		r.type = (uint32_t)(elf->wide ? info & 0xffffffff : info & 0xff);
		struct elf_section symbols;
		struct elf_symbol named;
		if (r.type == RELOCATION_NONE || !elf_section(elf, table.link, &symbols) ||
		    !elf_symbol(elf, &symbols, symbol, &named))
			continue;
		r.section = named.section;
		r.value = named.va + addend;
		*relocation = r;
		return true;
	}
	return false;
}

/*
 * Reads notes, and finds the build ID and the package metadata in them:
 *
 *	notes = (namesz descsz type name:pad4 desc:pad4)*
 */

#define NOTE_PACKAGE 0xcafe1a7eu

enum { NOTE_BUILD_ID = 3 };

static size_t pad_note_size(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

/*
 * Return the descriptor of the first note with this type and owner, or an empty range. `owner` has
 * 4 bytes including its NUL.
 */
static struct cairn_bytes find_note(struct cairn_bytes notes, bool big, uint32_t wanted,
                                    const char *owner)
{
	struct reader in = reader_open(notes, big);

	while (reader_left(&in) >= 12) {
		uint32_t name_size = reader_u32(&in);
		uint32_t size = reader_u32(&in);
		uint32_t type = reader_u32(&in);
		struct cairn_bytes name = reader_bytes(&in, name_size);
		reader_skip(&in, pad_note_size(name_size) - name_size);
		struct cairn_bytes body = reader_bytes(&in, size);
		if (!reader_ok(&in))
			break;
		if (type == wanted && name.size == 4 && memcmp(name.data, owner, 4) == 0)
			return body;
		reader_skip(&in, pad_note_size(size) - size);
	}
	return (struct cairn_bytes){ notes.data, 0 };
}

struct cairn_bytes elf_build_id_in_notes(struct cairn_bytes notes, bool big)
{
	return find_note(notes, big, NOTE_BUILD_ID, "GNU");
}

struct cairn_bytes elf_package_in_notes(struct cairn_bytes notes, bool big)
{
	struct cairn_bytes text = find_note(notes, big, NOTE_PACKAGE, "FDO");

	while (text.size > 0 && text.data[text.size - 1] == 0)
		text.size--;
	return text;
}

/*
 * Search one note section or segment for the build ID, and increment *runs. The ranges in damaged
 * headers may overlap, so limiting the bytes per search is not enough: callers also limit the
 * number of searches.
 */
static struct cairn_bytes find_id_in_notes(const struct elf *elf, struct cairn_bytes notes,
                                           unsigned *runs)
{
	notes.size = notes.size < ELF_NOTES_SIZE ? notes.size : ELF_NOTES_SIZE;
	++*runs;
	return elf_build_id_in_notes(notes, elf->big);
}

static struct cairn_bytes find_id_in_segments(const struct elf *elf, unsigned *runs)
{
	struct cairn_bytes id = { elf->bytes.data, 0 };
	struct elf_segment segment;

	for (uint32_t i = 0;
	     id.size == 0 && *runs < ELF_NOTES_RUNS && elf_segment(elf, i, &segment); i++)
		if (segment.type == ELF_PT_NOTE)
			id = find_id_in_notes(elf, elf_segment_bytes(elf, &segment), runs);
	return id;
}

bool elf_is_of_build(struct cairn_bytes file, struct cairn_bytes build_id)
{
	struct elf elf;

	return elf_opens(file, &elf) && bytes_equal(elf_build_id(&elf), build_id);
}

bool elf_shows_build_id(const struct elf *elf)
{
	unsigned runs = 0;

	return find_id_in_segments(elf, &runs).size > 0;
}

struct cairn_bytes elf_build_id(const struct elf *elf)
{
	struct elf_section section;
	unsigned runs = 0;
	struct cairn_bytes id = find_id_in_segments(elf, &runs);

	for (uint32_t i = 1; id.size == 0 && runs < ELF_NOTES_RUNS && i < elf->sections; i++)
		if (elf_section(elf, i, &section) && section.type == ELF_SHT_NOTE)
			id = find_id_in_notes(elf, elf_section_bytes(elf, &section), &runs);
	return id;
}

enum {
	CODE_PARTS = 8, /* maximum number of executable segments to search */
	PAGE_MASK = 0xfff,
};

static size_t list_code(const struct elf *elf, struct load_base_code code[CODE_PARTS])
{
	struct elf_segment s;
	size_t parts = 0;

	for (uint32_t i = 0; parts < CODE_PARTS && elf_segment(elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_EXECUTE) ||
		    s.offset > elf->bytes.size || s.file_size > elf->bytes.size - s.offset ||
		    s.va > UINT64_MAX / 2)
			continue;
		code[parts++] = (struct load_base_code){
			s.va, { elf->bytes.data + s.offset, (size_t)s.file_size }
		};
	}
	return parts;
}

bool elf_is_return(const struct elf *elf, uint64_t va)
{
	struct load_base_code code[CODE_PARTS];
	const size_t parts = list_code(elf, code);

	return load_base_is_return(elf_machine(elf), code, parts, va);
}

bool elf_find_load_base(const struct elf *elf, uint64_t *returns, size_t *count,
                        struct load_base *base)
{
	struct load_base_code code[CODE_PARTS];
	const size_t parts = list_code(elf, code);
	struct cairn_range span;
	size_t kept = 0;

	sort_records(returns, *count, sizeof(*returns));
	for (size_t i = 0; i < *count; i++)
		if (kept == 0 || returns[kept - 1] != returns[i])
			returns[kept++] = returns[i];
	*count = kept;
	if (elf->type != ELF_TYPE_DYN || !elf_load_span(elf, &span) ||
	    !load_base_find(elf_machine(elf), code, parts, returns, kept, base))
		return false;
	base->first = (span.low & ~(uint64_t)PAGE_MASK) + base->bias;
	return true;
}

struct elf_places elf_places_read(struct cairn_bytes program)
{
	struct elf_places places = { .count = 0 };
	struct elf_segment s;
	struct elf elf;

	if (!elf_opens(program, &elf) || (elf.type != ELF_TYPE_EXEC && elf.type != ELF_TYPE_DYN))
		return places;
	for (uint32_t i = 0; places.count < ELF_PLACES_MAX && elf_segment(&elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && s.file_size > 0)
			places.place[places.count++] =
				(struct elf_place){ s.offset, s.file_size, s.va,
				                    (s.flags & ELF_PF_EXECUTE) != 0 };
	return places;
}

bool elf_places_find(const struct elf_places *places, uint64_t offset, uint64_t *va)
{
	const struct elf_place *found = NULL;

	for (unsigned i = 0; i < places->count; i++) {
		const struct elf_place *p = &places->place[i];
		if (offset >= p->offset && offset - p->offset < p->size &&
		    (!found || (p->code && !found->code)))
			found = p;
	}
	if (found)
		*va = offset - found->offset + found->va;
	return found != NULL;
}
