/* SPDX-License-Identifier: MIT */
/*
 * Two files of any bytes that belong together on the whole way to GSYM, which is then read back: an ELF file with DWARF, and
 * the file that it shares entries with (dwz), the split half of its units (.dwo), or the package of all halves (.dwp).
 *
 *	which:1 (0 dwz, 1 .dwo, 2 .dwp)  size of the first:3, little-endian  the first  the second
 *
 * Always:
 *   - no more memory is held at a time than stated, and none is left;
 *   - what ends the reading has a reason;
 *   - the file that is written opens, and each of its functions is one that was given: its range, and its name;
 *   - at the start of each function a lookup finds one that was given and holds it, with its line.
 */
#include "given.h"
#include "held.h"

#include "debuginfo/program.h"
#include "symbols/gsym.h"
#include "writers/gsym/writer.h"

enum pair_kind { PAIR_ALTERNATE, PAIR_SPLIT, PAIR_PACKAGE, PAIR_KINDS };

enum { HEAD = 4, QUESTIONS = 64 };

struct pair {
	enum pair_kind kind;
	struct cairn_bytes first, second;
};

struct way {
	struct function_sink writer;
	struct given given;
};

struct reading_back {
	const struct given *given;
	struct cairn_symbols *symbols;
	unsigned asked;
};

static enum cairn_status take_function(void *context, const struct function *function)
{
	struct way *way = context;
	struct function written = *function;

	check_contract(function, false);
	if (written.size > UINT32_MAX) /* a file has no larger ones */
		written.size = UINT32_MAX;
	given_add(&way->given, &written);
	return way->writer.take(way->writer.context, function);
}

static void look_up(struct reading_back *back, uint64_t va)
{
	struct cairn_lookup_result answer;
	struct cairn_location innermost, outermost;

	ALWAYS(cairn_symbols_find(back->symbols, va, &answer) == CAIRN_OK);
	ALWAYS(cairn_lookup_result_next(&answer, &innermost));
	outermost = innermost;
	while (cairn_lookup_result_next(&answer, &outermost))
		continue;
	ALWAYS(answer.fault.status == CAIRN_OK && !outermost.inlined);
	ALWAYS(given_holds(back->given, va, outermost.function, innermost.line));
}

static enum cairn_status check_written(void *context, const struct function *function)
{
	struct reading_back *back = context;

	check_contract(function, false);
	ALWAYS(given_has(back->given, function));
	if (function->size > 0 && back->asked++ < QUESTIONS)
		look_up(back, function->start);
	return CAIRN_OK;
}

static void read_back(const struct given *given, struct cairn_bytes file)
{
	struct reading_back back = { .given = given };
	const struct function_sink sink = { check_written, &back };
	struct cairn_fault fault;
	struct gsym gsym;

	ALWAYS(gsym_open(file, &gsym, &fault) == CAIRN_OK);
	ALWAYS(cairn_symbols_open_bytes(file, NULL, &back.symbols, &fault) == CAIRN_OK);
	ALWAYS(gsym_functions(&gsym, &sink, false, NULL) == CAIRN_OK);
	cairn_symbols_free(back.symbols);
}

static void read_all(struct way *way, struct program *program, struct program_reader *reader,
                     struct gsym_shard *shard)
{
	const struct function_sink sink = { take_function, way };
	struct program_summary sum = { .units = 0 };
	enum cairn_status status = CAIRN_OK;

	for (size_t i = 0; status == CAIRN_OK && i < program_units(program); i++) {
		gsym_shard_unit(shard, (uint32_t)i);
		status = program_read(reader, i, &sink);
	}
	ALWAYS(status == CAIRN_OK || status == CAIRN_MALFORMED);
	program_add_summary(reader, &sum);
	ALWAYS(sum.exhausted == (status == CAIRN_MALFORMED));
	ALWAYS(!sum.exhausted || (sum.damage.fault.what && sum.damage.section));
	ALWAYS(sum.broken <= sum.units);
}

static void convert(struct program *program)
{
	static struct way way;
	const struct gsym_writer_options options = { .version = 1, .keep_order = true };
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct gsym_shard *shard = gsym_writer_shard(writer);
	struct program_reader *reader = program_reader_new(program);
	struct gsym_output output;

	ALWAYS(reader);
	way.writer = gsym_shard_sink(shard);
	given_begin(&way.given);
	read_all(&way, program, reader, shard);
	if (gsym_writer_order(writer) == CAIRN_OK) {
		ALWAYS(gsym_writer_image(writer, 0, UINT64_MAX, &output) == CAIRN_OK);
		read_back(&way.given, (struct cairn_bytes){ output.data, output.size });
		free(output.data);
	}
	gsym_writer_free(writer);
	program_reader_free(reader); /* it has the texts */
}

/* The second file is the split half of whatever unit asks for one. */
static struct cairn_bytes find_half(void *context, struct cairn_bytes directory,
                                    struct cairn_bytes name, uint64_t id)
{
	const struct cairn_bytes *second = context;

	(void)id;
	ALWAYS(directory.data && name.data);
	return *second;
}

static void take_pair(struct pair *pair)
{
	const struct cairn_bytes none = { pair->first.data, 0 };
	struct program_input input = { .debug = pair->first, .alt = none, .split.package = none };
	struct program_damage damage = { .section = NULL };
	struct program *program;

	if (pair->kind == PAIR_ALTERNATE)
		input.alt = pair->second;
	else if (pair->kind == PAIR_PACKAGE)
		input.split.package = pair->second;
	else
		input.split = (struct program_dwo_source){ find_half, &pair->second, none };
	enum cairn_status status = program_open(&input, &program, &damage);
	if (status != CAIRN_OK) {
		ALWAYS(status == CAIRN_NOT_FOUND || damage.fault.what);
		return;
	}
	convert(program);
	program_close(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD)
		return 0;
	size_t first = data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16;
	first = first < size - HEAD ? first : size - HEAD;
	struct pair pair = { .kind = (enum pair_kind)(data[0] % PAIR_KINDS),
		             .first = { data + HEAD, first },
		             .second = { data + HEAD + first, size - HEAD - first } };
	held_begin();
	take_pair(&pair);
	held_end(size, HELD_PACKED);
	return 0;
}
