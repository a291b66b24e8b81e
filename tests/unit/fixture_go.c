/* SPDX-License-Identifier: MIT */
/* Makes Go programs: code, the table of functions, inline trees, moduledata, relocations. */
#include "fixture_go.h"

#include "formats/elf/elf.h"

enum {
	TREE = 0x3000,
	MODULE = 0x4000,
	RELOCATIONS = 0x5000,
	DYNAMIC = 0x6000,
	INFO = 0x7000,
	INFO_STRING = 0x30, /* in INFO: where the version is, and its text after that */
	PT_DYNAMIC = 2,
	RELATIVE = 8, /* R_X86_64_RELATIVE */
	RODATA = 0x2800,
	TYPES = 0x2900,
	TYPES_END = 0x2a00,
};

struct made {
	const struct fixture_go *go;
	struct fixture_go_places *places;
	struct fixture_out table, tree, module, relocations, dynamic, info;
	size_t word;
	size_t name[4], file[2], line[2], of_file[2], inlined, stack; /* offsets in their parts */
	size_t units, values;
};

static const char *const names[] = { "main.outer", "main.main", "main.middle", "main.inner" };
static const char *const files[] = { "/src/a.go", "/src/b.go" };

static void put_word(struct made *m, struct fixture_out *out, uint64_t value)
{
	fixture_out_put(out, value, m->word);
}

/* An address, which the dynamic linker would write at `va` of a relocated program. */
static void put_address(struct made *m, struct fixture_out *out, uint64_t base, uint64_t value)
{
	if (!m->go->relocated) {
		put_word(m, out, value);
		return;
	}
	fixture_out_put(&m->relocations, base + out->size, 8);
	fixture_out_put(&m->relocations, RELATIVE, 8);
	fixture_out_put(&m->relocations, value, 8);
	put_word(m, out, 0);
}

struct step {
	int32_t value;
	uint8_t size; /* 0: no more */
};

/* A table of values; small differences and sizes only. */
static size_t put_values(struct fixture_out *out, const struct step *step)
{
	size_t at = out->size;
	int32_t before = -1;

	for (; step->size; step++) {
		int32_t d = step->value - before;
		fixture_out_put(out, (uint64_t)(d < 0 ? -2 * d - 1 : 2 * d), 1);
		fixture_out_put(out, step->size, 1);
		before = step->value;
	}
	fixture_out_put(out, 0, 1);
	return at;
}

static void put_all_values(struct made *m, size_t base)
{
	static const struct step lines[] = { { 10, 0xf }, { 11, 1 },    { 20, 7 }, { 21, 1 },
		                             { 30, 8 },   { 12, 0x18 }, { 0, 0 } };
	static const struct step main_lines[] = { { 40, 0x18 }, { 0, 0 } };
	static const struct step inlined[] = {
		{ -1, 0x10 }, { 0, 8 }, { 1, 8 }, { -1, 0x18 }, { 0, 0 }
	};
	static const struct step stack[] = { { 0, 4 }, { 0x18, 0x34 }, { 0, 0 } };
	int32_t first = m->go->layout == GOPCLNTAB_1_2; /* number of a.go */
	const struct step of_files[] = {
		{ first, 0x10 }, { first + 1, 0x10 }, { first, 0x18 }, { 0, 0 }
	};
	const struct step main_files[] = { { first, 0x18 }, { 0, 0 } };

	if (m->table.size == base)
		fixture_out_put(&m->table, 0, 1); /* offset 0 is no table */
	m->line[0] = put_values(&m->table, lines) - base;
	m->line[1] = put_values(&m->table, main_lines) - base;
	m->of_file[0] = put_values(&m->table, of_files) - base;
	m->of_file[1] = put_values(&m->table, main_files) - base;
	m->inlined = put_values(&m->table, inlined) - base;
	m->stack = put_values(&m->table, stack) - base;
	m->places->lines = base + m->line[0];
}

static void put_texts(struct fixture_out *out, const char *const *text, size_t count, size_t base,
                      size_t *at)
{
	for (size_t i = 0; i < count; i++) {
		at[i] = out->size - base;
		fixture_out_text(out, text[i], strlen(text[i]) + 1);
	}
}

static void put_names(struct made *m, size_t base)
{
	const char *const text[] = { names[0], m->go->second ? m->go->second : names[1], names[2],
		                     names[3] };

	put_texts(&m->table, text, 4, base, m->name);
}

