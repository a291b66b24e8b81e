/* SPDX-License-Identifier: MIT */
/*
 * Prints the stacks of a core, a minidump or a process by the library alone, as `cairn bt --json` does: one object a line
 * for each thread, and at last how many problems there were. Built with WITH_DWARF it uses libcairn-dwarf, too.
 *
 *	library_stacks [--directory DIRS] [--debug-file-directory DIRS] [--sysroot DIR] [--count N] [--crashed]
 *	               [--list-modules] [--ended] FILE|-|--pid PID [PROGRAM]
 *
 * With --list-modules it prints modules as `cairn bt --list-modules --json` does, and with --ended, behind the threads, the
 * line of `cairn bt` that says what ended the program.
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

static bool only_crashed, only_modules, with_end;

/* What tests compare has no bytes that are no UTF-8. */
static void print_text(const char *key, struct cairn_bytes text)
{
	printf("\"%s\":\"", key);
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] == '\n')
			fputs("\\n", stdout);
		else if (text.data[i] < ' ')
			printf("\\u%04x", text.data[i]);
		else
			printf("%s%c", text.data[i] == '"' || text.data[i] == '\\' ? "\\" : "",
			       text.data[i]);
	putchar('"');
}

static void print_hex(const char *key, struct cairn_bytes bytes)
{
	printf(",\"%s\":\"", key);
	for (size_t i = 0; i < bytes.size; i++)
		printf("%02x", bytes.data[i]);
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
	if (location->column > 0)
		printf(",\"column\":%" PRIu32, location->column);
}

static void print_module(const struct cairn_stack_frame *frame)
{
	if (!frame->module.data)
		return;
	if (frame->has_va)
		printf(",\"va\":\"0x%" PRIx64 "\"", frame->va);
	putchar(',');
	print_text("module", frame->module);
	if (frame->build_id.size > 0)
		print_hex("build_id", frame->build_id);
	printf(",\"module_offset\":\"0x%" PRIx64 "\"", frame->module_offset);
}

static void print_frame(struct cairn_stacks *stacks, size_t *level)
{
	struct cairn_location names[NAMES];
	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);

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

static void print_process(struct cairn_stacks *stacks, const char *path)
{
	struct cairn_process process = CAIRN_SIZED(struct cairn_process);

	cairn_stacks_process(stacks, &process);
	putchar('{');
	if (process.kind == CAIRN_STACKS_PROCESS)
		printf("\"core\":\"process %" PRIu64 "\"", process.pid);
	else
		print_string("core", path);
	putchar(',');
	print_text("program", process.program);
	if (process.command_line.size > 0) {
		putchar(',');
		print_text("command_line", process.command_line);
	}
	printf(",\"pid\":%" PRIu64, process.pid);
}

static void print_crash(struct cairn_stacks *stacks)
{
	struct cairn_crash crash = CAIRN_SIZED(struct cairn_crash);

	cairn_stacks_crash(stacks, &crash);
	if (crash.name)
		printf(",\"signal\":\"%s\"", crash.name);
	if (crash.exception)
		printf(",\"exception\":\"0x%" PRIx32 "\"", crash.exception);
	else
		printf(",\"signal_number\":%" PRIu32 ",\"signal_code\":%" PRId32, crash.signal,
		       crash.code);
	if (crash.code_name)
		printf(",\"signal_code_name\":\"%s\"", crash.code_name);
	if (crash.accessed[0]) {
		printf(",\"fault_address\":\"0x%" PRIx64 "\",", crash.address);
		print_string("fault", crash.accessed);
	}
	if (crash.has_sender && crash.sender != 0)
		printf(",\"sender\":%" PRIu64 ",\"sender_user\":%" PRIu64, crash.sender,
		       crash.sender_user);
}

static void print_abort_message(struct cairn_stacks *stacks)
{
	char text[CAIRN_ABORT_MESSAGE];
	const size_t size = cairn_stacks_abort_message(stacks, text);

	if (size == 0)
		return;
	putchar(',');
	print_text("abort_message", (struct cairn_bytes){ (const uint8_t *)text, size });
}

static bool handles_signal(struct cairn_stacks *stacks, size_t number)
{
	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);

	for (bool more = cairn_stacks_begin(stacks, number); more;
	     more = cairn_stacks_next(stacks)) {
		cairn_stacks_frame(stacks, &frame);
		if (frame.signal)
			return true;
	}
	return false;
}

/* The message of a running process is of now only while a thread handles a signal. */
static bool has_message(struct cairn_stacks *stacks, size_t number,
                        const struct cairn_thread *thread)
{
	struct cairn_process process = CAIRN_SIZED(struct cairn_process);

	cairn_stacks_process(stacks, &process);
	return thread->crashed ||
	       (process.kind == CAIRN_STACKS_PROCESS && handles_signal(stacks, number));
}

static void print_thread(struct cairn_stacks *stacks, size_t number)
{
	char signature[CAIRN_ADDRESS_SIGNATURE];
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);

	if (!cairn_stacks_thread(stacks, number, &thread))
		exit(EXIT_FAILURE);
	printf(",\"tid\":%" PRIu64, thread.tid);
	if (thread.name.size > 0) {
		putchar(',');
		print_text("name", thread.name);
	}
	printf(",\"crashed\":%s", thread.crashed ? "true" : "false");
	if (thread.stop_nanoseconds > 0)
		printf(",\"stopped_nanoseconds\":%" PRIu64, thread.stop_nanoseconds);
	if (thread.stack_cut)
		fputs(",\"stack_cut\":true", stdout);
	if (thread.crashed)
		print_crash(stacks);
	if (cairn_stacks_address_signature(stacks, number, signature))
		printf(",\"address_signature\":\"%s\"", signature);
	if (has_message(stacks, number, &thread))
		print_abort_message(stacks);
}

