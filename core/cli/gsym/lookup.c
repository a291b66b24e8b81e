/* SPDX-License-Identifier: MIT */
/*
 * `cairn gsym lookup`: parses addresses and prints their functions and lines. `cairn where` uses
 * this code, too.
 */
#include "lookup.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/path.h"
#include "cli/front/rights.h"
#include "formats/captured_text.h"
#include "output/escape.h"
#include "output/location.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reply {
	uint64_t va;
	const struct cairn_symbol_answer *answer;
};

struct chain {
	const struct cairn_location *locations;
	size_t count;
};

/* Step to the next function with the same code. Zero-initialize the chain before the first call. */
static bool next_folded(const struct reply *reply, struct chain *chain)
{
	const struct cairn_symbol_answer *answer = reply->answer;

	/* no functions were merged with this one, and `locations` may be NULL */
	if (answer->count == answer->all)
		return false;
	chain->locations = chain->locations ? chain->locations + chain->count
	                                    : answer->locations + answer->count;
	for (chain->count = 0; chain->locations + chain->count < answer->locations + answer->all;)
		if (!chain->locations[chain->count++].inlined)
			break;
	return chain->count > 0;
}

/*
 * Return the linkage name or the demangled name. A demangled name counts against the print limit,
 * because it may be much longer.
 */
static struct cairn_bytes choose_name(struct lookup *lookup, struct cairn_bytes linkage)
{
	const struct cairn_bytes name = lookup->linkage_names ? linkage : demangled_name(linkage);

	return name.data == linkage.data ? linkage : printed_text(&lookup->printed, name);
}

static void print_location_text(struct lookup *lookup, const struct cairn_location *location)
{
	const struct cairn_location l = printed_location(&lookup->printed, location);

	const struct cairn_bytes name = choose_name(lookup, l.function);
	if (name.size)
		print_text(stdout, name);
	else
		fputs("??", stdout);
	if (l.offset)
		printf("+0x%" PRIx64, l.offset);
	if (l.file.size || l.directory.size || l.line) {
		fputs(" at ", stdout);
		print_source_location(stdout, &l);
	}
	putchar('\n');
}

static void print_reply_text(struct lookup *lookup, const struct reply *reply)
{
	const struct cairn_symbol_answer *answer = reply->answer;
	struct chain other = { NULL, 0 };

	printf("0x%" PRIx64 ": ", reply->va);
	if (answer->count == 0)
		puts(answer->status == CAIRN_NOT_FOUND ? "no function covers it"
		                                       : "its record is damaged");
	for (size_t i = 0; i < answer->count; i++) {
		if (i > 0)
			fputs("  inlined into ", stdout);
		print_location_text(lookup, &answer->locations[i]);
	}
	while (next_folded(reply, &other)) {
		fputs("  same code: ", stdout);
		for (size_t i = 0; i < other.count; i++) {
			if (i > 0)
				fputs("    inlined into ", stdout);
			print_location_text(lookup, &other.locations[i]);
		}
	}
}

static void print_location_lines(struct lookup *lookup, const struct cairn_location *location)
{
	const struct cairn_location l = printed_location(&lookup->printed, location);

	putchar(' ');
	print_word(stdout, l.function);
	printf(" 0x%" PRIx64 " ", l.start);
	print_source_location_word(stdout, &l);
}

static void print_reply_lines(struct lookup *lookup, const struct reply *reply)
{
	struct chain other = { NULL, 0 };

	const enum cairn_status status = reply->answer->status;
	printf("0x%" PRIx64 " %s ", reply->va, cairn_status_name(status));
	if (status == CAIRN_OK || status == CAIRN_NOT_FOUND)
		putchar('-');
	else
		printf("%" PRIu64, reply->answer->fault.offset);
	for (size_t i = 0; i < reply->answer->count; i++)
		print_location_lines(lookup, &reply->answer->locations[i]);
	while (next_folded(reply, &other)) {
		fputs(" same-code", stdout);
		for (size_t i = 0; i < other.count; i++)
			print_location_lines(lookup, &other.locations[i]);
	}
	putchar('\n');
}

static void print_location_json(struct lookup *lookup, const struct cairn_location *location)
{
	const struct cairn_location bounded = printed_location(&lookup->printed, location);

	const struct cairn_bytes readable = demangled_name(bounded.function);

	json_location_named(&lookup->json, &bounded,
	                    readable.data == bounded.function.data
	                            ? (struct cairn_bytes){ readable.data, 0 }
	                            : printed_text(&lookup->printed, readable));
}