static void put_trees(struct made *m)
{
	unsigned number = m->go->layout == GOPCLNTAB_1_2 ? 4 : 3;

	if (m->go->layout < GOPCLNTAB_1_18 && m->word == 8)
		fixture_out_pad(&m->table, 8);
	for (unsigned i = 0; i <= number; i++)
		if (m->go->layout >= GOPCLNTAB_1_18)
			fixture_out_put(&m->table, i == number ? 0x10 : UINT32_MAX, 4);
		else if (i == number)
			put_address(m, &m->table, FIXTURE_GO_TABLE, TREE + 0x10);
		else
			put_word(m, &m->table, 0);
}

static size_t put_entry(struct made *m, unsigned f, uint64_t start)
{
	bool old = m->go->layout < GOPCLNTAB_1_18;
	fixture_out_pad(&m->table, 8);
	size_t at = m->table.size;

	if (old)
		put_address(m, &m->table, FIXTURE_GO_TABLE, start);
	else
		fixture_out_put(&m->table, start - FIXTURE_GO_TEXT, 4);
	fixture_out_put(&m->table, m->name[f], 4);
	fixture_out_put(&m->table, 0, 8);
	fixture_out_put(&m->table, m->stack, 4);
	fixture_out_put(&m->table, m->of_file[f], 4);
	fixture_out_put(&m->table, m->line[f], 4);
	fixture_out_put(&m->table, f == 0 ? 3 : 0, 4);
	if (m->go->layout >= GOPCLNTAB_1_16)
		fixture_out_put(&m->table, 1, 4); /* unit */
	if (m->go->layout >= GOPCLNTAB_1_20)
		fixture_out_put(&m->table, 9, 4);
	fixture_out_put(&m->table, 0, 1);
	fixture_out_put(&m->table, m->go->second && m->go->layout > GOPCLNTAB_1_2 ? 2 * f : f, 1);
	fixture_out_put(&m->table, 0, 1);
	fixture_out_put(&m->table, f == 0 ? (m->go->layout == GOPCLNTAB_1_2 ? 5 : 4) : 0, 1);
	if (f == 0) {
		fixture_out_put(&m->table, 0, 8);
		fixture_out_put(&m->table, m->inlined, 4);
		put_trees(m);
	}
	return at;
}

/* Where functions begin and where their entries are, and in 1.2 where files are. */
static void put_index(struct made *m, size_t base)
{
	static const uint64_t start[] = { FIXTURE_GO_TEXT, FIXTURE_GO_TEXT + 0x40,
		                          FIXTURE_GO_TEXT + 0x60 };
	bool old = m->go->layout < GOPCLNTAB_1_18;
	size_t size = old ? m->word : 4;

	m->places->index = m->table.size;
	for (unsigned i = 0; i < 3; i++) {
		if (old)
			put_address(m, &m->table, FIXTURE_GO_TABLE, start[i]);
		else
			fixture_out_put(&m->table, start[i] - FIXTURE_GO_TEXT, 4);
		if (i < 2)
			fixture_out_put(&m->table, 0, size);
	}
	if (m->go->layout == GOPCLNTAB_1_2)
		fixture_out_put(&m->table, m->units, 4);
	for (unsigned i = 0; i < 2; i++) {
		size_t at = put_entry(m, i, start[i]);
		fixture_out_poke(&m->table, m->places->index + i * 2 * size + size, at - base,
		                 size);
		if (i == 0)
			m->places->entry = at;
	}
}

static void put_magic(struct made *m)
{
	static const uint8_t first[] = { [GOPCLNTAB_1_2] = 0xfb,
		                         [GOPCLNTAB_1_16] = 0xfa,
		                         [GOPCLNTAB_1_18] = 0xf0,
		                         [GOPCLNTAB_1_20] = 0xf1 };

	fixture_out_put(&m->table, 0xffffff00u | first[m->go->layout], 4);
	fixture_out_put(&m->table, 0, 2);
	fixture_out_put(&m->table, 1, 1);
	fixture_out_put(&m->table, m->word, 1);
	put_word(m, &m->table, 2);
}

/* In 1.2 the index follows the header: what it refers to has to be there before it is written. */
static void put_old_table(struct made *m)
{
	size_t index = m->table.size, capacity = 6 * m->word + 2 * 128;

	while (m->table.size < index + capacity)
		fixture_out_put(&m->table, 0, 1);
	m->places->names = m->table.size;
	put_names(m, 0);
	put_texts(&m->table, files, 2, 0, m->file);
	fixture_out_pad(&m->table, 4);
	m->units = m->places->units = m->table.size;
	fixture_out_put(&m->table, 3, 4);
	fixture_out_put(&m->table, m->file[0], 4);
	fixture_out_put(&m->table, m->file[1], 4);
	put_all_values(m, 0);
	size_t end = m->table.size;
	m->table.size = index;
	put_index(m, 0);
	assert(m->table.size <= index + capacity);
	m->table.size = end;
}

