/* SPDX-License-Identifier: MIT */
/* `cairn symbols write`: writes symbols as an ELF object with DWARF. */
#include "cli/front/functions.h"
#include "output/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char about[] =
	"Write the functions, lines and inlined calls of INPUT as an ELF file with a symbol\n"
	"table and DWARF. Any debugger accepts it as the debug file of the program:\n"
	"'add-symbol-file FILE -o BIAS' in GDB, 'target symbols add FILE' in LLDB. INPUT is\n"
	"any file that 'cairn gsym create' accepts.\n"
	"\n"
	"For LLDB (--debugger=lldb) the file also has the frames of BINARY, from its .sframe;\n"
	"INPUT may then be omitted.";

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

struct job {
	const char *input, *output, *machine, *debugger;
	bool big, narrow;
	struct cairn_symbol_object_options object;
	struct cairn_symbol_object_summary summary;
	struct cairn_functions *functions; /* input; NULL if no INPUT was given */
	struct functions_input reading;
};

static bool find_machine(struct job *job)
{
	uint64_t number;

	for (size_t i = 0; i < COUNT(machines); i++)
		if (strcmp(job->machine, machines[i].name) == 0) {
			job->object.machine = machines[i].machine;
			job->object.big_endian = machines[i].big;
			return true;
		}
	if (!parse_number(job->machine, &number) || number == 0 || number > UINT16_MAX)
		return false;
	job->object.machine = (uint16_t)number;
	job->object.big_endian = job->big;
	job->object.narrow = job->narrow;
	return true;
}

static void print_summary(const struct job *job)
{
	FILE *out = strcmp(job->output, "-") == 0 ? stderr : stdout;
	const struct cairn_symbol_object_summary *sum = &job->summary;
	struct cairn_functions_drop drop;

	print_string(out, job->output);
	fprintf(out, ": %" PRIu64 " functions, ", sum->functions);
	if (job->object.for_lldb)
		fprintf(out, "%" PRIu64 " with frames, ", sum->frames);
	fprintf(out, "%" PRIu64 " bytes\n", sum->bytes);
	if (sum->damaged > 0)
		fprintf(out,
		        "  %" PRIu64
		        " rows or entries of its frame tables were damaged; the first: %s\n",
		        sum->damaged, sum->fault.what);
	for (size_t at = 0;
	     job->functions && cairn_functions_next_drop(job->functions, &at, &drop);)
		fprintf(out, "  %" PRIu64 " %s\n", drop.count, drop.what);
}

static int write_to_stdout(void *context, const char *suffix, const void *bytes, size_t size)
{
	(void)context;
	(void)suffix;
	/* write errors are detected when standard output is flushed at exit */
	fwrite(bytes, 1, size, stdout);
	return 0;
}

static int convert_to_object(struct job *job)
{
	const struct cairn_output output = { sizeof(output),
		                             strcmp(job->output, "-") == 0 ? NULL : job->output,
		                             write_to_stdout, NULL };

	job->summary.size = sizeof(job->summary);
	if (cairn_functions_write_object(job->functions, &job->object, &output, &job->summary,
	                                 &job->reading.error) != CAIRN_OK) {
		if (job->reading.error.status == CAIRN_MISMATCH)
			job->reading.error.next = "use --force to accept the file anyway";
		return functions_input_fail(&job->reading);
	}
	progress_end(&job->reading.line);
	if (!job->reading.quiet)
		print_summary(job);
	return EXIT_CLEAN;
}

static int write_symbols(struct job *job)
{
	if (!job->input)
		return convert_to_object(job);
	job->functions = functions_input_open(&job->reading, job->input);
	const int status = job->functions ? convert_to_object(job) : EXIT_BROKEN;
	functions_input_close(&job->reading, job->functions);
	return status;
}

static const char *check_words(struct job *job, int operands)
{
	job->object.for_lldb = job->debugger && strcmp(job->debugger, "lldb") == 0;
	if (job->debugger && !job->object.for_lldb && strcmp(job->debugger, "gdb") != 0)
		return "--debugger must be gdb or lldb";
	if (operands == 0 && !(job->object.for_lldb && job->object.program))
		return "no INPUT";
	if (!job->output)
		return "--output is required";
	if (!job->object.program == !job->machine)
		return "exactly one of --for and --machine is required";
	if (job->machine && !find_machine(job))
		return "unknown --machine";
	return NULL;
}

static int symbols_write(int argc, char **argv)
{
	struct job job = { .object = CAIRN_SYMBOL_OBJECT_OPTIONS, .reading = FUNCTIONS_INPUT };
	const struct option options[] = {
		OPTION_OUTPUT('o', "output", "FILE", "write to OUT; '-' is standard output",
		              &job.output),
		OPTION_TEXT("for", "BINARY", "program of the symbols, which determines the machine",
		            &job.object.program),
		OPTION_TEXT("debugger", "NAME", "gdb (default), or lldb: with the frames of BINARY",
		            &job.debugger),
		OPTION_TEXT("machine", "NAME",
		            "amd64, aarch64, aarch64_be, s390x, or a machine number of ELF",
		            &job.machine),
		OPTION_FLAG("big-endian", "for a machine given by its number", &job.big),
		OPTION_FLAG("32-bit", "for a machine given by its number", &job.narrow),
		OPTION_FLAG("force", "use symbols that belong to another build",
		            &job.object.any_build),
		OPTION_FLAG_OF('q', "quiet", "do not print a summary", &job.reading.quiet),
	};
	const struct command command =
		COMMAND("cairn symbols write [OPTION...] [INPUT] -o FILE", about, options,
	                OPERANDS(0, 1, "INPUT"), .rights = RIGHT_FINDS);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	const char *wrong = check_words(&job, argc);
	if (wrong)
		return usage_error(&command, "%s", wrong);
	job.input = argc == 1 ? argv[0] : NULL;
	job.reading.options.statements = true;
	job.reading.jobs = 1;
	return write_symbols(&job);
}

static const struct verb verbs[] = {
	{ "write", "write symbols as an ELF file with DWARF, for any debugger", symbols_write },
};

int verb_symbols(int argc, char **argv)
{
	return verbs_run("cairn symbols",
	                 "Write symbols for debuggers that do not know their format.", verbs,
	                 COUNT(verbs), argc, argv);
}
