/* SPDX-License-Identifier: MIT */
/* `cairn symbols write`: symbols as an ELF file with DWARF. */
#include "symbols.h"

#include "cli/source/function_source.h"
#include "os/file/atomic_file.h"
#include "output/escape.h"
#include "writers/elf/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Writes the functions, lines and inlined calls of INPUT as an ELF file with a symbol\n"
	"table and DWARF.  Any debugger accepts it as the debug file of the program:\n"
	"'add-symbol-file FILE -o BIAS' in GDB, 'target symbols add FILE' in LLDB.  INPUT is "
	"any\nfile that 'cairn gsym create' accepts.\n\n"
	"For LLDB (--debugger=lldb) the file also has the frames of BINARY, made of its .sframe;\n"
	"then INPUT may be left out.";

struct machine_name {
	const char *name;
	uint16_t machine;
	bool big;
};

static const struct machine_name machines[] = {
	{ .name = "amd64", .machine = ELF_EM_X86_64 },
	{ .name = "x86_64", .machine = ELF_EM_X86_64 },
	{ .name = "aarch64", .machine = ELF_EM_AARCH64 },
	{ .name = "arm64", .machine = ELF_EM_AARCH64 },
	{ .name = "aarch64_be", .machine = ELF_EM_AARCH64, .big = true },
	{ .name = "s390x", .machine = ELF_EM_S390, .big = true },
};

/* What was asked for, and what it is made with. */
struct job {
	const char *input, *output, *machine, *binary, *debugger;
	bool big, narrow, force, quiet;
	struct os_file file; /* of the binary */
	struct elf elf;
	struct cairn_program program; /* the same, as its sections are wanted */
	struct frame_table frames;
	struct function_source origin;
	struct elf_writer_options object;
	struct elf_writer *writer;
	uint64_t functions;
};

static bool find_machine(struct job *job)
{
	uint64_t number;

	for (size_t i = 0; i < COUNT(machines); i++)
		if (strcmp(job->machine, machines[i].name) == 0) {
			job->object.machine = machines[i].machine;
			job->object.big = machines[i].big;
			return true;
		}
	if (!parse_number(job->machine, &number) || number == 0 || number > UINT16_MAX)
		return false;
	job->object.machine = (uint16_t)number;
	job->object.big = job->big;
	job->object.narrow = job->narrow;
	return true;
}

/* Machine, byte order and addresses of the program that the symbols are for. */
static void read_binary_facts(struct job *job)
{
	struct cairn_range *keep = &job->object.keep;
	struct elf_segment s;

	job->object.machine = job->elf.machine;
	job->object.big = job->elf.big;
	job->object.by_clang = elf_by_clang(&job->elf);
	job->object.unwinds = elf_unwinds(&job->elf);
	job->object.narrow = !job->elf.wide;
	for (uint32_t i = 0; i < job->elf.segments; i++) {
		if (!elf_segment(&job->elf, i, &s) || s.type != ELF_PT_LOAD ||
		    !(s.flags & ELF_PF_EXECUTE) || s.memory_size > UINT64_MAX - s.va)
			continue;
		bool first = keep->low == keep->high;
		if (first || s.va < keep->low)
			keep->low = s.va;
		if (first || s.va + s.memory_size > keep->high)
			keep->high = s.va + s.memory_size;
	}
}

/* Do the symbols belong to the program?  Then the object gets its build ID. */
static bool check_build(struct job *job)
{
	struct cairn_bytes own = job->origin.build_id;

	job->object.build_id = own;
	if (!job->binary)
		return true;
	struct cairn_bytes id = elf_build_id(&job->elf);
	job->object.build_id = id;
	if (!job->input)
		return true;
	if (job->force ||
	    (id.size && id.size == own.size && memcmp(id.data, own.data, id.size) == 0))
		return true;
	print_diagnostic(job->origin.path, "%s; --force uses it anyway",
	                 !id.size   ? "the program has no build ID to compare with"
	                 : own.size ? "made for another build"
	                            : "does not record which build it belongs to");
	return false;
}

static enum cairn_status count_written_function(void *context, const struct function *function)
{
	struct job *job = context;
	const struct function_sink sink = elf_writer_sink(job->writer);

	job->functions++;
	return sink.take(sink.context, function);
}

static void print_summary(const struct job *job, size_t size)
{
	FILE *out = strcmp(job->output, "-") == 0 ? stderr : stdout;

	if (job->quiet)
		return;
	print_string(out, job->output);
	fprintf(out, ": %" PRIu64 " functions, ", job->functions);
	if (job->object.for_lldb)
		fprintf(out, "%zu with frames, ", job->frames.functions);
	fprintf(out, "%zu bytes\n", size);
	if (job->frames.damaged > 0)
		fprintf(out,
		        "  %" PRIu64
		        " rows or entries of its tables of frames were damaged; the first: %s\n",
		        job->frames.damaged, job->frames.fault.what);
	for (size_t i = 0; i < job->origin.drops; i++)
		fprintf(out, "  %" PRIu64 " %s\n", job->origin.drop[i].count,
		        job->origin.drop[i].what);
}

static int publish_object(const struct job *job, const uint8_t *bytes, size_t size)
{
	const struct cairn_bytes part = { bytes, size };
	int error = 0;

	if (strcmp(job->output, "-") == 0)
		fwrite(bytes, 1, size, stdout); /* main() sees whether that was possible */
	else
		error = os_atomic_file_write(job->output, &part, 1);
	if (error) {
		print_diagnostic(job->output, "cannot write: %s", strerror(error));
		return EXIT_BROKEN;
	}
	print_summary(job, size);
	return EXIT_CLEAN;
}

