/* SPDX-License-Identifier: MIT */
/* Tells the system what of a mapped file is read soon, which saves waiting for it page by page. */
#include "program_parts.h"

#include "base/bytes.h"
#include "os/file/file.h"

/* Part of a section that is lent from a mapped file will be read. */
static void fetch_part(const struct program *program, enum dwarf_section_kind which,
                       struct cairn_bytes section, uint64_t offset, uint64_t size)
{
	if (!program_is_mapped(program, which) || offset >= section.size)
		return;
	const uint64_t left = section.size - offset;
	os_file_read_soon(
		(struct cairn_bytes){ section.data + offset, (size_t)(size < left ? size : left) });
}

void program_fetch_lines(const struct program *program, uint64_t offset)
{
	const struct cairn_bytes line = program->main.sections.line;

	if (offset <= line.size && line.size - offset >= sizeof(uint32_t))
		fetch_part(program, DWARF_SECTION_LINE, line, offset,
		           sizeof(uint32_t) +
		                   bytes_u32(line.data + offset, program->main.sections.big));
}

void program_fetch_unit(const struct program *program, const struct dwarf_unit *unit)
{
	enum { ABBREVS_USUAL = 16 << 10 };

	fetch_part(program, DWARF_SECTION_INFO, program->main.sections.info, unit->offset,
	           unit->end - unit->offset);
	fetch_part(program, DWARF_SECTION_ABBREV, program->main.sections.abbrev, unit->abbrevs,
	           ABBREVS_USUAL);
}
