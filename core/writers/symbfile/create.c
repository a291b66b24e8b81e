/* SPDX-License-Identifier: MIT */
/*
 * Implements cairn_functions_write_symbfiles(), which writes the ranges and return pads of a
 * program, and demangles names into the form that symbfiles store.
 */
#include "names.h"

#include "maker.h"

#include "base/bytes.h"
#include "base/sized.h"
#include "debuginfo/function_source.h"
#include "formats/elf/elf.h"
#include "formats/itanium/itanium.h"
#include "symbols/demangle.h"
#include "symbols/symbol_name.h"

#include <stdlib.h>
#include <string.h>

static bool grow_name_buffer(char **text, size_t size)
{
	char *grown = realloc(*text, size ? size : 1);

	if (grown)
		*text = grown;
	return grown != NULL;
}

/*
 * Return the complete demangled name, or the mangled name if it cannot be demangled or the result
 * is too long.
 */
static struct cairn_bytes demangle_whole(struct symbfile_naming *n, struct cairn_bytes name,
                                         bool is_cpp)
{
	size_t size = demangle_word(name, DEMANGLE_GNU, n->readable, sizeof(n->readable));
	struct cairn_bytes readable = { (uint8_t *)n->readable, size };

	if (size == 0 || (is_cpp && !grow_name_buffer(&n->text, size)))
		return name;
	if (is_cpp)
		readable = (struct cairn_bytes){ (uint8_t *)n->text,
			                         symbol_name_strip_templates(readable, n->text) };
	return readable.size <= sizeof(n->plain) ? readable : name;
}

struct cairn_bytes symbfile_name(void *naming, struct cairn_bytes linked)
{
	struct symbfile_naming *n = naming;

	if (!grow_name_buffer(&n->cut, linked.size + 1))
		return linked;
	struct cairn_bytes name = { (uint8_t *)n->cut, symbol_name_strip_suffixes(linked, n->cut) };
	n->cut[name.size] = '\0';
	size_t size = 0;
	switch (symbol_name_language(name)) {
	case SYMBOL_OTHER:
		break;
	case SYMBOL_CPP:
		size = itanium_demangle_plain(&n->itanium, name, n->plain, sizeof(n->plain));
		if (size > 0)
			return (struct cairn_bytes){ (uint8_t *)n->plain, size };
		/*
		 * If the name is not a plain function name, for example because it names a block or
		 * still has a suffix, demangle it completely.
		 */
		return demangle_whole(n, name, true);
	case SYMBOL_RUST:
		return demangle_whole(n, name, false);
	case SYMBOL_RUST_HASH:
		if (!grow_name_buffer(&n->text, name.size))
			return name;
		size = symbol_name_rust(name, n->text);
		if (size > 0)
			return (struct cairn_bytes){ (uint8_t *)n->text, size };
		return demangle_whole(n, name, true);
	}
	return name;
}

void symbfile_naming_finish(struct symbfile_naming *n)
{
	free(n->cut);
	free(n->text);
	*n = (struct symbfile_naming){ .cut = NULL };
}

struct writing {
	struct cairn_functions *origin;
	struct cairn_symbfile_options options;
	struct cairn_symbfile_summary summary;
	struct functions_output output;
	struct os_file file;
	const char *program;
	struct elf elf;
	bool has_code;
	struct symbfile_maker *maker;
	struct sink ranges, pads; /* output files; data is NULL if a file is not written */
};

static bool lend_maker_sink(void *context, unsigned thread, struct function_sink *sink)
{
	struct symbfile_shard *shard = symbfile_maker_shard(context);

	(void)thread;
	if (shard)
		*sink = symbfile_shard_sink(shard);
	return shard != NULL;
}

static void begin_maker_unit(void *context, unsigned thread, uint32_t unit)
{
	symbfile_shard_unit(symbfile_maker_thread(context, thread), unit);
}

static enum cairn_status check_made(const struct writing *w, enum cairn_status status)
{
	if (status == CAIRN_OK)
		return status;
	return error_set(w->output.error, status, w->origin->path, "%s",
	                 status == CAIRN_NOT_FOUND ? "contains no functions"
	                 : status == CAIRN_UNSUPPORTED
	                         ? "a function exceeds the limit of 16 MiB per symbfile message"
	                         : "out of memory");
}

static enum cairn_status make_pads(struct writing *w)
{
	struct maker_code code = { .machine = elf_machine(&w->elf) };
	struct elf_segment segment;