static void print_folded_json(struct lookup *lookup, const struct reply *reply)
{
	struct json *j = &lookup->json;
	struct chain other = { NULL, 0 };

	if (reply->answer->all == reply->answer->count)
		return;
	json_array(j, "same_code");
	while (next_folded(reply, &other)) {
		json_array(j, NULL);
		for (size_t i = 0; i < other.count; i++)
			print_location_json(lookup, &other.locations[i]);
		json_end(j);
	}
	json_end(j);
}

static void lookup_end_answer(struct lookup *lookup, uint64_t va)
{
	if (!lookup->printed.over)
		return;
	lookup->status = fail_with(lookup->input.path,
	                           "0x%" PRIx64 ": names of inlined functions exceed the size "
	                           "limit; the remaining names are omitted",
	                           va);
}

static void lookup_print(struct lookup *lookup, uint64_t va,
                         const struct cairn_symbol_answer *answer)
{
	const struct reply reply = { va, answer };

	printed_begin_answer(&lookup->printed);
	if (lookup->style == STYLE_ADDR2LINE) {
		/*
		 * the format of `addr2line -fi`: two lines per location, with "??" for unknown
		 * parts
		 */
		if (reply.answer->count == 0)
			puts("??\n??:0");
		for (size_t i = 0; i < reply.answer->count; i++) {
			const struct cairn_location bounded =
				printed_location(&lookup->printed, &reply.answer->locations[i]);
			print_addr2line_name(stdout, bounded.function);
			putchar('\n');
			print_addr2line_place(stdout, &bounded, true);
		}
	} else if (lookup->form == FORM_JSON) {
		struct json *j = &lookup->json;
		json_object(j, NULL);
		json_address(j, "address", reply.va);
		json_string(j, "outcome", cairn_status_name(reply.answer->status));
		if (reply.answer->status != CAIRN_OK && reply.answer->status != CAIRN_NOT_FOUND) {
			json_number(j, "offset", reply.answer->fault.offset);
			json_string(j, "what", reply.answer->fault.what);
		}
		json_array(j, "frames");
		for (size_t i = 0; i < reply.answer->count; i++)
			print_location_json(lookup, &reply.answer->locations[i]);
		json_end(j);
		print_folded_json(lookup, &reply);
		json_end(j);
	} else if (lookup->form == FORM_LINES)
		print_reply_lines(lookup, &reply);
	else
		print_reply_text(lookup, &reply);
	if (answer->status == CAIRN_NOT_FOUND) {
		lookup->status = choose_worse(lookup->status, EXIT_MISSING);
	} else if (answer->status != CAIRN_OK) {
		print_fault_diagnostic(lookup->input.path, NULL, &answer->fault,
		                       "the result is incomplete");
		lookup->status = EXIT_BROKEN;
	}
	lookup_end_answer(lookup, va);
}

/* Print a result for a line that is not an address, too, so that there is one result per line. */
static void lookup_print_no_address(struct lookup *lookup, const char *text)
{
	struct cairn_bytes bytes = borrow_string(text);

	if (lookup->style == STYLE_ADDR2LINE) {
		puts("??\n??:0");
	} else if (lookup->form == FORM_JSON) {
		json_object(&lookup->json, NULL);
		json_string(&lookup->json, "address", text);
		json_string(&lookup->json, "outcome", "bad-address");
		json_end(&lookup->json);
	} else {
		if (lookup->form == FORM_LINES || bytes.size == 0)
			print_word(stdout, bytes);
		else
			print_text(stdout, bytes);
		puts(lookup->form == FORM_LINES ? " bad-address -" : ": no address");
	}
	print_diagnostic(lookup->input.path,
	                 lookup->style == STYLE_CAIRN
	                         ? "expected an address (decimal, or hexadecimal with 0x) or the "
	                           "name of a function"
	                         : "expected an address (decimal, or hexadecimal with 0x)");
	lookup->status = choose_worse(lookup->status, EXIT_USAGE);
}

/*
 * Imitates the output of llvm-gsymutil (19.1.7; 23.1.4 for merged functions) for scripts that parse
 * it, including these errors in LLVM's reader:
 *
 *   - it considers only the functions with the closest start at or below the address, and takes the
 *     first one that has no size or contains the address;
 *   - an address before the first row, or in a row without a file, is an error;
 *   - it omits inlined calls without a call location, and all inlined calls without a line table;
 *   - offsets have 32 bits;
 *   - it always puts a separator between the parts of a path.
 */

