/* SPDX-License-Identifier: MIT */
/*
 * Reads the lines of /proc/kallsyms:
 *
 *	line = address " " type " " name ["\t[" module "]"] "\n"        the address has up to 16 hexadecimal digits
 */
#include "kallsyms.h"

#include "base/bytes.h"
#include "base/encoding.h"

#include <string.h>

enum { DIGITS_MAX = 16 };

struct kallsyms kallsyms_open(struct cairn_bytes bytes)
{
	return (struct kallsyms){ bytes, 0 };
}

static void drop_front(struct cairn_bytes *text, size_t size)
{
	text->data += size;
	text->size -= size;
}

static bool take_address(struct cairn_bytes *line, uint64_t *address)
{
	size_t digits = 0;

	for (*address = 0; digits < line->size && hex_digit(line->data[digits]) != HEX_NO_DIGIT;
	     digits++)
		*address = *address << 4 | hex_digit(line->data[digits]);
	if (digits == 0 || digits > DIGITS_MAX)
		return false;
	drop_front(line, digits);
	return true;
}

/* Remove the type and the blanks around it, such as " T ", from the start of the line. */
static bool take_type(struct cairn_bytes *line, char *type)
{
	if (line->size < 3 || line->data[0] != ' ' || line->data[2] != ' ')
		return false;
	*type = (char)line->data[1];
	drop_front(line, 3);
	return true;
}

static bool split_names(struct cairn_bytes text, struct kallsyms_symbol *symbol)
{
	const uint8_t *tab = text.size > 0 ? memchr(text.data, '\t', text.size) : NULL;
	const size_t length = tab ? (size_t)(tab - text.data) : text.size;

	symbol->name =
		(struct cairn_bytes){ text.data, length < KALLSYMS_NAME ? length : KALLSYMS_NAME };
	drop_front(&text, length);
	symbol->module = (struct cairn_bytes){ text.data, 0 };
	if (text.size > 3 && text.data[1] == '[' && text.data[text.size - 1] == ']')
		symbol->module = (struct cairn_bytes){ text.data + 2, text.size - 3 };
	return symbol->name.size > 0;
}

bool kallsyms_next(struct kallsyms *list, struct kallsyms_symbol *symbol)
{
	while (list->at < list->in.size) {
		const struct cairn_bytes rest = { list->in.data + list->at,
			                          list->in.size - list->at };
		struct cairn_bytes line = bytes_before(rest, '\n');
		list->at += line.size + 1;
		if (take_address(&line, &symbol->address) && take_type(&line, &symbol->type) &&
		    split_names(line, symbol))
			return true;
	}
	return false;
}