	code.piece = calloc(w->elf.segments + 1u, sizeof(*code.piece));
	if (!code.piece)
		return error_set_memory(w->output.error, w->origin->path);
	for (uint32_t i = 0; i < w->elf.segments; i++)
		if (elf_segment(&w->elf, i, &segment) && segment.type == ELF_PT_LOAD &&
		    (segment.flags & ELF_PF_EXECUTE))
			code.piece[code.pieces++] =
				(struct maker_code_piece){ segment.va,
				                           elf_segment_bytes(&w->elf, &segment) };
	const enum cairn_status status = symbfile_maker_pads(w->maker, &code, &w->pads);
	free(code.piece);
	if (status != CAIRN_UNSUPPORTED)
		return check_made(w, status);
	message_tell(w->origin, CAIRN_MESSAGE_DAMAGE, w->program,
	             "no return pads are written because cairn does not recognize the call "
	             "instructions of this machine");
	return CAIRN_OK;
}

static enum cairn_status arrange_functions(struct writing *w)
{
	struct symbfile_naming *naming =
		w->options.raw_names ? NULL : calloc(1, sizeof(struct symbfile_naming));
	const struct symbfile_names names = { symbfile_name, naming };

	if (!naming && !w->options.raw_names)
		return error_set_memory(w->output.error, w->origin->path);
	const enum cairn_status status = symbfile_maker_arrange(w->maker, naming ? &names : NULL);
	if (naming)
		symbfile_naming_finish(naming);
	free(naming);
	return check_made(w, status);
}

static enum cairn_status convert_to_symbfile(struct writing *w)
{
	const struct function_source_sinks sinks = { lend_maker_sink, begin_maker_unit, w->maker,
		                                     true };
	enum cairn_status status = function_source_read(w->origin, &sinks, w->output.error);

	if (status == CAIRN_OK)
		status = arrange_functions(w);
	if (status == CAIRN_OK && !w->options.no_ranges)
		status = check_made(w, symbfile_maker_ranges(w->maker, &w->ranges));
	if (status == CAIRN_OK && w->has_code && !w->options.no_returns)
		status = make_pads(w);
	if (status != CAIRN_OK)
		return status;
	symbfile_maker_summary(w->maker, &w->summary);
	w->summary.range_bytes = w->ranges.size;
	w->summary.pad_bytes = w->pads.size;
	w->summary.repeated += w->origin->repeated;
	const struct cairn_bytes ranges = { w->ranges.data, w->ranges.size };
	const struct cairn_bytes pads = { w->pads.data, w->pads.size };
	if (ranges.data)
		status = functions_output_write(&w->output, ".ranges", &ranges, 1);
	if (status == CAIRN_OK && pads.data)
		status = functions_output_write(&w->output, ".returnpads", &pads, 1);
	return status;
}

/* Open the program whose calls are decoded, which is a separate file or the input itself. */
static enum cairn_status open_code(struct writing *w)
{
	const char *path = w->options.program;
	struct cairn_fault fault;
	struct elf *elf = &w->elf;

	w->program = path ? path : w->origin->path;
	if (!path) {
		/* no process runs a compressed file, so do not decode its calls */
		w->has_code = !w->origin->packed &&
		              elf_open(w->origin->file.bytes, elf, &fault) == CAIRN_OK;
		return CAIRN_OK;
	}
	const enum cairn_status status =
		function_source_open_file(&w->origin->options, path, &w->file, w->output.error);
	if (status != CAIRN_OK)
		return status;
	w->has_code = elf_open(w->file.bytes, elf, &fault) == CAIRN_OK;
	if (!w->has_code)
		return error_set_fault(w->output.error, path, NULL, &fault, "expected an ELF file");
	const struct cairn_bytes own = elf_build_id(elf), id = w->origin->build_id;
	if (own.size == 0 || id.size == 0 || bytes_equal(own, id))
		return CAIRN_OK;
	return error_set(w->output.error, CAIRN_MISMATCH, w->origin->path,
	                 "does not belong to the same build as %s", w->program);
}

enum cairn_status cairn_functions_write_symbfiles(struct cairn_functions *functions,
                                                  const struct cairn_symbfile_options *options,
                                                  const struct cairn_output *output,
                                                  struct cairn_symbfile_summary *summary,
                                                  struct cairn_error *error)
{
	struct writing w = { .origin = functions, .options = CAIRN_SYMBFILE_OPTIONS };

	sized_take(&w.options, sizeof(w.options), options);
	w.output = functions_output_of(output, functions->path, error);
	enum cairn_status status = open_code(&w);
	if (status == CAIRN_OK) {
		w.maker = symbfile_maker_new();
		status = w.maker ? convert_to_symbfile(&w) : check_made(&w, CAIRN_NO_MEMORY);
		symbfile_maker_free(w.maker);
		free(w.ranges.data);
		free(w.pads.data);
	}
	if (w.file.bytes.data)
		os_file_close(&w.file);
	sized_give(&w.summary, sizeof(w.summary), summary);
	return status;
}
