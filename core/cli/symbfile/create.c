/* SPDX-License-Identifier: MIT */
/* cairn symbfile create: the two files of an executable, ranges and return pads. */
#include "symbfile.h"

#include "make.h"

#include "os/file/atomic_file.h"
#include "output/escape.h"

#include <inttypes.h>
#include <string.h>

static const char about[] =
	"Creates symbfiles for BINARY: OUT.ranges and OUT.returnpads.  The information comes "
	"from\nits DWARF and symbols, or from those of --debug.  A Breakpad or GSYM file gives "
	"OUT.ranges\nonly.  Without -o, OUT is BINARY.  Files appear whole or not at all, and the "
	"same input\ngives the same bytes.";

struct create {
	const char *out, *only;
	bool quiet;
	enum form form;
	struct symbfile_making making;
};

static int write_file(const struct create *c, const char *suffix, const struct symbfile_bytes *file)
{
	const char *base = c->out ? c->out : c->making.binary;
	char path[4096];
	struct cairn_bytes bytes = { file->data, file->size };
	int size = snprintf(path, sizeof(path), "%s.%s", base, suffix);

	if (size < 0 || (size_t)size >= sizeof(path)) {
		print_diagnostic(base, "the name of the output is too long");
		return EXIT_BROKEN;
	}
	int error = os_atomic_file_write(path, &bytes, 1);
	if (error)
		print_diagnostic(path, "cannot write: %s", strerror(error));
	return error ? EXIT_BROKEN : EXIT_CLEAN;
}

/* What is left out, and how much of it. */
struct loss {
	const char *what;
	uint64_t count;
};

enum { LOSSES = 7 };

static void list_losses(const struct symbfile_maker_summary *s, struct loss losses[LOSSES])
{
	const struct loss all[LOSSES] = {
		{ "functions without a name", s->nameless },
		{ "functions whose code is another's", s->repeated },
		{ "symbols that touch other functions", s->covered },
		{ "symbols without size and neighbour", s->sizeless },
		{ "inlined calls too deep", s->too_deep },
		{ "ends of ranges that claim more than 64 GB", s->too_long },
		{ "places without an instruction", s->undecoded },
	};

	memcpy(losses, all, sizeof(all));
}

static void print_summary(const struct create *c)
{
	const struct symbfile_making *m = &c->making;
	const struct symbfile_maker_summary *s = &m->summary;
	struct loss losses[LOSSES];

	list_losses(s, losses);
	print_string(stdout, m->origin.path);
	printf(": %" PRIu64 " functions (%" PRIu64 " from symbols alone), %" PRIu64
	       " ranges, %" PRIu64 " lines: %zu bytes; %" PRIu64 " return pads: %zu bytes\n",
	       s->functions, s->symbols, s->ranges, s->rows, m->ranges.size, s->pads, m->pads.size);
	for (size_t i = 0; i < m->origin.drops; i++)
		printf("  dropped: %" PRIu64 " %s\n", m->origin.drop[i].count,
		       m->origin.drop[i].what);
	for (size_t i = 0; i < LOSSES; i++)
		if (losses[i].count)
			printf("  dropped: %" PRIu64 " %s\n", losses[i].count, losses[i].what);
}

static void print_json(const struct create *c)
{
	const struct symbfile_making *m = &c->making;
	const struct symbfile_maker_summary *s = &m->summary;
	struct json j = json_to(stdout);
	struct loss losses[LOSSES];

	list_losses(s, losses);
	json_object(&j, NULL);
	json_string(&j, "input", m->origin.path);
	json_number(&j, "functions", s->functions);
	json_number(&j, "from_symbols", s->symbols);
	json_number(&j, "ranges", s->ranges);
	json_number(&j, "lines", s->rows);
	json_number(&j, "ranges_bytes", m->ranges.size);
	json_number(&j, "return_pads", s->pads);
	json_number(&j, "return_pad_frames", s->frames);
	json_number(&j, "returnpads_bytes", m->pads.size);
	json_object(&j, "dropped");
	for (size_t i = 0; i < m->origin.drops; i++)
		json_number(&j, m->origin.drop[i].what, m->origin.drop[i].count);
	for (size_t i = 0; i < LOSSES; i++)
		json_number(&j, losses[i].what, losses[i].count);
	json_end(&j);
	json_end(&j);
}

static int write_files(const struct create *c)
{
	const struct symbfile_making *m = &c->making;
	int status = m->ranges.data ? write_file(c, "ranges", &m->ranges) : EXIT_CLEAN;

	if (status == EXIT_CLEAN && m->pads.data)
		status = write_file(c, "returnpads", &m->pads);
	return status;
}

static int create_one(struct create *c, const char *binary)
{
	int status = symbfile_make(&c->making, binary);

	if (status == EXIT_CLEAN)
		status = write_files(c);
	if (status == EXIT_CLEAN && c->form == FORM_JSON)
		print_json(c);
	else if (status == EXIT_CLEAN && !c->quiet)
		print_summary(c);
	symbfile_making_finish(&c->making);
	return status;
}

int symbfile_create_verb(int argc, char **argv)
{
	static struct create c;
	const struct option options[] = {
		{ .name = "output",
		  .letter = 'o',
		  .argument = "OUT",
		  .help = "write OUT.ranges and OUT.returnpads",
		  .text = &c.out },
		{ .name = "debug",
		  .argument = "FILE",
		  .help = "the file with the debugging information of BINARY",
		  .text = &c.making.debug },
		{ .name = "directory",
		  .argument = "DIR[:DIR...]",
		  .help = "search these folders for debug files",
		  .text = &c.making.input.folders },
		{ .name = "only",
		  .argument = "ranges|returnpads",
		  .help = "write only one of the two files",
		  .text = &c.only },
		{ .name = "raw-names", .help = "keep mangled names", .flag = &c.making.raw_names },
		{ .name = "jobs",
		  .letter = 'j',
		  .argument = "N",
		  .help = "threads",
		  .number = &c.making.input.jobs },
		{ .name = "quiet", .help = "print errors only", .flag = &c.quiet },
		OPTION_JSON(&c.form),
	};
	const struct command command = { "cairn symbfile create [OPTION...] BINARY", about, options,
		                         COUNT(options) };
	int status = EXIT_CLEAN;

	c.making.input.jobs = function_source_default_jobs();
	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (argc != 1)
		return usage_error(&command, argc ? "more than one BINARY" : "no BINARY");
	if (c.only && strcmp(c.only, "ranges") != 0 && strcmp(c.only, "returnpads") != 0)
		return usage_error(&command, "--only is ranges or returnpads");
	if (c.making.input.jobs < 1 || c.making.input.jobs > FUNCTION_SOURCE_JOBS_MAX)
		return usage_error(&command, "--jobs is 1 to %d", FUNCTION_SOURCE_JOBS_MAX);
	c.making.input.quiet = c.quiet;
	c.making.no_ranges = c.only && strcmp(c.only, "returnpads") == 0;
	c.making.no_pads = c.only && !c.making.no_ranges;
	return create_one(&c, argv[0]);
}
