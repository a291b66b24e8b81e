/* SPDX-License-Identifier: MIT */
/*
 * Reads the values of an element. Numbers are parsed like in llvm-symbolizer:
 *
 *	address = "0"+ | "0x" hex+                                  below 2^64
 *	integer = ("0x" | "0X") hex+ | ("0b" | "0B") bit+ | "0o" octal+ | "0" octal+ | digit+
 *	decimal = digit+
 *
 * Extra fields at the end of an element are ignored, except for frames, where they are the message.
 */
#include "markup.h"

#include "base/bytes_compare.h"
#include "base/hex.h"

#include <string.h>

static const uint8_t *end_of(struct cairn_bytes bytes)
{
	return bytes.data + bytes.size;
}

void markup_split(const struct markup_node *node, struct markup_fields *fields)
{
	const uint8_t *p = node->fields.data, *end = end_of(node->fields);

	fields->count = 0;
	while (node->has_fields) {
		const uint8_t *colon = memchr(p, ':', (size_t)(end - p));
		const uint8_t *stop = colon ? colon : end;
		if (fields->count < MARKUP_FIELDS)
			fields->field[fields->count] =
				(struct cairn_bytes){ p, (size_t)(stop - p) };
		fields->count++;
		if (!colon)
			break;
		p = colon + 1;
	}
}

static bool parse_number_in_base(struct cairn_bytes text, unsigned base, uint64_t *value)
{
	uint64_t sum = 0;
	const uint64_t most = UINT64_MAX / base;

	if (text.size == 0)
		return false;
	for (size_t i = 0; i < text.size; i++) {
		unsigned digit = hex_digit(text.data[i]);
		if (digit >= base || sum > most || sum * base > UINT64_MAX - digit)
			return false;
		sum = sum * base + digit;
	}
	*value = sum;
	return true;
}

static struct cairn_bytes skip_prefix(struct cairn_bytes text, size_t count)
{
	return (struct cairn_bytes){ text.data + count, text.size - count };
}

bool markup_decimal(struct cairn_bytes text, uint64_t *value)
{
	return parse_number_in_base(text, 10, value);
}

bool markup_address(struct cairn_bytes text, uint64_t *value)
{
	size_t zeros = 0;

	while (zeros < text.size && text.data[zeros] == '0')
		zeros++;
	if (text.size > 0 && zeros == text.size) {
		*value = 0;
		return true;
	}
	return text.size > 2 && text.data[0] == '0' && text.data[1] == 'x' &&
	       parse_number_in_base(skip_prefix(text, 2), 16, value);
}

bool markup_integer(struct cairn_bytes text, uint64_t *value)
{
	if (text.size < 2 || text.data[0] != '0')
		return parse_number_in_base(text, 10, value);
	switch (text.data[1]) {
	case 'x':
	case 'X':
		return parse_number_in_base(skip_prefix(text, 2), 16, value);
	case 'b':
	case 'B':
		return parse_number_in_base(skip_prefix(text, 2), 2, value);
	case 'o':
		return parse_number_in_base(skip_prefix(text, 2), 8, value);
	default:
		return parse_number_in_base(skip_prefix(text, 1), 8, value);
	}
}

bool markup_build_id(struct cairn_bytes digits, uint8_t *bytes, size_t room, size_t *size)
{
	size_t odd = digits.size % 2, count = digits.size / 2 + odd;

	if (count > room)
		return false;
	for (size_t i = 0; i < count; i++) {
		bool alone = odd && i == 0;
		unsigned high = alone ? 0 : hex_digit(digits.data[2 * i - odd]);
		unsigned low = hex_digit(digits.data[2 * i + 1 - odd]);
		if (high > 15 || low > 15)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	*size = count;
	return true;
}

static bool reject_field(struct markup_fault *fault, const char *what, struct cairn_bytes found)
{
	*fault = (struct markup_fault){ what, found, found.data };
	return false;
}

/* Reject an element with a wrong number of fields. The fault is located after the tag. */
static bool reject_field_count(struct markup_fault *fault, const char *what,
                               const struct markup_node *node)
{
	*fault = (struct markup_fault){ what, { end_of(node->name), 0 }, end_of(node->name) };
	return false;
}

static bool is_hex(struct cairn_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (hex_digit(text.data[i]) > 15)
			return false;
	return true;
}

bool markup_read_module(const struct markup_node *node, struct markup_module *module,
                        struct markup_fault *fault)
{
	struct markup_fields f;

	markup_split(node, &f);
	if (f.count < 3)
		return reject_field_count(fault, "a module has 4 fields: ID, name, type, build ID",
		                          node);
	if (!markup_integer(f.field[0], &module->id))
		return reject_field(fault, "expected a module ID", f.field[0]);
	if (!bytes_are(f.field[2], "elf"))
		return reject_field(fault, "expected the module type elf", f.field[2]);
	if (f.count < 4)
		return reject_field_count(fault, "a module has 4 fields: ID, name, type, build ID",
		                          node);
	if (!is_hex(f.field[3]))
		return reject_field(fault, "expected a build ID", f.field[3]);
	module->name = f.field[1];
	module->build_id = f.field[3];
	return true;
}

/* Read some of r, w and x in this order, in either case. */
static bool read_mode(struct cairn_bytes text, unsigned *mode)
{
	static const char letters[] = "rwx";
	size_t at = 0;

	*mode = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (at == text.size || (text.data[at] | 0x20) != letters[i])
			continue;
		*mode |= 1u << i;
		at++;
	}
	return text.size > 0 && at == text.size;
}

