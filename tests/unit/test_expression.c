/* SPDX-License-Identifier: MIT */
/* Expressions as compilers and linkers write them into call frame information, and each operation.
 */
#include "unwind/tables/cfi_expression.h"

#include "unit.h"

enum { MEMORY = 0x1000, MEMORY_SIZE = 16, PC = 0x40101b };

static const uint8_t memory[MEMORY_SIZE] = { 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xff };

static enum cairn_status serve(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	ck_assert_uint_gt(size, 0);
	if (address < MEMORY || size > MEMORY_SIZE || address - MEMORY > MEMORY_SIZE - size)
		return CAIRN_UNREADABLE;
	memcpy(buffer, memory + (address - MEMORY), size);
	return CAIRN_OK;
}

static const struct cairn_target target = { serve, NULL };

static enum cairn_status value_of(struct cairn_bytes code, const uint64_t *cfa, uint64_t *value,
                                  struct cairn_fault *fault)
{
	struct cairn_registers frame = { .machine = CAIRN_MACHINE_AMD64, .pc = PC };
	const struct expression e = { &target, &frame, unit_exact(code), cfa };

	frame.known = 1 << 7 | 1 << 3;
	frame.value[7] = MEMORY;
	frame.value[3] = 100;
	return expression_evaluate(&e, value, fault);
}

static const struct {
	const char *name;
	struct cairn_bytes code;
	uint64_t value;
} rows[] = {
	{ "PLT entry, before its push", BYTES("\x77\x08\x80\x75\x3f\x1a\x3b\x2a\x33\x24\x22"),
	  MEMORY + 8 },
	{ "PLT entry, behind its push", BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"),
	  MEMORY + 16 },
	{ "signal frame", BYTES("\x77\x00\x06"), 0x1122334455667788 },
	{ "lit0", BYTES("\x30"), 0 },
	{ "lit31", BYTES("\x4f"), 31 },
	{ "addr", BYTES("\x03\x01\0\0\0\0\0\0\x80"), 0x8000000000000001 },
	{ "const1u", BYTES("\x08\xff"), 255 },
	{ "const1s", BYTES("\x09\xff"), (uint64_t)-1 },
	{ "const2u", BYTES("\x0a\xfe\xff"), 0xfffe },
	{ "const2s", BYTES("\x0b\xfe\xff"), (uint64_t)-2 },
	{ "const4u", BYTES("\x0c\xfd\xff\xff\xff"), 0xfffffffd },
	{ "const4s", BYTES("\x0d\xfd\xff\xff\xff"), (uint64_t)-3 },
	{ "const8u", BYTES("\x0e\1\0\0\0\0\0\0\0"), 1 },
	{ "const8s", BYTES("\x0f\xfc\xff\xff\xff\xff\xff\xff\xff"), (uint64_t)-4 },
	{ "constu", BYTES("\x10\x80\x01"), 128 },
	{ "consts", BYTES("\x11\x7f"), (uint64_t)-1 },
	{ "breg, signed", BYTES("\x73\x7c"), 96 },
	{ "bregx", BYTES("\x92\x03\x80\x01"), 228 },
	{ "deref_size 1", BYTES("\x77\x08\x94\x01"), 0xff },
	{ "deref_size 2", BYTES("\x77\x00\x94\x02"), 0x7788 },
	{ "deref_size 4", BYTES("\x77\x00\x94\x04"), 0x55667788 },
	{ "deref_size 8", BYTES("\x77\x00\x94\x08"), 0x1122334455667788 },
	{ "dup", BYTES("\x33\x12\x22"), 6 },
	{ "drop", BYTES("\x33\x34\x13"), 3 },
	{ "over", BYTES("\x39\x34\x14\x1c\x1c"), 14 },
	{ "pick", BYTES("\x39\x34\x31\x15\x02"), 9 },
	{ "swap", BYTES("\x39\x34\x16\x1c"), (uint64_t)-5 },
	{ "rot: the top goes third", BYTES("\x31\x32\x34\x17\x1c\x1c"), 5 },
	{ "abs", BYTES("\x09\xfb\x19"), 5 },
	{ "and", BYTES("\x3c\x3a\x1a"), 8 },
	{ "div is signed", BYTES("\x09\xf9\x32\x1b"), (uint64_t)-3 },
	{ "div that does not fit", BYTES("\x0e\0\0\0\0\0\0\0\x80\x09\xff\x1b"), 1ull << 63 },
	{ "minus", BYTES("\x39\x34\x1c"), 5 },
	{ "mod", BYTES("\x3b\x34\x1d"), 3 },
	{ "mul", BYTES("\x3b\x34\x1e"), 44 },
	{ "neg", BYTES("\x31\x1f"), (uint64_t)-1 },
	{ "not", BYTES("\x30\x20"), (uint64_t)-1 },
	{ "or", BYTES("\x3c\x33\x21"), 15 },
	{ "plus wraps", BYTES("\x09\xff\x32\x22"), 1 },
	{ "plus_uconst", BYTES("\x31\x23\x80\x01"), 129 },
	{ "shl", BYTES("\x33\x34\x24"), 48 },
	{ "shl by a word", BYTES("\x33\x08\x40\x24"), 0 },
	{ "shr", BYTES("\x09\xff\x08\x3f\x25"), 1 },
	{ "shr by a word", BYTES("\x09\xff\x08\x40\x25"), 0 },
	{ "shra", BYTES("\x09\xf0\x34\x26"), (uint64_t)-1 },
	{ "shra by nothing", BYTES("\x09\xf0\x30\x26"), (uint64_t)-16 },
	{ "shra by a word", BYTES("\x09\xf0\x08\x40\x26"), (uint64_t)-1 },
	{ "xor", BYTES("\x3c\x3a\x27"), 6 },
	{ "eq", BYTES("\x33\x33\x29"), 1 },
	{ "ge is signed", BYTES("\x09\xff\x31\x2a"), 0 },
	{ "gt", BYTES("\x33\x33\x2b"), 0 },
	{ "le", BYTES("\x33\x33\x2c"), 1 },
	{ "lt", BYTES("\x09\xff\x31\x2d"), 1 },
	{ "ne", BYTES("\x33\x34\x2e"), 1 },
	{ "skip", BYTES("\x33\x2f\x01\0\x13\x96"), 3 },
	{ "skip to the end", BYTES("\x33\x2f\x01\0\xff"), 3 },
	{ "bra, taken", BYTES("\x33\x31\x28\x01\0\x13"), 3 },
	{ "bra, not taken", BYTES("\x34\x33\x30\x28\x01\0\x13"), 4 },
	{ "a loop that ends", BYTES("\x35\x31\x1c\x12\x28\xfa\xff"), 0 },
};

