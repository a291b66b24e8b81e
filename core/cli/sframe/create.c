/* SPDX-License-Identifier: MIT */
/* `cairn sframe create`: a file with an SFrame table, made from the call frame information of a program. */
#include "sframe.h"

#include "debuginfo/elf/section.h"
#include "os/file/atomic_file.h"
#include "output/escape.h"
#include "output/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Makes an SFrame table from the .eh_frame and .debug_frame of a program, library or debug\n"
	"file, for programs that have lost them: a file with the table and the build ID, by which\n"
	"cairn and debuggers with cairn find it.  Without -o, OUT is INPUT.sframe.  Each row is\n"
	"the rule of the input; code whose rule SFrame cannot express has no row (--report counts\n"
	"it).  The same input gives the same bytes.";

struct create {
	const char *out;
	uint64_t version;
	bool by_section, share, report, quiet;
	enum form form;
};

/* INPUT.sframe, in the folder of the input. */
static bool name_output(const struct create *create, const char *input, char path[4096])
{
	const bool beside = !create->out && strcmp(input, "-") != 0;
	const int size = snprintf(path, 4096, "%s%s", create->out ? create->out : input,
	                          beside ? ".sframe" : "");

	if (size < 4096)
		return true;
	print_diagnostic(input, "the name of the output is too long");
	return false;
}

