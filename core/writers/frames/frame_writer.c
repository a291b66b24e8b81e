/* SPDX-License-Identifier: MIT */
/*
 * Converts a program's unwind tables to FDEs. Copies the FDEs of an .eh_frame that debuggers cannot
 * find, because the program has no section headers for it, then converts the functions in .sframe.
 * For Go programs and JIT code, converts frame sizes instead. Finally, functions get names from the
 * program's own symbol tables, and PLT stubs are named after the functions that they call.
 */
#include "frame_writer.h"

#include "cfi_encoder.h"
#include "program_code.h"

#include "base/memory.h"
#include "base/sort.h"
#include "formats/ehframe/cfi.h"
#include "formats/elf/elf.h"
#include "isa/amd64.h"
#include "symbols/go_program.h"
#include "symbols/jit_frames.h"
#include "unwind/tables/cfi_coverage.h"
#include "unwind/tables/unwind_tables.h"

#include <stdlib.h>
#include <string.h>

static bool frame_table_add(struct frame_table *table, struct cairn_range range,
                            enum frame_function_kind kind)
{
	return ARRAY_APPEND(table->function, table->functions, table->capacity,
	                    (struct frame_function){ .range = range, .kind = kind });
}

void frame_table_finish(struct frame_table *table)
{
	byte_buffer_finish(&table->section);
	free(table->function);
	table->function = NULL;
	table->functions = table->capacity = 0;
}

/*
 * Set the names of functions from a symbol table. Only the first symbol of a function is used, so
 * that at most one name is read per function.
 */
static void read_names(const struct elf *elf, const struct elf_section *symbols,
                       struct frame_table *table)
{
	struct elf_symbol symbol;

	for (uint64_t i = 1; elf_symbol(elf, symbols, i, &symbol); i++) {
		if ((symbol.type != ELF_STT_FUNC && symbol.type != ELF_STT_IFUNC) ||
		    symbol.section == 0)
			continue;
		const size_t at =
			SORTED_BELOW(table->function, table->functions, range.low, symbol.va);
		struct frame_function *function =
			at < table->functions ? &table->function[at] : NULL;
		if (function && function->range.low == symbol.va && !function->name.data)
			function->name = elf_symbol_name(elf, symbols, &symbol);
	}
}

static void frame_table_name_functions(const struct elf *elf, struct frame_table *table)
{
	static const uint32_t types[] = { ELF_SHT_SYMTAB, ELF_SHT_DYNSYM };
	struct elf_section s;

	for (unsigned t = 0; t < sizeof(types) / sizeof(*types); t++)
		if (elf_find_section_of_type(elf, types[t], &s))
			read_names(elf, &s, table);
}

enum { STUB_CODE = 16 };

static void frame_table_name_stubs(const struct program_image *image, struct frame_table *table)
{
	const struct cairn_target *target = &image->space->target;
	struct elf_stubs stubs;
	uint8_t code[STUB_CODE];

	if (!elf_stubs_open(&image->elf, &stubs))
		return;
	for (size_t i = 0; i < table->functions; i++) {
		struct frame_function *f = &table->function[i];
		uint64_t size = f->range.high - f->range.low;
		size = size < STUB_CODE ? size : STUB_CODE;
		if (f->kind == FRAME_FUNCTION_STUB && f->name.size == 0 &&
		    target->read_memory(target->context, f->range.low, code, (size_t)size) ==
		            CAIRN_OK)
			f->name = elf_stubs_name_code(&stubs, f->range.low,
			                              (struct cairn_bytes){ code, (size_t)size });
	}
}

/*
 * Copies FDEs from .eh_frame to .debug_frame. Instructions are copied verbatim, except that encoded
 * addresses become plain numbers. Exception-handling data is dropped.
 */
enum {
	CIE_SLOTS = 64, /* capacity of the cache of written CIEs; compilers generate only a few */
	STUB = 16,
};

struct written_cie {
	uint64_t va; /* address of the CIE; 0 in an empty slot */
	size_t at;
};

struct copier {
	const struct program_image *image;
	struct frame_table *table;
	const struct cfi_memory view;
	struct cfi_coverage *cfi;
	struct fde_reader *entries;
	struct elf_stubs stubs;
	bool has_stubs;
	uint64_t budget; /* number of CIE and FDE bytes that may still be read or written */
	uint64_t reached;
	struct cairn_fault fault;
	struct written_cie cie[CIE_SLOTS];
};