enum { LINE_MAX_BYTES = 8192, NAME_MAX_BYTES = 1 << 16 };

/* Find the function that LLVM's reader finds. Return false if LLVM's reader fails. */
static bool find_llvm_function(const struct gsym *gsym, uint64_t va, struct gsym_function *function)
{
	uint32_t index = gsym_search(gsym, va), first = index;
	struct cairn_fault fault;

	if (index == gsym->functions)
		return false;
	while (first > 0 && gsym_offset(gsym, first - 1) == gsym_offset(gsym, index))
		first--;
	for (; first <= index; first++) {
		if (gsym_function(gsym, first, function, &fault) != CAIRN_OK)
			return false;
		uint64_t end = function->start + function->size;
		if (function->size == 0 || (va >= function->start && va < end))
			return true;
	}
	return false;
}

static bool has_path(const struct cairn_location *l)
{
	return l->directory.size || l->file.size;
}

static void print_location(const struct cairn_location *named, const struct cairn_location *place)
{
	print_plain_location(stdout, named->function);
	if ((uint32_t)named->offset > 0)
		printf(" + %" PRIu32, (uint32_t)named->offset);
	if (!has_path(place))
		return;
	fputs(" @ ", stdout);
	bool slash = memchr(place->directory.data, '/', place->directory.size) != NULL;
	bool backslash = memchr(place->directory.data, '\\', place->directory.size) != NULL;
	print_plain_location(stdout, place->directory);
	if (place->directory.size)
		putchar(backslash && !slash ? '\\' : '/');
	if (place->file.size)
		print_plain_location(stdout, place->file);
	else
		fputs("<invalid-file>", stdout);
	printf(":%" PRIu32, place->line);
}

static bool print_error(const struct gsym *gsym, const struct gsym_lookup *lookup)
{
	if (lookup->has_lines && (!lookup->has_row || lookup->row.file == 0))
		printf("error: address 0x%" PRIx64 " is not in the line table\n", lookup->va);
	else if (lookup->has_row && lookup->row.file >= gsym->files)
		printf("error: failed to extract file[%" PRIu32 "]\n", lookup->row.file);
	else
		return false;
	return true;
}

static void print_function(const struct gsym *gsym, const struct gsym_function *function,
                           uint64_t va, struct allowance *printed)
{
	struct gsym_lookup lookup;

	printf("0x%016" PRIx64 ": ", va);
	gsym_lookup_in_function(gsym, function, va, &lookup);
	if (!print_error(gsym, &lookup)) {
		/*
		 * read one location ahead, because the next location decides whether LLVM omits
		 * this one
		 */
		struct cairn_location current, next, place;
		gsym_next_location(&lookup, &current);
		current = place = printed_location(printed, &current);
		while (gsym_next_location(&lookup, &next)) {
			next = printed_location(printed, &next);
			if (lookup.has_lines && has_path(&next)) {
				print_location(&current, &place);
				printf(" [inlined]\n%20s", "");
				place = next;
			}
			current = next;
		}
		print_location(&current, &place);
		putchar('\n');
	}
}

static bool find_merged(const struct gsym *gsym, const struct gsym_function *function,
                        struct gsym_merged *merged)
{
	struct gsym_blocks blocks = gsym_blocks(gsym, function);
	struct gsym_block block;
	bool found = false;

	while (gsym_next_block(&blocks, &block))
		if (block.type == GSYM_MERGED) {
			*merged = gsym_merged(gsym, function, &block);
			found = true;
		}
	return found;
}

static bool is_wanted(const struct lookup *lookup, const struct gsym_function *function)
{
	/* regexec() needs a NUL-terminated string, so match a copy of at most 64 KiB */
	const struct cairn_bytes name = gsym_text(lookup->input.gsym, function->name);
	static char text[NAME_MAX_BYTES + 1];
	size_t size = name.size < NAME_MAX_BYTES ? name.size : NAME_MAX_BYTES;
	if (lookup->filter->count == 0)
		return true;
	if (size > 0)
		memcpy(text, name.data, size);
	text[size] = '\0';
	for (size_t i = 0; i < lookup->filter->count; i++)
		if (regexec(&lookup->filter->pattern[i], text, 0, NULL, 0) == 0)
			return true;
	return false;
}

