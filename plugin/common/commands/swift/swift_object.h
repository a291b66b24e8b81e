/* SPDX-License-Identifier: MIT */
/* A backtrace that a Swift program keeps: a Backtrace value (-backtrace), or an array that find-cbf listed (-array). */
#ifndef CAIRN_COMMON_COMMANDS_SWIFT_OBJECT_H
#define CAIRN_COMMON_COMMANDS_SWIFT_OBJECT_H

#include "common/session/session.h"

bool swift_object_is_meant(const struct command_call *call);

/* Its bytes, which are the space's; *has_images: it came with its images, which the space has then. */
enum cairn_status swift_object_read(struct command_call *call, uint64_t address,
                                    struct cairn_bytes *bytes, bool *has_images);

/* Reports why it was not read. */
void swift_object_report(struct command_call *call, enum cairn_status status);

#endif
