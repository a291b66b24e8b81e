/* SPDX-License-Identifier: MIT */
/*
 * Encodes rules as the words of rows (see sframe.c for the grammar) and rejects rules that SFrame
 * cannot express.
 *
 * All rows of a function have the same form, default or flexible. Default rows are smaller, and
 * every rule that has the default form also has the flexible one.
 */
#include "write.h"
#include "layout.h"
#include "sframe.h"

#include "base/invariant.h"
#include "base/rule_places.h"

enum {
	INFO_COUNT_SHIFT = 1,
	INFO_SIZE_SHIFT = 5,
	AMD64_RA = -8, /* offset of RA from the CFA on amd64, which the header specifies */
	REGISTERS = 32,
};

static bool is_s390x(const struct sframe_format *format)
{
	return format->machine == CAIRN_MACHINE_S390X;
}

static bool fits_word(int64_t value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

/* Return true if readers assume this rule for RA, so that rows need not store it. */
static bool is_implied_ra(const struct sframe_format *format, const struct cairn_register_rule *ra)
{
	if (format->machine != CAIRN_MACHINE_AMD64)
		return ra->kind == CAIRN_REGISTER_SAME_VALUE;
	return ra->kind == CAIRN_REGISTER_MEMORY && ra->base == CAIRN_BASE_CFA &&
	       ra->offset == AMD64_RA;
}

static bool is_implied_fp(const struct cairn_register_rule *fp)
{
	return fp->kind == CAIRN_REGISTER_SAME_VALUE;
}

/*
 * Return true if the rule says that the value is in a register, and the format can store the
 * register's number as a word. This is possible only on s390x, in some versions. Such a word is
 * odd; see saved_word().
 */
static bool is_named_register(const struct sframe_format *format,
                              const struct cairn_register_rule *place)
{
	return is_s390x(format) && sframe_layout(format->version)->register_words &&
	       place->kind == CAIRN_REGISTER_VALUE && place->base < REGISTERS && place->offset == 0;
}

static int64_t saved_word(const struct cairn_register_rule *place)
{
	return place->kind == CAIRN_REGISTER_VALUE ? (int64_t)place->base << 1 | 1 : place->offset;
}

/*
 * Return true if a word of a default row can store RA or FP. On s390x, a memory offset must be even
 * and not 0, because 0 is padding and odd words name registers.
 */
static bool has_saved_word(const struct sframe_format *format,
                           const struct cairn_register_rule *place)
{
	if (is_named_register(format, place))
		return true;
	if (place->kind != CAIRN_REGISTER_MEMORY || place->base != CAIRN_BASE_CFA ||
	    !fits_word(place->offset))
		return false;
	return !is_s390x(format) || (place->offset != 0 && place->offset % 2 == 0);
}

static bool has_cfa_word(const struct sframe_format *format, int64_t offset)
{
	if (!is_s390x(format))
		return fits_word(offset);
	return fits_word(offset) && (offset - S390X_CFA_BIAS) % S390X_CFA_SCALE == 0;
}

static int64_t cfa_word(const struct sframe_format *format, int64_t offset)
{
	return is_s390x(format) ? (offset - S390X_CFA_BIAS) / S390X_CFA_SCALE : offset;
}

/*
 * Return the reason why a row does not have the default form. The row must not be outermost. On
 * amd64, there is no word for RA; on other machines, a word for FP requires one for RA.
 */
static enum sframe_refusal refuse_default(const struct sframe_format *format,
                                          const struct sframe_written_row *row)
{
	const bool implied_ra = is_implied_ra(format, &row->ra),
		   implied_fp = is_implied_fp(&row->fp);
	const bool fixed = format->machine == CAIRN_MACHINE_AMD64;

	if (row->cfa.kind != CAIRN_REGISTER_VALUE ||
	    (row->cfa.base != sframe_sp(format->machine) &&
	     row->cfa.base != sframe_fp(format->machine)) ||
	    !has_cfa_word(format, row->cfa.offset))
		return SFRAME_REFUSAL_CFA;
	if (!implied_ra && (fixed || !has_saved_word(format, &row->ra)))
		return SFRAME_REFUSAL_RA;
	if (implied_fp ||
	    (has_saved_word(format, &row->fp) && (!implied_ra || fixed || is_s390x(format))))
		return SFRAME_REFUSAL_NONE;
	return SFRAME_REFUSAL_FP;
}

static bool sframe_row_is_default(const struct sframe_format *format,
                                  const struct sframe_written_row *row)
{
	return row->outermost || refuse_default(format, row) == SFRAME_REFUSAL_NONE;
}

/*
 * Return true if a pair of words can express the rule. The value "CFA + offset" cannot be
 * expressed, because its control word would be 0, which means padding.
 */
static bool has_pair(const struct cairn_register_rule *place)
{
	if (place->kind != CAIRN_REGISTER_VALUE && place->kind != CAIRN_REGISTER_MEMORY)
		return false;
	if (place->base == CAIRN_BASE_CFA)
		return place->kind == CAIRN_REGISTER_MEMORY;
	return place->base < REGISTERS;
}

/*
 * Return true if the flexible form can name the base of a rule. On amd64, the base must be the CFA
 * or one of the 16 general-purpose registers.
 */
static bool may_name(const struct sframe_format *format, const struct cairn_register_rule *place)
{
	return place->base == CAIRN_BASE_CFA || format->machine != CAIRN_MACHINE_AMD64 ||
	       place->base < 16;
}

static enum sframe_refusal refuse_flexible(const struct sframe_format *format,
                                           const struct sframe_written_row *row)
{
	const struct cairn_register_rule *cfa = &row->cfa, *ra = &row->ra, *fp = &row->fp;

	/*
	 * Reject a CFA in memory on s390x, because no specification says whether its offset is
	 * scaled.
	 */
	if (!has_pair(cfa) || cfa->base == CAIRN_BASE_CFA || !may_name(format, cfa) ||
	    (is_s390x(format) && cfa->kind == CAIRN_REGISTER_MEMORY))
		return SFRAME_REFUSAL_CFA;
	if (!is_implied_ra(format, ra) && !(has_pair(ra) && may_name(format, ra)))
		return SFRAME_REFUSAL_RA;
	if (!is_implied_fp(fp) && !(has_pair(fp) && may_name(format, fp)))
		return SFRAME_REFUSAL_FP;
	if (!has_cfa_word(format, cfa->offset) || !fits_word(ra->offset) || !fits_word(fp->offset))
		return SFRAME_REFUSAL_OFFSET;
	return SFRAME_REFUSAL_NONE;
}

enum sframe_refusal sframe_write_refusal(const struct sframe_format *format,
                                         const struct sframe_written_row *row)
{
	const struct sframe_layout *layout = sframe_layout(format->version);

	if (row->outermost)
		return layout->outermost ? SFRAME_REFUSAL_NONE : SFRAME_REFUSAL_OUTERMOST;
	const enum sframe_refusal as_default = refuse_default(format, row);
	if (as_default == SFRAME_REFUSAL_NONE)
		return SFRAME_REFUSAL_NONE;
	/*
	 * a row that the flexible form cannot express cannot be written in any version, so report
	 * that reason first
	 */
	const enum sframe_refusal flexible = refuse_flexible(format, row);
	return !layout->flexible && flexible == SFRAME_REFUSAL_NONE ? as_default : flexible;
}

struct row_words {
	int64_t word[6];
	bool control[6]; /* true for control words, which are unsigned */
	unsigned count;
};

static void put_word(struct row_words *w, int64_t word, bool control)
{
	w->control[w->count] = control;
	w->word[w->count++] = word;
}

static void add_default_words(struct row_words *w, const struct sframe_format *format,
                              const struct sframe_written_row *row)
{
	const bool saved_ra = !is_implied_ra(format, &row->ra), saved_fp = !is_implied_fp(&row->fp);

	put_word(w, cfa_word(format, row->cfa.offset), false);
	if (saved_ra)
		put_word(w, saved_word(&row->ra), false);
	else if (saved_fp && format->machine != CAIRN_MACHINE_AMD64)
		put_word(w, 0, false);
	if (saved_fp)
		put_word(w, saved_word(&row->fp), false);
}

static void add_pair(struct row_words *w, const struct cairn_register_rule *place, int64_t offset)
{
	int64_t control = place->kind == CAIRN_REGISTER_MEMORY ? CONTROL_MEMORY : 0;

	if (place->base != CAIRN_BASE_CFA)
		control |= (int64_t)place->base << CONTROL_SHIFT | CONTROL_REGISTER;
	put_word(w, control, true);
	put_word(w, offset, false);
}

static void add_flexible_words(struct row_words *w, const struct sframe_format *format,
                               const struct sframe_written_row *row)
{
	const bool saved_ra = !is_implied_ra(format, &row->ra), saved_fp = !is_implied_fp(&row->fp);

	add_pair(w, &row->cfa, cfa_word(format, row->cfa.offset));
	if (saved_ra)
		add_pair(w, &row->ra, row->ra.offset);
	else if (saved_fp)
		put_word(w, 0, true);
	if (saved_fp)
		add_pair(w, &row->fp, row->fp.offset);
}

/* Return the code of the smallest word size that fits all words: 0, 1 or 2 for 1, 2 or 4 bytes. */
static unsigned choose_word_size(const struct row_words *w)
{
	unsigned code = 0;

	for (unsigned i = 0; i < w->count; i++) {
		const int64_t least[] = { INT8_MIN, INT16_MIN }, most[] = { INT8_MAX, INT16_MAX },
			      controls[] = { UINT8_MAX, UINT16_MAX };
		while (code < 2 &&
		       (w->control[i] ? w->word[i] > controls[code]
		                      : w->word[i] < least[code] || w->word[i] > most[code]))
			code++;
	}
	return code;
}

static void write_number(struct sink *out, uint64_t value, unsigned width, bool big)
{
	if (big)
		sink_big(out, value, width);
	else
		sink_little(out, value, width);
}

/* Write one row. `width` is the size of its start field in bytes. */
static void write_row(struct sink *out, const struct sframe_format *format, bool flexible,
                      unsigned width, const struct sframe_written_row *row)
{
	struct row_words w = { .count = 0 };
	unsigned info = 0;

	if (!row->outermost && flexible)
		add_flexible_words(&w, format, row);
	else if (!row->outermost)
		add_default_words(&w, format, row);
	const unsigned code = choose_word_size(&w);
	info = w.count << INFO_COUNT_SHIFT | code << INFO_SIZE_SHIFT;
	if (!row->outermost && !flexible && row->cfa.base == sframe_sp(format->machine))
		info |= INFO_BASE_SP;
	if (!row->outermost && row->mangled)
		info |= INFO_MANGLED;
	write_number(out, row->start, width, format->big);
	sink_u8(out, (uint8_t)info);
	for (unsigned i = 0; i < w.count; i++)
		write_number(out, (uint64_t)w.word[i], 1u << code, format->big);
}

bool sframe_write_is_same_rule(const struct sframe_written_row *a,
                               const struct sframe_written_row *b)
{
	if (a->outermost || b->outermost)
		return a->outermost && b->outermost;
	return a->mangled == b->mangled && rule_is_same_location(&a->cfa, &b->cfa) &&
	       rule_is_same_location(&a->ra, &b->ra) && rule_is_same_location(&a->fp, &b->fp);
}

/* Writes headers, function records and function data. See sframe.c for the grammar. */

enum { AMD64_FIXED_RA = 0xf8 }; /* CFA - 8 */

/*
 * Return the code for the size of row starts: 0, 1 or 2 for 1, 2 or 4 bytes. The last row has the
 * largest start.
 */
static unsigned choose_row_type(const struct sframe_written_function *function)
{
	const uint32_t last = function->rows ? function->row[function->rows - 1].start : 0;

	return last <= UINT8_MAX ? 0 : last <= UINT16_MAX ? 1 : 2;
}

bool sframe_write_needs_flexible(const struct sframe_format *format,
                                 const struct sframe_written_function *function)
{
	for (uint32_t i = 0; i < function->rows; i++)
		if (!sframe_row_is_default(format, &function->row[i]))
			return true;
	return false;
}

void sframe_write_function(struct sink *out, const struct sframe_format *format,
                           const struct sframe_written_function *function,
                           struct sframe_record *record)
{
	const struct sframe_layout *layout = sframe_layout(format->version);
	const bool flexible = sframe_write_needs_flexible(format, function);
	const unsigned type = choose_row_type(function);

	INVARIANT(function->rows > 0 || layout->outermost);
	INVARIANT(function->rows <= SFRAME_WRITE_ROWS_MAX);
	INVARIANT(!flexible || layout->flexible);
	record->start = function->start;
	record->size = function->size;
	record->rows = function->rows;
	record->repeat = function->repeat;
	record->info = (uint8_t)(type | (function->repeat ? INFO_MASKED : 0) |
	                         (function->key_b ? INFO_KEY_B : 0) |
	                         (function->signal ? INFO_SIGNAL : 0));
	if (layout->attribute_size > 0) {
		write_number(out, function->rows, 2, format->big);
		sink_u8(out, record->info);
		sink_u8(out, flexible ? KIND_FLEXIBLE : KIND_DEFAULT);
		sink_u8(out, record->repeat);
	}
	for (uint32_t i = 0; i < function->rows; i++)
		write_row(out, format, flexible, 1u << type, &function->row[i]);
}

static uint8_t find_abi(const struct sframe_format *format)
{
	if (format->machine == CAIRN_MACHINE_AMD64)
		return ABI_AMD64;
	if (format->machine == CAIRN_MACHINE_S390X)
		return ABI_S390X;
	return format->big ? ABI_AARCH64_BIG : ABI_AARCH64_LITTLE;
}

void sframe_write_header(struct sink *out, const struct sframe_format *format,
                         const struct sframe_totals *totals)
{
	const struct sframe_layout *layout = sframe_layout(format->version);
	const uint32_t records = totals->functions * layout->record_size;
	const bool from_field = !layout->by_section || !format->by_section;

	write_number(out, MAGIC, 2, format->big);
	sink_u8(out, format->version);
	sink_u8(out, SFRAME_FLAG_SORTED | (from_field ? SFRAME_FLAG_FIELD_RELATIVE : 0));
	sink_u8(out, find_abi(format));
	sink_u8(out, 0); /* no fixed FP offset */
	sink_u8(out, format->machine == CAIRN_MACHINE_AMD64 ? AMD64_FIXED_RA : 0);
	sink_u8(out, 0); /* no auxiliary header */
	write_number(out, totals->functions, 4, format->big);
	write_number(out, totals->rows, 4, format->big);
	write_number(out, totals->data, 4, format->big);
	write_number(out, 0, 4, format->big);
	write_number(out, records, 4, format->big);
}

bool sframe_write_record(struct sink *out, const struct sframe_format *format, uint64_t from,
                         const struct sframe_record *record)
{
	const uint64_t distance = record->start - from;
	const struct sframe_layout *layout = sframe_layout(format->version);

	if (layout->start_size < 8 && (uint64_t)(int64_t)(int32_t)distance != distance)
		return false;
	write_number(out, distance, layout->start_size, format->big);
	write_number(out, record->size, 4, format->big);
	write_number(out, record->rows_at, 4, format->big);
	if (layout->attribute_size == 0) {
		write_number(out, record->rows, 4, format->big);
		sink_u8(out, record->info);
		sink_u8(out, record->repeat);
		write_number(out, 0, 2, format->big);
	}
	return true;
}