/*
 * Print all functions with the same code that pass the filter. LLVM prints an empty line after each
 * function except the last, even if the last one does not pass.
 */
static void print_merged(struct lookup *lookup, uint64_t va)
{
	const struct gsym *gsym = lookup->input.gsym;
	struct gsym_function function, other;
	struct gsym_merged merged;

	if (!find_llvm_function(gsym, va, &function))
		return;
	bool more = find_merged(gsym, &function, &merged);
	uint32_t count = is_wanted(lookup, &function);
	struct gsym_merged counted = merged;
	while (more && gsym_next_merged(&counted, &other))
		count += is_wanted(lookup, &other);
	printf("Found %" PRIu32 " function%s at address 0x%016" PRIx64 ":\n", count,
	       count == 1 ? "" : "s", va);
	do {
		bool wanted = is_wanted(lookup, &function);
		if (wanted) {
			fputs("   ", stdout);
			print_function(gsym, &function, va, &lookup->printed);
		}
		more = more && gsym_next_merged(&merged, &function);
		if (wanted && more)
			putchar('\n');
	} while (more);
}

static void lookup_print_compat(struct lookup *lookup, uint64_t va)
{
	printed_begin_answer(&lookup->printed);
	if (lookup->merged)
		print_merged(lookup, va);
	else {
		struct gsym_function function;
		if (find_llvm_function(lookup->input.gsym, va, &function))
			print_function(lookup->input.gsym, &function, va, &lookup->printed);
		else
			printf("0x%016" PRIx64 ": error: address 0x%" PRIx64 " is not in GSYM\n",
			       va, va);
	}
	lookup_end_answer(lookup, va);
}

/* Look up one line "ADDRESS FILE". The file stays open, because the next line may name it again. */
static int answer_line(char *line, struct lookup *lookup, char *path)
{
	static const struct gsym_source any = { .force = true };
	size_t length = strcspn(line, " ");
	const char *name = line[length] ? line + length + 1 : "";
	int status = EXIT_CLEAN;
	uint64_t va;

	line[length] = '\0';
	if (!lookup->input.symbols || strcmp(name, path) != 0) {
		if (lookup->input.symbols)
			gsym_input_close(&lookup->input);
		lookup->input.symbols = NULL;
		strcpy(path, name);
		if (!gsym_input_open(path, &any, &lookup->input, &status))
			return status;
		lookup->printed = gsym_printed(lookup->input.gsym);
	}
	if (!parse_number(line, &va)) {
		print_string_between(stdout, "error: invalid address ", line,
		                     ", expected: Address GsymFile.\n");
		return EXIT_USAGE;
	}
	lookup->status = EXIT_CLEAN;
	lookup_print_compat(lookup, va);
	putchar('\n');
	return lookup->status;
}

/*
 * Look up the lines "ADDRESS FILE" on standard input, like llvm-gsymutil --addresses-from-stdin,
 * with the options in `like`.
 */
static int lookup_run_compat_lines(const struct lookup *like)
{
	static char line[LINE_MAX_BYTES], path[LINE_MAX_BYTES];
	struct lookup lookup = { .merged = like->merged, .filter = like->filter };
	int status = EXIT_CLEAN;

	while (status == EXIT_CLEAN && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\r\n")] = '\0';
		status = answer_line(line, &lookup, path);
		fflush(stdout);
	}
	if (lookup.input.symbols)
		gsym_input_close(&lookup.input);
	return status;
}

/*
 * Looks up addresses in order. Reads from standard input never wait for a full buffer, so that a
 * program can write one address and wait for the result, while a file with a million addresses is
 * processed in large batches.
 */

static const char about[] =
	"Print function, file and line of each ADDRESS, or of each address on standard input.\n"
	"Inlined calls come first, then their function. Addresses are as linked: 4144,\n"
	"0x1030, 103f, main, main+4, MODULE+0x14f0, or a line of a stack. FILE is a GSYM\n"
	"file, an ELF or Mach-O file that contains GSYM, or a program. The GSYM file of a\n"
	"program is searched beside it, in --directory, in build-ID trees and in the cache,\n"
	"and must have its build ID. --addr2line prints the output of addr2line -fi and reads\n"
	"addresses as hexadecimal; --gsymutil prints the output of llvm-gsymutil and without\n"
	"FILE reads \"ADDRESS FILE\" lines.";

enum {
	CHUNK = 8192,
	/* size of the input buffer in bytes; a longer line cannot be an address */
	INPUT_BUFFER = 1 << 18,
	ADDRESS_TEXT_MAX = 64,
};

