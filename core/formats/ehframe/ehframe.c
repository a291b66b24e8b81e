/* SPDX-License-Identifier: MIT */
/*
 * After the Linux Standard Base, "Exception Frames":
 *
 *	header  = 1:1 frames_enc:1 count_enc:1 table_enc:1 frames count (start fde)[count]
 *	frames  = entry* 0:4
 *	entry   = length:4 [length:8 if 0xffffffff] id:4 ...
 *	CIE     = entry with id 0: version:1 augmentation:string code:uleb data:sleb ra ["z" data]
 *	FDE     = entry with id = distance back from the id field to the CIE: start size ...
 */
#include "ehframe.h"

#include "cie.h"

#include "base/bytes.h"
#include "base/reader.h"

#include <string.h>

enum {
	ENC_FORMAT = 0x0f,
	ENC_BASE = 0x70,
	ENC_ABSOLUTE = 0x00,
	ENC_PC_RELATIVE = 0x10,
	ENC_ALIGNED = 0x50,
	ENC_INDIRECT = 0x80,
	ENC_U4 = 0x03,
	ENC_S4 = 0x0b,
	ENC_FRAMES_PCREL_S4 = 0x1b,
	ENC_TABLE_DATAREL_S4 = 0x3b,
};

enum cairn_status ehframe_read_header(struct cairn_bytes bytes, uint64_t address, bool big,
                                      struct ehframe_header *header)
{
	struct reader in = reader_open(bytes, big);
	uint8_t version = reader_u8(&in);
	uint8_t frames = reader_u8(&in);
	uint8_t count = reader_u8(&in);
	uint8_t table = reader_u8(&in);
	int32_t distance = reader_s32(&in);
	uint32_t entries = reader_u32(&in);

	if (!reader_ok(&in))
		return in.fault.status;
	if (version != 1 || frames != ENC_FRAMES_PCREL_S4 || count != ENC_U4 ||
	    table != ENC_TABLE_DATAREL_S4)
		return CAIRN_UNSUPPORTED;
	*header = (struct ehframe_header){ address + 4 + (uint64_t)distance, entries };
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

/* The size of one stored address, 0 when it is of a form that we do not read. */
static size_t stored_size(uint8_t encoding)
{
	switch (encoding & 0x07) {
	case 0x00:
	case 0x04:
		return 8;
	case 0x02:
		return 2;
	case 0x03:
		return 4;
	default:
		return 0;
	}
}

/* An address as wide as those of the program has four bytes in a 32-bit one. */
static uint8_t settle_encoding(uint8_t encoding, uint8_t word)
{
	if (word != 4 || (encoding & 0x07) != 0)
		return encoding;
	return (uint8_t)((encoding & ~ENC_FORMAT) |
	                 ((encoding & ENC_BASE) == ENC_ABSOLUTE ? ENC_U4 : ENC_S4));
}

/* One letter of the augmentation, and its data. */
static void read_letter(struct reader *in, uint8_t letter, uint8_t word, struct ehframe_cie *cie)
{
	uint8_t encoding;

	switch (letter) {
	case 'R':
		cie->encoding = settle_encoding(reader_u8(in), word);
		cie->has_encoding = true;
		break;
	case 'L':
		reader_u8(in);
		break;
	case 'P':
		encoding = settle_encoding(reader_u8(in), word);
		if (stored_size(encoding) == 0 || (encoding & ENC_BASE) == ENC_ALIGNED)
			reader_fail(in, CAIRN_UNSUPPORTED, "unknown pointer encoding");
		reader_skip(in, stored_size(encoding));
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

/* The version, and what follows the letters; "eh" is of gcc 2, with an address that nothing needs. */
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

void cie_read_fields(struct reader *in, bool debug, uint8_t word, struct ehframe_cie *cie)
{
	const uint8_t wide = word == 4 ? 4 : 8;
	struct cairn_bytes letters = read_letters(in, wide, cie);

	cie->code_align = reader_uleb(in);
	cie->data_align = reader_sleb(in);
	cie->ra = cie->version == 1 ? reader_u8(in) : reader_uleb(in);
	cie->encoding = settle_encoding(ENC_ABSOLUTE, debug ? 8 : wide);
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
		read_letter(in, letters.data[i], wide, cie);
	}
}

enum cairn_status ehframe_cie_encoding(struct cairn_bytes bytes, bool big, uint8_t word,
                                       uint8_t *encoding)
{
	struct reader in = reader_open(bytes, big);
	struct ehframe_entry entry;
	struct ehframe_cie cie = { .program = 0 };

	if (ehframe_read_entry(bytes, 0, big, &entry) != CAIRN_OK || entry.size == 0 ||
	    !entry.is_cie)
		return CAIRN_MALFORMED;
	reader_skip(&in, entry.body);
	cie_read_fields(&in, false, word, &cie);
	if (!reader_ok(&in))
		return in.fault.status;
	*encoding = cie.encoding;
	return CAIRN_OK;
}

/* An address of the encoding at `at`, without its base when there is none. */
static uint64_t address_at(const uint8_t *p, uint8_t encoding, uint64_t at, bool big)
{
	int64_t stored = bytes_signed(p, stored_size(encoding), big);

	if ((encoding & ENC_FORMAT) == ENC_U4)
		stored = bytes_u32(p, big);
	return ((encoding & ENC_BASE) == ENC_PC_RELATIVE ? at : 0) + (uint64_t)stored;
}

static bool can_read(uint8_t encoding)
{
	uint8_t base = encoding & ENC_BASE;

	return stored_size(encoding) > 0 && !(encoding & ENC_INDIRECT) &&
	       (base == ENC_ABSOLUTE || base == ENC_PC_RELATIVE);
}

enum cairn_status ehframe_fde_range(struct cairn_bytes bytes, uint64_t address, size_t body,
                                    uint8_t encoding, bool big, uint64_t *start, uint64_t *size)
{
	struct cairn_bytes fields;
	size_t width = stored_size(encoding);

	if (!can_read(encoding))
		return CAIRN_UNSUPPORTED;
	if (!bytes_slice(bytes, body, 2 * width, &fields))
		return CAIRN_TRUNCATED;
	*start = address_at(fields.data, encoding, address + body, big);
	*size = bytes_unsigned(fields.data + width, width, big);
	return CAIRN_OK;
}

enum cairn_status ehframe_address(const struct ehframe_source *source, size_t offset,
                                  uint8_t encoding, uint64_t *address, size_t *width)
{
	struct cairn_bytes field;

	if (!can_read(encoding))
		return CAIRN_UNSUPPORTED;
	if (!bytes_slice(source->bytes, offset, stored_size(encoding), &field))
		return CAIRN_TRUNCATED;
	*width = field.size;
	*address = address_at(field.data, encoding, source->address + offset, source->big);
	return CAIRN_OK;
}

static enum cairn_status fail_at(const struct ehframe_source *source, size_t offset,
                                 enum cairn_status status, const char *what,
                                 struct cairn_fault *fault)
{
	*fault = (struct cairn_fault){ status, source->address - source->section + offset, what };
	return status;
}

/* The entry's frame; `cut` are its own bytes alone. */
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
	cie_read_fields(&in, false, source->word, &c);
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
	status = ehframe_fde_range(f.source.bytes, source->address, entry.body, cie->encoding,
	                           source->big, &f.start, &f.size);
	if (status != CAIRN_OK)
		return fail_at(source, entry.body, status, "the range of an FDE cannot be read",
		               fault);
	struct reader in = reader_open(f.source.bytes, source->big);
	reader_skip(&in, entry.body + 2 * stored_size(cie->encoding));
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
