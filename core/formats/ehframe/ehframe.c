/* SPDX-License-Identifier: MIT */
/*
 * Reads .eh_frame and .eh_frame_hdr as described in the Linux Standard Base, "Exception Frames":
 *
 *	header  = 1:1 frames_enc:1 count_enc:1 table_enc:1 frames count (start fde)[count]
 *	frames  = entry* 0:4
 *	entry   = length:4 [length:8 if 0xffffffff] id:4 ...
 *	CIE     = entry with id 0: version:1 augmentation:string code:uleb data:sleb ra ["z" data]
 *	FDE     = entry with id = distance back from the id field to the CIE: start size ...
 */
#include "ehframe.h"

#include "cie.h"
#include "pointer.h"

#include "base/bytes.h"

#include <string.h>

enum {
	COUNT_OF_TABLE = POINTER_U4,
	ENTRIES_OF_TABLE = POINTER_DATA | POINTER_S4,
};

/* Read an address in .eh_frame_hdr, where DW_EH_PE_datarel is relative to the header itself. */
static uint64_t read_header_address(struct reader *in, uint8_t encoding, uint64_t address)
{
	if ((encoding & (POINTER_INDIRECT | POINTER_BASE)) == POINTER_DATA &&
	    encoding != POINTER_OMITTED)
		return address + pointer_read_number(in, encoding, address);
	return pointer_read(in, encoding, address);
}

enum cairn_status ehframe_read_header(struct cairn_bytes bytes, uint64_t address, bool big,
                                      uint8_t word, struct ehframe_header *header)
{
	struct reader in = reader_open(bytes, big);
	uint8_t version = reader_u8(&in);
	uint8_t frames = pointer_settle(reader_u8(&in), word);
	uint8_t count = reader_u8(&in);
	uint8_t table = reader_u8(&in);
	struct ehframe_header h = { .count = 0 };

	if (reader_ok(&in) && version != 1)
		reader_fail(&in, CAIRN_UNSUPPORTED, "unknown version");
	h.frames = read_header_address(&in, frames, address);
	h.has_table = reader_ok(&in) && pointer_size(frames) == 4 && count == COUNT_OF_TABLE &&
	              table == ENTRIES_OF_TABLE;
	if (h.has_table)
		h.count = reader_u32(&in);
	if (!reader_ok(&in))
		return in.fault.status;
	*header = h;
	return CAIRN_OK;
}

void ehframe_table_entry(const uint8_t *bytes, uint64_t header, bool big, uint64_t *start,
                         uint64_t *fde)
{
	*start = header + (uint64_t)(int32_t)bytes_u32(bytes, big);
	*fde = header + (uint64_t)(int32_t)bytes_u32(bytes + 4, big);
}

uint64_t cie_read_length(struct reader *in, bool *wide)
{
	uint64_t length = reader_u32(in);

	*wide = length == UINT32_MAX;
	return *wide ? reader_u64(in) : length;
}

enum cairn_status ehframe_read_entry(struct cairn_bytes bytes, uint64_t address, bool big,
                                     struct ehframe_entry *entry)
{
	struct reader in = reader_open(bytes, big);
	struct ehframe_entry e = { .size = 0 };
	bool wide;
	uint64_t length = cie_read_length(&in, &wide);

	if (reader_ok(&in) && length == 0) {
		*entry = e;
		return CAIRN_OK;
	}
	e.size = in.at + length;
	uint64_t field = address + in.at;
	uint32_t id = reader_u32(&in);
	e.is_cie = id == 0;
	e.cie = field - id;
	e.body = in.at;
	if (length < 4 || e.size < length)
		reader_fail(&in, CAIRN_MALFORMED, "a frame entry of impossible length");
	if (!reader_ok(&in))
		return in.fault.status;
	*entry = e;
	return CAIRN_OK;
}

static void read_letter(struct reader *in, uint8_t letter, uint8_t word, uint64_t address,
                        struct ehframe_cie *cie)
{
	uint8_t encoding;

