/* SPDX-License-Identifier: MIT */
/*
 * Reads the entries of .eh_frame and .eh_frame_hdr: the addresses that each FDE covers, and the
 * location of its call frame instructions. cfi.h runs the instructions.
 */
#ifndef CAIRN_FORMATS_EHFRAME_H
#define CAIRN_FORMATS_EHFRAME_H

#include "base/reader.h"

#include <cairn.h>

enum {
	EHFRAME_HEADER = 12, /* size of .eh_frame_hdr without its search table */
	/*
	 * size of a search table entry: function start and FDE address, both relative to
	 * .eh_frame_hdr
	 */
	EHFRAME_TABLE_ENTRY = 8,
	/*
	 * number of bytes of a CIE or FDE that suffice for finding its address range and encoding
	 */
	EHFRAME_ENTRY_PEEK = 64,
};

struct ehframe_header {
	uint64_t frames; /* address of .eh_frame */
	/* a search table follows at EHFRAME_HEADER, in the encoding that linkers write */
	bool has_table;
	uint32_t count;
};

/*
 * Read .eh_frame_hdr. `word` is the size of a target address in bytes. Return CAIRN_UNSUPPORTED if
 * the header does not contain the address of .eh_frame.
 */
enum cairn_status ehframe_read_header(struct cairn_bytes bytes, uint64_t address, bool big,
                                      uint8_t word, struct ehframe_header *header);

/* Read the search table entry at `bytes`. `header` is the address of .eh_frame_hdr. */
void ehframe_table_entry(const uint8_t *bytes, uint64_t header, bool big, uint64_t *start,
                         uint64_t *fde);

struct ehframe_entry {
	uint64_t size; /* total size including the length field; 0 for the terminator */
	bool is_cie;
	uint64_t cie; /* address of the FDE's CIE; unused in a CIE */
	size_t body;  /* offset of the first byte after the CIE id or CIE pointer */
};

enum cairn_status ehframe_read_entry(struct cairn_bytes bytes, uint64_t address, bool big,
                                     struct ehframe_entry *entry);

/*
 * Read the DW_EH_PE encoding that a CIE specifies for the addresses in its FDEs, and resolve it
 * with pointer_settle(). `word` is the size of a target address; any value other than 4 is treated
 * as 8. Return CAIRN_MALFORMED if the entry is not a CIE.
 */
enum cairn_status ehframe_cie_encoding(struct cairn_bytes bytes, uint64_t address, bool big,
                                       uint8_t word, uint8_t *encoding);

/*
 * Read the address range that an FDE covers. Return CAIRN_UNSUPPORTED for the encodings that
 * pointer_refusal() rejects.
 */
enum cairn_status ehframe_fde_range(struct cairn_bytes bytes, uint64_t address, size_t body,
                                    uint8_t encoding, bool big, uint64_t *start, uint64_t *size);

/*
 * A CIE or FDE in memory. `bytes` may extend past the end of the entry. Fault offsets are relative
 * to the section.
 */
struct ehframe_source {
	struct cairn_bytes bytes;
	uint64_t address;
	uint64_t section; /* address of .eh_frame */
	bool big;
	uint8_t word; /* size of a target address: 4 bytes, or 8 for any other value */
};

struct ehframe_cie {
	struct ehframe_source source; /* source.bytes ends at the end of the entry */
	size_t program;               /* offset of the first instruction in source.bytes */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	uint8_t version, encoding;
	uint8_t address_size; /* size in bytes of addresses whose encoding does not imply a size */
	/*
	 * augmentation R: `encoding` is set; augmentation z: FDEs contain the size of their
	 * augmentation data
	 */
	bool has_encoding, has_size;
	bool signal;      /* augmentation S: the functions are signal trampolines */
	bool personality; /* augmentation P: the functions may catch exceptions */
	bool key_b;       /* augmentation B: return addresses are signed with key B (aarch64) */
};

struct ehframe_fde {
	struct ehframe_source source;
	size_t program;
	uint64_t start, size;
};

/* Read a complete CIE or FDE. On failure, set *fault and leave the result unchanged. */
CAIRN_MUST_USE enum cairn_status ehframe_read_cie(const struct ehframe_source *source,
                                                  struct ehframe_cie *cie,
                                                  struct cairn_fault *fault);
CAIRN_MUST_USE enum cairn_status ehframe_read_fde(const struct ehframe_source *source,
                                                  const struct ehframe_cie *cie,
                                                  struct ehframe_fde *fde,
                                                  struct cairn_fault *fault);

