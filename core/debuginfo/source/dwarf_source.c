/* SPDX-License-Identifier: MIT */
/* The files of a module that libelf and libdw read, as a source of a symbolizer: see cairn/dwarf.h. */
#include "debuginfo/elf/minidebug.h"
#include "debuginfo/lookup/names.h"

#include <cairn/dwarf.h>
#include <stdlib.h>
#include <string.h>

/* The files that may know an address, the better ones first. */
enum { DEBUG_FILE, OWN_FILE, PACKED_FILE, FILES };

struct dwarf_source {
	struct debuginfo_names *names[FILES]; /* NULL: there is none */
	const char *path[FILES];              /* of the file; of PACKED_FILE that which it is in */
	void *unpacked;                       /* the bytes of PACKED_FILE */
	size_t unpacked_size;
	int answered; /* the file that the last answer is from */
};

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

static void open_names(struct dwarf_source *source, int which, struct cairn_bytes bytes,
                       const char *path)
{
	const char *why;

	source->names[which] = debuginfo_names_open(bytes, &why);
	source->path[which] = path;
}

/* The symbols that distributions leave in a stripped program. */
static void open_packed(struct dwarf_source *source, const struct cairn_open_file *program)
{
	struct cairn_fault fault;
	size_t size;

	if (minidebug_read(program->bytes, &source->unpacked, &size, &fault) != CAIRN_OK)
		return;
	source->unpacked_size = size;
	open_names(source, PACKED_FILE, (struct cairn_bytes){ source->unpacked, size },
	           program->path);
}

static void close_source(void *opened)
{
	struct dwarf_source *source = opened;

	for (int i = 0; i < FILES; i++)
		debuginfo_names_close(source->names[i]);
	free(source->unpacked);
	free(source);
}

static enum cairn_status open_source(void *context, struct cairn_symbol_search *search,
                                     void **opened, struct cairn_fault *fault)
{
	struct dwarf_source *source = calloc(1, sizeof(*source));
	struct cairn_open_file file;

	(void)context;
	(void)fault;
	if (!source)
		return CAIRN_NO_MEMORY;
	if (search->file(search, CAIRN_FILE_DEBUG, none, none, &file))
		open_names(source, DEBUG_FILE, file.bytes, file.path);
	if (search->file(search, CAIRN_FILE_PROGRAM, none, none, &file)) {
		open_names(source, OWN_FILE, file.bytes, file.path);
		open_packed(source, &file);
	}
	if (source->names[DEBUG_FILE] || source->names[OWN_FILE]) {
		*opened = source;
		return CAIRN_OK;
	}
	close_source(source);
	return CAIRN_NOT_FOUND;
}

/* What knows no line gives way to what does, or to what begins nearer. */
static size_t find_address(struct dwarf_source *source, uint64_t va,
                           struct cairn_location best[DEBUGINFO_LOCATIONS])
{
	struct cairn_location found[DEBUGINFO_LOCATIONS];
	size_t count = 0;

	for (int i = 0; i < FILES && (count == 0 || best[0].line == 0); i++) {
		const size_t got =
			source->names[i] ? debuginfo_names_find(source->names[i], va, found) : 0;
		if (got == 0 ||
		    (count > 0 && found[0].line == 0 && found[0].offset >= best[0].offset))
			continue;
		memcpy(best, found, got * sizeof(*found));
		count = got;
		source->answered = i;
	}
	return count;
}

static void find_addresses(void *opened, const uint64_t *vas, size_t count,
                           const struct cairn_symbol_taker *taker)
{
	struct cairn_location locations[DEBUGINFO_LOCATIONS];

	for (size_t i = 0; i < count; i++) {
		const size_t got = find_address(opened, vas[i], locations);
		const struct cairn_symbol_found found = { .locations = locations,
			                                  .count = got,
			                                  .all = got };
		if (got > 0)
			taker->take(taker->context, i, &found);
	}
}

static const char *find_answer_path(const void *opened)
{
	const struct dwarf_source *source = opened;

	return source->path[source->answered];
}

static uint64_t count_memory(const void *opened)
{
	const struct dwarf_source *source = opened;
	uint64_t bytes = source->unpacked_size;

	for (int i = 0; i < FILES; i++)
		bytes += source->names[i] ? debuginfo_names_memory(source->names[i]) : 0;
	return bytes;
}

static void release_memory(void *opened)
{
	struct dwarf_source *source = opened;

	for (int i = 0; i < FILES; i++)
		if (source->names[i])
			debuginfo_names_release(source->names[i]);
}

static const char *find_flaw(const void *opened)
{
	const struct dwarf_source *source = opened;
	const char *flaw = NULL;

	for (int i = 0; i < FILES && !flaw; i++)
		flaw = source->names[i] ? debuginfo_names_cut(source->names[i]) : NULL;
	return flaw;
}

const struct cairn_symbol_source *cairn_dwarf_source(void)
{
	static const struct cairn_symbol_source source = { .size = sizeof(source),
		                                           .rank = 200,
		                                           .name = "dwarf",
		                                           .open = open_source,
		                                           .find = find_addresses,
		                                           .close = close_source,
		                                           .path = find_answer_path,
		                                           .memory = count_memory,
		                                           .release = release_memory,
		                                           .flaw = find_flaw };

	return &source;
}