static int finish_object(struct job *job)
{
	uint8_t *bytes;
	size_t size;
	enum cairn_status status = elf_writer_finish(job->writer, &bytes, &size);

	if (status == CAIRN_NOT_FOUND) {
		print_diagnostic(job->input ? job->origin.path : job->binary,
		                 "no function to write");
		return EXIT_MISSING;
	}
	if (status != CAIRN_OK) {
		print_diagnostic(job->output, "%s", cairn_status_text(status));
		return EXIT_BROKEN;
	}
	int result = publish_object(job, bytes, size);
	free(bytes);
	return result;
}

static enum cairn_status read_symbols(struct job *job)
{
	const struct function_sink sink = { count_written_function, job };

	return job->input ? function_source_read_serially(&job->origin, sink) : CAIRN_OK;
}

static int convert_to_object(struct job *job)
{
	int status = EXIT_BROKEN;

	if (!check_build(job))
		return EXIT_MISSING;
	job->writer = elf_writer_new(&job->object);
	if (!job->writer)
		print_diagnostic(job->output, "out of memory");
	else if (read_symbols(job) == CAIRN_OK)
		status = finish_object(job);
	elf_writer_free(job->writer);
	return status;
}

/* The program's sections, and its frames, of which it may have none. */
static bool read_program(struct job *job)
{
	const struct frame_writer_options options = { .limit = ELF_WRITER_LIMIT };
	const struct cairn_bytes file = job->elf.bytes;
	struct cairn_fault fault = { .status = CAIRN_OK };
	enum cairn_status status = cairn_program_parse(file, &job->program, &fault);

	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND) { /* sections are made up then */
		print_diagnostic(job->binary, "%s", fault.what);
		return false;
	}
	job->object.section = job->program.section;
	job->object.sections = status == CAIRN_OK ? job->program.sections : 0;
	job->object.entry = job->program.entry;
	job->object.program = file;
	status = frame_table_make(file, &options, &job->frames);
	if (status == CAIRN_OK)
		job->object.frames = &job->frames;
	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		print_diagnostic(job->binary, "%s", cairn_status_text(status));
	return status == CAIRN_OK || status == CAIRN_NOT_FOUND;
}

static bool open_binary(struct job *job)
{
	if (!job->binary)
		return true;
	if (!input_open_elf(job->binary, &job->file, &job->elf))
		return false;
	read_binary_facts(job);
	return !job->object.for_lldb || read_program(job);
}

static int open_and_convert(struct job *job)
{
	const struct function_source_options options = { .jobs = 1,
		                                         .every_row = true,
		                                         .quiet = job->quiet };
	int status;

	if (!job->input)
		return convert_to_object(job);
	if (!function_source_open(job->input, &options, &job->origin, &status))
		return status;
	status = convert_to_object(job);
	function_source_close(&job->origin);
	return status;
}

static int write_symbols(struct job *job)
{
	int status = open_binary(job) ? open_and_convert(job) : EXIT_BROKEN;

	frame_table_finish(&job->frames);
	if (job->binary)
		os_file_close(&job->file);
	return status;
}

static bool find_debugger(struct job *job)
{
	job->object.for_lldb = job->debugger && strcmp(job->debugger, "lldb") == 0;
	return !job->debugger || job->object.for_lldb || strcmp(job->debugger, "gdb") == 0;
}

/* What is wrong with the words of the command line; NULL: nothing. */
static const char *check_words(struct job *job, int operands)
{
	if (!find_debugger(job))
		return "--debugger is gdb or lldb";
	if (operands > 1 || (operands == 0 && !(job->object.for_lldb && job->binary)))
		return "exactly one INPUT is needed";
	if (!job->output)
		return "no --output";
	if (!job->binary == !job->machine)
		return "exactly one of --for and --machine is needed";
	if (job->machine && !find_machine(job))
		return "no such --machine";
	return NULL;
}

int symbols_write(int argc, char **argv)
{
	struct job job = { .output = NULL };
	const struct option options[] = {
		{ .name = "output",
		  .letter = 'o',
		  .argument = "FILE",
		  .help = "write there; - is standard output",
		  .text = &job.output },
		{ .name = "for",
		  .argument = "BINARY",
		  .help = "the program that the symbols belong to; it gives the machine",
		  .text = &job.binary },
		{ .name = "debugger",
		  .argument = "NAME",
		  .help = "gdb, or lldb: what it wants, with the frames of BINARY; gdb when not "
		          "given",
		  .text = &job.debugger },
		{ .name = "machine",
		  .argument = "NAME",
		  .help = "amd64, aarch64, aarch64_be, s390x, or a machine number of ELF",
		  .text = &job.machine },
		{ .name = "big-endian",
		  .help = "of a machine given by its number",
		  .flag = &job.big },
		{ .name = "32-bit",
		  .help = "of a machine given by its number",
		  .flag = &job.narrow },
		{ .name = "force",
		  .help = "use symbols that belong to another build",
		  .flag = &job.force },
		{ .name = "quiet",
		  .letter = 'q',
		  .help = "do not print a summary",
		  .flag = &job.quiet },
	};
	const struct command command = { "cairn symbols write [OPTION...] [INPUT] -o FILE", about,
		                         options, COUNT(options) };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	const char *wrong = check_words(&job, argc);
	if (wrong)
		return usage_error(&command, "%s", wrong);
	job.input = argc == 1 ? argv[0] : NULL;
	return write_symbols(&job);
}
