/* SPDX-License-Identifier: MIT */
/*
 * Finds the module of a frame without markup: a program of --exe by build ID or name, or otherwise
 * the file at the path in the log, if the log gives no build ID. For frames that only have
 * addresses, infers where the programs of --exe were loaded.
 */
#include "markup.h"

#include "base/bytes.h"
#include "base/path.h"

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
	if (elf.type == ELF_TYPE_DYN && elf_load_span(&elf, &exe->span) &&
	    path.size == strlen(s->exes.word[index]))
		exe->returns = calloc(1, sizeof(*exe->returns));
	exe->places = cairn_markup_file_new(exe->file.bytes);
	exe->name = base_name(path);
	exe->build_id = elf_build_id(&elf);
	if (exe->build_id.size == 0)
		exe->build_id = markup_exe_make_id(index, exe->made);
	return exe->places != NULL;
}

bool markup_report_exes_open(struct markup_symbols *s)
{
	if (!s->reports)
		return true;
	s->report_exe = calloc(s->exes.count + MARKUP_PATHS_MAX, sizeof(*s->report_exe));
	if (!s->report_exe)
		return refuse_with(NULL, "out of memory");
	s->report_exes = s->exes.count;
	for (size_t i = 0; i < s->exes.count; i++)
		if (!open_exe(s, i))
			return false;
	return true;
}

void markup_report_exes_close(struct markup_symbols *s)
{
	for (size_t i = 0; i < s->report_exes; i++) {
		cairn_markup_file_free(s->report_exe[i].places);
		if (s->report_exe[i].opened)
			os_file_close(&s->report_exe[i].file);
		free(s->report_exe[i].path);
		free(s->report_exe[i].returns);
	}
	free(s->report_exe);
	s->report_exe = NULL;
}

/* Open the file at a module's path, once. Return NULL if it cannot be used. */
static const struct markup_exe *open_path(struct markup_symbols *s,
                                          const struct cairn_markup_place *place)
{
	static const char why[] = "the log does not tell its build; the file that is there is used";
	const struct cairn_bytes name = place->module;
	const struct cairn_markup_module module = { .name = name };
	struct elf elf;

	for (size_t i = s->exes.count; i < s->report_exes; i++)
		if (bytes_equal(s->report_exe[i].name, name))
			return s->report_exe[i].places ? &s->report_exe[i] : NULL;
	if (s->report_exes == s->exes.count + MARKUP_PATHS_MAX || name.size >= SYMBOL_PATH_MAX ||
	    !memchr(name.data, '/', name.size) || memchr(name.data, '\0', name.size))
		return NULL;
	struct markup_exe *exe = &s->report_exe[s->report_exes];
	exe->path = calloc(1, name.size + 1);
	if (!exe->path)
		return NULL;
	memcpy(exe->path, name.data, name.size);
	exe->name = (struct cairn_bytes){ (const uint8_t *)exe->path, name.size };
	exe->opened = os_file_open_regular(exe->path, &exe->file) == 0;
	if (exe->opened && elf_opens(exe->file.bytes, &elf)) {
		exe->build_id = elf_build_id(&elf);
		if (exe->build_id.size == 0)
			exe->build_id = markup_exe_make_id(s->report_exes, exe->made);
		exe->places = cairn_markup_file_new(exe->file.bytes);
		s->say(s->context, &module, why);
	}
	s->report_exes++;
	return exe->places ? exe : NULL;
}

/*
 * Check that the address is plausible. In a file of another build there is hardly ever a call
 * before it.
 */
static bool may_be_place(struct markup_symbols *s, const struct markup_exe *exe, uint64_t va)
{
	const enum captured_pc pc = s->report_pc(s->context);
	struct elf elf;

	return pc == CAPTURED_PC_EXACT || !elf_opens(exe->file.bytes, &elf) ||
	       elf_is_return(&elf, va + (pc == CAPTURED_PC_CALL));
}

/*
 * Return true if the file is the frame's module. A module without a name is the kernel, which may
 * be any of the files.
 */
static bool is_meant(const struct markup_exe *exe, const struct cairn_markup_place *place)
{
	if (place->build_id.size > 0)
		return bytes_equal(exe->build_id, place->build_id);
	return place->module.size == 0 || bytes_equal(exe->name, base_name(place->module));
}

/*
 * Report why a frame cannot be resolved. If the log has a build ID, stay silent: such offsets need
 * no file, and the search for symbols reports missing files.
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
		s->report_exe[i].is_used = true;
		return true;
	}
	const struct markup_exe *there =
		s->report_exe && !meant && place->build_id.size == 0 ? open_path(s, place) : NULL;
	if (there && cairn_markup_file_locate(there->places, place, va)) {
		*module = (struct cairn_markup_module){ (uint64_t)(there - s->report_exe),
			                                there->name, there->build_id };
		if (may_be_place(s, there, *va))
			return true;
		const struct cairn_markup_module other = { .name = place->module };
		markup_symbols_miss(s, &other,
		                    "the file that is there has no call at a place of a caller: it "
		                    "is another build");
		return false;
	}
	report_unknown_module(s, place, meant);
	return false;
}

/* Find one more load address of a program, and drop the addresses that it explains. */
static bool find_base(struct markup_symbols *s, size_t index)
{
	struct markup_bases *b = &s->bases;
	const struct markup_exe *exe = &s->report_exe[index];
	struct captured_returns *r = exe->returns;
	struct load_base base;
	struct elf elf;
	size_t kept = 0;

	if (b->count == MARKUP_BASES_MAX || !elf_opens(exe->file.bytes, &elf) ||
	    !elf_find_load_base(&elf, r->address, &r->count, &base))
		return false;
	for (size_t i = 0; i < r->count; i++)
		if (r->address[i] - base.bias - exe->span.low > exe->span.high - exe->span.low)
			r->address[kept++] = r->address[i];
	r->count = kept;
	b->found[b->count].exe = index;
	b->found[b->count++].base = base;
	return true;
}

void markup_bases_read(struct markup_symbols *s, struct cairn_bytes lines)
{
	for (size_t i = 0; i < s->exes.count; i++) {
		struct captured_returns *r = s->report_exe[i].returns;
		struct cairn_bytes rest = lines;
		while (r && captured_returns_read(r, &rest, s->report_exe[i].name)) {
			while (find_base(s, i))
				;
			r->tried = r->count;
			if (r->count == CAPTURED_RETURNS_MAX)
				r->count = r->tried = 0;
			if (rest.size == 0)
				break;
		}
	}
}