	switch (letter) {
	case 'R':
		cie->encoding = pointer_settle(reader_u8(in), word);
		cie->has_encoding = true;
		break;
	case 'L':
		reader_u8(in);
		break;
	case 'P':
		encoding = pointer_settle(reader_u8(in), word);
		if (encoding != POINTER_OMITTED)
			pointer_read_number(in, encoding, address);
		cie->personality = true;
		break;
	case 'S':
		cie->signal = true;
		break;
	case 'B':
		cie->key_b = true;
		break;
	case 'G':
		break;
	default:
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown augmentation");
		break;
	}
}

static bool is_letter(uint8_t letter)
{
	return letter && strchr("RLPSBG", letter);
}

/*
 * Read the version, the augmentation string and the fields between it and the alignment factors.
 * The "eh" of gcc 2 adds an address, which is skipped.
 */
static struct cairn_bytes read_letters(struct reader *in, uint8_t word, struct ehframe_cie *cie)
{
	uint8_t version = reader_u8(in);
	bool sized = version == 4;

	if (version != 1 && version != 3 && !sized)
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown CIE version");
	cie->version = version;
	struct cairn_bytes letters = reader_string(in);
	cie->address_size = sized ? reader_u8(in) : word;
	if (sized && reader_u8(in) != 0)
		reader_fail(in, CAIRN_UNSUPPORTED, "addresses with segments");
	if (letters.size == 2 && memcmp(letters.data, "eh", 2) == 0) {
		reader_skip(in, word);
		letters.size = 0;
	}
	return letters;
}

void cie_read_fields(struct reader *in, bool debug, uint8_t word, uint64_t address,
                     struct ehframe_cie *cie)
{
	const uint8_t wide = word == 4 ? 4 : 8;
	struct cairn_bytes letters = read_letters(in, wide, cie);

	cie->code_align = reader_uleb(in);
	cie->data_align = reader_sleb(in);
	cie->ra = cie->version == 1 ? reader_u8(in) : reader_uleb(in);
	cie->encoding = pointer_settle(POINTER_ABSOLUTE, debug ? 8 : wide);
	if (!debug && cie->address_size != wide)
		reader_fail(in, CAIRN_UNSUPPORTED, "addresses of another size");
	cie->program = in->at;
	if (letters.size == 0)
		return;
	cie->has_size = letters.data[0] == 'z';
	if (!cie->has_size)
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown augmentation");
	uint64_t size = reader_uleb(in);
	cie->program = size <= reader_left(in) ? in->at + (size_t)size : 0;
	for (size_t i = 1; i < letters.size && reader_ok(in); i++) {
		if (cie->has_encoding && !is_letter(letters.data[i]))
			break;
		read_letter(in, letters.data[i], wide, address, cie);
	}
}

enum cairn_status ehframe_cie_encoding(struct cairn_bytes bytes, uint64_t address, bool big,
                                       uint8_t word, uint8_t *encoding)
{
	struct reader in = reader_open(bytes, big);
	struct ehframe_entry entry;
	struct ehframe_cie cie = { .program = 0 };

	if (ehframe_read_entry(bytes, 0, big, &entry) != CAIRN_OK || entry.size == 0 ||
	    !entry.is_cie)
		return CAIRN_MALFORMED;
	reader_skip(&in, entry.body);
	cie_read_fields(&in, false, word, address, &cie);
	if (!reader_ok(&in))
		return in.fault.status;
	*encoding = cie.encoding;
	return CAIRN_OK;
}

/* Read the start and size of an FDE. The size is a plain number of the same form. */
static void read_range(struct reader *in, uint8_t encoding, uint64_t address, uint64_t *start,
                       uint64_t *size)
{
	const uint8_t form = encoding & POINTER_FORM & ~POINTER_SIGNED;

	*start = pointer_read(in, encoding, address);
	*size = pointer_read_number(in, form, address);
}

enum cairn_status ehframe_fde_range(struct cairn_bytes bytes, uint64_t address, size_t body,
                                    uint8_t encoding, bool big, uint64_t *start, uint64_t *size)
{
	struct reader in = reader_open(bytes, big);
	uint64_t from, covered;

	reader_seek(&in, body);
	read_range(&in, encoding, address, &from, &covered);
	if (!reader_ok(&in))
		return in.fault.status;
	*start = from;
	*size = covered;
	return CAIRN_OK;
}

