/* SPDX-License-Identifier: MIT */
/*
 * Opens GSYM data in a file of its own, an ELF file or a Mach-O file, and finds a string table that
 * it shares with its container.
 */
#include "gsym_image.h"

#include "base/bytes.h"
#include "base/error.h"
#include "formats/elf/elf.h"
#include "formats/macho.h"

struct container {
	struct cairn_bytes file, section, build_id;
	uint64_t section_at;
	const struct elf *elf; /* either `elf` or `macho` is set */
	const struct macho *macho;
};

static bool is_inside_table(uint64_t at, uint64_t size, uint64_t table_at, uint64_t table_size)
{
	return at >= table_at && at - table_at <= table_size &&
	       size <= table_size - (at - table_at);
}

static bool is_in_elf_strings(const struct elf *elf, uint64_t at, uint64_t size)
{
	struct elf_section s;

	for (uint32_t i = 1; i < elf->sections && elf_section(elf, i, &s); i++)
		if (s.type == ELF_SHT_STRTAB && is_inside_table(at, size, s.offset, s.size))
			return true;
	return false;
}

/* Return true if the bytes lie in a single string table of the file. */
static bool is_in_string_table(const struct container *c, uint64_t at, uint64_t size)
{
	if (c->elf)
		return is_in_elf_strings(c->elf, at, size);
	return is_inside_table(at, size, c->macho->strings_at, c->macho->strings_size);
}

/* Find the shared strings. Their offset counts from the section or from the start of the file. */
static bool find_strings(const struct container *c, uint64_t offset, uint64_t size,
                         struct cairn_bytes *strings)
{
	uint64_t relative = c->section_at + offset;

	if (relative >= offset && is_in_string_table(c, relative, size) &&
	    bytes_slice(c->file, relative, size, strings))
		return true;
	return is_in_string_table(c, offset, size) && bytes_slice(c->file, offset, size, strings);
}

static enum cairn_status open_sharing(const struct container *c, struct gsym *gsym,
                                      struct cairn_fault *fault)
{
	uint64_t offset = 0, size = 0;
	struct cairn_fault own = *fault;
	struct cairn_bytes strings;
	enum cairn_status status = gsym_strings_extent(c->section, &offset, &size, fault);

	if (status != CAIRN_OK)
		return status;
	if (!find_strings(c, offset, size, &strings))
		return fault_set_at(fault, CAIRN_MALFORMED, own.offset,
		                    "the strings lie in no string table of the file");
	return gsym_open_with_strings(c->section, strings, gsym, fault);
}

static enum cairn_status open_embedded(const struct container *c, struct gsym_image *image,
                                       struct cairn_fault *fault)
{
	struct gsym_image i = { .embedded = true, .offset = c->section_at };
	enum cairn_status status = gsym_open(c->section, &i.gsym, fault);

	if (status == CAIRN_TRUNCATED) {
		status = open_sharing(c, &i.gsym, fault);
		i.shares_strings = status == CAIRN_OK;
	}
	if (status != CAIRN_OK)
		return status;
	i.build_id = i.gsym.uuid.size ? i.gsym.uuid : c->build_id;
	i.conflicts = c->build_id.size && !bytes_equal(i.build_id, c->build_id);
	*image = i;
	return CAIRN_OK;
}

static enum cairn_status open_gsym_in_elf(struct cairn_bytes file, struct gsym_image *image,
                                          struct cairn_fault *fault)
{
	struct elf elf;
	struct elf_section section;
	enum cairn_status status = elf_open(file, &elf, fault);

	if (status != CAIRN_OK)
		return status;
	if (!elf_find_section(&elf, ".gsym", &section))
		return fault_set(fault, CAIRN_NOT_FOUND, "an ELF file without a section .gsym");
	if (section.flags & ELF_SHF_COMPRESSED)
		return fault_set(fault, CAIRN_UNSUPPORTED, "a compressed section .gsym");
	struct container c = { .file = file,
		               .section = elf_section_bytes(&elf, &section),
		               .build_id = elf_build_id(&elf),
		               .section_at = section.offset,
		               .elf = &elf };
	return open_embedded(&c, image, fault);
}

static enum cairn_status open_gsym_in_macho(struct cairn_bytes file, struct gsym_image *image,
                                            struct cairn_fault *fault)
{
	struct macho macho;
	struct macho_section section;
	enum cairn_status status = macho_open(file, &macho, fault);

	if (status != CAIRN_OK)
		return status;
	if (!macho_find_section(&macho, "__gsym", &section))
		return fault_set(fault, CAIRN_NOT_FOUND, "a Mach-O file without a section __gsym");
	struct container c = { .file = file,
		               .section = section.bytes,
		               .build_id = macho.uuid,
		               .section_at = section.offset,
		               .macho = &macho };
	return open_embedded(&c, image, fault);
}

enum cairn_status gsym_image_open(struct cairn_bytes file, struct gsym_image *image,
                                  struct cairn_fault *fault)
{
	struct gsym_image i = { .offset = 0 };

	if (elf_has_magic(file))
		return open_gsym_in_elf(file, image, fault);
	if (macho_has_magic(file))
		return open_gsym_in_macho(file, image, fault);
	enum cairn_status status = gsym_open(file, &i.gsym, fault);
	if (status != CAIRN_OK)
		return status;
	i.build_id = i.gsym.uuid;
	*image = i;
	return CAIRN_OK;
}