struct lines {
	char buffer[INPUT_BUFFER + 1];
	size_t start, end;
	bool ended;
};

/*
 * Read the available input. Wait only if no input is available. Return false at the end of the
 * input.
 */
static bool fill_line_buffer(struct lines *lines)
{
	if (lines->ended)
		return false;
	memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
	lines->end -= lines->start;
	lines->start = 0;
	if (lines->end == INPUT_BUFFER)
		lines->end = 0;
	ssize_t got = read(STDIN_FILENO, lines->buffer + lines->end, INPUT_BUFFER - lines->end);
	if (got < 0)
		print_diagnostic("-", "cannot read addresses: %s", strerror(errno));
	if (got > 0) {
		lines->end += (size_t)got;
		return true;
	}
	lines->ended = true;
	if (lines->end == lines->start)
		return false;
	lines->buffer[lines->end++] = '\n';
	return true;
}

static char *read_buffered_line(struct lines *lines)
{
	char *line = lines->buffer + lines->start;
	char *end = memchr(line, '\n', lines->end - lines->start);

	if (!end)
		return NULL;
	lines->start = (size_t)(end + 1 - lines->buffer);
	*end = '\0';
	line[strcspn(line, "\r")] = '\0';
	return line;
}

/* Parse an address. With --addr2line, digits without 0x are hexadecimal, too. */
static bool parse_lookup_address(struct lookup *lookup, const char *text, uint64_t *va)
{
	char hex[ADDRESS_TEXT_MAX];

	if (lookup->style != STYLE_ADDR2LINE || strncmp(text, "0x", 2) == 0)
		return lookup->style == STYLE_CAIRN ? question_parse(lookup, text, va)
		                                    : parse_number(text, va);
	if (strlen(text) + 3 > sizeof(hex))
		return false;
	strcpy(hex, "0x");
	strcat(hex, text);
	return parse_number(hex, va);
}

static void answer_batch(struct lookup *lookup, struct question *questions, size_t count)
{
	static uint64_t vas[CHUNK];
	static struct cairn_symbol_answer answers[CHUNK];
	size_t good = 0;

	for (size_t i = 0; i < count; i++)
		if (questions[i].is_address)
			vas[good++] = questions[i].va;
	const enum cairn_status status = lookup->find
	                                         ? lookup->find(lookup->context, vas, good, answers)
	                                         : lookup_ask(lookup, vas, good, answers);
	if (status == CAIRN_NO_MEMORY)
		lookup->status = fail_with(lookup->input.path, "out of memory");
	if (status != CAIRN_OK)
		return;
	good = 0;
	for (size_t i = 0; i < count; i++)
		if (questions[i].is_address)
			lookup_print(lookup, questions[i].va, &answers[good++]);
		else
			lookup_print_no_address(lookup, questions[i].text);
}

static void answer_questions(struct lookup *lookup, struct question *questions, size_t count)
{
	if (lookup->style != STYLE_GSYMUTIL) {
		answer_batch(lookup, questions, count);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!questions[i].is_address)
			lookup_print_no_address(lookup, questions[i].text);
		else
			lookup_print_compat(lookup, questions[i].va);
		if (lookup->from_input)
			putchar('\n');
	}
}

static struct question parse_question(struct lookup *lookup, char *text)
{
	struct question q = { .text = text };

	q.is_address = parse_lookup_address(lookup, text, &q.va);
	return q;
}

static void look_up_input(struct lookup *lookup)
{
	static struct question questions[CHUNK];
	static struct lines lines;
	size_t count = 0;
	char *line;

	lookup->from_input = true;
	while (fill_line_buffer(&lines)) {
		if (lookup->see)
			lookup->see(
				lookup->context,
				(struct cairn_bytes){ (const uint8_t *)lines.buffer + lines.start,
			                              lines.end - lines.start });
		while ((line = read_buffered_line(&lines))) {
			questions[count++] = parse_question(lookup, line);
			if (count == CHUNK) {
				answer_questions(lookup, questions, count);
				count = 0;
			}
		}
		answer_questions(lookup, questions, count);
		count = 0;
		fflush(stdout);
	}
}

