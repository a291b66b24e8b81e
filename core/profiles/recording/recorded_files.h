/* SPDX-License-Identifier: MIT */
/* Files that a recording refers to, which come through the host, and what they tell of the kernel. */
#ifndef CAIRN_PROFILES_RECORDING_RECORDED_FILES_H
#define CAIRN_PROFILES_RECORDING_RECORDED_FILES_H

#include "recording.h"

/* Reads a file to *bytes, to be freed; false: there is none. */
bool recording_read_file(const struct recording *r, const struct cairn_recorded_request *request,
                         struct cairn_bytes *bytes);

/* The name of an address of the kernel, by the list of its symbols. */
struct code_name recording_name_kernel(struct recording *r, const struct recorded_map *map,
                                       uint64_t address);

#endif
