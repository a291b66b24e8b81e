/* SPDX-License-Identifier: MIT */
/*
 * Prints the stacks of a core, a minidump or a process by the library alone, as `cairn bt --json` does, but for what
 * the verb says of the program: one object a line for each thread, and at last how many problems there were. Built with
 * WITH_DWARF it uses libcairn-dwarf, too.
 *
 *	library_stacks [--directory DIRS] [--debug-file-directory DIRS] [--sysroot DIR] [--count N] [--crashed]
 *	               FILE|-|--pid PID [PROGRAM]
 */
#include <cairn.h>
#ifdef WITH_DWARF
#include <cairn/dwarf.h>
#endif
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES = 64, PATH_SIZE = 1 << 16 };

static bool only_crashed;

/* What tests compare has neither control characters nor bytes that are no UTF-8. */
static void print_text(const char *key, struct cairn_bytes text)
{
	printf("\"%s\":\"", key);
	for (size_t i = 0; i < text.size; i++)
		printf("%s%c", text.data[i] == '"' || text.data[i] == '\\' ? "\\" : "",
		       text.data[i]);
	putchar('"');
}

static void print_string(const char *key, const char *text)
{
	print_text(key, (struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

static void print_name(const struct cairn_location *location)
{
	static char readable[CAIRN_DEMANGLE_MAX], path[PATH_SIZE];
	size_t size = cairn_demangle(location->function, readable, sizeof(readable));
	const struct cairn_bytes name = { (const uint8_t *)readable, size };

	putchar(',');
	print_text("function", size > 0 ? name : location->function);
	printf(",\"offset\":%" PRIu64, location->offset);
	if (cairn_location_path(location, path, sizeof(path)) > 0) {
		putchar(',');
		print_string("file", path);
	}
	if (location->line > 0)
		printf(",\"line\":%" PRIu32, location->line);
}

static void print_module(const struct cairn_stack_frame *frame)
{
	if (!frame->module.data)
		return;
	if (frame->has_va)
		printf(",\"va\":\"0x%" PRIx64 "\"", frame->va);
	putchar(',');
	print_text("module", frame->module);
	if (frame->build_id.size > 0) {
		fputs(",\"build_id\":\"", stdout);
		for (size_t i = 0; i < frame->build_id.size; i++)
			printf("%02x", frame->build_id.data[i]);
		putchar('"');
	}
	printf(",\"module_offset\":\"0x%" PRIx64 "\"", frame->module_offset);
}

static void print_frame(struct cairn_stacks *stacks, size_t *level)
{
	struct cairn_location names[NAMES];
	struct cairn_stack_frame frame;

	cairn_stacks_frame(stacks, &frame);
	const size_t count = cairn_stacks_names(stacks, frame.lookup, names, NAMES);
	for (size_t i = 0; i < (count ? count : 1); i++, ++*level) {
		printf("%s{\"level\":%zu,\"pc\":\"0x%" PRIx64 "\"", *level > 0 ? "," : "", *level,
		       frame.pc);
		if (count > 0)
			print_name(&names[i]);
		print_module(&frame);
		printf(",\"cfa\":\"0x%" PRIx64
		       "\",\"by\":\"%s\",\"found\":\"%s\",\"cfi\":%s,\"inlined\":%s%s%s}",
		       frame.cfa, cairn_unwind_method_name(frame.by),
		       frame.found ? cairn_unwind_method_name(frame.found) : "context",
		       frame.by == CAIRN_UNWIND_METHOD_CFI ? "true" : "false",
		       count > 0 && names[i].inlined ? "true" : "false",
		       frame.signal ? ",\"signal\":true" : "",
		       frame.guessed ? ",\"guessed\":true" : "");
	}
}

static void print_stack(struct cairn_stacks *stacks, size_t number)
{
	struct cairn_thread thread;
	struct cairn_stack_end end;
	size_t level = 0;

	if (!cairn_stacks_thread(stacks, number, &thread))
		exit(EXIT_FAILURE);
	printf("{\"tid\":%" PRIu64 ",\"crashed\":%s%s,\"frames\":[", thread.tid,
	       thread.crashed ? "true" : "false", thread.stack_cut ? ",\"stack_cut\":true" : "");
	for (bool more = cairn_stacks_begin(stacks, number); more; more = cairn_stacks_next(stacks))
		print_frame(stacks, &level);
	cairn_stacks_end(stacks, &end);
	printf("],\"complete\":%s,\"end\":\"%s\",",
	       end.kind == CAIRN_STACK_OUTERMOST ? "true" : "false", end.name);
	print_string("why", end.why);
	if (end.missing) {
		putchar(',');
		print_string("missing", end.missing);
	}
	puts("}");
}

/* All threads, the one that crashed first; or that one alone. */
static void print_stacks(struct cairn_stacks *stacks)
{
	const size_t count = cairn_stacks_threads(stacks);
	struct cairn_thread thread;
	size_t first = 0;

	for (size_t i = 0; i < count; i++)
		if (cairn_stacks_thread(stacks, i, &thread) && thread.crashed)
			first = i;
	for (size_t i = 0; i < (only_crashed && count > 0 ? 1 : count); i++)
		print_stack(stacks, i == 0 ? first : i <= first ? i - 1 : i);
}

/* The next option of `cairn bt`; false: it is none. */
static bool take_option(struct cairn_stacks_options *options,
                        struct cairn_symbolizer_options *search, char **argv)
{
	if (strcmp(argv[0], "--directory") == 0)
		search->folders = argv[1];
	else if (strcmp(argv[0], "--debug-file-directory") == 0)
		search->debug_folders = argv[1];
	else if (strcmp(argv[0], "--sysroot") == 0)
		search->sysroot = argv[1];
	else if (strcmp(argv[0], "--count") == 0)
		options->frames = strtoull(argv[1], NULL, 10);
	else if (strcmp(argv[0], "--pid") == 0)
		options->pid = strtoull(argv[1], NULL, 10);
	else
		return false;
	return true;
}

static void take_arguments(struct cairn_stacks_options *options,
                           struct cairn_symbolizer_options *search, char **argv)
{
	while (*argv) {
		if (argv[1] && take_option(options, search, argv)) {
			argv += 2;
			continue;
		}
		if (strcmp(*argv, "--crashed") == 0)
			only_crashed = true;
		else if (options->pid || options->path || options->fd >= 0)
			options->program = *argv;
		else if (strcmp(*argv, "-") == 0)
			options->fd = STDIN_FILENO;
		else
			options->path = *argv;
		argv++;
	}
}

int main(int argc, char **argv)
{
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	struct cairn_symbolizer_options search = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_stacks *stacks;
	struct cairn_stacks_error error;
	struct cairn_thread thread;
	struct cairn_fault fault;

	if (argc < 2)
		return EXIT_FAILURE;
	options.search = &search;
#ifdef WITH_DWARF
	const struct cairn_symbol_source *sources[] = { cairn_dwarf_source() };
	options.sources = sources;
	options.source_count = 1;
#endif
	take_arguments(&options, &search, argv + 1);
	if (cairn_stacks_open(&options, &stacks, &error) != CAIRN_OK) {
		printf("%s: %s: %s%s%s\n", cairn_status_name(error.fault.status),
		       error.path ? error.path : "-", error.fault.what, error.number ? ": " : "",
		       error.number ? strerror(error.number) : "");
		return EXIT_FAILURE;
	}
	print_stacks(stacks);
	printf("problems %zu\n", cairn_stacks_problems(stacks, &fault));
	if (cairn_stacks_thread(stacks, cairn_stacks_threads(stacks), &thread) ||
	    cairn_stacks_begin(stacks, cairn_stacks_threads(stacks)))
		return EXIT_FAILURE;
	cairn_stacks_close(stacks);
	cairn_stacks_close(NULL);
	return EXIT_SUCCESS;
}
