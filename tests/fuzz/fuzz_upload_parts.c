/* SPDX-License-Identifier: MIT */
/*
 * Parts of a symbfile: cut up by a limit, each part is sound alone, and joined they say what the
 * file says; cut into slices anywhere, each is let in.  The first byte of the input is the limit.
 */
#include "fuzz.h"

#include "records.h"

#include "base/byte_buffer.h"
#include "server/protocol/symbfile_split.h"
#include "server/protocol/upload.h"

enum { SLICES = 3 };

static void check_slices(struct cairn_bytes file, const struct upload_parts_view *whole,
                         size_t step)
{
	size_t cut[SLICES + 1] = { 0, step % (file.size + 1), 0, file.size };

	cut[2] = cut[1] + (file.size - cut[1]) / 2;
	for (uint32_t i = 0; i < SLICES; i++) {
		struct cairn_bytes slice = { file.data + cut[i], cut[i + 1] - cut[i] };
		struct upload_parts_view view = upload_parts_view(slice);
		struct upload upload = { .kind = UPLOAD_RETURNPADS, .part = i, .parts = SLICES };
		const struct upload_refusal *no = upload_parts_check(&upload, slice, &view);
		ALWAYS(!no || whole->code != SYMBFILE_VALID || (i > 0 && view.magic));
	}
}

/* As a server does. */
static void join(struct cairn_bytes part, bool first, struct sink *joined)
{
	struct upload_parts_view view = upload_parts_view(part);

	ALWAYS(view.code == SYMBFILE_VALID && view.header > 0);
	sink_bytes(joined, part.data + (first ? 0 : view.header),
	           part.size - (first ? 0 : view.header));
}

static void join_all(struct symbfile_split *split, struct sink *joined)
{
	struct cairn_bytes part;

	for (uint32_t i = 0; i < split->count; i++) {
		ALWAYS(symbfile_split_part(split, i, &part) == CAIRN_OK);
		join(part, i == 0, joined);
	}
}

static void check_split(struct cairn_bytes file, uint64_t limit)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct sink joined = { 0 };
	struct symbfile_split split;

	if (symbfile_split_open(file, limit, &split, &fault) != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= file.size);
		return;
	}
	join_all(&split, &joined);
	uint8_t *bytes = malloc(joined.size);
	ALWAYS(bytes != NULL);
	joined = sink_open(bytes, joined.size);
	join_all(&split, &joined);
	ALWAYS(sink_fits(&joined));
	ALWAYS(records_same_files(file, (struct cairn_bytes){ bytes, joined.size }));
	free(bytes);
	symbfile_split_finish(&split);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct cairn_bytes file = { data + 1, size - 1 };
	struct upload_parts_view view = upload_parts_view(file);

	ALWAYS(view.code == SYMBFILE_VALID || view.fault.what);
	check_slices(file, &view, 7 * (size_t)data[0]);
	check_split(file, 8 * (uint64_t)data[0]);
	return 0;
}
