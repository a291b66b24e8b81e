/* SPDX-License-Identifier: MIT */
/* cairn symbfile create: the two files of an executable, ranges and return pads. */
#include "symbfile.h"

#include "engine/symbfile_maker.h"
#include "origin.h"
#include "os/publish.h"
#include "output/escape.h"
#include "symbfile_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
	"Makes symbfiles of BINARY: OUT.ranges and OUT.returnpads.  What is known comes from its\n"
	"DWARF and symbols, or those of --debug; or BINARY is a Breakpad or GSYM file, of which\n"
	"there are ranges alone.  OUT is BINARY without -o.  Files appear whole or not at all; "
        "the\n"
	"same input gives the same bytes.";

struct create {
	const char *out, *debug, *only;
	bool raw_names, quiet;
	enum form form;
	struct origin_options input;

	const char *binary;
	struct os_file file; /* the binary, for its code */
	struct elf elf;
	bool has_code;
	struct origin origin;
	struct symbfile_maker *maker;
	struct symbfile_naming naming;
	uint64_t ranges_size, pads_size;
};

static bool maker_sink(void *context, unsigned thread, struct function_sink *sink)
{
	struct symbfile_shard *shard = symbfile_maker_shard(context);

	(void)thread;
	if (shard)
		*sink = symbfile_shard_sink(shard);
	return shard != NULL;
}

static void maker_unit(void *context, unsigned thread, uint32_t unit)
{
	symbfile_shard_unit(symbfile_maker_thread(context, thread), unit);
}

/* Every segment that is loaded to be run. */
static bool load_code(struct create *c, struct maker_code *code)
{
	enum { EXECUTE = 1 };
	struct elf_segment segment;

	code->machine = elf_machine(&c->elf);
	code->pieces = 0;
	code->piece = calloc(c->elf.segments + 1u, sizeof(*code->piece));
	if (!code->piece)
		return false;
	for (uint32_t i = 0; i < c->elf.segments; i++)
		if (elf_segment(&c->elf, i, &segment) && segment.type == ELF_PT_LOAD &&
		    (segment.flags & EXECUTE))
			code->piece[code->pieces++] =
				(struct maker_code_piece){ segment.va,
				                           elf_segment_bytes(&c->elf, &segment) };
	return true;
}

static int write_file(const struct create *c, const char *suffix, const struct symbfile_bytes *file)
{
	const char *base = c->out ? c->out : c->binary;
	char path[4096];
	struct cairn_bytes bytes = { file->data, file->size };
	int size = snprintf(path, sizeof(path), "%s.%s", base, suffix);

	if (size < 0 || (size_t)size >= sizeof(path)) {
		complain(base, "the name of the output is too long");
		return EXIT_BROKEN;
	}
	int error = os_publish(path, &bytes, 1);
	if (error)
		complain(path, "cannot write: %s", strerror(error));
	return error ? EXIT_BROKEN : EXIT_CLEAN;
}

static int refuse(const struct create *c, enum cairn_status status)
{
	complain(c->origin.path, status == CAIRN_NOT_FOUND     ? "no functions in it"
	                         : status == CAIRN_UNSUPPORTED ? "a function that has no room in a "
	                                                         "message of 16 MiB"
	                                                       : "out of memory");
	return status == CAIRN_NOT_FOUND ? EXIT_MISSING : EXIT_BROKEN;
}

static int write_ranges(struct create *c)
{
	struct symbfile_bytes file;
	enum cairn_status status = symbfile_maker_ranges(c->maker, &file);

	if (status != CAIRN_OK)
		return refuse(c, status);
	c->ranges_size = file.size;
	int result = write_file(c, "ranges", &file);
	free(file.data);
	return result;
}

static int write_pads(struct create *c)
{
	struct symbfile_bytes file;
	struct maker_code code;

	if (!load_code(c, &code))
		return refuse(c, CAIRN_NO_MEMORY);
	enum cairn_status status = symbfile_maker_pads(c->maker, &code, &file);
	free(code.piece);
	if (status == CAIRN_UNSUPPORTED) {
		complain(c->binary, "calls of this machine are not known: no return pads");
		return EXIT_CLEAN;
	}
	if (status != CAIRN_OK)
		return refuse(c, status);
	c->pads_size = file.size;
	int result = write_file(c, "returnpads", &file);
	free(file.data);
	return result;
}

static int convert(struct create *c)
{
	struct origin_takers takers = { maker_sink, maker_unit, c->maker };
	struct symbfile_names names = { symbfile_name, &c->naming };

	if (origin_read(&c->origin, &takers) != CAIRN_OK)
		return EXIT_BROKEN;
	enum cairn_status status = symbfile_maker_arrange(c->maker, c->raw_names ? NULL : &names);
	if (status != CAIRN_OK)
		return refuse(c, status);
	int result = EXIT_CLEAN;
	if (!c->only || strcmp(c->only, "ranges") == 0)
		result = write_ranges(c);
	if (result == EXIT_CLEAN && c->has_code && (!c->only || strcmp(c->only, "returnpads") == 0))
		result = write_pads(c);
	return result;
}

/* What is left out, and how much of it. */
struct loss {
	const char *what;
	uint64_t count;
};

enum { LOSSES = 6 };

static void list_losses(const struct symbfile_maker_summary *s, struct loss losses[LOSSES])
{
	const struct loss all[LOSSES] = {
		{ "functions without a name", s->nameless },
		{ "functions whose code is another's", s->repeated },
		{ "symbols that touch other functions", s->covered },
		{ "symbols without size and neighbour", s->sizeless },
		{ "inlined calls too deep", s->too_deep },
		{ "places without an instruction", s->undecoded },
	};

	memcpy(losses, all, sizeof(all));
}

