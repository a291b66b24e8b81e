/* SPDX-License-Identifier: MIT */
/* Writes the .debug_abbrev section of a symbol object. */
#include "abbrevs.h"

enum {
	TAG_LABEL = 0x0a,
	TAG_LEXICAL_BLOCK = 0x0b,
	TAG_COMPILE_UNIT = 0x11,
	TAG_STRUCTURE_TYPE = 0x13,
	TAG_INLINED_SUBROUTINE = 0x1d,
	TAG_SUBPROGRAM = 0x2e,
	TAG_TEMPLATE_VALUE_PARAMETER = 0x30,
	TAG_NAMESPACE = 0x39,
	AT_LOCATION = 0x02,
	AT_NAME = 0x03,
	AT_STMT_LIST = 0x10,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_LANGUAGE = 0x13,
	AT_INLINE = 0x20,
	AT_PRODUCER = 0x25,
	AT_ABSTRACT_ORIGIN = 0x31,
	AT_DECL_FILE = 0x3a,
	AT_EXTERNAL = 0x3f,
	AT_ENTRY_PC = 0x52,
	AT_RANGES = 0x55,
	AT_CALL_FILE = 0x58,
	AT_CALL_LINE = 0x59,
	AT_LINKAGE_NAME = 0x6e,
	FORM_ADDR = 0x01,
	FORM_DATA2 = 0x05,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_REF_UDATA = 0x15,
	FORM_SEC_OFFSET = 0x17,
	FORM_FLAG_PRESENT = 0x19,
	FORM_LINE_STRP = 0x1f,
	FORM_IMPLICIT_CONST = 0x21,
	INL_DECLARED_INLINED = 3,
};

/* A kind of entry. The bits of a code select its attributes. */
struct kind {
	uint8_t tag;
	bool children; /* independent of WITH_CHILDREN */
	struct attribute {
		uint8_t name, form;
		uint8_t with, without; /* bits that must be set, and bits that must not be set */
	} attribute[10];               /* ends with name 0 */
};

static const struct kind unit = { TAG_COMPILE_UNIT,
	                          true,
	                          { { AT_PRODUCER, FORM_STRP, 0, 0 },
	                            { AT_LANGUAGE, FORM_DATA2, 0, 0 },
	                            { AT_NAME, FORM_LINE_STRP, WITH_LINES, 0 },
	                            { AT_NAME, FORM_STRP, 0, WITH_LINES },
	                            { AT_STMT_LIST, FORM_SEC_OFFSET, WITH_LINES, 0 },
	                            { AT_LOW_PC, FORM_ADDR, 0, 0 }, /* base of the range lists */
	                            { AT_RANGES, FORM_SEC_OFFSET, WITH_RANGES, 0 },
	                            { AT_HIGH_PC, FORM_UDATA, 0, WITH_RANGES } } };

static const struct kind abstract = { TAG_SUBPROGRAM,
	                              false,
	                              { { AT_NAME, FORM_STRP, 0, 0 },
	                                { AT_LINKAGE_NAME, FORM_STRP, WITH_LINKAGE, 0 },
	                                { AT_INLINE, FORM_IMPLICIT_CONST, 0, 0 } } };

static const struct kind scope = { TAG_NAMESPACE, true, { { AT_NAME, FORM_STRP, 0, 0 } } };

/* GDB discards a block without symbols, so each block contains a label. */
static const struct kind block = { TAG_LEXICAL_BLOCK,
	                           true,
	                           { { AT_LOW_PC, FORM_ADDR, 0, 0 },
	                             { AT_HIGH_PC, FORM_UDATA, 0, 0 } } };
static const struct kind label = {
	TAG_LABEL, false, { { AT_NAME, FORM_STRP, 0, 0 }, { AT_LOW_PC, FORM_ADDR, 0, 0 } }
};

static const struct kind template = { TAG_STRUCTURE_TYPE, true, { { 0, 0, 0, 0 } } };
static const struct kind parameter = { TAG_TEMPLATE_VALUE_PARAMETER,
	                               false,
	                               { { AT_NAME, FORM_STRP, 0, 0 },
	                                 { AT_LOCATION, FORM_SEC_OFFSET, 0, 0 } } };

static const struct kind call = { TAG_INLINED_SUBROUTINE,
	                          false,
	                          { { AT_ABSTRACT_ORIGIN, FORM_REF_UDATA, 0, 0 },
	                            { AT_RANGES, FORM_SEC_OFFSET, WITH_RANGES, 0 },
	                            { AT_LOW_PC, FORM_ADDR, 0, WITH_RANGES },
	                            { AT_HIGH_PC, FORM_UDATA, 0, WITH_RANGES },
	                            { AT_ENTRY_PC, FORM_ADDR, WITH_ENTRY, 0 },
	                            { AT_CALL_FILE, FORM_UDATA, 0, 0 },
	                            { AT_CALL_LINE, FORM_UDATA, 0, 0 } } };

static const struct kind function = { TAG_SUBPROGRAM,
	                              false,
	                              { { AT_NAME, FORM_STRP, 0, 0 },
	                                { AT_LINKAGE_NAME, FORM_STRP, WITH_LINKAGE, 0 },
	                                { AT_EXTERNAL, FORM_FLAG_PRESENT, 0, 0 },
	                                { AT_DECL_FILE, FORM_UDATA, WITH_LINES, 0 },
	                                { AT_RANGES, FORM_SEC_OFFSET, WITH_RANGES, 0 },
	                                { AT_LOW_PC, FORM_ADDR, 0, WITH_RANGES },
	                                { AT_HIGH_PC, FORM_UDATA, 0, WITH_RANGES } } };

static void write_abbrev(struct byte_buffer *b, unsigned code, const struct kind *kind,
                         unsigned bits)
{
	byte_buffer_uleb(b, code);
	byte_buffer_uleb(b, kind->tag);
	byte_buffer_u8(b, kind->children || (bits & WITH_CHILDREN));
	for (const struct attribute *a = kind->attribute; a->name != 0; a++) {
		if ((a->with && !(bits & a->with)) || (bits & a->without))
			continue;
		byte_buffer_uleb(b, a->name);
		byte_buffer_uleb(b, a->form);
		if (a->form == FORM_IMPLICIT_CONST)
			byte_buffer_sleb(b, INL_DECLARED_INLINED);
	}
	byte_buffer_number(b, 0, 2);
}

void elf_writer_write_abbrevs(struct byte_buffer *b, bool entries)
{
	for (unsigned bits = 0; bits < 8; bits += 2)
		write_abbrev(b, UNIT + bits, &unit, bits);
	write_abbrev(b, ABSTRACT, &abstract, 0);
	write_abbrev(b, ABSTRACT + 1, &abstract, WITH_LINKAGE);
	write_abbrev(b, SCOPE, &scope, 0);
	write_abbrev(b, BLOCK, &block, 0);
	write_abbrev(b, LABEL, &label, 0);
	write_abbrev(b, TEMPLATE, &template, 0);
	write_abbrev(b, PARAMETER, &parameter, 0);
	for (unsigned bits = 0; bits < (entries ? 8 : 4); bits++)
		write_abbrev(b, CALL + bits, &call, bits);
	for (unsigned bits = 0; bits < 16; bits++)
		write_abbrev(b, FUNCTION + bits, &function, bits);
	byte_buffer_u8(b, 0);
}