START_TEST(computes)
{
	struct cairn_fault fault;
	uint64_t value;

	ck_assert_msg(value_of(rows[_i].code, NULL, &value, &fault) == CAIRN_OK, "%s: %s",
	              rows[_i].name, fault.what);
	ck_assert_msg(value == rows[_i].value, "%s: %#lx", rows[_i].name, (unsigned long)value);
}
END_TEST

static const struct {
	const char *name;
	struct cairn_bytes code;
	enum cairn_status status;
	uint64_t offset;
} faults[] = {
	{ "nothing", BYTES(""), CAIRN_MALFORMED, 0 },
	{ "an unknown register", BYTES("\x30\x71\x00"), CAIRN_NOT_FOUND, 2 },
	{ "a register there is not", BYTES("\x92\x80\x01\x00"), CAIRN_NOT_FOUND, 3 },
	{ "unreadable memory", BYTES("\x30\x06"), CAIRN_UNREADABLE, 1 },
	{ "memory that ends", BYTES("\x77\x09\x06"), CAIRN_UNREADABLE, 2 },
	{ "memory that wraps", BYTES("\x09\xff\x06"), CAIRN_UNREADABLE, 2 },
	{ "an odd size", BYTES("\x77\x00\x94\x03"), CAIRN_MALFORMED, 3 },
	{ "no size", BYTES("\x77\x00\x94\x00"), CAIRN_MALFORMED, 3 },
	{ "one operand of two", BYTES("\x30\x22"), CAIRN_MALFORMED, 1 },
	{ "no operand", BYTES("\x1f"), CAIRN_MALFORMED, 0 },
	{ "over one", BYTES("\x30\x14"), CAIRN_MALFORMED, 1 },
	{ "swap of one", BYTES("\x30\x16"), CAIRN_MALFORMED, 1 },
	{ "rot of two", BYTES("\x30\x31\x17"), CAIRN_MALFORMED, 2 },
	{ "pick too deep", BYTES("\x30\x15\x01"), CAIRN_MALFORMED, 2 },
	{ "div by zero", BYTES("\x31\x30\x1b"), CAIRN_MALFORMED, 2 },
	{ "mod by zero", BYTES("\x31\x30\x1d"), CAIRN_MALFORMED, 2 },
	{ "a register's location", BYTES("\x30\x50"), CAIRN_UNSUPPORTED, 1 },
	{ "the CFA as an operation", BYTES("\x9c"), CAIRN_UNSUPPORTED, 0 },
	{ "a cut constant", BYTES("\x0c\0\0"), CAIRN_TRUNCATED, 1 },
	{ "a branch out of the end", BYTES("\x33\x2f\x02\0\xff"), CAIRN_MALFORMED, 2 },
	{ "a branch before the start", BYTES("\x33\x2f\xfb\xff"), CAIRN_MALFORMED, 2 },
	{ "a loop that does not end", BYTES("\x2f\xfd\xff"), CAIRN_UNSUPPORTED, 0 },
	{ "a stack that grows for ever", BYTES("\x30\x2f\xfc\xff"), CAIRN_UNSUPPORTED, 0 },
};

START_TEST(refuses)
{
	struct cairn_fault fault;
	uint64_t value = 7;

	ck_assert_msg(value_of(faults[_i].code, NULL, &value, &fault) == faults[_i].status, "%s",
	              faults[_i].name);
	ck_assert(fault.status == faults[_i].status && fault.what && value == 7);
	ck_assert_msg(fault.offset == faults[_i].offset, "%s: at %lu", faults[_i].name,
	              (unsigned long)fault.offset);
}
END_TEST

START_TEST(begins_with_the_cfa)
{
	static const struct cairn_bytes code = BYTES("\x23\x10"), none = BYTES("");
	const uint64_t cfa = 0x7000;
	struct cairn_fault fault;
	uint64_t value;

	ck_assert_int_eq(value_of(code, &cfa, &value, &fault), CAIRN_OK);
	ck_assert_uint_eq(value, 0x7010);
	ck_assert_int_eq(value_of(none, &cfa, &value, &fault), CAIRN_OK);
	ck_assert_uint_eq(value, 0x7000);
	ck_assert_int_eq(value_of(code, NULL, &value, &fault), CAIRN_MALFORMED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expression");
	TCase *c = tcase_create("expression");

	tcase_add_loop_test(c, computes, 0, COUNT(rows));
	tcase_add_loop_test(c, refuses, 0, COUNT(faults));
	tcase_add_test(c, begins_with_the_cfa);
	suite_add_tcase(suite, c);
	return unit_run(suite);
}
