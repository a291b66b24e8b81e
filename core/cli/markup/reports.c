/* SPDX-License-Identifier: MIT */
/* Finds the module of a frame without markup among the programs of --exe: by build ID, else by name. */
#include "markup.h"

#include "base/base_name.h"
#include "base/bytes_compare.h"

#include <stdlib.h>
#include <string.h>

static bool open_exe(struct markup_symbols *s, size_t index)
{
	struct markup_exe *exe = &s->report_exe[index];
	const struct cairn_bytes path = { (const uint8_t *)s->programs[index],
		                          strlen(s->programs[index]) };
	struct elf elf;

	exe->opened = input_open_elf(s->programs[index], &exe->file, &elf);
	if (!exe->opened)
		return false;
	exe->places = cairn_markup_file_new(exe->file.bytes);
	exe->name = base_name(path);
	exe->build_id = elf_build_id(&elf);
	if (exe->build_id.size == 0)
		exe->build_id = markup_exe_make_id(index, exe->made);
	return exe->places != NULL;
}

bool markup_report_exes_open(struct markup_symbols *s)
{
	if (!s->reports || s->exes.count == 0)
		return true;
	s->report_exe = calloc(s->exes.count, sizeof(*s->report_exe));
	for (size_t i = 0; s->report_exe && i < s->exes.count; i++)
		if (!open_exe(s, i))
			return false;
	return s->report_exe != NULL;
}

void markup_report_exes_close(struct markup_symbols *s)
{
	for (size_t i = 0; s->report_exe && i < s->exes.count; i++) {
		cairn_markup_file_free(s->report_exe[i].places);
		if (s->report_exe[i].opened)
			os_file_close(&s->report_exe[i].file);
	}
	free(s->report_exe);
	s->report_exe = NULL;
}

/* A module without a name is the kernel, which any of the files may be. */
static bool is_meant(const struct markup_exe *exe, const struct cairn_markup_place *place)
{
	if (place->build_id.size > 0)
		return bytes_equal(exe->build_id, place->build_id);
	return place->module.size == 0 || bytes_equal(exe->name, base_name(place->module));
}

/*
 * Reports why a frame has no place.  Of a module with a build ID nothing is said here: its offsets need no file, and the search for
 * its symbols reports what is missing.
 */
static void report_unknown_module(struct markup_symbols *s, const struct cairn_markup_place *place,
                                  bool meant)
{
	static const uint8_t kernel[] = "vmlinux";
	struct cairn_markup_module module = { .name = place->module };

	if (place->build_id.size > 0 &&
	    (place->origin == CAIRN_MARKUP_FROM_ZERO || place->origin == CAIRN_MARKUP_FROM_MODULE))
		return;
	if (module.name.size == 0)
		module.name = (struct cairn_bytes){ kernel, sizeof(kernel) - 1 };
	markup_symbols_miss(
		s, &module,
		meant ? "the file of --exe does not have all places that the log names"
		      : "the log does not tell enough of it; --exe FILE names its file");
}

bool markup_symbols_locate(void *symbols, const struct cairn_markup_place *place,
                           struct cairn_markup_module *module, uint64_t *va)
{
	struct markup_symbols *s = symbols;
	bool meant = false;

	for (size_t i = 0; s->report_exe && i < s->exes.count; i++) {
		const struct markup_exe *exe = &s->report_exe[i];
		if (!is_meant(exe, place))
			continue;
		meant = true;
		if (!cairn_markup_file_locate(exe->places, place, va))
			continue;
		*module = (struct cairn_markup_module){ i, exe->name, exe->build_id };
		return true;
	}
	report_unknown_module(s, place, meant);
	return false;
}