static void print_summary(const struct create *c, const struct symbfile_maker_summary *s)
{
	struct loss losses[LOSSES];

	list_losses(s, losses);
	print_string(stdout, c->origin.path);
	printf(": %" PRIu64 " functions (%" PRIu64 " from symbols alone), %" PRIu64
	       " ranges, %" PRIu64 " lines: %" PRIu64 " bytes; %" PRIu64 " return pads: %" PRIu64
	       " bytes\n",
	       s->functions, s->symbols, s->ranges, s->rows, c->ranges_size, s->pads, c->pads_size);
	for (size_t i = 0; i < c->origin.drops; i++)
		printf("  dropped: %" PRIu64 " %s\n", c->origin.drop[i].count,
		       c->origin.drop[i].what);
	for (size_t i = 0; i < LOSSES; i++)
		if (losses[i].count)
			printf("  dropped: %" PRIu64 " %s\n", losses[i].count, losses[i].what);
}

static void print_json(const struct create *c, const struct symbfile_maker_summary *s)
{
	struct json j = json_to(stdout);
	struct loss losses[LOSSES];

	list_losses(s, losses);
	json_object(&j, NULL);
	json_string(&j, "input", c->origin.path);
	json_number(&j, "functions", s->functions);
	json_number(&j, "from_symbols", s->symbols);
	json_number(&j, "ranges", s->ranges);
	json_number(&j, "lines", s->rows);
	json_number(&j, "ranges_bytes", c->ranges_size);
	json_number(&j, "return_pads", s->pads);
	json_number(&j, "return_pad_frames", s->frames);
	json_number(&j, "returnpads_bytes", c->pads_size);
	json_object(&j, "dropped");
	for (size_t i = 0; i < c->origin.drops; i++)
		json_number(&j, c->origin.drop[i].what, c->origin.drop[i].count);
	for (size_t i = 0; i < LOSSES; i++)
		json_number(&j, losses[i].what, losses[i].count);
	json_end(&j);
	json_end(&j);
}

/* Is the file with the debugging information of the same build? */
static bool belongs(const struct create *c)
{
	struct cairn_bytes own = elf_build_id(&c->elf), debug = c->origin.build_id;

	if (!c->debug || own.size == 0 || debug.size == 0 ||
	    (own.size == debug.size && memcmp(own.data, debug.data, own.size) == 0))
		return true;
	complain(c->debug, "belongs to another build than %s", c->binary);
	return false;
}

static bool open_inputs(struct create *c, int *status)
{
	struct cairn_fault fault;

	*status = EXIT_BROKEN;
	if (!input_open(c->binary, &c->file))
		return false;
	c->has_code = elf_open(c->file.bytes, &c->elf, &fault) == CAIRN_OK;
	if (c->debug && !c->has_code) {
		complain_fault(c->binary, NULL, &fault, "an ELF file is expected");
		return false;
	}
	if (!origin_open(c->debug ? c->debug : c->binary, &c->input, &c->origin, status))
		return false;
	*status = EXIT_MISSING;
	if (belongs(c))
		return true;
	origin_close(&c->origin);
	return false;
}

static int create_one(struct create *c, const char *binary)
{
	struct symbfile_maker_summary summary;
	int status;

	c->binary = binary;
	if (!open_inputs(c, &status)) {
		os_file_close(&c->file);
		return status;
	}
	c->maker = symbfile_maker_new();
	status = c->maker ? convert(c) : refuse(c, CAIRN_NO_MEMORY);
	if (status == EXIT_CLEAN) {
		symbfile_maker_summary(c->maker, &summary);
		if (c->form == FORM_JSON)
			print_json(c, &summary);
		else if (!c->quiet)
			print_summary(c, &summary);
	}
	symbfile_maker_free(c->maker);
	symbfile_naming_finish(&c->naming);
	origin_close(&c->origin);
	os_file_close(&c->file);
	return status;
}

int symbfile_create_verb(int argc, char **argv)
{
	static struct create c;
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	const struct option options[] = {
		{ .name = "output",
		  .letter = 'o',
		  .argument = "OUT",
		  .help = "write OUT.ranges and OUT.returnpads",
		  .text = &c.out },
		{ .name = "debug",
		  .argument = "FILE",
		  .help = "the file with its debugging information",
		  .text = &c.debug },
		{ .name = "only",
		  .argument = "ranges|returnpads",
		  .help = "only one of the two",
		  .text = &c.only },
		{ .name = "raw-names",
		  .help = "names as the linker has them",
		  .flag = &c.raw_names },
		{ .name = "jobs",
		  .letter = 'j',
		  .argument = "N",
		  .help = "threads",
		  .number = &c.input.jobs },
		{ .name = "quiet", .help = "print nothing but errors", .flag = &c.quiet },
		OPTION_JSON(&c.form),
	};
	const struct command command = { "cairn symbfile create [OPTION...] BINARY", about, options,
		                         COUNT(options) };
	int status = EXIT_CLEAN;

	c.input.jobs = online < 1 ? 1 : online > 8 ? 8 : (uint64_t)online;
	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (argc != 1)
		return usage_error(&command, argc ? "more than one BINARY" : "no BINARY");
	if (c.only && strcmp(c.only, "ranges") != 0 && strcmp(c.only, "returnpads") != 0)
		return usage_error(&command, "--only is ranges or returnpads");
	if (c.input.jobs < 1 || c.input.jobs > ORIGIN_JOBS_MAX)
		return usage_error(&command, "--jobs is 1 to %d", ORIGIN_JOBS_MAX);
	return create_one(&c, argv[0]);
}
