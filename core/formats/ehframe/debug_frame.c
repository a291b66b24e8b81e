/* SPDX-License-Identifier: MIT */
/*
 * After DWARF 5, section 6.4.1:
 *
 *	section = entry*
 *	entry   = length:4 [length:8 if 0xffffffff] id:4, or 8 behind a length of 8 ...
 *	CIE     = entry with all ones as id: version:1 letters:string [address:1 segment:1 in 4] ...
 *	FDE     = entry with the offset of its CIE as id: start size ...
 */
#include "debug_frame.h"

#include "cie.h"

#include "base/bytes.h"

enum { ENC_SIZE = 0x07, ENC_BASE = 0xf0 };

/* One entry: where its fields are, and its id. */
struct entry {
	size_t body, end;
	uint64_t id;
	bool is_cie;
};

struct debug_frame debug_frame_open(struct cairn_bytes bytes, bool big)
{
	return (struct debug_frame){ .bytes = bytes, .big = big };
}

/* Up to the end of the section, so that a fault has the offset in it. */
static struct reader read_from(const struct debug_frame *frames, size_t at)
{
	struct reader in = reader_open(frames->bytes, frames->big);

	reader_seek(&in, at);
	return in;
}

static enum cairn_status fail_at_reader(const struct reader *in, struct cairn_fault *fault)
{
	*fault = in->fault;
	return in->fault.status;
}

/* *entry with end 0 is padding: a length of 0. */
static void read_frame_entry(struct reader *in, struct entry *entry)
{
	bool wide;
	uint64_t length = cie_read_length(in, &wide);
	const size_t start = in->at;

	*entry = (struct entry){ .end = 0 };
	if (!reader_ok(in) || length == 0)
		return;
	if (length > reader_left(in)) {
		reader_fail(in, CAIRN_TRUNCATED, "a frame entry is cut off");
		return;
	}
	if (length < (wide ? 8 : 4)) {
		reader_fail(in, CAIRN_MALFORMED, "a frame entry of impossible length");
		return;
	}
	entry->id = wide ? reader_u64(in) : reader_u32(in);
	entry->is_cie = entry->id == (wide ? UINT64_MAX : UINT32_MAX);
	entry->body = in->at;
	entry->end = start + (size_t)length;
}

/* How wide an address is in the FDEs of a CIE; 0 when it is of a form that we do not read. */
static uint8_t width_of(const struct ehframe_cie *cie)
{
	static const uint8_t widths[ENC_SIZE + 1] = { 0, 0, 2, 4, 8 };

	if ((cie->encoding & ENC_BASE) != 0)
		return 0;
	if ((cie->encoding & ENC_SIZE) != 0)
		return widths[cie->encoding & ENC_SIZE];
	return cie->address_size == 2 || cie->address_size == 4 || cie->address_size == 8
	               ? cie->address_size
	               : 0;
}

static enum cairn_status read_cie(struct debug_frame *frames, uint64_t offset,
                                  struct cairn_fault *fault)
{
	struct ehframe_cie cie = { .program = 0 };
	struct entry entry;

	if (offset >= frames->bytes.size) {
		*fault =
			(struct cairn_fault){ CAIRN_MALFORMED, frames->at, "an FDE without a CIE" };
		return CAIRN_MALFORMED;
	}
	struct reader in = read_from(frames, (size_t)offset);
	read_frame_entry(&in, &entry);
	if (reader_ok(&in) && !entry.is_cie)
		reader_fail(&in, CAIRN_MALFORMED, "a frame entry of another kind");
	if (reader_ok(&in)) {
		in.in.size = entry.end;
		cie_read_fields(&in, true, &cie);
	}
	frames->width = reader_ok(&in) ? width_of(&cie) : 0;
	if (reader_ok(&in) && frames->width == 0)
		reader_fail(&in, CAIRN_UNSUPPORTED, "addresses of an unknown form");
	frames->has_cie = reader_ok(&in);
	frames->cie = offset;
	return reader_ok(&in) ? CAIRN_OK : fail_at_reader(&in, fault);
}

static enum cairn_status read_range(struct debug_frame *frames, const struct entry *entry,
                                    uint64_t *start, uint64_t *size, struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;

	if (!frames->has_cie || frames->cie != entry->id)
		status = read_cie(frames, entry->id, fault);
	if (status != CAIRN_OK)
		return status;
	struct reader in = read_from(frames, entry->body);
	in.in.size = entry->end;
	struct cairn_bytes fields = reader_bytes(&in, 2u * frames->width);
	if (!reader_ok(&in))
		return fail_at_reader(&in, fault);
	*start = bytes_unsigned(fields.data, frames->width, frames->big);
	*size = bytes_unsigned(fields.data + frames->width, frames->width, frames->big);
	if (*start + *size >= *start)
		return CAIRN_OK;
	*fault = (struct cairn_fault){ CAIRN_MALFORMED, entry->body,
		                       "an FDE past the last address" };
	return CAIRN_MALFORMED;
}

enum cairn_status debug_frame_next(struct debug_frame *frames, uint64_t *start, uint64_t *size,
                                   struct cairn_fault *fault)
{
	while (frames->at < frames->bytes.size) {
		struct reader in = read_from(frames, frames->at);
		struct entry entry;

		read_frame_entry(&in, &entry);
		if (!reader_ok(&in))
			return fail_at_reader(&in, fault);
		enum cairn_status status = entry.end == 0 || entry.is_cie
		                                   ? CAIRN_NOT_FOUND
		                                   : read_range(frames, &entry, start, size, fault);
		if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
			return status;
		frames->at = entry.end ? entry.end : in.at;
		if (status == CAIRN_OK)
			return CAIRN_OK;
	}
	*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, frames->at, "no further FDE" };
	return CAIRN_NOT_FOUND;
}
