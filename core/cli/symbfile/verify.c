/* SPDX-License-Identifier: MIT */
/* `cairn symbfile verify`: prints every fault in a file with its offset. */
#include "symbfile.h"

#include "output/escape.h"

#include <inttypes.h>

static const char about[] =
	"Read each FILE completely and print its faults with their offsets, and a summary. A\n"
	"damaged record is skipped; damage between records ends the check. Exit status 3:\n"
	"there are faults.";

struct verify {
	enum form form;
	uint64_t ranges, pads;
};

struct settings {
	enum form form;
	bool quiet;
};

static void print_fault(struct symbfile_input *input)
{
	struct verify *v = input->context;
	struct cairn_fault fault = symbfile_fault(&input->symbfile);

	if (v->form == FORM_JSON) {
		struct json j = json_to(stdout);
		json_object(&j, NULL);
		json_string(&j, "file", input->path);
		json_string(&j, "fault", symbfile_code_name(input->symbfile.code));
		json_number(&j, "offset", fault.offset);
		json_string(&j, "what", fault.what);
		json_end(&j);
	} else if (v->form == FORM_LINES) {
		printf("X\t%s\t0x%" PRIx64 "\n", symbfile_code_name(input->symbfile.code),
		       fault.offset);
	} else {
		print_string(stdout, input->path);
		printf(": %s at byte %" PRIu64 " (0x%" PRIx64 ")\n", fault.what, fault.offset,
		       fault.offset);
	}
}

static int verify_file(const char *path, const void *settings)
{
	const struct settings *s = settings;
	struct symbfile_input input;
	struct symbfile_record record;
	struct verify v = { .form = s->form };

	if (!symbfile_input_open(path, v.form, true, &input))
		return EXIT_BROKEN;
	input.tell = print_fault;
	input.context = &v;
	input.progress = progress_begin(path, "bytes", s->quiet);
	while (symbfile_input_next(&input, &record)) {
		v.ranges += record.kind == SYMBFILE_RANGE;
		v.pads += record.kind == SYMBFILE_PAD;
	}
	if (v.form == FORM_JSON) {
		struct json j = json_to(stdout);
		json_object(&j, NULL);
		json_string(&j, "file", input.path);
		json_number(&j, "ranges", v.ranges);
		json_number(&j, "return_pads", v.pads);
		json_number(&j, "faults", input.faults);
		json_number(&j, "dropped", input.symbfile.dropped);
		json_end(&j);
	} else if (v.form == FORM_LINES)
		printf("S\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", v.ranges, v.pads,
		       input.faults);
	else {
		print_string(stdout, input.path);
		printf(": %" PRIu64 " range%s, %" PRIu64 " return pad%s, ", v.ranges,
		       v.ranges == 1 ? "" : "s", v.pads, v.pads == 1 ? "" : "s");
		if (input.faults)
			printf("%" PRIu64 " fault%s", input.faults, input.faults == 1 ? "" : "s");
		else
			fputs("sound", stdout);
		if (input.symbfile.dropped)
			printf(", %" PRIu64 " more dropped with their addresses",
			       input.symbfile.dropped);
		putchar('\n');
	}
	symbfile_input_close(&input);
	return symbfile_input_status(&input);
}

int symbfile_verify_verb(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { .take = verify_file, .context = &s, .form = &s.form };
	const struct option options[] = { OPTION_LINES(&s.form), OPTION_JSON(&s.form),
		                          OPTION_NO_PROGRESS(&s.quiet) };
	const struct command command = COMMAND("cairn symbfile verify [OPTION...] FILE...", about,
	                                       options, OPERANDS(1, OPERANDS_MANY, "FILE"));

	return for_each_file(&command, argc, argv, &each);
}