int lookup_run(struct lookup *lookup, int argc, char **argv)
{
	lookup->status = EXIT_CLEAN;
	if (argc > 0) {
		static struct question questions[CHUNK];
		size_t count = 0;
		if (lookup->style == STYLE_GSYMUTIL)
			printf("Looking up addresses in \"%s\":\n", lookup->input.path);
		for (int i = 0; i < argc && lookup->see; i++)
			lookup->see(lookup->context, borrow_string(argv[i]));
		for (int i = 0; i < argc; i++) {
			questions[count++] = parse_question(lookup, argv[i]);
			if (count == CHUNK || i + 1 == argc) {
				answer_questions(lookup, questions, count);
				count = 0;
			}
		}
	} else
		look_up_input(lookup);
	functions_by_name_finish(&lookup->names);
	gsym_input_close(&lookup->input);
	return lookup->status;
}

static bool open_symbolizer(struct lookup *lookup)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_symbol_source source;

	options.skip = CAIRN_SKIP_BUILTIN_SOURCES;
	lookup->module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	lookup->symbolizer = cairn_symbolizer_new(&options);
	cairn_symbols_as_source(lookup->input.symbols, 0, &source);
	return lookup->symbolizer && cairn_symbolizer_add(lookup->symbolizer, &source) == CAIRN_OK;
}

int gsym_lookup_verb(int argc, char **argv)
{
	struct gsym_source source = { .force = false };
	bool addr2line = false, gsymutil = false;
	static struct lookup lookup = { .form = FORM_TEXT };
	static struct name_filter filter;
	struct option_words patterns = { .count = 0 };
	const struct option options[] = {
		OPTION_LINES(&lookup.form),
		OPTION_JSON(&lookup.form),
		OPTION_LINKAGE_NAMES(&lookup.linkage_names),
		OPTION_FLAG("addr2line", "print as addr2line -fi does", &addr2line),
		OPTION_FLAG("gsymutil", "print as llvm-gsymutil does", &gsymutil),
		OPTION_FLAG("merged-functions",
		            "with --gsymutil: print all functions that share the same code",
		            &lookup.merged),
		OPTION_WORDS("merged-functions-filter", "REGEX",
		             "of these only those whose names match; may be given several times",
		             &patterns),
		OPTIONS_GSYM_SOURCE(&source),
	};
	const struct command command =
		COMMAND("cairn gsym lookup [OPTION...] FILE|--gsymutil [ADDRESS...]", about,
	                options, OPERANDS(0, OPERANDS_MANY, "ADDRESS"), .rights = RIGHT_FINDS);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	lookup.filter = &filter;
	if (patterns.count > 0 && !lookup.merged)
		return usage_error(&command,
		                   "--merged-functions-filter requires --merged-functions");
	for (size_t i = 0; i < patterns.count; i++) {
		if (regcomp(&filter.pattern[i], patterns.word[i], REG_EXTENDED | REG_NOSUB) != 0) {
			print_word_diagnostic(NULL, patterns.word[i], "invalid regular expression");
			return EXIT_USAGE;
		}
		filter.count++;
	}
	if (argc == 0 && gsymutil)
		return lookup_run_compat_lines(&lookup);
	if (argc == 0)
		return usage_error(&command, "no FILE");
	if (argc == 1 && strcmp(argv[0], "-") == 0)
		return usage_error(&command,
		                   "FILE and the addresses cannot both come from standard input");
	lookup.json = json_to(stdout);
	lookup.style = gsymutil ? STYLE_GSYMUTIL : addr2line ? STYLE_ADDR2LINE : STYLE_CAIRN;
	status = EXIT_CLEAN;
	if (!gsym_input_open(argv[0], &source, &lookup.input, &status))
		return status;
	if (!open_symbolizer(&lookup))
		return fail_with(argv[0], "out of memory");
	lookup.printed = gsym_printed(lookup.input.gsym);
	question_begin(&lookup, argc - 1, argv + 1);
	rights_end_search();
	status = lookup_run(&lookup, argc - 1, argv + 1);
	cairn_symbolizer_free(lookup.symbolizer);
	return status;
}

/*
 * Parses addresses in the notations that people use: numbers, functions, offsets in the program,
 * and stack frames.
 */

enum {
	PAGE = 4096,
	NUMBER_MAX = 128,
};

static struct cairn_bytes take_from(struct cairn_bytes text, size_t start, size_t end)
{
	const struct cairn_bytes part = { text.data + start, end - start };

	return bytes_trim(part, BYTES_WHITE, BYTES_WHITE);
}

