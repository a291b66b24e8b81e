/* SPDX-License-Identifier: MIT */
/* Paths of an image map while it is read. */
#ifndef CAIRN_FORMATS_IMAGEMAP_PATH_H
#define CAIRN_FORMATS_IMAGEMAP_PATH_H

#include "imagemap.h"

#include "base/reader.h"

/*
 * Read the path at the reader into map->path, and store the prefixes that it defines in the map's
 * table. The result is empty if there is no path, if the path is unknown, which sets a warning, or
 * if the reader failed.
 */
struct cairn_bytes path_read(struct imagemap *map, struct reader *in);

#endif
