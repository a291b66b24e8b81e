/* SPDX-License-Identifier: MIT */
/* Makes the file of one module: rows become call frame information, and names symbols. */
#include "placeholder_file.h"

#include "base/base_name.h"
#include "base/bisect.h"
#include "loader.h"
#include "process/snapshot/snapshot_modules.h"
#include "unwind/target/core_file.h"
#include "writers/frames/cfi_encoder.h"
#include "writers/frames/frame_writer.h"
#include "writers/placeholder/placeholder.h"

#include <stdlib.h>
#include <string.h>

enum {
	FILE_MAX = 256 << 20,
	SYMBOL_NAME_MAX = 4096,
	PAGES_TRIED = 16, /* for the dynamic section */
	AT_ENTRY = 9,
};

/* The rows of one module. */
struct row_span {
	const struct frame_row *row;
	size_t count;
};

/* Some of them, and their code: pcs. */
struct row_group {
	struct row_span span;
	uint64_t low, high;
};

static struct row_span find_module_rows(const struct frame_rows *rows,
                                        const struct snapshot_module *module)
{
	const size_t first = frame_rows_find(rows, module->low);

	if (rows->count == 0)
		return (struct row_span){ NULL, 0 };
	return (struct row_span){ rows->row + first, frame_rows_find(rows, module->high) - first };
}

static struct cfi_encoder_row encode_row(const struct frame_row *row, enum cairn_machine machine)
{
	struct cfi_encoder_row encoded = { .rule = frame_row_rule(row, machine) };

	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		encoded.saved[i] = FLOW_UNKNOWN;
	return encoded;
}

static bool is_good_name(struct cairn_bytes name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] < ' ' || name.data[i] == 0x7f)
			return false;
	return name.size > 0 && name.size <= SYMBOL_NAME_MAX;
}

/* The name of the module as that of a function: debuggers take a dot for the end of a name. */
static size_t name_all(const struct snapshot_module *module, char name[SYMBOL_NAME_MAX])
{
	const struct cairn_bytes base = base_name(module->path);
	size_t size = 0;

	for (; size < base.size && size < SYMBOL_NAME_MAX; size++) {
		const uint8_t byte = base.data[size];
		const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		                   (byte >= '0' && byte <= '9' && size > 0);
		name[size] = plain ? (char)byte : '_';
	}
	if (size == 0)
		name[size++] = '_';
	return size;
}

static bool is_named_row(const struct frame_row *row)
{
	return is_good_name(row->function) && row->start <= row->lookup;
}

/* Do both rows belong to one function, as far as that is known, and to one kind of call frame information? */
static bool is_same_function(const struct frame_row *a, const struct frame_row *b)
{
	return is_named_row(a) == is_named_row(b) && (!is_named_row(a) || a->start == b->start) &&
	       a->rule.signal == b->rule.signal && a->rule.key_b == b->rule.key_b;
}

/* GDB looks for the rules of a trampoline at the address that the handler returns to, and not at the byte before. */
static uint64_t find_row_end(const struct frame_row *row)
{
	return row->lookup + 1 + row->rule.signal;
}

/*
 * The next rows of one function, or of no known one, and the code that they are taken to describe; debuggers look for an FDE
 * where a function begins.
 */
static bool next_group(const struct row_span *span, size_t *at, struct row_group *group)
{
	const size_t first = *at;
	const uint64_t end = first > 0 ? find_row_end(&span->row[first - 1]) : 0;

	if (first == span->count)
		return false;
	while (*at < span->count && is_same_function(&span->row[first], &span->row[*at]))
		++*at;
	*group = (struct row_group){ { &span->row[first], *at - first }, end, 0 };
	group->high = find_row_end(&span->row[*at - 1]);
	if (is_named_row(&span->row[first]) && span->row[first].start > end)
		group->low = span->row[first].start;
	return true;
}

/* An FDE of the range, in addresses as linked. */
static void put_rows(struct cfi_encoder *encoder, const struct row_span *span,
                     struct cairn_range range, uint64_t bias)
{
	for (size_t i = 0; i < span->count; i++) {
		const struct cfi_encoder_row row = encode_row(&span->row[i], encoder->machine);
		cfi_encoder_row(encoder, i == 0 ? range.low : span->row[i].lookup - bias, &row);
	}
	cfi_encoder_end(encoder, range.high);
}

/* A symbol and an FDE for each group; what no function is known of has the name of the module. */
static size_t list_symbols(struct byte_buffer *frames, const struct row_span *span,
                           const struct snapshot_module *module, enum cairn_machine machine,
                           struct cairn_bytes all, struct placeholder_symbol *symbols)
{
	struct cfi_encoder encoder = cfi_encoder_open(frames, machine);
	struct row_group group, next;
	size_t count = 0, at = 0;
	bool more = next_group(span, &at, &group);

	symbols[count++] = (struct placeholder_symbol){ 0, module->high - module->low, all };
	while (more) {
		more = next_group(span, &at, &next);
		const uint64_t low = group.low > module->low ? group.low - module->low : 0;
		const uint64_t high = (more && next.low > group.high ? next.low
		                       : more                        ? group.high
		                                                     : module->high) -
		                      module->low;
		symbols[count - 1].size = low - symbols[count - 1].va;
		count -= symbols[count - 1].size == 0;
		symbols[count++] = (struct placeholder_symbol){ low, high - low,
			                                        is_named_row(group.span.row)
			                                                ? group.span.row->function
			                                                : all };
		put_rows(&encoder, &group.span, (struct cairn_range){ low, high }, module->low);
		group = next;
	}
	return count;
}

static bool is_captured(const struct snapshot *snapshot, uint64_t low, uint64_t high)
{
	const struct corefile *memory = snapshot->source;

	for (size_t i = 0; i < memory->count; i++)
		if (memory->range[i].address < high &&
		    low < memory->range[i].address + memory->range[i].bytes.size)
			return true;
	return false;
}

