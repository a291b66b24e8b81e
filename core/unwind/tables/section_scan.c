/* SPDX-License-Identifier: MIT */
/* Searches the read-only segments of a module for an .sframe header or an .eh_frame CIE. */
#include "section_scan.h"

#include "base/bytes.h"
#include "formats/ehframe/ehframe.h"
#include "formats/sframe/sframe.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	CHUNK = 1 << 14,
	OVERLAP = 64, /* bytes needed to judge a candidate */
	SFRAME_ALIGN = 8,
	FRAMES_ALIGN = 4,
};

struct section_scan {
	struct cairn_space *space;
	struct module *module;
	const struct module_segment *segment;
	uint64_t low, high;
	uint64_t left;
};

/* Return true if a table begins at `va` with these bytes. */
typedef bool judge(struct section_scan *hunt, struct cairn_bytes bytes, uint64_t va);

static bool matches_sframe_header(struct section_scan *hunt, struct cairn_bytes bytes, uint64_t va)
{
	const uint8_t *p = bytes.data;
	bool big = hunt->module->big;
	uint64_t left = hunt->segment->va + hunt->segment->size - va;

	if (bytes_u16(p, big) != 0xdee2 || p[2] < 1 || p[2] > 3 || p[3] > 7 || p[4] < 1 || p[4] > 4)
		return false;
	uint64_t rows_size = bytes_u32(p + 16, big), rows_at = bytes_u32(p + 24, big);
	return bytes_u32(p + 8, big) > 0 && SFRAME_HEADER + p[7] + rows_at + rows_size <= left;
}

/*
 * Return true for a CIE of version 1 or 3 (riscv64) whose augmentation begins with z and is
 * followed by FDEs for the module's code.
 */
static bool matches_eh_frame(struct section_scan *hunt, struct cairn_bytes bytes, uint64_t va)
{
	const uint8_t *p = bytes.data;
	struct module *m = hunt->module;
	uint32_t length = bytes_u32(p, m->big);
	const struct cfi_memory view = module_cfi_memory(hunt->space, m);
	uint8_t encoding;

	if (length < 9 || length > OVERLAP || bytes_u32(p + 4, m->big) != 0 ||
	    (p[8] != 1 && p[8] != 3) || p[9] != 'z' ||
	    ehframe_cie_encoding(bytes, va, m->big, view.word, &encoding) != CAIRN_OK)
		return false;
	return cfi_coverage_walk(&m->cfi, &view, va, hunt->segment->va + hunt->segment->size - va,
	                         hunt->low, hunt->high);
}

static bool search_chunk(struct section_scan *hunt, const uint8_t *chunk, size_t size, uint64_t va,
                         size_t align, judge *matches, uint64_t *found)
{
	size_t first = (size_t)(-va % align);

	for (size_t at = first; at + OVERLAP <= size && at < CHUNK; at += align)
		if (matches(hunt, (struct cairn_bytes){ chunk + at, size - at }, va + at)) {
			*found = va + at;
			return true;
		}
	return false;
}

static bool search_segment(struct section_scan *hunt, size_t align, judge *matches, uint64_t *found)
{
	uint8_t chunk[CHUNK + OVERLAP];
	const struct module_segment *s = hunt->segment;

	for (uint64_t at = 0; at < s->size && at < hunt->left; at += CHUNK) {
		uint64_t rest = s->size - at;
		size_t want = rest < sizeof(chunk) ? (size_t)rest : sizeof(chunk);
		memset(chunk, 0, sizeof(chunk));
		size_t size = memory_read_some(&hunt->space->target,
		                               s->va + at + hunt->module->bias, chunk, want);
		size_t padded = size == want && rest <= sizeof(chunk) ? want + OVERLAP : size;
		padded = padded < sizeof(chunk) ? padded : sizeof(chunk);
		if (search_chunk(hunt, chunk, padded, s->va + at, align, matches, found))
			return true;
		if (size < want)
			break;
	}
	hunt->left -= s->size < hunt->left ? s->size : hunt->left;
	return false;
}

/*
 * Return true if the module has a segment for constants. Old linkers put constants into the code
 * segment; if there is a segment for constants, tables are only there.
 */
static bool has_constants(const struct module *m)
{
	for (unsigned i = 1; i < m->segment_count; i++)
		if (!(m->segments[i].flags & (ELF_PF_WRITE | ELF_PF_EXECUTE)))
			return true;
	return false;
}

static bool search_segments(struct section_scan *hunt, size_t align, judge *matches,
                            uint64_t *found)
{
	const struct module *m = hunt->module;

	if (!module_code_range(m, &hunt->low, &hunt->high))
		return false;
	for (unsigned code = 0; code < (has_constants(m) ? 1 : 2); code++)
		for (unsigned i = 0; i < m->segment_count; i++) {
			hunt->segment = &m->segments[i];
			bool executable = (hunt->segment->flags & ELF_PF_EXECUTE) != 0;
			if ((hunt->segment->flags & ELF_PF_WRITE) || executable != code)
				continue;
			if (search_segment(hunt, align, matches, found))
				return true;
		}
	return false;
}

bool section_scan_sframe(struct cairn_space *space, struct module *module, uint64_t *va,
                         uint64_t *size)
{
	struct section_scan hunt = { .space = space, .module = module, .left = SECTION_SCAN_MAX };

	if (!search_segments(&hunt, SFRAME_ALIGN, matches_sframe_header, va))
		return false;
	*size = hunt.segment->va + hunt.segment->size - *va;
	return true;
}

bool section_scan_eh_frame(struct cairn_space *space, struct module *module)
{
	struct section_scan hunt = { .space = space, .module = module, .left = SECTION_SCAN_MAX };
	uint64_t found;

	return search_segments(&hunt, FRAMES_ALIGN, matches_eh_frame, &found);
}