bool markup_read_mmap(const struct markup_node *node, struct markup_mmap *mmap,
                      struct markup_fault *fault)
{
	static const char count[] = "a mapping has 6 fields: start, size, load, module ID, "
				    "permissions, module-relative address";
	struct markup_fields f;

	markup_split(node, &f);
	if (f.count < 3)
		return reject_field_count(fault, count, node);
	if (!markup_address(f.field[0], &mmap->start))
		return reject_field(fault, "expected an address", f.field[0]);
	if (!markup_integer(f.field[1], &mmap->size))
		return reject_field(fault, "expected a size", f.field[1]);
	if (!bytes_are(f.field[2], "load"))
		return reject_field(fault, "expected the mapping type load", f.field[2]);
	if (f.count < 6)
		return reject_field_count(fault, count, node);
	if (!markup_integer(f.field[3], &mmap->module))
		return reject_field(fault, "expected a module ID", f.field[3]);
	if (!read_mode(f.field[4], &mmap->mode))
		return reject_field(fault, "expected permissions, some of r, w, x in this order",
		                    f.field[4]);
	if (!markup_address(f.field[5], &mmap->relative))
		return reject_field(fault, "expected an address", f.field[5]);
	mmap->module_text = f.field[3];
	return true;
}

/* Read the fields after the address: ra or pc, then the message. */
static void read_kind(const struct markup_node *node, const struct markup_fields *f, size_t at,
                      struct markup_frame *frame)
{
	const uint8_t *end = end_of(node->fields);

	frame->kind = MARKUP_PC_UNSPECIFIED;
	frame->message = (struct cairn_bytes){ end, 0 };
	frame->is_odd = false;
	if (f->count <= at)
		return;
	if (bytes_are(f->field[at], "ra"))
		frame->kind = MARKUP_PC_RETURN;
	else if (bytes_are(f->field[at], "pc"))
		frame->kind = MARKUP_PC_EXACT;
	else
		frame->is_odd = f->count == at + 1;
	if (frame->kind == MARKUP_PC_UNSPECIFIED)
		frame->message.data = f->field[at].data;
	else if (f->count > at + 1)
		frame->message.data = f->field[at + 1].data;
	frame->message.size = (size_t)(end - frame->message.data);
}

bool markup_read_frame(const struct markup_node *node, struct markup_frame *frame,
                       struct markup_fault *fault)
{
	struct markup_fields f;
	size_t at = node->tag == MARKUP_BT ? 1 : 0;

	markup_split(node, &f);
	if (f.count <= at)
		return reject_field_count(fault,
		                          at ? "a frame has at least 2 fields: number, address"
		                             : "expected a field: the address",
		                          node);
	frame->number = 0;
	if (at && !markup_decimal(f.field[0], &frame->number))
		return reject_field(fault, "expected the number of a frame", f.field[0]);
	if (!markup_address(f.field[at], &frame->address))
		return reject_field(fault, "expected an address", f.field[at]);
	frame->address_text = f.field[at];
	frame->fields = f.count;
	read_kind(node, &f, at + 1, frame);
	return true;
}

bool markup_read_symbol(const struct markup_node *node, struct cairn_bytes *name,
                        struct markup_fault *fault)
{
	struct markup_fields f;

	markup_split(node, &f);
	if (f.count == 0)
		return reject_field_count(fault, "expected a field: the name", node);
	*name = f.field[0];
	return true;
}
