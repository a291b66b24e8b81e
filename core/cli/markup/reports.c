/* SPDX-License-Identifier: MIT */
/*
 * Resolves frames without markup with the programs from --exe, and infers the load addresses of
 * these programs from the log.
 */
#include "markup.h"

#include "base/bytes.h"
#include "base/path.h"
#include "os/symbol_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* prefix of the build IDs generated for --exe programs without one */
static const uint8_t made_id[] = { 0, 'e', 'x', 'e' };

static struct cairn_bytes markup_exe_make_id(size_t index, uint8_t made[MARKUP_MADE_ID])
{
	memcpy(made, made_id, sizeof(made_id));
	made[sizeof(made_id)] = (uint8_t)index;
	return (struct cairn_bytes){ made, sizeof(made_id) + 1 };
}

bool markup_exe_made_path(const struct markup_symbols *s, struct cairn_bytes id, char *path)
{
	uint64_t base;

	if (id.size != sizeof(made_id) + 1 || memcmp(id.data, made_id, sizeof(made_id)) != 0)
		return false;
	const size_t index = id.data[sizeof(made_id)];
	if (index < s->exes.count)
		return parse_placed_file(s->exes.word[index], path, &base, NULL);
	if (index < s->report_exes)
		strcpy(path, s->report_exe[index].path);
	return index < s->report_exes;
}

bool markup_is_opened_path(const struct markup_symbols *s, struct cairn_bytes name)
{
	for (size_t i = s->exes.count; i < s->report_exes; i++)
		if (s->report_exe[i].places && bytes_equal(s->report_exe[i].name, name))
			return true;
	return false;
}

static bool lend_segments(struct cairn_markup *markup, const struct elf *elf,
                          const struct cairn_markup_module *module, uint64_t base)
{
	struct elf_segment segment;
	bool any = false;

	for (uint32_t i = 0; i < elf->segments; i++) {
		if (!elf_segment(elf, i, &segment) || segment.type != ELF_PT_LOAD ||
		    segment.memory_size == 0)
			continue;
		const struct cairn_range pcs = { segment.va + base,
			                         segment.va + base + segment.memory_size };
		if (!resolver_add_host_module(
			    &markup->resolver, module, &pcs, segment.va,
			    ((segment.flags & ELF_PF_READ ? MARKUP_READ : 0u) |
		             (segment.flags & ELF_PF_WRITE ? MARKUP_WRITE : 0u) |
		             (segment.flags & ELF_PF_EXECUTE ? MARKUP_EXECUTE : 0u))))
			return false;
		any = true;
	}
	return any;
}

/* Add a program to a filter. `bias` is the inferred load bias, or NULL to compute it from BASE. */
static bool lend_exe(struct cairn_markup *markup, const char *word, size_t index, bool reports,
                     const uint64_t *bias)
{
	char path[SYMBOL_PATH_MAX];
	uint64_t base;
	struct os_file file;
	struct elf elf;

	if (!parse_placed_file(word, path, &base, NULL) || !input_open_elf(path, &file, &elf))
		return false;
	const char *name = base_name_text(path);
	struct cairn_markup_module module = { index,
		                              { (const uint8_t *)name, strlen(name) },
		                              elf_build_id(&elf) };
	uint8_t made[MARKUP_MADE_ID];
	if (module.build_id.size == 0)
		module.build_id = markup_exe_make_id(index, made);
	const bool anywhere =
		!bias && reports && elf.type == ELF_TYPE_DYN && strlen(path) == strlen(word);
	bool good = anywhere || lend_segments(markup, &elf, &module, bias ? *bias : base);
	if (!good && !bias)
		print_diagnostic(path,
		                 "cannot be loaded at 0x%" PRIx64
		                 ": the file has no segments or overlaps another --exe file",
		                 base);
	os_file_close(&file);
	return good;
}

bool markup_exes_add_modules(struct markup_symbols *s, struct cairn_markup *markup)
{
	for (size_t i = 0; i < s->exes.count; i++)
		if (!lend_exe(markup, s->exes.word[i], i, s->reports, NULL))
			return false;
	markup_exes_add_bases(s, markup);
	return true;
}

void markup_exes_add_bases(struct markup_symbols *s, struct cairn_markup *markup)
{
	for (size_t i = 0; i < s->bases.count; i++)
		(void)lend_exe(markup, s->exes.word[s->bases.found[i].exe], s->bases.found[i].exe,
		               true, &s->bases.found[i].base.bias);
}

/*
 * Finds the module of a frame without markup: a program from --exe, by build ID or name, or the
 * file at the path in the log if the log contains no build ID for it. For frames with only an
 * address, infers where the programs from --exe were loaded.
 */

static bool open_exe(struct markup_symbols *s, size_t index)
{
	struct markup_exe *exe = &s->report_exe[index];
	const struct cairn_bytes path = borrow_string(s->programs[index]);
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

/* Open the file at a module's path, at most once. Return NULL if it cannot be used. */
static const struct markup_exe *open_path(struct markup_symbols *s,
                                          const struct cairn_markup_place *place)
{
	static const char why[] =
		"used without verification because the log does not record its build ID";
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
 * Return true if the address is plausible. A return address must follow a call, which is rarely the
 * case if the file is from a different build.
 */
static bool may_be_place(struct markup_symbols *s, const struct markup_exe *exe, uint64_t va)
{
	const enum captured_pc pc = s->report_pc(s->context);
	struct elf elf;

	return pc == CAPTURED_PC_EXACT || pc == CAPTURED_PC_RESUME ||
	       !elf_opens(exe->file.bytes, &elf) ||
	       elf_is_return(&elf, va + (pc == CAPTURED_PC_CALL));
}

/*
 * Return true if the file belongs to the frame's module. A frame without a module name is in the
 * kernel, and any file is accepted for it.
 */
static bool is_meant(const struct markup_exe *exe, const struct cairn_markup_place *place)
{
	if (place->build_id.size > 0)
		return bytes_equal(exe->build_id, place->build_id);
	return place->module.size == 0 || bytes_equal(exe->name, base_name(place->module));
}

/*
 * Report why a frame cannot be resolved. Print nothing if the log contains a build ID and an
 * offset. No --exe file is needed then, because symbols are searched for by build ID, and that
 * search reports missing files.
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
	markup_symbols_miss(s, &module,
	                    meant ? "the file of --exe does not contain all addresses in the log"
	                          : "the log does not identify it; --exe FILE gives its file");
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
		                    "the existing file has no call at the address of a caller: it "
		                    "is from another build");
		return false;
	}
	report_unknown_module(s, place, meant);
	return false;
}

/* Infer one more load address of a program, and drop the runtime addresses that it explains. */
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