static void finish_copier(struct copier *c)
{
	free(c->entries);
}

bool eh_frames_are_hidden(struct program_image *image)
{
	struct elf_section section;

	if (elf_find_section(&image->elf, ".eh_frame", &section) && section.size > 0)
		return false;
	return module_cfi(image->space, image->module) != NULL;
}

/*
 * Return true if all instructions have been copied. Otherwise sets c->fault, with an offset in
 * .eh_frame.
 */
static bool check_copied(struct copier *c, const struct cfi_instructions *all)
{
	c->fault = all->in.fault;
	c->fault.offset += all->source->address - all->source->section;
	return reader_ok(&all->in);
}

/*
 * Copy the instructions of a CIE. Location advances, which are meaningless in a CIE, are dropped.
 */
static bool copy_initial_program(struct copier *c, const struct ehframe_cie *cie)
{
	struct cfi_instructions all = cfi_instructions_open(cie, &cie->source, cie->program, 0);
	struct cfi_instruction is;

	while (cfi_instructions_next(&all, &is))
		if (!is.moves)
			byte_buffer_bytes(&c->table->section, is.bytes.data, is.bytes.size);
	return check_copied(c, &all);
}

/*
 * Copy the FDE's instructions for `range`, which may be only a part of the FDE's range.
 * Instructions for earlier addresses take effect at the start of `range`. Returns false if the
 * instructions are invalid.
 */
static bool copy_program(struct copier *c, struct cairn_range range)
{
	const struct ehframe_fde *fde = &c->entries->fde;
	struct cfi_instructions all =
		cfi_instructions_open(&c->entries->cie, &fde->source, fde->program, fde->start);
	struct cfi_instruction is;
	uint64_t written = range.low;

	while (cfi_instructions_next(&all, &is) && all.location < range.high) {
		if (is.moves)
			continue;
		if (all.location > written) {
			cfi_encoder_advance(&c->table->section, all.location - written);
			written = all.location;
		}
		byte_buffer_bytes(&c->table->section, is.bytes.data, is.bytes.size);
	}
	return check_copied(c, &all);
}

static struct cfi_encoder_cie describe_cie(const struct copier *c)
{
	const struct ehframe_cie *cie = &c->entries->cie;

	return (struct cfi_encoder_cie){ (cie->signal ? 1u : 0u) | (cie->key_b ? 2u : 0u),
		                         c->view.word, cie->data_align, cie->ra };
}

static bool place_cie(struct copier *c, const struct cfi_encoder_cie *head, size_t *at)
{
	struct byte_buffer *out = &c->table->section;
	const uint64_t va = c->entries->cie.source.address;
	struct written_cie *slot = &c->cie[va / 4 % CIE_SLOTS];

	if (slot->va != va) {
		*slot = (struct written_cie){ 0, cfi_encoder_begin_cie(out, head) };
		if (!copy_initial_program(c, &c->entries->cie)) {
			out->size = slot->at;
			return false;
		}
		cfi_encoder_finish_entry(out, slot->at, head->word);
		slot->va = va;
	}
	*at = slot->at;
	return true;
}

static bool copy_part(struct copier *c, struct cairn_range range)
{
	struct byte_buffer *out = &c->table->section;
	const struct cfi_encoder_cie head = describe_cie(c);
	const size_t before = out->size;
	size_t cie;

	if (!place_cie(c, &head, &cie))
		return false;
	const size_t at = cfi_encoder_begin_fde(out, &head, cie, range);
	if (!copy_program(c, range)) {
		out->size = at;
		return false;
	}
	cfi_encoder_finish_entry(out, at, head.word);
	const uint64_t wrote = out->size - before;
	c->budget -= wrote < c->budget ? wrote : c->budget;
	return true;
}

static bool is_stub(const struct copier *c, uint64_t va)
{
	uint8_t code[STUB];

	return c->has_stubs &&
	       c->view.target->read_memory(c->view.target->context, va, code, STUB) == CAIRN_OK &&
	       elf_stubs_name_code(&c->stubs, va, (struct cairn_bytes){ code, STUB }).size > 0;
}