enum cairn_status ehframe_address(const struct ehframe_source *source, size_t offset,
                                  uint8_t encoding, uint64_t *address, size_t *width)
{
	struct reader in = reader_open(source->bytes, source->big);

	reader_seek(&in, offset);
	const uint64_t value = pointer_read(&in, encoding, source->address);
	if (!reader_ok(&in))
		return in.fault.status;
	*address = value;
	*width = in.at - offset;
	return CAIRN_OK;
}

static enum cairn_status fail_at(const struct ehframe_source *source, size_t offset,
                                 enum cairn_status status, const char *what,
                                 struct cairn_fault *fault)
{
	*fault = (struct cairn_fault){ status, source->address - source->section + offset, what };
	return status;
}

/*
 * Read the head of an entry, which must be a CIE if `is_cie` and otherwise an FDE. *cut is *source
 * limited to the entry.
 */
static enum cairn_status read_frame(const struct ehframe_source *source, bool is_cie,
                                    struct ehframe_entry *entry, struct ehframe_source *cut,
                                    struct cairn_fault *fault)
{
	enum cairn_status status =
		ehframe_read_entry(source->bytes, source->address, source->big, entry);

	if (status != CAIRN_OK)
		return fail_at(source, 0, status, "a frame entry that cannot be read", fault);
	if (entry->size == 0 || entry->is_cie != is_cie)
		return fail_at(source, 0, CAIRN_MALFORMED, "a frame entry of another kind", fault);
	if (entry->size > source->bytes.size)
		return fail_at(source, source->bytes.size, CAIRN_TRUNCATED,
		               "a frame entry is cut off", fault);
	*cut = *source;
	cut->bytes.size = (size_t)entry->size;
	return CAIRN_OK;
}

enum cairn_status ehframe_read_cie(const struct ehframe_source *source, struct ehframe_cie *cie,
                                   struct cairn_fault *fault)
{
	struct ehframe_cie c = { .program = 0 };
	struct ehframe_entry entry;
	enum cairn_status status = read_frame(source, true, &entry, &c.source, fault);

	if (status != CAIRN_OK)
		return status;
	struct reader in = reader_open(c.source.bytes, source->big);
	reader_skip(&in, entry.body);
	cie_read_fields(&in, false, source->word, source->address, &c);
	if (reader_ok(&in) && c.program == 0)
		reader_fail(&in, CAIRN_MALFORMED, "the augmentation is longer than its CIE");
	if (!reader_ok(&in))
		return fail_at(source, (size_t)in.fault.offset, in.fault.status, in.fault.what,
		               fault);
	*cie = c;
	return CAIRN_OK;
}

enum cairn_status ehframe_read_fde(const struct ehframe_source *source,
                                   const struct ehframe_cie *cie, struct ehframe_fde *fde,
                                   struct cairn_fault *fault)
{
	struct ehframe_fde f;
	struct ehframe_entry entry;
	enum cairn_status status = read_frame(source, false, &entry, &f.source, fault);

	if (status != CAIRN_OK)
		return status;
	struct reader in = reader_open(f.source.bytes, source->big);
	reader_skip(&in, entry.body);
	read_range(&in, cie->encoding, source->address, &f.start, &f.size);
	if (!reader_ok(&in))
		return fail_at(source, entry.body, in.fault.status, in.fault.what, fault);
	uint64_t size = cie->has_size ? reader_uleb(&in) : 0;
	if (size > reader_left(&in))
		reader_fail(&in, CAIRN_MALFORMED, "the augmentation is longer than its FDE");
	reader_skip(&in, reader_ok(&in) ? (size_t)size : 0);
	if (!reader_ok(&in))
		return fail_at(source, (size_t)in.fault.offset, in.fault.status, in.fault.what,
		               fault);
	f.program = in.at;
	*fde = f;
	return CAIRN_OK;
}