static void put_new_table(struct made *m)
{
	size_t parts, base;

	put_word(m, &m->table, 2); /* files */
	if (m->go->layout >= GOPCLNTAB_1_18 && !m->go->no_text)
		put_address(m, &m->table, FIXTURE_GO_TABLE, FIXTURE_GO_TEXT);
	else if (m->go->layout >= GOPCLNTAB_1_18)
		put_word(m, &m->table, 0);
	parts = m->table.size;
	for (unsigned i = 0; i < 5; i++)
		put_word(m, &m->table, 0);
	m->places->names = m->table.size;
	fixture_out_poke(&m->table, parts, m->table.size, m->word);
	put_names(m, m->table.size);
	fixture_out_pad(&m->table, 4);
	m->units = m->places->units = m->table.size;
	fixture_out_poke(&m->table, parts + m->word, m->units, m->word);
	fixture_out_put(&m->table, UINT32_MAX, 4);
	fixture_out_put(&m->table, 0, 4);
	fixture_out_put(&m->table, strlen(files[0]) + 1, 4);
	fixture_out_poke(&m->table, parts + 2 * m->word, m->table.size, m->word);
	put_texts(&m->table, files, 2, m->table.size, m->file);
	base = m->table.size;
	fixture_out_poke(&m->table, parts + 3 * m->word, base, m->word);
	put_all_values(m, base);
	fixture_out_pad(&m->table, 8);
	fixture_out_poke(&m->table, parts + 4 * m->word, m->table.size, m->word);
	put_index(m, m->table.size);
}

/* Entries of the inline tree, after 16 bytes that are not of it. */
static void put_tree(struct made *m)
{
	fixture_out_text(&m->tree, "not in the tree!", 16);
	for (unsigned i = 0; i < 2; i++) {
		if (m->go->layout >= GOPCLNTAB_1_20) {
			fixture_out_put(&m->tree, 0, 4);
		} else {
			int32_t file = (m->go->layout == GOPCLNTAB_1_2 ? 1 : 0) + (int32_t)i;
			fixture_out_put(&m->tree, i == 0 ? 0xffff : 0, 2);
			fixture_out_put(&m->tree, 0, 2);
			fixture_out_put(&m->tree, (uint64_t)file, 4);
			fixture_out_put(&m->tree, i == 0 ? 11 : 21, 4);
		}
		fixture_out_put(&m->tree, m->name[2 + i], 4);
		fixture_out_put(&m->tree, i == 0 ? 0xf : 0x17, 4);
		if (m->go->layout >= GOPCLNTAB_1_20)
			fixture_out_put(&m->tree, 0, 4);
	}
}

/* A word of moduledata about types, as 1.20 or 1.27 has it; false: it is about something else. */
static bool put_types(struct made *m, unsigned number)
{
	static const uint64_t addresses[] = { TYPES, TYPES_END, RODATA },
			      sizes[] = { TYPES, 0x80, TYPES_END, 0x90, 0x70, RODATA };
	const uint64_t *words = m->go->sizes ? sizes : addresses;
	unsigned count = m->go->sizes ? 6 : 3;

	if (m->go->layout < GOPCLNTAB_1_20 || number < 37 || number >= 37 + count)
		return false;
	if (words[number - 37] < RODATA)
		put_word(m, &m->module, words[number - 37]);
	else
		put_address(m, &m->module, MODULE, words[number - 37]);
	return true;
}

/* After other data, among which the table's address is once more. */
static void put_module(struct made *m)
{
	unsigned trees = m->go->layout == GOPCLNTAB_1_18 ? 38 : m->go->sizes ? 43 : 40;
	size_t index = m->places->index, names_at = m->places->names;

	put_address(m, &m->module, MODULE, FIXTURE_GO_TABLE);
	put_word(m, &m->module, 7);
	for (unsigned i = 0; i <= trees; i++)
		if (i == 0)
			put_address(m, &m->module, MODULE, FIXTURE_GO_TABLE);
		else if (i == 1)
			put_address(m, &m->module, MODULE, FIXTURE_GO_TABLE + names_at);
		else if (i == 4)
			put_address(m, &m->module, MODULE, FIXTURE_GO_TABLE + m->units);
		else if (i == 16)
			put_address(m, &m->module, MODULE, FIXTURE_GO_TABLE + index);
		else if (i == 22)
			put_address(m, &m->module, MODULE, FIXTURE_GO_TEXT);
		else if (i == trees && m->go->layout >= GOPCLNTAB_1_18)
			put_address(m, &m->module, MODULE, TREE);
		else if (!put_types(m, i))
			put_word(m, &m->module, 0);
}