/*
 * Return true if the FDE covers a PLT. One FDE covers all stubs, but debuggers treat the stubs as
 * separate functions, and LLDB applies an FDE relative to the start of a function.
 */
static bool is_plt(const struct copier *c, struct cairn_range range)
{
	const struct ehframe_fde *fde = &c->entries->fde;
	const uint64_t size = range.high - range.low;

	return size >= STUB && size % STUB == 0 &&
	       fde->source.bytes.size <= EH_FRAMES_STUB_PROGRAM &&
	       (is_stub(c, range.low) || (size > STUB && is_stub(c, range.low + STUB)));
}

static bool copy_stubs(struct copier *c, struct cairn_range range)
{
	for (uint64_t va = range.low; va < range.high && c->budget > 0; va += STUB) {
		const struct cairn_range stub = { va, va + STUB };
		if (copy_part(c, stub) && !frame_table_add(c->table, stub, FRAME_FUNCTION_STUB))
			return false;
	}
	return true;
}

static void count_damage(struct frame_table *table, const struct cairn_fault *fault)
{
	if (table->damaged++ == 0)
		table->fault = *fault;
}

static bool copy_fde(struct copier *c, const struct cfi_range *range)
{
	const struct fde_reader_query query = { c->cfi->frames, range->fde, range->low };
	const uint64_t capacity = program_image_code_size(c->image, range->low),
		       size = range->high - range->low;
	const struct cairn_range code = { range->low,
		                          range->low + (size < capacity ? size : capacity) };
	struct cairn_fault fault;

	if (code.low == code.high || code.high - code.low > UINT32_MAX)
		return true;
	if (fde_reader_read(c->entries, &c->view, &query, &fault) != CAIRN_OK) {
		count_damage(c->table, &fault);
		return true;
	}
	const uint64_t read = c->entries->cie.source.bytes.size + c->entries->fde.source.bytes.size;
	c->budget -= read < c->budget ? read : c->budget;
	c->reached = code.high;
	if (is_plt(c, code))
		return copy_stubs(c, code);
	if (copy_part(c, code))
		return frame_table_add(c->table, code, FRAME_FUNCTION);
	count_damage(c->table, &c->fault);
	return true;
}

static bool copy_fdes(struct copier *c, const struct frame_writer_options *options)
{
	struct cfi_range range;

	for (size_t i = 0; c->budget > 0 && cfi_coverage_fde(c->cfi, &c->view, i, &range); i++) {
		if (options->poll && i % EH_FRAMES_POLL == 0)
			options->poll(options->poll_context);
		if (range.covered && range.low >= c->reached && range.high > range.low &&
		    !copy_fde(c, &range))
			return false;
	}
	return !c->table->section.failed;
}

/*
 * Copy the FDEs to .debug_frame, and add a function for each FDE. The table must be empty.
 * Unreadable FDEs are skipped and counted as damaged. Returns false if allocation fails.
 */
static bool eh_frames_write(struct program_image *image, const struct frame_writer_options *options,
                            struct frame_table *table)
{
	WITH_CLEANUP(finish_copier)
	struct copier c = {
		.image = image,
		.table = table,
		.view = module_cfi_memory(image->space, image->module),
		.cfi = module_cfi(image->space, image->module),
		.entries = malloc(sizeof(*c.entries)),
		.budget = (uint64_t)EH_FRAMES_TIMES * image->elf.bytes.size,
	};

	c.has_stubs = elf_stubs_open(&image->elf, &c.stubs);
	return c.entries && (!c.cfi || copy_fdes(&c, options));
}

/*
 * Converts the frame sizes in a Go program's function table to call frame information, using the
 * same rules as Go's linker for .debug_frame.
 */
enum {
	WORD = 8,
	GO_POLL_FUNCTIONS = 1 << 10,
	/* maximum number of rows per byte of the table; programs need less than one */
	GO_ROWS_TIMES = 8,
};

static void close_program(struct go_program **program)
{
	if (*program)
		go_program_close(*program);
}

