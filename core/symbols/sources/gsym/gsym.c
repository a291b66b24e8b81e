/* SPDX-License-Identifier: MIT */
/* Reads every function record of a GSYM file, and emits each with its merged functions. */
#include "gsym.h"

#include "gsym_reader.h"

#include "base/cleanup.h"

static enum cairn_status emit_record(struct gsym_reader *reader, const struct gsym_function *record,
                                     const struct function_sink *sink, struct gsym_block *merged)
{
	enum cairn_status status = gsym_reader_read(reader, record, merged);

	return status == CAIRN_OK ? sink->take(sink->context, &reader->function) : status;
}

static enum cairn_status emit_merged_functions(struct gsym_reader *reader,
                                               const struct gsym_function *owner,
                                               const struct gsym_block *block,
                                               const struct function_sink *sink)
{
	struct gsym_merged merged = gsym_merged(reader->gsym, owner, block);
	struct gsym_block nested;
	struct gsym_function record;
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && gsym_next_merged(&merged, &record))
		status = emit_record(reader, &record, sink, &nested);
	reader->flawed = false;
	gsym_reader_lose(reader, merged.in.fault);
	return status;
}

static enum cairn_status emit_gsym_functions(struct gsym_reader *reader,
                                             const struct function_sink *sink)
{
	enum cairn_status status = CAIRN_OK;
	struct gsym_function record;
	struct gsym_block merged;

	for (uint32_t i = 0; status == CAIRN_OK && i < reader->gsym->functions; i++) {
		if (!gsym_reader_next(reader, i, &record))
			continue;
		status = emit_record(reader, &record, sink, &merged);
		if (status == CAIRN_OK && merged.type == GSYM_MERGED)
			status = emit_merged_functions(reader, &record, &merged, sink);
	}
	return status;
}

enum cairn_status gsym_functions(const struct gsym *gsym, const struct function_sink *sink,
                                 bool every_row, struct gsym_losses *losses)
{
	WITH_CLEANUP(gsym_reader_finish) struct gsym_reader reader;
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (gsym_reader_init(&reader, gsym, every_row))
		status = emit_gsym_functions(&reader, sink);
	if (losses)
		*losses = reader.losses;
	return status;
}