/* A page near the module's end that has neither frames nor captured memory; 0: there is none. */
static uint64_t find_free_page(const struct snapshot *snapshot, const struct frame_rows *rows,
                               const struct snapshot_module *module)
{
	uint64_t high = module->high - module->high % PLACEHOLDER_PAGE;

	for (size_t i = 0;
	     i < PAGES_TRIED && high - module->low > 2 * PLACEHOLDER_PAGE && high > module->low;
	     i++, high -= PLACEHOLDER_PAGE) {
		const uint64_t low = high - PLACEHOLDER_PAGE;
		if (frame_rows_find(rows, low) == frame_rows_find(rows, module->high) &&
		    !is_captured(snapshot, low, high))
			return low - module->low;
	}
	return 0;
}

static bool is_of_program(const struct snapshot *snapshot, const struct snapshot_module *module)
{
	const size_t program = loader_find_program(snapshot);

	return program < snapshot->module_count && module == &snapshot->modules[program];
}

static void fill_program(struct placeholder *draft, const struct snapshot *snapshot,
                         const struct frame_rows *rows, const struct snapshot_module *module)
{
	uint64_t entry;

	draft->dynamic = find_free_page(snapshot, rows, module);
	draft->entry = snapshot_auxv(snapshot, AT_ENTRY, &entry) && entry >= module->low &&
	                               entry < module->high
	                       ? entry - module->low
	                       : PLACEHOLDER_PAGE;
}

bool placeholder_file_make(struct placeholder_file *file, const struct cairn_stacks *stacks,
                           const struct frame_rows *rows, const struct snapshot_module *module)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const struct row_span span = find_module_rows(rows, module);
	struct placeholder_symbol *symbols = calloc(span.count + 2, sizeof(*symbols));
	struct byte_buffer frames = { .limit = FILE_MAX };
	char name[SYMBOL_NAME_MAX];
	const struct cairn_bytes all = { (const uint8_t *)name, name_all(module, name) };
	struct placeholder draft = { .machine = snapshot->machine == CAIRN_MACHINE_AARCH64
		                                        ? ELF_EM_AARCH64
		                                        : ELF_EM_X86_64,
		                     .size = module->high - module->low,
		                     .symbols = symbols };

	file->made = (struct byte_buffer){ .limit = FILE_MAX };
	if (is_of_program(snapshot, module))
		fill_program(&draft, snapshot, rows, module);
	if (symbols) {
		draft.symbol_count =
			list_symbols(&frames, &span, module, snapshot->machine, all, symbols);
		draft.frames = (struct cairn_bytes){ frames.data, frames.size };
		placeholder_write(&draft, &file->made);
	}
	const bool made = symbols && !file->made.failed && !frames.failed;
	file->part[0] = (struct cairn_bytes){ file->made.data, file->made.size };
	file->parts = 1;
	byte_buffer_finish(&frames);
	free(symbols);
	return made;
}

static bool is_in_table(const struct frame_table *table, uint64_t va)
{
	struct bisection search = bisect_begin(table->functions);

	while (search.low < search.high)
		bisect_narrow(&search, table->function[search.middle].range.high <= va);
	return search.low < table->functions && table->function[search.low].range.low <= va;
}

/* The groups of rows that what is made of the SFrame table does not cover. */
static void put_other_rows(struct frame_table *table, const struct row_span *span,
                           const struct snapshot_module *module, enum cairn_machine machine)
{
	struct cfi_encoder encoder = cfi_encoder_open(&table->section, machine);
	struct row_group group;

	for (size_t at = 0; next_group(span, &at, &group);) {
		const uint64_t first = group.span.row[0].lookup - module->bias;
		const bool named = is_named_row(group.span.row);
		if (is_in_table(table, first))
			continue;
		put_rows(&encoder, &group.span,
		         (struct cairn_range){ named ? group.low - module->bias : first,
		                               group.high - module->bias },
		         module->bias);
	}
}

static bool append_frames(struct placeholder_file *file, const struct elf *elf,
                          struct cairn_bytes frames)
{
	struct elf_append append;
	struct cairn_fault fault;

	file->append = malloc(elf_append_room(elf, ".debug_frame"));
	if (!file->append || elf_append_section(elf, ".debug_frame", frames, file->append, &append,
	                                        &fault) != CAIRN_OK)
		return false;
	memcpy(file->part, append.part, sizeof(file->part));
	file->parts = ELF_APPEND_PARTS;
	return true;
}

bool placeholder_file_extend(struct placeholder_file *file, const struct frame_rows *rows,
                             const struct snapshot_module *module)
{
	const struct frame_writer_options options = { .limit = FILE_MAX };
	const struct row_span span = find_module_rows(rows, module);
	struct frame_table table = { .functions = 0 };
	struct elf_section section;
	struct elf elf;

	if (!elf_opens(module->file, &elf) || !module->has_bias ||
	    elf_find_section(&elf, ".debug_frame", &section))
		return false;
	if (frame_table_make(module->file, &options, &table) != CAIRN_OK) {
		frame_table_finish(&table);
		table = (struct frame_table){ .section = { .limit = FILE_MAX } };
	}
	put_other_rows(&table, &span, module, elf_machine(&elf));
	file->made = table.section;
	table.section = (struct byte_buffer){ .limit = 0 };
	frame_table_finish(&table);
	return !file->made.failed &&
	       append_frames(file, &elf, (struct cairn_bytes){ file->made.data, file->made.size });
}

void placeholder_file_finish(struct placeholder_file *file)
{
	free(file->path);
	free(file->append);
	byte_buffer_finish(&file->made);
}