static struct cfi_encoder_row make_row(int32_t size, bool outermost)
{
	const struct cairn_rule inner = { .cfa = { CAIRN_REGISTER_VALUE, AMD64_RSP, size + WORD },
		                          .ra = { CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, -WORD },
		                          .fp = { CAIRN_REGISTER_SAME_VALUE, CAIRN_BASE_CFA, 0 } };
	struct cfi_encoder_row row = { .rule = outermost ? (struct cairn_rule){ .outermost = true }
		                                         : inner };

	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		row.saved[i] = FLOW_SAME;
	return row;
}

/*
 * Write an FDE for the code with known frame sizes at the start of the function, and return its
 * end. Functions can share encoded frame sizes, so a small crafted table could expand to an
 * unlimited number of rows; *rows is the number of rows that may still be written.
 */
static uint64_t write_go_fde(struct cfi_encoder *encoder, const struct gopclntab *table,
                             const struct gopclntab_function *function, uint64_t *rows)
{
	struct gopclntab_values values = gopclntab_values(table, function, function->stack);
	const bool outermost = gopclntab_is_outermost(table, function);
	struct gopclntab_run run;
	uint64_t end = function->start;

	while (gopclntab_next_run(&values, &run) && run.value >= 0 && run.low == end &&
	       run.high > run.low && *rows > 0) {
		--*rows;
		const struct cfi_encoder_row row = make_row(run.value, outermost);
		cfi_encoder_row(encoder, run.low, &row);
		end = run.high;
	}
	cfi_encoder_end(encoder, end);
	return end;
}

static bool write_go_frames(const struct gopclntab *go, const struct frame_writer_options *options,
                            struct cfi_encoder *encoder, struct frame_table *table)
{
	struct gopclntab_function function;
	uint64_t reached = 0, rows = (uint64_t)GO_ROWS_TIMES * go->bytes.size;

	for (uint64_t i = 0; i < go->functions && rows > 0 && !table->section.failed; i++) {
		if (options->poll && i % GO_POLL_FUNCTIONS == 0)
			options->poll(options->poll_context);
		if (!gopclntab_read_function(go, i, &function) || function.start < reached)
			continue;
		uint64_t end = write_go_fde(encoder, go, &function, &rows);
		const struct cairn_range range = { function.start, end };
		if (end > function.start && !frame_table_add(table, range, FRAME_FUNCTION))
			return false;
		reached = end;
	}
	return !table->section.failed;
}

enum cairn_status frame_table_make_go(struct cairn_bytes file,
                                      const struct frame_writer_options *options,
                                      struct frame_table *table)
{
	struct go_program program;
	struct cairn_fault fault;
	WITH_CLEANUP(close_program) struct go_program *open = NULL;

	*table = (struct frame_table){ .section = { .limit = options->limit } };
	enum cairn_status status = go_program_open(file, &program, &fault);
	if (status != CAIRN_OK)
		return status == CAIRN_NO_MEMORY ? status : CAIRN_NOT_FOUND;
	open = &program;
	if (elf_machine(&program.elf) != CAIRN_MACHINE_AMD64)
		return CAIRN_NOT_FOUND;
	struct cfi_encoder encoder = cfi_encoder_open(&table->section, CAIRN_MACHINE_AMD64);
	if (!write_go_frames(&program.table, options, &encoder, table))
		return CAIRN_NO_MEMORY;
	return table->functions > 0 ? CAIRN_OK : CAIRN_NOT_FOUND;
}

enum { JIT_POLL_FUNCTIONS = 1 << 8 };

static int16_t translate_saved(const struct cfi_register_rule *rule)
{
	if (rule->kind == CFI_RULE_UNSET || rule->kind == CFI_RULE_SAME)
		return FLOW_SAME;
	if (rule->kind != CFI_RULE_OFFSET || rule->offset % WORD != 0 || rule->offset >= 0 ||
	    rule->offset / WORD < INT16_MIN)
		return FLOW_UNKNOWN;
	return (int16_t)(rule->offset / WORD);
}

static struct cfi_encoder_row encode_row(const struct jit_row *row)
{
	struct cfi_encoder_row encoded = { .rule = row->rule };

	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		encoded.saved[i] =
			row->described ? translate_saved(&row->row.reg[saved_register_numbers[i]])
				       : (int16_t)FLOW_UNKNOWN;
	return encoded;
}

