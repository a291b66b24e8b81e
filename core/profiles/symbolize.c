/* SPDX-License-Identifier: MIT */
/*
 * Looks up names for a profile's locations, mapping by mapping in address order, after converting
 * their addresses to addresses in the module's file.
 */
#include "lookup.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/path.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

bool profile_is_without_file(struct cairn_bytes path, struct cairn_bytes build_id, uint64_t start)
{
	const struct cairn_bytes name = base_name(path);

	return bytes_begin_with(name, "[") || bytes_begin_with(name, "linux-vdso") ||
	       bytes_begin_with(path, "//anon") || bytes_begin_with(path, "/dev/") ||
	       bytes_begin_with(path, "/memfd:") || bytes_begin_with(path, "/SYSV") ||
	       bytes_begin_with(path, "/anon_hugepage") || start >> 63 != 0 ||
	       (path.size == 0 && build_id.size == 0);
}

/* A build ID of zeros identifies no file and is treated as missing. */
static bool is_zero(struct cairn_bytes id)
{
	for (size_t i = 0; i < id.size; i++)
		if (id.data[i] != 0)
			return false;
	return true;
}

static void take_build_id(struct profile_asked *asked, struct cairn_bytes text)
{
	size_t size = 0, at;

	if (text.size == 0)
		return;
	asked->other_id =
		text.size > 2 * PROFILE_ID_MAX || !hex_decode(text, asked->build_id, &size, &at);
	asked->module.build_id =
		(struct cairn_bytes){ asked->build_id, asked->other_id ? 0 : size };
	if (is_zero(asked->module.build_id))
		asked->module.build_id.size = 0;
}

/*
 * Store the path to look up. A file that was deleted while it was mapped may still be found by its
 * build ID, so drop the kernel's suffix " (deleted)".
 */
static void take_path(struct profile_asked *asked, struct cairn_bytes path)
{
	static const char deleted[] = " (deleted)";
	const size_t end = sizeof(deleted) - 1;

	if (asked->module.build_id.size > 0 && path.size > end &&
	    memcmp(path.data + path.size - end, deleted, end) == 0)
		path.size -= end;
	/*
	 * A relative path could match an unrelated file, so use it only if a build ID can verify
	 * it.
	 */
	if (path.size == 0 || path.size >= sizeof(asked->path) ||
	    (path.data[0] != '/' && asked->module.build_id.size == 0) ||
	    memchr(path.data, 0, path.size) != NULL)
		return;
	memcpy(asked->path, path.data, path.size);
	asked->path[path.size] = '\0';
	asked->module.path = asked->path;
}

void profile_ask(struct profile_asked *asked, struct cairn_bytes path, struct cairn_bytes build_id)
{
	asked->module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	asked->other_id = false;
	take_build_id(asked, build_id);
	take_path(asked, path);
}

/*
 * Converts profile addresses to addresses in the file: the mapping's start and file offset give an
 * address's file offset, and the segment that contains this offset gives the link-time address.
 */

enum { PAGE = 4096 };

bool place_is_linked(const struct pprof_mapping *m)
{
	return m->start == 0 && m->offset == 0 && (m->limit == 0 || m->limit == UINT64_MAX);
}

void place_from_program(struct profile_place *place, struct cairn_bytes program)
{
	*place = (struct profile_place){ .kind = PLACE_UNKNOWN,
		                         .segments = elf_places_read(program) };
	if (place->segments.count > 0)
		place->kind = PLACE_SEGMENTS;
}

