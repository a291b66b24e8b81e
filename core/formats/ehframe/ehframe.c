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

#include "base/bytes.h"
#include "base/error.h"

#include <string.h>

/* Reads encoded addresses. Addresses with an unknown base are rejected with a reason. */

enum {
	WORD_NARROW = 4,
	WORD_WIDE = 8,
	/* most frequent encodings of FDE starts and sizes, for which there are fast paths */
	USUAL_START = POINTER_HERE | POINTER_S4,
	USUAL_SIZE = POINTER_U4,
};

uint8_t pointer_settle(uint8_t encoding, uint8_t word)
{
	const uint8_t base = encoding & POINTER_BASE;

	if (word != WORD_NARROW || (encoding & POINTER_FORM & ~POINTER_SIGNED) != POINTER_WORD)
		return encoding;
	const bool is_address = base == POINTER_ABSOLUTE || base == POINTER_ALIGNED;
	return (uint8_t)((encoding & ~POINTER_FORM) | (is_address ? POINTER_U4 : POINTER_S4));
}

/* Return the size of an encoded address in bytes, or 0 for LEB128 and unknown forms. */
static size_t pointer_size(uint8_t encoding)
{
	switch (encoding & POINTER_FORM) {
	case POINTER_WORD:
	case POINTER_SIGNED:
	case POINTER_U8:
	case POINTER_S8:
		return 8;
	case POINTER_U2:
	case POINTER_S2:
		return 2;
	case POINTER_U4:
	case POINTER_S4:
		return 4;
	default:
		return 0;
	}
}

static bool is_form(uint8_t encoding)
{
	const uint8_t form = encoding & POINTER_FORM;

	return pointer_size(encoding) > 0 || form == POINTER_ULEB || form == POINTER_SLEB;
}

const char *pointer_refusal(uint8_t encoding)
{
	if (encoding == POINTER_OMITTED)
		return "an omitted address";
	if (!is_form(encoding))
		return "unknown address encoding";
	if (encoding & POINTER_INDIRECT)
		return "an indirect address";
	switch (encoding & POINTER_BASE) {
	case POINTER_ABSOLUTE:
	case POINTER_HERE:
	case POINTER_ALIGNED:
		return NULL;
	case POINTER_TEXT:
		return "an address relative to the start of the code";
	case POINTER_DATA:
		return "an address relative to the start of the data";
	case POINTER_FUNCTION:
		return "an address relative to the start of a function";
	default:
		return "an address relative to an unknown base";
	}
}

static void skip_to_word(struct reader *in, uint8_t encoding, uint64_t address)
{
	const size_t word = pointer_size(encoding) == WORD_NARROW ? WORD_NARROW : WORD_WIDE;

	if ((encoding & POINTER_BASE) == POINTER_ALIGNED)
		reader_skip(in, (size_t)(0 - (address + in->at)) & (word - 1));
}

/*
 * Read an encoded address without adding its base. `address` is the address of the reader's first
 * byte. The reader fails with CAIRN_UNSUPPORTED for an unknown form.
 */
static uint64_t pointer_read_number(struct reader *in, uint8_t encoding, uint64_t address)
{
	if (encoding == USUAL_START)
		return (uint64_t)(int64_t)reader_s32(in);
	if (encoding == USUAL_SIZE)
		return reader_u32(in);
	const size_t size = pointer_size(encoding);
	if (!is_form(encoding)) {
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown address encoding");
		return 0;
	}
	if (size == 0)
		return encoding & POINTER_SIGNED ? (uint64_t)reader_sleb(in) : reader_uleb(in);
	skip_to_word(in, encoding, address);
	const struct cairn_bytes field = reader_bytes(in, size);
	if (!reader_ok(in))
		return 0;
	return encoding & POINTER_SIGNED ? (uint64_t)bytes_signed(field.data, size, in->big)
	                                 : bytes_unsigned(field.data, size, in->big);
}

uint64_t pointer_read(struct reader *in, uint8_t encoding, uint64_t address)
{
	const char *refusal = encoding == USUAL_START ? NULL : pointer_refusal(encoding);

	if (refusal) {
		reader_fail(in, CAIRN_UNSUPPORTED, refusal);
		return 0;
	}
	const uint64_t here = address + in->at;
	const uint64_t number = pointer_read_number(in, encoding, address);
	return (encoding & POINTER_BASE) == POINTER_HERE ? here + number : number;
}