/* .go.buildinfo with pointers, as before 1.18. */
static void put_info(struct made *m)
{
	fixture_out_text(&m->info, "\xff Go buildinf:", 14);
	fixture_out_put(&m->info, m->word, 1);
	fixture_out_put(&m->info, m->go->big, 1);
	put_address(m, &m->info, INFO, INFO + INFO_STRING);
	while (m->info.size < INFO_STRING)
		fixture_out_put(&m->info, 0, 1);
	put_address(m, &m->info, INFO, INFO + INFO_STRING + 2 * m->word);
	put_word(m, &m->info, m->go->no_module ? 5 : 8);
	fixture_out_text(&m->info, "go1.15.9", 8);
}

static void put_dynamic(struct made *m)
{
	fixture_out_put(&m->dynamic, 7, 8); /* DT_RELA */
	fixture_out_put(&m->dynamic, RELOCATIONS, 8);
	fixture_out_put(&m->dynamic, 8, 8); /* DT_RELASZ */
	fixture_out_put(&m->dynamic, m->relocations.size, 8);
	fixture_out_put(&m->dynamic, 0, 16);
}

static void put_file(struct made *m, struct fixture_out *file)
{
	static uint8_t code[0x60];
	const char *table = m->go->relocated ? ".data.rel.ro.gopclntab" : ".gopclntab";
	const struct fixture_section sections[] = {
		{ ".text", 1, FIXTURE_GO_TEXT, { code, sizeof(code) }, 0, 0 },
		{ table, 1, FIXTURE_GO_TABLE, fixture_out_bytes(&m->table), 0, 0 },
		{ ".rodata", 1, TREE, fixture_out_bytes(&m->tree), 0, 0 },
		{ ".data", 1, MODULE, fixture_out_bytes(&m->module), 0, 0 },
		{ ".rela", 1, RELOCATIONS, fixture_out_bytes(&m->relocations), 0, 0 },
		{ ".dynamic", 1, DYNAMIC, fixture_out_bytes(&m->dynamic), 0, 0 },
		{ ".go.buildinfo", 1, INFO, fixture_out_bytes(&m->info), 0, 0 },
	};
	const struct fixture_segment segments[] = {
		{ ELF_PT_LOAD, ELF_PF_READ | ELF_PF_EXECUTE, FIXTURE_GO_TEXT, 0x60, 1 },
		{ ELF_PT_LOAD, ELF_PF_READ, FIXTURE_GO_TABLE, m->table.size, 2 },
		{ ELF_PT_LOAD, ELF_PF_READ, TREE, m->tree.size, 3 },
		{ ELF_PT_LOAD, ELF_PF_READ | ELF_PF_WRITE, MODULE, m->module.size, 4 },
		{ ELF_PT_LOAD, ELF_PF_READ, RELOCATIONS, m->relocations.size, 5 },
		{ ELF_PT_LOAD, ELF_PF_READ | ELF_PF_WRITE, INFO, m->info.size, 7 },
		{ PT_DYNAMIC, ELF_PF_READ, DYNAMIC, m->dynamic.size, 6 },
	};
	const struct fixture_elf elf = { .wide = !m->go->narrow,
		                         .big = m->go->big,
		                         .type = ELF_TYPE_EXEC,
		                         .machine = m->go->narrow ? 40 : ELF_EM_X86_64,
		                         .segment_count = m->go->relocated ? 7 : 6,
		                         .segments = segments,
		                         .section_count = 7,
		                         .sections = sections };
	struct fixture_elf_places places;

	fixture_elf(file, &elf, &places);
	m->places->table = places.bytes[2];
	m->places->tree = places.bytes[3];
	if (m->go->bare) { /* e_shoff, e_shnum, e_shstrndx */
		fixture_out_poke(file, m->go->narrow ? 0x20 : 0x28, 0, m->word);
		fixture_out_poke(file, m->go->narrow ? 0x30 : 0x3c, 0, 2);
		fixture_out_poke(file, m->go->narrow ? 0x32 : 0x3e, 0, 2);
	}
}

void fixture_go(struct fixture_out *file, const struct fixture_go *go,
                struct fixture_go_places *places)
{
	static struct made m;

	m = (struct made){ .go = go, .places = places, .word = go->narrow ? 4 : 8 };
	m.table.big = m.tree.big = m.module.big = m.relocations.big = m.dynamic.big = m.info.big =
		go->big;
	put_magic(&m);
	if (go->layout == GOPCLNTAB_1_2)
		put_old_table(&m);
	else
		put_new_table(&m);
	put_tree(&m);
	if (!go->no_module)
		put_module(&m);
	if (m.module.size == 0)
		put_word(&m, &m.module, 0);
	put_info(&m);
	put_dynamic(&m);
	put_file(&m, file);
}
