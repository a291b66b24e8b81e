/* SPDX-License-Identifier: MIT */
/* Prints a line of a stack as users of GDB know it. */
#include "bt.h"

#include "output/color.h"
#include "output/digits.h"
#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_colored(struct cairn_bytes text, bool color, enum text_color which)
{
	color_begin(stdout, color, which);
	print_text(stdout, text);
	color_end(stdout, color);
}

/* A name that says no parameters gets dots where the source has some, and nothing where nobody knows. */
static void print_function_name(const struct frame_line *line, bool color)
{
	const struct cairn_bytes name = line->function;

	if (name.size == 0) {
		fputs("?? ()", stdout);
		return;
	}
	print_colored(name, color, TEXT_FUNCTION);
	if (!memchr(name.data, '(', name.size))
		fputs(line->place.line > 0 ? " (...)" : " ()", stdout);
}

/* A frame without a name shows its module and offset, which can be looked up elsewhere. */
static void print_module_name(const struct frame_line *line, bool color)
{
	if (line->module.size > 0) {
		fputs(" from ", stdout);
		print_colored(line->module, color, TEXT_FILE);
	}
	if (!line->known && line->has_offset)
		printf("+0x%" PRIx64, line->module_offset);
}

static void print_place(const struct frame_line *line, bool color)
{
	fputs(" at ", stdout);
	color_begin(stdout, color, TEXT_FILE);
	print_source_location(stdout, &line->place);
	color_end(stdout, color);
}

/* "/lib/x86_64-linux-gnu/libc.so.6" */
static bool is_library(struct cairn_bytes path)
{
	static const char mark[] = ".so";
	const size_t size = sizeof(mark) - 1;

	for (size_t i = path.size; i-- > 0 && path.data[i] != '/';)
		if (path.size - i >= size && memcmp(path.data + i, mark, size) == 0)
			return true;
	return false;
}

/* "#1  " or "#12 " */
static void print_level(size_t level)
{
	char text[2 + DIGITS_MAX], *end = text + sizeof(text);
	char *first = digits_before(end - 1, level, 10);

	end[-1] = ' ';
	*--first = '#';
	fwrite(first, 1, (size_t)(end - first), stdout);
	if (level < 10)
		putchar(' ');
}

/* With all its digits. */
static void print_address(uint64_t address)
{
	enum { WIDTH = 16 };
	char text[WIDTH + DIGITS_MAX];
	char *end = text + sizeof(text), *first = digits_before(end, address, 16);

	while (end - first < WIDTH)
		*--first = '0';
	*--first = 'x';
	*--first = '0';
	fwrite(first, 1, (size_t)(end - first), stdout);
}

void frame_line_print(const struct frame_line *line, bool color)
{
	const bool dim = color && is_library(line->module);

	color_begin(stdout, dim, TEXT_DIM);
	color &= !dim;
	print_level(line->level);
	if (line->has_address) {
		color_begin(stdout, color, TEXT_ADDRESS);
		print_address(line->pc);
		color_end(stdout, color);
		fputs(" in ", stdout);
	}
	/* the trampoline has no name in libraries whose other frames have names: `??` would say that symbols are missing */
	if (line->signal)
		fputs(line->known ? "<signal handler called> " : "<signal handler called>", stdout);
	if (line->known || !line->signal) {
		print_function_name(line, color);
		if (line->known && (line->place.line > 0 || line->place.file.size > 0))
			print_place(line, color);
		else
			print_module_name(line, color);
	}
	/* what nothing proves may be what an earlier call left there */
	if (line->guess)
		printf(" [%s]", line->guess);
	color_end(stdout, dim);
	putchar('\n');
}
