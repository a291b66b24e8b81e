/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the index of a package of split DWARF, in which the unit of the last 8 bytes is looked for.  Always:
 *   - it ends, after no more slots than the index has bytes for;
 *   - a unit is found only in an index that holds its row, counted in more bits than an address may have.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "base/reader.h"
#include "formats/dwarf/dwarf.h"

static uint64_t count_row_bytes(struct cairn_bytes index, bool big)
{
	struct reader in = reader_open(index, big);

	reader_skip(&in, 4); /* the version */
	uint64_t columns = reader_u32(&in), units = reader_u32(&in), slots = reader_u32(&in);
	return 16 + 12 * slots + 4 * columns + 4 * columns * units;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwarf_package_unit unit;
	struct cairn_fault fault;

	if (size < 9)
		return 0;
	struct cairn_bytes index = { data + 1, size - 9 };
	bool big = data[0] & 1;
	uint64_t id = bytes_unsigned(data + size - 8, 8, false);
	enum cairn_status status = dwarf_find_in_package(index, big, id, &unit, &fault);

	ALWAYS(unit.looked <= index.size / 12);
	if (status == CAIRN_OK)
		ALWAYS(count_row_bytes(index, big) <= index.size);
	else
		ALWAYS(status == CAIRN_NOT_FOUND || (fault.what && fault.offset <= index.size));
	return 0;
}
