/* SPDX-License-Identifier: MIT */
/*
 * Reads .debug_frame as described in DWARF 5, section 6.4.1:
 *
 *	section = entry*
 *	entry   = length:4 [length:8 if 0xffffffff] id:4, or 8 after a length of 8 ...
 *	CIE     = entry with all ones as id: version:1 letters:string [address:1 segment:1 in 4] ...
 *	FDE     = entry with the offset of its CIE as id: start size ...
 */
#include "debug_frame.h"

#include "cie.h"

#include "base/bytes.h"
#include "base/fault.h"

enum {
	ENC_SIZE = 0x07,
	ENC_BASE = 0xf0,
	WITH_ADDRESS_SIZE = 4, /* first version whose CIEs contain the address size */
};

/* Bounds of an entry's fields, and its id. */
struct entry {
	size_t body, end;
	uint64_t id;
	bool is_cie;
};

struct debug_frame debug_frame_open(struct cairn_bytes bytes, bool big, uint8_t word)
{
	return (struct debug_frame){ .bytes = bytes, .big = big, .word = word };
}

/*
 * Return a reader at `at` that extends to the end of the section, so that faults have section
 * offsets.
 */
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

/* Read the head of an entry. A length of 0 is padding; entry->end is 0 then. */
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

/*
 * Return the size in bytes of addresses in the FDEs of a CIE, or 0 if their form is not supported.
 */
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

/*
 * Read the CIE at `offset`, which the FDE at frames->at refers to. Set *width to the size of an
 * address in its FDEs.
 */
static enum cairn_status read_cie_fields(const struct debug_frame *frames, uint64_t offset,
                                         struct entry *entry, struct ehframe_cie *cie,
                                         uint8_t *width, struct cairn_fault *fault)
{
	if (offset >= frames->bytes.size) {
		*fault =
			(struct cairn_fault){ CAIRN_MALFORMED, frames->at, "an FDE without a CIE" };
		return CAIRN_MALFORMED;
	}
	struct reader in = read_from(frames, (size_t)offset);
	read_frame_entry(&in, entry);
	if (reader_ok(&in) && !entry->is_cie)
		reader_fail(&in, CAIRN_MALFORMED, "a frame entry of another kind");
	if (reader_ok(&in)) {
		in.in.size = entry->end;
		cie_read_fields(&in, true, frames->word, 0, cie);
		if (cie->version < WITH_ADDRESS_SIZE)
			cie->address_size = frames->word;
	}
	*width = reader_ok(&in) ? width_of(cie) : 0;
	if (reader_ok(&in) && *width == 0)
		reader_fail(&in, CAIRN_UNSUPPORTED, "addresses of an unknown form");
	return reader_ok(&in) ? CAIRN_OK : fail_at_reader(&in, fault);
}

static enum cairn_status read_cie(struct debug_frame *frames, uint64_t offset,
                                  struct cairn_fault *fault)
{
	struct ehframe_cie cie = { .program = 0 };
	struct entry entry;
	enum cairn_status status =
		read_cie_fields(frames, offset, &entry, &cie, &frames->width, fault);

	frames->has_cie = status == CAIRN_OK;
	frames->cie = offset;
	return status;
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
	return fault_set_at(fault, CAIRN_MALFORMED, entry->body, "an FDE past the last address");
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
		frames->fde = frames->at;
		frames->at = entry.end ? entry.end : in.at;
		if (status != CAIRN_NOT_FOUND)
			return status;
	}
	return fault_set_at(fault, CAIRN_NOT_FOUND, frames->at, "no further FDE");
}

/* Return the bytes of one entry as a source whose addresses are offsets in the section. */
static struct ehframe_source take_entry(const struct debug_frame *frames, uint64_t at, size_t end)
{
	return (struct ehframe_source){
		.bytes = { frames->bytes.data + at, end - (size_t)at },
		.address = at,
		.big = frames->big,
	};
}

/* Return the DW_EH_PE encoding of an absolute address of this size. */
static uint8_t choose_encoding(uint8_t width)
{
	return width == 8 ? 0x04 : width == 4 ? 0x03 : 0x02;
}

/*
 * Find the first instruction of an FDE. It follows the range and, if the augmentation starts with
 * 'z', the augmentation data.
 */
static enum cairn_status find_program(const struct debug_frame *frames, const struct entry *entry,
                                      const struct ehframe_cie *cie, size_t *program,
                                      struct cairn_fault *fault)
{
	struct reader in = read_from(frames, entry->body + 2u * frames->width);

	in.in.size = entry->end;
	uint64_t size = cie->has_size ? reader_uleb(&in) : 0;
	if (reader_ok(&in) && size > reader_left(&in))
		reader_fail(&in, CAIRN_MALFORMED, "the augmentation is longer than its FDE");
	if (!reader_ok(&in))
		return fail_at_reader(&in, fault);
	*program = in.at + (size_t)size - frames->at;
	return CAIRN_OK;
}

static enum cairn_status read_whole_cie(struct debug_frame *frames, uint64_t at,
                                        struct ehframe_cie *cie, struct cairn_fault *fault)
{
	struct entry entry;
	enum cairn_status status = read_cie_fields(frames, at, &entry, cie, &frames->width, fault);

	if (status != CAIRN_OK)
		return status;
	frames->has_cie = true;
	frames->cie = at;
	if (cie->program == 0 || cie->program > entry.end) {
		return fault_set_at(fault, CAIRN_MALFORMED, at,
		                    "the augmentation is longer than its CIE");
	}
	cie->source = take_entry(frames, at, entry.end);
	cie->program -= (size_t)at;
	cie->encoding = choose_encoding(frames->width);
	return CAIRN_OK;
}

enum cairn_status debug_frame_read(struct cairn_bytes section, bool big, uint8_t word, uint64_t at,
                                   struct ehframe_cie *cie, struct ehframe_fde *fde,
                                   struct cairn_fault *fault)
{
	struct debug_frame frames = debug_frame_open(section, big, word);
	struct ehframe_cie c = { .program = 0 };
	struct ehframe_fde f = { .program = 0 };
	struct entry entry;

	frames.at = at < section.size ? (size_t)at : section.size;
	struct reader in = read_from(&frames, frames.at);
	read_frame_entry(&in, &entry);
	if (reader_ok(&in) && (entry.end == 0 || entry.is_cie))
		reader_fail(&in, CAIRN_MALFORMED, "a frame entry of another kind");
	if (!reader_ok(&in))
		return fail_at_reader(&in, fault);
	enum cairn_status status = read_whole_cie(&frames, entry.id, &c, fault);
	if (status == CAIRN_OK)
		status = read_range(&frames, &entry, &f.start, &f.size, fault);
	if (status == CAIRN_OK)
		status = find_program(&frames, &entry, &c, &f.program, fault);
	if (status != CAIRN_OK)
		return status;
	f.source = take_entry(&frames, frames.at, entry.end);
	*cie = c;
	*fde = f;
	return CAIRN_OK;
}
