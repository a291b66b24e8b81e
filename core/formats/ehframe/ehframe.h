/* SPDX-License-Identifier: MIT */
/*
 * .eh_frame and .eh_frame_hdr, only as far as the question "is there an FDE for this pc?" needs:
 * which addresses an FDE covers.  The instructions of CIEs and FDEs are passed over.
 */
#ifndef CAIRN_FORMATS_EHFRAME_H
#define CAIRN_FORMATS_EHFRAME_H

#include <cairn.h>

enum {
	EHFRAME_HEADER = 12,     /* of .eh_frame_hdr, up to its table */
	EHFRAME_TABLE_ENTRY = 8, /* start, FDE; both counted from the header */
	EHFRAME_ENTRY_PEEK = 64, /* bytes of a CIE or FDE that hold all we look at */
};

/* .eh_frame_hdr with the search table that all linkers write; others are UNSUPPORTED. */
struct ehframe_header {
	uint64_t frames; /* va of .eh_frame */
	uint32_t count;
};

enum cairn_status ehframe_read_header(struct cairn_bytes bytes, uint64_t address, bool big,
                                      struct ehframe_header *header);

/* The `index`th entry of a table of which `bytes` holds a part that begins with it. */
void ehframe_table_entry(const uint8_t *bytes, uint64_t header, bool big, uint64_t *start,
                         uint64_t *fde);

/* One CIE or FDE, by its first bytes. */
struct ehframe_entry {
	uint64_t size; /* with its length field; 0: the terminator */
	bool is_cie;
	uint64_t cie; /* FDE: address of its CIE */
	size_t body;  /* offset in the bytes behind the CIE pointer */
};

enum cairn_status ehframe_read_entry(struct cairn_bytes bytes, uint64_t address, bool big,
                                     struct ehframe_entry *entry);

/* How a CIE's FDEs store addresses (DW_EH_PE); MALFORMED when it is no CIE. */
enum cairn_status ehframe_cie_encoding(struct cairn_bytes bytes, bool big, uint8_t *encoding);

/* The range an FDE covers.  Encodings other than absolute and pc-relative are UNSUPPORTED. */
enum cairn_status ehframe_fde_range(struct cairn_bytes bytes, uint64_t address, size_t body,
                                    uint8_t encoding, bool big, uint64_t *start, uint64_t *size);

#endif
