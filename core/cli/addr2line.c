/* SPDX-License-Identifier: MIT */
/*
 * `cairn addr2line`: imitates addr2line of binutils 2.40, for programs such as perf that run it as
 * a child process and send it one request per line. Every line is a request, whatever it contains:
 * perf sends "," to find the end of an answer, and gets the answer for address 0.
 */
#include "cli/front/cli.h"
#include "cli/front/printed.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "output/location.h"

#include <cairn/dwarf.h>

#include <inttypes.h>

static const char about[] =
	"Print files and lines of addresses as addr2line of binutils does, for programs that\n"
	"start it, such as perf (docs/profiles.md). Addresses are hexadecimal; without any,\n"
	"read them from standard input. Symbols and debug files are found as by 'cairn\n"
	"where'.";

/* maximum size of a line in bytes; as in binutils, the rest of a longer line is the next request */
enum { QUESTION_MAX = 128 };

struct addr2line {
	const char *path, *directories;
	bool functions, inlines, addresses, demangle, basenames, pretty;
	int digits; /* width of printed addresses in hexadecimal digits */
	struct cairn_symbolizer *symbolizer;
	struct cairn_symbol_module module;
	struct allowance printed;
};

static uint64_t parse_address(const char *text)
{
	uint64_t va = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	for (unsigned digit; (digit = hex_digit((unsigned char)*text)) < 16; text++)
		va = va << 4 | digit;
	return va;
}

/* Answer a request. Flush the output, because the peer waits for the answer. */
static void answer_question(struct addr2line *a, const char *text)
{
	const uint64_t va = parse_address(text);
	struct cairn_symbol_answer answer = { .count = 0 };

	printed_begin_answer(&a->printed);
	if (a->addresses)
		printf("0x%0*" PRIx64 "%s", a->digits, va, a->pretty ? ": " : "\n");
	if (cairn_symbolizer_find(a->symbolizer, &a->module, &va, 1, &answer, sizeof(answer)) ==
	            CAIRN_OK &&
	    answer.count > 0) {
		/*
		 * print the containing function and, if requested, first the calls inlined into it
		 */
		for (size_t i = 0; i < answer.count; i++) {
			if (i > 0 && a->pretty)
				fputs(" (inlined by) ", stdout);
			const struct cairn_location l =
				printed_location(&a->printed, &answer.locations[i]);
			if (a->functions) {
				/*
				 * demangle C++ and Rust names as binutils does, and Swift names,
				 * too
				 */
				const bool is_mangled = bytes_begin_with(l.function, "_Z") ||
				                        bytes_begin_with(l.function, "_R") ||
				                        bytes_begin_with(l.function, "$s") ||
				                        bytes_begin_with(l.function, ".");
				const struct cairn_bytes name = a->demangle && is_mangled
				                                        ? demangled_name(l.function)
				                                        : l.function;
				print_addr2line_name(stdout,
				                     name.data == l.function.data
				                             ? name
				                             : printed_text(&a->printed, name));
				fputs(a->pretty ? " at " : "\n", stdout);
			}
			print_addr2line_place(stdout, &l, !a->basenames);
			if (!a->inlines || !answer.locations[i].inlined)
				break;
		}
	} else
		printf("%s??:0\n", !a->functions ? "" : a->pretty ? "?? " : "??\n");
	fflush(stdout);
}

static int answer_questions(struct addr2line *a, int count, char **texts)
{
	char text[QUESTION_MAX];

	for (int i = 0; i < count; i++)
		answer_question(a, texts[i]);
	while (count == 0 && fgets(text, sizeof(text), stdin))
		answer_question(a, text);
	return EXIT_CLEAN;
}

/* Open the program. A missing or invalid program is reported before any request is read. */
static int open_questioned(struct addr2line *a)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct os_file file;
	struct elf elf;

	if (!input_open_elf(a->path, &file, &elf))
		return EXIT_BROKEN;
	a->printed = printed_of(file.bytes.size);
	a->digits = elf.wide ? 16 : 8;
	os_file_close(&file);
	options.directories = a->directories;
	options.names = CAIRN_NAMES_DWARF;
	options.symbols_late = true;
	options.accept_unnamed = true;
	a->module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	a->module.path = a->path;
	a->symbolizer = cairn_symbolizer_new(&options);
	if (a->symbolizer && cairn_symbolizer_add(a->symbolizer, cairn_dwarf_source()) == CAIRN_OK)
		return EXIT_CLEAN;
	return fail_with(NULL, "out of memory");
}

int verb_addr2line(int argc, char **argv)
{
	struct addr2line a = { .path = "a.out" };
	const struct option options[] = {
		OPTION_WITH(RIGHT_FINDS, text, 'e', "exe", "FILE",
		            "the program, or its debug file (a.out)", &a.path),
		OPTION_FLAG_OF('f', "functions", "print functions too", &a.functions),
		OPTION_FLAG_OF('i', "inlines", "print the callers of inlined calls too",
		               &a.inlines),
		OPTION_FLAG_OF('a', "addresses", "print each address before its answer",
		               &a.addresses),
		OPTION_FLAG_OF('C', "demangle", "print demangled names of C++, Rust and Swift",
		               &a.demangle),
		OPTION_FLAG_OF('s', "basenames", "print files without directories", &a.basenames),
		OPTION_FLAG_OF('p', "pretty-print", "print each answer on one line", &a.pretty),
		OPTION_DIRECTORY(&a.directories),
	};
	const struct command command =
		COMMAND("cairn addr2line [OPTION...] [ADDRESS...]", about, options,
	                OPERANDS(0, OPERANDS_MANY, "ADDRESS"), .rights = RIGHT_FINDS);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	status = open_questioned(&a);
	if (status == EXIT_CLEAN)
		status = answer_questions(&a, argc, argv);
	cairn_symbolizer_free(a.symbolizer);
	return status;
}
