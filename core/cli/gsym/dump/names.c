/* SPDX-License-Identifier: MIT */
/* Names and paths for all forms of a dump, within what it may print. */
#include "cli/gsym/gsym.h"

#include "output/location.h"

struct cairn_bytes gsym_dump_name(struct gsym_dump *dump, uint64_t offset)
{
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

	if (dump->printed.over)
		return none;
	return printed_text(&dump->printed, gsym_text(dump->gsym, offset));
}

struct cairn_bytes gsym_dump_path(struct gsym_dump *dump, uint64_t index,
                                  struct location_path *path)
{
	struct cairn_location l = { .line = 0 };
	struct gsym_file file;

	path->text = (struct cairn_bytes){ (const uint8_t *)"", 0 };
	if (dump->printed.over || !gsym_file(dump->gsym, index, &file))
		return path->text;
	l.directory = file.directory;
	l.file = file.name;
	location_path(path, &l);
	return printed_text(&dump->printed, path->text);
}