/*
 * Read the encoded address at `offset` in the entry, for example the operand of DW_CFA_set_loc. Set
 * *width to its size in bytes.
 */
enum cairn_status ehframe_address(const struct ehframe_source *source, size_t offset,
                                  uint8_t encoding, uint64_t *address, size_t *width);

/*
 * Reads encoded addresses in .eh_frame and .eh_frame_hdr (Linux Standard Base, "DWARF Exception
 * Header Encoding"). The low half of the encoding byte is the form of the number, the high half its
 * base.
 */

enum {
	POINTER_FORM = 0x0f,
	/* native size of a target address; the other forms do not depend on the target */
	POINTER_WORD = 0x00,
	POINTER_ULEB = 0x01,
	POINTER_U2 = 0x02,
	POINTER_U4 = 0x03,
	POINTER_U8 = 0x04,
	POINTER_SIGNED = 0x08, /* flag that makes POINTER_WORD signed */
	POINTER_SLEB = 0x09,
	POINTER_S2 = 0x0a,
	POINTER_S4 = 0x0b,
	POINTER_S8 = 0x0c,

	POINTER_BASE = 0x70,
	POINTER_ABSOLUTE = 0x00,
	POINTER_HERE = 0x10, /* relative to the address of the encoded address itself */
	POINTER_TEXT = 0x20,
	/*
	 * within .eh_frame_hdr, relative to the start of that section; elsewhere the ABI defines
	 * the base
	 */
	POINTER_DATA = 0x30,
	POINTER_FUNCTION = 0x40,
	POINTER_ALIGNED = 0x50, /* absolute, and aligned to the word size */

	/* flag: the pointer is stored in memory, at the decoded address */
	POINTER_INDIRECT = 0x80,
	POINTER_OMITTED = 0xff,
};

/*
 * Resolve the native word size: if `word`, the size of a target address, is 4, replace POINTER_WORD
 * in `encoding` with the 4-byte form. Otherwise return `encoding` unchanged, because POINTER_WORD
 * then means 8 bytes.
 */
uint8_t pointer_settle(uint8_t encoding, uint8_t word);

/*
 * If an address with this encoding cannot be read from the bytes alone, return the reason,
 * otherwise NULL.
 */
const char *pointer_refusal(uint8_t encoding);

/*
 * Read an address. `address` is the address of the reader's first byte. The reader fails with
 * CAIRN_UNSUPPORTED if pointer_refusal() rejects the encoding.
 */
uint64_t pointer_read(struct reader *in, uint8_t encoding, uint64_t address);

/*
 * Reads .debug_frame, call frame information that only debuggers use: its entries, and the
 * addresses that its FDEs cover. The format resembles .eh_frame, but a CIE has the id -1, and an
 * FDE contains the section offset of its CIE.
 *
 *	struct debug_frame frames = debug_frame_open(bytes, big, 8);
 *	while ((status = debug_frame_next(&frames, &start, &size, &fault)) == CAIRN_OK)
 *		...
 */

struct debug_frame {
	struct cairn_bytes bytes;
	bool big;
	/* address size of the ELF class, for CIEs that do not specify one */
	uint8_t word;
	size_t at;
	size_t fde; /* offset of the FDE that debug_frame_next() returned last */
	/*
	 * true if `cie` and `width` are valid: they cache the last CIE, because most FDEs share one
	 */
	bool has_cie;
	uint64_t cie;
	uint8_t width; /* size of an address in the FDEs of the cached CIE */
};

struct debug_frame debug_frame_open(struct cairn_bytes bytes, bool big, uint8_t word);

/*
 * Read the link-time address range of the next FDE. Return CAIRN_NOT_FOUND after the last FDE. On
 * other failures, *fault has the reason and the section offset, and the next call continues after
 * the damaged entry if its end is known.
 */
CAIRN_MUST_USE enum cairn_status debug_frame_next(struct debug_frame *frames, uint64_t *start,
                                                  uint64_t *size, struct cairn_fault *fault);

/*
 * Read the FDE at section offset `at`, and its CIE, as input for cfi_rules_find(). Both borrow from
 * the section, and fault offsets are relative to it. On failure, *cie and *fde are unchanged.
 */
CAIRN_MUST_USE enum cairn_status debug_frame_read(struct cairn_bytes section, bool big,
                                                  uint8_t word, uint64_t at,
                                                  struct ehframe_cie *cie, struct ehframe_fde *fde,
                                                  struct cairn_fault *fault);

#endif
