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

#include "base/bytes.h"
#include "base/reader.h"

enum {
	ENC_FORMAT = 0x0f,
	ENC_BASE = 0x70,
	ENC_ABSOLUTE = 0x00,
	ENC_PC_RELATIVE = 0x10,
	ENC_INDIRECT = 0x80,
	ENC_U4 = 0x03,
	ENC_S4 = 0x0b,
	ENC_FRAMES_PCREL_S4 = 0x1b,
	ENC_TABLE_DATAREL_S4 = 0x3b,
	LONG_LENGTH = -1,
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

enum cairn_status ehframe_read_entry(struct cairn_bytes bytes, uint64_t address, bool big,
                                     struct ehframe_entry *entry)
{
	struct reader in = reader_open(bytes, big);
	struct ehframe_entry e = { .size = 0 };
	uint64_t length = reader_u32(&in);

	if ((int32_t)length == LONG_LENGTH)
		length = reader_u64(&in);
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

/* The augmentation's data, character by character, up to the one that says R. */
static uint8_t find_encoding(struct reader *in, struct cairn_bytes letters)
{
	for (size_t i = 1; i < letters.size && reader_ok(in); i++)
		switch (letters.data[i]) {
		case 'R':
			return reader_u8(in);
		case 'L':
			reader_u8(in);
			break;
		case 'P': {
			uint8_t encoding = reader_u8(in);
			if (stored_size(encoding) == 0)
				reader_fail(in, CAIRN_UNSUPPORTED, "unknown pointer encoding");
			reader_skip(in, stored_size(encoding));
			break;
		}
		case 'S':
		case 'B':
		case 'G':
			break;
		default:
			reader_fail(in, CAIRN_UNSUPPORTED, "unknown augmentation");
			break;
		}
	return ENC_ABSOLUTE;
}

enum cairn_status ehframe_cie_encoding(struct cairn_bytes bytes, bool big, uint8_t *encoding)
{
	struct reader in = reader_open(bytes, big);
	struct ehframe_entry entry;
	uint8_t found = ENC_ABSOLUTE;

	if (ehframe_read_entry(bytes, 0, big, &entry) != CAIRN_OK || entry.size == 0 ||
	    !entry.is_cie)
		return CAIRN_MALFORMED;
	reader_skip(&in, entry.body);
	uint8_t version = reader_u8(&in);
	if (version != 1 && version != 3)
		reader_fail(&in, CAIRN_UNSUPPORTED, "unknown CIE version");
	struct cairn_bytes letters = reader_string(&in);
	reader_uleb(&in); /* code alignment */
	reader_sleb(&in); /* data alignment */
	if (version == 1)
		reader_u8(&in); /* return address column */
	else
		reader_uleb(&in);
	if (letters.size > 0 && letters.data[0] == 'z') {
		reader_uleb(&in); /* size of the augmentation's data */
		found = find_encoding(&in, letters);
	} else if (letters.size > 0) {
		reader_fail(&in, CAIRN_UNSUPPORTED, "unknown augmentation");
	}
	if (!reader_ok(&in))
		return in.fault.status;
	*encoding = found;
	return CAIRN_OK;
}

enum cairn_status ehframe_fde_range(struct cairn_bytes bytes, uint64_t address, size_t body,
                                    uint8_t encoding, bool big, uint64_t *start, uint64_t *size)
{
	struct cairn_bytes fields;
	size_t width = stored_size(encoding);
	uint8_t base = encoding & ENC_BASE;

	if (width == 0 || (encoding & ENC_INDIRECT) ||
	    (base != ENC_ABSOLUTE && base != ENC_PC_RELATIVE))
		return CAIRN_UNSUPPORTED;
	if (!bytes_slice(bytes, body, 2 * width, &fields))
		return CAIRN_TRUNCATED;
	int64_t stored = bytes_signed(fields.data, width, big);
	if ((encoding & ENC_FORMAT) == ENC_U4)
		stored = bytes_u32(fields.data, big);
	*start = (base == ENC_PC_RELATIVE ? address + body : 0) + (uint64_t)stored;
	*size = bytes_unsigned(fields.data + width, width, big);
	return CAIRN_OK;
}