static uint64_t round_up(uint64_t value)
{
	return (value + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static bool fills_mapping(const struct elf_segment *s, const struct pprof_mapping *m)
{
	const uint64_t first = s->va & ~(uint64_t)(PAGE - 1);

	return m->limit - m->start == round_up(s->va + s->memory_size) - first;
}

/*
 * Compute the load bias. This is safe only if the file has a single executable segment of the
 * mapping's size.
 */
void place_from_debug_file(struct profile_place *place, struct cairn_bytes file,
                           const struct pprof_mapping *mapping)
{
	struct elf_segment segment, code = { .type = 0 };
	unsigned found = 0;
	struct elf elf;

	*place = (struct profile_place){ .kind = PLACE_UNKNOWN };
	if (!elf_opens(file, &elf))
		return;
	for (uint32_t i = 0; elf_segment(&elf, i, &segment); i++)
		if (segment.type == ELF_PT_LOAD && (segment.flags & ELF_PF_EXECUTE)) {
			code = segment;
			found++;
		}
	if (found != 1 || !fills_mapping(&code, mapping))
		return;
	place->kind = PLACE_BIAS;
	place->bias = mapping->start - (code.va & ~(uint64_t)(PAGE - 1));
}

bool place_address(const struct profile_place *place, const struct pprof_mapping *m,
                   uint64_t address, uint64_t *va)
{
	const uint64_t into = address - m->start;

	if (place->kind == PLACE_LINKED) {
		*va = address;
		return true;
	}
	if (into >= m->limit - m->start)
		return false;
	if (place->kind == PLACE_BIAS) {
		*va = address - place->bias;
		return true;
	}
	return elf_places_find(&place->segments, into + m->offset, va);
}

enum {
	BATCH = 8192,
};

struct wanted {
	uint32_t module, mapping, location;
	uint64_t address;
};

struct work {
	struct cairn_profile *profile;
	struct cairn_symbolizer *symbolizer;
	struct wanted *wanted;
	size_t count;
	struct profile_asked asked;
	struct profile_place place;
	unsigned missing; /* CAIRN_MISSING_* flags of the module */
	bool has_symbols;
	unsigned naming; /* CAIRN_PROFILE_* flags */
	uint64_t va[BATCH];
	struct profile_location *location[BATCH];
	struct cairn_symbol_answer answer[BATCH];
};

/*
 * Look up one address to find the module's files, then use the program or the debug file to convert
 * the mapping's addresses.
 */
static enum cairn_status find_place(struct work *work, const struct profile_mapping *mapping,
                                    uint64_t address)
{
	struct cairn_open_file file;
	enum cairn_status status =
		cairn_symbolizer_find(work->symbolizer, &work->asked.module, &address, 1,
	                              work->answer, sizeof(*work->answer));

	if (status != CAIRN_OK)
		return status;
	work->missing = work->answer->missing;
	work->has_symbols = work->answer->source != NULL;
	work->place.kind = PLACE_UNKNOWN;
	if (place_is_linked(&mapping->stored))
		work->place.kind = PLACE_LINKED;
	else if (cairn_symbolizer_file(work->symbolizer, &work->asked.module, CAIRN_FILE_PROGRAM,
	                               &file))
		place_from_program(&work->place, file.bytes);
	else if (cairn_symbolizer_file(work->symbolizer, &work->asked.module, CAIRN_FILE_DEBUG,
	                               &file))
		place_from_debug_file(&work->place, file.bytes, &mapping->stored);
	return CAIRN_OK;
}

static enum cairn_profile_reason explain_module(const struct work *work)
{
	if (work->missing & CAIRN_MISSING_BUILD)
		return CAIRN_PROFILE_OTHER_BUILD;
	return work->has_symbols ? CAIRN_PROFILE_NO_HEADERS : CAIRN_PROFILE_NO_FILE;
}

static enum cairn_profile_reason explain_answer(const struct cairn_symbol_answer *answer)
{
	if (answer->missing & CAIRN_MISSING_BUILD)
		return CAIRN_PROFILE_OTHER_BUILD;
	if ((answer->missing & CAIRN_MISSING_PROGRAM) && (answer->missing & CAIRN_MISSING_DEBUG))
		return CAIRN_PROFILE_NO_FILE;
	return CAIRN_PROFILE_NO_SYMBOL;
}

/*
 * Store the names for one location. If inlined calls are not wanted, keep only the last location,
 * which names the function that contains the code.
 */
static enum cairn_status add_names(struct work *work, size_t index)
{
	struct cairn_symbol_answer *answer = &work->answer[index];
	const bool alone = (work->naming & CAIRN_PROFILE_FUNCTIONS) != 0;

	if (alone) {
		answer->locations += answer->count - 1;
		answer->count = 1;
	}
	return profile_add_names(work->profile, work->location[index], answer, !alone);
}

static enum cairn_status name_batch(struct work *work, size_t count)
{
	enum cairn_status status =
		cairn_symbolizer_find(work->symbolizer, &work->asked.module, work->va, count,
	                              work->answer, sizeof(*work->answer));

	for (size_t i = 0; status == CAIRN_OK && i < count; i++) {
		work->location[i]->reason = (uint8_t)explain_answer(&work->answer[i]);
		if (work->answer[i].count > 0)
			status = add_names(work, i);
	}
	return status;
}

/*
 * Convert addresses, starting at `at`, until the batch is full. Sets *next to the first address
 * that has not been converted.
 */
static size_t fill_batch(struct work *work, const struct profile_mapping *mapping, size_t at,
                         size_t end, size_t *next)
{
	size_t count = 0;

	for (; at < end && count < BATCH; at++) {
		struct profile_location *location =
			&work->profile->locations[work->wanted[at].location];
		location->reason = CAIRN_PROFILE_OUTSIDE;
		if (!place_address(&work->place, &mapping->stored, location->address,
		                   &work->va[count]))
			continue;
		work->location[count++] = location;
	}
	*next = at;
	return count;
}

static void give_reason(struct work *work, size_t at, size_t end, enum cairn_profile_reason reason)
{
	for (; at < end; at++)
		work->profile->locations[work->wanted[at].location].reason = (uint8_t)reason;
}

static enum cairn_status name_mapping(struct work *work, const struct profile_mapping *mapping,
                                      size_t at, size_t end)
{
	enum cairn_status status = CAIRN_OK;

	profile_ask(&work->asked, mapping->path, mapping->build_id);
	if (profile_is_without_file(mapping->path, mapping->build_id, mapping->stored.start) ||
	    work->asked.other_id) {
		give_reason(work, at, end,
		            work->asked.other_id ? CAIRN_PROFILE_OTHER_ID : CAIRN_PROFILE_FILELESS);
		return CAIRN_OK;
	}
	status = find_place(work, mapping, work->wanted[at].address);
	if (status == CAIRN_OK && work->place.kind == PLACE_UNKNOWN) {
		give_reason(work, at, end, explain_module(work));
		return CAIRN_OK;
	}
	while (status == CAIRN_OK && at < end) {
		const size_t count = fill_batch(work, mapping, at, end, &at);
		if (count > 0)
			status = name_batch(work, count);
	}
	return status;
}

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->mapping != y->mapping)
		return x->mapping < y->mapping ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->location > y->location) - (x->location < y->location);
}

