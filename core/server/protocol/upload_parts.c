/* SPDX-License-Identifier: MIT */
/*
 * Checks whether uploaded parts are complete symbfiles or slices of one, and validates the joined
 * result.
 */
#include "upload_parts.h"

#include "base/reader.h"

#include <string.h>

size_t upload_parts_header(struct cairn_bytes bytes)
{
	struct reader in = reader_open(bytes, false);

	reader_skip(&in, SYMBFILE_MAGIC_SIZE);
	uint64_t length = reader_uleb(&in);
	uint64_t type = reader_uleb(&in);
	if (type != SYMBFILE_HEADER || !reader_fits(&in, length, 1))
		return 0;
	reader_skip(&in, (size_t)length);
	return reader_ok(&in) ? in.at : 0;
}

static void count_part_record(struct upload_parts_view *view, enum symbfile_kind kind)
{
	switch (kind) {
	case SYMBFILE_RANGE:
		view->ranges++;
		break;
	case SYMBFILE_PAD:
		view->pads++;
		break;
	case SYMBFILE_TABLE:
		view->tables++;
		break;
	case SYMBFILE_HEADER:
		break;
	}
}

struct upload_parts_view upload_parts_view(struct cairn_bytes bytes)
{
	struct upload_parts_view view = { .magic = symbfile_has_magic(bytes) };
	struct symbfile file = symbfile_open(bytes);
	struct symbfile_record record;

	while (symbfile_next(&file, &record))
		count_part_record(&view, record.kind);
	view.code = file.code;
	if (view.code != SYMBFILE_VALID)
		view.fault = symbfile_fault(&file);
	if (view.magic)
		view.header = upload_parts_header(bytes);
	return view;
}

static const struct upload_refusal damaged = { 400, "1008", "the symbfile is damaged" };

/* Readers of ranges reject files with return pads; readers of return pads accept ranges. */
static const struct upload_refusal wrong_kind = {
	400, "1011", "return pads do not belong in ranges; send them to /api/symbols-returnpads"
};

/*
 * Return true if the bytes may be the start of a file, cut anywhere: the part of the magic that is
 * present is correct.
 */
static bool may_be_first_slice(struct cairn_bytes bytes, const struct upload_parts_view *view)
{
	size_t size = bytes.size < SYMBFILE_MAGIC_SIZE ? bytes.size : SYMBFILE_MAGIC_SIZE;

	if (memcmp(bytes.data, SYMBFILE_MAGIC, size) != 0)
		return false;
	return size < SYMBFILE_MAGIC_SIZE || view->code == SYMBFILE_TRUNCATED ||
	       (view->code == SYMBFILE_NO_HEADER && bytes.size == SYMBFILE_MAGIC_SIZE);
}

const struct upload_refusal *upload_parts_check(const struct upload *upload,
                                                struct cairn_bytes bytes,
                                                const struct upload_parts_view *view)
{
	if (upload->kind == UPLOAD_RANGES && view->pads > 0)
		return &wrong_kind;
	if (view->code == SYMBFILE_VALID)
		return NULL;
	if (upload->parts == 1)
		return &damaged;
	if (upload->part == 0)
		return may_be_first_slice(bytes, view) ? NULL : &damaged;
	return view->magic ? &damaged : NULL;
}

const struct upload_refusal *upload_parts_check_joined(const struct upload *upload,
                                                       const struct upload_parts_view *view)
{
	if (view->code != SYMBFILE_VALID)
		return &damaged;
	return upload->kind == UPLOAD_RANGES && view->pads > 0 ? &wrong_kind : NULL;
}
