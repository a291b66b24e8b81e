/* SPDX-License-Identifier: MIT */
/*
 * Prints paths and their generic arguments:
 *
 *	path = "C" identifier                     a crate
 *	     | "N" letter path identifier         a capital: a closure or shim
 *	     | "M" impl type | "X" impl type path | "Y" type path
 *	     | "I" path argument* "E" | "B" number
 *	impl = ["s" number] path
 *	argument = "L" number | "K" constant | type
 */
#include "parts.h"

/* Print a part such as "{closure#0}" or "{shim:vtable#0}". */
static void print_special_part(struct rust_name *r, uint8_t letter,
                               struct rust_identifier identifier)
{
	char text = (char)letter;

	rust_word(r, "::{");
	if (letter == 'C')
		rust_word(r, "closure");
	else if (letter == 'S')
		rust_word(r, "shim");
	else
		rust_bytes(r, &text, 1);
	if (identifier.ascii.size + identifier.code.size > 0) {
		rust_word(r, ":");
		rust_print_identifier(r, identifier);
	}
	rust_word(r, "#");
	rust_decimal(r, identifier.number);
	rust_word(r, "}");
}

static void print_nested_path(struct rust_name *r, bool value)
{
	uint8_t letter = rust_next(r);

	if (!((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z'))
		rust_fail(r);
	rust_path(r, value);
	struct rust_identifier identifier = rust_read_identifier(r);
	if (letter >= 'A' && letter <= 'Z') {
		print_special_part(r, letter, identifier);
	} else if (identifier.ascii.size + identifier.code.size > 0) {
		rust_word(r, "::");
		rust_print_identifier(r, identifier);
	}
}

/* Skip the path of the module that contains an impl. */
static void skip_impl(struct rust_name *r)
{
	bool silent = r->silent;

	(void)rust_optional_number(r, 's');
	r->silent = true;
	rust_path(r, false);
	r->silent = silent;
}

static void print_impl(struct rust_name *r, uint8_t kind)
{
	if (kind != 'Y')
		skip_impl(r);
	rust_word(r, "<");
	rust_type(r);
	if (kind != 'M') {
		rust_word(r, " as ");
		rust_path(r, false);
	}
	rust_word(r, ">");
}

static void read_generic_argument(struct rust_name *r)
{
	if (rust_take(r, 'L'))
		rust_lifetime(r, rust_number(r));
	else if (rust_take(r, 'K'))
		rust_constant(r, false);
	else
		rust_type(r);
}

static void print_open_instance(struct rust_name *r, bool value)
{
	rust_path(r, value);
	rust_word(r, value ? "::<" : "<");
	(void)rust_list(r, ", ", read_generic_argument);
}

static void print_path_reference(struct rust_name *r, bool value)
{
	size_t back = rust_begin_reference(r);

	if (back == SIZE_MAX)
		return;
	rust_path(r, value);
	r->at = r->failed ? r->name.size : back;
}

void rust_path(struct rust_name *r, bool value)
{
	if (!rust_enter(r))
		return;
	uint8_t kind = rust_next(r);
	switch (kind) {
	case 'C':
		rust_print_identifier(r, rust_read_identifier(r));
		break;
	case 'N':
		print_nested_path(r, value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		print_impl(r, kind);
		break;
	case 'I':
		print_open_instance(r, value);
		rust_word(r, ">");
		break;
	case 'B':
		print_path_reference(r, value);
		break;
	default:
		rust_fail(r);
		break;
	}
	rust_leave(r);
}

bool rust_open_path(struct rust_name *r)
{
	bool open = false;

	if (!rust_enter(r))
		return false;
	if (rust_take(r, 'B')) {
		size_t back = rust_begin_reference(r);
		if (back != SIZE_MAX) {
			open = rust_open_path(r);
			r->at = r->failed ? r->name.size : back;
		}
	} else if (rust_take(r, 'I')) {
		print_open_instance(r, false);
		open = true;
	} else {
		rust_path(r, false);
	}
	rust_leave(r);
	return open;
}
