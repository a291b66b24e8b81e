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

static void abbrev_pair(struct byte_buffer *b, unsigned attribute, unsigned form)
{
	byte_buffer_uleb(b, attribute);
	byte_buffer_uleb(b, form);
}

static void abbrev_begin(struct byte_buffer *b, unsigned code, unsigned tag, bool children)
{
	byte_buffer_uleb(b, code);
	byte_buffer_uleb(b, tag);
	byte_buffer_u8(b, children);
}

static void abbrev_code(struct byte_buffer *b, unsigned bits)
{
	if (bits & WITH_RANGES) {
		abbrev_pair(b, AT_RANGES, FORM_SEC_OFFSET);
		return;
	}
	abbrev_pair(b, AT_LOW_PC, FORM_ADDR);
	abbrev_pair(b, AT_HIGH_PC, FORM_UDATA);
}

static void abbrev_unit(struct byte_buffer *b, unsigned bits)
{
	abbrev_begin(b, UNIT + bits, TAG_COMPILE_UNIT, true);
	abbrev_pair(b, AT_PRODUCER, FORM_STRP);
	abbrev_pair(b, AT_LANGUAGE, FORM_DATA2);
	abbrev_pair(b, AT_NAME, bits & WITH_LINES ? FORM_LINE_STRP : FORM_STRP);
	if (bits & WITH_LINES)
		abbrev_pair(b, AT_STMT_LIST, FORM_SEC_OFFSET);
	if (bits & WITH_RANGES) /* what they count from */
		abbrev_pair(b, AT_LOW_PC, FORM_ADDR);
	abbrev_code(b, bits);
	abbrev_pair(b, 0, 0);
}

static void abbrev_names(struct byte_buffer *b, unsigned bits)
{
	abbrev_pair(b, AT_NAME, FORM_STRP);
	if (bits & WITH_LINKAGE)
		abbrev_pair(b, AT_LINKAGE_NAME, FORM_STRP);
}

static void abbrev_abstract(struct byte_buffer *b, unsigned bits)
{
	abbrev_begin(b, ABSTRACT + (bits ? 1 : 0), TAG_SUBPROGRAM, false);
	abbrev_names(b, bits);
	abbrev_pair(b, AT_INLINE, FORM_IMPLICIT_CONST);
	byte_buffer_sleb(b, INL_DECLARED_INLINED);
	abbrev_pair(b, 0, 0);
}

static void abbrev_scope(struct byte_buffer *b)
{
	abbrev_begin(b, SCOPE, TAG_NAMESPACE, true);
	abbrev_names(b, 0);
	abbrev_pair(b, 0, 0);
}

/* GDB drops a block without symbols, so there is a label in it. */
static void abbrev_block(struct byte_buffer *b)
{
	abbrev_begin(b, BLOCK, TAG_LEXICAL_BLOCK, true);
	abbrev_code(b, 0);
	abbrev_pair(b, 0, 0);
	abbrev_begin(b, LABEL, TAG_LABEL, false);
	abbrev_names(b, 0);
	abbrev_pair(b, AT_LOW_PC, FORM_ADDR);
	abbrev_pair(b, 0, 0);
}

static void abbrev_template(struct byte_buffer *b)
{
	abbrev_begin(b, TEMPLATE, TAG_STRUCTURE_TYPE, true);
	abbrev_pair(b, 0, 0);
	abbrev_begin(b, PARAMETER, TAG_TEMPLATE_VALUE_PARAMETER, false);
	abbrev_names(b, 0);
	abbrev_pair(b, AT_LOCATION, FORM_SEC_OFFSET);
	abbrev_pair(b, 0, 0);
}

static void abbrev_call(struct byte_buffer *b, unsigned bits)
{
	abbrev_begin(b, CALL + bits, TAG_INLINED_SUBROUTINE, bits & WITH_CHILDREN);
	abbrev_pair(b, AT_ABSTRACT_ORIGIN, FORM_REF_UDATA);
	abbrev_code(b, bits);
	if (bits & WITH_ENTRY)
		abbrev_pair(b, AT_ENTRY_PC, FORM_ADDR);
	abbrev_pair(b, AT_CALL_FILE, FORM_UDATA);
	abbrev_pair(b, AT_CALL_LINE, FORM_UDATA);
	abbrev_pair(b, 0, 0);
}

static void abbrev_function(struct byte_buffer *b, unsigned bits)
{
	abbrev_begin(b, FUNCTION + bits, TAG_SUBPROGRAM, bits & WITH_CHILDREN);
	abbrev_names(b, bits);
	abbrev_pair(b, AT_EXTERNAL, FORM_FLAG_PRESENT);
	if (bits & WITH_LINES)
		abbrev_pair(b, AT_DECL_FILE, FORM_UDATA);
	abbrev_code(b, bits);
	abbrev_pair(b, 0, 0);
}

void elf_writer_write_abbrevs(struct byte_buffer *b, bool entries)
{
	for (unsigned bits = 0; bits < 8; bits += 2)
		abbrev_unit(b, bits);
	abbrev_abstract(b, 0);
	abbrev_abstract(b, WITH_LINKAGE);
	abbrev_scope(b);
	abbrev_block(b);
	abbrev_template(b);
	for (unsigned bits = 0; bits < (entries ? 8 : 4); bits++)
		abbrev_call(b, bits);
	for (unsigned bits = 0; bits < 16; bits++)
		abbrev_function(b, bits);
	byte_buffer_u8(b, 0);
}