/* Write an FDE and return its end, or the start of the function if its frames are unknown. */
static uint64_t write_fde(struct cfi_encoder *encoder, const struct jit_code *code,
                          const struct jit_function *function)
{
	struct jit_frames frames;
	struct jit_row row;
	uint64_t end = function->start;

	if (!jit_frames_open(&frames, code, function))
		return end;
	while (jit_frames_next(&frames, &row)) {
		const struct cfi_encoder_row encoded = encode_row(&row);
		cfi_encoder_row(encoder, row.start, &encoded);
		end = row.end;
	}
	cfi_encoder_end(encoder, end);
	return end;
}

static bool write_frames(const struct jit_code *code, const struct frame_writer_options *options,
                         struct frame_table *table)
{
	struct cfi_encoder encoder = cfi_encoder_open(&table->section, CAIRN_MACHINE_AMD64);

	for (size_t i = 0; i < code->count && !table->section.failed; i++) {
		const struct jit_function *f = &code->function[i];
		if (options->poll && i % JIT_POLL_FUNCTIONS == 0)
			options->poll(options->poll_context);
		uint64_t end = frame_writer_excludes(options, f->start)
		                       ? f->start
		                       : write_fde(&encoder, code, f);
		if (end == f->start)
			continue;
		if (!ARRAY_APPEND(table->function, table->functions, table->capacity,
		                  (struct frame_function){ .range = { f->start, end },
		                                           .kind = FRAME_FUNCTION,
		                                           .name = f->name }))
			return false;
	}
	return !table->section.failed;
}

enum cairn_status frame_table_make_jit(struct cairn_bytes file,
                                       const struct frame_writer_options *options,
                                       struct frame_table *table)
{
	struct polling polling = { options->poll, options->poll_context, 0 };
	WITH_CLEANUP(jit_code_finish) struct jit_code code = { .dump = false };

	*table = (struct frame_table){ .section = { .limit = options->limit } };
	enum cairn_status status = jit_code_read(&code, file, &polling);
	if (status != CAIRN_OK)
		return status;
	jit_code_remove_replaced(&code);
	if (!write_frames(&code, options, table))
		return CAIRN_NO_MEMORY;
	return table->functions > 0 ? CAIRN_OK : CAIRN_NOT_FOUND;
}

/* Maximum size of the code at an entry point. In C libraries, it is 34 to 48 bytes long. */
enum { ENTRY_SIZE_MAX = 64 };

struct maker {
	const struct frame_writer_options *options;
	struct frame_table *table;
	struct program_image image;
	struct saved_registers *saved;
	struct cfi_encoder encoder;
	uint64_t stubs;
	bool hidden;
	size_t copied; /* number of functions copied from .eh_frame; they come first */
	bool failed;
};

static void finish_maker(struct maker *m)
{
	saved_registers_free(m->saved);
	program_image_close(&m->image);
}

static void add_function(struct maker *m, struct cairn_range range, enum frame_function_kind kind)
{
	m->failed |= !frame_table_add(m->table, range, kind);
}

static bool read_row(struct maker *m, size_t number, uint64_t va, struct cfi_encoder_row *row,
                     uint64_t *end)
{
	struct cairn_rules *rules = m->image.module->rules;
	const struct rules_function *f = &rules->functions[number];
	struct cairn_fault fault;
	const struct cairn_rule *rule;
	uint64_t until;

	if (cairn_rules_find(rules, va, &rule, &fault) != CAIRN_OK) {
		if (fault.status != CAIRN_NOT_FOUND && m->table->damaged++ == 0)
			m->table->fault = fault;
		return false;
	}
	const struct flow_fact *fact =
		saved_registers_find(m->saved, number, va - f->start, &until);
	row->rule = *rule;
	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		row->saved[i] = fact ? fact->where[i] : (int16_t)FLOW_UNKNOWN;
	*end = rule->end;
	if (until < UINT64_MAX && f->start + until < *end)
		*end = f->start + until;
	return *end > va && !rule->trampoline;
}

static uint64_t write_rows(struct maker *m, size_t number, struct cairn_range range)
{
	struct cfi_encoder_row row;
	uint64_t va = range.low, next;

	while (va < range.high && !m->table->section.failed &&
	       read_row(m, number, va, &row, &next)) {
		cfi_encoder_row(&m->encoder, va, &row);
		va = next < range.high ? next : range.high;
	}
	cfi_encoder_end(&m->encoder, va);
	return va;
}

