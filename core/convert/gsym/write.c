/* SPDX-License-Identifier: MIT */
/* Writes one GSYM file of an input, or its pieces: cairn_functions_write_gsym(). */
#include "build.h"
#include "recheck.h"

#include "base/array_grow.h"
#include "base/error.h"
#include "convert/source/messages.h"
#include "formats/gsym/gsym.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUFFIX_SIZE = 32 };

struct writing {
	struct function_source *origin;
	struct cairn_gsym_options options;
	struct cairn_gsym_summary summary;
	struct functions_output output;
	struct gsym_writer *writer;
	struct gsym_recheck check; /* with options.verify */
};

/* A file that is made, and how its path ends. */
struct piece {
	struct gsym_output output;
	char suffix[SUFFIX_SIZE];
};

static struct cairn_bytes bytes_of(const struct piece *piece)
{
	return (struct cairn_bytes){ piece->output.data, piece->output.size };
}

static enum cairn_status begin_writer(struct writing *w)
{
	struct gsym_writer_options options = gsym_build_options(w->origin);

	if (w->options.truncate_build_id && options.uuid.size > GSYM_UUID_MAX_V1)
		options.uuid.size = GSYM_UUID_MAX_V1;
	options.version = w->options.version;
	options.merged = w->origin->options.merged;
	w->writer = gsym_writer_new(&options);
	return w->writer ? CAIRN_OK : error_set_memory(w->output.error, w->origin->path);
}

/* It is not of the version that was asked for. */
static void tell_version(const struct writing *w, const struct piece *piece)
{
	char path[CAIRN_ERROR_PATH];

	if (!piece->output.why || w->summary.version == piece->output.version)
		return;
	snprintf(path, sizeof(path), "%s%s", functions_output_path(&w->output), piece->suffix);
	message_tell(w->origin, CAIRN_MESSAGE_NOTE, path, "written as version 2, for %s",
	             piece->output.why);
}

static uint64_t find_limit(const struct writing *w)
{
	return w->options.segment_size ? w->options.segment_size : UINT64_MAX;
}

/* What is known of a piece before it is written; `output` is there. */
static void note_piece(struct writing *w, uint32_t first, struct piece *piece)
{
	const struct gsym_output *made = &piece->output;
	struct cairn_gsym_summary *sum = &w->summary;

	/* a piece is named by where its first function begins */
	piece->suffix[0] = '\0';
	if (w->options.segment_size > 0)
		snprintf(piece->suffix, SUFFIX_SIZE, "-0x%" PRIx64,
		         gsym_writer_start(w->writer, first));
	tell_version(w, piece);
	sum->version = made->version;
	sum->bytes += made->size;
	sum->string_bytes += made->strings;
	sum->files += made->files;
	sum->pieces++;
}

static enum cairn_status make_piece(struct writing *w, uint32_t first, struct piece *piece)
{
	if (gsym_writer_image(w->writer, first, find_limit(w), &piece->output) != CAIRN_OK)
		return error_set_memory(w->output.error, w->origin->path);
	note_piece(w, first, piece);
	return CAIRN_OK;
}

static enum cairn_status publish_piece(const struct writing *w, const struct piece *piece)
{
	const struct cairn_bytes bytes = bytes_of(piece);

	if (w->options.embed)
		return gsym_embed(w->origin, bytes, &w->output);
	return functions_output_write(&w->output, piece->suffix, &bytes, 1);
}

/* Writes a file of the whole program, which is never all in memory. */
static enum cairn_status stream_piece(struct writing *w, uint32_t first, struct piece *piece)
{
	struct gsym_outline *outline = gsym_writer_outline(w->writer, first, find_limit(w));

	if (!outline)
		return error_set_memory(w->output.error, w->origin->path);
	piece->output = gsym_outline_facts(outline);
	note_piece(w, first, piece);
	const enum cairn_status status =
		gsym_stream(outline, &w->output, piece->suffix, w->origin->options.jobs);
	gsym_outline_free(outline);
	return status;
}

