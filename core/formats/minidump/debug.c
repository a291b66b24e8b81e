/* SPDX-License-Identifier: MIT */
/*
 * Reads CodeView records, which identify the debug information of a module, and derives Breakpad's
 * IDs from them:
 *
 *	PDB 7.0 = "RSDS" guid:16 age:4 name\0
 *	PDB 2.0 = "NB10" offset:4 stamp:4 age:4 name\0
 *	ELF     = "LEpB" build ID
 *	guid    = a:4 b:2 c:2 d:8                      a, b and c are numbers
 */
#include "minidump.h"

#include "part.h"

#include "base/bytes.h"
#include "base/bytes_split.h"

#include <string.h>

#define PDB70 UINT32_C(0x53445352)
#define PDB20 UINT32_C(0x3031424e)
#define ELF UINT32_C(0x4270454c)

enum { GUID = 16 };

/* Read the rest of the record up to its end or a NUL. */
static struct cairn_bytes read_name(struct reader *in)
{
	const struct cairn_bytes rest = { in->in.data + in->at,
		                          reader_ok(in) ? reader_left(in) : 0 };

	return bytes_before(rest, '\0');
}

static void read_pdb70(struct reader *in, struct minidump_debug *debug)
{
	debug->kind = MINIDUMP_DEBUG_PDB70;
	debug->id = reader_bytes(in, GUID);
	debug->age = reader_u32(in);
	debug->name = read_name(in);
}

static void read_pdb20(struct reader *in, struct minidump_debug *debug)
{
	debug->kind = MINIDUMP_DEBUG_PDB20;
	reader_u32(in); /* offset of the debug information in the PDB */
	debug->stamp = reader_u32(in);
	debug->age = reader_u32(in);
	debug->name = read_name(in);
}

static void read_elf(struct reader *in, struct minidump_debug *debug)
{
	debug->kind = MINIDUMP_DEBUG_ELF;
	debug->id = reader_bytes(in, reader_left(in));
}

struct minidump_debug minidump_read_debug(const struct minidump *dump,
                                          const struct minidump_module *module)
{
	const struct cairn_bytes none = { dump->bytes.data, 0 };
	struct minidump_debug debug = { .id = none, .name = none };
	struct reader in = minidump_open_part(dump, &module->codeview);

	if (module->codeview.bytes.size == 0)
		return debug;
	uint32_t signature = reader_u32(&in);
	if (signature == PDB70)
		read_pdb70(&in, &debug);
	else if (signature == PDB20)
		read_pdb20(&in, &debug);
	else if (signature == ELF)
		read_elf(&in, &debug);
	else
		debug.kind = MINIDUMP_DEBUG_OTHER;
	if (!reader_ok(&in))
		debug = (struct minidump_debug){ .id = none, .name = none };
	return debug;
}

/* Write upper-case hexadecimal digits: as many as the number needs, but at least `least`. */
static void put_hex(struct sink *out, uint32_t value, unsigned least)
{
	unsigned digits = 8;

	while (digits > least && value >> 4 * (digits - 1) == 0)
		digits--;
	while (digits-- > 0)
		sink_u8(out, (uint8_t) "0123456789ABCDEF"[value >> 4 * digits & 0xf]);
}

static void put_guid(struct sink *out, const uint8_t guid[GUID], bool big)
{
	put_hex(out, bytes_u32(guid, big), 8);
	put_hex(out, bytes_u16(guid + 4, big), 4);
	put_hex(out, bytes_u16(guid + 6, big), 4);
	for (size_t i = 8; i < GUID; i++)
		put_hex(out, guid[i], 2);
}

size_t minidump_debug_id(const struct minidump *dump, const struct minidump_debug *debug,
                         char id[MINIDUMP_ID_MAX])
{
	struct sink out = sink_open(id, MINIDUMP_ID_MAX);
	uint8_t guid[GUID] = { 0 };

	if (debug->id.size > 0)
		memcpy(guid, debug->id.data, debug->id.size < GUID ? debug->id.size : GUID);
	switch (debug->kind) {
	case MINIDUMP_DEBUG_PDB70:
	case MINIDUMP_DEBUG_ELF:
		if (debug->id.size == 0)
			return 0;
		/* a build ID is always written like a little-endian GUID */
		put_guid(&out, guid, debug->kind == MINIDUMP_DEBUG_PDB70 && dump->big);
		put_hex(&out, debug->age, 1);
		break;
	case MINIDUMP_DEBUG_PDB20:
		put_hex(&out, debug->stamp, 8);
		put_hex(&out, debug->age, 1);
		break;
	case MINIDUMP_DEBUG_NONE:
	case MINIDUMP_DEBUG_OTHER:
		break;
	}
	return out.size;
}