static bool list_wanted(struct work *work)
{
	struct cairn_profile *p = work->profile;

	work->wanted = calloc(p->location_count ? p->location_count : 1, sizeof(*work->wanted));
	if (!work->wanted)
		return false;
	for (size_t i = 0; i < p->location_count; i++) {
		struct profile_location *l = &p->locations[i];
		l->reason = l->frame == PROFILE_FRAME_OTHER    ? CAIRN_PROFILE_OTHER_CODE
		            : l->frame == PROFILE_FRAME_KERNEL ? CAIRN_PROFILE_FILELESS
		                                               : CAIRN_PROFILE_UNMAPPED;
		if (l->mapping == 0 || l->frame != PROFILE_FRAME_CODE ||
		    (l->named && !(work->naming & CAIRN_PROFILE_AGAIN)))
			continue;
		work->wanted[work->count++] =
			(struct wanted){ p->mappings[l->mapping - 1].module, l->mapping - 1,
			                 (uint32_t)i, l->address };
	}
	qsort(work->wanted, work->count, sizeof(*work->wanted), compare_wanted);
	return true;
}

static enum cairn_status name_all(struct work *work)
{
	enum cairn_status status = list_wanted(work) ? CAIRN_OK : CAIRN_NO_MEMORY;

	for (size_t at = 0, end; status == CAIRN_OK && at < work->count; at = end) {
		for (end = at;
		     end < work->count && work->wanted[end].mapping == work->wanted[at].mapping;)
			end++;
		status = name_mapping(work, &work->profile->mappings[work->wanted[at].mapping], at,
		                      end);
	}
	return status;
}

enum cairn_status cairn_profile_symbolize(struct cairn_profile *profile,
                                          struct cairn_symbolizer *symbolizer, unsigned naming)
{
	struct work *work = calloc(1, sizeof(*work));
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (work) {
		work->profile = profile;
		work->symbolizer = symbolizer;
		work->naming = naming;
		status = name_all(work);
		free(work->wanted);
		free(work);
	}
	profile_recount(profile);
	return status;
}
