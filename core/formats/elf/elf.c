/* SPDX-License-Identifier: MIT */
/*
 * Reads ELF files (System V gABI, chapters 4 and 5):
 *
 *	file     = header ... (program header)[phnum] ... (section header)[shnum]
 *	header   = "\177ELF" class order version ... type machine version entry phoff shoff flags
 *	           ehsize phentsize phnum shentsize shnum shstrndx
 *
 * A count that does not fit into its 16-bit field is in section header 0.
 */
#include "elf.h"

#include "base/bytes.h"
#include "base/reader.h"

#include <string.h>

enum {
	MAGIC = 4, /* size of the magic number */
	CLASS_32 = 1,
	CLASS_64 = 2,
	ORDER_LITTLE = 1,
	ORDER_BIG = 2,
	MANY_SEGMENTS = 0xffff, /* PN_XNUM: see section header 0 */
	MANY_NAMES = 0xffff,    /* SHN_XINDEX: see section header 0 */
	/*
	 * for core files, which have a segment per mapping; an administrator can raise the limit of
	 * mappings
	 */
	MAX_SEGMENTS = 1 << 20,
	MAX_SECTIONS = 1 << 20,
	/*
	 * limit when searching for the end of a name, so that a file with many names is cheap to
	 * read
	 */
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
		reader_fail(in, CAIRN_UNSUPPORTED, "program headers of an unknown size");
	uint16_t section = reader_u16(in);
	elf->sections = reader_u16(in);
	if (elf->sections && section != section_size(elf))
		reader_fail(in, CAIRN_UNSUPPORTED, "section headers of an unknown size");
	elf->names = reader_u16(in);
}

/* Open a reader over `size` bytes at `offset`. Return false if they are outside the file. */
static bool open_at(const struct elf *elf, uint64_t offset, uint64_t size, struct reader *in)
{
	struct cairn_bytes item;
	if (!bytes_slice(elf->bytes, offset, size, &item))
		return false;
	*in = reader_open(item, elf->big);
	return true;
}

/* Read the counts that do not fit into 16 bits from section header 0. */
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
	static const struct {
		uint16_t machine;
		enum cairn_machine narrow, wide;
	} machines[] = {
		{ ELF_EM_386, CAIRN_MACHINE_I386, CAIRN_MACHINE_NONE },
		{ ELF_EM_ARM, CAIRN_MACHINE_ARM, CAIRN_MACHINE_NONE },
		{ ELF_EM_PPC, CAIRN_MACHINE_PPC, CAIRN_MACHINE_NONE },
		{ ELF_EM_S390, CAIRN_MACHINE_S390, CAIRN_MACHINE_S390X },
		{ ELF_EM_X86_64, CAIRN_MACHINE_X32, CAIRN_MACHINE_AMD64 },
		{ ELF_EM_AARCH64, CAIRN_MACHINE_NONE, CAIRN_MACHINE_AARCH64 },
		{ ELF_EM_PPC64, CAIRN_MACHINE_NONE, CAIRN_MACHINE_PPC64 },
		{ ELF_EM_RISCV, CAIRN_MACHINE_NONE, CAIRN_MACHINE_RISCV64 },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == elf->machine)
			return elf->wide ? machines[i].wide : machines[i].narrow;
	return CAIRN_MACHINE_NONE;
}

/* Compute the offset of item `index` of a table. Return false if the sum wraps. */
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

/* Return the contents of the section with the section names, or an empty string. */
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

/* Read a section header except for its name, which is in another section. */
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
 * Find the offset of a section's name. Return false if the section is not in the file, as
 * elf_section() does.
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
 * Only names are compared until the section is found, because callers search a file for a dozen
 * sections.
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
	/* .comment has one line per compiler */
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
	 * Sections may have other names, but the program still finds its table by the segment.
	 * objcopy leaves an empty segment when it removes the section.
	 */
	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++)
		if (segment.type == ELF_PT_GNU_EH_FRAME && segment.file_size > 0)
			return true;
	return false;
}
