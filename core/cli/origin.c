/* SPDX-License-Identifier: MIT */
#include "origin.h"

#include "engine/gsym_functions.h"

#include <string.h>

void origin_dropped(struct origin *origin, const char *what, uint64_t count)
{
	if (count > 0 && origin->drops < ORIGIN_DROPS_MAX)
		origin->drop[origin->drops++] = (struct origin_drop){ what, count };
}

static bool begins_with(const struct origin *origin, const char *magic, size_t size)
{
	struct cairn_bytes bytes = origin->file.bytes;

	return bytes.size >= size && memcmp(bytes.data, magic, size) == 0;
}

static bool open_gsym(struct origin *origin)
{
	struct cairn_fault fault;

	if (gsym_image_open(origin->file.bytes, &origin->gsym, &fault) != CAIRN_OK) {
		complain_fault(origin->path, NULL, &fault, NULL);
		return false;
	}
	origin->kind = ORIGIN_GSYM;
	origin->build_id = origin->gsym.build_id;
	origin->big = origin->gsym.gsym.big;
	origin->base = origin->gsym.gsym.base;
	return true;
}

static bool open_any(struct origin *origin)
{
	if (gsym_has_magic(origin->file.bytes))
		return open_gsym(origin);
	if (begins_with(origin, "\177ELF", 4))
		complain(origin->path, "ELF files cannot be converted yet");
	else
		complain(origin->path, "neither an ELF file, nor Breakpad symbols, nor GSYM");
	return false;
}

bool origin_open(const char *path, const struct origin_options *options, struct origin *origin,
                 int *status)
{
	*origin = (struct origin){ .path = path,
		                   .options = *options,
		                   .build_id = { (const uint8_t *)"", 0 } };
	*status = EXIT_BROKEN;
	if (!input_open(path, &origin->file))
		return false;
	if (open_any(origin)) {
		*status = EXIT_CLEAN;
		return true;
	}
	origin_close(origin);
	return false;
}

void origin_close(struct origin *origin)
{
	os_file_close(&origin->file);
}

static enum cairn_status read_gsym(struct origin *origin, const struct function_sink *sink)
{
	struct gsym_losses losses;
	enum cairn_status status = gsym_functions(&origin->gsym.gsym, sink, &losses);

	if (status != CAIRN_OK)
		return status;
	origin_dropped(origin, "functions with damaged records", losses.count);
	if (losses.count && origin->options.strict) {
		complain_fault(origin->path, NULL, &losses.first, NULL);
		return losses.first.status;
	}
	return CAIRN_OK;
}

static enum cairn_status no_memory(const struct origin *origin)
{
	complain(origin->path, "out of memory");
	return CAIRN_NO_MEMORY;
}

enum cairn_status origin_read(struct origin *origin, const struct origin_takers *takers)
{
	struct function_sink sink;
	enum cairn_status status = CAIRN_OK;

	origin->drops = 0;
	if (!takers->sink(takers->context, 0, &sink))
		return no_memory(origin);
	takers->unit(takers->context, 0, 0);
	switch (origin->kind) {
	case ORIGIN_GSYM:
		status = read_gsym(origin, &sink);
		break;
	}
	return status == CAIRN_NO_MEMORY ? no_memory(origin) : status;
}
