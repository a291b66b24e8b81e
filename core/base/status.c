/* SPDX-License-Identifier: MIT */
/*
 * Returns the library version and the names and phrases of status codes, stop reasons and unwind
 * methods.
 */
#include <cairn.h>

const char *cairn_version(void)
{
	return CAIRN_VERSION;
}

const char *cairn_status_text(enum cairn_status status)
{
	switch (status) {
	case CAIRN_OK:
		return "no error";
	case CAIRN_NOT_FOUND:
		return "nothing covers the address";
	case CAIRN_TRUNCATED:
		return "the data ends inside a record";
	case CAIRN_MALFORMED:
		return "the data contradicts its format";
	case CAIRN_UNSUPPORTED:
		return "a version or feature that is not supported";
	case CAIRN_UNREADABLE:
		return "memory of the target cannot be read";
	case CAIRN_NO_MEMORY:
		return "out of memory";
	case CAIRN_MISMATCH:
		return "made for another build";
	case CAIRN_CANCELLED:
		return "cancelled by the host";
	}
	return "unknown outcome";
}

const char *cairn_status_name(enum cairn_status status)
{
	switch (status) {
	case CAIRN_OK:
		return "ok";
	case CAIRN_NOT_FOUND:
		return "not-found";
	case CAIRN_TRUNCATED:
		return "truncated";
	case CAIRN_MALFORMED:
		return "malformed";
	case CAIRN_UNSUPPORTED:
		return "unsupported";
	case CAIRN_UNREADABLE:
		return "unreadable";
	case CAIRN_NO_MEMORY:
		return "no-memory";
	case CAIRN_MISMATCH:
		return "mismatch";
	case CAIRN_CANCELLED:
		return "cancelled";
	}
	return "unknown";
}

const char *cairn_stop_text(enum cairn_stop stop)
{
	switch (stop) {
	case CAIRN_STOP_NONE:
		return "there is a caller";
	case CAIRN_STOP_OUTERMOST:
		return "outermost frame";
	case CAIRN_STOP_NO_MODULE:
		return "the pc is in no module";
	case CAIRN_STOP_NO_TABLE:
		return "the module has no usable .sframe";
	case CAIRN_STOP_NO_ROW:
		return "no row covers the pc";
	case CAIRN_STOP_BAD_TABLE:
		return "the table is damaged here";
	case CAIRN_STOP_MACHINE:
		return "the module is of another machine";
	case CAIRN_STOP_CFA_UNKNOWN:
		return "the CFA cannot be computed";
	case CAIRN_STOP_CFA_IMPLAUSIBLE:
		return "the CFA does not move up the stack";
	case CAIRN_STOP_LINK_UNKNOWN:
		return "the return address was in a register that is lost";
	case CAIRN_STOP_RA_UNREADABLE:
		return "the return address cannot be read";
	case CAIRN_STOP_RA_IMPLAUSIBLE:
		return "the return address is not a code address";
	}
	return "unknown reason";
}

const char *cairn_stop_name(enum cairn_stop stop)
{
	switch (stop) {
	case CAIRN_STOP_NONE:
		return "none";
	case CAIRN_STOP_OUTERMOST:
		return "outermost";
	case CAIRN_STOP_NO_MODULE:
		return "no-module";
	case CAIRN_STOP_NO_TABLE:
		return "no-table";
	case CAIRN_STOP_NO_ROW:
		return "no-row";
	case CAIRN_STOP_BAD_TABLE:
		return "bad-table";
	case CAIRN_STOP_MACHINE:
		return "machine";
	case CAIRN_STOP_CFA_UNKNOWN:
		return "cfa-unknown";
	case CAIRN_STOP_CFA_IMPLAUSIBLE:
		return "cfa-implausible";
	case CAIRN_STOP_LINK_UNKNOWN:
		return "lr-unknown";
	case CAIRN_STOP_RA_UNREADABLE:
		return "ra-unreadable";
	case CAIRN_STOP_RA_IMPLAUSIBLE:
		return "bad-pc";
	}
	return "unknown";
}

const char *cairn_unwind_method_name(enum cairn_unwind_method method)
{
	switch (method) {
	case CAIRN_UNWIND_METHOD_NONE:
		return "none";
	case CAIRN_UNWIND_METHOD_SFRAME:
		return "sframe";
	case CAIRN_UNWIND_METHOD_CFI:
		return "cfi";
	case CAIRN_UNWIND_METHOD_FRAME_POINTER:
		return "frame-pointer";
	case CAIRN_UNWIND_METHOD_SIGNAL:
		return "signal";
	case CAIRN_UNWIND_METHOD_CALL:
		return "call";
	case CAIRN_UNWIND_METHOD_STACK_CFI:
		return "stack-cfi";
	case CAIRN_UNWIND_METHOD_GO:
		return "go";
	case CAIRN_UNWIND_METHOD_SCAN:
		return "scan";
	case CAIRN_UNWIND_METHOD_LINK:
		return "link";
	}
	return "unknown";
}
