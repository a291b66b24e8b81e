/* SPDX-License-Identifier: MIT */
/* Names JIT code from its process's jitdump or perf map, and kernel code from kallsyms. */
#include "recording.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/kallsyms.h"
#include "profiles/lookup.h"

/* Set *bytes to NULL on failure, so that callers can always free it. */
static bool read_file(const struct recording *r, const struct cairn_recorded_request *request,
                      struct cairn_bytes *bytes)
{
	const size_t least =
		offsetof(struct cairn_recording_options, read) + sizeof(r->options->read);
	const bool found = r->options->size >= least && r->options->read &&
	                   r->options->read(r->options->context, request, bytes);

	if (!found)
		*bytes = (struct cairn_bytes){ NULL, 0 };
	return found;
}

static bool read_jit_code(const struct recording *r, struct recorded_process *process)
{
	struct cairn_recorded_request request = { .kind = CAIRN_RECORDED_JITDUMP,
		                                  .pid = process->pid,
		                                  .path = process->jitdump,
		                                  .build_id = CAIRN_NO_BYTES };

	if (process->jitdump.size > 0 && read_file(r, &request, &process->code->bytes))
		return true;
	request.kind = CAIRN_RECORDED_PERF_MAP;
	request.path = (struct cairn_bytes)CAIRN_NO_BYTES;
	return read_file(r, &request, &process->code->bytes);
}

static bool load_made_code(struct recording *r, struct recorded_process *process)
{
	if (process->code)
		return true;
	process->code = calloc(1, sizeof(*process->code));
	if (process->code &&
	    (!read_jit_code(r, process) ||
	     jit_history_read(&process->code->history, process->code->bytes) == CAIRN_OK))
		return true;
	recording_lack_memory(r);
	return false;
}

void recorded_process_drop_code(struct recorded_process *process)
{
	if (!process->code)
		return;
	jit_history_finish(&process->code->history);
	free((void *)(uintptr_t)process->code->bytes.data);
	free(process->code);
	process->code = NULL;
}

static struct code_name name_made_code(struct recording *r, struct recorded_process *process,
                                       uint64_t address)
{
	struct code_name name = { 0, 0, 0 };
	struct jit_line line;

	if (!load_made_code(r, process))
		return name;
	const struct jit_function *function = jit_history_find(&process->code->history, address,
	                                                       r->is_monotonic ? &r->now : NULL);
	if (!function)
		return name;
	name.name = recording_text(r, function->name);
	if (jit_code_find_line(&process->code->history.code, function, address, &line)) {
		name.file = recording_text(r, line.file);
		name.line = line.line;
	}
	return name;
}

bool recording_is_in_file(const struct recording *r, const struct recorded_map *map)
{
	return map && !profile_is_without_file(string_pool_get(&r->texts, r->files[map->file].path),
	                                       (struct cairn_bytes)CAIRN_NO_BYTES, map->start);
}

/*
 * Symbolizes kernel code with kallsyms. The kernel is loaded at a different address after each boot
 * (KASLR). The recording contains the address of one symbol. The difference between this address
 * and the symbol's address in kallsyms applies to all symbols in the kernel proper, but not to
 * symbols in kernel modules. Therefore kernel modules have names only if the difference is zero.
 */

enum {
	KERNEL_SYMBOLS_MAX = 1 << 22,
	/*
	 * maximum size of a function in bytes; kallsyms contains no sizes, and the last symbol must
	 * end somewhere
	 */
	KERNEL_FUNCTION_MAX = 1 << 20,
};

static bool is_code(const struct kallsyms_symbol *symbol)
{
	return symbol->address != 0 && (symbol->type == 't' || symbol->type == 'T' ||
	                                symbol->type == 'w' || symbol->type == 'W');
}

/*
 * Set *shift to the difference between the kernel's addresses in the recording and in kallsyms.
 * Returns false if the difference is unknown.
 */
static bool find_shift(const struct recorded_kernel *kernel, uint64_t *shift)
{
	struct kallsyms list = kallsyms_open(kernel->bytes);
	struct kallsyms_symbol symbol;

	while (kernel->reference.size > 0 && kallsyms_next(&list, &symbol))
		if (symbol.address != 0 && bytes_equal(symbol.name, kernel->reference)) {
			*shift = kernel->reference_address - symbol.address;
			return true;
		}
	return false;
}

