/* SPDX-License-Identifier: MIT */
/*
 * Reads notes, and finds the build ID and the package metadata in them:
 *
 *	notes = (namesz descsz type name:pad4 desc:pad4)*
 */
#include "elf.h"

#include "base/bytes_compare.h"
#include "base/reader.h"

#include <string.h>

#define NOTE_PACKAGE 0xcafe1a7eu /* package metadata in JSON */

enum { NOTE_BUILD_ID = 3 };

static size_t pad_note_size(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

/*
 * Return the contents of the first note of this type and owner, whose name has 4 bytes, or an empty
 * string.
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
 * Search one note section or segment and count it. Sections and segments may overlap, so both the
 * bytes searched and their number are limited.
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