static bool parse_number_in(struct cairn_bytes text, uint64_t *value)
{
	char number[NUMBER_MAX];

	if (text.size >= sizeof(number))
		return false;
	memcpy(number, text.data, text.size);
	number[text.size] = '\0';
	return parse_number(number, value);
}

/*
 * Return true for an address as printed by nm, padded with zeros to 8 or 16 digits. Such an address
 * is hexadecimal, because decimal numbers do not begin with a zero.
 */
static bool is_padded(struct cairn_bytes text)
{
	return (text.size == 8 || text.size == 16) && text.data[0] == '0';
}

/*
 * Parse hexadecimal digits without 0x. Digits without a letter are decimal, unless they are padded
 * with zeros.
 */
static bool parse_bare_hex(struct cairn_bytes text, uint64_t *value)
{
	uint64_t sum = 0;
	bool has_letter = false;

	for (size_t i = 0; i < text.size; i++) {
		const unsigned digit = hex_digit(text.data[i]);
		if (digit > 15)
			return false;
		has_letter |= digit > 9;
		sum = sum << 4 | digit;
	}
	if (text.size > 16 || (!has_letter && !is_padded(text)))
		return false;
	*value = sum;
	return true;
}

bool question_parse_address(struct cairn_bytes text, uint64_t *va)
{
	if (is_padded(text) && parse_bare_hex(text, va))
		return true;
	return parse_number_in(text, va) ||
	       (text.size > 0 && isdigit(text.data[0]) && parse_bare_hex(text, va));
}

/*
 * Return true if `name` is the name of the input file, or of the program that a GSYM input file
 * belongs to.
 */
static bool is_module(const struct lookup *lookup, struct cairn_bytes name)
{
	static const char *const extensions[] = { "", ".gsym", ".debug" };
	const char *path = lookup->input.path;
	const struct cairn_bytes own = base_name(borrow_string(path));
	const struct cairn_bytes base = base_name(name);

	for (size_t i = 0; i < COUNT(extensions); i++)
		if (base.size > 0 && own.size == base.size + strlen(extensions[i]) &&
		    memcmp(own.data, base.data, base.size) == 0 &&
		    memcmp(own.data + base.size, extensions[i], strlen(extensions[i])) == 0)
			return true;
	return false;
}

static bool find_named_function(struct lookup *lookup, struct cairn_bytes name,
                                struct gsym_function *f)
{
	if (!lookup->input.gsym && lookup->name_functions && name.size > 0)
		lookup->name_functions(lookup->context);
	lookup->names.gsym = lookup->input.gsym;
	return lookup->names.gsym && functions_by_name_find(&lookup->names, name, f);
}

/*
 * Split at the last '+', which must precede a number. An earlier '+' may be part of a C++ name
 * ("operator+").
 */
static bool split_offset(struct cairn_bytes text, struct cairn_bytes *name, uint64_t *offset)
{
	for (size_t end = text.size; end > 1; end--)
		if (text.data[end - 1] == '+') {
			*name = take_from(text, 0, end - 1);
			return parse_number_in(take_from(text, end, text.size), offset);
		}
	return false;
}

static size_t find_text(struct cairn_bytes text, const char *part)
{
	const size_t length = strlen(part);

	for (size_t i = 0; length <= text.size && i <= text.size - length; i++)
		if (memcmp(text.data + i, part, length) == 0)
			return i;
	return text.size;
}

/*
 * Remove "#3 " or "* frame #3: " from the start of a line, and store the frame number. Return false
 * if the line is not a stack frame.
 */
static bool parse_level(struct cairn_bytes *text, uint64_t *level)
{
	size_t at = find_text(*text, "#"), end;

	for (size_t i = 0; i < at; i++)
		if (!strchr(" *frame\t", text->data[i]))
			return false;
	for (end = at + 1; end < text->size && isdigit(text->data[end]); end++)
		;
	if (end >= text->size ||
	    !parse_number_in(take_from(*text, at < text->size ? at + 1 : at, end), level))
		return false;
	*text = take_from(*text, text->data[end] == ':' ? end + 1 : end, text->size);
	return true;
}

/* Parse a module and offset, as in "... from /opt/srv+0x14f0". */
static bool parse_module_offset(const struct lookup *lookup, struct cairn_bytes line, uint64_t *va)
{
	const size_t plus = find_text(line, "+0x");
	size_t start = plus, end = plus + 1;
	uint64_t offset;

	if (plus == line.size)
		return false;
	while (start > 0 && !strchr(" (`[", line.data[start - 1]))
		start--;
	while (end < line.size && isalnum(line.data[end]))
		end++;
	if (!is_module(lookup, take_from(line, start, plus)) ||
	    !parse_number_in(take_from(line, plus + 1, end), &offset))
		return false;
	*va = lookup->lowest + offset;
	return true;
}

