/* SPDX-License-Identifier: MIT */
/* Access to files that a recording refers to. They are read by the host. */
#ifndef CAIRN_PROFILES_RECORDING_RECORDED_FILES_H
#define CAIRN_PROFILES_RECORDING_RECORDED_FILES_H

#include "recording.h"

/* Read a file to *bytes, which the caller frees. Return false if it is not available. */
bool recording_read_file(const struct recording *r, const struct cairn_recorded_request *request,
                         struct cairn_bytes *bytes);

struct code_name recording_name_kernel(struct recording *r, const struct recorded_map *map,
                                       uint64_t address);

#endif