enum {
	COUNT_OF_TABLE = POINTER_U4,
	ENTRIES_OF_TABLE = POINTER_DATA | POINTER_S4,
};

/*
 * Read an address in .eh_frame_hdr, where the base of DW_EH_PE_datarel is the start of the section.
 */
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

/*
 * Read an entry's length, which does not include the length field. Set *wide for the 64-bit DWARF
 * format.
 */
static uint64_t cie_read_length(struct reader *in, bool *wide)
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
		reader_fail(&in, CAIRN_MALFORMED, "a CIE or FDE has an invalid length");
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
 * Read the fields before the alignment factors: the version and the augmentation string. The
 * augmentation "eh" of gcc 2 adds an address, so skip that address.
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
		reader_fail(in, CAIRN_UNSUPPORTED, "segmented addresses are not supported");
	if (letters.size == 2 && memcmp(letters.data, "eh", 2) == 0) {
		reader_skip(in, word);
		letters.size = 0;
	}
	return letters;
}

/*
 * Read all fields up to the instructions into *cie, which must be zeroed. If an unknown
 * augmentation letter follows 'R', ignore it and all later letters. `debug` selects the format of
 * .debug_frame. `word` is the size of a target address in bytes, and `address` is the address of
 * the reader's first byte.
 */
static void cie_read_fields(struct reader *in, bool debug, uint8_t word, uint64_t address,
                            struct ehframe_cie *cie)
{
	const uint8_t wide = word == 4 ? 4 : 8;
	struct cairn_bytes letters = read_letters(in, wide, cie);

	cie->code_align = reader_uleb(in);
	cie->data_align = reader_sleb(in);
	cie->ra = cie->version == 1 ? reader_u8(in) : reader_uleb(in);
	cie->encoding = pointer_settle(POINTER_ABSOLUTE, debug ? 8 : wide);
	if (!debug && cie->address_size != wide)
		reader_fail(in, CAIRN_UNSUPPORTED, "unexpected address size");
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

/*
 * Read the start and size of an FDE. The size is encoded in the same form as the start, but is not
 * relative to a base.
 */
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
 * Read the header of an entry. It must be a CIE if `is_cie`, otherwise an FDE. Set *cut to a copy
 * of *source that ends at the end of the entry.
 */
static enum cairn_status read_frame(const struct ehframe_source *source, bool is_cie,
                                    struct ehframe_entry *entry, struct ehframe_source *cut,
                                    struct cairn_fault *fault)
{
	enum cairn_status status =
		ehframe_read_entry(source->bytes, source->address, source->big, entry);