static void write_stubs(struct maker *m, size_t number, struct cairn_range range, uint8_t block)
{
	for (uint64_t va = range.low; va < range.high && !m->failed; va += block) {
		const uint64_t left = range.high - va;
		const struct cairn_range stub = { va, va + (left < block ? left : block) };
		if (m->stubs++ >= FRAME_WRITER_STUBS)
			return;
		const uint64_t end = write_rows(m, number, stub);
		if (end > va)
			add_function(m, (struct cairn_range){ va, end }, FRAME_FUNCTION_STUB);
		if (left <= block)
			return;
	}
}

/*
 * Return the first copied function that ends after `va`, or NULL. No other copied function can
 * contain `va`.
 */
static const struct frame_function *find_copied(const struct maker *m, uint64_t va)
{
	const size_t next = SORTED_UP_TO(m->table->function, m->copied, range.high, va);

	return next < m->copied ? &m->table->function[next] : NULL;
}

static bool is_described(const struct maker *m, uint64_t va)
{
	const struct frame_function *copied = find_copied(m, va);

	return m->hidden ? copied && copied->range.low <= va
	                 : module_find_cfi(m->image.space, m->image.module, va) != NULL;
}

/*
 * Return the range of a function, which ends at the next function or at the end of the code in the
 * file.
 */
static struct cairn_range function_range(const struct maker *m, size_t number)
{
	const struct cairn_rules *rules = m->image.module->rules;
	const struct rules_function *f = &rules->functions[number];
	const struct frame_function *copied = find_copied(m, f->start);
	uint64_t size = program_image_code_size(&m->image, f->start);

	size = f->size < size ? f->size : size;
	if (copied && copied->range.low >= f->start && copied->range.low - f->start < size)
		size = copied->range.low - f->start;
	if (number + 1 < rules->function_count && f[1].start - f->start < size)
		size = f[1].start - f->start;
	return (struct cairn_range){ f->start, f->start + size };
}

static void write_function(struct maker *m, size_t number)
{
	const struct cairn_rules *rules = m->image.module->rules;
	const struct rules_function *f = &rules->functions[number];
	const struct cairn_range range = function_range(m, number);
	struct sframe_function function;
	struct cairn_fault fault;

	if (range.low >= range.high || is_described(m, range.low) ||
	    sframe_function(&rules->tables[f->table], f->index, &function, &fault) != CAIRN_OK)
		return;
	if (function.masked) {
		write_stubs(m, number, range, function.repeat);
		return;
	}
	const uint64_t end = write_rows(m, number, range);
	if (end > range.low)
		add_function(m, (struct cairn_range){ range.low, end }, FRAME_FUNCTION);
}

/*
 * Return the size of the code at the entry point, up to and including the instruction that ends it
 * (AMD64_STOP), or 0 if no such instruction is found.
 */
static uint64_t entry_size(const struct maker *m, uint64_t entry)
{
	uint8_t code[ENTRY_SIZE_MAX];
	uint64_t capacity = program_image_code_size(&m->image, entry);
	struct amd64_instruction is;
	struct cairn_target target = m->image.space->target;

	capacity = capacity < sizeof(code) ? capacity : sizeof(code);
	if (m->image.module->machine != CAIRN_MACHINE_AMD64 || capacity == 0 ||
	    target.read_memory(target.context, entry, code, (size_t)capacity) != CAIRN_OK)
		return 0;
	for (size_t at = 0; at < capacity && amd64_decode(code + at, (size_t)capacity - at, &is);) {
		at += is.length;
		if (is.kind == AMD64_STOP)
			return at;
	}
	return 0;
}

/* Return the index at which to insert `range`, or SIZE_MAX if it overlaps a function. */
static size_t place_of(const struct frame_table *table, struct cairn_range range)
{
	size_t at = 0;

	while (at < table->functions && table->function[at].range.low < range.low)
		at++;
	bool free = (at == 0 || table->function[at - 1].range.high <= range.low) &&
	            (at == table->functions || table->function[at].range.low >= range.high);
	return free ? at : SIZE_MAX;
}

