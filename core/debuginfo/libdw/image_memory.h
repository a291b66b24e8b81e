/* SPDX-License-Identifier: MIT */
/* Memory for an image of decompressed sections, which are some megabytes: page by page it costs as much as to fill it. */
#ifndef CAIRN_DEBUGINFO_LIBDW_IMAGE_MEMORY_H
#define CAIRN_DEBUGINFO_LIBDW_IMAGE_MEMORY_H

#include <stddef.h>

/* Memory of any content, freed by free(). NULL: memory is short. */
void *image_memory_new(size_t size);

#endif