	if (status != CAIRN_OK)
		return fail_at(source, 0, status, "a CIE or FDE cannot be read", fault);
	if (entry->size == 0 || entry->is_cie != is_cie)
		return fail_at(source, 0, CAIRN_MALFORMED,
		               is_cie ? "expected a CIE" : "expected an FDE", fault);
	if (entry->size > source->bytes.size)
		return fail_at(source, source->bytes.size, CAIRN_TRUNCATED,
		               "a CIE or FDE is truncated", fault);
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
		reader_fail(&in, CAIRN_MALFORMED,
		            "the augmentation data extends past the end of the CIE");
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
		reader_fail(&in, CAIRN_MALFORMED,
		            "the augmentation data extends past the end of the FDE");
	reader_skip(&in, reader_ok(&in) ? (size_t)size : 0);
	if (!reader_ok(&in))
		return fail_at(source, (size_t)in.fault.offset, in.fault.status, in.fault.what,
		               fault);
	f.program = in.at;
	*fde = f;
	return CAIRN_OK;
}

/*
 * Reads .debug_frame as described in DWARF 5, section 6.4.1:
 *
 *	section = entry*
 *	entry   = length:4 [length:8 if 0xffffffff] id:4, or 8 after a length of 8 ...
 *	CIE     = entry with all ones as id: version:1 letters:string [address:1 segment:1 in 4] ...
 *	FDE     = entry with the offset of its CIE as id: start size ...
 */

enum {
	ENC_SIZE = 0x07,
	ENC_BASE = 0xf0,
	WITH_ADDRESS_SIZE = 4, /* first version whose CIEs contain the address size */
};

struct entry {
	size_t body, end;
	uint64_t id;
	bool is_cie;
};

struct debug_frame debug_frame_open(struct cairn_bytes bytes, bool big, uint8_t word)
{
	return (struct debug_frame){ .bytes = bytes, .big = big, .word = word };
}

/* Return a reader from `at` to the end of the section. It reports offsets in the section. */
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

/* Read the header of an entry. A length of 0 is padding, for which entry->end is set to 0. */
static void read_frame_entry(struct reader *in, struct entry *entry)
{
	bool wide;
	uint64_t length = cie_read_length(in, &wide);
	const size_t start = in->at;

	*entry = (struct entry){ .end = 0 };
	if (!reader_ok(in) || length == 0)
		return;
	if (length > reader_left(in)) {
		reader_fail(in, CAIRN_TRUNCATED, "a CIE or FDE is truncated");
		return;
	}
	if (length < (wide ? 8 : 4)) {
		reader_fail(in, CAIRN_MALFORMED, "a CIE or FDE has an invalid length");
		return;
	}
	entry->id = wide ? reader_u64(in) : reader_u32(in);
	entry->is_cie = entry->id == (wide ? UINT64_MAX : UINT32_MAX);
	entry->body = in->at;
	entry->end = start + (size_t)length;
}

/* Return the size of an address in a CIE's FDEs, or 0 if the encoding is not supported. */
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
 * Read the CIE at `offset`. The FDE at frames->at refers to this CIE. Set *width to the size of an
 * address in the CIE's FDEs.
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
		reader_fail(&in, CAIRN_MALFORMED, "expected a CIE");
	if (reader_ok(&in)) {
		in.in.size = entry->end;
		cie_read_fields(&in, true, frames->word, 0, cie);
		if (cie->version < WITH_ADDRESS_SIZE)
			cie->address_size = frames->word;
	}
	*width = reader_ok(&in) ? width_of(cie) : 0;
	if (reader_ok(&in) && *width == 0)
		reader_fail(&in, CAIRN_UNSUPPORTED, "unknown address encoding");
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

static enum cairn_status read_debug_range(struct debug_frame *frames, const struct entry *entry,
                                          uint64_t *start, uint64_t *size,
                                          struct cairn_fault *fault)
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
		enum cairn_status status =
			entry.end == 0 || entry.is_cie
				? CAIRN_NOT_FOUND
				: read_debug_range(frames, &entry, start, size, fault);
		frames->fde = frames->at;
		frames->at = entry.end ? entry.end : in.at;
		if (status != CAIRN_NOT_FOUND)
			return status;
	}
	return fault_set_at(fault, CAIRN_NOT_FOUND, frames->at, "no further FDE");
}

/* Return a source that covers one entry and whose addresses are section offsets. */
static struct ehframe_source take_entry(const struct debug_frame *frames, uint64_t at, size_t end)
{
	return (struct ehframe_source){
		.bytes = { frames->bytes.data + at, end - (size_t)at },
		.address = at,
		.big = frames->big,
	};
}

/* Return the DW_EH_PE encoding for an absolute address with this size. */
static uint8_t choose_encoding(uint8_t width)
{
	return width == 8 ? 0x04 : width == 4 ? 0x03 : 0x02;
}

/*
 * Find the first instruction of an FDE, which follows the address range and, if the augmentation
 * string starts with 'z', the augmentation data.
 */
static enum cairn_status find_program(const struct debug_frame *frames, const struct entry *entry,
                                      const struct ehframe_cie *cie, size_t *program,
                                      struct cairn_fault *fault)
{
	struct reader in = read_from(frames, entry->body + 2u * frames->width);

	in.in.size = entry->end;
	uint64_t size = cie->has_size ? reader_uleb(&in) : 0;
	if (reader_ok(&in) && size > reader_left(&in))
		reader_fail(&in, CAIRN_MALFORMED,
		            "the augmentation data extends past the end of the FDE");
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
		                    "the augmentation data extends past the end of the CIE");
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
		reader_fail(&in, CAIRN_MALFORMED, "expected an FDE");
	if (!reader_ok(&in))
		return fail_at_reader(&in, fault);
	enum cairn_status status = read_whole_cie(&frames, entry.id, &c, fault);
	if (status == CAIRN_OK)
		status = read_debug_range(&frames, &entry, &f.start, &f.size, fault);
	if (status == CAIRN_OK)
		status = find_program(&frames, &entry, &c, &f.program, fault);
	if (status != CAIRN_OK)
		return status;
	f.source = take_entry(&frames, frames.at, entry.end);
	*cie = c;
	*fde = f;
	return CAIRN_OK;
}
