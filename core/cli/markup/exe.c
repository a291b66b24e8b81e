/* SPDX-License-Identifier: MIT */
/* Provides the programs of --exe FILE[@BASE], which apply where the log defines no module. */
#include "markup.h"

#include "base/bytes.h"
#include "base/path.h"
#include "os/module/symbol_path.h"

#include <inttypes.h>
#include <string.h>

/* Prefix of the build IDs that are made up for --exe programs without one. */
static const uint8_t made_id[] = { 0, 'e', 'x', 'e' };

struct cairn_bytes markup_exe_make_id(size_t index, uint8_t made[MARKUP_MADE_ID])
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

static unsigned read_segment_mode(const struct elf_segment *segment)
{
	return (segment->flags & ELF_PF_READ ? MARKUP_READ : 0u) |
	       (segment->flags & ELF_PF_WRITE ? MARKUP_WRITE : 0u) |
	       (segment->flags & ELF_PF_EXECUTE ? MARKUP_EXECUTE : 0u);
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
		if (!resolver_add_host_module(&markup->resolver, module, &pcs, segment.va,
		                              read_segment_mode(&segment)))
			return false;
		any = true;
	}
	return any;
}

/* Add one program to a filter. `bias` is the inferred load bias, or NULL to use BASE. */
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
		                 ": it has no segments, or another --exe is there",
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