static bool add_symbols(struct recorded_kernel *kernel, uint64_t shift)
{
	struct kallsyms list = kallsyms_open(kernel->bytes);
	struct kallsyms_symbol symbol;

	while (kernel->count < KERNEL_SYMBOLS_MAX && kallsyms_next(&list, &symbol)) {
		if (!is_code(&symbol) || (shift != 0 && symbol.module.size > 0))
			continue;
		if (!ARRAY_APPEND(kernel->symbols, kernel->count, kernel->capacity,
		                  (struct kernel_symbol){ symbol.address + shift, symbol.name,
		                                          symbol.type == 't' }))
			return false;
	}
	return true;
}

static bool begins_with_underscore(const struct kernel_symbol *symbol)
{
	return symbol->name.data[0] == '_';
}

/*
 * Return true for a 32-bit system call's name. If a system call has no arguments, the kernel uses
 * one function for all ABIs, with a name for each, and we prefer the native name.
 */
static bool is_for_32_bits(const struct kernel_symbol *symbol)
{
	return bytes_begin_with(symbol->name, "__ia32_");
}

/*
 * Sort symbols by address. Of several symbols at one address the last one is used, so the preferred
 * symbol sorts last: native names after 32-bit names, then names without a leading underscore, then
 * global symbols, and finally the symbol that comes first in kallsyms.
 */
static int compare_symbols(const void *left, const void *right)
{
	const struct kernel_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (is_for_32_bits(a) != is_for_32_bits(b))
		return is_for_32_bits(a) ? -1 : 1;
	if (begins_with_underscore(a) != begins_with_underscore(b))
		return begins_with_underscore(a) ? -1 : 1;
	if (a->is_local != b->is_local)
		return a->is_local ? -1 : 1;
	return a->name.data < b->name.data ? 1 : a->name.data > b->name.data ? -1 : 0;
}

static void load_kernel(struct recording *r, const struct recorded_map *map)
{
	const struct recorded_file *file = &r->files[map->file];
	const struct cairn_recorded_request request = { .kind = CAIRN_RECORDED_KALLSYMS,
		                                        .pid = RECORDING_KERNEL,
		                                        .path = CAIRN_NO_BYTES,
		                                        .build_id = { file->id, file->id_size },
		                                        .host = r->kernel.host,
		                                        .release = r->kernel.release };
	uint64_t shift;

	if (r->kernel.looked)
		return;
	r->kernel.looked = true;
	if (!read_file(r, &request, &r->kernel.bytes) || !find_shift(&r->kernel, &shift))
		return;
	if (!add_symbols(&r->kernel, shift))
		recording_lack_memory(r);
	else if (r->kernel.count > 0)
		qsort(r->kernel.symbols, r->kernel.count, sizeof(*r->kernel.symbols),
		      compare_symbols);
}

void recorded_kernel_finish(struct recorded_kernel *kernel)
{
	free((void *)(uintptr_t)kernel->bytes.data);
	free(kernel->symbols);
}

/*
 * Name a kernel address with the closest symbol at or below it, unless the symbol lies outside the
 * map that contains the address.
 */
static struct code_name name_kernel(struct recording *r, const struct recorded_map *map,
                                    uint64_t address)
{
	struct code_name name = { 0, 0, 0 };

	if (!map)
		return name;
	load_kernel(r, map);
	const size_t after = SORTED_UP_TO(r->kernel.symbols, r->kernel.count, address, address);
	if (after == 0)
		return name;
	const struct kernel_symbol *symbol = &r->kernel.symbols[after - 1];
	if (symbol->address >= map->start && address - symbol->address < KERNEL_FUNCTION_MAX)
		name.name = recording_text(r, symbol->name);
	return name;
}

struct code_name recording_name_code(struct recording *r, struct recorded_process *process,
                                     const struct recorded_map *map, uint64_t address)
{
	if (process->pid == RECORDING_KERNEL)
		return name_kernel(r, map, address);
	if (recording_is_in_file(r, map))
		return (struct code_name){ 0, 0, 0 };
	return name_made_code(r, process, address);
}
