/* SPDX-License-Identifier: MIT */
/*
 * The entries of .eh_frame and .eh_frame_hdr: which addresses an FDE covers, and where the call
 * frame instructions of CIEs and FDEs are.  The instructions themselves are for cfi_rules.h.
 */
#ifndef CAIRN_FORMATS_EHFRAME_H
#define CAIRN_FORMATS_EHFRAME_H

#include <cairn.h>

enum {
	EHFRAME_HEADER = 12,     /* of .eh_frame_hdr, up to its table */
	EHFRAME_TABLE_ENTRY = 8, /* start, FDE; both counted from the header */
	EHFRAME_ENTRY_PEEK = 64, /* bytes of a CIE or FDE that hold the range and its encoding */
};

/* .eh_frame_hdr.  A search table of another form than linkers write is passed over. */
struct ehframe_header {
	uint64_t frames; /* va of .eh_frame */
	bool has_table;  /* of EHFRAME_TABLE_ENTRY, at EHFRAME_HEADER */
	uint32_t count;
};

/* `word`: the size of an address of the program, in bytes.  UNSUPPORTED when the header has no address of .eh_frame. */
enum cairn_status ehframe_read_header(struct cairn_bytes bytes, uint64_t address, bool big,
                                      uint8_t word, struct ehframe_header *header);

/* The `index`th entry of a table of which `bytes` holds a part that begins with it. */
void ehframe_table_entry(const uint8_t *bytes, uint64_t header, bool big, uint64_t *start,
                         uint64_t *fde);

/* One CIE or FDE, by its first bytes. */
struct ehframe_entry {
	uint64_t size; /* with its length field; 0: the terminator */
	bool is_cie;
	uint64_t cie; /* FDE: address of its CIE */
	size_t body;  /* offset in the bytes after the CIE pointer */
};

enum cairn_status ehframe_read_entry(struct cairn_bytes bytes, uint64_t address, bool big,
                                     struct ehframe_entry *entry);

/*
 * How a CIE's FDEs store addresses (DW_EH_PE), an address of the program having `word` bytes (4, else 8), which are part of
 * the answer; MALFORMED when it is not a CIE.
 */
enum cairn_status ehframe_cie_encoding(struct cairn_bytes bytes, uint64_t address, bool big,
                                       uint8_t word, uint8_t *encoding);

/* The range an FDE covers.  UNSUPPORTED where pointer_refusal() has a reason (pointer.h). */
enum cairn_status ehframe_fde_range(struct cairn_bytes bytes, uint64_t address, size_t body,
                                    uint8_t encoding, bool big, uint64_t *start, uint64_t *size);

/* A whole entry, and more bytes perhaps, as it is in memory.  Faults count from the section. */
struct ehframe_source {
	struct cairn_bytes bytes;
	uint64_t address; /* va of the first byte */
	uint64_t section; /* va where .eh_frame begins */
	bool big;
	uint8_t word; /* bytes of an address of the program: 4, else 8 */
};

/* What a CIE gives to all its FDEs. */
struct ehframe_cie {
	struct ehframe_source source; /* its bytes end where the entry does */
	size_t program;               /* offset of the first instruction in them */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra; /* the column of the return address */
	uint8_t version, encoding;
	uint8_t address_size;        /* in bytes, of addresses that are not encoded */
	bool has_encoding, has_size; /* augmentation R; z: FDEs give the size of their own data */
	bool signal;                 /* S: frames of signal handlers' trampolines */
	bool personality;            /* P: exceptions may be caught in their functions */
	bool key_b;                  /* B: return addresses are signed with key B (aarch64) */
};

struct ehframe_fde {
	struct ehframe_source source;
	size_t program;
	uint64_t start, size; /* the addresses that it covers */
};

/* Either leaves its result untouched when it fails, and then gives the reason in *fault. */
CAIRN_MUST_USE enum cairn_status ehframe_read_cie(const struct ehframe_source *source,
                                                  struct ehframe_cie *cie,
                                                  struct cairn_fault *fault);
CAIRN_MUST_USE enum cairn_status ehframe_read_fde(const struct ehframe_source *source,
                                                  const struct ehframe_cie *cie,
                                                  struct ehframe_fde *fde,
                                                  struct cairn_fault *fault);

/* An address stored at `offset` of the entry, as DW_CFA_set_loc has them; *width: its bytes. */
enum cairn_status ehframe_address(const struct ehframe_source *source, size_t offset,
                                  uint8_t encoding, uint64_t *address, size_t *width);

#endif
