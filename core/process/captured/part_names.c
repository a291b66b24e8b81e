/* SPDX-License-Identifier: MIT */
/* Names the parts of pages that stand in for code in no module, by what the log calls there. */
#include "captured_stacks.h"

#include "base/bytes_compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The function that the log has for all frames of a part; empty: it has none, or several. */
static struct cairn_bytes find_only_function(const struct captured *c, struct cairn_range part)
{
	struct cairn_bytes only = { c->options->text.data, 0 };

	for (size_t i = 0; i < c->step_count; i++) {
		const struct captured_step *step = &c->steps[i];
		if (!step->known || step->pc < part.low || step->pc >= part.high)
			continue;
		const struct cairn_bytes function = step->frame.function;
		if (function.size == 0 || (only.size > 0 && !bytes_equal(only, function)))
			return (struct cairn_bytes){ only.data, 0 };
		only = function;
	}
	return only;
}

/* Puts letters and digits of a function's name, without its arguments, into `out`; others become "_". */
static int put_plain_name(char *out, size_t room, struct cairn_bytes function)
{
	size_t size = 0;

	for (size_t i = 0; i < function.size && size + 1 < room; i++) {
		const uint8_t byte = function.data[i];
		const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		                   (byte >= '0' && byte <= '9');
		if (byte == '(' || byte == '<')
			break;
		if (plain || (size > 0 && out[size - 1] != '_'))
			out[size++] = plain ? (char)byte : '_';
	}
	return (int)size;
}

struct cairn_bytes captured_name_part(struct captured *c, struct cairn_range part)
{
	enum { NAME_MAX_SIZE = 96, FUNCTION_ROOM = 64 };
	struct captured_kept *kept = malloc(sizeof(*kept) + NAME_MAX_SIZE);
	char function[FUNCTION_ROOM];

	c->scarce = c->scarce || !kept;
	if (!kept)
		return (struct cairn_bytes){ c->options->text.data, 0 };
	kept->next = c->kept;
	c->kept = kept;
	const int plain = put_plain_name(function, sizeof(function), find_only_function(c, part));
	const int size = snprintf((char *)kept->text, NAME_MAX_SIZE, "%.*s-%" PRIx64,
	                          plain > 0 ? plain : 4, plain > 0 ? function : "code", part.low);
	return (struct cairn_bytes){ kept->text, (size_t)size };
}
