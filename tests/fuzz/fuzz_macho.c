/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a Mach-O file, and their FileID.  Always:
 *   - sections, the UUID and the string table lie in the file;
 *   - what is refused has a reason, and an offset in the file;
 *   - a FileID is the same of the file and of its ends, and is read back from both of its forms;
 *   - whatever else is read as a FileID has one form;
 *   - the FileID of a kernel's debug file is the one of the kernel with its halves exchanged.
 */
#include "fuzz.h"

#include "base/fileid.h"
#include "formats/macho.h"

#include <string.h>

static void check_inside(struct cairn_bytes outer, struct cairn_bytes inner)
{
	if (inner.size == 0)
		return;
	ALWAYS(inner.data >= outer.data && inner.size <= outer.size);
	ALWAYS((size_t)(inner.data - outer.data) <= outer.size - inner.size);
}

static void check_macho(struct cairn_bytes bytes)
{
	static const char *const names[] = { "__gsym", "__text", "__a_name_of_sixteen", "" };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct macho_section section;
	struct macho macho;

	if (macho_open(bytes, &macho, &fault) != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= bytes.size);
		return;
	}
	ALWAYS(macho_has_magic(bytes));
	check_inside(bytes, macho.uuid);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (macho_find_section(&macho, names[i], &section)) {
			check_inside(bytes, section.bytes);
			ALWAYS(section.bytes.size == 0 ||
			       section.bytes.data == bytes.data + section.offset);
		}
}

static void check_id(const struct fileid *id)
{
	char hex[FILEID_HEX_SIZE], base64[FILEID_BASE64_SIZE];
	struct fileid again;

	fileid_to_hex(id, hex);
	ALWAYS(fileid_parse((struct cairn_bytes){ (const uint8_t *)hex, strlen(hex) }, &again));
	ALWAYS(memcmp(&again, id, sizeof(again)) == 0);
	fileid_to_base64(id, base64);
	ALWAYS(fileid_parse((struct cairn_bytes){ (const uint8_t *)base64, strlen(base64) },
	                    &again));
	ALWAYS(memcmp(&again, id, sizeof(again)) == 0);
}

static void check_kernel(struct cairn_bytes build_id)
{
	enum { HALF = FILEID_SIZE / 2 };
	const struct fileid kernel = fileid_of_kernel(build_id, false);
	const struct fileid debug = fileid_of_kernel(build_id, true);

	ALWAYS(memcmp(kernel.bytes, debug.bytes + HALF, HALF) == 0);
	ALWAYS(memcmp(kernel.bytes + HALF, debug.bytes, HALF) == 0);
	check_id(&kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t block = size < FILEID_BLOCK ? size : FILEID_BLOCK;
	struct cairn_bytes bytes = { data, size };
	struct fileid whole = fileid_of(bytes), parsed;
	struct fileid ends =
		fileid_of_ends((struct cairn_bytes){ data, block },
	                       (struct cairn_bytes){ data + size - block, block }, size);

	check_macho(bytes);
	ALWAYS(memcmp(&whole, &ends, sizeof(whole)) == 0);
	check_id(&whole);
	check_kernel(bytes);
	if (fileid_parse(bytes, &parsed))
		check_id(&parsed);
	return 0;
}