/* Write an FDE that makes the entry point the outermost frame, because nothing calls it. */
static void write_entry(struct maker *m)
{
	const uint64_t entry = m->image.elf.entry;
	const struct cairn_range range = { entry, entry + entry_size(m, entry) };
	struct cfi_encoder_row row = { .rule = { .outermost = true } };
	struct frame_table *table = m->table;
	size_t at = place_of(table, range);

	if (range.low >= range.high || at == SIZE_MAX || is_described(m, entry))
		return;
	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		row.saved[i] = FLOW_UNKNOWN;
	cfi_encoder_row(&m->encoder, range.low, &row);
	cfi_encoder_end(&m->encoder, range.high);
	add_function(m, range, FRAME_FUNCTION_ENTRY);
	if (m->failed)
		return;
	const struct frame_function last = table->function[table->functions - 1];
	memmove(table->function + at + 1, table->function + at,
	        (table->functions - 1 - at) * sizeof(last));
	table->function[at] = last;
}

static enum cairn_status open_rules(struct maker *m)
{
	struct cairn_rules *rules = module_rules(m->image.space, m->image.module);

	if (!rules)
		return CAIRN_NOT_FOUND;
	cairn_rules_build_index(rules);
	if (!rules->functions && rules_list_functions(rules) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	m->saved = saved_registers_new(&m->image, m->options->poll, m->options->poll_context);
	return m->saved ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static void write_functions(struct maker *m)
{
	const struct cairn_rules *rules = m->image.module->rules;

	for (size_t i = 0; i < rules->function_count && !m->table->section.failed; i++) {
		const struct rules_function *function = &rules->functions[i];
		bool shadowed =
			i + 1 < rules->function_count && function[1].start == function->start;
		/* a damaged table may name another machine, whose registers have other numbers */
		if (rules->tables[function->table].machine != m->image.module->machine)
			continue;
		if (m->options->poll)
			m->options->poll(m->options->poll_context);
		if (!shadowed)
			write_function(m, i);
	}
}

/*
 * Add an FDE for the entry point, which most tables do not cover. Without an FDE, a debugger would
 * unwind past it to arbitrary values on the stack.
 */
static void add_entry(struct maker *m)
{
	if (m->table->functions == 0)
		return;
	if (m->copied > 0)
		SORT_BY_FIRST(m->table->function, m->table->functions, range.low);
	m->copied = m->hidden ? m->table->functions : 0;
	write_entry(m);
}

/*
 * Use the SFrame table generated for a program without unwind tables. The caller has compared the
 * build IDs.
 */
static void take_sframe_file(struct maker *m)
{
	struct cairn_space *space = m->image.space;
	const struct cairn_bytes file = m->options->sframe_file;
	struct cairn_fault fault;

	if (file.size > 0 && !module_cfi(space, m->image.module) &&
	    cairn_space_give_sframe(space, m->image.module->low, file, &fault) != CAIRN_OK &&
	    fault.status != CAIRN_NOT_FOUND && m->table->damaged++ == 0)
		m->table->fault = fault;
}

enum cairn_status frame_table_make(struct cairn_bytes file,
                                   const struct frame_writer_options *options,
                                   struct frame_table *table)
{
	WITH_CLEANUP(finish_maker) struct maker m = { .options = options, .table = table };

	*table = (struct frame_table){ .section = { .limit = options->limit } };
	enum cairn_status status = program_image_open(file, &m.image);
	if (status != CAIRN_OK)
		return status;
	table->section.big = m.image.elf.big;
	/* copied functions must precede the functions from .sframe */
	m.hidden = eh_frames_are_hidden(&m.image);
	if (m.hidden && !eh_frames_write(&m.image, options, table))
		return CAIRN_NO_MEMORY;
	m.copied = table->functions;
	take_sframe_file(&m);
	status = open_rules(&m);
	if (status == CAIRN_NO_MEMORY)
		return status;
	m.encoder = cfi_encoder_open(&table->section, m.image.module->machine);
	if (status == CAIRN_OK)
		write_functions(&m);
	add_entry(&m);
	frame_table_name_functions(&m.image.elf, table);
	frame_table_name_stubs(&m.image, table);
	if (m.failed || table->section.failed)
		return CAIRN_NO_MEMORY;
	return table->functions > 0 ? CAIRN_OK : CAIRN_NOT_FOUND;
}