static int publish_table(const char *path, struct cairn_bytes bytes)
{
	if (strcmp(path, "-") == 0) {
		if (fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size && !fflush(stdout))
			return EXIT_CLEAN;
		print_diagnostic(NULL, "cannot write to standard output");
		return EXIT_BROKEN;
	}
	const int error = os_atomic_file_write(path, &bytes, 1);
	if (error)
		print_diagnostic(path, "cannot write: %s", strerror(error));
	return error ? EXIT_BROKEN : EXIT_CLEAN;
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void print_report(FILE *out, const struct cairn_sframe_file *made)
{
	fprintf(out, "  code             %12" PRIu64 " bytes\n", made->code);
	fprintf(out, "  described        %12" PRIu64 "  %8.4f %%\n", made->described,
	        percent_of(made->described, made->code));
	fprintf(out, "  written          %12" PRIu64 "  %8.4f %% of the described\n", made->written,
	        percent_of(made->written, made->described));
	for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
		if (made->left_out[i])
			fprintf(out, "  left out: %-10s %8" PRIu64 "  %8.4f %%\n",
			        cairn_sframe_loss_name((enum cairn_sframe_loss)i),
			        made->left_out[i], percent_of(made->left_out[i], made->described));
}

static void print_summary_text(const struct create *create, const char *path,
                               const struct cairn_sframe_file *made)
{
	FILE *out = strcmp(path, "-") == 0 ? stderr : stdout;

	print_string(out, path);
	fprintf(out,
	        ": SFrame version %" PRIu64 ", %" PRIu64 " functions, %" PRIu64 " rows, %" PRIu64
	        " bytes, from %" PRIu64 "; %.4f %% of the code that was described\n",
	        create->version, made->functions, made->rows, made->table, made->cfi,
	        percent_of(made->written, made->described));
	if (create->report)
		print_report(out, made);
}

static void print_summary_json(const struct create *create, const char *path,
                               const struct cairn_sframe_file *made)
{
	struct json json = json_to(strcmp(path, "-") == 0 ? stderr : stdout);

	json_object(&json, NULL);
	json_string(&json, "file", path);
	json_number(&json, "version", create->version);
	json_number(&json, "functions", made->functions);
	json_number(&json, "rows", made->rows);
	json_number(&json, "bytes", made->table);
	json_number(&json, "cfi_bytes", made->cfi);
	json_number(&json, "code", made->code);
	json_number(&json, "described", made->described);
	json_number(&json, "written", made->written);
	json_number(&json, "damaged", made->damaged);
	json_object(&json, "left_out");
	for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
		json_number(&json, cairn_sframe_loss_name((enum cairn_sframe_loss)i),
		            made->left_out[i]);
	json_end(&json);
	json_end(&json);
}

static void report_made(const struct create *create, const char *input, const char *path,
                        const struct cairn_sframe_file *made)
{
	if (made->damaged && !create->quiet)
		print_diagnostic(input,
		                 "%" PRIu64 " entr%s could not be read, the first at byte %" PRIu64
		                 " (0x%" PRIx64 "): %s; the code is left out",
		                 made->damaged, made->damaged == 1 ? "y" : "ies",
		                 made->fault.offset, made->fault.offset, made->fault.what);
	if (create->form == FORM_JSON)
		print_summary_json(create, path, made);
	else if (!create->quiet)
		print_summary_text(create, path, made);
}

/* Unpacks the .debug_frame of a debug file where it is compressed. */
static enum cairn_status unpack_frames(const struct elf *elf, struct cairn_bytes file,
                                       void **unpacked, struct cairn_bytes *frames)
{
	struct elf_section section;
	size_t size = 0;

	if (!elf_find_section(elf, ".debug_frame", &section) ||
	    !(section.flags & ELF_SHF_COMPRESSED))
		return CAIRN_OK;
	enum cairn_status status = debuginfo_decompress(file, ".debug_frame", unpacked, &size);
	if (status == CAIRN_OK)
		*frames = (struct cairn_bytes){ *unpacked, size };
	return status;
}

static int make_table(const struct create *create, const char *input, struct cairn_bytes file,
                      const struct elf *elf, struct cairn_sframe_file *made)
{
	struct cairn_sframe_options options = { .version = (unsigned)create->version,
		                                .by_section = create->by_section,
		                                .share_rows = create->share,
		                                .debug_frame = { (const uint8_t *)"", 0 } };
	void *unpacked = NULL;
	struct cairn_fault fault;
	enum cairn_status status = unpack_frames(elf, file, &unpacked, &options.debug_frame);

	if (status != CAIRN_OK) {
		print_diagnostic(input, ".debug_frame cannot be unpacked");
		return EXIT_BROKEN;
	}
	status = cairn_sframe_file_make(file, &options, made, &fault);
	free(unpacked);
	if (status == CAIRN_OK)
		return EXIT_CLEAN;
	print_diagnostic(input, "no table can be made: %s", fault.what);
	return status == CAIRN_NOT_FOUND ? EXIT_MISSING : EXIT_BROKEN;
}

static int create_from(const struct create *create, const char *input)
{
	struct cairn_sframe_file made;
	struct os_file file;
	struct elf elf;
	char path[4096];

	if (!name_output(create, input, path) || !input_open_elf(input, &file, &elf))
		return EXIT_BROKEN;
	int status = make_table(create, input, file.bytes, &elf, &made);
	if (status == EXIT_CLEAN) {
		status = publish_table(path, made.bytes);
		if (status == EXIT_CLEAN)
			report_made(create, input, path, &made);
		cairn_sframe_file_free(&made);
	}
	os_file_close(&file);
	return status;
}

int sframe_create(int argc, char **argv)
{
	struct create create = { .version = 3, .form = FORM_TEXT };
	const struct option options[] = {
		{ .name = "output",
		  .letter = 'o',
		  .argument = "OUT",
		  .help = "write there; - is standard output",
		  .text = &create.out },
		{ .name = "format",
		  .argument = "2|3",
		  .help = "write this version of SFrame (3)",
		  .number = &create.version },
		{ .name = "by-section",
		  .help = "version 2: starts count from the section, for binutils before 2.45",
		  .flag = &create.by_section },
		{ .name = "share-rows",
		  .help = "functions with equal rows share them; some objdump refuse that",
		  .flag = &create.share },
		{ .name = "report",
		  .help = "count the code that is left out, by reason",
		  .flag = &create.report },
		{ .name = "quiet", .help = "print no summary", .flag = &create.quiet },
		OPTION_JSON(&create.form),
	};
	const struct command command = { "cairn sframe create [OPTION...] INPUT", about, options,
		                         COUNT(options) };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (argc != 1)
		return usage_error(&command, argc ? "more than one INPUT" : "no INPUT");
	if (create.version != 2 && create.version != 3)
		return usage_error(&command, "--format is 2 or 3");
	if (create.by_section && create.version != 2)
		return usage_error(&command, "--by-section is for --format 2");
	return create_from(&create, argv[0]);
}
