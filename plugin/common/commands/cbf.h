/* SPDX-License-Identifier: MIT */
/*
 * A backtrace in a Swift program's memory: a value of type Backtrace (option -backtrace), or an
 * array that find-cbf has listed (option -array).
 */
#ifndef CAIRN_COMMON_COMMANDS_CBF_H
#define CAIRN_COMMON_COMMANDS_CBF_H

#include "common/session/session.h"

bool swift_object_is_meant(const struct command_call *call);

/*
 * Read a backtrace into memory that the space owns. Sets *has_images if the backtrace contains
 * images, in which case the space has read the images as well.
 */
enum cairn_status swift_object_read(struct command_call *call, uint64_t address,
                                    struct cairn_bytes *bytes, bool *has_images);

void swift_object_report(struct command_call *call, enum cairn_status status);

#endif
