/* SPDX-License-Identifier: MIT */
/*
 * Reads Apple's object file format (<mach-o/loader.h>):
 *
 *	file    = magic:4 machine:4 subtype:4 type:4 commands:4 size:4 flags:4 [0:4] command*
 *	command = type:4 size:4 ...
 *	segment = command name:16 address:W size:W offset:W size:W protection:4*2 sections:4 flags:4
 *	          section*
 *	section = name:16 segment:16 address:W size:W offset:4 ...
 *
 * W is 8 bytes in 64-bit files, otherwise 4.
 */
#include "macho.h"

#include "base/bytes.h"
#include "base/reader.h"

#include <string.h>

#define MAGIC UINT32_C(0xfeedface)
#define MAGIC_WIDE UINT32_C(0xfeedfacf)
enum {
	COMMAND_SEGMENT = 0x1,
	COMMAND_SYMBOLS = 0x2,
	COMMAND_SEGMENT_WIDE = 0x19,
	COMMAND_UUID = 0x1b,
	COMMAND_HEAD = 8,
	NAME = 16,
	UUID = 16,
};

static bool is_magic(uint32_t magic)
{
	return magic == MAGIC || magic == MAGIC_WIDE;
}

bool macho_has_magic(struct cairn_bytes bytes)
{
	return bytes.size >= 4 &&
	       (is_magic(bytes_u32(bytes.data, false)) || is_magic(bytes_u32(bytes.data, true)));
}

struct command {
	uint32_t type;
	/* reader limited to the command, and positioned after the command's type and size */
	struct reader in;
};

/*
 * Read the command at *at and advance *at past it. Return false after the last command, or if the
 * command is truncated.
 */
static bool next_command(const struct macho *macho, size_t *at, uint32_t *left,
                         struct command *command)
{
	struct reader in = reader_open(macho->bytes, macho->big);
	struct cairn_bytes bytes;

	if (*left == 0)
		return false;
	reader_seek(&in, *at);
	command->type = reader_u32(&in);
	uint32_t size = reader_u32(&in);
	if (!reader_ok(&in) || size < COMMAND_HEAD || !bytes_slice(macho->bytes, *at, size, &bytes))
		return false;
	command->in = reader_open(bytes, macho->big);
	reader_seek(&command->in, COMMAND_HEAD);
	*at += size;
	--*left;
	return true;
}

static void read_symbols(struct macho *macho, struct reader *in)
{
	reader_u32(in); /* skip the offset and number of symbols */
	reader_u32(in);
	macho->strings_at = reader_u32(in);
	macho->strings_size = reader_u32(in);
}

static void read_commands(struct macho *macho)
{
	size_t at = macho->commands_at;
	uint32_t left = macho->commands;
	struct command command;

	while (next_command(macho, &at, &left, &command)) {
		if (command.type == COMMAND_SYMBOLS)
			read_symbols(macho, &command.in);
		else if (command.type == COMMAND_UUID)
			macho->uuid = reader_bytes(&command.in, UUID);
	}
}

enum cairn_status macho_open(struct cairn_bytes bytes, struct macho *macho,
                             struct cairn_fault *fault)
{
	struct macho m = { .bytes = bytes, .uuid = { bytes.data, 0 } };
	struct reader in = reader_open(bytes, false);

	uint32_t magic = reader_u32(&in);
	m.big = in.big = !is_magic(magic);
	reader_seek(&in, 0);
	magic = reader_u32(&in);
	if (!is_magic(magic))
		reader_fail(&in, CAIRN_MALFORMED, "not a Mach-O file");
	m.wide = magic == MAGIC_WIDE;
	reader_skip(&in, 12); /* machine, subtype, type */
	m.commands = reader_u32(&in);
	reader_skip(&in, m.wide ? 12 : 8); /* size, flags, padding */
	m.commands_at = in.at;
	if (!reader_ok(&in)) {
		*fault = in.fault;
		return in.fault.status;
	}
	read_commands(&m);
	*macho = m;
	return CAIRN_OK;
}

static bool has_name(struct cairn_bytes field, const char *name)
{
	size_t length = strlen(name);

	return field.size == NAME && length <= NAME && memcmp(field.data, name, length) == 0 &&
	       (length == NAME || field.data[length] == 0);
}

static bool find_in_segment(const struct macho *macho, struct reader *in, const char *name,
                            struct macho_section *section)
{
	/* skip name, four words and protection */
	reader_skip(in, NAME + (macho->wide ? 32 : 16) + 8);
	uint32_t count = reader_u32(in);
	reader_u32(in);
	for (uint32_t i = 0; reader_ok(in) && i < count; i++) {
		struct cairn_bytes field = reader_bytes(in, NAME);
		reader_skip(in, NAME);
		reader_word(in, macho->wide);
		uint64_t size = reader_word(in, macho->wide);
		uint64_t offset = reader_u32(in);
		reader_skip(in, macho->wide ? 28 : 24); /* skip alignment, relocations and flags */
		struct macho_section found = { .offset = offset };
		if (reader_ok(in) && has_name(field, name) &&
		    bytes_slice(macho->bytes, offset, size, &found.bytes)) {
			*section = found;
			return true;
		}
	}
	return false;
}

bool macho_find_section(const struct macho *macho, const char *name, struct macho_section *section)
{
	size_t at = macho->commands_at;
	uint32_t left = macho->commands;
	struct command command;

	while (next_command(macho, &at, &left, &command)) {
		uint32_t wanted = macho->wide ? COMMAND_SEGMENT_WIDE : COMMAND_SEGMENT;
		if (command.type == wanted && find_in_segment(macho, &command.in, name, section))
			return true;
	}
	return false;
}