/*
 * Find the function name in "0x... in NAME (...) at a.c:3", "0x... in NAME + 4 at a.c:3" or "0x...
 * srv`NAME(...) + 4 at a.c:3:5".
 */
static struct cairn_bytes find_frame_name(struct cairn_bytes line)
{
	const size_t tick = find_text(line, "`"), in = find_text(line, " in ");
	const size_t start = tick < line.size ? tick + 1 : in < line.size ? in + 4 : line.size;
	struct cairn_bytes name = take_from(line, start, line.size);
	size_t end = find_text(name, " at ");

	if (find_text(name, " from ") < end)
		end = find_text(name, " from ");
	if (find_text(name, " + ") < end)
		end = find_text(name, " + ");
	if (find_text(name, " (") < end && find_text(name, " (") > 0)
		end = find_text(name, " (");
	return take_from(name, 0, end);
}

static bool parse_frame(struct lookup *lookup, struct cairn_bytes line, uint64_t level,
                        uint64_t *va)
{
	const struct cairn_bytes word = take_from(line, 0, find_text(line, " "));
	const uint64_t before = level > 0;
	struct gsym_function f;
	uint64_t pc;

	if (parse_module_offset(lookup, line, va)) {
		*va -= before;
		return true;
	}
	if (!parse_number_in(word, &pc))
		return false;
	pc -= pc >= before ? before : 0;
	if (lookup->place && lookup->place(lookup->context, pc, va))
		return true;
	/* LLDB appends arguments to the name of a frame's function: "main(argc=1)" */
	const struct cairn_bytes name = find_frame_name(line);
	const size_t arguments = find_text(name, "(");
	if (find_named_function(lookup, name, &f) ||
	    (arguments > 0 && arguments < name.size &&
	     find_named_function(lookup, take_from(name, 0, arguments), &f))) {
		/*
		 * Convert a runtime address in a known function to a link-time address. The program
		 * is loaded at a multiple of the page size, so the offset within the page
		 * identifies the position in the function, unless the function is longer than a
		 * page.
		 */
		const uint64_t offset = (pc - f.start) % PAGE;
		/* the pc lies inside the function, so it is a link-time address already */
		if (pc >= f.start && pc - f.start < f.size) {
			*va = pc;
			return true;
		}
		*va = f.start + offset;
		return offset < f.size && f.size <= PAGE;
	}
	*va = pc;
	return true;
}

bool question_parse(struct lookup *lookup, const char *text, uint64_t *va)
{
	struct cairn_bytes line = borrow_string(text);
	uint64_t level;

	line = bytes_trim(line, BYTES_WHITE, BYTES_WHITE);
	if (question_parse_address(line, va)) {
		if (lookup->place)
			(void)lookup->place(lookup->context, *va, va);
		return true;
	}
	/* the line may be from a log in any other format that contains a runtime address */
	struct captured_text reader = captured_text_open();
	struct captured_line read;
	if (lookup->place && captured_text_line(&reader, line, &read) == CAPTURED_FRAME &&
	    read.frame.has_address && lookup->place(lookup->context, read.frame.address, va))
		return true;
	if (parse_level(&line, &level))
		return parse_frame(lookup, line, level, va);
	struct gsym_function f;
	struct cairn_bytes name;
	uint64_t offset;
	if (find_named_function(lookup, line, &f)) {
		*va = f.start;
		return true;
	}
	if (!split_offset(line, &name, &offset))
		return parse_bare_hex(line, va);
	if (find_named_function(lookup, name, &f))
		*va = f.start + offset;
	else if (is_module(lookup, name))
		*va = lookup->lowest + offset;
	else
		return false;
	return true;
}

void question_begin(struct lookup *lookup, int count, char **texts)
{
	bool has_offset = count == 0;
	struct cairn_program program;

	for (int i = 0; i < count; i++)
		has_offset |= strchr(texts[i], '+') != NULL;
	lookup->lowest = 0;
	if (has_offset && cairn_program_read(lookup->input.path, &program, NULL) == CAIRN_OK)
		lookup->lowest = program.span.low & -(uint64_t)PAGE;
}
