/* SPDX-License-Identifier: MIT */
/*
 * A .debug_frame of any bytes behind one byte for the order.  Always: the walk goes forward and ends,
 * a range does not wrap, a fault lies in the section or just past its end; and what is covered is
 * the union of the ranges, or everything when a fault ended them.
 */
#include "fuzz.h"

#include "formats/ehframe/cfi.h"
#include "formats/ehframe/ehframe.h"
#include "unwind/tables/program_files.h"

/* An FDE that is found can be read by itself, and what it says of its first byte can be run. */
static void check_rules(struct cairn_bytes section, bool big, uint64_t at, uint64_t start)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	struct cfi_row row;

	if (debug_frame_read(section, big, 8, at, &cie, &fde, &fault) != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= section.size);
		return;
	}
	ALWAYS(fde.start == start && fde.program <= fde.source.bytes.size);
	if (cfi_rules_find(&cie, &fde, start, &row, &fault) == CAIRN_OK)
		ALWAYS(row.start <= start && start < row.end);
}

/* Its first and last byte are covered. */
static void check_range(const struct cairn_files *files, uint64_t start, uint64_t size)
{
	ALWAYS(start + size >= start);
	if (size > 0)
		ALWAYS(files_have_cfi(files, start) && files_have_cfi(files, start + (size - 1)));
}

static bool in_section(struct cairn_bytes section, bool big, uint64_t va)
{
	struct debug_frame frames = debug_frame_open(section, big, 8);
	struct cairn_fault fault;
	uint64_t start, size;

	while (debug_frame_next(&frames, &start, &size, &fault) == CAIRN_OK)
		if (va - start < size)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	const struct cairn_bytes section = { data + 1, size - 1 };
	struct debug_frame frames = debug_frame_open(section, data[0] & 1, 8);
	struct cairn_files *files = cairn_files_new(false);
	struct cairn_fault fault;
	enum cairn_status status;
	uint64_t start, length, last = 0;
	size_t at = 0;

	if (!files)
		return 0;
	files_add_frames(files, section, data[0] & 1, 8);
	while ((status = debug_frame_next(&frames, &start, &length, &fault)) == CAIRN_OK) {
		ALWAYS(frames.at > at && frames.at <= section.size);
		at = frames.at;
		check_range(files, start, length);
		check_rules(section, data[0] & 1, frames.fde, start);
		last = start + length;
	}
	ALWAYS(fault.status == status && fault.what && fault.offset <= section.size);
	if (status == CAIRN_NOT_FOUND)
		ALWAYS(files_have_cfi(files, last) == in_section(section, data[0] & 1, last));
	else
		ALWAYS(files_have_cfi(files, last));
	cairn_files_free(files);
	return 0;
}
