/* SPDX-License-Identifier: MIT */
/*
 * Minidumps of any bytes.  Always: no list has more records than the file has room for; what a
 * record lends lies inside the file; text grows by no more than UTF-8 does; an ID fits its room.
 */
#include "fuzz.h"

#include "formats/minidump.h"

static void check_part(const struct minidump *dump, const struct minidump_part *part)
{
	struct cairn_bytes all = dump->bytes;

	ALWAYS(part->bytes.data >= all.data && part->bytes.size <= all.size);
	ALWAYS((size_t)(part->bytes.data - all.data) <= all.size - part->bytes.size);
	for (size_t i = 0; i < part->bytes.size; i += part->bytes.size / 16 + 1)
		(void)*(const volatile uint8_t *)(part->bytes.data + i);
}

static void check_text(const struct minidump *dump, uint64_t offset)
{
	struct minidump_part text = minidump_text(dump, offset);
	struct sink out = sink_open(NULL, 0);

	check_part(dump, &text);
	minidump_put_text(dump, &text, &out);
	ALWAYS(out.size <= text.bytes.size / 2 * 3);
}

static void check_context(const struct minidump *dump, const struct minidump_part *context)
{
	struct minidump_registers registers;
	struct minidump_context_rest rest;
	struct cairn_fault fault;

	check_part(dump, context);
	for (int machine = 0; machine <= MINIDUMP_MACHINE_ARM64; machine++) {
		enum cairn_status status = minidump_read_registers(
			dump, (enum minidump_machine)machine, context, &registers, &fault);
		ALWAYS((status == CAIRN_OK) == (registers.known != 0));
		ALWAYS(registers.known >> 32 == 0);
		minidump_read_context_rest(dump, (enum minidump_machine)machine, context, &rest);
		ALWAYS(rest.vectors.size == 0 ||
		       (rest.vectors.data >= context->bytes.data &&
		        rest.vectors.data + rest.vectors.size <=
		                context->bytes.data + context->bytes.size));
	}
}

static void check_threads(const struct minidump *dump, size_t most)
{
	struct minidump_list list = minidump_list(dump, MINIDUMP_THREADS);
	struct minidump_thread thread;
	struct minidump_thread_name name;
	size_t count = 0;

	while (minidump_next_thread(&list, &thread)) {
		ALWAYS(++count <= most / 48);
		check_part(dump, &thread.captured);
		check_context(dump, &thread.context);
	}
	list = minidump_list(dump, MINIDUMP_THREAD_NAMES);
	for (count = 0; minidump_next_thread_name(&list, &name);) {
		ALWAYS(++count <= most / 12);
		check_text(dump, name.name);
	}
}

static void check_modules(const struct minidump *dump, size_t most)
{
	struct minidump_list list = minidump_list(dump, MINIDUMP_MODULES);
	struct minidump_module module;
	struct minidump_dso dso;
	char id[MINIDUMP_ID_MAX];
	size_t count = 0;

	while (minidump_next_module(&list, &module)) {
		ALWAYS(++count <= most / 108);
		check_text(dump, module.name);
		check_part(dump, &module.codeview);
		struct minidump_debug debug = minidump_read_debug(dump, &module);
		ALWAYS(debug.id.size <= module.codeview.bytes.size);
		ALWAYS(debug.name.size <= module.codeview.bytes.size);
		ALWAYS(minidump_debug_id(dump, &debug, id) <= sizeof(id));
	}
	for (unsigned word = 4; word <= 8; word += 4) {
		list = minidump_dso_list(dump, word);
		for (count = 0; minidump_next_dso(&list, &dso);) {
			ALWAYS(++count <= most / 12);
			check_text(dump, dso.name);
		}
	}
}

static void check_memory(const struct minidump *dump, size_t most)
{
	static const enum minidump_stream_type types[] = { MINIDUMP_MEMORY, MINIDUMP_MEMORY64 };
	struct minidump_memory memory;
	struct minidump_region region;
	struct minidump_list list;
	size_t count;

	for (size_t i = 0; i < 2; i++) {
		list = minidump_list(dump, types[i]);
		for (count = 0; minidump_next_memory(&list, &memory);) {
			ALWAYS(++count <= most / 16);
			check_part(dump, &memory.part);
		}
	}
	list = minidump_list(dump, MINIDUMP_REGIONS);
	for (count = 0; minidump_next_region(&list, &region);)
		ALWAYS(++count <= most / 48);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data ? data : (const uint8_t *)"", size };
	struct minidump_exception exception;
	struct minidump_process process;
	struct minidump_system system;
	struct minidump_part part;
	struct cairn_fault fault;
	struct minidump dump;

	if (minidump_open(bytes, &dump, &fault) != CAIRN_OK) {
		ALWAYS(fault.status != CAIRN_OK);
		return 0;
	}
	ALWAYS(minidump_has_magic(bytes) && minidump_streams(&dump) <= size / 12);
	check_threads(&dump, size);
	check_modules(&dump, size);
	check_memory(&dump, size);
	if (minidump_read_system(&dump, &system))
		check_text(&dump, system.version_text);
	if (minidump_read_exception(&dump, &exception)) {
		ALWAYS(exception.parameters <= MINIDUMP_PARAMETERS_MAX);
		check_context(&dump, &exception.context);
	}
	minidump_read_process(&dump, &process);
	if (minidump_find_stream(&dump, MINIDUMP_LINUX_MAPS, &part))
		check_part(&dump, &part);
	return 0;
}