static enum cairn_status embed_piece(struct writing *w, uint32_t first, struct piece *piece)
{
	enum cairn_status status = make_piece(w, first, piece);

	if (status != CAIRN_OK)
		return status;
	status = publish_piece(w, piece);
	free(piece->output.data);
	return status;
}

/* One piece after the other, each published when it is made. */
static enum cairn_status write_pieces(struct writing *w)
{
	const uint32_t all = gsym_writer_count(w->writer);
	enum cairn_status status = CAIRN_OK;
	struct piece piece;

	for (uint32_t first = 0; first < all && status == CAIRN_OK; first += piece.output.count)
		status = w->options.embed ? embed_piece(w, first, &piece)
		                          : stream_piece(w, first, &piece);
	return status;
}

static enum cairn_status check_lookups(struct writing *w)
{
	struct gsym_recheck *check = &w->check;
	const enum cairn_status status = gsym_recheck(w->origin, check, w->output.error);

	w->summary.verified_functions = check->functions;
	w->summary.verified_addresses = check->addresses;
	w->summary.hidden_addresses = check->hidden;
	if (status != CAIRN_OK || check->wrong == 0)
		return status;
	return error_set(w->output.error, CAIRN_MALFORMED, functions_output_path(&w->output),
	                 "not written: %" PRIu64
	                 " lookups differ from the input, the first at 0x%" PRIx64,
	                 check->wrong, check->first_wrong);
}

/* All pieces at once, held against the input, and published when they are right. */
static enum cairn_status write_checked(struct writing *w)
{
	uint32_t all = gsym_writer_count(w->writer), first = 0;
	enum cairn_status status = CAIRN_OK;
	struct piece *piece = NULL;
	size_t count = 0, room = 0;

	while (first < all && status == CAIRN_OK) {
		if (!array_grow(&piece, &room, count + 1, sizeof(*piece)))
			status = error_set_memory(w->output.error, w->origin->path);
		else
			status = make_piece(w, first, &piece[count]);
		if (status != CAIRN_OK)
			break;
		first += piece[count].output.count;
		if (!gsym_recheck_add(&w->check, bytes_of(&piece[count++])))
			status = error_set_memory(w->output.error, w->origin->path);
	}
	if (status == CAIRN_OK)
		status = check_lookups(w);
	for (size_t i = 0; i < count && status == CAIRN_OK; i++)
		status = publish_piece(w, &piece[i]);
	gsym_recheck_finish(&w->check);
	for (size_t i = 0; i < count; i++)
		free(piece[i].output.data);
	free(piece);
	return status;
}

static enum cairn_status convert_to_gsym(struct writing *w)
{
	const enum cairn_status status = gsym_build(w->origin, w->writer, w->output.error);

	if (status != CAIRN_OK)
		return status;
	w->summary.refused = w->origin->damaged && !w->options.keep_damaged;
	if (w->summary.refused)
		return error_set(w->output.error, CAIRN_MALFORMED,
		                 functions_output_path(&w->output),
		                 "not written, because a part of the input is damaged");
	gsym_writer_summary(w->writer, &w->summary);
	w->summary.repeated += w->origin->repeated;
	return w->options.verify ? write_checked(w) : write_pieces(w);
}

enum cairn_status cairn_functions_write_gsym(struct cairn_functions *functions,
                                             const struct cairn_gsym_options *options,
                                             const struct cairn_output *output,
                                             struct cairn_gsym_summary *summary,
                                             struct cairn_error *error)
{
	struct writing w = { .origin = &functions->origin, .options = CAIRN_GSYM_OPTIONS };

	functions_take_options(&w.options, sizeof(w.options), options);
	w.output = functions_output_of(output, functions->origin.path, error);
	enum cairn_status status = begin_writer(&w);
	if (status == CAIRN_OK)
		status = convert_to_gsym(&w);
	gsym_writer_free(w.writer);
	functions_give_summary(&w.summary, sizeof(w.summary), summary);
	return status;
}
