/* SPDX-License-Identifier: MIT */
/* Makes one GSYM file of one input, or its pieces. */
#include "create.h"

#include "build.h"
#include "embed.h"

#include "base/array_grow.h"
#include "os/file/atomic_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* INPUT.gsym, in the folder of the input; with --embed the input itself. */
static bool name_output(struct create *create, const char *input)
{
	size_t room = sizeof(create->path);
	int size;

	if (create->out)
		size = snprintf(create->path, room, "%s", create->out);
	else if (strcmp(input, "-") == 0 || create->embed)
		size = snprintf(create->path, room, "%s", input);
	else
		size = snprintf(create->path, room, "%s.gsym", input);
	if ((size_t)size < room)
		return true;
	print_diagnostic(input, "the name of the output is too long");
	return false;
}

static bool begin_writer(struct create *create)
{
	struct gsym_writer_options options = gsym_build_options(&create->origin);

	if (create->truncate && options.uuid.size > GSYM_UUID_MAX_V1)
		options.uuid.size = GSYM_UUID_MAX_V1;
	options.version = (unsigned)create->format;
	options.merged = create->merged;
	create->writer = gsym_writer_new(&options);
	if (!create->writer)
		print_diagnostic(create->origin.path, "out of memory");
	return create->writer != NULL;
}

/* Puts one file where it belongs; standard output for "-". */
static int publish_piece(const struct create *create, const char *path, struct cairn_bytes bytes)
{
	int error;

	if (create->embed)
		return gsym_embed(create->origin.path, create->origin.file.bytes, bytes, path);
	if (strcmp(path, "-") == 0) {
		if (fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size && !fflush(stdout))
			return EXIT_CLEAN;
		print_diagnostic(NULL, "cannot write to standard output");
		return EXIT_BROKEN;
	}
	error = os_atomic_file_write(path, &bytes, 1);
	if (error)
		print_diagnostic(path, "cannot write: %s", strerror(error));
	return error ? EXIT_BROKEN : EXIT_CLEAN;
}

/* Where a piece goes that begins with this function: OUT-0xSTART. */
static bool name_piece(const struct create *create, uint32_t first, char path[4096])
{
	int size = create->segment == 0 ? snprintf(path, 4096, "%s", create->path)
	                                : snprintf(path, 4096, "%s-0x%" PRIx64, create->path,
	                                           gsym_writer_start(create->writer, first));

	return size < 4096;
}

/* A file that is made, and where it goes. */
struct piece {
	struct gsym_output output;
	char path[4096];
};

static int make_piece(struct create *create, uint32_t first, struct piece *piece)
{
	uint64_t limit = create->segment ? create->segment : UINT64_MAX;
	struct gsym_output *output = &piece->output;

	if (gsym_writer_image(create->writer, first, limit, output) != CAIRN_OK) {
		print_diagnostic(create->origin.path, "out of memory");
		return EXIT_BROKEN;
	}
	if (!name_piece(create, first, piece->path)) {
		print_diagnostic(create->path, "the name of a piece is too long");
		free(output->data);
		return EXIT_BROKEN;
	}
	if (output->why && !create->input.quiet && create->version != output->version)
		print_diagnostic(piece->path, "written as version 2, for %s", output->why);
	create->version = output->version;
	create->size += output->size;
	create->strings += output->strings;
	create->files += output->files;
	create->pieces++;
	return EXIT_CLEAN;
}

static struct cairn_bytes bytes_of(const struct piece *piece)
{
	return (struct cairn_bytes){ piece->output.data, piece->output.size };
}

/* One piece after the other, each published when it is made. */
static int write_pieces(struct create *create)
{
	uint32_t all = gsym_writer_count(create->writer);
	int status = EXIT_CLEAN;
	struct piece piece;

	for (uint32_t first = 0; first < all && status == EXIT_CLEAN; first += piece.output.count) {
		status = make_piece(create, first, &piece);
		if (status != EXIT_CLEAN)
			break;
		status = publish_piece(create, piece.path, bytes_of(&piece));
		free(piece.output.data);
	}
	return status;
}

static int check_lookups(struct create *create)
{
	struct gsym_recheck *check = &create->check;

	if (!gsym_recheck(&create->origin, check))
		return EXIT_BROKEN;
	if (check->wrong == 0)
		return EXIT_CLEAN;
	print_diagnostic(create->path,
	                 "not written: %" PRIu64
	                 " lookups differ from the input, the first at 0x%" PRIx64,
	                 check->wrong, check->first_wrong);
	return EXIT_BROKEN;
}

/* All pieces at once, held against the input, and published when they are right. */
static int write_checked(struct create *create)
{
	uint32_t all = gsym_writer_count(create->writer), first = 0;
	struct piece *piece = NULL;
	int status = EXIT_CLEAN;
	size_t count = 0, room = 0;

	while (first < all && status == EXIT_CLEAN) {
		bool grown = array_grow(&piece, &room, count + 1, sizeof(*piece));
		status = grown ? make_piece(create, first, &piece[count]) : EXIT_BROKEN;
		if (status != EXIT_CLEAN)
			break;
		first += piece[count].output.count;
		if (!gsym_recheck_add(&create->check, bytes_of(&piece[count++])))
			status = EXIT_BROKEN;
	}
	if (status == EXIT_CLEAN)
		status = check_lookups(create);
	for (size_t i = 0; i < count; i++) {
		if (status == EXIT_CLEAN)
			status = publish_piece(create, piece[i].path, bytes_of(&piece[i]));
	}
	gsym_recheck_finish(&create->check);
	for (size_t i = 0; i < count; i++)
		free(piece[i].output.data);
	free(piece);
	return status;
}

static int convert_to_gsym(struct create *create)
{
	int status = gsym_build(&create->origin, create->writer);

	if (status != EXIT_CLEAN)
		return status;
	if (create->origin.damaged && !create->keep_going) {
		print_diagnostic(create->path,
		                 "not written; --keep-going writes the undamaged part");
		return EXIT_BROKEN;
	}
	gsym_writer_summary(create->writer, &create->summary);
	return create->verify ? write_checked(create) : write_pieces(create);
}

int create_file(struct create *create, const char *input)
{
	int status;

	if (!name_output(create, input))
		return EXIT_BROKEN;
	if (!function_source_open(input, &create->input, &create->origin, &status))
		return status;
	status = begin_writer(create) ? convert_to_gsym(create) : EXIT_BROKEN;
	if (status == EXIT_CLEAN && create->json)
		create_print_json(create);
	else if (status == EXIT_CLEAN && !create->input.quiet)
		create_print_summary(create);
	gsym_writer_free(create->writer);
	function_source_close(&create->origin);
	return status;
}
