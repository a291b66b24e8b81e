/* SPDX-License-Identifier: MIT */
/* Paths of an image map being read. */
#ifndef CAIRN_FORMATS_IMAGEMAP_PATH_H
#define CAIRN_FORMATS_IMAGEMAP_PATH_H

#include "imagemap.h"

#include "base/reader.h"

/*
 * The path at the reader, written to map->path; size 0 when there is none, it cannot be known
 * (a warning gives the reason), or the reader failed.  Prefixes that it defines go to the map's table.
 */
struct cairn_bytes path_read(struct imagemap *map, struct reader *in);

#endif
