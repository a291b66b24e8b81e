/* SPDX-License-Identifier: MIT */
/* Detects, opens and reads files in symbol formats. */
#include "symbol_input.h"

#include "base/error.h"
#include "formats/breakpad.h"
#include "formats/elf/elf.h"
#include "symbols/sources/symbfile.h"

bool symbol_format_of(struct cairn_bytes file, enum cairn_symbol_format *format)
{
	if (elf_has_magic(file))
		*format = CAIRN_SYMBOLS_ELF;
	else if (gsym_has_magic(file))
		*format = CAIRN_SYMBOLS_GSYM;
	else if (symbfile_has_magic(file))
		*format = CAIRN_SYMBOLS_SYMBFILE;
	else if (breakpad_is_likely(file))
		*format = CAIRN_SYMBOLS_BREAKPAD;
	else
		return false;
	return true;
}

static enum cairn_status open_go(struct cairn_bytes file, struct symbol_input *input,
                                 struct cairn_fault *fault)
{
	const enum cairn_status status = go_program_open(file, &input->go, fault);

	if (status == CAIRN_NOT_FOUND)
		return fault_set(fault, status, "not a Go program");
	if (status != CAIRN_OK)
		return status;
	input->has_go = true;
	input->build_id = elf_build_id(&input->go.elf);
	input->go_functions = go_functions_new(&input->go);
	return input->go_functions ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static enum cairn_status open_format(struct cairn_bytes file, struct polling *polling,
                                     struct symbol_input *input, struct cairn_fault *fault)
{
	enum cairn_status status;

	switch (input->format) {
	case CAIRN_SYMBOLS_GSYM:
		status = gsym_image_open(file, &input->gsym, fault);
		if (status == CAIRN_OK)
			input->build_id = input->gsym.build_id;
		return status;
	case CAIRN_SYMBOLS_SYMBFILE:
		status = symbfile_build(&file, 1, polling, &input->symbfile);
		return status == CAIRN_UNSUPPORTED
		               ? fault_set(fault, status, "ranges that overlap too much")
		               : status;
	case CAIRN_SYMBOLS_BREAKPAD:
		input->breakpad = breakpad_file_new(file, polling);
		if (!input->breakpad)
			return CAIRN_NO_MEMORY;
		input->build_id = breakpad_file_build_id(input->breakpad);
		return CAIRN_OK;
	case CAIRN_SYMBOLS_GO:
		return open_go(file, input, fault);
	case CAIRN_SYMBOLS_JIT:
		status = jit_code_read(&input->jit, file, polling);
		if (status == CAIRN_OK)
			jit_code_drop_replaced(&input->jit);
		return status;
	case CAIRN_SYMBOLS_ELF:
		break;
	}
	return fault_set(fault, CAIRN_UNSUPPORTED, "no file of symbols");
}

enum cairn_status symbol_input_open(struct cairn_bytes file, enum cairn_symbol_format format,
                                    struct polling *polling, struct symbol_input *input,
                                    struct cairn_fault *fault)
{
	*input = (struct symbol_input){ .format = format, .build_id = { (const uint8_t *)"", 0 } };
	const enum cairn_status status = open_format(file, polling, input, fault);
	return status == CAIRN_NO_MEMORY ? fault_set(fault, status, "out of memory") : status;
}

void symbol_input_close(struct symbol_input *input)
{
	switch (input->format) {
	case CAIRN_SYMBOLS_SYMBFILE:
		symbfile_built_free(&input->symbfile);
		break;
	case CAIRN_SYMBOLS_BREAKPAD:
		breakpad_file_free(input->breakpad);
		break;
	case CAIRN_SYMBOLS_GO:
		go_functions_free(input->go_functions);
		if (input->has_go)
			go_program_close(&input->go);
		break;
	case CAIRN_SYMBOLS_JIT:
		jit_code_finish(&input->jit);
		break;
	case CAIRN_SYMBOLS_GSYM:
	case CAIRN_SYMBOLS_ELF:
		break;
	}
}

enum cairn_status symbol_input_read(const struct symbol_input *input,
                                    const struct function_sink *sink)
{
	struct breakpad_summary report;
	enum cairn_status status = CAIRN_OK;

	switch (input->format) {
	case CAIRN_SYMBOLS_SYMBFILE:
		return symbfile_functions(&input->symbfile.index, sink);
	case CAIRN_SYMBOLS_BREAKPAD:
		return breakpad_functions(input->breakpad, 0, sink, NULL, &report);
	case CAIRN_SYMBOLS_GO:
		for (uint64_t i = 0; i < input->go.table.functions && status == CAIRN_OK; i++)
			status = go_functions_read(input->go_functions, i, sink);
		return status;
	case CAIRN_SYMBOLS_JIT:
		return jit_functions(&input->jit, sink);
	case CAIRN_SYMBOLS_GSYM:
	case CAIRN_SYMBOLS_ELF:
		break;
	}
	return CAIRN_UNSUPPORTED;
}
