/* SPDX-License-Identifier: MIT */
/* Tests the demangler for Swift's names on valid and damaged input, and its bounds. */
#include "formats/swift/mangled.h"
#include "unit.h"

#include <stdio.h>

static struct swift_names work;
static char out[1 << 16];

static struct cairn_bytes name_of(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

/* NULL: damage. */
static const struct {
	const char *name, *brief, *full;
} rows[] = {
	/* prefixes */
	{ "$s4deck4DeckV", "Deck", "deck.Deck" },
	{ "_$s4deck4DeckV", "Deck", "deck.Deck" },
	{ "$S4deck4DeckV", "Deck", "deck.Deck" },
	{ "$e4deck4DeckV", "Deck", "deck.Deck" },
	{ "$s", NULL, NULL },
	{ "s4deck4DeckV", NULL, NULL },
	{ "$x4deck4DeckV", NULL, NULL },

	/* functions, labels, results */
	{ "$s7DistKit6WorkerC3askySiAC_SitYaKFTETFTu", "async function pointer to Worker.ask(_:_:)",
	  "async function pointer to distributed accessor for distributed thunk "
	  "DistKit.Worker.ask(DistKit.Worker, Swift.Int) async throws -> Swift.Int" },
	{ "$s4deck4parkyyF", "park()", "deck.park() -> ()" },
	{ "$s4deck4DeckV4parkyySiF", "Deck.park(_:)", "deck.Deck.park(Swift.Int) -> ()" },
	{ "$s4deck4DeckV4park2byySi_tF", "Deck.park(by:)", "deck.Deck.park(by: Swift.Int) -> ()" },
	{ "$s4deck4DeckV4park_2atS2i_SStF", "Deck.park(_:at:)",
	  "deck.Deck.park(_: Swift.Int, at: Swift.String) -> Swift.Int" },
	{ "$s4deck4parkSiyYaKF", "park()", "deck.park() async throws -> Swift.Int" },
	{ "$s4deck4DeckV4parkyyFZ", "static Deck.park()", "static deck.Deck.park() -> ()" },
	{ "$s4deck4DeckV1poiyA2C_ACtFZ", "static Deck.+ infix(_:_:)", NULL },
	{ "$s4deck4idleyxxlF", "idle<A>(_:)", "deck.idle<A>(A) -> A" },
	{ "$s4deck4idleyxxSQRzlF", "idle<A>(_:)", "deck.idle<A where A: Swift.Equatable>(A) -> A" },

	/* accessors and functions without a name of their own */
	{ "$s4deck4DeckV5countSivg", "Deck.count.getter", "deck.Deck.count.getter : Swift.Int" },
	{ "$s4deck4DeckV5countSivM", "Deck.count.modify", "deck.Deck.count.modify : Swift.Int" },
	{ "$s4deck4DeckC5countACSi_tcfC", "Deck.__allocating_init(count:)",
	  "deck.Deck.__allocating_init(count: Swift.Int) -> deck.Deck" },
	{ "$s4deck4DeckCfD", "Deck.__deallocating_deinit", "deck.Deck.__deallocating_deinit" },
	{ "$s4deck4DeckVfD", "Deck.deinit", "deck.Deck.deinit" },
	{ "$s4deck4parkyyFyycfU_", "closure #1 in park()",
	  "closure #1 () -> () in deck.park() -> ()" },
	{ "$s4deck4parkyySiFfA_", "default argument 0 of park(_:)",
	  "default argument 0 of deck.park(Swift.Int) -> ()" },
	{ "$s4deck4parkyyF5innerL_yyF", "inner #1 () in park()",
	  "inner #1 () -> () in deck.park() -> ()" },
	{ "$s4deck4park33_00112233445566778899AABBCCDDEEFFLLyyF", "park()",
	  "deck.(park in _00112233445566778899AABBCCDDEEFF)() -> ()" },

	/* types: sugar, bound types, tuples, existentials, metatypes */
	{ "$s4deck4parkySaySSGF", NULL, NULL },
	{ "$s4deck4parkyySaySSGF", "park(_:)", "deck.park([Swift.String]) -> ()" },
	{ "$s4deck4parkyySDySSSiGF", "park(_:)", "deck.park([Swift.String : Swift.Int]) -> ()" },
	{ "$s4deck4parkyySiSgF", "park(_:)", "deck.park(Swift.Int?) -> ()" },
	{ "$s4deck4parkyyypF", "park(_:)", "deck.park(Any) -> ()" },
	{ "$s4deck4parkyyyycF", "park(_:)", "deck.park(() -> ()) -> ()" },
	{ "$s4deck4parkyyyyYbcSgF", "park(_:)", "deck.park((@Sendable () -> ())?) -> ()" },
	{ "$s4deck4parkyySimF", "park(_:)", "deck.park(Swift.Int.Type) -> ()" },
	{ "$s4deck4parkyySizF", "park(_:)", "deck.park(inout Swift.Int) -> ()" },
	{ "$s4deck4parkyyyXlF", "park(_:)", "deck.park(Swift.AnyObject) -> ()" },
	{ "$sSaySiGN", "type metadata for [Int]", "type metadata for [Swift.Int]" },
	{ "$sBi64_N", "type metadata for Builtin.Int64", "type metadata for Builtin.Int64" },
	{ "$sBi_N", NULL, NULL },

	/* words, substitutions, Punycode */
	{ "$s4deck9ShipStoreV04LastC0V", "ShipStore.LastStore", "deck.ShipStore.LastStore" },
	{ "$s4deck4DeckVACyF", NULL, NULL },
	{ "$s4deck4DeckV4copyACyF", "Deck.copy()", "deck.Deck.copy() -> deck.Deck" },
	{ "$s4deck4DeckV4pairAC_ACtyF", "Deck.pair()",
	  "deck.Deck.pair() -> (deck.Deck, deck.Deck)" },
	{ "$s4deck4DeckV4pairA2C_ACtF", NULL, NULL },
	{ "$s4deck007caf_dmaV", "caf\xc3\xa9", "deck.caf\xc3\xa9" },
	{ "$s4deck0A0V", "deck", "deck.deck" },
	{ "$s4deck00aV", NULL, NULL },

	/* as in Swift's tools: "each" of some packs, no parentheses before the ".Type" of an existential */
	{ "$s4deck4idleyyxxQp_tRvzlF", "idle<each A>(_:)", "deck.idle<each A>(repeat A) -> ()" },
	{ "$s4deck4idleyyx_q_xQptRv_r0_lF", "idle<A, B>(_:_:)",
	  "deck.idle<A, B>(A, repeat B) -> ()" },
	{ "$s4deck4hookyys5Int32VXCvg", "hook.getter",
	  "deck.hook.getter : @convention(c) (Swift.Int32) -> ()" },
	{ "$s4deck4kindSE_SQpXpvg", "kind.getter",
	  "deck.kind.getter : Swift.Encodable & Swift.Equatable.Type" },

	/* symbols around an entity */
	{ "$s4deck4parkyyFTm", "park()", "merged deck.park() -> ()" },
	{ "$s4deck4parkyyFTA", "partial apply for park()",
	  "partial apply forwarder for deck.park() -> ()" },
	{ "$s4deck4parkyyYaFTY0_", "park()",
	  "(1) suspend resume partial function for deck.park() async -> ()" },
	{ "$s4deck4parkyyYaFTQ1_", "park()",
	  "(2) await resume partial function for deck.park() async -> ()" },
	{ "$s4deck4parkyyYaFTu", "async function pointer to park()",
	  "async function pointer to deck.park() async -> ()" },
	{ "$s4deck4parkyyFTA.12", "partial apply for park()",
	  "partial apply forwarder for deck.park() -> () with unmangled suffix \".12\"" },
	{ "$s4deck4idleyxxlFSi_Tg5", "specialized idle<A>(_:)",
	  "generic specialization <Swift.Int> of deck.idle<A>(A) -> A" },
	{ "$s4deck4parkyySi_SitFTf4dn_n", "specialized park(_:_:)",
	  "function signature specialization <Arg[0] = Dead> of deck.park(Swift.Int, Swift.Int) -> "
	  "()" },
	{ "$s4deck4parkyyFTf0n_pf", "specialized park()",
	  "function signature specialization <Return = [Constant Propagated Function : ]> of "
	  "deck.park() -> ()" },
	{ "$s4deck4parkyyFTf0pS_n", "specialized park()",
	  "function signature specialization <Arg[0] = [Constant Propagated Struct : ]> of "
	  "deck.park() -> ()" },
	{ "$s4deck4DeckVwca", "assignWithCopy for Deck",
	  "assignWithCopy value witness for deck.Deck" },
	{ "$s4deck4DeckVMa", "type metadata accessor for Deck",
	  "type metadata accessor for deck.Deck" },
	{ "$s4deck4DeckVSQAAWP", "protocol witness table for Deck",
	  "protocol witness table for deck.Deck : Swift.Equatable in deck" },
	{ "$s4deck4DeckVMe", NULL, NULL },
};

START_TEST(reads_names)
{
	const char *expected[] = { rows[_i].brief, rows[_i].full };
	for (int form = 0; form < 2; form++) {
		bool exhausted;
		if (!expected[form] && rows[_i].brief && form == SWIFT_FULL)
			continue; /* the short form tells enough */
		size_t size = swift_demangle(&work, name_of(rows[_i].name), (enum swift_form)form,
		                             out, sizeof(out), &exhausted);
		ck_assert_msg(!exhausted, "%s: exhausted", rows[_i].name);
		if (!expected[form])
			ck_assert_msg(size == 0, "%s: %.*s", rows[_i].name, (int)size, out);
		else
			ck_assert_msg(size == strlen(expected[form]) &&
			                      memcmp(out, expected[form], size) == 0,
			              "%s: %.*s", rows[_i].name, (int)size, out);
	}
}
END_TEST

/* A dictionary of two dictionaries, again and again: each level doubles the text. */
START_TEST(stops_at_its_bounds)
{
	char name[SWIFT_NAME_MAX + 2];
	bool exhausted;
	size_t at = (size_t)sprintf(name, "$sSDyS2iG"); /* substitution A */

	for (char last = 'A'; last < 'Z'; last++)
		at += (size_t)sprintf(name + at, "SDyA2%cG", last);
	name[at++] = 'D';
	ck_assert_uint_eq(swift_demangle(&work, (struct cairn_bytes){ (const uint8_t *)name, at },
	                                 SWIFT_FULL, out, sizeof(out), &exhausted),
	                  0);
	ck_assert(exhausted);

	ck_assert_uint_lt(SWIFT_STEPS + SWIFT_STEPS_TIMES * at, 1 << 25); /* what it would print */

	/* optionals of optionals: too deep to print, then too many nodes to read */
	for (int deep = 1; deep >= 0; deep--) {
		size_t levels = deep ? SWIFT_DEPTH : SWIFT_NODES / 4;
		at = (size_t)sprintf(name, "$sSi");
		for (size_t i = 0; i < levels; i++)
			at += (size_t)sprintf(name + at, "Sg");
		name[at++] = 'D';
		ck_assert_uint_eq(swift_demangle(&work,
		                                 (struct cairn_bytes){ (const uint8_t *)name, at },
		                                 SWIFT_FULL, out, sizeof(out), &exhausted),
		                  0);
		ck_assert(exhausted);
	}

	memset(name, 'y', sizeof(name));
	memcpy(name, "$s", 2);
	ck_assert_uint_eq(
		swift_demangle(&work,
	                       (struct cairn_bytes){ (const uint8_t *)name, SWIFT_NAME_MAX + 1 },
	                       SWIFT_FULL, out, sizeof(out), &exhausted),
		0);
	ck_assert(exhausted);
	ck_assert_uint_eq(
		swift_demangle(&work, (struct cairn_bytes){ (const uint8_t *)name, SWIFT_NAME_MAX },
	                       SWIFT_FULL, out, sizeof(out), &exhausted),
		0);
	ck_assert(exhausted); /* more than SWIFT_STACK */

	static const char plain[] = "$s4deck4parkyyF";
	ck_assert_uint_eq(swift_demangle(&work, name_of(plain), SWIFT_FULL, out,
	                                 strlen("deck.park() -> ()") - 1, &exhausted),
	                  0);
	ck_assert(exhausted);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swift_mangled");
	TCase *all = tcase_create("swift_mangled");

	tcase_add_loop_test(all, reads_names, 0, COUNT(rows));
	tcase_add_test(all, stops_at_its_bounds);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