static void print_stack(struct cairn_stacks *stacks, size_t number, const char *path)
{
	struct cairn_stack_end end = CAIRN_SIZED(struct cairn_stack_end);
	size_t level = 0;

	print_process(stacks, path);
	print_thread(stacks, number);
	fputs(",\"frames\":[", stdout);
	for (bool more = cairn_stacks_begin(stacks, number); more; more = cairn_stacks_next(stacks))
		print_frame(stacks, &level);
	cairn_stacks_end(stacks, &end);
	printf("],\"complete\":%s,\"end\":\"%s\",",
	       end.complete ? "true" : "false", end.name);
	print_string("why", end.why);
	if (end.missing) {
		putchar(',');
		print_string("missing", end.missing);
	}
	puts("}");
}

static void print_loaded_module(const struct cairn_loaded_module *module)
{
	printf("{\"low\":\"0x%" PRIx64 "\",\"high\":\"0x%" PRIx64 "\"", module->low, module->high);
	if (module->has_bias)
		printf(",\"bias\":\"0x%" PRIx64 "\"", module->bias);
	printf("%s,", module->remapped ? ",\"remapped\":true" : "");
	print_text("module", module->path);
	if (module->build_id.size > 0)
		print_hex("build_id", module->build_id);
	if (module->package.size > 0) {
		putchar(',');
		print_text("package", module->package);
	}
	if (module->file.size > 0) {
		putchar(',');
		print_text("file", module->file);
	} else if (module->file_missing) {
		putchar(',');
		print_string("file_missing", module->file_missing);
	}
	puts("}");
}

static void print_modules(struct cairn_stacks *stacks)
{
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);

	cairn_stacks_find_files(stacks);
	for (size_t i = 0; cairn_stacks_module(stacks, i, &module); i++)
		print_loaded_module(&module);
}

static void print_end_of_program(struct cairn_stacks *stacks)
{
	struct cairn_crash crash = CAIRN_SIZED(struct cairn_crash);

	cairn_stacks_crash(stacks, &crash);
	if (!crash.known)
		return;
	if (crash.name)
		printf("Program terminated with signal %s, %s", crash.name, crash.text);
	else if (crash.exception)
		printf("Program terminated with exception 0x%08" PRIx32, crash.exception);
	else
		printf("Program terminated with signal %" PRIu32, crash.signal);
	if (crash.code_name)
		printf(" (%s)", crash.code_name);
	if (crash.accessed[0])
		printf(" at 0x%" PRIx64 ": %s", crash.address, crash.accessed);
	if (crash.has_sender && crash.sender != 0)
		printf(", sent by process %" PRIu64 " of user %" PRIu64, crash.sender,
		       crash.sender_user);
	puts(".");
}

/* All threads, the one that crashed first; or that one alone. */
static void print_stacks(struct cairn_stacks *stacks, const char *path)
{
	const size_t count = cairn_stacks_threads(stacks);
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);
	size_t first = 0;

	for (size_t i = 0; i < count; i++)
		if (cairn_stacks_thread(stacks, i, &thread) && thread.crashed)
			first = i;
	for (size_t i = 0; i < (only_crashed && count > 0 ? 1 : count); i++)
		print_stack(stacks, i == 0 ? first : i <= first ? i - 1 : i, path);
}

/* The next option of `cairn bt`; false: it is none. */
static bool take_option(struct cairn_stacks_options *options,
                        struct cairn_symbolizer_options *search, char **argv)
{
	if (strcmp(argv[0], "--directory") == 0)
		search->directories = argv[1];
	else if (strcmp(argv[0], "--debug-file-directory") == 0)
		search->directories = argv[1];
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
		else if (strcmp(*argv, "--list-modules") == 0)
			only_modules = true;
		else if (strcmp(*argv, "--ended") == 0)
			with_end = true;
		else if (options->pid || options->path || options->has_fd)
			options->program = *argv;
		else if (strcmp(*argv, "-") == 0)
			options->has_fd = true; /* descriptor 0 */
		else
			options->path = *argv;
		argv++;
	}
}

/* Their number; each has a part and a fault. */
static size_t check_problems(const struct cairn_stacks *stacks)
{
	struct cairn_source_problem problem = CAIRN_SIZED(struct cairn_source_problem);
	struct cairn_fault fault;
	const size_t count = cairn_stacks_problems(stacks, &fault);
	size_t i = 0;

	while (cairn_stacks_problem(stacks, i, &problem) && problem.part && problem.fault.what)
		i++;
	if (i != count)
		exit(EXIT_FAILURE);
	return count;
}

int main(int argc, char **argv)
{
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	struct cairn_symbolizer_options search = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_stacks *stacks;
	struct cairn_error error;
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);

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
		printf("%s: %s: %s\n", cairn_status_name(error.status),
		       error.path[0] ? error.path : "-", error.text);
		return EXIT_FAILURE;
	}
	if (only_modules)
		print_modules(stacks);
	else
		print_stacks(stacks, options.path ? options.path : "-");
	if (with_end && !only_modules)
		print_end_of_program(stacks);
	printf("problems %zu\n", check_problems(stacks));
	if (cairn_stacks_thread(stacks, cairn_stacks_threads(stacks), &thread) ||
	    cairn_stacks_begin(stacks, cairn_stacks_threads(stacks)))
		return EXIT_FAILURE;
	cairn_stacks_close(stacks);
	cairn_stacks_close(NULL);
	return EXIT_SUCCESS;
}
