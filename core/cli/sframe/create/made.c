/* SPDX-License-Identifier: MIT */
/* Writes files with tables, and prints their summaries. */
#include "made.h"

#include "os/file/atomic_file.h"
#include "output/escape.h"
#include "output/json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { PERMISSIONS = 0777 };

int sframe_check_making(const struct command *command, const struct sframe_making *making,
                        const char *option)
{
	if (making->version != 2 && making->version != 3)
		return usage_error(command, "%s is 2 or 3", option);
	if (making->by_section && making->version != 2)
		return usage_error(command, "--by-section is for %s 2", option);
	if (making->share && making->join)
		return usage_error(command, "--share-rows and --join-functions exclude each other");
	return EXIT_CLEAN;
}

struct cairn_sframe_options sframe_making_options(const struct sframe_making *making)
{
	return (struct cairn_sframe_options){ .version = (unsigned)making->version,
		                              .by_section = making->by_section,
		                              .share_rows = making->share,
		                              .join_functions = making->join,
		                              .debug_frame = { (const uint8_t *)"", 0 } };
}

bool sframe_name_output(const struct sframe_making *making, const char *input, const char *ending,
                        char path[SFRAME_PATH])
{
	const bool beside = !making->out && strcmp(input, "-") != 0;
	const int size = snprintf(path, SFRAME_PATH, "%s%s", making->out ? making->out : input,
	                          beside ? ending : "");

	if (size < SFRAME_PATH)
		return true;
	return refuse_with(input, "the name of the output is too long");
}

static int publish_made(const char *path, struct cairn_bytes bytes, const char *like)
{
	struct stat about;

	if (strcmp(path, "-") == 0)
		return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size && !fflush(stdout)
		               ? EXIT_CLEAN
		               : fail_with(NULL, "cannot write to standard output");
	const bool alike = like && strcmp(like, "-") != 0 && stat(like, &about) == 0;
	int error = os_atomic_file_write(path, &bytes, 1);
	if (error == 0 && alike && chmod(path, about.st_mode & PERMISSIONS) != 0)
		error = errno;
	return error ? fail_with(path, "cannot write: %s", strerror(error)) : EXIT_CLEAN;
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

static void print_summary_text(const struct sframe_making *making, const char *path,
                               const struct cairn_sframe_file *made)
{
	FILE *out = strcmp(path, "-") == 0 ? stderr : stdout;

	print_string(out, path);
	if (making->as)
		fputs(": a row table", out);
	else
		fprintf(out, ": SFrame version %" PRIu64, making->version);
	fprintf(out,
	        ", %" PRIu64 " functions, %" PRIu64 " rows, %" PRIu64 " bytes, from %" PRIu64
	        "; %.4f %% of the code that was described\n",
	        made->functions, made->rows, made->table, made->cfi,
	        percent_of(made->written, made->described));
	if (making->report)
		print_report(out, made);
}

static void print_summary_json(const struct sframe_making *making, const char *path,
                               const struct cairn_sframe_file *made)
{
	struct json json = json_to(strcmp(path, "-") == 0 ? stderr : stdout);

	json_object(&json, NULL);
	json_string(&json, "file", path);
	if (making->as)
		json_string(&json, "as", making->as);
	else
		json_number(&json, "version", making->version);
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

void sframe_print_made(const struct sframe_making *making, const char *input, const char *path,
                       const struct cairn_sframe_file *made)
{
	if (made->damaged && !making->quiet)
		print_diagnostic(input,
		                 "%" PRIu64 " entr%s could not be read, the first at byte %" PRIu64
		                 " (0x%" PRIx64 "): %s; the code is left out",
		                 made->damaged, made->damaged == 1 ? "y" : "ies",
		                 made->fault.offset, made->fault.offset, made->fault.what);
	if (making->form == FORM_JSON)
		print_summary_json(making, path, made);
	else if (!making->quiet)
		print_summary_text(making, path, made);
}

int sframe_finish_made(const struct sframe_making *making, const char *input, const char *path,
                       const char *like, struct cairn_sframe_file *made)
{
	const int status = publish_made(path, made->bytes, like);

	if (status == EXIT_CLEAN)
		sframe_print_made(making, input, path, made);
	cairn_sframe_file_free(made);
	return status;
}

int sframe_report_unmade(const char *input, enum cairn_status status,
                         const struct cairn_fault *fault)
{
	print_diagnostic(input, "no table can be made: %s", fault->what);
	return status == CAIRN_NOT_FOUND ? EXIT_MISSING : EXIT_BROKEN;
}
