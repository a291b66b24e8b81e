/* SPDX-License-Identifier: MIT */
/* `cairn cbf decode`: prints the frames of backtraces. */
#include "cbf.h"

#include "cli/front/rights.h"

#include <stdlib.h>

static const char about[] =
	"Prints the frames of Swift backtraces: bytes in Compact Backtrace "
	"Format, or the JSON that\n"
	"Swift's Codable makes of them, alone or inside log records.  With an image map, each "
	"frame\nis printed as module+offset.  FILE may be - for standard input.";

struct options {
	struct cbf_source source;
	enum form form;
	bool stream, image_map;
	const char *images;
	struct cbf_symbols symbols;
	struct allowance printed;
};

/* Image map of --images, for backtraces without one of their own. */
struct separate {
	struct os_file file;
	struct cbf_decoded map;
	struct loaded_images images;
	bool there;
};

static int open_separate_map(struct separate *images, const char *path)
{
	*images = (struct separate){ .map = { .path = path, .what = "image map" } };
	if (!path)
		return EXIT_CLEAN;
	if (!input_open(path, &images->file) ||
	    !cbf_decode_bytes(&images->map, images->file.bytes, CBF_ENCODING_AUTO))
		return EXIT_BROKEN;
	if (!cbf_read_images(&images->map, &images->images))
		return EXIT_BROKEN;
	images->there = true;
	return images->map.problems ? EXIT_MISSING : EXIT_CLEAN;
}

static int decode_all(struct cbf_input *input, struct options *o, const struct separate *images)
{
	struct cbf_record record;
	int status = EXIT_CLEAN;

	if (o->image_map)
		return cbf_decode_maps(input, o->form, &o->printed);
	while (cbf_input_next(input, &record)) {
		if (images->there && !record.has_images) {
			record.has_images = record.images_lent = true;
			record.map = images->map;
			record.map.owned = NULL;
			record.images = images->images;
		}
		record.printed = &o->printed;
		record.symbols = cbf_symbols_are_wanted(&o->symbols) ? &o->symbols : NULL;
		status = choose_worse(status, cbf_print_record(&record, o->form, o->stream));
		cbf_record_close(&record);
	}
	return choose_worse(status, input->status);
}

static int decode_file(const char *path, struct options *o, const struct separate *images,
                       const struct command *command)
{
	struct cbf_input input;

	if (!cbf_input_open(&input, path, &o->source, command))
		return input.status;
	printed_credit(&o->printed, input.rest.size);
	int status = decode_all(&input, o, images);
	status = choose_worse(status, cbf_report_printed(input.path, &o->printed));
	cbf_input_close(&input);
	return status;
}

int cbf_decode(int argc, char **argv)
{
	struct options o = { .form = FORM_TEXT, .printed = printed_of(0) };
	const struct option options[] = {
		OPTION_LINES(&o.form),
		OPTION_JSON(&o.form),
		CBF_OPTIONS_SOURCE(&o.source),
		OPTION_FLAG("stream", "sequences may follow each other", &o.stream),
		OPTION_TEXT("images", "FILE", "the image map that belongs to the backtraces",
		            &o.images),
		OPTION_FLAG("image-map", "the input is an image map, not a backtrace",
		            &o.image_map),
		CBF_OPTIONS_SYMBOLS(&o.symbols),
	};
	const struct command command = { "cairn cbf decode [OPTION...] FILE...|--text TEXT", about,
		                         options, COUNT(options),
		                         .operands = { 0, OPERANDS_MANY, { "FILE" } } };
	struct separate images;
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if ((argc == 0) == (o.source.text == NULL))
		return usage_error(&command, "a FILE or --text, and not both");
	o.symbols.printed = &o.printed;
	rights_expect_files((unsigned)argc + (o.images != NULL));
	status = open_separate_map(&images, o.images);
	printed_credit(&o.printed, images.map.bytes.size);
	if (!cbf_symbols_open(&o.symbols))
		status = EXIT_BROKEN;
	if (status == EXIT_BROKEN)
		argc = 0;
	else if (o.source.text)
		status = choose_worse(status, decode_file(NULL, &o, &images, &command));
	for (int i = 0; i < argc; i++)
		status = choose_worse(status, decode_file(argv[i], &o, &images, &command));
	loaded_images_finish(&images.images);
	free(images.map.owned);
	os_file_close(&images.file);
	cbf_symbols_close(&o.symbols);
	return status;
}
