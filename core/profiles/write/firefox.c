/* SPDX-License-Identifier: MIT */
/*
 * Writes the processed format of the Firefox Profiler: JSON in which each thread has its own
 * tables, stored by column. This is version 50, which newer versions of the profiler still read.
 * All names are included, so the profiler does not look up symbols.
 */
#include "firefox.h"

#include "base/error.h"
#include "base/path.h"

/*
 * Write the first 16 bytes of the build ID as a Breakpad debug ID: a GUID, whose first three fields
 * are byte-swapped, in upper case, followed by the age 0.
 */
static void write_breakpad_id(struct profile_writer *w, struct cairn_bytes id)
{
	static const uint8_t order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	writer_bytes(w, "\"", 1);
	for (size_t i = 0; i < sizeof(order) && id.size > 0; i++) {
		const size_t at = 2 * (size_t)order[i];
		for (size_t k = at; k < at + 2; k++) {
			const uint8_t c = k < id.size ? id.data[k] : '0';
			writer_bytes(w, &(uint8_t){ c >= 'a' && c <= 'f' ? (uint8_t)(c - 32) : c },
			             1);
		}
	}
	writer_bytes(w, id.size > 0 ? "0\"" : "\"", id.size > 0 ? 2 : 1);
}

static bool is_hexadecimal(struct cairn_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!((text.data[i] >= '0' && text.data[i] <= '9') ||
		      (text.data[i] >= 'a' && text.data[i] <= 'f')))
			return false;
	return true;
}

static void write_lib(struct profile_writer *w, const struct cairn_profiled_module *module)
{
	const struct cairn_bytes name = base_name(module->path), none = CAIRN_NO_BYTES;
	const struct cairn_bytes id = is_hexadecimal(module->build_id) ? module->build_id : none;

	firefox_print(w, "{\"arch\":\"\",\"name\":");
	firefox_text(w, name);
	firefox_print(w, ",\"path\":");
	firefox_text(w, module->path);
	firefox_print(w, ",\"debugName\":");
	firefox_text(w, name);
	firefox_print(w, ",\"debugPath\":");
	firefox_text(w, module->path);
	firefox_print(w, ",\"breakpadId\":");
	write_breakpad_id(w, id);
	firefox_print(w, ",\"codeId\":");
	if (id.size > 0)
		firefox_text(w, id);
	else
		firefox_print(w, "null");
	firefox_print(w, "}");
}

static void write_head(struct firefox *f)
{
	const struct cairn_profile *p = f->w->profile;

	firefox_print(f->w,
	              "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":50,\"interval\":1,"
	              "\"startTime\":%.6f,\"processType\":0,\"product\":\"cairn\",\"stackwalk\":1,"
	              "\"symbolicated\":true,\"importedFrom\":\"%s\",\"markerSchema\":[],"
	              "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
	              "\"subcategories\":[\"Other\"]}]},\"pages\":[],\"libs\":[",
	              (double)f->start / FIREFOX_MILLISECOND, cairn_profile_format_text(p));
	for (size_t i = 0; i < p->module_count; i++) {
		if (i > 0)
			writer_bytes(f->w, ",", 1);
		write_lib(f->w, &p->modules[i]);
	}
	firefox_print(f->w, "],\"threads\":[");
}

static const char *find_weight_type(const struct firefox *f)
{
	const struct cairn_profile *p = f->w->profile;
	const struct cairn_bytes unit = f->type < p->type_count
	                                        ? profile_text(p, p->types[f->type].unit)
	                                        : (struct cairn_bytes)CAIRN_NO_BYTES;

	if (unit.size == 11 && memcmp(unit.data, "nanoseconds", 11) == 0)
		return "tracing-ms";
	return unit.size == 5 && memcmp(unit.data, "bytes", 5) == 0 ? "bytes" : "samples";
}

enum cairn_status profile_write_firefox(struct profile_writer *w, struct cairn_fault *fault)
{
	struct firefox f = { .w = w };

	if (!profile_find_type(w->profile, w->output->sample_type, &f.type)) {
		return fault_set(fault, CAIRN_NOT_FOUND, "the profile has no values of this type");
	}
	f.weight_type = find_weight_type(&f);
	if (firefox_take_samples(&f)) {
		write_head(&f);
		for (uint32_t i = 0; i < f.thread_count && w->status == CAIRN_OK; i++)
			firefox_write_thread(&f, i);
		firefox_print(w, "]}\n");
	} else if (w->status == CAIRN_OK) {
		w->status = CAIRN_NO_MEMORY;
	}
	string_pool_finish(&f.thread_keys);
	string_pool_finish(&f.stacks);
	free(f.threads);
	free(f.rows);
	return CAIRN_OK;
}
